"""Verdicts and proofs are shown by their sentences: printed, at a prompt, and in a notebook."""

import re
from html import unescape

import numpy as np
import pytest

from rosenblatt import margin, optimality, separability
from rosenblatt.prove.solve.separability import Undecided
from rosenblatt.prove.theory import risk

X, SEPARABLE, NOT = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], [0, 1, 0, 1]
SAID = {
    "separable": separability(X, SEPARABLE),
    "not separable": separability(X, NOT),
    "several classes": separability(X, [0, 1, 2, 2]),
    "undecided": Undecided("There was <no> time."),
    "margin": margin(X, SEPARABLE),
    "no margin": margin(X, NOT),
    "fewest mistakes": optimality(X, NOT),
    "fewest mistakes of several classes": optimality(X, [0, 1, 2, 0]),
    "certificate": separability(X, SEPARABLE).certificate,
    "risk": risk.held_out(0, 100),
}


@pytest.mark.parametrize("name", SAID)
def test_the_sentence_is_what_is_shown(name):
    said = SAID[name]
    sentence = str(said)
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert repr(said) == f"<{type(said).__name__}: {sentence}>"
    shown = re.sub("</?(p|b)>", "", said._repr_html_())
    assert unescape(shown) == sentence


def test_the_verdict_is_in_bold():
    assert SAID["separable"]._repr_html_().startswith("<p><b>Linearly separable.</b> There are weights that are right")
    assert SAID["undecided"]._repr_html_() == "<p><b>Undecided.</b> There was &lt;no&gt; time.</p>"
    assert SAID["fewest mistakes"]._repr_html_().startswith("<p>The rule makes 1 mistake on 4 rows")


def test_a_verdict_is_neither_true_nor_false():
    for name in ("separable", "not separable", "several classes", "undecided"):
        with pytest.raises(TypeError, match=r"use \.separable"):
            bool(SAID[name])


def test_a_margin_tells_the_margin():
    for name in ("margin", "no margin"):
        said = SAID[name]
        assert str(said).endswith(f"between {said.lower!r} and {said.upper!r}.")
    assert str(SAID["no margin"]).startswith("No weights are right on all 4 rows")


def test_long_weights_are_not_shown(rng):
    verdict = separability(rng.normal(size=(20, 500)), np.arange(20) % 2)
    assert len(repr(verdict)) < 300


def test_a_row_that_is_impossible_by_itself():
    X = [[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]]
    two = separability(X[:2], [0, 1], fit_intercept=False)
    assert "on all 2 rows: one of them has nothing but zeros." in two.certificate.statement
    three = separability(X, [0, 1, 2], fit_intercept=False)
    assert "on all 3 rows: one of them contradicts itself, because the" in three.certificate.statement
