"""Numbers of a spreadsheet as their formats show them: dates, times, shares. Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import StrEnum, auto

from broker.documents.sheets import clock, number, percentage

_DAY_S = 86_400
_LAST_DAY = 2_958_465
"""31 December 9999."""
_LEAP_BUG_DAY = 60
"""29 February 1900, which there never was: earlier days are one off."""
_LITERAL = re.compile(r'"[^"]*"?|\\.|_.|\*.|am/pm|a/p|general|\[(?!h+\]|m+\]|s+\])[^\]]*\]')
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]")


class Shown(StrEnum):
    """What a format makes of a number."""

    NUMBER = auto()
    SHARE = auto()
    DATE = auto()
    MOMENT = auto()
    """A date and a time."""
    TIME = auto()
    LENGTH = auto()
    """Of time."""


_BUILT_IN = {
    9: Shown.SHARE, 10: Shown.SHARE, 22: Shown.MOMENT, 46: Shown.LENGTH,
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 36, *range(50, 59)), Shown.DATE),
    **dict.fromkeys((18, 19, 20, 21, 32, 33, 34, 35, 45, 47), Shown.TIME),
}  # fmt: skip


def shown_by(code: str) -> Shown:
    """What a format's `code` shows, as in `yyyy-mm-dd`."""
    bare = _LITERAL.sub("", code.lower()).split(";")[0]
    if _ELAPSED.search(bare):
        return Shown.LENGTH
    has_time = "h" in bare or "s" in bare
    if "y" in bare or "d" in bare or ("m" in bare and not has_time):
        return Shown.MOMENT if has_time else Shown.DATE
    if has_time:
        return Shown.TIME
    return Shown.SHARE if "%" in bare else Shown.NUMBER


def built_in(identity: int) -> Shown:
    """What a format shows that every program knows by its number."""
    return _BUILT_IN.get(identity, Shown.NUMBER)


def text_of(value: float, shown: Shown, *, since_1904: bool = False) -> str:
    """A cell's number; days are counted since 1900 where no format says otherwise."""
    if shown is Shown.SHARE:
        return percentage(value)
    if shown is Shown.LENGTH or (shown is Shown.TIME and 0 <= value < 1):
        return clock(round(value * _DAY_S))
    if shown is Shown.NUMBER or not 0 <= value <= _LAST_DAY:
        return number(value)
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - of no zone
    if not since_1904 and value < _LEAP_BUG_DAY:
        value += 1
    moment = start + timedelta(seconds=round(value * _DAY_S))
    return moment.date().isoformat() if shown is Shown.DATE else moment.isoformat(" ")
