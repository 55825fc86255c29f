"""What was learned becomes a model: the rule, what its columns mean, what is proved, and what it was judged by."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from rosenblatt.desk.check import Finding
from rosenblatt.desk.data import Data
from rosenblatt.desk.limits import FIT_WORK, clock_of
from rosenblatt.desk.model_contents import points_of
from rosenblatt.desk.train import TREE, Learned, Wishes
from rosenblatt.errors import OptionError
from rosenblatt.estimators.tree import PerceptronTree
from rosenblatt.prove.check.certificate import Certificate, Contradiction
from rosenblatt.prove.check.joint_certificate import JointContradiction
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.optimality import interval
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.rows.door import is_sparse
from rosenblatt.rows.examples import costs_of_rows
from rosenblatt.ship.export.python import python_of
from rosenblatt.ship.export.sql import sql_of
from rosenblatt.ship.file.modelfile import Model
from rosenblatt.ship.file.prooffile import Proof

ENTRIES = 2**17  # of a sparse matrix, that stay in the cache
QUICK = 2_000_000  # numbers of a table whose fewest mistakes are asked for without being told to


def model_of(learned: Learned, wishes: Wishes, *, prove: bool = True, clock: Clock | None = None) -> Model:
    """The model, with a proof of how good its rule is where one can be had; `clock` is for that proof."""
    data = learned.trained
    judged: dict[str, Any] = {
        "part": 0.0 if wishes.folds else wishes.hold_out,
        "folds": wishes.folds,
        "seed": wishes.seed,
        "weights": data.weight_column,
        "trained_rows": data.n,
        "trained_mistakes": learned.mistakes,
        "trained_cost": learned.cost,
        "exact": learned.exact,
        "error": None if learned.error is None else asdict(learned.error),
        "baseline": None if learned.baseline is None else learned.baseline.record,
    }
    if learned.algorithm != TREE:
        judged["means"] = means_of(data)
    clock = clock or clock_of(wishes.seconds, FIT_WORK, wishes.verbose)
    certificates = _proved(learned, clock) if prove else ()
    return Model(learned.estimator, data.encoding, certificates, data.fingerprint, judged)


def _proved(learned: Learned, clock: Clock) -> tuple[Certificate, ...]:
    """That the rows are separable or not, and what the rule's mistakes cost against the least possible."""
    found = getattr(learned.verdict, "certificate", None)
    certificates = () if found is None else (found,)
    data = learned.trained
    if data.n * data.encoding.size * (len(data.classes) - 1) > QUICK:
        return certificates
    if len(data.classes) > 2:
        return (*certificates, *_proved_jointly(learned, clock))
    try:
        w, bias, ties = learned.estimator.one_linear_rule()
    except (AttributeError, OptionError):  # a vote, or a rule in another space
        return certificates
    examples = data.examples(fit_intercept=bias != 0.0, bias_scale=bias or 1.0)
    costs = costs_of_rows(getattr(learned.estimator, "class_weight", None), np.arange(2), data.y, data.weights)
    known = found if isinstance(found, Contradiction) else None
    examples, rng = replace(examples, weights=costs), np.random.default_rng(0)
    return (*certificates, interval(examples, w, ties, rng, clock, known))


def _proved_jointly(learned: Learned, clock: Clock) -> tuple[Certificate, ...]:
    """How few mistakes linear scores of several classes can make, against those of the rule."""
    data = learned.trained
    try:
        weights, bias = learned.estimator.joint_rule()
    except (AttributeError, OptionError):
        return ()
    if data.weights is not None or getattr(learned.estimator, "class_weight", None) is not None:
        return ()  # what mistakes cost is proved of two classes only
    from rosenblatt.prove.solve.joint_optimality import interval as joint_interval  # which two classes do not need

    examples = data.joint_examples(fit_intercept=bias != 0.0, bias_scale=bias or 1.0)
    found = getattr(learned.verdict, "certificate", None)
    known = found if isinstance(found, JointContradiction) else None
    return (joint_interval(examples, weights, np.random.default_rng(0), clock, known),)


def proof_of(data: Data, found: Finding) -> Proof:
    """All that was proved about a table."""
    claims = [(found.label, certificate) for certificate in found.certificates]
    return Proof(data.encoding, tuple(claims), data.fingerprint)


def means_of(data: Data) -> list[float]:
    """The mean of every feature: what an average row looks like, which points and reasons are measured from."""
    if not is_sparse(data.X):
        return [float(mean) for mean in data.X.mean(axis=0, dtype=np.float64)]
    sums, entries = np.zeros(data.X.shape[1]), range(0, data.X.nnz, ENTRIES)
    for block in (slice(start, start + ENTRIES) for start in entries):
        sums += np.bincount(data.X.indices[block], data.X.data[block], sums.size)
    return [float(total) / data.n for total in sums]


def exported(model: Model, to: str, table: str | None) -> tuple[bytes, bool]:
    """The rule in another system's language, and whether that is sure to give the same labels."""
    if to == "json":
        return model.text().encode(), True
    if isinstance(model.estimator, PerceptronTree) and model.encoding is not None:
        return _exported_tree(model.encoding, model.estimator, to, table).encode(), True
    points = points_of(model)
    if to == "sql":
        return (sql_of(points, table=table) + "\n").encode(), points.exact
    if to == "python":
        return python_of(points).encode(), points.exact
    if to == "pmml":
        from rosenblatt.ship.export.pmml import pmml_of

        return pmml_of(points).encode(), points.exact
    from rosenblatt.ship.export.onnx import onnx_of

    return onnx_of(points).SerializeToString(), points.exact


def _exported_tree(encoding: Encoding, rule: PerceptronTree, to: str, table: str | None) -> str:
    """The same of a tree."""
    tree = replace(rule.tree_, classes=encoding.target.classes)
    if to == "sql":
        from rosenblatt.ship.export.tree_sql import sql_of_tree

        return sql_of_tree(encoding, tree, table=table) + "\n"
    if to == "python":
        from rosenblatt.ship.export.tree_python import python_of_tree

        return python_of_tree(encoding, tree)
    raise OptionError(f"a tree is exported to sql, python or json, not to {to}")
