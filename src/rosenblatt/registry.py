"""Every rule, once: its name in Python and in model files, its name in the command, and where it is.

Nothing is imported until a rule is used. The command's algorithms, the model file's tables and the public names
follow from this list; the tables of estimators in the README and in docs/modelfile.md do not.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import OptionError

if TYPE_CHECKING:  # what `from rosenblatt import` gives, for type checkers
    from rosenblatt.estimators.averaged import AveragedPerceptron as AveragedPerceptron
    from rosenblatt.estimators.cross_validated import PerceptronCV as PerceptronCV
    from rosenblatt.estimators.kernel import KernelPerceptron as KernelPerceptron
    from rosenblatt.estimators.lifted import LiftedPerceptron as LiftedPerceptron
    from rosenblatt.estimators.margin_perceptron import MarginPerceptron as MarginPerceptron
    from rosenblatt.estimators.online import OnlinePerceptron as OnlinePerceptron
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive as PassiveAggressive
    from rosenblatt.estimators.perceptron import Perceptron as Perceptron
    from rosenblatt.estimators.pocket import PocketPerceptron as PocketPerceptron
    from rosenblatt.estimators.second_order import SecondOrderPerceptron as SecondOrderPerceptron
    from rosenblatt.estimators.soft_margin import SoftMarginPerceptron as SoftMarginPerceptron
    from rosenblatt.estimators.tree import PerceptronTree as PerceptronTree
    from rosenblatt.estimators.voted import VotedPerceptron as VotedPerceptron


@dataclass(frozen=True)
class RuleEntry:
    """A rule, and its estimator."""

    name: str  # of its estimator
    algorithm: str | None  # in the command; None: it is not offered there
    module: str  # in the room `rules`; the estimator's has the same name, in `estimators`
    rule_name: str

    @property
    def rule(self) -> Any:
        """The class of the rule, which needs no scikit-learn."""
        return getattr(import_module(f"rosenblatt.rules.{self.module}"), self.rule_name)

    @property
    def home(self) -> str:
        """The module of the estimator."""
        return f"rosenblatt.estimators.{self.module.rpartition('.')[2]}"

    @property
    def estimator(self) -> Any:
        """The class of the estimator."""
        return getattr(import_module(self.home), self.name)


RULES = (
    RuleEntry("Perceptron", "perceptron", "linear.perceptron", "PerceptronRule"),
    RuleEntry("PocketPerceptron", "pocket", "linear.pocket", "PocketRule"),
    RuleEntry("PerceptronCV", "cv", "linear.cross_validated", "CrossValidatedRule"),
    RuleEntry("LiftedPerceptron", "lifted", "linear.lifted", "LiftedRule"),
    RuleEntry("SoftMarginPerceptron", "soft-margin", "linear.soft_margin", "SoftMarginRule"),
    RuleEntry("AveragedPerceptron", "averaged", "linear.averaged", "AveragedRule"),
    RuleEntry("VotedPerceptron", "voted", "linear.voted", "VotedRule"),
    RuleEntry("MarginPerceptron", "margin", "linear.margin_perceptron", "MarginRule"),
    RuleEntry("KernelPerceptron", "kernel", "kernel", "KernelRule"),
    RuleEntry("PassiveAggressive", "pa", "linear.passive_aggressive", "AggressiveRule"),
    RuleEntry("SecondOrderPerceptron", "second-order", "linear.second_order", "SecondOrderRule"),
    RuleEntry("PerceptronTree", "tree", "tree", "TreeRule"),
    RuleEntry("OnlinePerceptron", None, "online", "OnlineRule"),
)
DECISION_RULE = ("rosenblatt.estimators.decision_rule", "DecisionRule")  # what holds a rule and a decision
NAMED = {entry.name: entry for entry in RULES}
ALGORITHMS = {entry.algorithm: entry for entry in RULES if entry.algorithm is not None}


def entry_of(rule: Any) -> RuleEntry | None:
    """The entry of a rule or an estimator; None for others, and for subclasses, which may differ in anything."""
    entry, made = NAMED.get(getattr(rule, "name", "")), type(rule)
    known = () if entry is None else ((entry.home, entry.name), (f"rosenblatt.rules.{entry.module}", entry.rule_name))
    return entry if (made.__module__, made.__name__) in known else None


def parts_of(estimator: Any) -> tuple[Any, Any]:
    """The rule that an estimator is, and a decision, or None: of a `DecisionRule`, the rule in it and its own."""
    if (type(estimator).__module__, type(estimator).__name__) != DECISION_RULE:
        return estimator, None
    if not hasattr(estimator, "decision_"):
        raise OptionError("this DecisionRule has not learned yet")
    return estimator.estimator_, estimator.decision_


def with_decision(estimator: Any, decision: Any) -> Any:
    """A fitted estimator that decides like this."""
    home, name = DECISION_RULE
    return estimator if decision is None else getattr(import_module(home), name).of(estimator, decision)


def estimator_of(rule: Any) -> Any:
    """A rule as an estimator of scikit-learn: itself if it is one, else one that shares its attributes."""
    entry = entry_of(rule)
    if entry is None or type(rule) is not entry.rule:
        return rule
    face = entry.estimator
    made = face.__new__(face)
    made.__dict__ = rule.__dict__
    return made
