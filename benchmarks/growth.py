"""Claim 3: how passes and time grow with n, d and 1/margin.

Unit rows, one of the three numbers varied at a time; medians over three seeds. The peer is scikit-learn's
Perceptron(shuffle=False, tol=None), given the number of epochs that it needs: see `clean_pass`.
"""

import sys
import time
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib import pyplot
from sklearn.linear_model import Perceptron as Peer

from benchmarks import workloads
from benchmarks.clean_pass import epochs_needed, seconds
from rosenblatt import Perceptron, Reason

matplotlib.use("Agg")

FIGURE = Path(__file__).with_suffix(".png")
SWEEPS = {
    "n": [(n, 20, 0.005) for n in (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000)],
    "d": [(20_000, d, 0.005) for d in (5, 10, 20, 40, 80, 160, 320)],
    "1/margin": [(50_000, 20, margin) for margin in (0.04, 0.02, 0.01, 0.005, 0.0025)],
}
FIXED = {"n": "d = 20, margin 0.005", "d": "n = 20 000, margin 0.005", "1/margin": "n = 50 000, d = 20"}
COLUMNS = ["n", "d", "margin", "updates", "full passes", "looks / n", "ours ms", "peer's epochs", "peer ms", "factor"]


class Cost(NamedTuple):
    """What a clean pass took on one data set, or the medians over several."""

    updates: float
    passes: float
    looks: float  # at a row, per row
    epochs: float  # of the peer
    ours: float  # milliseconds
    peer: float


def cost(n: int, d: int, margin: float, seed: int, repeats: int) -> Cost:
    """Measure one data set; times are medians, ours and the peer's in turns."""
    X, y = workloads.unit_rows(n, d, margin, seed)
    epochs = epochs_needed(X, y)
    rule, peer = Perceptron(), Peer(shuffle=False, tol=None, max_iter=epochs)
    time.sleep(0.3)  # let threads of the preparation come to rest
    turns = [(seconds(lambda: rule.fit(X, y)), seconds(lambda: peer.fit(X, y))) for _ in range(repeats)]
    assert rule.stop_reason_ is Reason.SEPARATED
    ours, theirs = np.median(turns, axis=0) * 1e3
    return Cost(rule.n_updates_, rule.n_passes_, rule.n_examples_seen_ / n, epochs, ours, theirs)


def exponent(x, y) -> float:
    """The p of the power x ** p that fits y best."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def varied(name: str, n: int, d: int, margin: float) -> float:
    """The number that a sweep of this name varies."""
    return {"n": n, "d": d, "1/margin": 1 / margin}[name]


def short(number: float) -> str:
    """A number as a tick's label."""
    return f"{number:g}" if number < 1e3 else f"{number / 1e3:g}k" if number < 1e6 else f"{number / 1e6:g}M"


def draw(panel, right, x, costs: list[list[Cost]]) -> None:
    """One panel: times on its left scale, updates on its right one; a dot per seed, a line through the medians."""
    curves = [
        (panel, "ours", "rosenblatt, time", "#d1495b", "o-"),
        (panel, "peer", "scikit-learn, time", "#30638e", "s-"),
        (right, "updates", "rosenblatt, updates (right scale)", "#8d99ae", "^--"),
    ]
    for axes, field, label, colour, style in curves:
        each = np.array([[getattr(run, field) for run in runs] for runs in costs])
        axes.loglog(x, np.median(each, axis=1), style, color=colour, label=label, markersize=5)
        axes.loglog(x, each, ".", color=colour, alpha=0.4, markersize=4)
        axes.minorticks_off()
        axes.spines["top"].set_visible(False)
    panel.set_xticks(x, [short(number) for number in x])
    panel.grid(alpha=0.25)


def plot(measured: dict[str, list[list[Cost]]], points: dict[str, list[float]], path: Path) -> None:
    """The figure: a panel per sweep, all on the same two scales."""
    figure, panels = pyplot.subplots(1, len(measured), figsize=(14, 4.6), sharey=True, layout="constrained")
    rights = [panel.twinx() for panel in panels]
    for panel, right, name in zip(panels, rights, measured, strict=True):
        if right is not rights[-1]:
            right.sharey(rights[-1])
            right.tick_params(labelright=False)
        draw(panel, right, points[name], measured[name])
        panel.set(xlabel=name, title=FIXED[name])
    panels[0].set_ylabel("time to a clean pass, ms")
    rights[-1].set_ylabel("updates")
    curves = panels[0].get_legend_handles_labels()[0] + rights[0].get_legend_handles_labels()[0]
    figure.legend(handles=curves, loc="outside upper center", ncols=3, frameon=False)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def main(seeds: int = 3, largest: int = 1_000_000, repeats: int = 3, figure: Path = FIGURE) -> None:
    """Run everything; data sets of more than `largest` rows are left out."""
    cost(10_000, 20, 0.04, seed=0, repeats=1)  # loads the compiled kernels
    measured, points = {}, {}
    for name, shapes in SWEEPS.items():
        measured[name], points[name] = [], []
        print("\n| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS))
        for n, d, margin in shapes:
            if n > largest:
                continue
            points[name].append(varied(name, n, d, margin))
            measured[name].append([cost(n, d, margin, seed, repeats) for seed in range(seeds)])
            c = Cost(*np.median(measured[name][-1], axis=0))
            row = [f"{n:,}", f"{d}", f"{margin:g}", f"{c.updates:.0f}", f"{c.passes:.0f}", f"{c.looks:.1f}"]
            row += [f"{c.ours:.1f}", f"{c.epochs:.0f}", f"{c.peer:.1f}", f"**{c.peer / c.ours:.1f}**"]
            print("| " + " | ".join(row) + " |", flush=True)
        medians = Cost(*np.median(measured[name], axis=1).T)
        powers = [f"{field} {exponent(points[name], getattr(medians, field)):.2f}" for field in Cost._fields]
        print(f"\nPowers of {name} that fit best: {', '.join(powers)} (ours, peer: time).")
    plot(measured, points, figure)
    print(f"\nFigure: {figure.name}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), *map(Path, sys.argv[4:5]))
