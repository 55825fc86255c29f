"""The fields that each estimator stores in a model file, in tables; nothing else is stored.

A file names fields of these tables, never attributes, classes or modules. Ledgers are not stored: a loaded rule has an
empty one that starts at its weights, so `partial_fit` continues as if nothing had happened.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.learn.dual.dual import DualState
from rosenblatt.learn.dual.dual_kernels import Memory
from rosenblatt.learn.dual.gram import OF_PAIRS, OF_PRODUCTS, PRECOMPUTED, KernelFunction, KernelRows
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes.aggressive import Variant
from rosenblatt.learn.passes.averaged import Tally
from rosenblatt.learn.passes.electorate import Chunk, Electorate
from rosenblatt.learn.selection.choice import Choice
from rosenblatt.learn.selection.column_path import ColumnPath
from rosenblatt.learn.selection.path import EVERY_FAMILY, Candidate
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import n_rows
from rosenblatt.rules.linear.voted import VOTES
from rosenblatt.rules.rule import KeptArrays
from rosenblatt.rules.schemes import one_or_all
from rosenblatt.ship.file.codecs import (
    BIAS,
    CERTIFICATE,
    COUNT,
    FLAG,
    NUMBER,
    PLACE,
    REAL,
    REALS,
    REASON,
    ROWS,
    SIZE,
    TEXT,
    VECTOR,
    VECTORS,
    WHOLES,
    Codec,
    Shape,
    choice,
    each_rule,
    fields,
    group,
    listed,
    or_null,
    per_rule,
    scalar,
)
from rosenblatt.ship.file.tree_schemas import PRICE, TREE, VALIDATION

ABSENT = object()  # in place of an attribute that `fit` sets, after `partial_fit` alone


@dataclass(frozen=True)
class Field:
    """A stored field: its codec, and how an estimator's value is read and set."""

    kind: Codec
    get: Callable[[Any], Any]
    put: Callable[[Any, Any], None]


def kept(attribute: str, kind: Codec) -> Field:
    """The field for an attribute."""

    def put(estimator: Any, value: Any) -> None:
        if value is not ABSENT:
            setattr(estimator, attribute, value)

    return Field(kind, attrgetter(attribute), put)


# -- what all linear rules keep --------------------------------------------------------------------------------

SETTLED = {
    "bias": kept("_bias", BIAS),
    "unit_rows": kept("_unit_rows", FLAG),
    "zero_is_yes": kept("_zero_is_yes", FLAG),
}
COUNTERS = {
    "stop_reason": kept("stop_reason_", REASON),
    "n_updates": Field(COUNT, attrgetter("n_updates_"), lambda rule, many: setattr(rule, "_updates_before", many)),
    "n_passes": kept("n_passes_", COUNT),
    "n_examples_seen": kept("n_examples_seen_", COUNT),
}
WEIGHTS = {"weights": kept("weights_", VECTORS)}


def _begin(rule: Any, shape: Shape, given: Mapping[str, Any]) -> None:
    """Add an empty ledger that starts at the weights, and the attributes derived from them."""
    rule.ledger_ = one_or_all([rule._ledger(w) for w in ([rule.weights_] if shape.joint else rule.weights_)])
    rule._expose()


# -- Perceptron, PocketPerceptron, LiftedPerceptron ------------------------------------------------------------

_PROOFS = per_rule(or_null(CERTIFICATE))
PROOFS = Codec(
    lambda value: None if value is ABSENT else _PROOFS.write(value),
    lambda value, where, shape: ABSENT if value is None else _PROOFS.read(value, where, shape),
)
PERCEPTRON = {
    "certificate": Field(PROOFS, lambda rule: getattr(rule, "certificate_", ABSENT), kept("certificate_", PROOFS).put)
}
POCKET = {
    "mistakes": kept("mistakes_", per_rule(COUNT)),
    "cost": kept("cost_", per_rule(SIZE)),
    "kept_at": kept("kept_at_", per_rule(PLACE)),
}
LIFTED = {
    "a": kept("a_", per_rule(SIZE)),
    "lift": kept("lift_", per_rule(SIZE)),
    "training_mistakes": kept("training_mistakes_", per_rule(COUNT)),
    "lifted_mistakes": kept("lifted_mistakes_", per_rule(COUNT)),
    "lifted_margin": kept("lifted_margin_", per_rule(REAL)),
    "update_bound": kept("update_bound_", per_rule(scalar(int, low=0))),
    "own_weights": kept("own_weights_", per_rule(REALS)),
}


