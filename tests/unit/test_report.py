"""A report is one well-formed page: nothing in it is markup that was not meant, and nothing is fetched."""

import re
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from rosenblatt import Examples, Perceptron
from rosenblatt.errors import MissingExtraError
from rosenblatt.read.encode.columns import CategoryColumn, NumberColumn, TextColumn
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.rows.find import count
from rosenblatt.rows.kernels import TIES
from rosenblatt.ship.explain import plots
from rosenblatt.ship.explain.report import (
    ColumnRead,
    ErrorRate,
    Fact,
    ReportContents,
    ReportProof,
    ShownContradiction,
    ShownRow,
    report_of,
)
from rosenblatt.ship.explain.scorecard import scorecard
from rosenblatt.ship.export.points import PointRule

HOSTILE = "<script>alert('x')</script>\" onload=\"&amp;\x00\x1f ]]> --> $x^2$ https://evil.example \N{PILE OF POO}"
VOID = {"meta", "br", "wbr", "link", "input", "img", "hr"}


class Page(HTMLParser):
    """Opens and closes, attributes and texts, as a browser sees them."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts = [], Counter(), [], []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        self.texts.append(data)


def card_for(name="months", classes=("bad", "good")):
    columns = (
        NumberColumn.of(name, least=0.0, most=60.0, mean=20.0, deviation=12.0, missing=True),
        CategoryColumn("check", ("none", name), True, False),
        TextColumn("note", tuple(f"word{k}" for k in range(30))),
    )
    encoding = Encoding(columns, Target(name, classes))
    many = 1 if len(classes) == 2 else len(classes)
    weights = tuple(tuple(float(k + j + 1) for j in range(encoding.size)) for k in range(many))
    return scorecard(PointRule(encoding, weights, (0.5,) * many, False))


def findings(text="plain", n=200, classes=("bad", "good"), **changes):
    rng = np.random.default_rng(0)
    labels = rng.integers(len(classes), size=n)
    scores = rng.normal(size=n) * 50 + 40 * (2 * (labels > 0) - 1)
    row = ShownRow(14, text, ((text, text), ("months", "48")), predicted=text, score=-12.34)
    made = ReportContents(
        title=text, source=text, verdict=text, target=text, classes=classes, n=n,
        error=ErrorRate(48, 200, 0.184, 0.305, 0.95), facts=(Fact(text, text, text),), card=card_for(text, classes),
        why_no_card="", scores=scores, labels=labels, wrong=(scores > 0) != (labels > 0),
        columns=(ColumnRead(text, "number", text),), proofs=(ReportProof(text, text, text),), fingerprint=text,
        version="1.0", made=text, learned=text, warnings=(text,), mistakes=(row,) * 30, n_mistakes=45,
        contradictions=(ShownContradiction(text, (row,) * 20),) * 7, learning=(np.arange(5), np.arange(5)[::-1]),
    )  # fmt: skip
    return replace(made, **changes)


def test_the_page_is_well_formed_and_whole():
    page = Page(report_of(findings("months_of_credit")))
    text = "".join(page.texts)
    for said in (
        "24.0%",
        "18.4% to 30.5% with 95% confidence",
        "The rule is wrong on 45 of 200 training rows",
        "The first 20 are shown",
        "row 14",
    ):
        assert said in text
    for part in (
        "The rule",
        "How clear the decisions are",
        "Mistakes",
        "Rows that contradict each other",
        "Proofs, and how to check them",
    ):
        assert part in page.texts
    assert page.tags["svg"] == 3
    assert page.tags["script"] == page.tags["link"] == page.tags["img"] == 0
    assert "and 10 more" in text  # words
    assert "and 2 more contradictions" in text
    assert "and 8 more rows" in text
    assert "@media print" in text


def test_no_text_of_the_table_becomes_markup():
    plain, hostile = Page(report_of(findings())), Page(report_of(findings(HOSTILE)))
    del plain.tags["wbr"], hostile.tags["wbr"]
    assert hostile.tags == plain.tags | Counter({tag: hostile.tags[tag] for tag in ("g", "path", "use", "text")})
    assert hostile.tags["script"] == 0
    assert not any(name.startswith("on") for name, _ in hostile.attributes)
    assert sum("<script>alert('x')</script>" in text for text in hostile.texts) > 10
    assert "\x00" not in "".join(hostile.texts)


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_nothing_is_fetched(text):
    page = Page(report_of(findings(text)))
    for name, value in page.attributes:
        assert not re.search(r"https?:|//|data:|javascript:", value or ""), (name, value)
    style = "".join(part for part in page.texts if "@media" in part)
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize("classes", [("bad", "good"), ("a", "b", "c", "d")])
def test_every_id_is_there_once_and_every_reference_has_one(classes):
    html = report_of(findings(classes=classes))
    page = Page(html)
    ids = Counter(value for name, value in page.attributes if name == "id")
    assert set(ids.values()) == {1}
    references = re.findall(r"url\(#([^)]*)\)", html)
    references += [value[1:] for name, value in page.attributes if name.endswith("href")]
    assert references
    assert set(references) <= set(ids)
    assert page.tags["svg"] == (3 if len(classes) == 2 else 5)


def test_colours_are_the_page_s():
    html = report_of(findings())
    assert "var(--yes)" in html
    assert not any(stand_in in html for stand_in in plots.COLOURS.values())


def test_a_million_rows_make_no_larger_page():
    small, large = (len(report_of(findings(n=n))) for n in (200, 1_000_000))
    assert large < 1.2 * small < 250_000


def test_what_is_not_there_is_left_out():
    page = Page(report_of(findings(
        card=None, why_no_card="A vote has no points.", scores=np.empty(0), learning=None, mistakes=(), n_mistakes=0,
        contradictions=(), error=None, columns=(), proofs=(), warnings=(),
    )))  # fmt: skip
    assert page.tags["svg"] == page.tags["table"] == 0
    assert "A vote has no points." in page.texts
    assert "How the columns were read" not in page.texts
    assert "The rule makes no mistakes on the training rows." in "".join(page.texts)


def test_equal_scores_and_one_row_have_a_plot():
    for scores in (np.zeros(3), np.array([1e300, -1e300, 0.0]), np.array([5.0])):
        labels = np.arange(scores.size) % 2
        assert "<svg" in plots.margins(scores, labels, labels == 1, ("no", "yes"))


def test_without_matplotlib_the_command_to_install_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=re.escape('pip install "rosenblatt[plot]"')):
        report_of(findings())


def test_mistakes_along_a_run_are_those_of_its_states(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -2.0, 0.5] > 0.3
    rule = Perceptron(order="cyclic").fit(X, y)
    examples, ties = Examples.of(X, y), TIES["mistake"]
    at, wrong = plots.mistakes_along(rule.ledger_, examples, ties)
    assert at[0] == 0
    assert at[-1] == len(rule.ledger_)
    assert wrong[-1] == 0
    assert wrong.tolist() == [count(examples, rule.ledger_.replay(examples, t), ties) for t in at.tolist()]
    monkeypatch.setattr(plots, "LOOKS", 60 * 4 * 3)
    assert plots.mistakes_along(rule.ledger_, examples, ties)[0].tolist() == [
        0,
        len(rule.ledger_) // 2,
        len(rule.ledger_),
    ]
