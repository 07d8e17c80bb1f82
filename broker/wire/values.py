"""What a valid value of each kind is: a query, a site, a date, a language, a number.

Every function takes what a client sent, returns the checked and folded value, and raises
`RequestInvalid` that names the field, shows the value and says what would have been right. Values
are shown shortened and escaped, so that a message is safe to print and to log.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple
from unicodedata import category

from broker.errors import RequestInvalid
from broker.models import MAX_QUERY_CHARS, Recency
from broker.wire.codes import LANGUAGES, REGIONS

SHOWN_CHARS = 60
"""How much of a wrong value a message repeats."""

MAX_HOST_CHARS = 253
"""Longest host name that DNS can carry (RFC 1035)."""

_LABEL = re.compile(r"(?!-)[\w-]{1,63}(?<!-)")
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_FOLDED_CONTROLS = "\t\n\r"
"""Control characters that are plain white space in pasted text."""


class Period(NamedTuple):
    """The days that a year, a month or a day covers."""

    first: date
    last: date


def shown(value: object) -> str:
    """The value as a message repeats it: escaped, a string in quotes, at most 60 characters."""
    text = repr(value[: SHOWN_CHARS + 1] if isinstance(value, str) else value)
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"


def string(value: object, field: str) -> str:
    """The value, when it is a string."""
    if not isinstance(value, str):
        raise RequestInvalid(f"{field} must be a string, not {_kind(value)}", field=field)
    return value


def flag(value: object, field: str) -> bool:
    """The value, when it is true or false."""
    if not isinstance(value, bool):
        raise RequestInvalid(f"{field} must be true or false, not {_kind(value)}", field=field)
    return value


def strings(value: object, field: str) -> tuple[str, ...]:
    """The strings of a list; a single string stands for a list of one."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise RequestInvalid(
            f"{field} must be a string or a list of strings, not {_kind(value)}", field=field
        )
    return tuple(string(item, field) for item in items)


def integer(value: object, field: str, *, low: int, high: int) -> int:
    """The value, when it is a whole number from `low` to `high`; true and false are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise RequestInvalid(f"{field} must be a whole number, not {_kind(value)}", field=field)
    if not low <= value <= high:
        raise RequestInvalid(f"{field} must be {low} to {high}, not {shown(value)}", field=field)
    return value


def budget_s(value: object, field: str, *, low_s: float, high_s: float) -> float:
    """Seconds from milliseconds, when they lie from `low_s` to `high_s`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RequestInvalid(
            f"{field} must be a number of milliseconds, not {_kind(value)}", field=field
        )
    if not low_s * 1000 <= value <= high_s * 1000:
        raise RequestInvalid(
            f"{field} must be {low_s * 1000:.0f} to {high_s * 1000:.0f} ms, not {value:g} ms",
            field=field,
        )
    return value / 1000


def query_text(value: object, field: str, name: str) -> str:
    """The words of a query: white space folded, not empty, not too long, free of controls.

    `name` is how a message calls it: `the query`, or `query 2` where there are several.
    """
    text = string(value, field)
    for place, char in enumerate(text, start=1):
        if category(char) in {"Cc", "Cs"} and char not in _FOLDED_CONTROLS:
            what = "lone surrogate" if category(char) == "Cs" else "control character"
            raise RequestInvalid(
                f"{name} has a {what}, U+{ord(char):04X}, at character {place}", field=field
            )
    text = " ".join(text.split())
    if not text:
        raise RequestInvalid(f"{name} is empty", field=field)
    if len(text) > MAX_QUERY_CHARS:
        raise RequestInvalid(
            f"{name} has {len(text)} characters; the limit is {MAX_QUERY_CHARS}", field=field
        )
    return text


def site(value: str, field: str) -> str:
    """A host name in lower case, with or without the beginning of a path."""
    host, slash, path = value.strip().partition("/")
    problem = _host_problem(value, host) or _path_problem(path)
    if problem:
        raise RequestInvalid(
            f"site {shown(value)} {problem}; write a host such as example.com, or a host and a path"
            " such as example.com/docs",
            field=field,
        )
    return host.lower() + (slash + path if path else "")


def since(value: object, field: str) -> Recency | date:
    """A window that ends now, or the first day of a year, a month or a day."""
    text = string(value, field).strip().lower()
    try:
        return Recency(text)
    except ValueError:
        return _period(text, field, f"{', '.join(Recency)}, YYYY, YYYY-MM or YYYY-MM-DD").first


def until(value: object, field: str) -> date:
    """The last day of a year, a month or a day."""
    return _period(string(value, field).strip(), field, "YYYY, YYYY-MM or YYYY-MM-DD").last


def language(value: object, field: str) -> str:
    """An ISO 639-1 code in lower case."""
    code = string(value, field).strip().lower()
    if code not in LANGUAGES:
        raise RequestInvalid(
            f"{field} must be a two-letter ISO 639-1 code such as en or ja, not {shown(value)}",
            field=field,
        )
    return code


def region(value: object, field: str) -> str:
    """An ISO 3166 code in upper case."""
    code = string(value, field).strip().upper()
    if code not in REGIONS:
        raise RequestInvalid(
            f"{field} must be a two-letter ISO 3166 code such as DE or GB, not {shown(value)}",
            field=field,
        )
    return code


def _period(text: str, field: str, forms: str) -> Period:
    match = _DATE.fullmatch(text)
    if match is None:
        raise RequestInvalid(f"{field} must be {forms}, not {shown(text)}", field=field)
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        first = date(year or 0, month or 1, day or 1)
    except ValueError:
        message = f"{field} {shown(text)} is no day of the calendar"
        raise RequestInvalid(message, field=field) from None
    if day:
        return Period(first, first)
    return Period(first, _end_of_month(first.year, month or 12))


def _end_of_month(year: int, month: int) -> date:
    if month == 12:  # noqa: PLR2004 - December; the year after 9999 has no date
        return date(year, month, 31)
    return date(year, month + 1, 1) - timedelta(days=1)


def _host_problem(value: str, host: str) -> str | None:
    if "://" in value:
        return "has a scheme"
    if not host:
        return "has no host name"
    if "@" in host or ":" in host:
        return "has more than a host name before the path"
    if len(host) > MAX_HOST_CHARS:
        return f"is longer than {MAX_HOST_CHARS} characters"
    if not all(_LABEL.fullmatch(label) for label in host.split(".")):
        return "is not a host name"
    return None


def _path_problem(path: str) -> str | None:
    if any(char.isspace() or not char.isprintable() or char in "\"'()" for char in path):
        return "has white space, quotes, brackets or control characters in its path"
    if "?" in path or "#" in path:
        return "has a query string or fragment"
    return None


def _kind(value: object) -> str:
    if value is None:
        return "null"
    for types, name in (
        (bool, "a boolean"),
        (str, "a string"),
        (int | float, "a number"),
        (list | tuple, "a list"),
    ):
        if isinstance(value, types):
            return name
    return "an object"
