"""Word files of before 2007: their text with headings, items, tables, links and notes.

The text lies in pieces; what paragraphs and characters are is told for places in the file (FC), and
where notes are for places in the text (CP). Text is kept with a character for each CP throughout.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted

if TYPE_CHECKING:
    from broker.documents.compound import Compound

MAIN = "WordDocument"
_IDENTS = frozenset({0xA5EC, 0xA5DC})
"""What the stream of the text begins with, since Word 97 and before."""
_ENCRYPTED, _SECOND_TABLE = 0x100, 0x200
_WORD_97 = 0xC0
_PAGE = 512
_COMPRESSED = 1 << 30
_STYLES, _NOTE_PLACES, _NOTE_TEXTS, _RUNS, _PARAGRAPHS, _PIECES, _END_PLACES, _END_TEXTS = (
    1, 2, 3, 12, 13, 33, 46, 47,
)  # fmt: skip
"""Which of the table's parts is what."""
_OPERAND_BYTES = (1, 1, 2, 4, 2, 2, 0, 3)
_DELETED, _VANISHED = 0x0800, 0x083C
_KEPT_MARKS = frozenset("\r\x07\x0c\x0e")


@dataclass(frozen=True, slots=True)
class Properties:
    """What is said of a paragraph."""

    style: int = 0
    set: dict[int, int] = field(default_factory=dict)
    """Values by the code of what they set."""


@dataclass(slots=True)
class Story:
    """The text of a document, and what is known of it."""

    text: str
    """A character for each CP; those that are not shown are NUL."""
    main: int
    """So many of them are the main text."""
    boxes: tuple[int, int]
    """From where to where the texts of drawings stand."""
    notes: list[tuple[int, int, int]]
    """Where each stands in the main text, and where it begins and ends."""
    styles: list[tuple[int, int]]
    """Which of the known styles each is, and on which it is based."""
    _paragraphs: list[tuple[int, Properties]]
    _pieces: list[tuple[int, int, int, int]]

    def paragraph(self, place: int) -> Properties:
        """What is said of the paragraph that ends at CP `place`."""
        index = bisect_right(self._pieces, (place, 1 << 40, 0, 0)) - 1
        start, _, offset, width = self._pieces[max(0, index)]
        where = offset + (place - start) * width
        index = bisect_right(self._paragraphs, where, key=lambda each: each[0]) - 1
        return self._paragraphs[index][1] if index >= 0 else Properties()


def read(compound: Compound) -> Story | None:
    """The text of a Word file; None of one that is older than Word 97.

    Raises:
        Unconverted: it is encrypted or damaged.
    """
    main = compound.stream(MAIN)
    try:
        ident, version = struct.unpack_from("<HH", main)
        flags = struct.unpack_from("<H", main, 10)[0]
        if ident in _IDENTS and flags & _ENCRYPTED:
            raise Unconverted("encrypted", "the document asks for a password")
        if ident not in _IDENTS or version < _WORD_97:
            return None
        return _story(main, compound.stream("1Table" if flags & _SECOND_TABLE else "0Table"))
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise Unconverted("damaged", "the document is damaged or cut off") from error


def _story(main: bytes, table: bytes) -> Story:
    def part(number: int) -> bytes:
        place, size = struct.unpack_from("<II", main, 0x9A + 8 * number)
        return table[place : place + size]

    sizes = struct.unpack_from("<8I", main, 0x4C)
    pieces = _pieces(part(_PIECES))
    hidden = _hidden(main, part(_RUNS))
    text = "".join(_text(main, piece, hidden) for piece in pieces)
    starts = [sum(sizes[:index]) for index in range(9)]
    notes = _notes(part(_NOTE_PLACES), part(_NOTE_TEXTS), starts[1])
    notes += _notes(part(_END_PLACES), part(_END_TEXTS), starts[5])
    paragraphs = [
        (where, Properties(struct.unpack_from("<H", told)[0], _set(told[2:])))
        for where, _, told in _told(main, part(_PARAGRAPHS), 13)
        if len(told) >= 2  # noqa: PLR2004
    ]
    return Story(
        text,
        sizes[0],
        (starts[6], starts[7]),
        sorted(notes),
        _styles(part(_STYLES)),
        sorted(paragraphs, key=lambda each: each[0]),
        pieces,
    )


