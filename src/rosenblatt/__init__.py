"""Linear yes/no rules, learned with proof."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.estimators.perceptron import Perceptron as Perceptron
    from rosenblatt.examples import Examples as Examples
    from rosenblatt.learn.ledger import Ledger as Ledger
    from rosenblatt.learn.rules import Reason as Reason
    from rosenblatt.prove.margin import margin as margin
    from rosenblatt.prove.separability import separability as separability

__version__ = "0.1.0"

_HOME = {
    "Examples": "rosenblatt.examples",
    "Ledger": "rosenblatt.learn.ledger",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "Reason": "rosenblatt.learn.rules",
    "margin": "rosenblatt.prove.margin",
    "separability": "rosenblatt.prove.separability",
}

__all__ = ["Examples", "Ledger", "Perceptron", "Reason", "margin", "separability"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
