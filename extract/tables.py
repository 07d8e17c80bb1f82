"""Tables: which hold data and which only arrange the page, and the former's cells as a grid."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, cast

from lxml import etree

from extract.inline import cell as table_cell
from extract.tree import is_hidden, raw_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from extract.tree import Node

_LAYOUT_ROLES = frozenset({"presentation", "none"})
_DATA_ROLES = frozenset({"grid", "table", "treegrid"})

_ROWS_JUDGED = 60
"""Rows that are looked at to tell data from layout; what follows is more of the same."""
_LEAST_FULL = 0.6
"""Share of rows that must have two cells with text, in a table without headers."""
_FRAME_CHARS, _FRAME_SHARE = 300, 0.6
"""One cell with so much text, and so much of all of it, is a page's frame and no value."""
_LONGEST_VALUE = 1000
"""Characters in one cell; longer text is an article, unless the table has headers."""
_LONGEST_DECLARED_VALUE = 3000
_NESTED_SHARE = 0.4
"""Of the text, in tables inside a table with headers."""
_MAX_SPAN = 64
"""Columns that one cell may span: pages write 1000 and mean all there are."""
_SPACER_PX = 3
_SPACER_NAME = re.compile(
    r"(?:^|/)(?:spacer|pixel|blank|clear|transparent)[\w-]*\.gif", re.IGNORECASE
)
_LEAST_ROWS = 2
_BLOWUP, _SMALL = 8, 4096
"""Cells of a grid for each cell of the page, and those that no page is denied."""

_length = etree.XPath("string-length(normalize-space())")
_nested_length = etree.XPath("string-length(normalize-space(.//table))")
_declares = etree.XPath("boolean(./caption or count(./tr/th | ./*/tr/th) > 1 or .//td/@headers)")
_arranges = etree.XPath(
    "boolean(count(.//h1 | .//h2 | .//h3 | .//h4) > 1 or count(.//div) > 2 * count(.//td)"
    " or .//article | .//section | .//nav | .//form | .//header | .//footer | .//iframe"
    " | .//aside | .//main)"
)


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the first rows of a table look like. Counts leave out rows without any text."""

    rows: int
    spanning: int
    """Rows of one cell, which spans others or heads them."""
    full: int
    """Rows with text in two cells or more."""
    longest: float
    """Characters of the longest cell."""
    total: float
    """Characters of all cells."""


def is_data_table(table: Node) -> bool:
    """Whether `table` shows values in rows and columns; else its cells are ordinary content.

    Tables with code of several lines in them are no data either: a cell has only one line.
    """
    role = (table.get("role") or "").strip().lower()
    if role in _LAYOUT_ROLES or table.get("datatable") == "0":
        return False
    declared = bool(_declares(table)) or role in _DATA_ROLES
    nested = next(table.iterdescendants("table"), None) is not None
    if (nested and not declared) or _has_long_code(table):
        return False
    shape = _shape(table)
    if shape.rows < _LEAST_ROWS or not shape.full:
        return False
    if declared:
        return shape.longest <= _LONGEST_DECLARED_VALUE and not (
            nested and cast("float", _nested_length(table)) > _NESTED_SHARE * shape.total
        )
    return _is_regular(shape) and not _arranges(table) and not _has_spacer(table)


def grid(table: Node, cell: Callable[[Node], str]) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """The cells of `table` row by row as displayed, and whether the first row is a header.

    `cell` gives the inline Markdown of a `td` or `th` and is asked once for each; what it returns
    is put on one line with `|` escaped. All rows are as long as the longest: what a cell spans
    beyond its first place is empty. Rows and columns without text are left out.
    """
    rows: list[list[str]] = []
    header = False
    places = _Places()
    for section, row in _rows(table):
        if is_hidden(row):
            continue
        cells = _cells(row)
        texts = places.fill(cells, cell)
        if texts:
            if not rows:
                header = _is_header(section, cells)
            rows.append(texts)
    _level(rows, places.cells * _BLOWUP + _SMALL)
    return tuple(map(tuple, rows)), header


_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
_ROW_HOLDERS = _SECTIONS | {"form", "div", "span", "center", "font", "a"}
_STRONG_TAGS = frozenset({"b", "strong"})


def _rows(table: Node) -> Iterator[tuple[str, Node]]:
    """The rows of `table` itself as displayed, each with the tag of the section it stands in."""
    body: list[tuple[str, Node]] = []
    foot: list[tuple[str, Node]] = []
    pending: list[tuple[str, Node]] = [("", child) for child in reversed(table)]
    pending.sort(key=lambda found: found[1].tag == "thead")  # the last one is read first
    while pending:
        section, node = pending.pop()
        if node.tag == "tr":
            (foot if section == "tfoot" else body).append((section, node))
        elif node.tag in _ROW_HOLDERS:
            inside = node.tag if node.tag in _SECTIONS else section
            pending += [(inside, child) for child in reversed(node)]
    yield from body
    yield from foot


def _cells(row: Node) -> list[Node]:
    return [node for node in row if node.tag in {"td", "th"} and not is_hidden(node)]


class _Places:
    """Finds the columns of cells, row after row."""

    def __init__(self) -> None:
        self.cells = 0
        self._row = 0
        self._taken: list[int] = []  # for each column, behind which row the cell in it ends
        self._padding = 0

    def fill(self, cells: list[Node], cell: Callable[[Node], str]) -> list[str]:
        """The next row's texts, each in its column; nothing behind the last that has text."""
        texts: list[str] = []
        filled = 0
        self.cells += len(cells)
        for node in cells:
            self._skip(texts)
            column = len(texts)
            texts.append(table_cell(cell(node)))
            if texts[-1]:
                filled = column + 1
            across = self._room(min(_span(node, "colspan"), _MAX_SPAN) - 1)
            texts += [""] * across
            self._taken += [0] * (len(texts) - len(self._taken))
            end = self._row + _span(node, "rowspan")
            self._taken[column : len(texts)] = [end] * (1 + across)
        self._row += 1
        return texts[:filled]

    def _skip(self, texts: list[str]) -> None:
        while len(texts) < len(self._taken) and self._taken[len(texts)] > self._row:
            if not self._room(1):
                break
            texts.append("")

    def _room(self, wanted: int) -> int:
        """How many of `wanted` empty cells there may be: spans must not make a page explode."""
        given = max(0, min(wanted, self.cells * _BLOWUP + _SMALL - self._padding))
        self._padding += given
        return given