# -- rules learned in passes -----------------------------------------------------------------------------------


TALLIES = {
    "tallies": kept(
        "_tallies", each_rule(group(lambda shape, **parts: Tally(**parts), last=VECTOR, sums=REALS, looks=COUNT))
    )
}


def _go_on(rule: Any, shape: Shape, given: Mapping[str, Any]) -> None:
    """Add an empty ledger that starts at the current weights, which may differ from the rule's."""
    for tally in rule._tallies:
        if tally.sums.size != (shape.size if rule._is_averaged() else 0):
            raise ModelError("the sums of the tallies do not fit a rule of this kind")
        with np.errstate(over="ignore", invalid="ignore"):  # the mean of every real run is finite
            if tally.sums.size and not np.isfinite(tally.average).all():
                raise ModelError("the tallies are so large that their mean overflows")
    lasts = [tally.last for tally in rule._tallies]
    if shape.joint and len({tally.looks for tally in rule._tallies}) > 1:
        raise ModelError("the tallies of classes that were learned jointly have different numbers of looks")
    rule.ledger_ = one_or_all([rule._ledger(last) for last in ([np.stack(lasts)] if shape.joint else lasts)])
    rule._expose()


CHUNK = group(lambda shape, **parts: Chunk(**parts), rows=ROWS, entries=WHOLES, moves=REALS, when=WHOLES)


def _electorate_written(voters: Electorate) -> dict[str, Any]:
    chunks = [CHUNK.write(chunk) for chunk in voters._chunks]
    return {"start": VECTOR.write(voters.start), "looks": COUNT.write(voters.looks), "chunks": chunks}


def _electorate_read(value: Any, where: str, shape: Shape) -> Electorate:
    given = fields(value, where, {"start": VECTOR, "looks": COUNT, "chunks": listed(CHUNK)}, shape)
    voters, before = Electorate(given["start"]), 0
    voters.looks, voters._chunks = given["looks"], given["chunks"]
    for k, chunk in enumerate(voters._chunks):
        many = {part.size for part in chunk[1:]}
        if len(many) > 1 or 0 in many or chunk.entries.max() >= n_rows(chunk.rows):
            raise ModelError(f"{where}.chunks[{k}]: the entries, moves and rows do not fit together")
        if chunk.when[0] < before or (np.diff(chunk.when) < 0).any() or chunk.when[-1] > voters.looks:
            raise ModelError(f"{where}.chunks[{k}]: the looks are not in order")
        before = int(chunk.when[-1])
    return voters


VOTED = {"electorates": kept("_electorates", each_rule(Codec(_electorate_written, _electorate_read)))}
VOTED_SETTLED = {"vote": kept("_vote", choice(*VOTES)), "share": kept("_share", scalar(float, low=0.0, high=1.0))}


def _vote_on(rule: Any, shape: Shape, given: Mapping[str, Any]) -> None:
    if any(voters.looks != tally.looks for voters, tally in zip(rule._electorates, rule._tallies, strict=True)):
        raise ModelError("the electorates and the tallies have different numbers of looks")
    _go_on(rule, shape, given)


MARGIN = {"margin_reached": kept("margin_reached_", FLAG)}
MARGIN_SETTLED = {"beta": kept("_beta", SIZE)}


def _steps(value: Any, where: str, shape: Shape) -> tuple[Variant, float]:
    given = fields(value, where, {"variant": choice(*Variant), "C": SIZE}, shape)
    return Variant(given["variant"]), given["C"]


AGGRESSIVE_SETTLED = {
    "steps": kept("_steps", Codec(lambda steps: {"variant": str(steps[0]), "C": steps[1]}, _steps)),
    "averages": kept("_averages", FLAG),
}


# -- PerceptronCV ----------------------------------------------------------------------------------------------

