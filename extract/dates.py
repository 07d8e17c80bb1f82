"""Dates as pages write them, as ISO 8601.

No clock is asked and no zone is assumed: what the page does not say stays out. A form that two
countries read differently (03/04/2020) says nothing.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_FIRST_YEAR, _LAST_YEAR = 1990, 2100
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero gennaio janeiro januari",
            "february feb februar février fevrier febrero febbraio fevereiro februari",
            "march mar märz maerz mars marzo março maart",
            "april apr avril abril aprile",
            "may mai mayo maggio maio mei",
            "june jun juni juin junio giugno junho",
            "july jul juli juillet julio luglio julho",
            "august aug août aout agosto augustus",
            "september sep sept septembre septiembre settembre setembro",
            "october oct oktober octobre octubre ottobre outubro okt",
            "november nov novembre noviembre novembro",
            "december dec dezember décembre decembre diciembre dicembre dezembro dez",
        ),
        start=1,
    )
    for name in names.split()
}

_TIME = re.compile(
    r"[T\s,;@|at]*+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?"
    r"\s*(?:(?P<zulu>Z|UTC|GMT)(?![+-])|(?:UTC|GMT)?(?P<offset>[+-]\d\d:?\d\d)\b)?",
    re.IGNORECASE,
)
_YEAR_FIRST = re.compile(
    r"(?<!\d)(?P<year>\d{4})\s?(?P<sep>[-/.年])\s?(?P<month>\d{1,2})\s?(?:(?P=sep)|月)\s?"
    r"(?P<day>\d{1,2})(?!\d)日?"
)
_COMPACT = re.compile(r"^(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?=$|T|\s)")
_DOTTED = re.compile(r"(?<![\d.])(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(?P<first>\d{1,2})[/-](?P<second>\d{1,2})[/-](?P<year>\d{4})(?!\d)")
_DAY_NAME = re.compile(
    r"(?<!\d)(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er)?[\s-]+(?:de\s+|of\s+)?(?P<name>[^\W\d_]{3,10})"
    r"\.?,?[\s-]+(?:de\s+)?(?P<year>\d{4})(?!\d)",
    re.IGNORECASE,
)
_NAME_DAY = re.compile(
    r"(?<![^\W\d_])(?P<name>[^\W\d_]{3,10})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})(?!\d)",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"^\d{10}(?:\d{3})?$")
_LONGEST = 200
_IN_PATH = re.compile(r"/(?P<year>(?:19|20)\d\d)[/-](?P<month>\d\d?)[/-](?P<day>\d\d?)(?=/|-|$)")
_NOON, _EPOCH_MS_DIGITS = 12, 13


def iso(text: str) -> str | None:
    """The first full date in `text` as ISO 8601, with its time and offset where they are given.

    None where there is none between 1990 and 2100. A month alone is no full date.
    """
    text = text.strip()[:_LONGEST]
    if _EPOCH.match(text):
        seconds = int(text) / (1000 if len(text) == _EPOCH_MS_DIGITS else 1)
        moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=0)
        return moment.isoformat() if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None
    for pattern in (_YEAR_FIRST, _COMPACT, _DAY_NAME, _NAME_DAY, _DOTTED, _SLASHED):
        for found in pattern.finditer(text):
            day = _day(found)
            if day:
                return _with_time(day, text, found.end())
    return None


def in_path(path: str) -> str | None:
    """The date that stands as year, month and day in the path of an address."""
    found = _IN_PATH.search(path)
    day = _day(found) if found else None
    return day.date().isoformat() if day else None


def _day(found: re.Match[str]) -> datetime | None:
    parts = found.groupdict()
    if "name" in parts:
        month = _MONTHS.get(parts["name"].lower(), 0)
        day = int(parts["day"])
    elif "first" in parts:
        first, second = int(parts["first"]), int(parts["second"])
        if first <= _NOON and second <= _NOON and first != second:
            return None
        month, day = min(first, second), max(first, second)
    else:
        month, day = int(parts["month"]), int(parts["day"])
    year = int(parts["year"])
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        return None
    try:
        return datetime(year, month, day)  # noqa: DTZ001 - a page's day has no zone
    except ValueError:
        return None


def _with_time(day: datetime, text: str, end: int) -> str:
    time = _TIME.match(text, end)
    if time is None:
        # "Tue Nov 05 12:00:00 2019" and the like: the day is what matters.
        return day.date().isoformat()
    hour = int(time["hour"])
    if time["half"]:
        hour = hour % _NOON + _NOON * (time["half"].lower() == "p")
    try:
        moment = day.replace(hour=hour, minute=int(time["minute"]), second=int(time["second"] or 0))
        if time["zulu"]:
            moment = moment.replace(tzinfo=UTC)
        elif time["offset"]:
            moment = moment.replace(tzinfo=_zone(time["offset"]))
    except ValueError:
        return day.date().isoformat()
    return moment.isoformat()


def _zone(offset: str) -> timezone:
    size = timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:]))
    return timezone(-size if offset[0] == "-" else size)
