"""What a rule is: all that other rooms may use of it.

Linear rules, votes, kernels, trees and streams are rules. Files, exports, the desk and the command use what is declared
here, and never ask which kind they have. scikit-learn's faces (`estimators`) are rules that check their input as
scikit-learn does.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, ModelError, NotConverged, OptionError
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.ledger import Ledger
from rosenblatt.rows.cone import EVERYWHERE, Cone
from rosenblatt.rows.door import admitted
from rosenblatt.rows.kernels import Array

if TYPE_CHECKING:
    from rosenblatt.learn.selection.column_path import ColumnPath
    from rosenblatt.learn.tree.tree import Tree
    from rosenblatt.read.encode.encoding import Encoding
    from rosenblatt.read.table import Table


@dataclass(frozen=True, eq=False)
class Replayable:
    """A run that can be replayed: its corrections in order, and what it took for a mistake."""

    ledger: Ledger
    ties: str


@dataclass(frozen=True, eq=False)
class LinearForm:
    """A rule as weights: one row of them for two classes, or one for each class or pair of classes."""

    weights: Array  # the threshold's last
    bias: float  # the constant that the threshold's weight is multiplied by
    scheme: str | None  # how more than two classes were learned; None of two
    zero_is_yes: bool  # what a score of exactly zero is, of two classes
    unit_rows: bool  # whether rows are scaled to length 1 first

    @property
    def coefficients(self) -> Array:
        """The weights of the features."""
        return self.weights[:, :-1]

    @property
    def intercepts(self) -> Array:
        """What the threshold adds to a score."""
        return self.weights[:, -1] * self.bias


class KeptArrays(NamedTuple):
    """An attribute that a model file keeps: an array for each linear rule."""

    field: str  # in the file
    attribute: str
    square: bool = False  # one for each pair of weights; else one for each weight


class Rule(ABC):
    """What learns from rows, keeps what it learned, and answers for it."""

    name: ClassVar[str]  # of its estimator, in Python and in model files
    keeps: ClassVar[tuple[str | KeptArrays, ...]] = ()  # what a model file has of it: groups of fields, and arrays
    not_checkable: tuple[str, ...] = ()  # what it keeps that no table can confirm
    not_converged: ClassVar[type[Warning]] = NotConverged  # the category of its warnings

    classes_: Any
    n_features_in_: Any
    class_weight: Any = None
    _cone: Cone = EVERYWHERE

    # -- learning and deciding -----------------------------------------------------------------------------

    @abstractmethod
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""

    @abstractmethod
    def predict(self, X: Any) -> Array:
        """The label of every row."""

    @abstractmethod
    def scores(self, X: Any) -> Array:
        """The score of every row; for more than two classes, one of each class."""

    @property
    def cone(self) -> Cone:
        """The constraints that the signs of its weights keep."""
        return self._cone

    @property
    def column_path(self) -> "ColumnPath | None":
        """Of a rule that may use few columns only, which those are, and the errors of rules of fewer and of more."""
        return None

    @property
    def uses_other_columns(self) -> bool:
        """Whether it breaks that."""
        return False

    @property
    def is_fitted(self) -> bool:
        """Whether it has learned."""
        return hasattr(self, "classes_")

    def options(self) -> dict[str, Any]:
        """The options it was made with, by name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def check_options(self) -> None:
        """Refuse options that are not of their kinds, or that contradict each other."""
        options.check(self)

    def settle_for_constant(self, X: Any, y: Any, weights: Any) -> bool:
        """Predict the same label for every row from now on, if that costs less on these rows; returns whether it does.

        Only rules with a threshold can.
        """
        return False

    # -- what it sees of a table ---------------------------------------------------------------------------

    @classmethod
    def see(cls, encoding: "Encoding", table: Any, first_row: int = 0) -> Any:
        """The rows of a table as the rule takes them."""
        return encoding.encode(table, first_row=first_row)

    @classmethod
    def see_whole(cls, encoding: "Encoding", table: "Table") -> Any:
        """All rows of a table at once, where the rule takes something other than features; else None."""
        return None

    def check_encoding(self, encoding: "Encoding") -> None:
        """Refuse an encoding that is not the one the rule was learned under."""
        if encoding.size != self.n_features_in_:
            raise ModelError(f"the encoding has {encoding.size} features, but the rule has {self.n_features_in_}")

    @abstractmethod
    def rows_at_once(self, encoding: "Encoding") -> int:
        """How many rows of a table to predict at a time."""

    # -- what it is ----------------------------------------------------------------------------------------

    @property
    def linear(self) -> LinearForm | None:
        """Its linear form, if it has one."""
        return None

    def one_linear_rule(self) -> tuple[Array, float, str]:
        """Of one linear rule: its weights, the constant it shows the threshold, and what it predicts for a tie."""
        raise OptionError(f"{self.name} is not a linear rule: optimality takes those of this package, or weights")

    def joint_rule(self) -> tuple[Array, float]:
        """Of a rule that chooses the largest of several scores: the weights of all, and the threshold's constant."""
        raise OptionError("the rule is not one that chooses the largest of several linear scores")

    @property
    def tree(self) -> "Tree | None":
        """Its tree, if it is one."""
        return None

    @property
    def run(self) -> Replayable | None:
        """The one run that led to it, if there was one and it can be replayed."""
        return None

    @property
    def is_constant(self) -> bool:
        """Whether it is known to predict the same label for every row."""
        return False

    @abstractmethod
    def conventions(self) -> dict[str, str]:
        """What a score is, what is decided from it, and what a tie is; protocol 1 keeps these words forever."""

    @property
    def effort(self) -> tuple[int | None, int | None]:
        """How many updates and passes it took, where those are counted."""
        return None, None

    @abstractmethod
    def stop_sentence(self, weights: Array | None = None) -> str:
        """Why learning from rows with these weights ended."""

    # -- what it claims of the rows it learned from --------------------------------------------------------

    @property
    def says_separated(self) -> bool:
        """Whether it stopped because it was right on every row."""
        return False

    @property
    def support(self) -> tuple[Array, Any] | None:
        """The numbers of the rows that it is a sum of, and those rows, if it keeps some."""
        return None

    def counts(self) -> dict[str, list[Any] | None]:
        """What it counted, by name, for each linear rule that it is made of; None where no table can tell."""
        return {}

    def run_certificates(self) -> list[Any]:
        """What the run of each linear rule that it is made of proved; None where that is nothing."""
        return []

    # -- what estimators replace ------------------------------------------------------------------------

    def _admitted(self, X: Any, *, reset: bool, **checks: Any) -> Any:
        """X, checked at the door; its number of features is noted, or compared with the number noted before."""
        X = admitted(X)
        if reset:
            self.n_features_in_ = X.shape[1]
        elif X.shape[1] != self.n_features_in_:
            raise DataError(f"the rule has {self.n_features_in_} features, but the rows have {X.shape[1]}")
        return X

    def _admitted_with_labels(self, X: Any, y: Any, *, reset: bool, **checks: Any) -> tuple[Any, Array]:
        """X as above, and y as a flat array."""
        return self._admitted(X, reset=reset, **checks), self._flat(y)

    def _flat(self, y: Any) -> Array:
        """Labels as a flat array."""
        return np.ravel(y)

    def _refuse_unfitted(self, attribute: str = "classes_") -> None:
        if not hasattr(self, attribute):
            raise OptionError(f"this {self.name} has not learned yet")


def right_on_every_row(weights: Array | None) -> str:
    """The best reason to stop, for rows with these weights."""
    some = weights is not None and not weights.all()
    return "The rule is right on every row whose weight is above 0." if some else str(Reason.SEPARATED)
