"""Linear yes/no rules, learned with proof."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt import registry
from rosenblatt.version import __version__ as __version__

if TYPE_CHECKING:
    from rosenblatt.desk.load import load_model as load_model
    from rosenblatt.estimators.decision_rule import DecisionRule as DecisionRule
    from rosenblatt.estimators.river_adapter import RiverPerceptron as RiverPerceptron
    from rosenblatt.learn.choices import Reason as Reason
    from rosenblatt.learn.ledger import Ledger as Ledger
    from rosenblatt.prove.check.certificate import Certificate as Certificate
    from rosenblatt.prove.solve.margin import margin as margin
    from rosenblatt.prove.solve.optimality import optimality as optimality
    from rosenblatt.prove.solve.separability import separability as separability
    from rosenblatt.prove.solve.soft_margin_path import soft_margin_path as soft_margin_path
    from rosenblatt.prove.theory import bounds as bounds
    from rosenblatt.prove.theory import risk as risk
    from rosenblatt.registry import *  # noqa: F403
    from rosenblatt.rows.examples import Examples as Examples
    from rosenblatt.ship.file.modelfile import Model as Model
    from rosenblatt.ship.file.modelfile import save_model as save_model

_HOME = {
    "Certificate": "rosenblatt.prove.check.certificate",
    "DecisionRule": "rosenblatt.estimators.decision_rule",
    "Examples": "rosenblatt.rows.examples",
    "Ledger": "rosenblatt.learn.ledger",
    "Model": "rosenblatt.ship.file.modelfile",
    "Reason": "rosenblatt.learn.choices",
    "RiverPerceptron": "rosenblatt.estimators.river_adapter",
    "bounds": "rosenblatt.prove.theory",
    "load_model": "rosenblatt.desk.load",
    "margin": "rosenblatt.prove.solve.margin",
    "optimality": "rosenblatt.prove.solve.optimality",
    "risk": "rosenblatt.prove.theory",
    "save_model": "rosenblatt.ship.file.modelfile",
    "separability": "rosenblatt.prove.solve.separability",
    "soft_margin_path": "rosenblatt.prove.solve.soft_margin_path",
    **{entry.name: entry.home for entry in registry.RULES},
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(_HOME[name])
    return getattr(home, name) if hasattr(home, name) else import_module(f"{_HOME[name]}.{name}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