def _pieces(table: bytes) -> list[tuple[int, int, int, int]]:
    """First and last CP of each, where it lies in the file, and bytes of each character."""
    place = 0
    while table[place] == 1:
        place += 3 + struct.unpack_from("<H", table, place + 1)[0]
    if table[place] != 2:  # noqa: PLR2004
        raise ValueError(table[place])
    count = (struct.unpack_from("<I", table, place + 1)[0] - 4) // 12
    borders = struct.unpack_from(f"<{count + 1}I", table, place + 5)
    pieces = []
    for index in range(count):
        offset = struct.unpack_from("<I", table, place + 5 + 4 * (count + 1) + 8 * index + 2)[0]
        narrow = bool(offset & _COMPRESSED)
        offset &= _COMPRESSED - 1
        pieces.append(
            (borders[index], borders[index + 1], offset // 2 if narrow else offset, 2 - narrow)
        )
    return pieces


def _text(main: bytes, piece: tuple[int, int, int, int], hidden: list[tuple[int, int]]) -> str:
    start, end, offset, width = piece
    if end < start or offset + (end - start) * width > len(main):
        raise ValueError(piece)
    raw = main[offset : offset + (end - start) * width]
    # Pairs of surrogates stay two characters.
    shown = list(raw.decode("cp1252", "replace") if width == 1 else map(chr, array("H", raw)))
    for first, last in hidden[bisect_right(hidden, offset, key=lambda run: run[1]) :]:
        if first >= offset + len(raw):
            break
        for index in range(
            max(0, (first - offset) // width), min(len(shown), (last - offset) // width)
        ):
            if shown[index] not in _KEPT_MARKS:
                shown[index] = "\0"
    return "".join(shown)


def _told(main: bytes, pages: bytes, entry: int) -> list[tuple[int, int, bytes]]:
    """From where to where in the file something is told, and what.

    `entry` is how many bytes stand in a page for each; 1 for characters, 13 for paragraphs.
    """
    count = max(0, (len(pages) - 4) // 8)
    found = []
    for number in set(struct.unpack_from(f"<{count}I", pages, 4 * (count + 1)) if count else ()):
        page = main[number * _PAGE : (number + 1) * _PAGE]
        each = page[_PAGE - 1]
        borders = struct.unpack_from(f"<{each + 1}I", page)
        for index in range(each):
            place = 2 * page[4 * (each + 1) + entry * index]
            size = page[place] if place else 0
            if entry > 1 and place:
                if not size:
                    place += 1
                size = 2 * page[place] - (size > 0)
            found.append((borders[index], borders[index + 1], page[place + 1 : place + 1 + size]))
    return found


def _set(told: bytes) -> dict[int, int]:
    """What is set to which value, by code; of long values only that they are there."""
    values: dict[int, int] = {}
    place = 0
    while place + 3 <= len(told):
        code = int.from_bytes(told[place : place + 2], "little")
        place += 2
        size = _OPERAND_BYTES[code >> 13]
        values[code] = int.from_bytes(told[place : place + size], "little")
        if not size:
            size = 1 + told[place]
            if code == 0xD608:  # noqa: PLR2004 - a table's definition, whose length takes two bytes
                size = 1 + int.from_bytes(told[place : place + 2], "little")
        place += size
    return values


def _hidden(main: bytes, runs: bytes) -> list[tuple[int, int]]:
    """From where to where characters are deleted or not shown."""
    found = []
    for first, last, told in _told(main, runs, 1):
        values = _set(told)
        if values.get(_DELETED) or values.get(_VANISHED):
            found.append((first, last))
    return sorted(found)


def _notes(places: bytes, texts: bytes, start: int) -> list[tuple[int, int, int]]:
    count = (len(places) - 4) // 6
    if count < 1:
        return []
    marks = struct.unpack_from(f"<{count}I", places)
    borders = struct.unpack_from(f"<{count + 1}I", texts)
    return [
        (mark, start + borders[index], start + borders[index + 1])
        for index, mark in enumerate(marks)
    ]


def _styles(sheet: bytes) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    place = 2 + struct.unpack_from("<H", sheet)[0] if sheet else 0
    while place + 2 <= len(sheet):
        size = struct.unpack_from("<H", sheet, place)[0]
        known, base = struct.unpack_from("<HH", sheet, place + 2) if size >= 4 else (0xFFF, 0xFFFF)  # noqa: PLR2004
        found.append((known & 0xFFF, base >> 4))
        place += 2 + size + size % 2
    return found
