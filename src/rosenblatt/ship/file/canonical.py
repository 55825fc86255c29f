"""Canonical JSON: read strictly, and always written the same way.

Numbers are written as the shortest decimals that restore them to the last bit. Reading refuses everything that parsers
may understand differently: duplicate keys, numbers beyond the range of doubles, NaN.
"""

import json
from collections import Counter
from hashlib import sha256
from typing import Any, NoReturn

from rosenblatt.errors import ModelError
from rosenblatt.visible import brief

MOST_BYTES = 2**28
MOST_GROUPS = 2**21  # lists and objects; these four limits bound the memory that a file can claim
MOST_FIELDS = 2**21  # in all objects together: enough for a tree of a quarter of a million nodes
MOST_PARTS = 2**24
MOST_TEXTS = 2**22  # including the names of fields
LONGEST_NUMBER = 2000  # digits of a whole number; certificates write numbers of more than 4096 bits as text


def parsed(data: bytes) -> Any:
    """The contents of a JSON text: dicts, lists, texts, numbers, True, False and None."""
    if (
        data.count(b"[") + data.count(b"{") > MOST_GROUPS
        or data.count(b":") > MOST_FIELDS
        or data.count(b",") > MOST_PARTS
        or data.count(b'"') > 2 * MOST_TEXTS
    ):
        raise ModelError("it holds more lists, fields, numbers or texts than any model")
    try:
        text = data.decode()
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse, parse_int=_whole)
    except UnicodeDecodeError as error:
        raise ModelError(f"it is not UTF-8 text: byte {error.start} is invalid") from None
    except json.JSONDecodeError as error:
        raise ModelError(f"it is not valid JSON, or truncated: {error}") from None
    except RecursionError:
        raise ModelError("it is nested too deeply") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ModelError(f"the field {brief(twice)} occurs twice")
    return found


def _refuse(name: str) -> NoReturn:
    raise ModelError(f"it holds {name}, which is not a number")


def _whole(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise ModelError(f"it holds a number of {len(digits)} digits")
    return int(digits)


def digest(record: Any) -> str:
    """SHA-256 of a record's canonical text: keys sorted, no spaces, UTF-8."""
    try:
        text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return sha256(text.encode()).hexdigest()
    except UnicodeEncodeError as error:
        raise ModelError(f"it holds half a surrogate pair, {error.object[error.start]!a}, which is not text") from None
    except ValueError:
        raise ModelError("it holds a number that is not finite") from None
    except TypeError as error:
        raise ModelError(f"it holds what JSON cannot: {error}") from None


def laid_out(value: Any, indent: int = 0) -> str:
    """A record as readable text: one field per line, but a list of numbers on one line."""
    if isinstance(value, dict) and value:
        inner = [f"{_line(key)}: {laid_out(item, indent + 1)}" for key, item in value.items()]
    elif isinstance(value, list) and not {list, dict}.isdisjoint(map(type, value)):
        inner = [laid_out(item, indent + 1) for item in value]
    else:
        return _line(value)
    begin, end = "{}" if isinstance(value, dict) else "[]"
    lines = [" " * (indent + 1) + line for line in inner]
    return begin + "\n" + ",\n".join(lines) + "\n" + " " * indent + end


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