CANDIDATE = group(lambda shape, **parts: Candidate(**parts), family=choice(*EVERY_FAMILY), ridge=SIZE, sharpness=SIZE)
SHARE = scalar(float, low=0.0, high=1.0)
COLUMN_PATH = {
    "names": listed(TEXT),
    "of": COUNT,
    "error": listed(SHARE),
    "noise": listed(SIZE),
    "all_error": or_null(SHARE),
}
TRIED = group(
    lambda shape, candidate, error, noise, errors: (candidate, error, noise, errors),
    candidate=CANDIDATE,
    error=SHARE,
    noise=SIZE,
    errors=listed(SHARE),
)


def _columns_read(value: Any, where: str, shape: Shape) -> ColumnPath:
    given = fields(value, where, COLUMN_PATH, shape)
    names, error, noise = (given[name] for name in ("names", "error", "noise"))
    if not 0 < len(names) <= given["of"] or len(set(names)) < len(names):
        raise ModelError(f"{where} must name columns, each once, of those to choose from")
    if len(error) != len(noise) or len(error) not in (0, len(names)):
        raise ModelError(f"{where} must have an error and its noise for every number of columns, or none")
    return ColumnPath(tuple(names), given["of"], np.array(error), np.array(noise), given["all_error"])


def _columns_written(path: ColumnPath) -> dict[str, Any]:
    numbers = {"error": path.error.tolist(), "noise": path.noise.tolist()}
    return {"names": list(path.names), "of": path.of, **numbers, "all_error": path.all_error}


def _choice_written(found: Choice) -> Any:
    columns = found.tried, found.error.tolist(), found.noise.tolist(), found.errors.tolist()
    tried = [
        {"candidate": CANDIDATE.write(candidate), "error": error, "noise": noise, "errors": errors}
        for candidate, error, noise, errors in zip(*columns, strict=True)
    ]
    older = found.constant is None and not found.alone
    path = {} if found.columns is None else {"columns": _columns_written(found.columns)}
    if older and not path:
        return tried
    return {"tried": tried, "constant": found.constant, "alone": found.alone, **path}


def _choice_read(value: Any, where: str, shape: Shape) -> Choice:
    if type(value) is dict:
        kinds = {"tried": listed(TRIED), "constant": or_null(SHARE), "alone": FLAG}
        kinds |= {"columns": Codec(_columns_written, _columns_read)} if "columns" in value else {}
        whole = fields(value, where, kinds, shape)
    else:  # an older file
        whole = {"tried": listed(TRIED).read(value, where, shape), "constant": None, "alone": False}
    given = whole.pop("tried")
    if not given or len({len(errors) for _, _, _, errors in given}) > 1:
        raise ModelError(f"{where} must have candidates, with equally many errors each")
    tried, error, noise, errors = zip(*given, strict=True)
    return Choice(tuple(tried), np.array(errors), np.array(error), np.array(noise), **whole)


CHOICE = {"choice": kept("_choice", Codec(_choice_written, _choice_read))}


# -- KernelPerceptron ------------------------------------------------------------------------------------------

KERNEL = group(
    lambda shape, **parts: KernelFunction(**parts, shift=shape.bias * shape.bias),
    function=choice(*OF_PRODUCTS, *OF_PAIRS, PRECOMPUTED),
    gamma=SIZE,
    degree=NUMBER,
    coef0=NUMBER,
)
MEMORY = group(lambda shape, row, step: Memory(row, step, np.zeros(0, np.int64)), row=WHOLES, step=REALS)
DUAL = group(
    lambda shape, **parts: DualState(**parts),
    amounts=REALS,
    delays=REALS,
    memory=MEMORY,
    seed=scalar(int, low=0, high=2**63),
    average=FLAG,
    made=COUNT,
    looks=COUNT,
)
POINTS = Codec(lambda points: ROWS.write(points.rows), lambda *place: KernelRows(ROWS.read(*place)))
DUALS = {
    "kernel": kept("_kernel", KERNEL),
    "rows": Field(COUNT, lambda rule: rule._ledgers()[0].n_rows, lambda rule, many: None),
    "support": kept("support_", WHOLES),
    "support_rows": kept("_support", POINTS),
    "rules": kept("_states", each_rule(DUAL)),
}


