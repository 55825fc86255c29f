"""The options that several rules have, each stated once; a rule inherits those it has."""

from typing import Annotated, Any

from rosenblatt.options import Flag, Number, OneOf, Special, Whole, with_options
from rosenblatt.rows.cone import NAME
from rosenblatt.rows.storage import LONGEST
from rosenblatt.rules.schemes import JOINT, SCHEMES
from rosenblatt.vocabulary import STARTS, TIE_RULES

AUTO = "auto"

Switch = Annotated[bool, Flag()]
BiasScale = Annotated[float | str, Number(above=0, below=LONGEST, words=(AUTO,))]
Count = Annotated[int | None, Whole(1, none=True)]
Positive = Annotated[float, Number(above=0)]
FromZero = Annotated[float, Number(least=0)]
AnyNumber = Annotated[float, Number()]


@with_options
class TieOptions:
    """What a score of exactly zero is."""

    ties: Annotated[
        str,
        OneOf(TIE_RULES),
        "What a score of zero counts as in training: always wrong; right for the second class (sgn(0) = +1); right "
        'for the first; never wrong. A zero is predicted as the first class, under "plus" as the second.',
    ] = "mistake"


@with_options
class StartOptions:
    """Where to start."""

    start: Annotated[
        Any,
        Special("start", f"{OneOf(STARTS).in_words()} or array"),
        "The first weights: zeros; y_1 x_1; standard normal; or as given, one for each feature and optionally one for "
        "the threshold (with several classes: one such row for each class).",
    ] = "zeros"


@with_options
class ThresholdOptions:
    """Whether there is a threshold, and what the rule sees of a row's length."""

    fit_intercept: Annotated[
        Switch, "Whether the rule has a threshold, learned as the weight of a constant feature."
    ] = True
    bias_scale: Annotated[
        BiasScale,
        'The value of the constant feature whose weight the threshold is. "auto": the length of the longest row.',
    ] = 1.0
    normalize: Annotated[
        Switch,
        "Whether to scale the features of every row to length 1 first, when learning and when predicting; a row of "
        "zeros stays.",
    ] = False


@with_options
class PassOptions:
    """How many passes to make."""

    max_passes: Annotated[Count, "Budget of passes over the data."] = None


@with_options
class UpdateOptions:
    """How many corrections to make."""

    max_updates: Annotated[Count, "Budget of corrections, for each rule if several are learned."] = None


@with_options
class TimeOptions:
    """How long to learn."""

    max_seconds: Annotated[
        float | None,
        Number(above=0, infinite=True, none=True),
        "Time budget in seconds for all rules together, not counting compilation; kept to within about two seconds.",
    ] = None


class BudgetOptions(PassOptions, UpdateOptions, TimeOptions):
    """How long a run may take."""


@with_options
class PatienceOptions:
    """When to give up."""

    patience: Annotated[Count, "How many attempts in a row may fail."] = None


@with_options
class ShuffleOptions:
    """In which order to visit the rows."""

    shuffle: Annotated[
        bool | str,
        Flag((AUTO,)),
        'Whether every pass is in a new random order, or in the order of the rows. "auto": in the order of the rows, '
        "unless rows of a class come in long runs, as in a table sorted by class; then in a fixed order that is spread "
        "over the table.",
    ] = AUTO


@with_options
class MultiClassOptions:
    """How to learn more than two classes."""

    multi_class: Annotated[
        str,
        OneOf(SCHEMES),
        "How more than two classes are learned: all scores at once, so that the largest is that of the right class; a "
        "rule for each class against the rest; or a rule for each pair of classes, which vote.",
    ] = JOINT


@with_options
class MonotonicOptions:
    """Which weights may not be below 0, and which not above."""

    monotonic_cst: Annotated[
        Any,
        Special(NAME, "array of int, dict or None"),
        "Constraints, as scikit-learn's trees take them: for each feature 1, its weight may not be below 0, so the "
        "score never falls as it rises; -1, not above 0; or 0. A dict has these numbers by the feature's name. For two "
        "classes only, and not with normalize=True.",
    ] = None


@with_options
class ColumnOptions:
    """How many columns a rule may use."""

    most_columns: Annotated[
        Count,
        "How many columns the rule may use; the weights of all others are 0. Columns enter one after another, in every "
        "split anew, and as many are used as err least on rows not learned from. More than 40 are not looked for.",
    ] = None
    feature_groups: Annotated[
        Any,
        Special("feature_groups", "array of int or str, or None"),
        "For most_columns: the column that each feature is a part of, as a number or a name. Features of one column go "
        "in or out together. None: each feature is a column.",
    ] = None


@with_options
class ClassWeightOptions:
    """What a row of each class counts."""

    class_weight: Annotated[
        Any,
        Special("class_weight", 'dict, "balanced" or None'),
        'Factors for the sample weights of each class. "balanced": inversely proportional to the frequencies of the '
        "classes.",
    ] = None


@with_options
class RandomOptions:
    """Where random numbers come from."""

    random_state: Annotated[
        Any,
        Special("random_state", "int, RandomState, Generator or None"),
        "The random seed, or a source of random numbers.",
    ] = None


@with_options
class VerboseOptions:
    """Whether to report progress."""

    verbose: Annotated[Switch, "Whether to show progress on standard error once two seconds have passed."] = False


class LearningOptions(ClassWeightOptions, RandomOptions, VerboseOptions):
    """The options of nearly every rule."""
