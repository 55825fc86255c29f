"""Linear yes/no rules, learned with proof."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.version import __version__ as __version__

if TYPE_CHECKING:
    from rosenblatt.desk.load import load_model as load_model
    from rosenblatt.estimators.averaged import AveragedPerceptron as AveragedPerceptron
    from rosenblatt.estimators.kernel import KernelPerceptron as KernelPerceptron
    from rosenblatt.estimators.lifted import LiftedPerceptron as LiftedPerceptron
    from rosenblatt.estimators.margin_perceptron import MarginPerceptron as MarginPerceptron
    from rosenblatt.estimators.online import OnlinePerceptron as OnlinePerceptron
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive as PassiveAggressive
    from rosenblatt.estimators.perceptron import Perceptron as Perceptron
    from rosenblatt.estimators.pocket import PocketPerceptron as PocketPerceptron
    from rosenblatt.estimators.river_adapter import RiverPerceptron as RiverPerceptron
    from rosenblatt.estimators.tree import PerceptronTree as PerceptronTree
    from rosenblatt.estimators.voted import VotedPerceptron as VotedPerceptron
    from rosenblatt.learn.choices import Reason as Reason
    from rosenblatt.learn.ledger import Ledger as Ledger
    from rosenblatt.prove.check.certificate import Certificate as Certificate
    from rosenblatt.prove.solve.margin import margin as margin
    from rosenblatt.prove.solve.optimality import optimality as optimality
    from rosenblatt.prove.solve.separability import separability as separability
    from rosenblatt.prove.theory import bounds as bounds
    from rosenblatt.prove.theory import risk as risk
    from rosenblatt.rows.examples import Examples as Examples
    from rosenblatt.ship.file.modelfile import Model as Model
    from rosenblatt.ship.file.modelfile import save_model as save_model

_HOME = {
    "AveragedPerceptron": "rosenblatt.estimators.averaged",
    "Certificate": "rosenblatt.prove.check.certificate",
    "Examples": "rosenblatt.rows.examples",
    "KernelPerceptron": "rosenblatt.estimators.kernel",
    "Ledger": "rosenblatt.learn.ledger",
    "LiftedPerceptron": "rosenblatt.estimators.lifted",
    "MarginPerceptron": "rosenblatt.estimators.margin_perceptron",
    "Model": "rosenblatt.ship.file.modelfile",
    "OnlinePerceptron": "rosenblatt.estimators.online",
    "PassiveAggressive": "rosenblatt.estimators.passive_aggressive",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "PerceptronTree": "rosenblatt.estimators.tree",
    "PocketPerceptron": "rosenblatt.estimators.pocket",
    "Reason": "rosenblatt.learn.choices",
    "RiverPerceptron": "rosenblatt.estimators.river_adapter",
    "VotedPerceptron": "rosenblatt.estimators.voted",
    "bounds": "rosenblatt.prove.theory",
    "load_model": "rosenblatt.desk.load",
    "margin": "rosenblatt.prove.solve.margin",
    "optimality": "rosenblatt.prove.solve.optimality",
    "risk": "rosenblatt.prove.theory",
    "save_model": "rosenblatt.ship.file.modelfile",
    "separability": "rosenblatt.prove.solve.separability",
}

__all__ = [
    "AveragedPerceptron",
    "Certificate",
    "Examples",
    "KernelPerceptron",
    "Ledger",
    "LiftedPerceptron",
    "MarginPerceptron",
    "Model",
    "OnlinePerceptron",
    "PassiveAggressive",
    "Perceptron",
    "PerceptronTree",
    "PocketPerceptron",
    "Reason",
    "RiverPerceptron",
    "VotedPerceptron",
    "bounds",
    "load_model",
    "margin",
    "optimality",
    "risk",
    "save_model",
    "separability",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(_HOME[name])
    return getattr(home, name) if hasattr(home, name) else import_module(f"{_HOME[name]}.{name}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
