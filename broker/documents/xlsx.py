"""Excel workbooks: their sheets, read as a stream as far as they are shown."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from broker.documents.failures import Unconverted
from broker.documents.numbers import Shown, built_in, shown_by, text_of
from broker.documents.ooxml import attribute, below, describe, name, related, tree
from broker.documents.records import Converted
from broker.documents.sheets import Sheet, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broker.documents.archive import Archive

BOOK = "xl/workbook.xml"
_ROW = re.compile(rb"<(?:\w+:)?row[\s>]")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
"""How a file writes a character that XML does not allow, a carriage return mostly."""
_COLUMN = re.compile(r"[A-Z]{1,3}")
_MOST_SHEETS = 200
_HIDDEN = frozenset({"hidden", "veryHidden"})


@dataclass(slots=True)
class _Book:
    """What all sheets use."""

    strings: list[str] = field(default_factory=list)
    more_strings: Iterator[str] = field(default_factory=lambda: iter(()))
    """Those not read yet: they stand in the order of their first use, so that a part is enough."""
    styles: list[Shown] = field(default_factory=list)
    since_1904: bool = False
    formulas: int = 0
    """Cells whose value nobody computed."""

    def string(self, index: int) -> str:
        """The shared string of that number; empty where there is none."""
        while index >= len(self.strings) and (more := list(islice(self.more_strings, 1000))):
            self.strings += more
        return self.strings[index] if index < len(self.strings) else ""


def convert(archive: Archive) -> Converted:
    """The sheets of an archive that was checked.

    Raises:
        Unconverted: it is damaged.
    """
    root = tree(archive, BOOK)
    parts = related(archive, BOOK)
    book = _Book()
    for kind, part in parts.values():
        if kind == "sharedStrings" and part in archive:
            book.more_strings = _strings(archive, part)
        elif kind == "styles" and part in archive:
            book.styles = _styles(tree(archive, part))
    book.since_1904 = any(
        each.get("date1904") in {"1", "true"} for each in below(root, "workbookPr")
    )
    sheets = []
    for each in list(below(root, "sheet"))[:_MOST_SHEETS]:
        kind, part = parts.get(attribute(each, "id"), ("", ""))
        if kind == "worksheet":
            sheet = Sheet(each.get("name", ""), each.get("state") in _HIDDEN)
            _fill(sheet, archive.read(part), book)
            sheets.append(sheet)
    markdown, notes = written(sheets, book.formulas)
    result = Converted(markdown=markdown, notes=notes)
    describe(archive, result)
    return result


def _elements(body: bytes, wanted: str) -> Iterator[ET.Element]:
    """The elements of that name as they end; nothing in them stays in memory."""
    ending = f"}}{wanted}"
    try:
        for _, node in ET.iterparse(io.BytesIO(body)):  # noqa: S314 - no entities
            if node.tag.endswith(ending):
                yield node
                node.clear()
    except ET.ParseError as error:
        raise Unconverted("damaged", "a part of the workbook is damaged or cut off") from error


def _strings(archive: Archive, part: str) -> Iterator[str]:
    for node in _elements(archive.read(part), "si"):
        yield _said(node)


def _said(node: ET.Element) -> str:
    """What is written in it, without how East Asian words are spoken."""
    texts = [
        each.text or "" for child in node if name(child) != "rPh" for each in below(child, "t")
    ]
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), "".join(texts))


def _styles(root: ET.Element) -> list[Shown]:
    own = {
        each.get("numFmtId"): shown_by(each.get("formatCode", "")) for each in below(root, "numFmt")
    }
    cells = next(below(root, "cellXfs"), ())
    identities = [each.get("numFmtId", "0") for each in cells]
    return [own.get(each) or built_in(int(each) if each.isdecimal() else 0) for each in identities]


def _fill(sheet: Sheet, body: bytes, book: _Book) -> None:
    """Read rows until there are enough, and count the others."""
    begun = 0
    for row in _elements(body, "row"):
        begun += 1
        cells: dict[int, str] = {}
        place = 0
        for cell in row:
            place = _column(cell.get("r", "")) or place + 1
            text = _text(cell, book)
            if text:
                cells[place] = text
        sheet.add(cells)
        if sheet.is_full:
            break
    if sheet.is_full:
        sheet.more = max(0, sum(1 for _ in _ROW.finditer(body)) - begun)


def _column(reference: str) -> int:
    """The number of a cell's column, from 1; 0 where it is not told."""
    found = _COLUMN.match(reference)
    column = 0
    for letter in found[0] if found else "":
        column = column * 26 + ord(letter) - 64
    return column


def _text(cell: ET.Element, book: _Book) -> str:
    children = {name(child): child for child in cell}
    if "is" in children:
        return _said(children["is"])
    value = (children["v"].text or "").strip() if "v" in children else ""
    kind = cell.get("t", "n")
    if not value:
        if "f" not in children or kind == "str":
            return ""
        book.formulas += 1
        return f"={children['f'].text or '…'}"
    if kind == "s":
        return book.string(int(value)) if value.isdecimal() else ""
    if kind == "b":
        return "true" if value == "1" else "false"
    return _number(value, cell.get("s", ""), book) if kind == "n" else value


def _number(value: str, style: str, book: _Book) -> str:
    index = int(style) if style.isdecimal() else len(book.styles)
    shown = book.styles[index] if index < len(book.styles) else Shown.NUMBER
    try:
        return text_of(float(value), shown, since_1904=book.since_1904)
    except (ValueError, OverflowError):  # no number, or an infinite one
        return value
