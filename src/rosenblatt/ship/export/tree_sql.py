"""A tree as SQL that runs unchanged in DuckDB, SQLite and PostgreSQL.

Problem   label every row of a database table, exactly as here, without an extension.
Input     an encoding, and a tree on the grid of its columns; the table's columns have the names in the encoding.
Result    an expression for the label, or a query with the scores and the label beside all columns.

The cells that the tree tests are prepared once for each row, under a name of their own: numbers within their range,
days, texts, and NULL if there is no finite number or no value. The tree follows as one CASE with one test per line;
rows that do not pass a test continue on the next line. `sql` says what the database must contain.

PostgreSQL raises an error if a product is too small for a double. So numbers that are too small for the smallest weight
of their column in a sum count as 0: with a weight of a thousandth, numbers below 6e-321 in absolute value.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import frexp, ldexp

from rosenblatt.errors import OptionError
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
from rosenblatt.read.encode.columns import CategoryColumn, DateColumn, NumberColumn, TextColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.ship.export.decided import BY_ITSELF
from rosenblatt.ship.export.sql import (
    first_of_largest,
    in_steps,
    like_pattern,
    of_sides,
    own_prefix,
    score_names,
    to_days,
    to_words,
)
from rosenblatt.ship.export.sql_cells import LARGEST, double, identifier, number, of_number, of_value, stripped, text
from rosenblatt.ship.export.sql_decided import often_used, query
from rosenblatt.ship.export.tree_steps import (
    HIGH,
    Branch,
    Counts,
    LeafStep,
    TreeColumn,
    TreeStep,
    in_lines,
    label_at,
    shares_of,
    sources_of,
    steps_of,
    tested_columns,
    tests_of,
)

MOST_NESTED = 12  # CASEs: the parser of SQLite refuses some 15
LONGEST = 50  # bytes of a name that gets an underscore: PostgreSQL cuts names off at 63


def sql_of_tree(encoding: Encoding, tree: Tree, *, table: str | None = None, decision: Decision = BY_ITSELF) -> str:
    """The tree as SQL: an expression for the label, or a query on `table`, whose name is inserted unchanged.

    The query returns all columns, then `score` and `label`. The score is the share of the second, positive class in the
    row's leaf; with more than two classes, `score_1` and so on are the shares of the classes in order. If columns of
    the rule have names that start like these, the new names start with an underscore. A decision adds its probabilities
    to the query, and both label by its cut-offs.
    """
    sources, classes, own = sources_of(encoding, tree), encoding.target.classes, own_prefix(encoding, decision)
    steps = list(steps_of(tree, sources))
    deepest = max(step.level for step in steps)
    if deepest > MOST_NESTED:
        raise OptionError(
            f"a tree of {len(tree.leaves):,} leaves is too large for SQL: {deepest} nested CASEs, but engines allow "
            f"only {MOST_NESTED}; learn a shallower one"
        )
    _refuse_overflow(tree, sources)
    cells = _Cells.of(tree, sources, own)
    if table is None:
        return cells.query("", steps, lambda counts: text(label_at(counts, classes, decision)))
    for step in steps:
        if isinstance(step, LeafStep):
            _refuse_even(step.counts)
    wanted = [1] if len(classes) == 2 else range(len(classes))
    scores = score_names(len(wanted), own)
    each = zip((cells.query("t.", steps, _share(k)) for k in wanted), scores, strict=True)
    columns = ",\n".join(f"CAST({query} AS DOUBLE PRECISION) AS {name}" for query, name in each)
    rows = f"SELECT t.*,\n{columns}\nFROM {table} AS t{often_used(scores, decision)}"
    return query(rows, scores, lambda shares: _by_itself(classes, shares), decision, classes, own)


def _share(k: int) -> Callable[[Counts], str]:
    return lambda counts: number(shares_of(counts)[k])


def _by_itself(classes: Sequence[str], scores: Sequence[str]) -> str:
    """The label by the tree alone, from the share of the yes or from one share for each class."""
    if len(scores) > 1:
        return first_of_largest(classes, scores)
    return of_sides(f"{scores[0]} > 0.5e0", classes)


def _refuse_even(counts: Counts) -> None:
    """Refuse a leaf whose shares, as doubles, do not show which count is larger."""
    shares = shares_of(counts)
    label = int(shares[1] > 0.5) if len(shares) == 2 else label_of(shares)
    if label != label_of(counts):
        raise OptionError(f"the counts {counts} of a leaf are too close: shares in doubles do not show which is larger")


def _refuse_overflow(tree: Tree, sources: Sequence[TreeColumn]) -> None:
    """Refuse a sum that may be too large for a double, because PostgreSQL then raises an error."""
    for test in tests_of(tree):
        if isinstance(test, PerceptronTest):
            reach = 0.0
            for k, weight in zip(test.columns, test.weights, strict=True):
                column = sources[k].column
                reach += abs(weight) * (
                    max(-column.lowest, column.highest) if isinstance(column, NumberColumn) else 1.0
                )
            if not reach <= LARGEST / 2:
                raise OptionError(
                    f"the sum {tree.in_words(test)!r:.100} may be too large for a double, which is an error in "
                    "PostgreSQL: it cannot be written in SQL"
                )


@dataclass(frozen=True)
class _Cells:
    """The cells that a tree tests, under names of their own."""

    tree: Tree
    sources: Sequence[TreeColumn]
    names: dict[str, str]  # the quoted name of each column in the tree
    own: str

    @classmethod
    def of(cls, tree: Tree, sources: Sequence[TreeColumn], own: str) -> "_Cells":
        """Names that differ from the column names, because DuckDB would confuse them."""
        columns = [source.column.name for source in tested_columns(tree, sources)]
        taken, names = {name.casefold() for name in columns}, {}
        for k, name in enumerate(columns):
            own_name = f"{name}_" if len(name.encode()) <= LONGEST else f"{own}cell_{k + 1}"
            while own_name.casefold() in taken:
                own_name += "_"
            taken.add(own_name.casefold())
            names[name] = identifier(own_name)
        return cls(tree, sources, names, own)

    def query(self, of: str, steps: Iterable[TreeStep], outcome: Callable[[Counts], str]) -> str:
        """The tree for one row, with `of` before the columns' names, and the result of each leaf."""
        lines = "\n".join(self._lines(steps, outcome))
        if not self.names:
            return lines
        sources = tested_columns(self.tree, self.sources)
        made = [f"{self._prepared(source, of)} AS {self.names[source.column.name]}" for source in sources]
        cells, wrong, where = f"{self.own}cells", f"{self.own}cell_wrong", ""
        if tests := [test for source in sources for test in self._is_wrong(source, of)]:
            made.append(f"CASE {' '.join(f'WHEN {test} THEN 1' for test in tests)} ELSE 0 END AS {wrong}")
            where = f" WHERE {wrong} = 0"  # otherwise there is no row, and no label
        rows = ",\n".join(made)
        return f"(WITH {cells} AS (SELECT DISTINCT\n{rows})\nSELECT\n{lines}\nFROM {cells}{where})"

    def _is_wrong(self, source: TreeColumn, of: str) -> list[str]:
        """Whether a cell has text where a number is expected."""
        if not isinstance(source.column, NumberColumn) or isinstance(source.column, DateColumn):
            return []
        cell = of + identifier(source.column.name)
        known = of_number(cell, source.column.written, lambda x: "0", "0")
        return [f"{known} IS NULL"]

    def _lines(self, steps: Iterable[TreeStep], outcome: Callable[[Counts], str]) -> list[str]:
        """The tree as a CASE in which each leaf follows its condition, or ELSE."""
        lines: list[str] = []
        deepest = -1  # the level of the open CASE
        for step in steps:
            indent = "    " * step.level
            if isinstance(step, LeafStep):
                end = outcome(step.counts)
                if step.level > deepest:
                    lines.append(f"{lines.pop()} {end}" if lines else end)
                else:
                    lines += [f"{indent}  ELSE {end}", f"{indent}END"]
                    deepest = step.level - 1
                continue
            if step.level > deepest:
                lines.append(f"{indent}CASE")
                deepest = step.level
            lines.append(f"{indent}  WHEN {self._condition(step.branch, indent + '    ')} THEN")
        return lines

    def _condition(self, branch: Branch, indent: str) -> str:
        """The condition that is true for the rows of a branch, and NULL or false for others."""
        test, either = branch.test, []
        if branch.missing:
            named = [self.sources[k] for k in columns_of(test)]
            absent = {self.names[source.column.name]: None for source in named if source.may_be_missing}
            either += [f"{name} IS NULL" for name in absent]
        if isinstance(test, CategoryTest):
            name = self.names[self.sources[test.column].column.name]
            if branch.elsewhere is not None:
                either.append(_none_of(name, branch.elsewhere))
            elif branch.values:
                either.append(_one_of(name, branch.values))
        elif branch.side:
            either.append(self._compared(test, branch.side, indent))
        return in_lines([either[0], *(f"OR {each}" for each in either[1:])], indent)

    def _compared(self, test: FeatureTest | PresenceTest | PerceptronTest, side: str, indent: str) -> str:
        """The comparison of a number, a sum or a word with a threshold, or the test for any value at all."""
        if isinstance(test, PerceptronTest):
            return in_lines([*self._terms(test), f"{side} {number(test.threshold)}"], indent)
        source = self.sources[test.column]
        name = self.names[source.column.name]
        if isinstance(test, PresenceTest):
            return f"{name} IS NOT NULL"
        if source.word is not None:
            return f"{name} {'LIKE' if side == HIGH else 'NOT LIKE'} {like_pattern(source.word)}"
        return f"{name} {side} {number(test.threshold)}"

    def _terms(self, test: PerceptronTest) -> list[str]:
        """A sum of doubles: it starts with one, and each term becomes one when it is added."""
        terms = [] if self._is_number(test.columns[0]) else [(1.0, double(0.0))]
        for k, code, weight in zip(test.columns, test.codes, test.weights, strict=True):
            term, size = self._term(k, code), abs(weight)
            terms.append((weight, term if size == 1.0 else f"{number(size)} * {term}"))
        return signed(terms)

    def _is_number(self, k: int) -> bool:
        return isinstance(self.sources[k].column, NumberColumn)

    def _term(self, k: int, code: int) -> str:
        """A number; for a category or a word, 1 if it matches and otherwise 0."""
        source = self.sources[k]
        name = self.names[source.column.name]
        if source.word is not None:
            return f"CAST({name} LIKE {like_pattern(source.word)} AS INTEGER)"
        if self._is_number(k):
            return name
        assert isinstance(source.column, CategoryColumn)
        known = source.column.known
        met = _one_of(name, known[code : code + 1]) if code < len(known) else _none_of(name, known)
        return f"CAST({met} AS INTEGER)"

    def _prepared(self, source: TreeColumn, of: str) -> str:
        """The expression that prepares a column of the table."""
        column, c = source.column, f"{self.own}cell"
        cell = of + identifier(column.name)
        if isinstance(column, DateColumn):
            return in_steps(stripped(cell), to_days(column, c), self._clipped(source, column, "days"), c)
        if isinstance(column, NumberColumn):
            missing = "0e0" if source.absent_is_zero else "NULL"
            return of_number(cell, column.written, lambda x: self._clipped(source, column, x), missing)
        if isinstance(column, CategoryColumn):
            known = [text(value) for value in column.known]
            return of_value(column.spellings, cell, known, stripped(cell), "NULL")
        assert isinstance(column, TextColumn)
        return in_steps(stripped(cell), to_words(c), f"COALESCE({c}, '')", c)

    def _clipped(self, source: TreeColumn, column: NumberColumn, x: str) -> str:
        """A number clipped to the range of its column; not clipped if that makes no difference."""
        low, high, thresholds, weights = column.lowest, column.highest, *self._thresholds_and_weights(column.name)
        rest = " ELSE 0e0" if source.absent_is_zero else ""
        if not weights and all(low <= threshold < high for threshold in thresholds):
            return f"CASE WHEN ABS({x}) <= {number(LARGEST)} THEN {x}{rest} END"
        least = min((abs(weight) for weight in weights if weight), default=1.0)
        zero = f"\n WHEN ABS({x}) < {_smallest_safe(least)} THEN 0e0" if least < 1.0 and low <= 0.0 <= high else ""
        return (
            f"CASE{zero}"
            f"\n WHEN {x} BETWEEN {number(low)} AND {number(high)} THEN {x}"
            f"\n WHEN {x} BETWEEN {number(high)} AND {number(LARGEST)} THEN {number(high)}"
            f"\n WHEN {x} BETWEEN {number(-LARGEST)} AND {number(low)} THEN {number(low)}{rest} END"
        )

    def _thresholds_and_weights(self, name: str) -> tuple[list[float], list[float]]:
        """The thresholds that a column is compared with, and its weights in sums."""
        thresholds, weights = [], []
        for test in tests_of(self.tree):
            if isinstance(test, FeatureTest) and self.sources[test.column].column.name == name:
                thresholds.append(test.threshold)
            elif isinstance(test, PerceptronTest):
                each = zip(test.columns, test.weights, strict=True)
                weights += [weight for k, weight in each if self.sources[k].column.name == name]
        return thresholds, weights


def _smallest_safe(weight: float) -> str:
    """A power of two from which on products with the weight are not too small."""
    exponent = max(-1074, 1 - frexp(weight)[1] - 1074)
    return f"CAST({ldexp(1.0, exponent)!r} AS DOUBLE PRECISION)"


def _one_of(name: str, values: Sequence[str]) -> str:
    return f"{name} = {text(values[0])}" if len(values) == 1 else f"{name} IN ({', '.join(map(text, values))})"


def _none_of(name: str, values: Sequence[str]) -> str:
    if not values:
        return f"{name} IS NOT NULL"
    return f"{name} <> {text(values[0])}" if len(values) == 1 else f"{name} NOT IN ({', '.join(map(text, values))})"
