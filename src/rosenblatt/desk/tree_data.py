"""Trees at the desk: they see the columns of a table as `read.encode.tree_view` gives them, not as features."""

from typing import Any

import numpy as np

from rosenblatt.errors import TableError
from rosenblatt.estimators.columns import from_table, heads_of
from rosenblatt.estimators.linear import ONE_VS_ONE, ONE_VS_REST
from rosenblatt.estimators.tree import PerceptronTree
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.tree.tree import Columns, Stop
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.tree_view import grid, width
from rosenblatt.read.table import Table
from rosenblatt.rows.kernels import Array

MOST_NUMBERS = 2**27  # of a table to learn from: a gigabyte


def grid_of(table: Table, encoding: Encoding) -> Columns:
    """All rows of a table, block by block where it is large."""
    many, height = width(encoding), table.height
    if many * height > MOST_NUMBERS:
        raise TableError(
            f"{table.source}: {height:,} rows of {many:,} columns are too many for a tree, which sorts them all; "
            "leave columns out (--kind COLUMN=ignore), or rows"
        )
    if not table.is_large:
        return from_table(encoding, table.whole())
    parts = [np.empty((many, 0))]
    for block in table.blocks():
        parts.append(grid(encoding, block, first_row=sum(part.shape[1] for part in parts)))
    return Columns(heads_of(encoding), np.concatenate(parts, axis=1))


def scores(rule: Any, X: Any) -> Array:
    """The score of every row, for more than two classes one of each; of a tree, shares of the classes where it ends."""
    if not isinstance(rule, PerceptronTree):
        return np.asarray(rule.decision_function(X))
    shares = rule.predict_proba(X)
    return np.asarray(shares[:, 1] if shares.shape[1] == 2 else shares)


def right_on_every_row(weights: Array | None) -> str:
    """The best reason to stop, of rows with these weights."""
    some = weights is not None and not weights.all()
    return "The rule is right on every row whose weight is above 0." if some else str(Reason.SEPARATED)


def stop_reason(rule: Any, weights: Array | None = None) -> str:
    """Why learning from rows with these weights ended, in a sentence; of several classes, why the rule of one did."""
    if isinstance(rule, PerceptronTree):
        return _why_not_larger(rule)
    if rule.stop_reason_ is Reason.SEPARATED:
        return right_on_every_row(weights)
    whose = {ONE_VS_REST: "One class against the rest: ", ONE_VS_ONE: "One class against another: "}
    return f"{whose.get(rule._scheme, '')}{rule.stop_reason_}"


def _why_not_larger(tree: PerceptronTree) -> str:
    if Stop.INTERRUPTED in tree.stop_reasons_.values():
        return "It was interrupted while it grew, and not pruned: expect more mistakes on new rows than on these."
    if isinstance(tree.prune, str) and not hasattr(tree, "cv_tree_"):
        return "It was interrupted before it was pruned: expect more mistakes on new rows than on these."
    grown = "No further split improved the tree, within the limits given"
    if tree.prune is None:
        return f"{grown}; nothing was pruned."
    how = f"by {tree.prune}" if isinstance(tree.prune, str) else "as told"
    return f"{grown}; then leaves that cost more than they gain were pruned, {how}."
