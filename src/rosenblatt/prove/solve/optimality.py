"""The fewest mistakes possible: an interval, with a proof of both ends.

Problem   the fewest rows that any weights get wrong. Finding it is NP-hard in general; bounding it is not.
Result    `ErrorInterval`: a rule and its mistakes, and contradictions that no smaller number of rows can hit.
Costs     If rows have weights, the least cost of mistakes instead: `CostInterval`. Every contradiction charges its
          rows what is left of the cheapest, so a row may be in several; the charges are added up.
Method    Every rule errs at least once in each contradiction, so disjoint ones are counted. First equal rows with
          different labels, in pairs. Then, for every mistake e of the rule, nearest the boundary first, rows that it
          gets right and that contradict e: -z_e is in their cone, which the shortest vector of z_e + cone shows
          (`wolfe`). One mistake each, so there may be as many contradictions as mistakes. Then contradictions with
          several mistakes. On few rows, overlapping contradictions follow, until the rows outside the smallest
          hitting set are separable (Parker and Ryan, Annals of Mathematics and Artificial Intelligence 17, 1996).
          With one or two features, a sweep over all lines gives the exact number (`sweep`).
"""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.errors import OptionError
from rosenblatt.learn import costs as pricing
from rosenblatt.learn.choices import TIES, Budget, generator_of, given_weights, refuse_other_rows, ties_named
from rosenblatt.learn.pocket import pocket
from rosenblatt.prove.check import certificate, exact, hitting, sweep
from rosenblatt.prove.check.certificate import Contradiction, CostInterval, ErrorInterval
from rosenblatt.prove.check.certificate_json import PREDICTED
from rosenblatt.prove.check.joint_certificate import JointErrorInterval
from rosenblatt.prove.solve.clock import Clock, TimeIsUp
from rosenblatt.prove.solve.constrained import lengthened, of_data, shortened, with_rows_of_constraints
from rosenblatt.prove.solve.packing import Packing, disjoint
from rosenblatt.rows import timing
from rosenblatt.rows.cone import EVERYWHERE, Cone, cone_of, refuse_outside, refuse_several
from rosenblatt.rows.door import names_of
from rosenblatt.rows.examples import Examples, costs_of_rows, labels_of
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import bias_of
from rosenblatt.rows.threads import one_thread_for_blas

KICKS = 20
FEW_ROWS = 200  # up to this many rows, the smallest hitting set is searched for
ROUNDS = 100  # of more contradictions
NODES, ROOT = 20_000, 50  # that the search for a smallest set may look at; what its first takes, in others
PER_NODE = 300.0  # nanoseconds: a node, for each entry of the sets


def optimality(  # as many parameters as what it asks has choices: those of `fit`, by the same names
    X: Any,
    y: Any,
    rule: Any = None,
    *,
    fit_intercept: bool = True,
    bias_scale: float = 1.0,
    ties: str = "minus",
    sample_weight: Any = None,
    class_weight: Any = None,
    monotonic_cst: Any = None,
    random_state: Any = 0,
    max_seconds: float | None = None,
    verbose: bool = False,
) -> ErrorInterval | CostInterval | JointErrorInterval:
    """How many mistakes a rule makes, and the fewest that any rule can make, with the proof; or their costs.

    With more than two classes, rules are linear scores of all classes: the largest is chosen, the first if several are
    equal, so there are no other `ties`. The result is a `JointErrorInterval`, which counts mistakes; weights are then
    a table with a row for each class.

    `rule` is a fitted linear estimator of this package, whose mistakes are counted as its `predict` makes them; or
    weights, one per feature and optionally one for the threshold's constant feature, in a row or in a table of one row,
    like `coef_`; or None, for the best rule that can be found. For weights and None, `ties` says what a score of
    exactly 0 means: "minus", a no, which is what rules predict; "plus", a yes; "mistake", wrong for either class. With
    `sample_weight` or `class_weight`, as for `fit`, the result is about the cost of mistakes; an estimator's own
    `class_weight` is used if none is given. With `monotonic_cst`, as for `Perceptron`, the interval is about rules that
    keep these constraints; with an estimator that was learned under some, it is about those. With `max_seconds`, kept
    to within about two seconds, the interval may stay wide.

    >>> from rosenblatt import optimality
    >>> interval = optimality([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # exclusive or
    >>> print(interval.statement)
    The rule makes 1 mistake on 4 rows, which is the fewest possible.
    >>> interval = optimality([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], sample_weight=[3, 2, 2, 3])
    >>> print(interval.statement)
    The rule's mistakes cost 2 on 4 rows, which is the least possible; a mistake on a no costs 3, on a yes 2.
    """
    labels = labels_of(y)
    refuse_other_rows(rule, X, labels.classes)
    weights, bias, ties = _weights_of(rule, labels.are_several, bias_of(fit_intercept, bias_scale), ties)
    if class_weight is None and not labels.are_several:  # mistakes of several classes are counted, not weighed
        class_weight = getattr(rule, "class_weight", None)
    ties_named(ties)
    rng = generator_of(random_state)
    threshold: Any = {"fit_intercept": bias != 0.0, "bias_scale": bias or 1.0}
    if labels.are_several:
        refuse_several(monotonic_cst)
        from rosenblatt.prove.solve import joint_optimality

        if ties != PREDICTED:
            raise OptionError(f"ties={ties!r} is for two classes; with more, the first of equal scores is predicted")
        if sample_weight is not None or class_weight is not None:
            raise OptionError("costs are proved for two classes only; with more, the number of mistakes is")
        several = JointExamples.of(X, labels, **threshold)
        return joint_optimality.interval(several, weights, rng, Clock(max_seconds, verbose))
    examples = Examples.of(X, labels, **threshold)
    costs = costs_of_rows(class_weight, labels.classes, labels.each, sample_weight)
    examples = replace(examples, weights=costs).with_all_classes()
    cone = getattr(rule, "cone", EVERYWHERE)
    if monotonic_cst is not None:
        cone = cone_of(monotonic_cst, examples.size - 1, names_of(X))
    return interval(examples, weights, ties, rng, Clock(max_seconds, verbose), cone=cone)


