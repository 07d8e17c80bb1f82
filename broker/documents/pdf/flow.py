"""Lines of a document and what they make: paragraphs, items, headings to be, tables.

The lines come column by column. A paragraph ends where the distance, the indent or the letters
change; one that a column's end, a table or a picture has cut goes on behind it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from broker.documents.pdf.bidi import in_reading_order, leads_left
from broker.documents.pdf.listings import code_lines, listing
from broker.documents.pdf.marks import BULLET, CAPTION, CLOSED, MARKER, NUMBERED, OPENING
from broker.documents.pdf.tables import Grid, aligned, ends_before

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broker.documents.pdf.columns import Column, Piece
    from broker.documents.pdf.leaf import Word

_TABLE_LINES = 3
_LEAST_LINE = 8
"""Characters of a line that may go on: shorter ones are labels."""
_GAP = 0.48
"""Of the size: a line without so wide a gap has no cells."""
_MOST_BETWEEN = 4
"""Blocks between two parts of a paragraph: tables and captions that float."""


@dataclass(slots=True)
class Line:
    """A line of text."""

    text: str
    words: list[Word]
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    font: str
    """That most of it is set in."""
    leftwards: bool
    """Whether it is read from right to left."""

    @property
    def indent(self) -> float:
        """How far in it begins."""
        return -self.x1 if self.leftwards else self.x0


@dataclass(slots=True)
class Chunk:
    """Lines that belong together, or a table, or code."""

    lines: list[Line] = field(default_factory=list)
    rows: list[list[str]] | None = None
    code: str = ""
    """Lines of code in place of these."""
    page: int = 0
    item: bool = False
    aside: bool = False
    """Whether it is written in another direction than most of its page."""

    @property
    def is_text(self) -> bool:
        """Whether it is lines of text."""
        return bool(self.lines)

    @property
    def size(self) -> float:
        """Of its letters."""
        return self.lines[0].size if self.lines else 0.0

    @property
    def bold(self) -> bool:
        """Whether all of it is."""
        return bool(self.lines) and all(line.bold for line in self.lines)

    @property
    def text(self) -> str:
        """As it stands, for looks at it; hyphens are still there."""
        return " ".join(line.text for line in self.lines)


def chunks(column: Column, page: int) -> Iterator[Chunk]:
    """The chunks of one column."""
    parts = list(_parts(column.pieces))
    gaps = [
        below.y - above.y
        for above, below in pairwise(parts)
        if isinstance(above, Line)
        and isinstance(below, Line)
        and 0 < below.y - above.y < 3 * below.size
    ]
    leading = median(gaps) if gaps else 0.0
    chunk = Chunk(page=page)
    for part in parts:
        if not isinstance(part, Line):
            if chunk.lines:
                yield chunk
            yield (
                Chunk(code=part, page=page)
                if isinstance(part, str)
                else Chunk(rows=part, page=page)
            )
            chunk = Chunk(page=page)
            continue
        if chunk.lines and _ends(chunk, part, leading):
            yield chunk
            chunk = Chunk(page=page)
        if not chunk.lines:
            chunk.item = BULLET.match(part.words[0].text) is not None and len(part.words) > 1
        chunk.lines.append(part)
    if chunk.lines:
        yield chunk


def _ends(chunk: Chunk, line: Line, leading: float) -> bool:
    """Whether `line` begins something new behind `chunk`."""
    last, size = chunk.lines[-1], max(chunk.lines[-1].size, line.size)
    first, step = line.words[0].text, line.y - last.y
    most = max(1.3 * leading, 1.35 * size) if leading else 1.9 * size
    if abs(line.size - last.size) > 0.06 * size or not -0.5 * size <= step <= most:
        return True
    if MARKER.match(first) is not None:
        return True
    if line.leftwards != last.leftwards and CLOSED.search(last.text) is not None:
        return True
    if chunk.bold:  # a heading, maybe of several lines, however these are centred
        return not line.bold or NUMBERED.match(first) is not None
    return (line.bold and not last.bold and step > 1.15 * leading) or _is_moved(chunk, line, size)


def _is_moved(chunk: Chunk, line: Line, size: float) -> bool:
    """Whether the indent or, behind a number, the font says that `line` begins something new."""
    last, is_first = chunk.lines[-1], len(chunk.lines) == 1
    begin = chunk.lines[0].words
    if is_first and line.font != last.font and len(begin) > 1 and NUMBERED.match(begin[0].text):
        return True
    if line.indent > last.indent + 0.7 * size:
        marked = chunk.item or MARKER.match(begin[0].text) is not None
        return not (is_first and marked)
    return line.indent < last.indent - 0.7 * size and not is_first


def _parts(pieces: Sequence[Piece]) -> Iterator[Line | list[list[str]] | str]:
    """The lines of a column; in place of those that are a table or code, the cells or the code."""
    rows: list[list[Piece]] = []
    for piece in pieces:
        last = rows[-1][0] if rows else None
        if (
            last is not None
            and piece.words
            and last.words
            and abs(piece.y - last.y) < 0.5 * min(piece.words[0].size, last.words[0].size)
        ):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    set_in = [_words(row) for row in rows]
    place = 0
    while place < len(rows):
        row = rows[place]
        if isinstance(row[0].block, Grid):
            yield row[0].block.rows
            place += 1
            continue
        if count := code_lines(set_in, place):
            yield listing(set_in[place : place + count])
            place += count
            continue
        cells = _unruled(rows, place)
        if cells is not None:
            yield cells
            place += len(cells)
        else:
            yield _line(set_in[place])
            place += 1


def _unruled(rows: Sequence[list[Piece]], place: int) -> list[list[str]] | None:
    """The cells of the lines from `place` on that make a table without rules."""
    above: list[list[Word]] = []
    for row in rows[place:]:
        words = _words(row)
        if not words or not _has_gap(words) or (above and ends_before(words, above)):
            break
        if all(word.fixed for word in words):
            break
        above.append(words)
    end = place + len(above)
    if end - place < _TABLE_LINES:
        return None
    for last in range(end, place + _TABLE_LINES - 1, -1):
        cells = aligned([_words(each) for each in rows[place:last]])
        if cells is not None or last < end - _TABLE_LINES:
            return cells
    return None


def _has_gap(line: Sequence[Word]) -> bool:
    return any(word.x0 - before.x1 > _GAP * word.size for before, word in pairwise(line))


def _words(row: Sequence[Piece]) -> list[Word]:
    return sorted((word for piece in row for word in piece.words), key=lambda word: word.x0)


def _line(words: list[Word]) -> Line:
    sizes: Counter[float] = Counter()
    fonts: Counter[str] = Counter()
    bold = 0
    for word in words:
        sizes[round(word.size, 1)] += len(word.text)
        fonts[word.font] += len(word.text)
        bold += len(word.text) if word.bold else 0
    total = sum(sizes.values())
    x0, x1, leftwards = words[0].x0, max(word.x1 for word in words), leads_left(words)
    words = in_reading_order(words)
    text = words[0].text
    for before, word in pairwise(words):
        text += word.text if _touches(before, word) else f" {word.text}"
    return Line(
        text=text,
        words=words,
        x0=x0,
        x1=x1,
        y=max(words, key=lambda word: len(word.text)).y,
        size=sizes.most_common(1)[0][0],
        bold=bold > 0.9 * total,
        font=fonts.most_common(1)[0][0],
        leftwards=leftwards,
    )


def _touches(before: Word, word: Word) -> bool:
    """Whether no space stands between them: raised marks, letters of two fonts."""
    gap = max(word.x0, before.x0) - min(word.x1, before.x1)
    return not word.follows and abs(gap) < 0.08 * before.size


def rejoined(found: Sequence[Chunk]) -> list[Chunk]:
    """Chunks, with paragraphs that were cut put together again."""
    whole: list[Chunk] = []
    for chunk in found:
        if chunk.code and whole and whole[-1].code:  # a column's end has cut it
            whole[-1].code += f"\n{chunk.code}"
            continue
        open_one = _open(whole) if _may_go_on(chunk) else None
        if open_one is not None and abs(open_one.size - chunk.size) <= 0.06 * chunk.size:
            open_one.lines.extend(chunk.lines)
        else:
            whole.append(chunk)
    return whole


def _may_go_on(chunk: Chunk) -> bool:
    if not chunk.is_text or chunk.item or chunk.bold or chunk.aside:
        return False
    if len(chunk.text) < _LEAST_LINE and CLOSED.search(chunk.text) is None:
        return False  # a part of an equation
    first = chunk.lines[0].words[0].text
    if first[0].isdigit():
        return NUMBERED.match(first) is None
    return first[0].islower() or first[0] in OPENING


def _open(whole: Sequence[Chunk]) -> Chunk | None:
    """The paragraph that has not ended yet."""
    for chunk in whole[: -_MOST_BETWEEN - 2 : -1]:
        if chunk.is_text and not chunk.aside and not CAPTION.match(chunk.text):
            text = chunk.lines[-1].text
            ends = chunk.bold or CLOSED.search(text) is not None or len(text) < _LEAST_LINE
            return None if ends else chunk
    return None
