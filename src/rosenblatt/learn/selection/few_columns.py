"""Choose a rule of few columns by cross-validation: how many columns, which ones, and which candidates.

Problem   a rule that uses only a limited number of columns of a table, and errs little on rows not seen.
Input     as for `comparison`; the features of every column, and how many columns may be used.
Result    `FewColumns`: the features to use, the columns in order of entry with the error of every number of them, and
          the comparison of the candidates on that many columns.
Method    In every split, columns enter (`entering`) by the rows to learn from alone, so the errors of rules of one
          column, of two, ... on its other rows are honest, though each split may choose other columns. The number
          of columns is the one of least error (the smallest number within noise of it did worse on real tables);
          the columns themselves are chosen from all rows. All candidates are then compared with that number of
          columns, which every split chooses for itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.learn.selection.column_path import ColumnPath
from rosenblatt.learn.selection.comparison import (
    NO_LEARNERS,
    UNJUDGED,
    WORK,
    Comparison,
    LabelledTable,
    Learner,
    Split,
    classes_by,
    compare,
    judged,
    measured,
)
from rosenblatt.learn.selection.entering import Entered, Entering
from rosenblatt.learn.selection.path import MODERATE, Candidate
from rosenblatt.learn.selection.saturating import never
from rosenblatt.learn.selection.standard import Standard
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.threads import in_pieces

MOST = 40  # columns of a rule: choosing more would take long, and nobody would read such a rule


@dataclass(frozen=True, eq=False)
class FewColumns:
    """The features chosen, and how."""

    features: Array  # to use, in order
    path: ColumnPath
    comparison: Comparison  # of rules of these features only


def compare_few(
    data: LabelledTable,
    splits: Sequence[Split],
    tried: tuple[Candidate, ...],
    columns: Mapping[str, Array],
    most: int,
    learners: Mapping[str, Learner] = NO_LEARNERS,
    stop: Callable[[], bool] = never,
) -> FewColumns:
    """Choose at most `most` of the columns, each a name and its features, and compare rules of them."""
    search = _Search(data, list(columns.values()), min(most, MOST), stop)
    order = search.entered(np.arange(data.codes.size))[-1].columns
    names = list(columns)
    path = ColumnPath(tuple(names[c] for c in order), len(columns))
    found = search.in_splits(splits)
    if found:
        path = _with_errors(path, data, found)
    if path.error.size and len(columns) > len(path.error) and not stop():
        wrong = judged(data, splits, (MODERATE,), stop=stop)
        if all((each != UNJUDGED).all() for each in wrong):
            path = replace(path, all_error=float(measured(data, splits, (MODERATE,), wrong).choice.error[0]))
    chosen = search.features(order[: path.many])
    features = [search.features(each.columns[: path.many]) for each in found]
    features += [chosen] * (len(splits) - len(found))  # time is up: nothing will be compared
    comparison = compare(data, splits, tried, learners, stop, features)
    choice = replace(comparison.choice, columns=path)
    return FewColumns(chosen, path, replace(comparison, data=data.only(chosen), choice=choice))


def _with_errors(path: ColumnPath, data: LabelledTable, found: "Sequence[InSplit]") -> ColumnPath:
    """The path with the error of rules of one column, of two, ...; if time was up, from the farthest splits."""
    reached = max(len(each.wrong) for each in found)
    far = [each for each in found if len(each.wrong) == reached]
    most = min(reached, len(path.names))
    splits, sizes = [each.split for each in far], tuple(MODERATE for _ in range(most))
    errors = measured(data, splits, sizes, [each.wrong[:most] for each in far]).choice
    return replace(path, names=path.names[:most], error=errors.error, noise=errors.noise)


@dataclass(frozen=True, eq=False)
class InSplit:
    """The columns that entered in a split, in order, and the rows that rules of one, of two, ... of them get wrong."""

    split: Split
    columns: tuple[int, ...]
    wrong: Array


class _Search:
    """The search for columns, on all rows or in a split."""

    def __init__(self, data: LabelledTable, columns: Sequence[Array], most: int, stop: Callable[[], bool]) -> None:
        self.data, self.columns, self.most, self.stop = data, columns, most, stop
        table = Standard.of(data.rows).table(data.rows)
        self.table = table if isinstance(table, np.ndarray) else scipy.sparse.csc_array(table)

    def features(self, columns: Sequence[int]) -> Array:
        """The features of some columns."""
        return np.sort(np.concatenate([self.columns[c] for c in columns]))

    def entered(self, learned: Array) -> list[Entered]:
        """One column, two, ..., by these rows."""
        share = np.zeros(self.data.codes.size)
        np.add.at(share, learned, self.data.costs[learned] / self.data.costs[learned].sum())
        return list(Entering(self.data, self.table, self.columns, share).run(self.most, self.stop))

    def in_splits(self, splits: Sequence[Split]) -> list[InSplit]:
        """The columns that enter in every split, or in the splits that there is time for."""

        def some(first: int, last: int) -> list[InSplit]:
            return [self._in_split(split) for split in splits[first:last] if not self.stop()]

        numbers = WORK * self.most * self.data.codes.size * self.table.shape[1]
        return list(chain.from_iterable(in_pieces(some, 0, len(splits), numbers))) if splits else []

    def _in_split(self, split: Split) -> InSplit:
        learned, judged = split
        found = self.entered(learned)
        wrong = [classes_by(each.scores[:, judged]) != self.data.codes[judged] for each in found]
        return InSplit(split, found[-1].columns, np.array(wrong, np.int8))
