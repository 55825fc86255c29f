"""Upper bounds, with a stated confidence, on how often a rule errs on fresh rows.

Problem   rows are independent draws from one source; the risk of a rule is the probability that it errs on the next.
Result    `Risk`: a bound that fails for at most a share delta of all samples, and the sentence that says so.
Papers    Clopper and Pearson 1934 (held out); Littlestone and Warmuth 1986, Floyd and Warmuth 1995 (compression);
          Langford and Shawe-Taylor 2002, Maurer 2004 (PAC-Bayes); Cesa-Bianchi, Conconi and Gentile 2004 and
          Freund and Schapire 1999 (a single pass); Bartlett and Mendelson 2002 (Rademacher); Harchaoui, 2.6.2 (pocket).

All bounds assume that no row was changed depending on other rows (columns scaled by their mean, a `bias_scale` taken
from the radius), and that the bound itself was chosen in advance. Where rounding matters, it is upwards.
"""

from dataclasses import dataclass, replace
from math import ceil, expm1, lgamma, log, log1p, sqrt
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.errors import OptionError
from rosenblatt.judge import binomial
from rosenblatt.judge.binomial import SLACK, UP
from rosenblatt.learn.choices import Budget, Order, Reason, order_named, sign_at_zero, ties_named
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.pla.pla import learn
from rosenblatt.learn.pocket.pocket import PocketRun
from rosenblatt.learn.run_state import Run
from rosenblatt.rows import find, kernels
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.door import unmasked
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.visible import ReadableResult

THETAS = tuple(0.5 * k for k in range(7))  # fixed before any data, as the proof needs
FINE = 2**16  # more margins than this are rounded down to multiples of 1 / FINE, which is safe
STREAMS = (Order.RANDOM, Order.RANDOM_MISTAKE)  # the draws are row numbers that do not depend on the data


@dataclass(frozen=True, repr=False)
class Risk(ReadableResult):
    """An upper bound on the probability of an error on a fresh row."""

    kind: str
    bound: float
    delta: float | None  # how likely a sample is for which the bound is wrong; None: it bounds an expectation
    n: int
    statement: str

    @property
    def confidence(self) -> float | None:
        """1 - delta."""
        return None if self.delta is None else 1 - self.delta

    def __str__(self) -> str:
        return self.statement


def held_out(errors: int, n: int, delta: float = 0.05) -> Risk:
    """From errors on n rows that took no part in learning: the exact Clopper-Pearson limit.

    Valid for any rule, and nearly always the smallest bound: the largest p with P(Bin(n, p) <= errors) >= delta.

    >>> from rosenblatt.prove.theory import risk
    >>> print(risk.held_out(0, 100))
    With confidence 95%, the rule errs on at most 2.96% of fresh rows: it erred on 0 of 100 rows held out.
    """
    n = _whole("n", n, 1)
    errors = _whole("errors", errors, 0, n)
    bound = binomial.limit(errors, n, log(_checked(delta)))
    return _risk("held out", bound, delta, n, "the rule", f"it erred on {errors} of {n} rows held out")


def compression(n: int, kept: int, errors: int, delta: float = 0.05, updates: int | None = None) -> Risk:
    """From few corrected rows: the `kept` rows alone lead to the rule, so the other n - kept rows count as held out.

    Conditions: the run can be repeated on the kept rows alone, without the others (`of_run` checks it), from a start
    that does not depend on the rows. `errors` counts the others only. If the run went on until it was right on every
    row under its own tie rule, `updates` is None. Otherwise it is the number of corrections after which the
    rule, the last one or the pocket's, was taken, and `kept` counts the distinct rows among these corrections: the
    number must be known to repeat the run.
    The bound is that of `held_out`, with delta shared among all sets of rows: 1 / ((k+1) (k+2) C(n, k)), and
    1 / (t (t+1)).

    >>> from rosenblatt.prove.theory import risk
    >>> print(risk.compression(10_000, kept=20, errors=0))
    With confidence 95%, the rule errs on at most 1.51% of fresh rows: 20 rows lead to it, ...
    >>> risk.compression(10_000, 20, 0, updates=35).bound > risk.compression(10_000, 20, 0).bound
    True
    """
    n = _whole("n", n, 1)
    kept = _whole("kept", kept, 0, n)
    errors = _whole("errors", errors, 0, n - kept)
    ways = lgamma(n + 1) - lgamma(kept + 1) - lgamma(n - kept + 1) + log((kept + 1) * (kept + 2))
    if updates is not None:
        updates = _whole("updates", updates, kept, 0 if kept == 0 else 2**53)
        ways += log(max(updates * (updates + 1), 1))
    bound = binomial.limit(errors, n - kept, log(_checked(delta)) - ways - SLACK * lgamma(n + 1))
    why = f"{kept} rows lead to it, and it errs on {errors} of the other {n - kept}"
    return _risk("compression", bound, delta, n, "the rule", why)


