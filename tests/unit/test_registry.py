"""Every rule is listed once; what is made from the list agrees with it."""

import inspect

import numpy as np
import pytest

import rosenblatt
from rosenblatt import options, registry
from rosenblatt.cli.commands import fit
from rosenblatt.errors import OptionError
from rosenblatt.learn.choices import TIES, Order
from rosenblatt.rules.rule import KeptArrays, Rule
from rosenblatt.ship.file.schemas import GROUPS
from rosenblatt.vocabulary import ORDERS, TIE_RULES


@pytest.fixture(params=registry.RULES, ids=lambda entry: entry.name)
def entry(request):
    return request.param


def test_an_entry_names_a_rule_and_its_estimator(entry):
    assert issubclass(entry.estimator, entry.rule)
    assert issubclass(entry.rule, Rule)
    assert entry.estimator.__name__ == entry.rule.name == entry.name
    assert getattr(rosenblatt, entry.name) is entry.estimator


def test_every_option_has_a_kind_and_a_default_of_that_kind(entry):
    kinds, parameters = options.kinds_of(entry.rule), inspect.signature(entry.rule).parameters
    assert list(kinds) == list(parameters)
    for name, kind in kinds.items():
        kind.check(name, parameters[name].default)


def test_an_option_that_is_not_of_its_kind_is_refused_by_name(entry):
    for name, kind in options.kinds_of(entry.rule).items():
        if not isinstance(kind, options.Special):
            for rule in (entry.rule(**{name: object()}), entry.estimator(**{name: object()})):
                with pytest.raises(OptionError, match=f"^{name} must be "):
                    rule.check_options()


def test_a_subclass_with_options_of_its_own_is_checked_as_its_base_is():
    class Mine(rosenblatt.Perceptron):
        def __init__(self, ties="mistake", extra=None):
            super().__init__(ties=ties)
            self.extra = extra

    assert list(options.kinds_of(Mine)) == ["ties"]
    with pytest.raises(OptionError, match=r"^ties must be one of"):
        Mine("odd").fit([[0.0], [1.0]], [0, 1])
    assert registry.entry_of(Mine()) is None


def test_the_words_that_the_help_tells_are_those_that_rules_take():
    assert tuple(Order) == ORDERS
    assert tuple(TIES) == TIE_RULES
    known = {name for entry in registry.ALGORITHMS.values() for name in options.kinds_of(entry.rule)}
    told = inspect.signature(fit.run).parameters
    assert {"order", "ties", "start", "bias_scale", "normalize", "max_passes", "patience"} <= known & set(told)


def test_what_a_rule_keeps_is_known_to_the_model_file(entry):
    if entry.name != "OnlinePerceptron":  # whose state is a record of its own
        assert entry.rule.keeps
        assert all(isinstance(each, KeptArrays) or each in GROUPS for each in entry.rule.keeps)


def test_a_rule_becomes_an_estimator_that_shares_what_it_learned(entry):
    if entry.name == "OnlinePerceptron":
        rule = entry.rule().fit([[0.0], [1.0]], [0, 1])
    else:
        rule = entry.rule().fit(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1]))
    estimator = registry.estimator_of(rule)
    assert type(estimator) is entry.estimator
    assert vars(estimator) is vars(rule)
    assert registry.estimator_of(estimator) is estimator
    assert estimator.get_params() == rule.options()
