"""Magic words in queries, and rules: how a test, or a query typed elsewhere, chooses a state.

Words have the form `name:value`. The word `mode` has its own small grammar:

    mode:NAME[=VALUE][@PAGE|@PAGE+][#VISIT]

as in `mode:captcha@2` (page 2 only), `mode:slow=1.5` (a value), `mode:reset#1` (the first request
for this query and page), `mode:hang@2+` (page 2 and later). The first word that fits decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    import anyio

ModeT = TypeVar("ModeT", bound=StrEnum)

_WORD = re.compile(r"(?<!\S)(mode|links|goto|size|total|blocks):(\S+)")
_MODE = re.compile(r"([a-z0-9_]+)(?:=([0-9.]+))?(?:@(\d+)(\+?))?(?:#(\d+))?")
_UNITS = {"k": 1_000, "m": 1_000_000, "": 1}


@dataclass(frozen=True, kw_only=True)  # with slots, `Rule[Mode](…)` fails on Python 3.11
class Rule(Generic[ModeT]):
    """The first rule that fits decides; None fits everything."""

    mode: ModeT
    query: str | None = None
    """Part of the query, magic words included."""
    page: int | None = None
    from_page: int = 1
    visit: int | None = None
    """The nth request for this query and page, counted from 1."""
    value: float | None = None
    """Seconds, or what else the mode says it takes."""
    gate: anyio.Event | None = None
    """The answer is held back until it is set; in-process only."""

    def fits(self, query: str, page: int, visit: int) -> bool:
        return (
            (self.query is None or self.query in query)
            and (self.page is None or self.page == page)
            and page >= self.from_page
            and (self.visit is None or self.visit == visit)
        )


@dataclass(frozen=True)
class Words(Generic[ModeT]):
    """A query taken apart."""

    text: str
    """What is left without the magic words."""
    rules: tuple[Rule[ModeT], ...]
    others: dict[str, str]


def take_words(query: str, modes: type[ModeT]) -> Words[ModeT]:
    """Take the magic words out of a query.

    Raises:
        ValueError: a word names no known mode.
    """
    found = _WORD.findall(query)
    return Words(
        text=" ".join(_WORD.sub(" ", query).split()),
        rules=tuple(_mode_rule(value, modes) for name, value in found if name == "mode"),
        others={name: value for name, value in found if name != "mode"},
    )


def read_rule(item: dict[str, Any], modes: type[ModeT]) -> Rule[ModeT]:
    """A rule from JSON.

    Raises:
        ValueError, TypeError, KeyError: a name or value is not understood.
    """
    return Rule(**(item | {"mode": modes(item["mode"])}))


def choose(
    rules: Iterable[Rule[ModeT]], query: str, page: int, visit: int, usual: ModeT
) -> Rule[ModeT]:
    """The first rule that fits, or one for the usual mode."""
    fitting = (rule for rule in rules if rule.fits(query, page, visit))
    return next(fitting, Rule(mode=usual))


def read_bytes(word: str) -> int:
    """A size such as `300k` or `12m`.

    Raises:
        ValueError: it is none.
    """
    match = re.fullmatch(r"(\d+)([km]?)b?", word.lower())
    if match is None:
        raise ValueError(f"not a size: {word}")
    return int(match[1]) * _UNITS[match[2]]


def _mode_rule(word: str, modes: type[ModeT]) -> Rule[ModeT]:
    match = _MODE.fullmatch(word)
    if match is None:
        raise ValueError(f"not a mode: {word}")
    name, value, page, onwards, visit = match.groups()
    return Rule(
        mode=modes(name),
        value=float(value) if value else None,
        page=int(page) if page and not onwards else None,
        from_page=int(page) if page and onwards else 1,
        visit=int(visit) if visit else None,
    )
