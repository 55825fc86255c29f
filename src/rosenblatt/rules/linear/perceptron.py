"""The perceptron of `learn.pla.pla`, which proves what a run without a clean pass shows."""

import warnings
from dataclasses import replace
from importlib import import_module
from math import inf
from typing import Annotated, Any, Self

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.learn import choices
from rosenblatt.learn.choices import Budget, Reason
from rosenblatt.learn.pla import in_cone, pla
from rosenblatt.learn.pla.stalling import IN_CYCLES, Stall
from rosenblatt.learn.run_state import Run, ctrl_c_noted
from rosenblatt.options import Number, OneOf, Whole, with_options
from rosenblatt.plurals import many
from rosenblatt.prove.solve import run as of_two_classes
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.constrained import decide_in
from rosenblatt.prove.solve.separability import NotSeparable
from rosenblatt.prove.theory import bounds
from rosenblatt.rows import find
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.examples import Examples, shown
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import some_rows
from rosenblatt.rules.linear.stream_learner import Followed, StreamLearner
from rosenblatt.rules.option_groups import (
    AUTO,
    LearningOptions,
    MonotonicOptions,
    MultiClassOptions,
    PatienceOptions,
    StartOptions,
    ThresholdOptions,
    TieOptions,
    TimeOptions,
)
from rosenblatt.rules.run_progress import reporter
from rosenblatt.rules.schemes import as_list, one_or_all
from rosenblatt.vocabulary import ORDERS

BOUND = "bound"
MOST_PASSES = 1000  # where nothing else is said
A_PROOF, SOME_PASSES = 1e9, 50  # operations, and times all numbers, after which a proof is given up
NO_RULE = "No rule is right on every row that counts."
NO_RULE_IN_CONE = "No rule that keeps the constraints is right on every row that counts."
SOME_RULE = "The rows are proved separable: more passes lead there, sooner if the columns are of similar sizes"
A_SECOND = 1e9  # numbers, read in about so long: what is looked for in a run whose time is up
ADVICE = {  # desk/learning/plain_warnings.py rewords it for the command
    Reason.MAX_PASSES: "raise max_passes, or bring the columns to similar sizes (StandardScaler)",
    Reason.STALLED: "set max_passes to go on",
    Reason.MAX_COPIES: "divide the weights by a constant",
    Reason.MAX_UPDATES: "raise max_updates, or bring the columns to similar sizes (StandardScaler)",
    Reason.MAX_SECONDS: "raise max_seconds, or bring the columns to similar sizes (StandardScaler)",
    Reason.BOUND: "ask for a smaller margin",
    Reason.PATIENCE: "raise patience",
    Reason.QUIET: "count a score of 0 as a mistake (ties='mistake')",
    Reason.INTERRUPTED: "fit again with start=weights_ to go on",
}


def learner_of(part: Examples) -> Any:
    """The module that learns from these examples: that of several classes is loaded only where there are such."""
    return import_module("rosenblatt.learn.pla.joint_pla") if isinstance(part, JointExamples) else pla


@with_options
class PerceptronBudgets(TimeOptions):
    """How long the perceptron runs."""

    max_passes: Annotated[
        int | str | None,
        Whole(1, words=(AUTO,), none=True),
        'Budget of passes over the data; looks at the active set count as parts of a pass. "auto": 1000, and under the '
        'orders "active" and "cyclic" it ends sooner where more passes do not help (see Notes).',
    ] = AUTO
    max_updates: Annotated[
        int | str | None,
        Whole(1, words=(BOUND,), none=True),
        'Budget of corrections, for each rule if several are learned. "bound": stop after as many as prove that no '
        "unit vector is right on every row with the `margin` given (Novikoff 1962).",
    ] = None


@with_options
class BoundOptions:
    """What ends a run by a bound."""

    margin: Annotated[
        float | None,
        Number(above=0, none=True),
        'For max_updates="bound": the least margin worth finding, in the units of the rows.',
    ] = None


