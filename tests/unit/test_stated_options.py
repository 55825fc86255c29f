"""Options are stated once, on the classes of rules and commands; signatures and documentation follow from there."""

import inspect
import re
from dataclasses import dataclass
from typing import Annotated

import pytest

from rosenblatt import registry
from rosenblatt.cli.groups import flattened
from rosenblatt.options import Flag, Whole, documentation_of, options_of, with_options
from rosenblatt.rules.linear.deciding import LinearRule
from rosenblatt.rules.rule import Rule


@with_options
class Passes:
    passes: Annotated[int, Whole(1), "How many passes."] = 10
    shuffle: Annotated[bool, Flag(), "Whether to shuffle."] = False


@with_options
class Mine(Passes):
    margin: Annotated[int | str, Whole(0, words=("auto",)), "How wide."] = "auto"
    passes: Annotated[int, "Few are enough."] = 3
    shuffle = True


def test_own_options_come_first_and_sentences_are_added():
    assert str(inspect.signature(Mine)) == (
        "(*, margin: int | str = 'auto', passes: int = 3, shuffle: bool = True) -> None"
    )
    assert documentation_of(Mine).splitlines() == [
        'margin : int of at least 0 or "auto", default="auto"',
        "    How wide.",
        "passes : int of at least 1, default=3",
        "    How many passes. Few are enough.",
        "shuffle : bool, default=True",
        "    Whether to shuffle.",
    ]
    assert vars(Mine(margin=2)) == {"margin": 2, "passes": 3, "shuffle": True}
    assert vars(Passes()) == {"passes": 10, "shuffle": False}


def test_what_is_no_option_is_refused_as_python_does():
    with pytest.raises(TypeError, match=r"^Mine.__init__\(\) got an unexpected keyword argument 'margins'$"):
        Mine(margins=2)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        Mine(2)


@pytest.mark.parametrize("entry", registry.RULES, ids=lambda entry: entry.name)
def test_the_docstring_of_an_estimator_is_complete(entry):
    text, stated = entry.estimator.__doc__, options_of(entry.rule)
    parameters = text.split("Parameters\n----------\n")[1].split("\n\nAttributes\n")[0]
    assert re.findall(r"^(\w+) : ", parameters, re.M) == list(inspect.signature(entry.estimator).parameters)
    assert not re.search(r"\{[A-Z-]+\}", text)
    assert max(map(len, text.splitlines())) <= 120
    for option in stated.values():
        assert re.fullmatch(r"\S.*[.)]", option.documentation)
        assert option.documentation in " ".join(parameters.split())


@pytest.mark.parametrize("entry", registry.RULES, ids=lambda entry: entry.name)
def test_an_estimator_offers_what_users_want_and_answers_what_other_rooms_ask(entry):
    offered, estimator = set(dir(entry.estimator())), entry.estimator()
    assert {"get_params", "set_params", *inspect.signature(entry.estimator).parameters} <= offered
    others = {"check_encoding", "conventions", "rows_at_once", "see_whole", "stop_sentence", "keeps", "name"}
    assert not offered & others
    assert all(hasattr(estimator, name) for name in others)
    assert "replay" not in vars(Rule)
    if issubclass(entry.rule, LinearRule):
        assert {"fit", "predict", "decision_function", "replay"} <= offered


def test_a_command_takes_groups_of_options():
    @dataclass(frozen=True)
    class Few:
        json: bool = False

    @dataclass(frozen=True)
    class More(Few):
        force: bool = False

    seen = []

    @flattened
    def command(*, file: str, shown: More, last: int = 1) -> None:
        """What it does."""
        seen.append((file, shown, last))

    assert str(inspect.signature(command)) == (
        "(*, file: str, force: bool = False, json: bool = False, last: int = 1) -> None"
    )
    command(file="a", force=True, json=False, last=2)
    assert seen == [("a", More(force=True), 2)]
    assert command.__doc__ == "What it does."
