"""Two models on the same table, which is read block by block, in bounded memory.

Whether a table is the one that a model was learned from is shown by the fingerprint of its training rows. Which rows
those are depends only on their numbers (`desk.split`), so training rows in another table are not recognised.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from rosenblatt.desk.data import row_weights
from rosenblatt.desk.profile import codes_and_scores, n_rows_of
from rosenblatt.desk.split import HoldOut
from rosenblatt.errors import ModelError, OptionError, TableError
from rosenblatt.judge.compare import Running
from rosenblatt.judge.decision import ASK_A_PERSON
from rosenblatt.judge.side_by_side import LETTERS, Differing, Kind, Side, SideBySide
from rosenblatt.learn.tree.tree import Columns
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.frames import nearest
from rosenblatt.read.table import Table
from rosenblatt.read.values import as_text
from rosenblatt.rows.kernels import Array, Dense
from rosenblatt.rows.storage import rows_of
from rosenblatt.ship.file.modelfile import Fingerprint, Model

MOST_ROWS, MOST_KINDS, MOST_CELLS = 10, 20, 50  # shown
LABELS, SCORES = ("label A", "label B"), ("score A", "score B")
ROW = "row"


@dataclass(frozen=True)
class Prices:
    """What a mistake costs: by class, times the weight of the row, if a column has weights."""

    of_class: Mapping[str, float] | None = None
    weights: str | None = None

    def in_words(self) -> str:
        """The prices in words; empty if every mistake costs the same."""
        each = ", ".join(f"{cost:.4g} for {label}" for label, cost in (self.of_class or {}).items())
        if self.weights is None:
            return f"a mistake costs {each}" if each else ""
        return f"a mistake costs the row's {self.weights}{f', times {each}' if each else ''}"


@dataclass
class Contender:
    """One of two models: its labels and scores, and which rows it was learned from."""

    file: str
    model: Model
    order: Array  # the place of each of its classes in the first model, and last that of rows left to a person
    fingerprint: Fingerprint = field(default_factory=Fingerprint)

    @property
    def encoding(self) -> Encoding:
        """How it reads a table."""
        return self.model.table_encoding

    @cached_property
    def _parts(self) -> tuple[HoldOut, HoldOut]:
        """The rows that were held out from it, and all rows that it was not learned from."""
        judged = self.model.held_out or {}
        part, aside = (float(judged.get(name) or 0.0) for name in ("part", "set_aside"))
        seed = int(judged.get("seed") or 0)
        return HoldOut(part, seed), HoldOut(part + aside, seed)

    def held_out(self, first: int, last: int) -> Array:
        """Which of these rows were held out from it, if the table is the one that it was learned from."""
        return self._parts[0](first, last)

    def apply(self, block: Any, first: int, known: Array, labels: Array, before: int) -> tuple[Array, Array, Array]:
        """Its codes and scores for a block, and which rows it was learned from, if this is the table it knows."""
        X = self.model.seen(self.encoding, block, first)
        codes, scores = codes_and_scores(self.model, X)
        learned: Array = np.zeros(codes.size, np.bool_)
        learned[known] = ~self._parts[1](before, before + int(known.sum()))
        wanted = 0 if self.model.data is None else self.model.data["rows"]
        if learned.any() and self.fingerprint.rows <= wanted:  # with more rows, it is another table
            part = X[np.flatnonzero(learned)]
            rows = Dense(part.table.T, 0.0, 0.0, 0, False) if isinstance(part, Columns) else rows_of(part)
            self.fingerprint.add(rows, np.argsort(self.order[:-1])[labels[learned]])
        return self.order[codes], scores, learned

    @property
    def was_learned_from(self) -> bool:
        """Whether the rows so far, without those held out, are the ones that it was learned from."""
        return self.model.data is not None and self.fingerprint.result() == self.model.data


@dataclass(frozen=True, eq=False)
class JudgedBlock:
    """A block of a table, with the labels and scores of both models."""

    table: Any
    first: int  # the number of rows before it
    labels: Array
    codes: tuple[Array, Array]
    scores: tuple[Array, Array]
    learned: tuple[Array, Array]
    known: Array  # which rows have a label
    judged: Array  # which of those count


def contenders(files: tuple[str, str], models: tuple[Model, Model]) -> tuple[Contender, Contender]:
    """The two models, if they have the same target and classes."""
    one, two = (model.table_encoding.target for model in models)
    if one.name != two.name:
        raise ModelError(
            f"{files[0]} predicts {one.name!r}, but {files[1]} predicts {two.name!r}: compare rules for the same target"
        )
    places = one.codes(pl.Series(list(two.classes), dtype=pl.String))
    if sorted(places.tolist()) != list(range(len(one.classes))):
        ours, theirs = (", ".join(target.classes) for target in (one, two))
        raise ModelError(f"{files[0]} has the classes {ours}, but {files[1]} has {theirs}")
    orders = (np.arange(len(one.classes)), places.astype(np.int64))
    first, second = (
        Contender(file, model, np.append(order, len(order)))
        for file, model, order in zip(files, models, orders, strict=True)
    )
    return first, second


def prices_for(
    pair: tuple[Contender, Contender], table: Table, given: Mapping[str, float], weights: str | None
) -> tuple[Prices, tuple[str, ...]]:
    """What mistakes cost: as given, or as in learning if both rules agree, with a note if they do not."""
    classes = pair[0].encoding.target.classes
    for label in given:
        if label not in classes:
            hint = nearest(label, classes) or f"; the classes are {', '.join(classes)}"
            raise OptionError(f"--cost names the class {label!r}, which the rules do not have{hint}")
    costs, notes = dict(given), list[str]()
    if not given:
        learned = [_learned_costs(each) for each in pair]
        if None not in learned and learned[0] == learned[1]:
            costs = learned[0] or {}
        else:
            notes.append(
                "the rules were learned with different costs, so every mistake counts the same; set costs with --cost"
            )
    costs = dict.fromkeys(classes, 1.0) | costs
    columns = {(each.model.held_out or {}).get("weights") for each in pair}
    if weights is None and len(columns) == 1 and (own := columns.pop()) in table.columns:
        weights = own
    elif weights is not None and weights not in table.columns:
        raise OptionError(f"there is no column {weights!r} for the weights{nearest(weights, table.columns)}")
    return Prices(costs if len({*costs.values()}) > 1 or given else None, weights), tuple(notes)


def _learned_costs(contender: Contender) -> dict[str, float] | None:
    """What mistakes cost when a rule was learned, by class; None if that depended on the rows."""
    factors, classes = contender.model.rule.class_weight, contender.encoding.target.classes
    if factors is None or isinstance(factors, Mapping):
        return {label: float((factors or {}).get(code, 1.0)) for code, label in enumerate(classes)}
    return None


def side_by_side(
    pair: tuple[Contender, Contender], table: Table, *, held_out: bool = False, prices: Prices | None = None
) -> SideBySide:
    """Both models on the rows of a table that have a label, or only on those held out from both."""
    tally, prices = _Tally(pair, table, prices or Prices()), prices or Prices()
    for block in judged_blocks(pair, table, held_out):
        tally.add(block)
    _check_rows(pair, table, tally, held_out)
    names = (*pair[0].encoding.target.classes, ASK_A_PERSON)
    return SideBySide(
        tally.rows,
        tally.unlabelled,
        held_out,
        tally.sides(),
        tally.running.comparison() if tally.running.rows else None,
        prices.in_words(),
        tuple(Kind(names[y], names[a], names[b], many) for (y, a, b), many in tally.kinds.most_common(MOST_KINDS)),
        tuple(tally.shown),
    )


class _Tally:
    """The counts of both models, block by block."""

    def __init__(self, pair: tuple[Contender, Contender], table: Table, prices: Prices) -> None:
        self.pair, self.table, self.weights = pair, table, prices.weights
        classes = pair[0].encoding.target.classes
        self.cost = np.array([(prices.of_class or {}).get(label, 1.0) for label in classes])
        self.running, self.kinds, self.shown = Running(), Counter[tuple[int, ...]](), list[Differing]()
        self.rows = self.unlabelled = 0
        self.sums = np.zeros((2, 3), np.int64)  # of each: decided, mistakes, learned from

    def add(self, block: JudgedBlock) -> None:
        """Count a block."""
        y, judged = block.labels, block.judged
        self.rows, self.unlabelled = self.rows + int(judged.sum()), self.unlabelled + int((~block.known).sum())
        decided = [judged & (each < self.cost.size) for each in block.codes]
        for sums, own, codes, learned in zip(self.sums, decided, block.codes, block.learned, strict=True):
            sums += [own.sum(), (own & (codes != y)).sum(), (judged & learned).sum()]
        both = decided[0] & decided[1]
        one, two = (codes[both] for codes in block.codes)
        self.running.add(one, two, y[both], self._prices(block)[both])
        differ = np.flatnonzero(judged & (block.codes[0] != block.codes[1]))
        self.kinds.update(zip(*(part[differ].tolist() for part in (y, *block.codes)), strict=True))
        if len(self.shown) < MOST_ROWS and differ.size:
            self.shown += [self._row(block, row) for row in differ[: MOST_ROWS - len(self.shown)].tolist()]

    def _prices(self, block: JudgedBlock) -> Array:
        """What a mistake on each row costs; rows without a label cost nothing."""
        price = np.where(block.known, self.cost[np.minimum(block.labels, self.cost.size - 1)], 0.0)
        if self.weights is None:
            return price
        numbers = np.arange(block.first + 1, block.first + price.size + 1)
        weights = row_weights(Table(self.table.source, block.table, rows=numbers), self.weights)
        return price if weights is None else price * weights

    def _row(self, block: JudgedBlock, row: int) -> Differing:
        names = (*self.pair[0].encoding.target.classes, ASK_A_PERSON)
        labels = names[block.codes[0][row]], names[block.codes[1][row]]
        one, two = (float(scores[row]) for scores in block.scores)
        scores = one if isfinite(one) else None, two if isfinite(two) else None
        cells: dict[str, str] = {}
        if isinstance(block.table, pl.DataFrame):
            used = dict.fromkeys(column.name for each in self.pair for column in each.encoding.used)
            found = block.table[[row]].select(as_text(pl.col(name)) for name in list(used)[:MOST_CELLS])
            cells = {name: "" if value is None else value for name, value in found.row(0, named=True).items()}
        return Differing(block.first + row + 1, names[block.labels[row]], labels, scores, cells)

    def sides(self) -> tuple[Side, Side]:
        """The two rules on the rows counted."""
        learned = [
            int(sums[2]) if each.was_learned_from else 0 for each, sums in zip(self.pair, self.sums, strict=True)
        ]
        one, two = (
            Side(letter, each.file, each.model.rule.name, self.rows, int(sums[0]), int(sums[1]), own)
            for letter, each, sums, own in zip(LETTERS, self.pair, self.sums, learned, strict=True)
        )
        return one, two


def _check_rows(pair: tuple[Contender, Contender], table: Table, tally: _Tally, held_out: bool) -> None:
    """Refuse a table without rows to judge by, and one whose held-out rows are unknown."""
    for each in pair if held_out else ():
        if not each.was_learned_from:
            raise TableError(
                f"{table.source}: not the table that {each.file} was learned from, so its held-out rows are unknown; "
                "leave out --held-out if neither rule was learned from any of these rows"
            )
    if tally.rows:
        return
    if held_out:
        raise TableError(f"{table.source}: no row was held out from both rules; learn both with --hold-out")
    raise TableError(f"{table.source}: no row has a value of {pair[0].encoding.target.name!r} to judge by")


def judged_blocks(pair: tuple[Contender, Contender], table: Table, held_out: bool) -> Iterator[JudgedBlock]:
    """The blocks of a table, each with the labels and scores of both models."""
    target, first, before = pair[0].encoding.target, 0, 0
    if table.sparse is None and target.name not in table.columns:
        raise TableError(f"{table.source}: there is no target column {target.name!r} to judge by")
    for each in pair if table.sparse is None else ():
        each.encoding.check(pl.DataFrame(schema=table.columns))
    size = min(each.model.rule.rows_at_once(each.encoding) for each in pair)
    for block in table.blocks(size):
        labels = _labels(pair[0].encoding, table, block, first)
        known = labels < len(target.classes)
        after = before + int(known.sum())
        seen = [each.apply(block, first, known, labels, before) for each in pair]
        judged = known.copy()
        if held_out:
            judged[known] = pair[0].held_out(before, after) & pair[1].held_out(before, after)
        codes, scores, learned = zip(*seen, strict=True)
        yield JudgedBlock(block, first, labels, codes, scores, learned, known, judged)
        first, before = first + n_rows_of(block), after


def _labels(encoding: Encoding, table: Table, block: Any, first: int) -> Array:
    """The code of every row's class, or the number of classes if the row has none. Refuses other values."""
    target = encoding.target
    if table.sparse is not None:
        text = pl.Series(table.sparse[1][first : first + n_rows_of(block)], dtype=pl.String)
    else:
        text = target.texts(block)
    codes, classes = target.codes(text), len(target.classes)
    if (codes == classes).any():
        row = int((codes == classes).argmax())
        known = ", ".join(target.classes)
        where = f"{table.source}: row {first + row + 1}"
        raise TableError(f"{where}: {text[row]!r} is not a class of the target {target.name!r}, which has {known}")
    return np.minimum(codes, classes)


