r"""A linear rule as an ONNX model, for ONNX Runtime and other engines.

Problem   label many rows, without rounding, in an engine that has only arrays.
Input     the points of a rule.
Result    a model of standard operators, all in double precision: an input for every column, and two outputs, `label`
          (a text for each row) and `score` (a double; with more than two classes, one for each class). A decision adds
          `probability` (a double, or one for each class), `probability_from` and `probability_to`.

Inputs have the columns' names and the shape (rows, 1). Numbers are doubles, NaN where missing; dates are doubles too,
as whole days since 1970-01-01; categories, yes/no and texts are strings without surrounding blanks. ONNX has no missing
string: a missing one is the text `MISSING`, "\x1amissing", or one of the texts that the reader treats as missing.
Numbered features are one input, `features`, with a column for each.
"""

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import MissingExtraError, OptionError
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    EncodedColumn,
    HashedTextColumn,
    NumberColumn,
    SparseColumn,
    StepColumn,
    TextColumn,
)
from rosenblatt.read.values import MISSING as MARKS
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.export.onnx_decided import INT64, add_probabilities, labels_of, place_of_label
from rosenblatt.ship.export.points import PointRule

if TYPE_CHECKING:
    from onnx import ModelProto

MISSING = "\x1amissing"  # starts with the control character for "substitute"
DOUBLE = 11  # the number of this type in TensorProto
OPSETS = {"": 20, "ai.onnx.ml": 3}
IR_VERSION = 9  # as old as these operators, for older engines
SEPARATOR = r"[\x{9}-\x{d}\x{20}-\x{2f}\x{3a}-\x{40}\x{5b}-\x{60}\x{7b}-\x{7e}]"  # ASCII white space and punctuation


def onnx_of(points: PointRule) -> "ModelProto":
    """The rule as an ONNX model."""
    try:
        import onnx
    except ImportError as error:
        raise MissingExtraError("onnx", "ONNX export") from error
    graph = Graph(onnx, {column.name for column in points.encoding.used})
    each = zip(*(points.columns(rule) for rule in range(len(points.weights))), strict=True)
    columns = [(both[0][0], np.array([w for _, w in both], float).T) for both in each]  # weights: features x rules
    sums = [graph.constant([points.intercepts])]
    on_grids = [isinstance(column, NumberColumn) and not isinstance(column, StepColumn) for column, _ in columns]
    if numbers := [each for each, is_on in zip(columns, on_grids, strict=True) if is_on]:
        sums.append(_of_numbers(graph, numbers))
    sums.extend(_of_column(graph, *each) for each, is_on in zip(columns, on_grids, strict=True) if not is_on)
    _decide(graph, points, graph.node("Sum", sums))
    return graph.model()


class Graph:
    """An ONNX graph under construction."""

    def __init__(self, onnx: Any, columns: set[str]) -> None:
        self.onnx = onnx
        self.taken = {*columns}
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    def fresh(self, name: str) -> str:
        """An unused name."""
        while name in self.taken:
            name = f"_{name}"
        self.taken.add(name)
        return name

    def info(self, name: str, kind: str, shape: Sequence[Any], meaning: str) -> Any:
        """The type, the shape and the documentation of an input or output."""
        info = self.onnx.helper.make_tensor_value_info(name, getattr(self.onnx.TensorProto, kind), shape)
        info.doc_string = meaning
        return info

    def input(self, column: EncodedColumn, kind: str, meaning: str, size: int = 1) -> str:
        """The input for a column."""
        if "\0" in column.name:
            raise OptionError(f"{column.name!r:.60} contains character number 0, which ONNX does not allow in a name")
        name = column.name or self.fresh("unnamed")
        self.inputs.append(self.info(name, kind, ["rows", size], meaning))
        return name

    def constant(self, value: Any) -> str:
        """Add a constant of doubles, whole numbers or texts."""
        array = np.asarray(value, None if np.asarray(value).dtype.kind != "U" else object)
        name = self.fresh(f"constant_{len(self.constants)}")
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def node(self, operator: str, inputs: Sequence[str], **options: Any) -> str:
        """Add an operator; returns the name of its output."""
        (name,) = self.nodes_of(operator, inputs, **options)
        return name

    def nodes_of(self, operator: str, inputs: Sequence[str], many: int = 1, **options: Any) -> list[str]:
        """Add an operator; returns the names of its outputs."""
        names = [self.fresh(f"{operator.lower()}_{len(self.nodes)}{f'_{k}' if k else ''}") for k in range(many)]
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, names, **options))
        return names

    def output(self, name: str, value: str, kind: str, shape: Sequence[Any], meaning: str) -> None:
        """Make a value an output under this name."""
        self.outputs.append(self.info(self.fresh(name), kind, shape, meaning))
        self.nodes.append(self.onnx.helper.make_node("Identity", [value], [self.outputs[-1].name]))

    def model(self) -> "ModelProto":
        """The model, checked."""
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, "rule", self.inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
        model: ModelProto = helper.make_model(
            graph, producer_name="rosenblatt", opset_imports=opsets, ir_version=IR_VERSION
        )
        helper.set_model_props(model, {"missing text": MISSING})
        self.onnx.checker.check_model(model)
        return model


