"""Reason codes: what moved each decision most.

Problem   people who are turned down have a right to know which columns counted most against them.
Input     a rule, and the number of reasons.
Result    for every row, up to k texts such as "duration = 48 (+31)", the strongest first, all in the direction of the
          decision: points for a yes, points against it for a no. A row with fewer such columns has fewer reasons. If
          the columns together do not support the decision, and no single column supports it as much as the points
          that every row starts with, the first reason is that an average row already gets this label.
Method    A column has the points of the scorecard, which measures from the middle: numbers from a round number near
          their mean, a category from the mean points of its values, weighted by their shares if these are known.
          So a reason says how this row differs from an average one, and the points can be looked up in the scorecard.
          With more than two classes, the points for the predicted class minus those for the runner-up count.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from rosenblatt.errors import OptionError
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    EncodedColumn,
    HashedTextColumn,
    NumberColumn,
    SparseColumn,
    TextColumn,
    add_up,
    bucket_of,
    split,
)
from rosenblatt.read.values import as_text
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.explain.scorecard import Scorecard, scorecard
from rosenblatt.ship.export.points import PointRule, of_words

NAME = "reason {}"
LONGEST = 60  # characters of a value
WORDS = 3  # of a text, in one reason
BLOCK, NUMBERS = 2**17, 2**24  # rows at once, and numbers at once
RAW, READ, WORDS_ADD = "raw {}", "read {}", "words {} {}"  # by the number of the column, or of the rule and the column
LEAST = 0.05  # points, shown as 0.1
AVERAGE = -2  # instead of a column's number: the points that every row starts with
MINUS = "\N{MINUS SIGN}"
AMOUNT, IN_WORDS = "\0points", "\0in words"  # names that no column can have


def reasons(points: PointRule, k: int, card: Scorecard | None = None) -> pl.Expr:
    """A struct of k texts for every row, "reason 1" the strongest; null if there are fewer.

    `card` is the scorecard with the points to show, by default the rule's own.

    Use: frame.select(reasons(points, 3)).unnest("reasons"), on a frame that may be lazy and larger than memory.
    """
    if type(k) is not int or k < 1:
        raise OptionError(f"the number of reasons must be a whole number of at least 1, not {k!r}")
    if any(isinstance(column, SparseColumn) for column in points.encoding.used):
        raise OptionError("reasons need the columns of a table; this rule uses numbered features")
    chooser = _ReasonChooser.of(points, k, scorecard(points) if card is None else card)
    names = [NAME.format(place + 1) for place in range(k)]
    kind = pl.Struct(dict.fromkeys(names, pl.String))
    if not chooser.many:
        return pl.struct([chooser.same_for_all(k).alias(name) for k, name in enumerate(names)]).alias("reasons")
    parts = pl.struct(chooser.seen()).map_batches(chooser.reasons, return_dtype=kind, is_elementwise=True)
    return parts.alias("reasons")


@dataclass(frozen=True)
class _ReasonChooser:
    """The columns that have points; chooses among them and puts them into words."""

    points: PointRule
    k: int
    factor: float
    columns: tuple[EncodedColumn, ...]
    weights: tuple[tuple[tuple[float, ...], ...], ...]  # by rule and column
    references: tuple[tuple[float, ...], ...]  # in points
    starts: tuple[float, ...]

    @classmethod
    def of(cls, points: PointRule, k: int, card: Scorecard) -> "_ReasonChooser":
        each = [list(points.columns(rule)) for rule in range(len(points.weights))]
        kept = [j for j in range(len(each[0])) if any(any(columns[j][1]) for columns in each)]
        by_name = [{part.column: float(part.reference) for part in one.parts} for one in card.cards]
        columns = tuple(each[0][j][0] for j in kept)
        return cls(
            points,
            k,
            float(card.factor),
            columns,
            tuple(tuple(columns[j][1] for j in kept) for columns in each),
            tuple(tuple(found[column.name] for column in columns) for found in by_name),
            tuple(float(one.start) for one in card.cards),
        )

    def seen(self) -> list[pl.Expr]:
        """The cells of the columns, raw and as read; for texts, what their words add to each rule."""
        found = [pl.col(column.name).alias(RAW.format(j)) for j, column in enumerate(self.columns)]
        for j, column in enumerate(self.columns):
            if isinstance(column, TextColumn):
                each = enumerate(self.weights)
                found += [of_words(column, weights[j]).alias(WORDS_ADD.format(rule, j)) for rule, weights in each]
            elif isinstance(column, NumberColumn | CategoryColumn):
                found.append(column.cells.alias(READ.format(j)))
        return found

    def _points_of_rows(self, rows: pl.DataFrame) -> Array:
        """The points of every row, rule and column, as on the scorecard."""
        out = np.zeros((len(self.weights), self.many, rows.height))
        single = {
            j: column for j, column in enumerate(self.columns) if isinstance(column, NumberColumn | CategoryColumn)
        }
        cells = rows.select(pl.col(READ.format(j)).alias(column.name) for j, column in single.items())
        for rule, weights in enumerate(self.weights):
            add_up(cells, [(column, weights[j], out[rule, j]) for j, column in single.items() if any(weights[j])])
            for j in {*range(self.many)} - {*single}:
                out[rule, j] = rows[WORDS_ADD.format(rule, j)].to_numpy()
        out *= self.factor
        out -= np.array(self.references)[:, :, np.newaxis]
        return out.transpose(2, 0, 1)

    def same_for_all(self, k: int) -> pl.Expr:
        """For a rule without points, the only reason of every row; further reasons are null."""
        if k:
            return pl.repeat(None, pl.len(), dtype=pl.String)
        _, rules = self._for_the_decision(np.zeros((1, len(self.weights), 0)))
        return pl.repeat(self._like_an_average_row(rules)[0], pl.len(), dtype=pl.String)

    @property
    def many(self) -> int:
        """The number of columns that have points."""
        return len(self.columns)

    def reasons(self, rows: pl.Series) -> pl.Series:
        """The reasons for some rows."""
        size = max(min(BLOCK, NUMBERS // (len(self.weights) * self.many)), 1)
        blocks = [self._block(rows.slice(first, size)) for first in range(0, max(len(rows), 1), size)]
        return pl.concat(blocks, rechunk=False)

    def _block(self, rows: pl.Series) -> pl.Series:
        seen = rows.struct.unnest()
        points, rules = self._for_the_decision(self._points_of_rows(seen))
        starts = np.array([*self.starts, 0.0])  # the last for no rule
        chosen = self._best(np.where(rules[0, :, np.newaxis] < 0, -points, points), starts[rules[0]] - starts[rules[1]])
        texts, n = self._texts(seen, points, chosen, rules), len(rows)
        return pl.DataFrame({NAME.format(k + 1): texts[k * n : (k + 1) * n] for k in range(self.k)}).to_struct(
            "reasons"
        )

    def _for_the_decision(self, by_rule: Array) -> tuple[Array, Array]:
        """The points of every row and column, and the two rules behind them: the one they are for, and the one against.

        With two classes there is one rule, 0; its other side is -1.
        """
        totals = by_rule.sum(axis=2) + np.array(self.starts)
        rows, best = np.arange(len(totals)), totals.argmax(axis=1)
        if totals.shape[1] == 1:
            yes = totals[:, 0] >= 0 if self.points.zero_is_yes else totals[:, 0] > 0
            return by_rule[:, 0], np.stack([np.where(yes, 0, -1), np.where(yes, -1, 0)])
        totals[rows, best] = -np.inf
        second = totals.argmax(axis=1)
        return by_rule[rows, best] - by_rule[rows, second], np.stack([best, second])

    def _best(self, towards: Array, start: Array) -> Array:
        """For each row, the column with the most points, then the second, and so on; -1 if no column is left.

        The first is AVERAGE if the columns together do not support the decision, and no column as much as the start.
        """
        rows, out = np.arange(len(towards)), np.empty((self.k, len(towards)), np.int64)
        average = (towards.sum(axis=1) <= 0) & (towards.max(axis=1) < start)
        for place, chosen in enumerate(out):
            best = towards.argmax(axis=1)
            chosen[:] = np.where(towards[rows, best] >= LEAST, best, -1)
            if place == 0:
                chosen[average | (chosen < 0)] = AVERAGE
            towards[rows, best] = np.where(chosen == AVERAGE, towards[rows, best], 0.0)
        return out

    def _texts(self, seen: pl.DataFrame, points: Array, chosen: Array, rules: Array) -> pl.Series:
        """The texts of the first reasons of all rows, then of the second reasons, and so on."""
        parts, places, filled = [pl.Series([None], dtype=pl.String)], np.zeros(chosen.size, np.int64), 1
        for j, column in enumerate(self.columns):
            found = np.flatnonzero(chosen == j)
            if found.size:
                rows = found % len(points)
                places[found] = np.arange(filled, filled + rows.size)
                filled += rows.size
                cells = seen[RAW.format(j)].gather(rows).alias(column.name)
                tenths = np.rint(points[rows, j] * 10).astype(np.int64)
                words = self._words(column, j, cells, rules[:, rows]) if isinstance(column, TextColumn) else None
                parts.append(_in_words(column, cells, tenths, words))
        alone = np.flatnonzero(chosen[0] == AVERAGE)
        places[alone] = np.arange(filled, filled + alone.size)
        parts.append(self._like_an_average_row(rules[:, alone]))
        return pl.concat(parts).gather(places)

    def _like_an_average_row(self, rules: Array) -> pl.Series:
        """The texts for rows that are decided by the points at the start."""
        classes, starts = self.points.classes, np.array([*self.starts, 0.0])  # the last for no rule
        texts = {}
        for own, other in {*map(tuple, rules.T.tolist())}:
            label = classes[own] if len(self.starts) > 1 else classes[own + 1]
            start = starts[own] - starts[other] if len(self.starts) > 1 else starts[0]
            tenths = round(start * 10)
            texts[own, other] = f"an average row is already {label}{_amount(tenths)}" if tenths else f"a tie is {label}"
        return pl.Series([texts[pair] for pair in map(tuple, rules.T.tolist())], dtype=pl.String)

    def _words(self, column: TextColumn, j: int, cells: pl.Series, rules: Array) -> pl.Series:
        """The words of each text that supported the decision most."""
        words = cells.to_frame("cell").select(split(pl.col("cell"))).to_series().to_list()
        weights = np.array([*(rule[j] for rule in self.weights), np.zeros(column.size)])  # the last for no rule
        known = {word: k for k, word in enumerate(column.words)}

        def strongest(row: list[str] | None, own: int, other: int) -> str:
            found = {}
            for word in row or ():
                k = bucket_of(word, column.buckets) if isinstance(column, HashedTextColumn) else known.get(word, -1)
                if k >= 0 and (moved := weights[own, k] - weights[other, k]) > 0:
                    found[word] = moved
            best = sorted(found, key=lambda word: (-found[word], word))[:WORDS]
            return f" has {', '.join(map(repr, best))}" if best else ""

        best = [strongest(row, *pair) for row, pair in zip(words, rules.T.tolist(), strict=True)]
        return pl.Series(best, dtype=pl.String)


def _amount(tenths: int) -> str:
    """Points in parentheses, to follow a text."""
    return f" ({'+' if tenths >= 0 else MINUS}{abs(tenths) / 10:.{int(tenths % 10 != 0)}f})"


def _in_words(column: EncodedColumn, cells: pl.Series, tenths: Array, words: pl.Series | None) -> pl.Series:
    """The contents of a column, with its points; `words` if it is a text."""
    picked = pl.DataFrame({column.name: cells if words is None else words, AMOUNT: tenths})
    different = picked.unique(maintain_order=True)  # usually far fewer; only these are put into words
    text = pl.lit(" = ") + as_text(pl.col(column.name)).str.slice(0, LONGEST)
    there = column.value if isinstance(column, NumberColumn) else pl.col(column.name)
    what = pl.when(there.is_null()).then(pl.lit(" is missing")).otherwise(text) if words is None else pl.nth(0)
    amounts = [_amount(x) for x in different[AMOUNT]]
    worded = different.select(pl.concat_str(pl.lit(column.name), what, pl.lit(pl.Series(amounts)))).to_series()
    joined = picked.join(
        different.with_columns(worded.alias(IN_WORDS)),
        on=picked.columns,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    return joined[IN_WORDS]