def of_run(examples: Examples, run: Run | Ledger, order: str, ties: str = "mistake", delta: float = 0.05) -> Risk:
    """`compression` for a run of PLA or of the pocket on these examples, from its ledger.

    Conditions: no weights; a start at zeros or at the first row (which is then kept). The orders cyclic and worst are
    valid: removing a row that was never chosen does not change what is chosen. So are the random ones, whose draws are
    row numbers. The active order is not: how it sets rows apart depends on rows that it never corrects. But if it
    got no further than its plain cycles, the run is a cyclic one. So the corrections are repeated, from the kept rows
    alone, in the cyclic order (or worst), and a run that is not repeated exactly is refused. For a pocket, whose order
    is "random-mistake", the corrections up to the weights kept count; weights found by a descent depend on all rows.

    >>> from rosenblatt.rows.examples import Examples
    >>> from rosenblatt.learn.pla import pla
    >>> from rosenblatt.prove.theory import risk
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> examples = Examples.of(X, X[:, 0] > 0)
    >>> print(risk.of_run(examples, pla.learn(examples, np.zeros(3)), "active"))
    With confidence 95%, the rule errs on at most ...% of fresh rows: ... rows lead to it, ...
    """
    ledger, rule, named = run.ledger if isinstance(run, Run) else run, ties_named(ties), order_named(order)
    if examples.weights.size:
        raise OptionError("the bound assumes that all rows were drawn alike: it needs examples without weights")
    updates = run.kept_at if isinstance(run, PocketRun) else len(ledger)
    if updates < 0:
        raise OptionError(
            "these weights were found by a descent, which looks at all rows: hold rows out and use `held_out`"
        )
    w, kept = ledger.replay(examples, updates), ledger.counts(0, updates)[0]
    if ledger.start.any():
        first = np.zeros(examples.size)
        briefly(kernels.add, first.size)(examples.rows, 0, first, float(examples.labels[0]))
        if not np.array_equal(ledger.start, first):
            raise OptionError(
                "the start must be zeros or the first row; if it does not depend on the rows, use `compression`"
            )
        kept, updates = np.union1d(kept, [0]), updates + 1  # this start is a first correction, from zeros
    if named not in STREAMS and not _is_repeated(examples, ledger, kept, rule, named):
        raise OptionError(
            f"the corrected rows alone do not lead to the same corrections, so the run, in order {named.value!r}, "
            "depends on other rows too: learn with order='cyclic', or hold rows out and use `held_out`"
        )
    at_zero = sign_at_zero(rule)
    wrong, _ = find.find(examples, w, Ties(positive=at_zero < 0, negative=at_zero > 0))
    clean = not find.count(examples, w, rule)
    return compression(examples.n, kept.size, np.setdiff1d(wrong, kept).size, delta, None if clean else updates)


def _is_repeated(examples: Examples, ledger: Ledger, kept: Array, ties: Ties, order: Order) -> bool:
    """Whether a run on the kept rows alone makes the same corrections; rows of weight 0 do not count."""
    if not len(ledger):
        return True
    alone = replace(examples, weights=np.isin(np.arange(examples.n), kept).astype(np.float64))
    order = Order.CYCLIC if order is Order.ACTIVE else order  # a budget only ends these; it changes what active does
    again = learn(alone, ledger.start, order=order, ties=ties, budget=Budget(max_updates=len(ledger)))
    if again.reason is Reason.INTERRUPTED:
        raise KeyboardInterrupt
    return np.array_equal(again.ledger.entries(), ledger.entries())