def _weights_of(rule: Any, are_several: bool, bias: float, ties: str) -> tuple[Any, float, str]:
    """Weights, the constant of the threshold, and the tie rule: of a rule its own, else what was given."""
    if are_several and hasattr(rule, "joint_rule"):
        return *rule.joint_rule(), ties
    if hasattr(rule, "one_linear_rule"):
        return rule.one_linear_rule()  # type: ignore[no-any-return]
    if hasattr(rule, "fit") or hasattr(rule, "learn_one"):
        raise OptionError("optimality takes linear rules of this package, or weights as an array")
    return rule, bias, ties


def interval(
    examples: Examples,
    weights: Any,
    ties: str,
    rng: np.random.Generator,
    clock: Clock | None = None,
    known: Contradiction | None = None,
    cone: Cone = EVERYWHERE,
) -> ErrorInterval | CostInterval:
    """The interval for examples that have already been read; `weights` None means the best that can be found.

    The weights of the rows are the costs of mistakes. A contradiction that is already `known` is used if no others are
    found among its rows. Under constraints on signs, these are rows as well, which no rule may get wrong.
    """
    clock = clock or Clock()
    w = best_rule(examples, ties, rng, clock, cone) if weights is None else given_weights("weights", weights, examples)
    refuse_outside("weights", w, cone)
    whole, unit = pricing.costs_of(examples)
    costs = whole if whole.size else np.ones(examples.n, np.int64)
    rows = with_rows_of_constraints(examples, cone, ties)  # what is proved of them, costs apart
    search = _CostSearch(rows, ties, costs, clock, None if cone else known)
    if cone:
        w = lengthened(w, examples)
    if ties != "correct" and not clock.late():
        with one_thread_for_blas(), np.errstate(all="ignore"):  # floats only propose
            search.from_rule(w, may_change=weights is None)
    else:
        search.judge(tuple(w.tolist()))
    found: dict[str, Any] = {
        **certificate.shape_of(examples), **cone.fields, "ties": ties, "lower": search.lower, "upper": search.upper,
        "weights": shortened(search.rule, examples) if cone else search.rule, "swept": search.swept,
        "contradictions": tuple(of_data(proof, examples, cone) for proof in search.proofs),
    }  # fmt: skip
    if not whole.size:
        return ErrorInterval(**found)
    by_class = pricing.by_class(examples.labels, whole)
    return CostInterval(**found, unit=unit, class_costs=by_class, row_costs=() if by_class else tuple(whole.tolist()))


