"""Claim: how few mistakes are possible is proved, and the rule that is found is there or nearly there.

Gaussian rows, some labels flipped: the mistakes of `PocketPerceptron()`, the number that no rule can go below by
`optimality`, and the seconds of either and of checking the proof. Small tables are proved optimal by more than disjoint
contradictions, tables with two features by a sweep where those do not do.
"""

import time

from benchmarks import workloads
from rosenblatt import PocketPerceptron, optimality

SIZES = [
    (100, 3, 0.1),
    (2_000, 2, 0.05),
    (2_000, 2, 0.2),
    (20_000, 2, 0.05),
    (2_000, 10, 0.02),
    (2_000, 10, 0.05),
    (2_000, 10, 0.1),
    (20_000, 10, 0.02),
    (20_000, 10, 0.05),
    (20_000, 20, 0.02),
    (2_000, 50, 0.005),
    (2_000, 50, 0.02),
    (20_000, 50, 0.005),
    (20_000, 100, 0.002),
]
SEEDS = (0, 1)


def timed(call):
    """What a call returns, and how long it took."""
    begin = time.perf_counter()
    answer = call()
    return answer, time.perf_counter() - begin


def main() -> None:
    """Run everything."""
    warm = workloads.noisy_gaussians(300, 5, 0.05)
    optimality(*warm, PocketPerceptron(random_state=0).fit(*warm))
    print("| rows | flipped | seed | mistakes | at least | gap | rule s | proof s | check s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n, d, flipped in SIZES:
        for seed in SEEDS:
            X, y = workloads.noisy_gaussians(n, d, flipped, seed)
            rule, fitted = timed(lambda X=X, y=y: PocketPerceptron(random_state=0).fit(X, y))
            interval, proved = timed(lambda X=X, y=y, rule=rule: optimality(X, y, rule))
            _, checked = timed(lambda X=X, y=y, interval=interval: interval.verify(X, y))
            gap = interval.upper - interval.lower
            cells = [f"{n:,} x {d}", f"{flipped:.1%}", seed, interval.upper, interval.lower]
            cells += [f"**{gap}**", f"{fitted:.2f}", f"{proved:.2f}", f"{checked:.2f}"]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
