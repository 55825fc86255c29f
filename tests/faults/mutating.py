"""Golden files with fields that say something else than they said, signed again as if nothing had happened."""

import copy
import json
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from rosenblatt.errors import ModelError
from rosenblatt.ship.file.canonical import digest, laid_out

GOLDEN = Path(__file__).parents[1] / "golden"


# -- what is changed -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Subject:
    """A file that is in order, and the table that it is about."""

    name: str
    record: Any
    table: str = ""
    target: str = ""  # of a bare certificate

    @property
    def kind(self) -> str:
        """What the file is."""
        return "certificate" if "certificate" in self.record else self.record["format"].removeprefix("rosenblatt ")


@cache
def subjects() -> tuple[Subject, ...]:
    """The golden files, and the certificates of their proof by themselves."""
    found = [Subject(path.stem, _read(path)) for path in sorted((GOLDEN / "models").glob("*.json"))]
    for folder, table in (("table", "applications.csv"), ("numbered", "rows.libsvm"), ("classes", "letters.csv")):
        about = str(GOLDEN / folder / table)
        found += [Subject(f"{folder} {p.stem}", _read(p), about) for p in sorted((GOLDEN / folder).glob("*.json"))]
    found += [
        Subject(f"{path.parent.name} {path.stem}", _read(path), str(path.with_name("points.csv")), "label")
        for path in sorted((GOLDEN / "certificates").glob("*/*.json"))
    ]
    return tuple(found)


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def signed(record: Any, *, inside: bool = True) -> str:
    """The text of a record whose SHA-256 fits; `inside`: the fingerprints of the certificates in it as well."""
    if inside:
        _sign_certificates(record)
    if type(record) is not dict or "certificate" in record:
        return json.dumps(record)
    record = {name: value for name, value in record.items() if name != "sha256"}
    return laid_out(record | {"sha256": digest(record)})


def _sign_certificates(value: Any) -> None:
    for inner in value.values() if type(value) is dict else value if type(value) is list else ():
        _sign_certificates(inner)
    if type(value) is dict and "certificate" in value and "fingerprint" in value:
        rest = {name: part for name, part in value.items() if name != "fingerprint"}
        value["fingerprint"] = sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


# -- how it is changed -----------------------------------------------------------------------------------------

Change = Callable[[Any, Any], None]  # of what a key of a list or an object holds
REMOVED = object()
VALUES: dict[str, Any] = {
    repr(value)[:20]: value
    for value in (
        None, True, False, "", "x", "0", "nan", "1e308", "a" * 70, "\x1b[31m", [], {}, [1], ["x"], [[]], [[[1.0]]],
        {"a": 1}, [None], [1e308, -1e308], -1, 0, 1, 2, 3, 0.5, -0.2, 0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 5e-324,
        1e-300, 1.5e300, 2**24, 2**31 - 1, 2**31, 2**53 + 1, 2**62, 2**63, 2**64, 10**100, -(10**100), -(2**63),
    )
}  # fmt: skip


def _set(value: Any) -> Change:
    return lambda holder, key: holder.__setitem__(key, copy.deepcopy(value))


def _made(make: Callable[[Any], Any]) -> Change:
    """Something made of what is there; where it is of another kind, it is left as it is."""

    def change(holder: Any, key: Any) -> None:
        try:
            holder[key] = make(copy.deepcopy(holder[key]))
        except (TypeError, ValueError, LookupError, OverflowError, AttributeError):
            return

    return change


def _remove(holder: Any, key: Any) -> None:
    del holder[key]


def _repeat(holder: Any, key: Any) -> None:
    again = copy.deepcopy(holder[key])
    holder.insert(key, again) if type(holder) is list else holder.__setitem__(f"{key}x", again)


def _swap(holder: Any, key: Any) -> None:
    keys = list(holder) if type(holder) is dict else range(len(holder))
    other = keys[(keys.index(key) + 1) % len(keys)]
    holder[key], holder[other] = holder[other], holder[key]


def _times(factor: Any) -> Callable[[Any], Any]:
    def multiplied(value: Any) -> Any:
        if type(value) is list:
            return [multiplied(item) for item in value]
        product = value * factor
        if type(value) is bool or not isinstance(value, int | float) or not math.isfinite(product):
            raise TypeError
        return product

    return multiplied


CHANGES: dict[str, Change] = {f"to {name}": _set(value) for name, value in VALUES.items()} | {
    "removed": _remove,
    "repeated": _repeat,
    "swapped": _swap,
    "in a list": _made(lambda value: [value]),
    "reversed": _made(lambda value: value[::-1]),
    "shorter": _made(lambda value: value[:-1]),
    "longer": _made(lambda value: value + value[-1:]),
    "doubled": _made(lambda value: value + value),
    "as text": _made(str),
    "as a float": _made(float),
    "as a whole number": _made(int),
    "negated": _made(_times(-1)),
    "one more": _made(lambda value: value + 1),
    "one less": _made(lambda value: value - 1),
    "thousandfold": _made(_times(1000)),
    "near the largest": _made(_times(1e307)),
    "near the smallest": _made(_times(1e-307)),
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a record."""
    if path and path[-1] != "sha256":
        yield path
    inner = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    for key, item in inner:
        yield from places(item, (*path, key))


@cache
def fields_of(name: str) -> dict[str, list[tuple[Any, ...]]]:
    """The places of a subject by what they are: the entries of a list are one field."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for path in places(next(subject.record for subject in subjects() if subject.name == name)):
        told = ".".join("*" if type(key) is int else key for key in path)
        found.setdefault(told, []).append(path)
    return found


@dataclass(frozen=True)
class Case:
    """A changed file."""

    subject: Subject
    what: str  # was changed
    text: str


def changed(subject: Subject, changes: list[tuple[tuple[Any, ...], str]], *, inside: bool = True) -> Case | None:
    """A subject with some changes; None where nothing is changed, or JSON cannot say it."""
    record = copy.deepcopy(subject.record)
    for path, how in changes:
        holder = record
        try:
            for key in path[:-1]:
                holder = holder[key]
            if type(holder) in (list, dict):
                holder[path[-1]]
                CHANGES[how](holder, path[-1])
        except (LookupError, TypeError):  # an earlier change has taken it away
            continue
    if json.dumps(record) == json.dumps(subject.record):
        return None
    what = "; ".join(f"{'.'.join(map(str, path))} {how}" for path, how in changes)
    try:
        return Case(subject, f"{subject.name}: {what}", signed(record, inside=inside))
    except ModelError:
        return None


def drawn(rng: random.Random) -> Case:
    """A file changed at random, in one place or in a few: every field of a file is as likely as any other."""
    while True:
        subject = rng.choices(subjects(), [3 if subject.table else 1 for subject in subjects()])[0]
        fields = fields_of(subject.name)
        many = rng.choice((1, 1, 1, 2, 3))
        chosen = [(rng.choice(fields[rng.choice(list(fields))]), rng.choice(list(CHANGES))) for _ in range(many)]
        if (case := changed(subject, chosen, inside=rng.random() < 0.8)) is not None:
            return case


def each_field(every: int = 1, first: int = 0) -> Iterator[Case]:
    """Every field of every file with every change, or each so many of them."""
    count = first
    for subject in subjects():
        for paths in fields_of(subject.name).values():
            for how in CHANGES:
                count += 1
                if count % every == 0 and (case := changed(subject, [(paths[count % len(paths)], how)])) is not None:
                    yield case