def differences(pair: tuple[Contender, Contender], table: Table, held_out: bool) -> pl.LazyFrame:
    """The rows that the models label differently, with both labels and scores, and with all columns of the table."""
    names = (*pair[0].encoding.target.classes, ASK_A_PERSON)
    own = table.columns
    made = {ROW: pl.Int64(), LABELS[0]: pl.String(), LABELS[1]: pl.String()}
    made |= dict.fromkeys(SCORES, pl.Float64())
    for name in made:
        if name in own:
            raise OptionError(
                f"the table has a column {name!r}, a name that the file of differences needs: rename the column"
            )

    def blocks(columns: Any, predicate: Any, limit: Any, batch: Any) -> Iterator[pl.DataFrame]:
        for block in judged_blocks(pair, table, held_out):
            rows = np.flatnonzero(block.judged & (block.codes[0] != block.codes[1]))
            found: dict[str, Any] = {ROW: rows + block.first + 1}
            found |= {
                name: np.array(names, dtype=object)[codes[rows]]
                for name, codes in zip(LABELS, block.codes, strict=True)
            }
            found |= {name: scores[rows] for name, scores in zip(SCORES, block.scores, strict=True)}
            if isinstance(block.table, pl.DataFrame):
                kept = block.table[rows.tolist()]
                found |= {name: kept[name] for name in own}
            else:
                found |= {name: np.array(names, dtype=object)[block.labels[rows]] for name in own}
            frame = pl.DataFrame(found, schema=made | own)
            frame = frame if columns is None else frame.select(columns)
            yield frame if predicate is None else frame.filter(predicate)

    return register_io_source(blocks, schema=made | own, is_pure=True)


def as_record(found: SideBySide) -> dict[str, Any]:
    """The comparison as plain lists, numbers and texts."""
    compared = found.comparison
    return {
        "verdict": found.verdict,
        "rows": found.rows,
        "unlabelled": found.unlabelled,
        "held_out": found.held_out,
        "sides": [_side_record(side) for side in found.sides],
        "cautions": list(found.cautions),
        "compared": None if compared is None else compared.rows,
        "differ": None if compared is None else compared.differ,
        "counts": {name.replace(" ", "_").lower(): many for name, many in found.counts},
        "p_value": None if compared is None else compared.p_value,
        "costs": None if compared is None else _cost_record(found),
        "kinds": [asdict(kind) for kind in found.kinds],
        "first_rows": [asdict(row) for row in found.first_rows],
    }


def _side_record(side: Side) -> dict[str, Any]:
    low, high = side.interval
    rate = side.mistakes / side.decided if side.decided else None
    return {**asdict(side), "rate": rate, "lower": low, "upper": high, "statement": side.statement}


def _cost_record(found: SideBySide) -> dict[str, Any]:
    assert found.comparison is not None
    costs = found.comparison.costs
    return {**asdict(costs), "difference": costs.difference, "prices": found.priced, "statement": found.costs}
