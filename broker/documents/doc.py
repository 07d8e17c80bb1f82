"""Old Word files as Markdown: the story that `word97` reads, paragraph by paragraph."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

from broker.documents.records import Converted
from broker.documents.tabular import markdown
from broker.documents.word97 import Story, read
from extract.inline import escape, link

if TYPE_CHECKING:
    from broker.documents.compound import Compound
    from broker.documents.word97 import Properties

_FIELD = re.compile("[\x13\x14\x15]")
_TARGET = re.compile(r'HYPERLINK\s+(?:\\l\s+)?"([^"]*)"')
_END = re.compile("[\r\x07\x0c\x0e]")
_SPACES = dict.fromkeys(map(ord, "\t\x0b\xa0"), " ")
_SIGNS = {**_SPACES, 0x1E: "-", 0x1F: None, **dict.fromkeys([*range(9), 15, 16], None)}
_BULLET = re.compile(r"[\u2022\u00b7\uf0b7-]\s+")
_IN_TABLE, _ROW_ENDS, _LEVEL, _LIST = 0x2416, 0x2417, 0x2640, 0x460B
_HEADINGS = range(1, 10)
_ITEMS = frozenset({48, 49, *range(54, 62)})
"""The numbers of known styles: bulleted and numbered lists."""
_DEEPEST_STYLE = 10


def convert(compound: Compound) -> Converted | None:
    """The document; None of one that is older than Word 97.

    Raises:
        Unconverted: it is encrypted or damaged.
    """
    story = read(compound)
    if story is None:
        return None
    writer = _Writer(story)
    parts = [*writer.parts(0, story.main), *writer.parts(*story.boxes)]
    text = ""
    for before, part in zip(["", *parts], parts, strict=False):
        both_items = before.startswith("- ") and part.startswith("- ")
        text += ("\n" if both_items else "\n\n") + part
    for number, (_, start, end) in enumerate(story.notes, 1):
        note = " ".join(writer.parts(start, end))
        text += f"\n\n[^{number}]: {note}"
    result = Converted(markdown=text.strip())
    compound.describe(result)
    return result


class _Writer:
    def __init__(self, story: Story) -> None:
        self._story = story
        self._marks = {mark: number for number, (mark, _, _) in enumerate(story.notes, 1)}
        self._places = sorted(self._marks)
        self._links: dict[int, str] = {}
        self._text = self._without_codes(story.text)

    def _without_codes(self, text: str) -> str:
        """The text without what fields are made of, but for the marks around links."""
        kept: list[str] = []
        opened: list[tuple[int, bool, bool]] = []  # where, whether its result is under way, a link
        place = 0
        for found in _FIELD.finditer(text):
            in_code = any(not result for _, result, _ in opened)
            piece = text[place : found.start()]
            kept.append("\0" * len(piece) if in_code else piece)
            place = found.end()
            sign = found[0]
            if sign == "\x13":
                opened.append((found.start(), False, False))
            elif sign == "\x14" and opened:
                target = _TARGET.search(text[opened[-1][0] : found.start()])
                opened[-1] = (opened[-1][0], True, target is not None)
                if target is not None:
                    self._links[found.start()] = target[1]
            is_link = bool(opened) and opened[-1][2]
            if sign == "\x15" and opened:
                opened.pop()
            kept.append(sign if is_link and sign != "\x13" else "\0")
        kept.append(text[place:])
        return "".join(kept)

    def parts(self, start: int, end: int) -> list[str]:
        """Paragraphs and tables from CP `start` to CP `end`."""
        parts: list[str] = []
        rows: list[list[str]] = []
        row: list[str] = []
        cell: list[str] = []
        while start < end:
            found = _END.search(self._text, start, end)
            stop = found.start() if found else end
            about = self._story.paragraph(min(stop, end - 1))
            said = self._inline(start, stop)
            start = stop + 1
            if about.set.get(_ROW_ENDS):
                rows.append(row)
                row, cell = [], []
            elif found and found[0] == "\x07":
                row.append(" ".join([*cell, said]).strip())
                cell = []
            elif about.set.get(_IN_TABLE):
                cell.append(said)
            else:
                parts += _table(rows)
                rows = []
                parts += [self._paragraph(said, about)] if said else []
        return [*parts, *_table([*rows, row] if row else rows)]

    def _paragraph(self, said: str, about: Properties) -> str:
        level, is_item = self._kind(about)
        if level:
            return f"{'#' * min(6, level)} {said}"
        if is_item or _BULLET.match(said):
            return f"- {_BULLET.sub('', said, count=1)}"
        return said

    def _kind(self, about: Properties) -> tuple[int, bool]:
        """The level of a heading, or 0; and whether it is an item of a list."""
        level = about.set.get(_LEVEL, 9) + 1
        is_item = bool(about.set.get(_LIST))
        style = about.style
        for _ in range(_DEEPEST_STYLE):
            if style >= len(self._story.styles):
                break
            known, style = self._story.styles[style]
            if known in _HEADINGS:
                return known, False
            is_item = is_item or known in _ITEMS
        return level if level in _HEADINGS else 0, is_item

    def _inline(self, start: int, end: int) -> str:
        pieces: list[str] = []
        linked: list[str] | None = None
        target = ""
        borders = sorted(
            {start, end}
            | {found.start() for found in _FIELD.finditer(self._text, start, end)}
            | set(self._places[bisect_left(self._places, start) : bisect_left(self._places, end)])
        )
        for first, last in pairwise(borders):
            sign = self._text[first]
            text = _shown(self._text[first:last].lstrip("\x14\x15"))
            if sign == "\x15" and linked is not None:
                pieces.append(link("".join(linked), target))
                linked = None
            if sign == "\x14":
                linked, target = [], self._links.get(first, "")
            if first in self._marks:
                text = f"[^{self._marks[first]}]{text}"
            (pieces if linked is None else linked).append(text)
        if linked is not None:
            pieces.append(link("".join(linked), target))
        return " ".join("".join(pieces).split())


def _shown(text: str) -> str:
    text = (
        text.translate(_SIGNS).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    )
    return escape(text)


def _table(rows: list[list[str]]) -> list[str]:
    return [markdown(rows)] if any(map(any, rows)) else []