def _of_numbers(graph: Graph, columns: Sequence[tuple[NumberColumn, Array]]) -> str:
    """The points of all numbers: clipped, rounded and scaled together, then multiplied by the weights."""
    inputs = [
        graph.input(
            column, "DOUBLE", "days since 1970-01-01" if isinstance(column, DateColumn) else "a number; NaN: missing"
        )
        for column, _ in columns
    ]
    grids = np.array([(c.lowest, c.highest, c.rounder, c.centre, c.scale) for c, _ in columns]).T
    weights = np.array([w[0] for _, w in columns])
    empty = np.array([w[1] if column.missing else np.zeros_like(w[0]) for column, w in columns])
    X = graph.node("Concat", inputs, axis=1)
    return _on_grids(graph, X, grids, weights, empty)


def _on_grids(graph: Graph, X: str, grids: Array, weights: Array, empty: Array) -> str:
    """The points of numbers; `grids` has their lowest, highest, rounders, centres and scales.

    A single column occurs twice, the second time without points, because ONNX Runtime drops the addition of a single
    constant that is 0 in single precision. It would also merge a division with the product that follows, again in
    single precision, so the zeros for missing numbers come in between.
    """
    if len(weights) == 1:
        X, grids = graph.node("Concat", [X, X], axis=1), np.repeat(grids, 2, axis=1)
        weights, empty = (np.vstack([w, np.zeros_like(w)]) for w in (weights, empty))
    lowest, highest, rounder, centre, scale = (graph.constant(row[None]) for row in grids)
    gone = graph.node("Or", [graph.node("IsNaN", [X]), graph.node("IsInf", [X])])
    x = graph.node("Max", [graph.node("Min", [X, highest]), lowest])
    x = graph.node("Sub", [graph.node("Add", [x, rounder]), rounder])
    x = graph.node("Div", [graph.node("Sub", [x, centre]), scale])
    of_numbers = graph.node("MatMul", [graph.node("Where", [gone, graph.constant(0.0), x]), graph.constant(weights)])
    of_missing = graph.node("MatMul", [graph.node("Cast", [gone], to=DOUBLE), graph.constant(empty)])
    return graph.node("Add", [of_numbers, of_missing])


def _of_column(graph: Graph, column: EncodedColumn, w: Array) -> str:
    """The points of a column that is not a number on a grid."""
    if isinstance(column, StepColumn):
        return _of_steps(graph, column, w)
    if isinstance(column, CategoryColumn):
        return _of_category(graph, column, w)
    if isinstance(column, SparseColumn):
        numbers = f", number {', '.join(map(str, column.numbers))}" if column.numbers else ""
        X = graph.input(column, "DOUBLE", f"numbered features{numbers}", column.count)
        grid = np.array([-column.highest, column.highest, 1.5 * 2.0**52 * column.step, 0.0, 1.0])
        return _on_grids(graph, X, np.repeat(grid[:, None], column.count, axis=1), w, np.zeros_like(w))
    if isinstance(column, HashedTextColumn) or not isinstance(column, TextColumn):
        raise OptionError(f"column {column.name!r}: {column.kind} cannot be written in ONNX; use a vocabulary of words")
    return _of_text(graph, column, w)


