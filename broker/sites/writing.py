"""Documents of sites as Markdown: one h1, a line of facts below it, parts under headings.

Plain text goes through `line`, and cannot become markup; text that came as Markdown goes through
`broker.sites.user_markdown`, markup through `extract.fragment`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from extract import inline, leaves
from extract.languages import ALIASES, NAMES, normal_language
from extract.model import Block, Kind
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

_ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?")
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_UNITS = ("KB", "MB", "GB")
_STEP, _FEW = 1000, 10
_LATEST_S = 253_402_300_799
"""The last second of the year 9999."""


def joined(*parts: str) -> str:
    """Blocks with an empty line between them; empty ones are left out."""
    return "\n\n".join(part for part in parts if part)


def facts(*items: str | None) -> str:
    """What is known of something on one line, each fact as inline Markdown; empty ones left out."""
    return " · ".join(item for item in items if item)


def told(words: str, fact: str) -> str:
    """`words` and the fact that they announce; nothing where that is not known."""
    return f"{words} {fact}" if fact else ""


def listed(texts: Iterable[str]) -> str:
    """Plain texts as inline Markdown with commas between them; empty ones left out."""
    return ", ".join(filter(None, map(line, texts)))


def heading(level: int, text: str) -> str:
    """A heading of plain text."""
    shown = inline.escape(fold(text)) or "(untitled)"
    return leaves.content(
        Block(kind=Kind.HEADING, text=shown, inline=shown, level=level), dashes=True
    )


def section(level: int, text: str, body: str) -> str:
    """A heading and what stands below it; nothing where that is nothing."""
    return joined(heading(level, text), body) if body else ""


def line(text: str) -> str:
    """Plain text on one line, as inline Markdown that reads as itself."""
    return leaves.line_start(inline.escape(fold(text)))


def link(text: str, url: str) -> str:
    """A link around plain text; just the text where there is no address."""
    return inline.link(inline.escape(fold(text)) or inline.escape(url), url) if url else line(text)


def code(text: str) -> str:
    """Inline code."""
    return inline.code_span(fold(text))


def fenced(text: str, language: str = "") -> str:
    """A block of code, whatever it holds; empty for no text."""
    text = steady(text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n").rstrip()
    block = Block(kind=Kind.CODE, text=text, language=language)
    return leaves.content(block, dashes=True) if text else ""


def steady(text: str) -> str:
    """`text` without what steers a terminal or turns the order of what is shown."""
    return _STEERING.sub("", text)


def language_of(name: str) -> str:
    """What a file of that name is written in, as a block of code says it; empty if unknown."""
    tail = name.rpartition("/")[2].lower()
    ending = tail.rpartition(".")[2]
    return normal_language(ending) if ending in ALIASES or ending in NAMES else ""


def bullets(items: Iterable[str]) -> str:
    """A list of inline Markdown."""
    return "\n".join(f"- {item}" for item in items)


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table of inline Markdown; empty where it has no rows."""
    cells = [tuple(map(inline.cell, row)) for row in rows]
    if not cells:
        return ""
    block = Block(kind=Kind.TABLE, text="", rows=(header, *cells), header=True)
    return leaves.content(block, dashes=True)


def counted(number: float | None, thing: str, things: str = "") -> str:
    """`1,234 things`; empty where the number is not known."""
    if number is None:
        return ""
    return f"{number:,.0f} {thing if number == 1 else things or f'{thing}s'}"


def size(number: float | None) -> str:
    """Bytes in the unit that suits them; empty where they are not known."""
    if number is None:
        return ""
    if number < _STEP:
        return counted(number, "byte")
    unit = -1
    while number >= _STEP and unit < len(_UNITS) - 1:
        number, unit = number / _STEP, unit + 1
    return f"{number:.{0 if number >= _FEW else 1}f} {_UNITS[unit]}"


def day(stamp: str) -> str:
    """The day of an ISO 8601 time, for a person; empty where it is none."""
    found = _ISO.match(stamp)
    return found[1] if found else ""


def minute(stamp: str) -> str:
    """Day and minute of an ISO 8601 time, for a person."""
    found = _ISO.match(stamp)
    return " ".join(part for part in found.groups() if part) if found else ""


def iso(seconds: float | None) -> str:
    """Seconds of Unix time in ISO 8601, UTC; empty where there are none that a calendar has."""
    if seconds is None or not 0 < seconds <= _LATEST_S:
        return ""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"