def pac_bayes(margins: Any, delta: float = 0.05) -> Risk:
    """From all margins m = y (w . x) / (||w|| ||x||), the threshold's constant included; a row of zeros has m = 0.

    Valid for any w, however it was found, pocket and average included. Conditions: n >= 8 margins, each in [-1, 1].
    The minimum over mu >= 0, and theta in a fixed grid G, of klinv(mean of Phi(theta - mu m), c) / Phi(theta) with
    c = (mu^2 / 2 + ln(2 sqrt(n) |G| / delta)) / n. Proof: weights drawn from N(mu w / ||w||, I) miss a margin of theta
    with probability Phi(theta - mu m), at least Phi(theta) where the rule errs; Maurer's bound is for all mu at once.

    >>> from rosenblatt.prove.theory import risk
    >>> print(risk.pac_bayes([0.5] * 1000))
    With confidence 95%, the rule errs on at most 5.49% of fresh rows: that follows from its margins on 1000 rows.
    """
    m = np.asarray(unmasked(margins, "margins"), dtype=np.float64)
    if m.ndim != 1 or not (np.abs(m) <= 1 + 1e-9).all():  # NaN, too, is refused
        raise OptionError("margins must be a list of numbers y (w . x) / (||w|| ||x||), from -1 to 1 each")
    n = _whole("the number of margins", m.size, 8)
    m, many = np.unique(np.clip(np.floor(m * FINE) / FINE if n > FINE else m, -1.0, 1.0), return_counts=True)
    price = log(2 * sqrt(n) * len(THETAS) / _checked(delta))
    phi = scipy.special.ndtr
    bound, mus = 1.0, 2.0 ** np.arange(-1.0, np.log2(4 * sqrt(n)), 0.25)  # beyond, the price alone is too high
    for theta in THETAS:

        def limit(mu: float, theta: float = theta) -> float:
            loss = float(many @ phi(theta - mu * m)) / n
            return kl_limit(min(loss * (1 + 1e-12), 1.0), (mu * mu / 2 + price) / n) / float(phi(theta)) * (1 + 1e-12)

        at = int(np.argmin(limits := [limit(mu) for mu in mus]))
        between = mus[max(at - 1, 0)], mus[min(at + 1, mus.size - 1)]
        bound = min(bound, limits[at], scipy.optimize.minimize_scalar(limit, bounds=between, method="bounded").fun)
    return _risk("PAC-Bayes", bound, delta, n, "the rule", f"that follows from its margins on {n} rows")


def online_to_batch(mistakes: int, n: int, delta: float = 0.05, rule: str = "average") -> Risk:
    """From the mistakes in a single pass over n rows, each predicted before it was learned from.

    "average": the mean risk of the n rules of the pass, each counted as often as it predicted.
    "selected": the risk of the rule with the smallest sum of its mistake rate on the rows after it and
    sqrt(ln(2 n (n+1) / delta) / (2 rows after it)) (Cesa-Bianchi, Conconi and Gentile 2004).

    >>> from rosenblatt.prove.theory import risk
    >>> print(risk.online_to_batch(10, 1000))
    With confidence 95%, the average rule of the pass errs on at most 4.88% of fresh rows: 10 of 1000 were mistakes.
    >>> round(risk.online_to_batch(10, 1000, rule="selected").bound, 3)
    0.628
    """
    n = _whole("n", n, 1)
    mistakes, _ = _whole("mistakes", mistakes, 0, n), _checked(delta)
    if rule not in ("average", "selected"):
        raise OptionError(f"rule must be 'average' or 'selected', not {rule!r}")
    more = sqrt(log(1 / delta) / (2 * n)) if rule == "average" else 6 * sqrt(log(2 * (n + 1) / delta) / n)
    subject = f"the {rule} rule of the pass"
    return _risk("online to batch", mistakes / n + more, delta, n, subject, f"{mistakes} of {n} were mistakes")


def longest_survivor(length: int, n: int, delta: float = 0.05) -> Risk:
    """From the longest stretch without a mistake in a single pass over n rows: for the rule that survived it.

    >>> from rosenblatt.prove.theory import risk
    >>> print(risk.longest_survivor(500, 1000))
    With confidence 95%, the rule errs on at most 1.97% of fresh rows: it was right on 500 of 1000 in a row.
    """
    n = _whole("n", n, 1)
    length, _ = _whole("length", length, 0, n), _checked(delta)
    bound = -expm1((1 + SLACK) * log(delta / n) / length) * UP if length else 1.0
    return _risk("survivor", bound, delta, n, "the rule", f"it was right on {length} of {n} in a row")


def leave_one_out(mistakes: int, n: int, vote: str = "randomised") -> Risk:
    """From the mistakes M in a single pass over n rows: E[M] / n bounds the *expected* risk of a vote over n - 1 rows.

    Freund and Schapire 1999, theorem 1; their E[M] counts the fresh row too, so a vote over n - 1 rows corresponds
    to the mistakes on n. "randomised": one of the rules of the pass, drawn for each row. "deterministic": the
    majority of all, with twice the bound. One M estimates E[M] without bias; it gives no confidence.

    >>> from rosenblatt.prove.theory import risk
    >>> print(risk.leave_one_out(10, 1000))
    In expectation, the randomised vote over 999 rows errs on at most 1.00% of fresh rows: 10 of 1000 were mistakes.
    """
    n = _whole("n", n, 1)
    mistakes = _whole("mistakes", mistakes, 0, n)
    if vote not in ("randomised", "deterministic"):
        raise OptionError(f"vote must be 'randomised' or 'deterministic', not {vote!r}")
    bound = mistakes / n * (1 if vote == "randomised" else 2)
    return _risk(
        "leave one out", bound, None, n, f"the {vote} vote over {n - 1} rows", f"{mistakes} of {n} were mistakes"
    )


