"""Pieces of lines, and the order in which a reader takes them: columns one after another.

A page is cut at a gutter, a strip between two columns that hardly any line crosses. What crosses it
(a title, a wide table) divides the page into bands, each read column by column; a column may have
columns of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from broker.documents.pdf.bidi import leads_left

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from broker.documents.pdf.leaf import Word

_JOIN_GAP = 1.15
"""Of the size: what is farther away is a piece of its own. A number stands 1.0 before its title."""
_CODE_GAP = 24.0
_GUTTER_PT = 5.0
_MOST_CROSSING = 0.12
"""Of a region's lines; a column of text has many more that would cross a strip inside it."""
_LEAST_FILLED = 0.55
"""Of a column's area that its words take: those of a table take less."""
_LEAST_LINES = 4
_LEAST_WIDTH_PT = 40.0
_DEEPEST = 3


@dataclass(slots=True)
class Piece:
    """Words that stand beside each other in a line, or what stands in their place."""

    words: list[Word]
    x0: float = 0.0
    x1: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    block: object = None
    """A table; such a piece has no words."""

    @property
    def y(self) -> float:
        """The baseline."""
        return self.words[0].y if self.words else self.bottom


@dataclass(slots=True)
class Column:
    """Pieces that are read from top to bottom."""

    pieces: list[Piece] = field(default_factory=list)


def pieces_of(words: Iterable[Word]) -> list[Piece]:
    """The words of a page as pieces of lines, in the file's order."""
    pieces: list[Piece] = []
    for word in words:
        last = pieces[-1].words[-1] if pieces else None
        if last is not None and _goes_on(last, word):
            pieces[-1].words.append(word)
        else:
            pieces.append(Piece([word]))
    for piece in pieces:
        piece.x0 = min(word.x0 for word in piece.words)
        piece.x1 = max(word.x1 for word in piece.words)
        piece.top = min(word.y - word.size * 0.75 for word in piece.words)
        piece.bottom = max(word.y + word.size * 0.2 for word in piece.words)
    return pieces


def _goes_on(last: Word, word: Word) -> bool:
    size = max(last.size, word.size)
    is_code = last.fixed and word.fixed and word.follows  # spaces in code may be many
    most = (_CODE_GAP if is_code else _JOIN_GAP) * size
    gap = last.x0 - word.x1 if last.leftward and word.x1 < last.x1 else word.x0 - last.x1
    return -0.6 * size < gap < most and abs(word.y - last.y) < 0.55 * size


def columns(pieces: Sequence[Piece], depth: int = 0) -> list[Column]:
    """The columns in reading order."""
    at = _gutter(pieces) if depth < _DEEPEST else None
    if at is None:
        return [Column(sorted(pieces, key=lambda piece: (piece.top, piece.x0)))] if pieces else []
    crossing = sorted((p for p in pieces if p.x0 < at < p.x1), key=lambda piece: piece.top)
    beside = [piece for piece in pieces if not piece.x0 < at < piece.x1]
    edges = [(piece.top + piece.bottom) / 2 for piece in crossing]
    bands: list[list[Piece]] = [[] for _ in range(len(edges) + 1)]
    for piece in beside:
        bands[bisect_left(edges, (piece.top + piece.bottom) / 2)].append(piece)
    found: list[Column] = []
    leftwards = leads_left([word for piece in pieces for word in piece.words])
    for index, band in enumerate(bands):
        sides = [piece for piece in band if piece.x1 <= at], [p for p in band if p.x0 >= at]
        for side in reversed(sides) if leftwards else sides:
            found.extend(columns(side, depth + 1))
        if index < len(crossing):
            if index and not band and found:  # lines of one paragraph
                found[-1].pieces.append(crossing[index])
            else:
                found.append(Column([crossing[index]]))
    return found


def _gutter(pieces: Sequence[Piece]) -> float | None:
    """Where a strip between columns lies; None where there is none."""
    texts = [piece for piece in pieces if piece.words]
    if len(texts) < 2 * _LEAST_LINES:
        return None
    left, right = min(p.x0 for p in texts), max(p.x1 for p in texts)
    best: tuple[int, float, float] | None = None
    for start, end in _strips(texts, len(texts) * _MOST_CROSSING):
        middle = (start + end) / 2
        if end - start < _GUTTER_PT or not left + 20 < middle < right - 20:
            continue
        crossing = sum(piece.x0 < middle < piece.x1 for piece in texts)
        key = crossing, start - end, middle
        if (best is None or key < best) and _parts(texts, middle):
            best = key
    return None if best is None else best[2]


def _strips(pieces: Sequence[Piece], most: float) -> list[tuple[float, float]]:
    """Intervals of x that at most so many pieces cover."""
    edges = sorted([(piece.x0, 1) for piece in pieces] + [(piece.x1, -1) for piece in pieces])
    strips: list[tuple[float, float]] = []
    covering, opened = 0, edges[0][0]
    for at, change in edges:
        before, covering = covering, covering + change
        if before <= most < covering:
            strips.append((opened, at))
        elif covering <= most < before:
            opened = at
    return strips


def _parts(pieces: Sequence[Piece], at: float) -> bool:
    """Whether columns of text stand on both sides, beside each other."""
    sides = [p for p in pieces if p.x1 <= at], [p for p in pieces if p.x0 >= at]
    if min(len(side) for side in sides) < _LEAST_LINES:
        return False
    for side in sides:
        width = max(p.x1 for p in side) - min(p.x0 for p in side)
        lines = len({round(p.y) for p in side})
        taken = sum(word.x1 - word.x0 for p in side for word in p.words)
        if taken < _LEAST_FILLED * width * lines or width < _LEAST_WIDTH_PT:
            return False
    tops = [min(p.top for p in side) for side in sides]
    bottoms = [max(p.bottom for p in side) for side in sides]
    return max(tops) < min(bottoms)
