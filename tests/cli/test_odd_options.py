"""Every option with a value out of its set, with every algorithm: refused in one line, before the table is read."""

import re

import pytest

from cli.running import run
from rosenblatt.desk.learning.choosing import STANDS_FOR, options_of
from rosenblatt.registry import ALGORITHMS

USAGE, BAD = 2, 3
OF_NO_USE_ALONE = {("perceptron", "margin"), ("kernel", "random_state")}  # only other options make them matter
FEWEST = "fewest-mistakes"
ODD = ("foo", "-1", "nan")


def unread(*options):
    """Learn from a table that is not there: what is refused before it is read names the option, not the table."""
    return run("fit", "nowhere.csv", "-t", "y", "-o", "new.json", *options)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--text", "text must be 'vocabulary' or 'hashed', not 'foo'"),
        ("--format", "unknown format 'foo'; choose one of csv, .*"),
        ("--delimiter", "the delimiter must be one character, .*, not 'foo'"),
        ("--kind", "--kind needs COLUMN=KIND, .*, not 'foo'"),
        ("--kind=x", "column 'x': unknown kind 'foo'; choose one of number, .*"),
        ("--algorithm", "the algorithm must be one of auto, .*, not 'foo'"),
        ("--class-weight", "--class-weight needs CLASS=COST, .*, not 'foo'"),
    ],
)
def test_the_default_algorithm_refuses_words(option, words):
    typed = (f"{option}=foo",) if "=" in option else (option, "foo")
    ran = unread(*typed)
    assert re.fullmatch(f"rosenblatt: {words}\n", ran.err)
    assert ran.code == USAGE


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--ties", "ties must be one of 'mistake', 'plus', 'minus', 'correct', not 'foo'"),
        ("--order", "order must be one of 'active', .*, not 'foo'"),
        ("--start", "start must be one of zeros, first, random, not 'foo'"),
    ],
)
def test_options_of_other_algorithms_refuse_words_and_the_default_one_says_which_have_them(option, words):
    ran = unread("-a", FEWEST, option, "foo")
    assert re.fullmatch(f"rosenblatt: {words}\n", ran.err)
    assert ran.code == USAGE
    ran = unread(option, "foo")
    told = f"the default rule has no option '{option[2:]}': choose the algorithm with -a, one of perceptron, .*"
    assert re.fullmatch(f"rosenblatt: {told}\n", ran.err)
    assert ran.code == USAGE


@pytest.mark.parametrize("algorithm", [*STANDS_FOR, *ALGORITHMS])
def test_no_value_of_any_option_is_a_mistake_of_ours(algorithm):
    _, known = options_of(STANDS_FOR[algorithm][-1] if algorithm in STANDS_FOR else algorithm, {})
    for option in sorted(known):
        codes = set()
        for value in ODD:
            ran = unread("-a", algorithm, "--set", f"{option}={value}")
            told = ran.err.removeprefix("rosenblatt: ")
            assert ran.code in (USAGE, BAD), (option, value, ran.err)
            assert told.count("\n") == 1
            assert ran.code == USAGE or told.startswith("nowhere.csv: no such file")
            codes.add(ran.code)
        assert USAGE in codes or (algorithm, option) in OF_NO_USE_ALONE, option