class _CostSearch:
    """A rule, its cost, and what is proved about the least cost of any rule."""

    def __init__(self, examples: Examples, ties: str, costs: Array, clock: Clock, known: Contradiction | None) -> None:
        self.examples, self.ties, self.costs, self.clock, self.known = examples, ties, costs, clock, known
        self.lower, self.proofs, self.swept = 0, list[Contradiction](), False

    def judge(self, rule: tuple[exact.Number, ...]) -> None:
        """Use this rule, and count the cost of its mistakes."""
        wrong = exact.mistakes(self.examples, rule, self.ties)
        wrong = wrong[wrong < self.costs.size]
        self.rule, self.wrong = rule, wrong[self.costs[wrong] > 0]
        self.upper = int(self.costs[wrong].sum())

    def from_rule(self, w: Array, may_change: bool) -> None:
        """Prove as much as possible; a better rule that turns up replaces this one, if that is allowed."""
        self.judge(tuple(w.tolist()))
        if not self.upper:
            return
        packing = Packing(self.examples, self.ties, self.costs, w, self.wrong, self.clock)
        packing.pack()
        better: tuple[exact.Number, ...] | None = None
        self.lower, self.proofs = packing.total, packing.found
        constrained = self.examples.n > self.costs.size
        if self.lower < self.upper and not constrained and sweep.is_about(self.ties, self.examples):
            self.clock.doing = "looking at all lines"
            with suppress(TimeIsUp):
                self.lower, better = sweep.fewest(self.examples, self.costs, self.clock.keep_time)
                self.proofs, self.swept = [], True
        elif self.lower < self.upper and self.examples.n <= FEW_ROWS:
            better = self._overlapping()
        if self.lower < self.upper and not self.swept and not better:
            better = packing.pack_more(self.known)
            if packing.total > self.lower:
                self.lower, self.proofs = packing.total, packing.found
        if better and may_change:
            self.judge(better)

    def _overlapping(self) -> tuple[exact.Number, ...] | None:
        """More contradictions, while the cheapest hitting set of all of them leaves rows that contradict each other.

        Returns weights that cost no more than the proved minimum, if the search is complete.
        """
        costs, known, many = dict(enumerate(self.costs.tolist())), list(self.proofs), self.costs.size
        always = np.arange(many, self.examples.n)  # rows of constraints
        for _ in range(ROUNDS):
            sets = [tuple(row for row in proof.rows if row < many) for proof in known]
            hit = cheap_hitting_set(sets, self.costs, self.clock)
            if self.clock.late():
                break
            price = int(self.costs[hit].sum())
            if price > self.lower:
                if not hitting.is_needed(sets, price, costs):
                    break
                self.lower, self.proofs = price, list(known)
            if self.lower >= self.upper:
                break
            left = np.append(np.setdiff1d(np.flatnonzero(self.costs), hit), always)
            fresh, weights = disjoint(self.examples, self.ties, left, many, self.clock)
            if not fresh:
                return weights
            known += fresh
        return None


def best_rule(examples: Examples, ties: str, rng: np.random.Generator, clock: Clock, cone: Cone) -> Array:
    """The best weights that the pocket and its descent find, using at most half of the time."""
    seconds = None if clock.left is None else clock.left / 2
    budget = Budget(max_updates=pocket.enough_updates(examples), max_seconds=seconds, patience=KICKS)
    shared: Any = {"ties": TIES[ties], "budget": budget, "rng": rng, "cone": cone}
    begun = timing.now()
    run = pocket.learn(examples, np.zeros(examples.size), **shared)
    return pocket.improved(run, examples, begun=begun, **shared).weights


def cheap_hitting_set(sets: list[tuple[int, ...]], costs: Array, clock: Clock) -> Array:
    """The cheapest rows that hit each set, as an integer program finds them in bounded work."""
    member = np.zeros((len(sets), costs.size))
    for place, rows in enumerate(sets):
        member[place, [*rows]] = 1.0
    solver: Any = scipy.optimize
    per_node = PER_NODE * (member.size + 1)
    nodes = int(np.clip((clock.most_work - clock.work) / per_node, 1, NODES))
    options = {"node_limit": nodes} | ({} if clock.left is None else {"time_limit": clock.left})
    solved = solver.milp(
        costs / costs.max(), constraints=solver.LinearConstraint(member, lb=1.0), bounds=solver.Bounds(0, 1),
        integrality=np.ones(costs.size), options=options,
    )  # fmt: skip
    clock.spend(per_node * (ROOT + (solved.mip_node_count or 1)))
    return np.flatnonzero(solved.x > 0.5) if solved.x is not None else np.arange(costs.size)