@with_options
class PerceptronRule(
    TieOptions,
    StartOptions,
    ThresholdOptions,
    PerceptronBudgets,
    BoundOptions,
    PatienceOptions,
    MultiClassOptions,
    MonotonicOptions,
    LearningOptions,
    StreamLearner,
):
    """What `rosenblatt.Perceptron` is as a rule."""

    name = "Perceptron"
    keeps = (*StreamLearner.keeps, "weights", "certificates")

    order: Annotated[
        str,
        OneOf(ORDERS),
        "Which mistake is corrected next: rows near the boundary before the next full pass; the next one in a cycle; "
        "rows drawn at random; a random one of the present mistakes; the one with the least y (w . x).",
    ] = "active"
    patience: Annotated[
        int | None,
        'Under order="random": draws without an update, after which to stop. None: look at all rows after n such '
        "draws, and go on if one is wrong.",
    ] = None
    ties: Annotated[
        str,
        "Of several classes learned jointly, what equal scores are: always wrong; right for the last of the classes; "
        "for the first, which is always the one predicted; never wrong.",
    ] = "mistake"
    bias_scale: Annotated[
        float | str, "This bounds the updates by (2 R / margin)^2 wherever the rows lie (see `bounds.with_bias`)."
    ] = 1.0
    random_state: Annotated[Any, 'Used by the random orders and by start="random".'] = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        self.check_options()
        order, ties = choices.order_named(self.order), choices.ties_named(self.ties)
        updates: Any = self.max_updates
        passes: Any = self.max_passes
        by_bound, by_itself = updates == BOUND, passes == AUTO
        budget = Budget(
            MOST_PASSES if by_itself else passes, None if by_bound else updates, self.max_seconds, self.patience
        )
        rng = self._generator()
        classes, parts = self._parts(X, y, sample_weight)
        if self.cone and (order not in IN_CYCLES or by_bound):
            raise OptionError("constraints on signs need the order 'active' or 'cyclic', and no max_updates='bound'")
        starts = self._starts(parts, rng)
        runs, verdicts = [], [_Refutation(part, self.ties, self.cone) for part in parts]
        with ctrl_c_noted() as interrupted:
            limits = choices.shares(budget, len(parts))
            for part, start, refutation, limit in zip(parts, starts, verdicts, limits, strict=True):
                limit = replace(limit, max_updates=self._bound(part, start)) if by_bound else limit
                watch = reporter(limit) if self.verbose else None
                how: Any = {"order": order, "ties": ties, "budget": limit, "rng": rng, "watch": watch}
                if by_itself:
                    how["stall"] = Stall(refutation.is_refuted)
                if self.cone:
                    del how["order"], how["rng"]
                    how["ties"] = self.ties
                    runs.append(in_cone.learn(part, start, self.cone, interrupted=interrupted, **how))
                    continue
                runs.append(learner_of(part).learn(part, start, interrupted=interrupted, **how))
            proved = [self._proved(*each) for each in zip(parts, runs, starts, verdicts, strict=True)]
        runs = [
            replace(run, reason=Reason.BOUND) if getattr(p, "refutes_a_margin", False) else run
            for run, p in zip(runs, proved, strict=True)
        ]
        self.certificate_ = one_or_all(proved)
        self._take(classes, runs)
        for part, run, certificate, refutation in zip(parts, runs, proved, verdicts, strict=True):
            if run.reason is not Reason.SEPARATED:
                known = certificate.statement if certificate else refutation.finding
                _warn(part, run, choices.ties_named(self.ties_of_prediction), known, self.not_converged)
        if interrupted():
            raise KeyboardInterrupt
        return self

    def _bound(self, part: Examples, start: Array) -> int:
        """After how many updates there is no such margin (Theorem A for the worst direction of this start)."""
        if self.margin is None:
            raise OptionError("max_updates='bound' needs the margin that is worth finding, as margin=...")
        if not find.is_whole(part.weights):
            raise OptionError("max_updates='bound' needs sample weights that are whole numbers")
        away = find.norm(start)
        return bounds.updates(part.radius * (1 + 1e-15), self.margin, start_length=away, start_along=-away) + 1

    def _proved(self, part: Examples, run: Run, start: Array, refutation: "_Refutation") -> Any:
        """What a run that did not separate its rows proves about them."""
        if run.reason in (Reason.SEPARATED, Reason.INTERRUPTED) or self._unit_rows:  # those are not the rows given
            return None
        if refutation.contradiction or self.cone:
            return refutation.contradiction
        most = A_SECOND if run.reason is Reason.MAX_SECONDS else inf
        prove = import_module("rosenblatt.prove.solve.joint_run") if isinstance(part, JointExamples) else of_two_classes
        if found := prove.recurrence(part, run, start, self.ties, most):
            return found
        if self.max_updates == BOUND and run.reason is Reason.MAX_UPDATES:
            refuted = prove.no_margin(part, run)
            return refuted if self.margin is not None and refuted.margin <= self.margin else None
        return None

    def run_certificates(self) -> list[Any]:
        """What each run proved; nothing of a stream."""
        return as_list(getattr(self, "certificate_", None))

    def _follow(self, parts: list[Examples]) -> Followed:
        ties, new = choices.ties_named(self.ties), self._is_new
        if new:
            before = self._start_weights(parts, self._generator())
        else:
            before = [self.weights_] if isinstance(parts[0], JointExamples) else list(self.weights_)
        if self.cone:
            followed = [in_cone.follow_in(self.cone, part, w, self.ties) for part, w in zip(parts, before, strict=True)]
        else:
            followed = [learner_of(part).follow(part, w, ties) for part, w in zip(parts, before, strict=True)]

        def take_over() -> None:
            self.weights_ = np.vstack([w for w, _ in followed])

        return Followed(before if new else None, [entries for _, entries in followed], take_over)