def _of_steps(graph: Graph, column: StepColumn, w: Array) -> str:
    """The points of the step that a number is in: its row in a table that ends with a missing one."""
    table = np.array([column.worth(each) for each in w.T]).T
    x = graph.input(column, "DOUBLE", "a number; NaN: missing")
    gone = graph.node("Or", [graph.node("IsNaN", [x]), graph.node("IsInf", [x])])
    above = graph.node("GreaterOrEqual", [x, graph.constant([list(column.edges)])])
    step = graph.node("ReduceSum", [graph.node("Cast", [above], to=INT64), graph.constant([1])], keepdims=0)
    gone = graph.node("Squeeze", [gone, graph.constant([1])])
    place = graph.node("Where", [gone, graph.constant(len(column.edges) + 1), step])
    return graph.node("Gather", [graph.constant(table), place])


def _of_category(graph: Graph, column: CategoryColumn, w: Array) -> str:
    """The points of a value: its row in a table that ends with any other value and a missing one."""
    if MISSING in column.known:
        raise OptionError(f"column {column.name!r} has the value {MISSING!r}, which means missing in ONNX")
    table = np.array([column.worth(each) for each in w.T]).T  # known values, any other, none
    marks = dict.fromkeys((*column.spellings.marks_as_written, MISSING), column.spellings.missing)
    forms = column.spellings.usual | marks
    cells = graph.input(column, "STRING", f"a category; {MISSING!r} means missing")
    place = graph.node(
        "LabelEncoder",
        [cells],
        domain="ai.onnx.ml",
        keys_strings=list(forms),
        values_int64s=list(forms.values()),
        default_int64=column.spellings.other,
    )
    return graph.node("Gather", [graph.constant(table), graph.node("Squeeze", [place, graph.constant([1])])])


def _of_text(graph: Graph, column: TextColumn, w: Array) -> str:
    """The points of the words that occur, each found by a regular expression."""
    cells = graph.input(column, "STRING", "a text")
    counted = np.flatnonzero(w.any(axis=1)) if w.any() else np.arange(1)
    found = [graph.node("RegexFullMatch", [cells], pattern=_with_word(column.words[k])) for k in counted]
    there = graph.node("Cast", [graph.node("Concat", found, axis=1)], to=DOUBLE)
    is_text = graph.node(
        "LabelEncoder",
        [cells],
        domain="ai.onnx.ml",
        keys_strings=list(MARKS),
        values_int64s=[0] * len(MARKS),
        default_int64=1,
    )
    known = graph.node("Mul", [there, graph.node("Cast", [is_text], to=DOUBLE)])
    return graph.node("MatMul", [known, graph.constant(w[counted])])


def _with_word(word: str) -> str:
    """The regular expression, in RE2 syntax, for texts that contain a word."""
    letters = [f"[{a}{a.upper()}]" if a in string.ascii_lowercase else rf"\x{{{ord(a):x}}}" for a in word]
    return rf"(?s)(?:.*{SEPARATOR})?{''.join(letters)}(?:{SEPARATOR}.*)?"


def _decide(graph: Graph, points: PointRule, scores: str) -> None:
    """The outputs, from the score of each rule in each row."""
    labels, decision = graph.constant(labels_of(points.classes, points.decision)), points.decision
    if len(points.weights) == 1:
        score = graph.node("Squeeze", [scores, graph.constant([1])])
        high = "above 0" if decision.rung is None else "high"
        yes = graph.node("GreaterOrEqual" if points.zero_is_yes else "Greater", [score, graph.constant(0.0)])
        best, meaning = graph.node("Cast", [yes], to=INT64), f"{high}: {points.classes[1]}"
    else:
        score, meaning = scores, "of each class, in their order"
        best = graph.node("ArgMax", [scores], axis=1, keepdims=0)
    shape = ["rows"] if len(points.weights) == 1 else ["rows", len(points.weights)]
    place = place_of_label(graph, score, len(points.classes), best, decision)
    graph.output("label", graph.node("Gather", [labels, place]), "STRING", ["rows"], "the predicted class")
    graph.output("score", score, "DOUBLE", shape, meaning)
    add_probabilities(graph, score, points.classes, decision)
