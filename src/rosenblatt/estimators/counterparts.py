"""What options and methods of scikit-learn's estimators are called here."""

import re
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

WORD = re.compile(r"\w+")
NAMED = re.compile(r"{(\w+)}")
STOPS = (
    "every candidate is learned until its objective hardly falls; {cv} compares the candidates",
    "learning stops by itself, and {stop_reason_} says why",
    "a tree grows while its tests gain, and {stop_reasons_} says why each leaf is one",
    "a stream has no end: {learn_one} and {learn_many} learn from every row once",
)
STEPS = (
    "steps are as long as the objective of each candidate allows; {cv} compares the candidates",
    "each step goes to the lowest place on its way, until {tol} says that it is low enough",
    "a step is as long as the row needs; {C} bounds it, or softens it, as the {variant} says",
    "in the {mode}s 'PA-I' and 'PA-II', {C} says how long a step may be; in the others no decision depends on that",
    "use {beta}: steps of another size are the same as a {beta} that is divided by it",
    "a tree makes no steps; {criterion} says what its tests are to be good at",
    "the size of a step changes no decision: every weight of a run from zeros is multiplied by it",
)
PENALTIES = (
    "{cv} chooses how strongly weights are penalised",
    "the squared length of the weights is the penalty; {C} weighs slacks against it, and {tol} says how exactly",
    "a tree has no weights to penalise; {prune} may be the price of a leaf",
    "weights are not penalised here; {average}=True is what does well on new rows",
    "weights are not penalised here; {mode}='averaged' is what does well on new rows",
    "weights are not penalised here; {vote} says which of them predict",
    "weights are not penalised here; AveragedPerceptron is the rule that does well on new rows",
    "weights are not penalised here; their mean does well on new rows without that",
)
CORES = (
    "all cores are used; ROSENBLATT_THREADS limits them, and BLAS has settings of its own ({tol} is kept in any case)",
    "{learn_one} and {learn_many} learn from one row after the other, on one core",
    "all cores are used, and what is learned does not depend on how many; ROSENBLATT_THREADS limits them",
)
OF_TREES = "only PerceptronTree has tests and leaves"
# What to say of each option of scikit-learn: the first hint that does not send to the estimator itself, and all
# {names} of which, of options, methods or attributes, it has.
COUNTERPARTS: dict[str, tuple[str, ...]] = {
    "max_iter": ("use {max_passes}", *STOPS),
    "eta0": ("use {C}, which bounds the steps, with the {variant} 'PA-I' or 'PA-II'", *STEPS),
    "learning_rate": STEPS,
    "penalty": PENALTIES,
    "alpha": PENALTIES,
    "l1_ratio": PENALTIES,
    "C": ("only PassiveAggressive, SoftMarginPerceptron and OnlinePerceptron have it",),
    "tol": STOPS,
    "early_stopping": STOPS,
    "validation_fraction": STOPS,
    "n_iter_no_change": (
        "use {patience} with {order}='random'; else " + STOPS[1],
        "use {patience}; " + STOPS[1],
        *STOPS,
    ),
    "n_jobs": CORES,
    "warm_start": (
        "use {start}, which takes the weights to begin with, or call {partial_fit}",
        "use {start}, which takes the weights to begin with",
        "call {partial_fit}, which goes on from what was learned",
        "{learn_one} and {learn_many} always go on from what was learned",
        "every fit starts from scratch",
    ),
    "shuffle": (
        "{random_state} deals the rows into the folds of {cv}",
        "use {order}='random', which draws rows at random; {patience} says when to end",
        "mistakes are drawn at random already, with the {ratchet} and without; {random_state} fixes the draws",
        "the order of the rows changes no test; {random_state} shuffles them into {folds}",
        "{learn_one} and {learn_many} learn from rows in the order in which they come",
        "every step looks at all rows, and {tol} is kept whatever their order",
        "rows are looked at in their order; give them in another",
    ),
    "average": (
        "use {mode}='averaged'",
        "use {vote}='averaged'",
        "AveragedPerceptron is the mean of all weights",
        "it predicts with the mean of all weights; {last_weights_} are the last of them",
    ),
    "intercept_scaling": ("use {bias_scale}", "a tree has no threshold for all rows; every test has its own"),
    "cache_size": ("use {cache_mb}", "only KernelPerceptron computes a kernel's matrix and keeps parts of it"),
    "min_samples_leaf": ("use {min_leaf}", OF_TREES),
    "min_weight_fraction_leaf": ("use {min_leaf}; a weight, not a share of it", OF_TREES),
    "min_impurity_decrease": ("use {min_gain}", OF_TREES),
    "max_features": ("use {max_columns}; the most features of one test", OF_TREES),
    "ccp_alpha": ("use {prune}; the price of a leaf", OF_TREES),
}


class NamesCounterparts:
    """An estimator that says what an option of scikit-learn is called here, where it has no option of that name."""

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        if cls.__init__ is not object.__init__ and not hasattr(cls.__init__, "names_counterparts"):
            cls.__init__ = _with_hints(cls.__init__)  # type: ignore[method-assign]

    def set_params(self, **params: Any) -> Any:
        """Set options by name, as everywhere in scikit-learn."""
        known = signature(type(self).__init__).parameters
        for name in params:
            if name in COUNTERPARTS and name not in known:
                raise ValueError(refusal(type(self), name))
        return super().set_params(**params)  # type: ignore[misc]


class Instead:
    """A method of estimators for whole tables that this one lacks: the error names what to use instead."""

    def __init__(self, method: str) -> None:
        self.method, self.name = method, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, rule: Any, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__} has no {self.name}, as it learns row by row; use {self.method}")


def _with_hints(init: Callable[..., None]) -> Callable[..., None]:
    known = signature(init).parameters

    @wraps(init)
    def __init__(self: Any, *values: Any, **options: Any) -> None:  # noqa: N807
        for name in options:
            if name in COUNTERPARTS and name not in known:
                raise TypeError(refusal(type(self), name))
        init(self, *values, **options)

    __init__.names_counterparts = True  # type: ignore[attr-defined]
    return __init__


def refusal(made: type, name: str) -> str:
    """That an estimator has no such option, and what to use instead."""
    own = {base.__name__ for base in made.__mro__}
    fitting = (each for each in COUNTERPARTS[name] if own.isdisjoint(WORD.findall(each)) and _has_all(made, each))
    hint = next(fitting, "there is nothing like it here")  # as of a subclass with few options
    return f"{made.__name__} has no option {name!r}: {NAMED.sub(lambda named: named[1], hint)}"


def _has_all(made: Any, hint: str) -> bool:
    """Whether an estimator has all that a hint names."""
    options, learned = signature(made).parameters, {name for base in made.__mro__ for name in _annotated(base)}
    return all(
        name in options or (name in learned if name.endswith("_") else callable(getattr(made, name, None)))
        for name in NAMED.findall(hint)
    )


def _annotated(made: Any) -> Any:
    """What a class says that its objects will have."""
    return getattr(made, "__annotations__", {})