def _sum_on(rule: Any, shape: Shape, given: Mapping[str, Any]) -> None:
    """Add what follows from the states; the ledger continues with the numbers of the rows."""
    support, held = rule.support_, rule._kernel.function == PRECOMPUTED
    if (np.diff(support) <= 0).any() or (support >= given["rows"]).any():
        raise ModelError("the numbers of the support rows must increase and stay below the number of rows")
    if rule._support.n != (0 if held else support.size) or (held and given["rows"] != shape.features):
        raise ModelError("each number needs a support row, except for a precomputed kernel, which has none")
    for k, state in enumerate(rule._states):
        _check_state(f"rule {k}", state, support)
    rule.support_vectors_ = None if held else rule._support.matrix
    ledgers = [Ledger(np.empty(0), given["rows"], np.int64) for _ in rule._states]
    start = np.zeros(shape.size)  # one for all, because nothing in the file is that long
    for ledger in ledgers:
        ledger.start = start
    rule.ledger_ = one_or_all(ledgers)
    rule.forgotten_ = one_or_all([np.empty(0, np.int64) for _ in rule._states])
    rule._expose()


def _check_state(where: str, state: DualState, support: Array) -> None:
    """Refuse amounts, delays and a memory that do not fit the support rows."""
    remembered = state.memory.row[: state.made]
    if (
        state.amounts.size != support.size
        or state.delays.size != (support.size if state.average else 0)
        or state.memory.step.size != state.memory.row.size
        or not np.isin(remembered, support).all()
    ):
        raise ModelError(f"the amounts, delays and memory of {where} do not fit the support rows")


# -- PerceptronTree --------------------------------------------------------------------------------------------


def _put_validation(tree: Any, found: dict[str, Any] | None) -> None:
    for name, value in (found or {}).items():
        setattr(tree, name, value)


GROWN = {
    "price": kept("price_", PRICE),
    "cross_validation": Field(VALIDATION, lambda tree: tree, _put_validation),
    "tree": kept("tree_", TREE),
}


def _grow_on(tree: Any, shape: Shape, given: Mapping[str, Any]) -> None:
    """Add what follows from the nodes."""
    tree._take(replace(tree.tree_, classes=tuple(tree.classes_.tolist())))


# -- the tables ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """Fields that are settled before learning, fields that are learned, and a function that adds what follows."""

    settled: Mapping[str, Field] = field(default_factory=dict)
    learned: Mapping[str, Field] = field(default_factory=dict)
    finish: Callable[[Any, Shape, Mapping[str, Any]], None] | None = None


GROUPS = {  # by their names in `Rule.keeps`
    "run": Group(SETTLED, COUNTERS, _begin),
    "weights": Group({}, WEIGHTS),
    "certificates": Group({}, PERCEPTRON),
    "pocket": Group({}, POCKET),
    "lift": Group({}, LIFTED),
    "choice": Group({}, CHOICE),
    "tallies": Group({}, TALLIES, _go_on),
    "votes": Group(VOTED_SETTLED, VOTED, _vote_on),
    "margin": Group(MARGIN_SETTLED, MARGIN),
    "steps": Group(AGGRESSIVE_SETTLED),
    "support rows": Group({}, DUALS, _sum_on),
    "tree": Group({}, GROWN, _grow_on),
}


def _numbers(kept_as: KeptArrays) -> Group:
    """The field for an array for each rule."""
    one = listed(VECTOR, lambda shape: shape.size) if kept_as.square else VECTOR
    numbers = Codec(np.ndarray.tolist, lambda value, where, shape: np.stack(one.read(value, where, shape)))
    return Group({}, {kept_as.field: kept(kept_as.attribute, each_rule(numbers))})


@cache
def kept_by(keeps: tuple[str | KeptArrays, ...]) -> Group:
    """The fields of a rule with these groups; the last group with a `finish` decides it."""
    each = [_numbers(one) if isinstance(one, KeptArrays) else GROUPS[one] for one in keeps]
    finish = [group.finish for group in each if group.finish is not None]
    return Group(
        {key: field for group in each for key, field in group.settled.items()},
        {key: field for group in each for key, field in group.learned.items()},
        finish[-1],
    )
