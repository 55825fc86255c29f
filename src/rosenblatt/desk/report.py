"""Collects the contents of a report, which `ship.explain.report` lays out."""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from rosenblatt.desk.constraints import but_for, by_column, points_in_words
from rosenblatt.desk.data import Data
from rosenblatt.desk.learning.train import Learned
from rosenblatt.desk.model_contents import card_of, in_points, with_rates
from rosenblatt.desk.report_judging import shown_judging
from rosenblatt.desk.tree_paths import first_lines, table_tree
from rosenblatt.draw.tree_picture import svg_of
from rosenblatt.errors import OptionError
from rosenblatt.judge.decision import UNDECIDED, leads
from rosenblatt.learn.choices import ties_named
from rosenblatt.plurals import many
from rosenblatt.prove.check.certificate import Contradiction, CostInterval, ErrorInterval, Separation
from rosenblatt.prove.check.joint_certificate import JointContradiction, JointErrorInterval, JointSeparation
from rosenblatt.read.encode.columns import IgnoredColumn
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.explain.page import Fact
from rosenblatt.ship.explain.plots import mistakes_along
from rosenblatt.ship.explain.report import (
    ColumnRead,
    ErrorRate,
    ReportContents,
    ReportProof,
    ShownContradiction,
    ShownRow,
)
from rosenblatt.ship.explain.scorecard import Scorecard
from rosenblatt.ship.file.modelfile import Model
from rosenblatt.version import __version__

MOST_LINES = 200  # of a tree in words
MOST_DRAWN = 60  # nodes
MEANING = {
    "separation": "The weights are applied to every row in exact arithmetic, and every row must be on the right side. "
    "The support rows then bound the margin of any rule from above.",
    "contradiction": "The signed rows, multiplied by their weights, are added up in whole numbers. The sum is zero, "
    "so no weights can be right on all of these rows. Under constraints, what is left of the sum points against them.",
    "joint separation": "The weights of all classes are applied to every row in exact arithmetic, and the largest "
    "score must be that of its class. The support rows then bound the margin of any rule from above.",
    "joint contradiction": "Each row demands a higher score for its own class than for another. These demands, "
    "multiplied by their weights, are added up in whole numbers. The sum is zero, so no scores can be right on all of "
    "these rows.",
    "joint error interval": "The rule's mistakes are counted again by exact scores. The contradictions are checked one "
    "by one; any rule is wrong at least once in each, and the fewest rows that hit them all are counted.",
    "cost interval": "The cost of the rule's mistakes is added up again, by exact signs. The contradictions are "
    "checked one by one; any rule is wrong on a row of each, and the cheapest rows that hit all of them are priced.",
    "error interval": "The rule's mistakes are counted again by exact signs. The contradictions are checked one by "
    "one; any rule is wrong at least once in each, and the fewest rows that hit them all are counted.",
}


def contents_of(data: Data, learned: Learned, model: Model, notes: tuple[str, ...], command: str) -> ReportContents:
    """The contents of the report on a rule; `command` checks its proofs."""
    trained, rule = learned.trained, learned.rule
    card, why_not = _card(model, learned)
    scores, codes = _scores(learned, model, card)
    wrong = (codes != trained.y) & (codes != UNDECIDED)
    missed = np.flatnonzero(wrong)
    error, why_stopped = learned.error, rule.stop_sentence(trained.weights)
    return ReportContents(
        title=_title(data),
        source=data.table.source,
        verdict=_verdict(learned, model),
        target=data.encoding.target.name,
        classes=data.classes,
        n=trained.n,
        error=None
        if error is None
        else ErrorRate(error.mistakes, error.rows, error.lower, error.upper, error.confidence, _which(learned)),
        facts=_facts(learned, model),
        of_new_rows=_of_new_rows(learned),
        card=card,
        why_no_card=why_not,
        scores=scores,
        labels=trained.y,
        wrong=wrong,
        columns=_columns(data, trained),
        proofs=tuple(ReportProof(c.statement, command, MEANING.get(c.kind, "")) for c in model.certificates),
        fingerprint=str(model.data["sha256"]) if model.data else "",
        version=__version__,
        made=now(),
        learned=f"{rule.name}, because {learned.why}. {why_stopped}",
        warnings=(*notes, *_beside_constant(learned)),
        mistakes=_mistakes(learned, scores, codes, missed[:20]),
        n_mistakes=int(missed.size),
        contradictions=_contradictions(learned),
        learning=_learning(learned),
        judging=shown_judging(learned),
        **_cut_offs(model, card),
        path=rule.column_path,
        **_tree(learned),
    )


