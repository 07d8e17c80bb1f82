"""Parts of a text, at the borders of its blocks. Pure.

Windows that follow each other by `next_offset`, whatever their sizes, hold every character of the
text exactly once.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extract.trim import border

if TYPE_CHECKING:
    from broker.reading.texts import View

_PIECE_CHARS = 4096
_LEAST_SHARE = 0.5
"""A window ends before a block if no more of it than this stays empty, or the block fits the next
window; else inside the block."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text; offsets count characters from 0."""

    start: int
    end: int
    next_offset: int | None


def window(view: View, offset: int, limit: int) -> Window:
    """The part of a view from `offset` on, of at most `limit` characters."""
    limit, whole = max(1, limit), len(view.text)
    start = max(0, offset)
    last = view.spans[-1][1] if view.spans else whole
    if start >= last:
        return Window(whole, whole, None)
    if last - start <= limit:
        return Window(start, last, None)
    end = _border(view, start, limit)
    return Window(start, end, end)


def weight(text: str) -> int:
    """Bytes of a text in JSON."""
    escaped = text.count("\n") + text.count('"') + text.count("\\")
    return (len(text) if text.isascii() else len(text.encode("utf-8", "replace"))) + escaped


def density(text: str) -> float:
    """The most bytes that a character of the text takes in JSON, over any few thousand of them.

    A window of N / density characters has no more than about N bytes.
    """
    pieces = range(0, len(text), _PIECE_CHARS)
    return max((_density(text[at : at + _PIECE_CHARS]) for at in pieces), default=1.0)


def _density(piece: str) -> float:
    return weight(piece) / len(piece)


def _border(view: View, start: int, limit: int) -> int:
    starts = [span[0] for span in view.spans]
    place = bisect_right(starts, start + limit) - 1
    while place > 0 and starts[place] > start and starts[place - 1] in view.heads:
        if starts[place - 1] <= start:
            break  # nothing but headings: better than nothing
        place -= 1  # no heading is left alone at the end
    if place >= 0 and starts[place] > start:
        size = view.spans[place][1] - starts[place]
        if starts[place] - start >= limit * _LEAST_SHARE or size <= limit:
            return starts[place]
    return start + border(view.text[start : start + limit])
