"""Comma- and tab-separated values as a table. Pure; of any size in one pass."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_ROWS = 2000
"""That are shown; the note says how many there are."""
_MOST_COLUMNS = 200
_LONGEST_CELL = 2000
_SAMPLE_LINES = 20
_MOST_GROWTH, _FREE_CELLS = 8, 20_000
"""Cells that a table may have for each that was given, and in any case."""
_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class Table:
    """A table as Markdown; empty where the text is none."""

    markdown: str = ""
    notes: tuple[str, ...] = ()


def table_of(text: str, delimiter: str = "") -> Table:
    """The values in `text`; `delimiter` is found out where it is not given."""
    sample = [line for line in islice(_lines(text), _SAMPLE_LINES) if line.strip()]
    delimiter = delimiter or _delimiter(sample)
    if not sample or not delimiter:
        return Table()
    rows_of = _tabbed if delimiter == "\t" else _quoted
    reader = rows_of(_lines(text.replace("\0", "")), delimiter)
    try:
        rows = [row for row in islice(reader, MOST_ROWS + 1) if any(map(str.strip, row))]
        left = sum(1 for row in reader if row)
    except csv.Error:  # a quotation that never ends, say
        return Table()
    if not rows or max(map(len, rows)) > _MOST_COLUMNS:
        return Table()
    notes: tuple[str, ...] = ()
    if left:
        notes = (f"only the first {len(rows) - 1} of {len(rows) - 1 + left} rows are shown",)
    return Table(markdown(rows), notes)


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Rows of plain text, the header first, as a pipe table.

    Short rows are filled up, unless that would make much of little: Markdown needs it of the
    header alone.
    """
    width = max(map(len, rows))
    filled = may_be_filled(width, rows)
    lines = [
        "| " + " | ".join(map(_cell, (*row, *[""] * (width - len(row))))) + " |"
        if filled or not index
        else "| " + " | ".join(map(_cell, row)) + " |"
        for index, row in enumerate(rows)
    ]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


def may_be_filled(width: int, rows: Sequence[Sequence[object]]) -> bool:
    """Whether filling rows up to so many cells makes no more than a few times of what is there."""
    return width * len(rows) <= _MOST_GROWTH * sum(map(len, rows)) + _FREE_CELLS


def _quoted(lines: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    return csv.reader(lines, delimiter=delimiter)


def _tabbed(lines: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    """Tab-separated values know no quotation marks; some programs set a value in them still."""
    for line in lines:
        yield [_unquoted(value) for value in line.rstrip("\r\n").split(delimiter)]


def _unquoted(value: str) -> str:
    inner = value[1:-1]
    whole = len(value) > 1 and value[0] == value[-1] == '"'
    return inner.replace('""', '"') if whole and '"' not in inner.replace('""', "") else value


def _cell(text: str) -> str:
    text = " ".join(text[:_LONGEST_CELL].split())
    return text.replace("\\", "\\\\").replace("|", "\\|")


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _delimiter(lines: Sequence[str]) -> str:
    """What separates the values: what stands in most lines equally often."""
    best, most = "", 0
    for delimiter in _DELIMITERS:
        counts = [line.count(delimiter) for line in lines]
        alike = sum(count == counts[0] for count in counts) * counts[0] if counts else 0
        if counts and counts[0] and alike > most:
            best, most = delimiter, alike
    return best
