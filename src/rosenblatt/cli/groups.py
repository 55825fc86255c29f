"""Groups of options: a command takes a few dataclasses, and Typer sees each of their fields as an option."""

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter, Signature, get_annotations, signature
from typing import Any


def flattened(run: Callable[..., None]) -> Callable[..., None]:
    """A command whose signature has, in place of each parameter that is a dataclass, the fields of that dataclass."""
    taken = signature(run).parameters.values()
    groups: dict[str, Any] = {each.name: each.annotation for each in taken if is_dataclass(each.annotation)}

    def command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        run(**given)

    options = [option for each in taken for option in (_options(groups[each.name]) if each.name in groups else [each])]
    by_keyword = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in options]
    command.__signature__ = Signature(by_keyword, return_annotation=None)  # type: ignore[attr-defined]
    command.__doc__, command.__name__, command.__module__ = run.__doc__, run.__name__, run.__module__
    return command


def _options(group: Any) -> list[Parameter]:
    """The fields of a dataclass as parameters: its own first, then those of the class it extends."""
    known = {field.name: field for field in fields(group)}
    names = dict.fromkeys(name for made in group.__mro__ for name in get_annotations(made))
    found = []
    for field in (known[name] for name in names):
        default = Parameter.empty if field.default is MISSING else field.default
        found.append(Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=field.type))
    return found