def _span(cell: Node, attribute: str) -> int:
    value = cell.get(attribute)
    if value is None:
        return 1
    try:
        return int(value)
    except ValueError:
        return 1


def _level(rows: list[list[str]], room: int) -> None:
    """Drops empty columns and makes `rows` equally long; they have `room` cells altogether.

    Where that is too few, because one row is far longer than the others, the cells that are too
    many share the last column.
    """
    width = max(map(len, rows), default=0)
    used = {column for texts in rows for column, text in enumerate(texts) if text}
    if len(used) < width:
        kept = sorted(used)
        for texts in rows:
            texts[:] = [texts[column] for column in kept if column < len(texts)]
        width = len(kept)
    width = min(width, max(1, room // max(1, len(rows))))
    for texts in rows:
        if len(texts) > width:
            texts[width - 1 :] = [" ".join(filter(None, texts[width - 1 :]))]
        texts.extend([""] * (width - len(texts)))


def _is_header(section: str, cells: list[Node]) -> bool:
    if section == "thead":
        return True
    headers = [node for node in cells if node.tag == "th"]
    if headers:
        return all(node.tag == "th" or not _length(node) for node in cells)
    return len(cells) > 1 and all(map(_is_bold, cells))


def _is_bold(cell: Node) -> bool:
    """Whether everything in `cell` is in bold type."""
    while len(cell) == 1 and not (cell.text or "").strip() and not (cell[0].tail or "").strip():
        cell = cell[0]
        if cell.tag in _STRONG_TAGS:
            return True
    return False


def _shape(table: Node) -> _Shape:
    rows = spanning = full = 0
    longest = total = 0.0
    for _, row in islice(_rows(table), _ROWS_JUDGED):
        cells = _cells(row)
        lengths = [cast("float", _length(node)) for node in cells]
        filled = sum(map(bool, lengths))
        if not filled:
            continue
        rows += 1
        full += filled > 1
        spanning += len(cells) == 1
        longest = max(longest, *lengths)
        total += sum(lengths)
    return _Shape(rows, spanning, full, longest, total)


def _is_regular(shape: _Shape) -> bool:
    """Whether a table without headers looks like values in rows and columns."""
    if shape.full < _LEAST_ROWS or shape.full < _LEAST_FULL * (shape.rows - shape.spanning):
        return False
    if shape.longest > _FRAME_CHARS and shape.longest > _FRAME_SHARE * shape.total:
        return False
    return shape.longest <= _LONGEST_VALUE


def _has_long_code(table: Node) -> bool:
    """Whether code of more than one line is among the first in `table`."""
    blocks = islice(table.iterdescendants("pre"), _ROWS_JUDGED)
    return any("\n" in raw_text(block).strip() for block in blocks)


def _has_spacer(table: Node) -> bool:
    """Whether invisible pictures keep the cells of `table` apart."""
    for picture in islice(table.iterdescendants("img"), _ROWS_JUDGED):
        sizes = [picture.get("width") or "", picture.get("height") or ""]
        if any(size.isdecimal() and int(size) <= _SPACER_PX for size in sizes):
            return True
        if _SPACER_NAME.search(picture.get("src") or "") is not None:
            return True
    return False