class _Refutation:
    """A search, made at most once, for a proof that no rule is right on every row that counts."""

    def __init__(self, part: Examples, ties: str, cone: Cone) -> None:
        self._part, self._ties, self._cone = part, ties, cone
        self.finding = ""  # in words
        self.contradiction: Any = None  # of the rows as they are numbered

    def is_refuted(self) -> bool | None:
        """True with a proof, False if there is such a rule, None if little work does not tell."""
        part, counted = self._part, self._part.counted[0]
        rows = part.rows if counted.size == part.n else some_rows(part.rows, counted)
        clock = Clock(most_work=A_PROOF + SOME_PASSES * rows.values.size)
        if isinstance(part, JointExamples):
            several = JointExamples(rows, part.labels[counted], classes=part.classes)
            verdict = import_module("rosenblatt.prove.solve.joint_separability").decide(
                several, self._ties, clock, learning=False
            )
        else:
            verdict = decide_in(self._cone, Examples(rows, part.labels[counted]), self._ties, clock, learning=False)
        if verdict.separable is False:
            self.finding = NO_RULE_IN_CONE if self._cone else NO_RULE
        elif verdict.separable and self._ties == "mistake":  # with other ties, passes may cycle all the same
            self.finding = f"{SOME_RULE} (StandardScaler)."
        if isinstance(verdict, NotSeparable) and counted.size == part.n:
            self.contradiction = verdict.certificate
        return None if verdict.separable is None else not verdict.separable


def _warn(examples: Examples, run: Run, ties: Ties, known: str, category: type[Warning]) -> None:
    """Say that a run ended without a clean pass, why, and what is known of the rows, or else what to try."""
    if isinstance(examples, JointExamples):
        left, which = learner_of(examples).wrong_rows(examples, run.weights).size, ""
    else:
        no, yes = map(shown, examples.classes)
        left, which = find.count(examples, run.weights, ties), f" ({yes} against {no})"
    advice = (
        f"Try to {ADVICE[run.reason]}; if the classes overlap, no line separates them and no budget is enough: "
        "PocketPerceptron keeps the rule with the fewest mistakes."
    )
    warnings.warn(
        f"{run.reason} {left} of {examples.counted[0].size} rows are wrong{which} "
        f"after {many(run.updates, 'update')} and {many(run.passes, 'full pass', 'full passes')}. {known or advice}",
        category,
        stacklevel=3,
    )
