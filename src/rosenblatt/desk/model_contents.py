"""What a model holds: its points and its scorecard."""

from rosenblatt.errors import OptionError
from rosenblatt.ship.explain.scorecard import Scorecard, scorecard
from rosenblatt.ship.export.points import Points
from rosenblatt.ship.file.modelfile import Model


def points_of(model: Model) -> Points:
    """The rule as points."""
    return Points.of(model.table_encoding, model.rule)


def card_of(model: Model) -> Scorecard:
    """The scorecard of a model's rule, measured from the rows that it was learned from; or in its whole points."""
    points, judged = points_of(model), model.held_out or {}
    whole = _in_whole_points(points) if judged.get("whole_points") is True else None
    return whole or scorecard(points, means=judged.get("means"))


def has_whole_points(model: Model) -> bool:
    """Whether the rule is a sum of small whole points."""
    return (points := _points_if_any(model)) is not None and _in_whole_points(points) is not None


def has_exact_points(model: Model) -> bool:
    """Whether the rule is a sum of points that never rounds."""
    return (points := _points_if_any(model)) is not None and points.exact


def _in_whole_points(points: Points) -> Scorecard | None:
    from rosenblatt.ship.explain.integers import whole_card  # which few models need

    return whole_card(points)


def _points_if_any(model: Model) -> Points | None:
    try:
        return points_of(model)
    except OptionError:
        return None
