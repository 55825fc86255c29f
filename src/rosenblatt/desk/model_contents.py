"""A model's rule as points and as a scorecard."""

from rosenblatt.errors import OptionError
from rosenblatt.ship.explain.scorecard import Scorecard, scorecard
from rosenblatt.ship.export.points import PointRule
from rosenblatt.ship.file.modelfile import Model


def points_of(model: Model) -> PointRule:
    """The rule as points."""
    return PointRule.of(model.table_encoding, model.rule)


def card_of(model: Model) -> Scorecard:
    """The scorecard of a model's rule, measured from its average training row, or in its whole points."""
    points, judged = points_of(model), model.held_out or {}
    whole = _in_whole_points(points) if judged.get("whole_points") is True else None
    return whole or scorecard(points, means=judged.get("means"))


def has_whole_points(model: Model) -> bool:
    """Whether the rule is a sum of small whole points."""
    return (points := _points_if_any(model)) is not None and _in_whole_points(points) is not None


def has_exact_points(model: Model) -> bool:
    """Whether the rule is a sum of points that is never rounded."""
    return (points := _points_if_any(model)) is not None and points.exact


def _in_whole_points(points: PointRule) -> Scorecard | None:
    from rosenblatt.ship.explain.integers import whole_card  # which few models need

    return whole_card(points)


def _points_if_any(model: Model) -> PointRule | None:
    try:
        return points_of(model)
    except OptionError:
        return None
