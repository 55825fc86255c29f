"""What all certificates share: a shape, a fingerprint, exact JSON, and the checks that come first and last."""

import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256
from math import isfinite
from typing import Any, ClassVar, Self, get_args, get_origin

from rosenblatt.errors import CertificateError
from rosenblatt.prove.check import exact
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.storage import LONGEST, n_features
from rosenblatt.visible import ReadableResult

PROTOCOL = 1
LONG = 4096  # bits
MOST_DIGITS = 1300  # of a whole number in decimals; longer ones have more bits than LONG
COUNTED = 2**63  # rows and counts stay below; only weights of rows and of features may be longer
CONSTRAINTS = ("increasing", "decreasing")  # fields left out where there are none
LONG_FIELDS = ("weights", "multipliers", "counts", "reference", "bound")
BRIEF, MOST_NAMED = 60, 200  # letters of a value in a message, and of names
STRICT = "mistake"  # the tie rule under which no row that is right scores 0
PREDICTED = "minus"  # that of prediction, unless a rule says otherwise: a score of 0 is a no
TIES_IN_WORDS = {"plus": "a yes", STRICT: "a mistake", "correct": "right for either class"}
HEXADECIMAL = re.compile("-?0x[0-9a-f]+")


@dataclass(frozen=True, kw_only=True, repr=False)
class Certificate(ReadableResult, ABC):
    """The base class of certificates: the shape of the data, the threshold's constant, and its own fingerprint."""

    n: int  # rows
    features: int
    bias: float  # the constant that every row shows the threshold; 0 where there is none
    increasing: tuple[int, ...] = ()  # features whose weights may not be below 0: the claim is about such rules only
    decreasing: tuple[int, ...] = ()  # above 0
    fingerprint: str = ""  # SHA-256 of everything else; filled in when it is left empty

    kind: ClassVar[str]
    may_be_constrained: ClassVar[bool] = False

    @cached_property
    def cone(self) -> Cone:
        """The weights that keep the constraints."""
        return Cone(self.increasing, self.decreasing)

    def __post_init__(self) -> None:
        if not self.fingerprint:
            object.__setattr__(self, "fingerprint", self._digest())

    def verify(self, X: Any, y: Any) -> str:
        """Check every claim against the data, exactly. Returns the proved sentence, or raises CertificateError."""
        self._refuse_odd_values()
        return self.verify_examples(self._examples(X, y, self.bias))

    def _refuse_odd_values(self) -> None:
        """Refuse values of another type than declared, and a constant that is none."""
        self._from_record(self.as_record())
        if not 0 <= self.bias < LONGEST:
            raise CertificateError(f"the bias is {self.bias!r}; it must be at least 0 and must not overflow")

    def _examples(self, X: Any, y: Any, bias: float) -> Examples:
        """The data as examples, in the form that the claims are about."""
        return Examples.of(X, y, fit_intercept=bias != 0.0, bias_scale=bias or 1.0)

    def verify_examples(self, examples: Examples) -> str:
        """Check every claim on examples that have already been read; see `verify`."""
        about = {"n": self.n, "features": self.features, "bias": self.bias}
        if about != (found := shape_of(examples)):
            text = "{n} rows and {features} features with bias {bias:g}".format
            raise CertificateError(f"the certificate is about {text(**about)}; the data has {text(**found)}")
        self._check_constraints()
        self._check_lengths(examples)
        self._check(examples)
        if self.fingerprint != self._digest():
            raise CertificateError("the certificate was changed after it was made: its fingerprint does not match")
        return self.statement

    def __str__(self) -> str:
        return self.statement

    @property
    @abstractmethod
    def statement(self) -> str:
        """What is proved, in one sentence."""

    def _sentence(self, claim: str, ties: str | None = None) -> str:
        """The claim, preceded by conditions that a reader would not assume: no threshold, how ties count."""
        many = len(self.increasing) + len(self.decreasing)
        given = [f"under the constraints on {'1 weight' if many == 1 else f'{many} weights'}"] if many else []
        given += [] if self.bias else ["without a threshold"]
        if ties not in (None, PREDICTED):
            given.append(f"counting a score of 0 as {TIES_IN_WORDS.get(ties, ties)}")
        sentence = ", ".join([*given, claim])
        return sentence[0].upper() + sentence[1:]

    def _check_constraints(self) -> None:
        """Refuse constraints on features that do not exist, that contradict each other, or that say nothing here."""
        constrained = self.cone.features
        if constrained and not self.may_be_constrained:
            raise CertificateError(f"a certificate of {self.kind} is not about constraints")
        if len(set(constrained)) < len(constrained) or not all(0 <= k < self.features for k in constrained):
            raise CertificateError("constraints must name features of the data, each once")

    def _check_lengths(self, examples: Examples) -> None:
        """Refuse whole numbers that are longer than any proof about this data needs, before computing with them."""
        for name in LONG_FIELDS:
            numbers = getattr(self, name, ())
            numbers = numbers if isinstance(numbers, tuple) else (numbers,)
            bits = max((k.bit_length() for k in numbers if isinstance(k, int)), default=0)
            if bits > LONG and bits > (most := exact.longest(examples)):
                raise CertificateError(f"{name} has a number of {bits} bits; no proof here needs more than {most}")

    @abstractmethod
    def _check(self, examples: Examples) -> None:
        """Raise CertificateError if a claim does not hold."""

    def _digest(self) -> str:
        return sha256(json.dumps(self._plain(), sort_keys=True).encode()).hexdigest()

    def _plain(self) -> dict[str, Any]:
        """All fields but the fingerprint, as JSON values."""
        record: dict[str, Any] = {"certificate": self.kind, "protocol": PROTOCOL}
        for field in fields(self):
            if field.name in CONSTRAINTS and not getattr(self, field.name):
                continue
            value = getattr(self, field.name)
            record[field.name] = [_written(part) for part in value] if isinstance(value, tuple) else _written(value)
        del record["fingerprint"]
        return record

    def as_record(self) -> dict[str, Any]:
        """The certificate as plain lists and numbers, for JSON."""
        return {**self._plain(), "fingerprint": self.fingerprint}

    def to_json(self) -> str:
        """The certificate as JSON text; numbers round-trip to the last bit."""
        return json.dumps(self.as_record(), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a certificate of this kind, or of any kind when called on `Certificate`."""
        try:
            record = json.loads(text, parse_int=_whole)
            return cls._from_record(record)
        except CertificateError:
            raise
        except (TypeError, ValueError, RecursionError) as error:
            raise CertificateError(f"not a certificate: {error}") from error

    @classmethod
    def _from_record(cls, record: Any) -> Self:
        from rosenblatt.prove.check import joint_certificate, soft_margin  # noqa: F401 - with them, all kinds are known

        kinds = {kind.kind: kind for kind in Certificate.__subclasses__()}
        if not isinstance(record, dict) or str(record.get("certificate")) not in kinds:
            raise CertificateError(f"not a certificate: its kind must be one of {', '.join(kinds)}")
        if type(record.get("protocol")) is not int or record["protocol"] != PROTOCOL:
            raise CertificateError(
                f"protocol {shown(record.get('protocol'))} is unknown; this version reads {PROTOCOL}"
            )
        made = kinds[record["certificate"]]
        if not issubclass(made, cls):
            raise CertificateError(f"this is a certificate of {made.kind}, not of {cls.kind}")
        wanted = {field.name: field.type for field in fields(made)}
        given = set(record) - {"certificate", "protocol"}
        if given | set(CONSTRAINTS) != set(wanted):
            odd = ", ".join(sorted((given | set(CONSTRAINTS)) ^ set(wanted)))[:MOST_NAMED]
            raise CertificateError(f"a certificate of {made.kind} has other fields: missing or unknown: {odd}")
        return made(**{name: _read(name, kind, record[name]) for name, kind in wanted.items() if name in given})


def shape_of(examples: Examples) -> dict[str, Any]:
    """The fields in which every certificate describes its data."""
    return {"n": examples.n, "features": n_features(examples.rows), "bias": examples.rows.bias}


def _written(value: Any) -> Any:
    """A field as a JSON value; whole numbers too long for decimal are written in hexadecimal."""
    if isinstance(value, Certificate):
        return value.as_record()
    return hex(value) if type(value) is int and value.bit_length() > LONG else value


def _read(name: str, kind: Any, value: Any) -> Any:
    """One field from JSON, checked against the type that its class declares."""
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise CertificateError(f"{name} must be a list, not {shown(value)}")
        part = get_args(kind)[0]
        return tuple(_read(f"{name}[{place}]", part, item) for place, item in enumerate(value))
    if isinstance(kind, type) and issubclass(kind, Certificate):
        return kind._from_record(value)
    kinds = get_args(kind) or (kind,)
    if int in kinds and isinstance(value, str) and HEXADECIMAL.fullmatch(value):
        value = int(value, 16)
    if type(value) not in kinds or (isinstance(value, float) and not isfinite(value)):
        names = {int: "a whole number", bool: "true or false", str: "a text"}
        raise CertificateError(f"{name} must be {names.get(kind, 'a finite number')}, not {shown(value)}")
    if type(value) is int and abs(value) >= COUNTED and not name.startswith(LONG_FIELDS):
        raise CertificateError(f"{name} must be a number of rows or columns, not {shown(value)}")
    return value


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise CertificateError(f"a number has {len(digits)} digits; over {LONG} bits, it must be a hexadecimal text")
    return int(digits)


def shown(value: Any) -> str:
    """A value for a message: on one line, and short."""
    if type(value) is int and value.bit_length() > LONG:
        return f"a number of {value.bit_length()} bits"
    text = repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
    return text if len(text) <= BRIEF else text[: BRIEF - 3] + "..."
