"""A tree as a Python module that needs nothing but Python.

Problem   label a row where rosenblatt is not installed.
Input     an encoding, and a tree on the grid of its columns.
Result    the text of a module with `score(row)` and `predict(row)`; run as a command, it reads CSV.

A missing number is NaN, which is on neither side of a threshold, and a missing category is None.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from rosenblatt.judge.decision import Decision
from rosenblatt.learn.tree.tree import (
    CategoryTest,
    FeatureTest,
    PerceptronTest,
    PresenceTest,
    Tree,
    columns_of,
    label_of,
    signed,
)
from rosenblatt.read.encode.columns import CategoryColumn, DateColumn, NumberColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.ship.export import python_decided
from rosenblatt.ship.export.decided import BY_ITSELF
from rosenblatt.ship.export.python import WORDS, form_of, module, spelled, written
from rosenblatt.ship.export.tree_steps import (
    HIGH,
    Branch,
    LeafStep,
    TreeColumn,
    in_lines,
    shares_of,
    sources_of,
    steps_of,
    tested_columns,
)

SCORE = "the share of the second class where the row ends; of several classes, each"

RULE = '''

def score(row):
    """The share of the second class, the yes, where the row ends; with several classes, the share of each."""
    _, shares = _end(_cells(row))
    return shares[1] if len(shares) == 2 else dict(zip(CLASSES, shares))

PREDICT


def _cells(row):
    """What the tree tests: numbers within their range, days, categories as text, words."""
    cells = {}
    for name, column in NUMBERS.items():
        cells[name] = _clipped(_float(name, CELL, column["written"]), column)
    for name, column in DATES.items():
        cells[name] = _clipped(_days(CELL, column["format"], column["shape"]), column)
    for name, column in CATEGORIES.items():
        cells[name] = _value(CELL, column)
    for name in TEXTS:
        cells[name] = _words(CELL)
    return cells


def _clipped(x, column):
    if x is None or not math.isfinite(x):
        return ABSENT
    return min(max(x, column["lowest"]), column["highest"])


def _is(value, wanted):
    """1 if the category is the wanted one, otherwise 0; NaN if it is missing."""
    return math.nan if value is None else float(value == wanted)


def _is_none_of(value, known):
    return math.nan if value is None else float(value not in known)
'''

PREDICT = '''
def predict(row):
    """The label: the most frequent class where the row ends."""
    label, _ = _end(_cells(row))
    return label
'''


def python_of_tree(encoding: Encoding, tree: Tree, decision: Decision = BY_ITSELF) -> str:
    """The tree as the text of a Python module."""
    sources, classes = sources_of(encoding, tree), encoding.target.classes
    tables: dict[str, Any] = {"NUMBERS": {}, "DATES": {}, "CATEGORIES": {}, "TEXTS": []}
    for source in tested_columns(tree, sources):
        column = source.column
        if isinstance(column, NumberColumn):
            table = tables["DATES" if isinstance(column, DateColumn) else "NUMBERS"]
            table[column.name] = {**form_of(column), "lowest": column.lowest, "highest": column.highest}
        elif isinstance(column, CategoryColumn):
            tables["CATEGORIES"][column.name] = spelled(column)
        else:
            tables["TEXTS"].append(column.name)
    lines = [f"CLASSES = {list(classes)!r}", *(f"{name} = {written(table)}" for name, table in tables.items())]
    lines += python_decided.constants_of(decision, len(classes))
    end = "\n".join(_End(tree, sources, classes).lines())
    rule = RULE.replace("ABSENT", "0.0" if encoding.is_sparse else "math.nan")
    return module(encoding, decision, SCORE, "\n".join(lines) + f"\n{WORDS}\n\n{end}\n", (rule, PREDICT))


class _End:
    """The function that leads a row to its leaf."""

    def __init__(self, tree: Tree, sources: Sequence[TreeColumn], classes: Sequence[str]) -> None:
        self.tree, self.sources, self.classes = tree, sources, classes

    def lines(self) -> Iterable[str]:
        """The lines of the function. A leaf returns, so other rows continue with the next line."""
        yield "def _end(cell):"
        yield '    """The label where a row ends, and the shares of the classes."""'
        for step in steps_of(self.tree, self.sources):
            indent = "    " * (step.level + 1)
            if isinstance(step, LeafStep):
                yield f"{indent}return {self.classes[label_of(step.counts)]!r}, {shares_of(step.counts)!r}"
            else:
                condition = self._condition(step.branch, indent + "    ")
                yield f"{indent}if ({condition}):" if "\n" in condition else f"{indent}if {condition}:"

    def _condition(self, branch: Branch, indent: str) -> str:
        """The condition that holds for the rows of a branch."""
        test = branch.test
        if isinstance(test, CategoryTest):
            return _of_category(self._cell(test.column), branch)
        either = []
        if branch.missing:
            named = {k: self.sources[k] for k in columns_of(test) if self.sources[k].may_be_missing}
            either = [self._missing(k) for k in named]
        if branch.side:
            either.append(self._compared(test, branch.side, indent))
        return in_lines([either[0], *(f"or {each}" for each in either[1:])], indent)

    def _cell(self, k: int) -> str:
        return f"cell[{self.sources[k].column.name!r}]"

    def _missing(self, k: int) -> str:
        return (
            f"math.isnan({self._cell(k)})"
            if isinstance(self.sources[k].column, NumberColumn)
            else f"{self._cell(k)} is None"
        )

    def _compared(self, test: FeatureTest | PresenceTest | PerceptronTest, side: str, indent: str) -> str:
        """The comparison of a number, a sum or a word with a threshold, or the test for any value at all."""
        if isinstance(test, PerceptronTest):
            return in_lines([*self._terms(test), f"{side} {test.threshold!r}"], indent)
        if isinstance(test, PresenceTest):
            return f"not {self._missing(test.column)}"
        word = self.sources[test.column].word
        if word is not None:
            return f"{word!r} {'in' if side == HIGH else 'not in'} {self._cell(test.column)}"
        return f"{self._cell(test.column)} {side} {test.threshold!r}"

    def _terms(self, test: PerceptronTest) -> list[str]:
        each = zip(test.columns, test.codes, test.weights, strict=True)
        terms = [(weight, abs(weight), self._term(k, code)) for k, code, weight in each]
        return signed((weight, term if size == 1.0 else f"{size!r} * {term}") for weight, size, term in terms)

    def _term(self, k: int, code: int) -> str:
        """A number; for a category or a word, 1 if it matches and otherwise 0."""
        source, cell = self.sources[k], self._cell(k)
        if source.word is not None:
            return f"({source.word!r} in {cell})"
        if not isinstance(source.column, CategoryColumn):
            return cell
        known = source.column.known
        return f"_is({cell}, {known[code]!r})" if code < len(known) else f"_is_none_of({cell}, {known!r})"


def _of_category(cell: str, branch: Branch) -> str:
    """The condition on the categories of a branch; None means missing."""
    if branch.elsewhere is not None:
        return _among(cell, (*branch.elsewhere, *(() if branch.missing else (None,))), "!=", "not in")
    return _among(cell, (*branch.values, *((None,) if branch.missing else ())), "==", "in")


def _among(cell: str, values: Sequence[str | None], one: str, many: str) -> str:
    if values == (None,):
        return f"{cell} is {'not ' if one == '!=' else ''}None"
    return f"{cell} {one} {values[0]!r}" if len(values) == 1 else f"{cell} {many} {values!r}"
