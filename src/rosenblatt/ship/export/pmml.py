"""A linear rule as PMML 4.4, for scoring engines that read it.

Problem   label a row in such an engine, without rounding.
Input     the points of a rule.
Result    an XML document: a field for every column, a derived field for every feature and for every score, and a tree
          that reads the scores. Outputs are `label` and `score`; with more than two classes, `score_1` and so on for
          the classes in order. A decision adds `probability`, `probability_from` and `probability_to`, or
          `probability_1` and so on. If columns have such names, the outputs begin with an underscore.

Numbers are doubles, and missing if not finite; dates are whole days since 1970-01-01; everything else is text.
A regression model would suffice for one score, but does not define what equal scores mean; a tree does. Values and
words are in attributes or in regular expressions of plain letters, since readers treat other text differently.
"""

import string
import sys
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from rosenblatt.errors import OptionError
from rosenblatt.judge.decision import ASK_A_PERSON, Decision
from rosenblatt.read.encode.columns import (
    SEPARATORS,
    CategoryColumn,
    EncodedColumn,
    HashedTextColumn,
    NumberColumn,
    StepColumn,
    TextColumn,
)
from rosenblatt.read.values import MISSING
from rosenblatt.ship.export.decided import PROBABILITY
from rosenblatt.ship.export.pmml_decided import Leaf, far_ahead, leaves_of, probabilities
from rosenblatt.ship.export.pmml_elements import NUMBER, TEXT, apply, constant, derive, field
from rosenblatt.ship.export.points import PointRule
from rosenblatt.version import __version__

NAMESPACE = "http://www.dmg.org/PMML-4_4"
LARGEST = repr(sys.float_info.max)
SPARE = "\t\n\r"  # control characters that XML allows


def pmml_of(points: PointRule) -> str:
    """The rule as a PMML document."""
    columns = [column for column, _ in points.terms()]
    own = _own([points.encoding.target.name, *(column.name for column in columns)], points.decision)
    rules = range(len(points.weights))
    sums = [f"{own}sum_{rule + 1}" for rule in rules]

    root = Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    SubElement(SubElement(root, "Header"), "Application", {"name": "rosenblatt", "version": __version__})
    _add_fields(root, columns, points)
    derived = SubElement(root, "TransformationDictionary")
    terms = _add_features(derived, points, own)
    for rule, intercept in enumerate(points.intercepts):
        each = [apply("*", constant(w[rule]), field(name)) for name, w in terms if w[rule]]
        derive(derived, sums[rule], apply("sum", constant(intercept), *each))
    _add_model(root, derived, columns, points, sums, own)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True)


def _own(names: Sequence[str], decision: Decision) -> str:
    """Enough underscores to keep our names different from the column names."""
    own = ""
    ours = ("score", "label", "feature", "sum", "best", *([PROBABILITY] if decision.probability else []))
    while any(name.startswith(tuple(f"{own}{begun}" for begun in ours)) for name in names):
        own += "_"
    return own


def _add_fields(root: Element, columns: Sequence[EncodedColumn], points: PointRule) -> None:
    """The data dictionary: the columns and the target."""
    fields = SubElement(root, "DataDictionary")
    for column in columns:
        kind = NUMBER if isinstance(column, NumberColumn) else TEXT
        field = SubElement(fields, "DataField", {"name": _attribute(column.name), **kind})
        if kind is NUMBER:
            ends = {"leftMargin": f"-{LARGEST}", "rightMargin": LARGEST}
            SubElement(field, "Interval", {"closure": "closedClosed", **ends})
        marks = (
            ()
            if kind is NUMBER
            else column.spellings.marks_as_written
            if isinstance(column, CategoryColumn)
            else MISSING
        )
        for mark in marks:
            SubElement(field, "Value", {"value": mark, "property": "missing"})
    target = SubElement(fields, "DataField", {"name": _attribute(points.encoding.target.name), **TEXT})
    for label in (*points.classes, *([ASK_A_PERSON] if points.decision.asks else [])):
        SubElement(target, "Value", {"value": _attribute(label)})


def _add_features(derived: Element, points: PointRule, own: str) -> list[tuple[str, tuple[float, ...]]]:
    """A derived field for every feature that has points: its name, and its weight in each score."""
    terms = []
    for column, weights in points.terms():
        source = column.name
        if isinstance(column, TextColumn):
            source = f"{own}feature_{len(derived) + 1}"
            derive(derived, source, _taken_apart(column), TEXT)
        for expression, w in zip(_features(column, source), zip(*weights, strict=True), strict=True):
            if any(w):
                name = f"{own}feature_{len(derived) + 1}"
                derive(derived, name, expression)
                terms.append((name, w))
    return terms


def _features(column: EncodedColumn, source: str) -> Iterator[Element]:
    """The features of a column as expressions."""
    missing = apply("isMissing", field(source))
    one, zero = constant(1.0), constant(0.0)
    if isinstance(column, StepColumn):
        for edge in column.edges:
            above = apply("greaterOrEqual", field(source), constant(edge))
            yield apply("if", missing, zero, apply("if", above, one, zero))
    elif isinstance(column, NumberColumn):
        yield apply("if", missing, zero, _scaled(column))
    elif isinstance(column, CategoryColumn):
        forms: dict[int, list[str]] = {}
        for text, place in column.spellings.usual.items():
            forms.setdefault(place, []).append(text)
        first = len(column.known) - len(column.values)
        named = [_is_one_of(source, forms[first + k]) for k in range(len(column.values))]
        yield from named
        if column.other:
            yield apply("if", missing, zero, apply("-", one, apply("sum", *named)))
    elif isinstance(column, TextColumn):
        for word in column.words:
            yield apply("if", apply("matches", field(source), _pattern(word)), one, zero)
    if isinstance(column, NumberColumn | CategoryColumn) and column.missing:
        yield apply("if", missing, one, zero)


