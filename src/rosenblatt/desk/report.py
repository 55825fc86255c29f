"""Everything that a report says, gathered."""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from rosenblatt.desk.data import Data
from rosenblatt.desk.model_contents import card_of
from rosenblatt.desk.train import Learned
from rosenblatt.desk.tree_paths import first_lines, worded
from rosenblatt.draw.tree_picture import svg_of
from rosenblatt.errors import OptionError
from rosenblatt.learn.choices import ties_named
from rosenblatt.plurals import many
from rosenblatt.prove.check.certificate import Contradiction, CostInterval, ErrorInterval, Separation
from rosenblatt.prove.check.joint_certificate import JointContradiction, JointErrorInterval, JointSeparation
from rosenblatt.read.encode.columns import Ignored
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.explain.plots import mistakes_along
from rosenblatt.ship.explain.report import ColumnRead, Contradicting, ErrorRate, Fact, Findings, Proof, ShownRow
from rosenblatt.ship.explain.scorecard import Scorecard
from rosenblatt.ship.file.modelfile import Model
from rosenblatt.version import __version__

MOST_LINES = 200  # of a tree in words
MOST_DRAWN = 60  # nodes
MEANING = {
    "separation": "The weights are applied to every row in exact arithmetic, and every row must be on its right side. "
    "The support rows then bound the margin of any rule from above.",
    "contradiction": "The signed rows, multiplied by their weights, are added up in whole numbers. The sum is zero, "
    "and no weights at all can be right on rows whose sum is zero.",
    "joint separation": "The weights of all classes are applied to every row in exact arithmetic, and the largest "
    "score must be that of its class. The support rows then bound the margin of any rule from above.",
    "joint contradiction": "What each row asks, a higher score of its class than of another, multiplied by its weight, "
    "is added up in whole numbers. The sum is zero, so no scores at all can be right on these rows.",
    "joint error interval": "The rule's mistakes are counted again by exact scores. The contradictions are checked one "
    "by one; any rule errs at least once in each, and the fewest rows that meet them all are counted.",
    "cost interval": "What the rule's mistakes cost is added up again, by exact signs. The contradictions are checked "
    "one by one; any rule errs on a row of each, and the cheapest rows that meet them all are priced.",
    "error interval": "The rule's mistakes are counted again by exact signs. The contradictions are checked one by "
    "one; any rule errs at least once in each, and the fewest rows that meet them all are counted.",
}


def findings_of(data: Data, learned: Learned, model: Model, notes: tuple[str, ...], command: str) -> Findings:
    """The findings on a rule; `command` is what checks them."""
    trained, rule = learned.trained, learned.rule
    card, why_not = _card(model)
    scores, wrong = _scores(learned, float(card.factor) if card else 1.0)
    missed = np.flatnonzero(wrong)
    error, why_stopped = learned.error, rule.stop_sentence(trained.weights)
    return Findings(
        title=_title(data),
        source=data.table.source,
        verdict=_verdict(learned, model),
        target=data.encoding.target.name,
        classes=data.classes,
        n=trained.n,
        error=None
        if error is None
        else ErrorRate(error.mistakes, error.rows, error.lower, error.upper, error.confidence, f"rows, {error.how}"),
        facts=_facts(learned, model),
        card=card,
        why_no_card=why_not,
        scores=scores,
        labels=trained.y,
        wrong=wrong,
        columns=tuple(
            ColumnRead(c.name, c.kind, c.why if isinstance(c, Ignored) else "") for c in data.encoding.columns
        ),
        proofs=tuple(Proof(c.statement, command, MEANING.get(c.kind, "")) for c in model.certificates),
        fingerprint=str(model.data["sha256"]) if model.data else "",
        version=__version__,
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        learned=f"{rule.name}, because {learned.why}. {why_stopped}",
        warnings=(*notes, *_beside_constant(learned)),
        mistakes=_mistakes(learned, scores, missed[:20]),
        n_mistakes=int(missed.size),
        contradictions=_contradictions(learned),
        learning=_learning(learned),
        **_tree(learned),
    )


def _beside_constant(learned: Learned) -> tuple[str, ...]:
    """What there is to say of a rule that is not clearly better than one that says the same of every row."""
    baseline = learned.baseline
    if baseline is None or baseline.clearly_better:
        return ()
    return (f"On rows that it was not learned from: {baseline.statement(learned.costs.are_counts)}",)


def _tree(learned: Learned) -> dict[str, str]:
    """A tree in words, and drawn as far down as can be read."""
    if learned.rule.tree is None:
        return {}
    tree = worded(learned.trained.encoding, learned.rule.tree)
    lines, more = first_lines(tree, MOST_LINES)
    note = [f"and {more:,} more lines: rosenblatt explain shows all"] if more else []
    drawn = np.searchsorted(np.sort(tree.depths), range(max(tree.depths) + 2))[1:]  # nodes down to each depth
    depth = max(int((drawn <= MOST_DRAWN).sum()) - 1, 1)
    return {"tree": "\n".join([*lines, *note]), "picture": svg_of(tree, most_depth=depth)}


