"""Sheets as tables: what spreadsheets of all formats have in common. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from broker.documents import tabular
from broker.documents.tabular import markdown
from extract.inline import escape

MOST_COLUMNS = 200
"""That are shown, of those in which something stands."""
_ERRORS = {
    "Div0": "#DIV/0!", "NA": "#N/A", "Name": "#NAME?", "Null": "#NULL!", "Num": "#NUM!",
    "Ref": "#REF!", "Value": "#VALUE!",
}  # fmt: skip
_ERROR = re.compile(r"\\?#ERR: (\w+)")
_TIME = re.compile(r"(?<=\| )(1899-12-3[01]|1900-01-0[1-9]) (\d\d)(:\d\d:\d\d)(?= \|)")
_FIRST_DAYS = {"1899-12-30": 0, "1899-12-31": 0}


@dataclass(slots=True)
class Sheet:
    """A sheet in the making: cells by row and column, empty ones left out."""

    name: str
    hidden: bool = False
    rows: list[dict[int, str]] = field(default_factory=list)
    more: int = 0
    """Rows that are not in `rows`."""

    @property
    def is_full(self) -> bool:
        """Whether it has all rows that are shown: a header and `tabular.MOST_ROWS`."""
        return len(self.rows) > tabular.MOST_ROWS

    def add(self, row: dict[int, str], times: int = 1) -> None:
        """Add a row that stands there so many times, unless nothing is in it."""
        if any(row.values()):
            taken = min(times, tabular.MOST_ROWS + 1 - len(self.rows))
            self.rows.extend([row] * taken)
            self.more += times - taken


def written(sheets: list[Sheet], formulas: int) -> tuple[str, list[str]]:
    """The tables as Markdown, each below its name, and what is to be told.

    `formulas` is how many cells hold a formula whose value is not known.
    """
    parts: list[str] = []
    notes: list[str] = []
    for sheet in sheets:
        if not sheet.rows:
            continue
        columns = sorted({place for row in sheet.rows for place, text in row.items() if text})
        shown = columns[:MOST_COLUMNS]
        table = markdown([[row.get(place, "") for place in shown] for row in sheet.rows])
        parts += [f"## {escape(' '.join(sheet.name.split()))}", table]
        if sheet.more:
            rows = len(sheet.rows) - 1
            told = f"only the first {rows} of {rows + sheet.more} rows are shown"
            notes.append(f"{told} of the sheet {sheet.name!r}")
        if len(columns) > len(shown):
            told = f"only the first {len(shown)} of {len(columns)} columns are shown"
            notes.append(f"{told} of the sheet {sheet.name!r}")
    hidden = [repr(sheet.name) for sheet in sheets if sheet.hidden and sheet.rows]
    if hidden:
        notes.append(f"hidden in the file, and shown here: {', '.join(hidden)}")
    if formulas:
        notes.append(f"{formulas} formulas stand there without their values, which nobody computed")
    return "\n\n".join(parts), notes


def number(value: float) -> str:
    """A number as it is written, without what only the machine's arithmetic adds."""
    if value == int(value) and abs(value) < 1e21:  # noqa: PLR2004
        return str(int(value))
    return format(value, ".15g")


def percentage(value: float) -> str:
    """A share as it is shown: 0.125 is 12.5%."""
    return f"{format(value * 100, '.12g')}%"


def clock(seconds: int) -> str:
    """A time of the day, or a length of time, as in 30:05:00."""
    minutes, second = divmod(abs(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{'-' * (seconds < 0)}{hour:02}:{minute:02}:{second:02}"


def corrected(table: str) -> str:
    """Tables that a library wrote, in which times are days of 1900 and errors have other names."""
    table = _ERROR.sub(lambda found: _ERRORS.get(found[1], found[0]), table)
    return _TIME.sub(_as_time, table)


def _as_time(found: re.Match[str]) -> str:
    days = _FIRST_DAYS.get(found[1], int(found[1][-2:]))
    return f"{days * 24 + int(found[2]):02}{found[3]}"
