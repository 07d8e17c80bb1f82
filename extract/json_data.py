"""JSON as pages carry it: tolerant, bounded, and never an exception.

Scripts hold JSON with raw line feeds, in comments or CDATA sections, with a comma too many or
with text behind it. What a reader of the page's data needs is whatever can be read of it.
"""

from __future__ import annotations

import html
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Json: TypeAlias = object
"""None, bool, int, float, str, list or dict with str keys, as `json` makes them."""

MOST_CHARS = 8_000_000
"""Longer texts are not read."""

_WRAPPERS = re.compile(
    r"^(?:\s|/\*|\*/|//|<!--|<!\[CDATA\[)+|(?:\s|/\*|\*/|//|-->|\]\]>|;)+$", re.IGNORECASE
)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_MOST_ITEMS = 200_000

# Raw line feeds and tabs in strings are common, and mean themselves.
_DECODER = json.JSONDecoder(strict=False)


def loads(text: str) -> Json:
    """The first JSON value of `text`; None where there is none that can be read."""
    if not text or len(text) > MOST_CHARS:
        return None
    value = _first_value(text.strip())
    if value is not None:
        return value
    bare = _WRAPPERS.sub("", text)
    for attempt in (bare, _TRAILING_COMMA.sub("", bare)):
        value = _first_value(attempt)
        if value is not None:
            return value
    return _first_value(html.unescape(bare)) if "&quot;" in bare else None


def _first_value(text: str) -> Json:
    value: Json = None
    # ValueError is also what an integer of thousands of digits raises.
    with suppress(ValueError, RecursionError):
        value, _ = _DECODER.raw_decode(text)
    return value


def objects(value: Json) -> Iterator[dict[str, Json]]:
    """Every object in `value`, outer ones first, in the order of the text; no more than 200,000."""
    pending = [value]
    for _ in range(_MOST_ITEMS):  # no recursion: JSON may nest as deep as Python's stack
        if not pending:
            return
        item = pending.pop()
        if isinstance(item, dict):
            yield item
            pending.extend(reversed(item.values()))
        elif isinstance(item, list):
            pending.extend(reversed(item))


def string(value: Json) -> str:
    """`value` where it is a string, else an empty one."""
    return value if isinstance(value, str) else ""