def _columns(data: Data, trained: Data) -> tuple[ColumnRead, ...]:
    """How the columns were read, and which of them the rule does without."""
    pairs = zip(data.encoding.columns, trained.encoding.columns, strict=True)
    return tuple(ColumnRead(c.name, c.kind, u.why if isinstance(u, IgnoredColumn) else "") for c, u in pairs)


def now() -> str:
    """The time at which a page is made."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _beside_constant(learned: Learned) -> tuple[str, ...]:
    """A warning if the rule is not clearly better than predicting the same class for every row."""
    baseline = learned.baseline
    if baseline is None or baseline.clearly_better:
        return ()
    statement = baseline.statement(learned.costs.are_counts)
    return (f"On rows not used in learning, {statement[0].lower()}{statement[1:]}",)


def _tree(learned: Learned) -> dict[str, Any]:
    """A tree in words, and as a drawing of its upper levels."""
    if learned.rule.tree is None:
        return {}
    tree = table_tree(learned.trained.encoding, learned.rule.tree)
    lines, more = first_lines(tree, MOST_LINES)
    note = [f"and {more:,} more lines: use rosenblatt explain to see all"] if more else []
    drawn = np.searchsorted(np.sort(tree.depths), range(max(tree.depths) + 2))[1:]  # nodes up to each depth
    depth = max(int((drawn <= MOST_DRAWN).sum()) - 1, 1)
    return {"tree": "\n".join([*lines, *note]), "picture": svg_of(tree, most_depth=depth)}


def _title(data: Data) -> str:
    target = data.encoding.target.name
    return f"When is {target} {data.classes[1]}?" if len(data.classes) == 2 else f"Which {target}?"


def _verdict(learned: Learned, model: Model) -> str:
    """The main result, in one sentence."""
    kinds = ErrorInterval | CostInterval | JointErrorInterval
    interval = next((c for c in model.certificates if isinstance(c, kinds)), None)
    proof = getattr(learned.verdict, "certificate", None)
    made = f"The rule makes {many(learned.mistakes, 'mistake')} on {many(learned.trained.n, 'row')}."
    if isinstance(proof, Separation | JointSeparation):
        if learned.mistakes:
            return f"{proof.verdict} that this one was learned from, which is proved. {made}"
        return f"{proof.verdict} that it was learned from, which is proved."
    mistakes = interval.statement if interval else made
    if isinstance(proof, Contradiction | JointContradiction):
        return f"{proof.verdict}, which is proved. {mistakes}"
    return mistakes


def _facts(learned: Learned, model: Model) -> tuple[Fact, ...]:
    n, tree = learned.trained.n, learned.rule.tree
    before = "" if model.decision is None or model.decision.rung is None else ", before the cut-off"
    share = f"{learned.mistakes / n:.1%} of them{before}"
    facts = [Fact("mistakes on these rows", f"{learned.mistakes:,}", share)]
    if not learned.costs.are_counts:
        facts.append(
            Fact("cost of these mistakes", f"{learned.cost:,.6g}", learned.costs.in_words(learned.trained.classes))
        )
    if tree is not None:
        leaves, tests = len(tree.leaves), len(tree.nodes) - len(tree.leaves)
        facts.append(Fact("leaves", f"{leaves:,}", f"below {many(tests, 'test')}, {max(tree.depths)} deep"))
    if learned.rule.cone:
        many_columns = many(len(by_column(learned.trained.encoding, learned.rule.cone)), "column")
        said = points_in_words(learned.trained.encoding, learned.rule.cone)
        facts.append(Fact("kept constraints on", many_columns, f"{said} By the signs of the weights; proved"))
    under = " under the constraints" if learned.rule.cone else ""
    for certificate in model.certificates:
        if isinstance(certificate, Separation | JointSeparation):
            said = "in the rule's scaled features; proved"
            facts.append(Fact(f"largest margin{under}, at least", f"{certificate.lower:.4g}", said))
        if isinstance(certificate, ErrorInterval | JointErrorInterval) and certificate.lower:
            said = "mistakes on the training rows; proved"
            facts.append(Fact(f"no rule{under} makes fewer than", f"{certificate.lower:,}", said))
        if isinstance(certificate, CostInterval) and certificate.lower:
            least, said = certificate.unit * certificate.lower, "on the training rows; proved"
            facts.append(Fact(f"no rule's mistakes{under} cost less than", f"{least:,.6g}", said))
    return tuple(facts)


def _which(learned: Learned) -> str:
    """Among which rows errors are counted."""
    judged = learned.judged
    assert judged is not None
    assert judged.error is not None
    return f"{judged.error.which}{' that are decided' if judged.left_to_people else ''}"


def _of_new_rows(learned: Learned) -> tuple[Fact, ...]:
    """What mistakes on new rows cost, which of these rows are left to people, and what is guaranteed."""
    judged, made = learned.judged, learned.decided
    facts = []
    if judged is not None and judged.baseline is not None and not learned.costs.are_counts:
        always = f"always {judged.baseline.label}: {judged.baseline.cost:,.6g}"
        facts.append(Fact("cost of the mistakes on new rows", f"{judged.baseline.rule_cost:,.6g}", always))
    if judged is not None and made is not None and made.decision.asks:
        rows = judged.answers.y.size
        facts.append(
            Fact(
                "left to people",
                f"{judged.left_to_people / rows:.1%}",
                f"{judged.left_to_people:,} of {rows:,} new rows",
            )
        )
    if made is not None and made.guarantee is not None:
        for count in made.guarantee.claims:
            sure = f"{100 * made.guarantee.confidence:.12g}% confidence"
            among = count.tolerance.statement(made.guarantee.names).partition(" of the ")[2]
            rate = f"at most {100 * count.tolerance.rate:.12g}%"
            facts.append(Fact("guaranteed", rate, f"of the {among}, with {sure}"))
    return tuple(facts)


def _cut_offs(model: Model, card: Scorecard | None) -> dict[str, Any]:
    """Where the cut-offs are among the scores shown, and which rows are left to people."""
    if (decision := model.decision) is None or decision.rung is None:
        return {}
    ends = [end for end in (decision.rung.lower, decision.rung.upper) if end is not None]
    shown = tuple(sorted({end if card is None else in_points(model, card, end) for end in ends}))
    people = ""
    if decision.asks:
        sides = "left" if decision.rung.lower is None else "right"
        people = f"Rows to the {sides} of the line" if len(ends) == 1 else "Rows between the lines"
        people = people if ends else "All rows"
    return {"cut_offs": shown, "left_to_people": people}


def _card(model: Model, learned: Learned) -> tuple[Scorecard | None, str]:
    try:
        return with_rates(card_of(model), learned.trained), ""
    except OptionError as error:
        return None, str(error)


def _scores(learned: Learned, model: Model, card: Scorecard | None) -> tuple[Array, Array]:
    """The lead of the predicted class in each row, in points, and what is decided."""
    seen = learned.trained.seen
    codes = model.codes(seen)
    if learned.rule.tree is not None:
        return np.empty(0), codes  # a tree has shares, not points
    scores = learned.rule.scores(seen)
    if card is not None:
        scores = in_points(model, card, scores)
    return leads(scores) if scores.ndim == 2 else scores, codes


def _row(data: Data, row: int, cells: dict[str, Any], **more: Any) -> ShownRow:
    target = data.encoding.target.name
    values = tuple((name, "" if value is None else str(value)) for name, value in cells.items() if name != target)
    return ShownRow(data.number(row), data.classes[data.y[row]], values, **more)


def _mistakes(learned: Learned, scores: Array, codes: Array, missed: Array) -> tuple[ShownRow, ...]:
    data = learned.trained
    predicted = codes[missed]
    shown = data.shown(missed)
    return tuple(
        _row(data, int(row), cells, predicted=data.classes[label], score=float(scores[row]) if scores.size else None)
        for row, cells, label in zip(missed, shown, predicted, strict=True)
    )


def _contradictions(learned: Learned) -> tuple[ShownContradiction, ...]:
    proof = getattr(learned.verdict, "certificate", None)
    if not isinstance(proof, Contradiction | JointContradiction):
        return ()
    data = learned.trained
    if isinstance(proof, JointContradiction):
        why = "In these proportions, the demands of the rows on the scores of the classes cancel out."
    else:
        why = f"In these proportions, the averages of the two classes coincide{but_for(data, proof)}."
    pairs = sorted(zip(proof.rows, proof.weights, strict=True), key=lambda pair: -pair[1])
    shown = data.shown([row for row, _ in pairs])
    total = sum(proof.weights)
    rows = tuple(
        _row(data, row, cells, share=weight / total) for (row, weight), cells in zip(pairs, shown, strict=True)
    )
    return (ShownContradiction(why, rows),)


def _learning(learned: Learned) -> tuple[Array, Array] | None:
    """The mistakes during learning, for a run with a ledger on two classes."""
    form, run = learned.rule.linear, learned.rule.run
    if run is None or form is None or len(learned.trained.classes) > 2 or form.unit_rows or form.bias != 1.0:
        return None
    return mistakes_along(run.ledger, learned.trained.examples(), ties_named(run.ties))