def _title(data: Data) -> str:
    target = data.encoding.target.name
    return f"When is {target} {data.classes[1]}?" if len(data.classes) == 2 else f"Which {target}?"


def _verdict(learned: Learned, model: Model) -> str:
    """The main thing, in one sentence."""
    kinds = ErrorInterval | CostInterval | JointErrorInterval
    interval = next((c for c in model.certificates if isinstance(c, kinds)), None)
    proof = getattr(learned.verdict, "certificate", None)
    if isinstance(proof, Separation | JointSeparation):
        return f"{proof.verdict} that it was learned from, and that is proved."
    made = f"The rule makes {many(learned.mistakes, 'mistake')} on {many(learned.trained.n, 'row')}."
    told = interval.statement if interval else made
    if isinstance(proof, Contradiction | JointContradiction):
        return f"{proof.verdict}, and that is proved. {told}"
    return told


def _facts(learned: Learned, model: Model) -> tuple[Fact, ...]:
    n, tree = learned.trained.n, learned.rule.tree
    facts = [Fact("mistakes on those rows", f"{learned.mistakes:,}", f"{learned.mistakes / n:.1%} of them")]
    if not learned.costs.are_counts:
        facts.append(Fact("what they cost", f"{learned.cost:,.6g}", learned.costs.in_words(learned.trained.classes)))
    if tree is not None:
        leaves, tests = len(tree.leaves), len(tree.nodes) - len(tree.leaves)
        facts.append(Fact("leaves", f"{leaves:,}", f"below {many(tests, 'test')}, {max(tree.depths)} deep"))
    for certificate in model.certificates:
        if isinstance(certificate, Separation | JointSeparation):
            facts.append(
                Fact(
                    "largest margin, at least", f"{certificate.lower:.4g}", "of the features as rules see them; proved"
                )
            )
        if isinstance(certificate, ErrorInterval | JointErrorInterval) and certificate.lower:
            facts.append(Fact("no rule makes fewer than", f"{certificate.lower:,}", "mistakes on those rows; proved"))
        if isinstance(certificate, CostInterval) and certificate.lower:
            least = certificate.unit * certificate.lower
            facts.append(Fact("no rule's mistakes cost less than", f"{least:,.6g}", "on those rows; proved"))
    return tuple(facts)


def _card(model: Model) -> tuple[Scorecard | None, str]:
    try:
        return card_of(model), ""
    except OptionError as error:
        return None, str(error)


def _scores(learned: Learned, factor: float) -> tuple[Array, Array]:
    """How far each row is on the side that the rule says, and whether the rule is wrong on it."""
    trained = learned.trained
    wrong = learned.rule.predict(trained.seen) != trained.y
    if learned.rule.tree is not None:
        return np.empty(0), wrong  # shares, which are no points
    scores = learned.rule.scores(trained.seen) * factor
    if scores.ndim == 2:
        ahead = np.sort(scores, axis=1)
        scores = ahead[:, -1] - ahead[:, -2]
    return scores, wrong


def _row(data: Data, row: int, cells: dict[str, Any], **more: Any) -> ShownRow:
    target = data.encoding.target.name
    values = tuple((name, "" if value is None else str(value)) for name, value in cells.items() if name != target)
    return ShownRow(data.number(row), data.classes[data.y[row]], values, **more)


def _mistakes(learned: Learned, scores: Array, missed: Array) -> tuple[ShownRow, ...]:
    data = learned.trained
    said = learned.rule.predict(data.X[missed]) if missed.size else ()
    shown = data.shown(missed)
    return tuple(
        _row(data, int(row), cells, said=data.classes[label], score=float(scores[row]) if scores.size else None)
        for row, cells, label in zip(missed, shown, said, strict=True)
    )


def _contradictions(learned: Learned) -> tuple[Contradicting, ...]:
    proof = getattr(learned.verdict, "certificate", None)
    if not isinstance(proof, Contradiction | JointContradiction):
        return ()
    data = learned.trained
    told = "Mixed in these proportions, rows of either class give the same point."
    if isinstance(proof, JointContradiction):
        told = "In these proportions, what the rows ask of the scores of their class and of others adds up to nothing."
    pairs = sorted(zip(proof.rows, proof.weights, strict=True), key=lambda pair: -pair[1])
    shown = data.shown([row for row, _ in pairs])
    total = sum(proof.weights)
    rows = tuple(
        _row(data, row, cells, share=weight / total) for (row, weight), cells in zip(pairs, shown, strict=True)
    )
    return (Contradicting(told, rows),)


def _learning(learned: Learned) -> tuple[Array, Array] | None:
    """How the mistakes went down, for a run with a ledger on two classes."""
    form, run = learned.rule.linear, learned.rule.run
    if run is None or form is None or len(learned.trained.classes) > 2 or form.unit_rows or form.bias != 1.0:
        return None
    return mistakes_along(run.ledger, learned.trained.examples(), ties_named(run.ties))