def _scaled(column: NumberColumn) -> Element:
    """A number, clipped, rounded and scaled."""
    clipped = apply("min", apply("max", field(column.name), constant(column.lowest)), constant(column.highest))
    rounded = apply("-", apply("+", clipped, constant(column.rounder)), constant(column.rounder))
    return apply("/", apply("-", rounded, constant(column.centre)), constant(column.scale))


def _is_one_of(source: str, texts: Sequence[str]) -> Element:
    """1 if a column has one of these texts, otherwise 0."""
    each = [Element("NormDiscrete", {"field": source, "value": _attribute(t), "mapMissingTo": "0"}) for t in texts]
    return each[0] if len(each) == 1 else apply("sum", *each)


def _taken_apart(column: TextColumn) -> Element:
    """A text in lower case, with an underscore before, between and after its words."""
    if isinstance(column, HashedTextColumn):
        raise OptionError(f"column {column.name!r}: hashed text cannot be written in PMML; use a vocabulary of words")
    marks = "|".join(rf"\x{ord(mark):02x}" for mark in SEPARATORS)
    small = apply("replace", field(column.name), constant(f"(?:{marks})+"), constant("_"))
    for letter in string.ascii_lowercase:
        small = apply("replace", small, constant(letter.upper()), constant(letter))
    whole = apply("concat", constant("_"), small, constant("_"))
    return apply("if", apply("isMissing", field(column.name)), constant("_"), whole)


def _pattern(word: str) -> Element:
    """The regular expression for a word; characters that are not plain letters are written as numbers."""
    plain = string.ascii_lowercase + string.digits
    return constant("_" + "".join(a if a in plain else rf"\x{{{ord(a):x}}}" for a in word) + "_")


def _add_model(
    root: Element, derived: Element, columns: Sequence[EncodedColumn], points: PointRule, sums: Sequence[str], own: str
) -> None:
    """The model, a tree with a leaf for every label; the label and the scores are its outputs."""
    if len(sums) > 1:
        derive(derived, f"{own}best", far_ahead(points.decision, sums, _first_of_largest(sums)))
    chances = list(probabilities(derived, points.decision, sums, own))
    tree = SubElement(root, "TreeModel", {"functionName": "classification", "splitCharacteristic": "multiSplit"})
    schema = SubElement(tree, "MiningSchema")
    for column in columns:
        treatment = "asMissing" if isinstance(column, NumberColumn) else "asIs"
        SubElement(schema, "MiningField", {"name": column.name, "invalidValueTreatment": treatment})
    SubElement(schema, "MiningField", {"name": points.encoding.target.name, "usageType": "target"})
    output = SubElement(tree, "Output")
    SubElement(output, "OutputField", {"name": f"{own}label", **TEXT, "feature": "predictedValue"})
    scores = [f"{own}score_{k + 1}" if len(sums) > 1 else f"{own}score" for k in range(len(sums))]
    for name, source in [*zip(scores, sums, strict=True), *chances]:
        SubElement(output, "OutputField", {"name": name, **NUMBER, "feature": "transformedValue"}).append(field(source))
    node = SubElement(tree, "Node")
    SubElement(node, "True")
    for label, test in _leaves(points, sums, own):
        leaf = SubElement(node, "Node", {"score": label})
        SubElement(leaf, "True") if test is None else SubElement(leaf, "SimplePredicate", test)


def _leaves(points: PointRule, sums: Sequence[str], own: str) -> list[Leaf]:
    """The labels, each with the test of its rows."""
    if len(sums) == 1 and points.decision.rung is not None:
        return leaves_of(points.decision, points.classes, sums[0])
    if len(sums) == 1:
        test = {"field": sums[0], "operator": "greaterOrEqual" if points.zero_is_yes else "greaterThan", "value": "0"}
        return [(points.classes[1], test), (points.classes[0], None)]
    *labels, last = [*points.classes, *([ASK_A_PERSON] if points.decision.asks else [])]
    tests = [{"field": f"{own}best", "operator": "equal", "value": str(k)} for k in range(len(labels))]
    return [*zip(labels, tests, strict=True), (last, None)]


def _first_of_largest(scores: Sequence[str]) -> Element:
    """The number of the first of the largest scores: the first that is not below a later one."""
    best = constant(float(len(scores) - 1))
    for k in reversed(range(len(scores) - 1)):
        tests = [apply("greaterOrEqual", field(scores[k]), field(later)) for later in scores[k + 1 :]]
        best = apply("if", tests[0] if len(tests) == 1 else apply("and", *tests), constant(float(k)), best)
    return best


def _attribute(value: str) -> str:
    """The value, unless XML cannot write it."""
    if any((letter < " " and letter not in SPARE) or letter in "\ufffe\uffff" for letter in value):
        raise OptionError(f"{value!r:.60} cannot be written in PMML: XML does not allow these characters")
    return value
