"""Constraints on the signs of weights: the cone of weights that keep them.

"The score never falls as feature j rises" means w_j >= 0. The weights that keep such constraints form a convex cone K.
The point of K nearest to any w is w with the weights of the wrong sign set to 0. The same holds for a sum of rows; the
part that is left out points away from all of K (Moreau 1962).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.rows.kernels import Array

T = TypeVar("T", int, float)
NAME = "monotonic_cst"  # as scikit-learn's trees call it
EXPECTED = "1, -1 or 0 for each of the {} features, or a dict of these by name"


@dataclass(frozen=True)
class Cone:
    """The features whose weights may not be below 0, and those whose weights may not be above 0; true if any."""

    increasing: tuple[int, ...] = ()
    decreasing: tuple[int, ...] = ()

    @classmethod
    def of(cls, signs: Any) -> "Cone":
        """From one number per feature: 1, -1, or 0 for any sign."""
        signs = np.asarray(signs)
        return cls(tuple(np.flatnonzero(signs > 0).tolist()), tuple(np.flatnonzero(signs < 0).tolist()))

    def __bool__(self) -> bool:
        return bool(self.increasing or self.decreasing)

    @property
    def features(self) -> tuple[int, ...]:
        """All features that are constrained."""
        return (*self.increasing, *self.decreasing)

    @property
    def fields(self) -> dict[str, Any]:
        """As certificates record them."""
        return {"increasing": self.increasing, "decreasing": self.decreasing}

    def signs(self, size: int) -> Array:
        """1, -1 or 0 for each weight; `size` is how many weights there are."""
        out = np.zeros(size, np.int8)
        out[[*self.increasing]], out[[*self.decreasing]] = 1, -1
        return out

    def only(self, features: Array) -> "Cone":
        """The constraints on some of the features, renumbered from 0."""
        if not self:
            return self
        return Cone.of(self.signs(int(max(*self.features, *features, 0)) + 1)[features])

    def nearest(self, w: Array) -> Array:
        """The nearest weights in the cone."""
        return np.where(self.signs(w.shape[-1]) * w < 0.0, 0.0, w)

    @cached_property
    def _rising(self) -> frozenset[int]:
        return frozenset(self.increasing)

    @cached_property
    def _falling(self) -> frozenset[int]:
        return frozenset(self.decreasing)

    def within(self, vector: Mapping[int, T]) -> dict[int, T]:
        """The nearest vector in the cone to a sparse one, which maps columns to numbers; zeros are left out."""
        if not self:
            return dict(vector)
        rising, falling = self._rising, self._falling
        against = {c for c, k in vector.items() if (c in rising and k < 0) or (c in falling and k > 0)}
        return {column: k for column, k in vector.items() if column not in against}


EVERYWHERE = Cone()  # no constraints


def cone_of(given: Any, features: int, names: Sequence[str] | None = None) -> Cone:
    """The constraints that a user gives, for features in order or by name; `features` is how many there are."""
    if given is None:
        return EVERYWHERE
    expected = EXPECTED.format(features)
    if isinstance(given, Mapping):
        known = {} if names is None else {name: k for k, name in enumerate(names)}
        for name in given:
            if name not in known:
                have = "which X does not have" if known else "but X has no names of features: give a list"
                raise OptionError(f"{NAME} names the feature {name!r}, {have}")
        given = [given.get(name, 0) for name in (() if names is None else names)]
    try:
        signs = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise options.refused(NAME, expected, given, none=True) from None
    if signs.shape != (features,) or not np.isin(signs, (-1.0, 0.0, 1.0)).all():
        raise options.refused(NAME, expected, given, none=True)
    return Cone.of(signs)


def refuse_several(given: Any) -> None:
    """Refuse constraints where there are more than two classes."""
    if given is not None:
        raise OptionError(
            f"{NAME} is for two classes: with more, no single score decides; learn one class against the rest instead"
        )


def refuse_outside(name: str, w: Array, cone: Cone) -> None:
    """Refuse weights that break constraints."""
    for feature in np.flatnonzero(cone.signs(w.size) * w < 0.0)[:1].tolist():
        raise OptionError(f"{name} must keep the constraints: the weight of feature {feature} is {w[feature]}")
