"""Which chunks are headings, and of which level: by bookmarks, numbers, size and weight."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broker.documents.pdf.flow import Chunk

_LARGER = 1.08
_TITLE = 1.2
_SMALL = 0.85
_MOST_CHARS = 200
_MOST_LINES = 3
_NUMBER = re.compile(r"\s*((?:\d{1,2}(?:\.\d{1,2})*)|[A-Z](?:\.\d{1,2})*|[IVX]{1,5})\.?\s+(?=\S)")
_NO_LETTER = re.compile(r"[\W\d_]*\Z")
_DEEPEST = 6
_BEFORE = frozenset(
    {
        "abstract", "keywords", "indexterms", "summary", "ccsconcepts", "zusammenfassung",
        "kurzfassung", "résumé", "resumen", "motsclés", "schlagwörter",
    }
)  # fmt: skip
"""What stands before the first section and is a heading all the same."""


def _body(chunks: Sequence[Chunk]) -> tuple[float, str]:
    """The size in points and the font that most of the text has."""
    sizes: Counter[float] = Counter()
    fonts: Counter[str] = Counter()
    for chunk in chunks:
        for line in chunk.lines:
            sizes[round(line.size, 1)] += len(line.text)
            fonts[line.font] += len(line.text)
    return (sizes.most_common(1)[0][0], fonts.most_common(1)[0][0]) if sizes else (0.0, "")


def levels(chunks: Sequence[Chunk], bookmarks: Sequence[tuple[int, str]]) -> dict[int, int]:
    """The level of each chunk that is a heading, by its index; 1 is the title."""
    body, font = _body(chunks)
    marks = {_bare(text): level for level, text in reversed(bookmarks) if _bare(text)}
    found: dict[int, int] = {}
    looks = [index for index, chunk in enumerate(chunks) if _looks_so(chunk, body, font)]
    title = _title(chunks, looks, body)
    if title is not None:
        found[title] = 1
    under = 1 if title is not None and _bare(chunks[title].text) in marks else 2
    sizes = sorted({_style(chunks[index]) for index in looks if index != title}, reverse=True)
    for index, chunk in enumerate(chunks):
        if index in found or not chunk.is_text:
            continue
        marked = marks.get(_bare(chunk.text))
        if marked is not None and len(chunk.lines) <= _MOST_LINES:
            found[index] = min(_DEEPEST, max(2, marked + under))
        elif index in looks:
            found[index] = _level(chunk, sizes)
    return _without_authors(chunks, found, marks)


def _without_authors(
    chunks: Sequence[Chunk], found: dict[int, int], marks: Mapping[str, int]
) -> dict[int, int]:
    """Headings less what stands large between the title and the first of them."""
    sure = [
        index
        for index in found
        if found[index] > 1
        and (_bare(chunks[index].text) in marks or _NUMBER.match(chunks[index].text) is not None)
    ]
    if len(sure) < _MOST_LINES:
        return found
    return {
        index: level
        for index, level in found.items()
        if level == 1 or index >= min(sure) or _bare(chunks[index].text) in _BEFORE
    }


def _looks_so(chunk: Chunk, body: float, font: str) -> bool:
    text = chunk.text
    if not chunk.is_text or len(text) > _MOST_CHARS or len(chunk.lines) > _MOST_LINES:
        return False
    if _NO_LETTER.match(text) or chunk.item or text[-1] in ".,;-" or text[0].islower():
        return False
    if chunk.size >= _LARGER * body:
        return True
    numbered = _NUMBER.match(text) is not None
    if chunk.size < body * (_SMALL if numbered else 0.97):
        return False  # bold small print is a caption's or a table's
    if chunk.bold:
        return True
    is_apart = text.isupper() or all(line.font != font for line in chunk.lines)
    return is_apart and numbered and len(chunk.lines) == 1


def _title(chunks: Sequence[Chunk], looks: Sequence[int], body: float) -> int | None:
    """The largest heading of the first page, if it is larger than all that follow."""
    first = [index for index in looks if chunks[index].page == 0]
    if not first:
        return None
    best = max(first, key=lambda index: chunks[index].size)
    size = chunks[best].size
    if size < _TITLE * body or _NUMBER.match(chunks[best].text):
        return None
    later = [index for index in looks if index > best and chunks[index].size > size * 0.98]
    return best if not later else None


def _style(chunk: Chunk) -> tuple[float, bool]:
    return round(chunk.size, 0), chunk.bold


def _level(chunk: Chunk, sizes: Sequence[tuple[float, bool]]) -> int:
    number = _NUMBER.match(chunk.text)
    if number is not None and number[1][0].isdigit():
        return min(_DEEPEST, number[1].count(".") + 2)
    return min(_DEEPEST, sizes.index(_style(chunk)) + 2)


def _bare(text: str) -> str:
    """A heading without its number and its marks."""
    text = _NUMBER.sub("", text, count=1)
    return re.sub(r"[\W_]+", "", text).lower()