def rademacher(errors_at_margin: int, n: int, radius: float, margin: float, delta: float = 0.05) -> Risk:
    """From the share M of rows with y (w . x) < margin: M + 2 radius / (margin sqrt n) + sqrt(ln(1 / delta) / (2 n)).

    Conditions: ||w|| <= 1, the margin was fixed before the rows were seen, and *every* row that the source can give has
    ||x|| <= radius, not only these. Valid for all w at once.

    >>> from rosenblatt.prove.theory import risk
    >>> print(risk.rademacher(5, 10_000, radius=1.0, margin=0.2))
    With confidence 95%, the rule errs on at most 11.28% of fresh rows: 5 of 10000 rows have a margin below 0.2.
    """
    n = _whole("n", n, 1)
    errors, _ = _whole("errors_at_margin", errors_at_margin, 0, n), _checked(delta)
    for name, number in (("radius", radius), ("margin", margin)):
        if not 0 < number < np.inf:
            raise OptionError(f"{name} must be a finite number above 0, not {number!r}")
    bound = errors / n + 2 * radius / (margin * sqrt(n)) + sqrt(log(1 / delta) / (2 * n))
    return _risk("Rademacher", bound, delta, n, "the rule", f"{errors} of {n} rows have a margin below {margin:g}")


def pocket_margin(errors_at_margin: int, n: int, margin: float, delta: float = 0.05) -> Risk:
    """Harchaoui's theorem 2.6.2, corrected: M + sqrt(2 M c) + 2 c, c = 4 ln(n / delta) / (margin^2 n), for any w.

    Conditions: M is the share of rows with y (w . x) < margin; ||w|| = 1, every ||x|| <= 1, n <= 10^9, 0 < margin <= 1.
    As printed it is false: its I counts the rows that are *right* with the margin (with 40% of the labels flipped it
    claimed .256 for a risk of .453); under the root is a sum instead of the product of the theorem it comes from
    (Shalev-Shwartz and Ben-David, 30.2), so it is never below sqrt(M); and the proof by compression does not apply to
    the pocket, whose number of corrections is unbounded. This form was above the PAC-Bayes bound (thetas to 6) on a
    grid of M, margin, delta and n from 50 to 10^9; that is no proof, so larger n are refused. Certify with `pac_bayes`.

    >>> from rosenblatt.prove.theory import risk
    >>> print(risk.pocket_margin(0, 10_000, margin=0.5))
    With confidence 95%, the rule errs on at most 3.91% of fresh rows: 0 of 10000 rows have a margin below 0.5.
    """
    n = _whole("n", n, 1, 10**9)
    errors, _ = _whole("errors_at_margin", errors_at_margin, 0, n), _checked(delta)
    if not 0 < margin <= 1:
        raise OptionError(f"margin must be above 0 and at most 1, not {margin!r}")
    share, c = errors / n, 4 * log(n / delta) / (margin**2 * n)
    bound = share + sqrt(2 * share * c) + 2 * c
    return _risk("pocket", bound, delta, n, "the rule", f"{errors} of {n} rows have a margin below {margin:g}")


def kl_limit(p: float, c: float) -> float:
    """The largest q with kl(p || q) <= c, the relative entropy of two coins; never below it.

    >>> from rosenblatt.prove.theory import risk
    >>> round(risk.kl_limit(0.0, np.log(2)), 9)
    0.5
    """
    low, high, slack = p, 1.0, SLACK * (1 + c)
    while low < (q := (low + high) / 2) < high:
        kl = (p * log(p / q) if p else 0.0) + (1 - p) * (log1p(-p) - log1p(-q))
        low, high = (low, q) if kl > c + slack else (q, high)
    return high


def _risk(kind: str, bound: float, delta: float | None, n: int, subject: str, why: str) -> Risk:
    """The bound, at most 1, and its sentence, with the percentage rounded up."""
    bound = min(float(bound), 1.0)
    sure = "In expectation"
    if delta is not None:
        sure = f"With confidence {100 - 100 * delta:.12g}%" if delta > 1e-9 else f"With confidence 1 - {delta:g}"
    percent = ceil(bound * 10_000) / 100
    statement = f"{sure}, {subject} errs on at most {percent:.2f}% of fresh rows: {why}."
    return Risk(kind, bound, delta, n, statement)


def _checked(delta: float) -> float:
    if not 0 < delta <= 0.5:
        raise OptionError(f"delta must be above 0 and at most 0.5, not {delta!r}")
    return delta


def _whole(name: str, number: int, least: int, most: int = 2**53) -> int:
    """The number, if it is a whole number in the range."""
    if isinstance(number, bool) or not least <= number <= most or number != int(number):
        reach = f"of at least {least}" if most == 2**53 else f"from {least} to {most}"
        raise OptionError(f"{name} must be a whole number {reach}, not {number!r}")
    return int(number)
