"""Turns what was learned into a model: the rule, its encoding, its proofs, and how it was judged."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from rosenblatt.desk.check import Finding
from rosenblatt.desk.data import Data
from rosenblatt.desk.learning.train import Learned, TrainingOptions
from rosenblatt.desk.limits import FIT_WORK, clock_of
from rosenblatt.desk.profile import profile_of
from rosenblatt.errors import OptionError
from rosenblatt.prove.check.certificate import Certificate, Contradiction
from rosenblatt.prove.check.joint_certificate import JointContradiction
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.optimality import interval
from rosenblatt.prove.solve.separability import Separable
from rosenblatt.rows.door import is_sparse
from rosenblatt.rows.examples import costs_of_rows
from rosenblatt.ship.file.decision_schemas import GUARANTEE
from rosenblatt.ship.file.modelfile import Model
from rosenblatt.ship.file.prooffile import ProofFile

ENTRIES = 2**17  # of a sparse matrix; they fit the cache
QUICK = 2_000_000  # numbers in a table; larger tables get no proof of the fewest mistakes


def model_of(learned: Learned, training: TrainingOptions, *, prove: bool = True, clock: Clock | None = None) -> Model:
    """The model, with a proof of the rule's quality where one can be found; `clock` limits that proof."""
    data = learned.trained
    judged: dict[str, Any] = {
        "part": training.part,
        "folds": training.folds,
        "seed": training.seed,
        "weights": data.weight_column,
        "trained_rows": data.n,
        "trained_mistakes": learned.mistakes,
        "trained_cost": learned.cost,
        "exact": learned.exact,
        "error": None if learned.error is None else asdict(learned.error),
        "baseline": None if learned.baseline is None else learned.baseline.record,
    }
    judged |= _of_decision(learned, training)
    if learned.rule.tree is None:
        judged["means"] = means_of(data)
    clock = clock or clock_of(training.seconds, FIT_WORK, training.verbose)
    certificates = _proved(learned, clock) if prove else ()
    made = None if learned.decided is None else learned.decided.decision
    model = Model(learned.rule, data.encoding, certificates, data.fingerprint, judged, decision=made)
    return replace(model, profile=profile_of(model, data, learned.tested))


def _of_decision(learned: Learned, training: TrainingOptions) -> dict[str, Any]:
    """What was measured on rows not learned from, and how the decision was found."""
    judged, decided, decision_options = learned.judged, learned.decided, training.decision_options
    record: dict[str, Any] = {} if judged is None else {"measures": judged.measures.kept}
    if decided is None:
        return record
    if decided.guarantee is not None:
        record |= {"set_aside": decision_options.part, "guarantee": GUARANTEE.write(decided.guarantee)}
    if decided.decision.asks and judged is not None:
        record["asked"] = judged.left_to_people
    if decided.method is not None:
        record["probability"] = decided.method
    if (cut := decided.cut_off) is not None:
        costs = (
            [float(decision_options.costs.get(label, 1.0)) for label in learned.trained.classes]
            if decision_options.costs
            else None
        )
        record["cut_off"] = {"costs": costs, "rate": decision_options.rate, "rows": cut.rows, "said_yes": cut.said_yes}
    return record


def _proved(learned: Learned, clock: Clock) -> tuple[Certificate, ...]:
    """Certificates: whether the rows are separable, and how close the rule's mistakes are to the fewest possible."""
    found = getattr(learned.verdict, "certificate", None)
    certificates = () if found is None else (found,)
    data = learned.trained
    if data.n * data.encoding.size * (len(data.classes) - 1) > QUICK:
        return certificates
    if isinstance(learned.verdict, Separable) and learned.mistakes:
        return certificates  # no mistakes are the fewest possible, and that is proved
    if len(data.classes) > 2:
        return (*certificates, *_proved_jointly(learned, clock))
    try:
        w, bias, ties = learned.rule.one_linear_rule()
    except OptionError:  # a vote, or a rule in another space
        return certificates
    examples = data.examples(fit_intercept=bias != 0.0, bias_scale=bias or 1.0)
    costs = costs_of_rows(learned.rule.class_weight, np.arange(2), data.y, data.weights)
    known = found if isinstance(found, Contradiction) else None
    examples, rng = replace(examples, weights=costs), np.random.default_rng(0)
    return (*certificates, interval(examples, w, ties, rng, clock, known, learned.rule.cone))


def _proved_jointly(learned: Learned, clock: Clock) -> tuple[Certificate, ...]:
    """Bounds on the fewest mistakes of linear scores for several classes, and the rule's own mistakes."""
    data = learned.trained
    try:
        weights, bias = learned.rule.joint_rule()
    except OptionError:
        return ()
    if data.weights is not None or learned.rule.class_weight is not None:
        return ()  # costs are proved for two classes only
    from rosenblatt.prove.solve.joint_optimality import interval as joint_interval  # which two classes do not need

    examples = data.joint_examples(fit_intercept=bias != 0.0, bias_scale=bias or 1.0)
    found = getattr(learned.verdict, "certificate", None)
    known = found if isinstance(found, JointContradiction) else None
    return (joint_interval(examples, weights, np.random.default_rng(0), clock, known),)


def proof_of(data: Data, found: Finding) -> ProofFile:
    """The proof file for a table."""
    claims = [(found.label, certificate) for certificate in found.certificates]
    return ProofFile(data.encoding, tuple(claims), data.fingerprint)


def means_of(data: Data) -> list[float]:
    """The mean of every feature; points and reasons are measured from this average row."""
    if not is_sparse(data.X):
        return [float(mean) for mean in data.X.mean(axis=0, dtype=np.float64)]
    sums, entries = np.zeros(data.X.shape[1]), range(0, data.X.nnz, ENTRIES)
    for block in (slice(start, start + ENTRIES) for start in entries):
        sums += np.bincount(data.X.indices[block], data.X.data[block], sums.size)
    return [float(total) / data.n for total in sums]
