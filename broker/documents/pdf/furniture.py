"""What is printed on every page and belongs to none: running heads, page numbers."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from broker.documents.pdf.marks import PAGE_NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.documents.pdf.columns import Piece
    from broker.documents.pdf.leaf import Leaf

_MARGIN = 0.125
"""Of a page's height."""
_LINES = 2
_LEAST_PAGES = 3
_SHARE = 0.3


def without_furniture(pages: Sequence[tuple[Leaf, list[Piece]]]) -> None:
    """Take it out of the pages."""
    edges = [_edges(leaf, pieces) for leaf, pieces in pages]
    seen = Counter(key for page in edges for key in {_key(line) for line in page})
    often = max(_LEAST_PAGES, _SHARE * len(pages))
    for (_, pieces), page in zip(pages, edges, strict=True):
        left_out = {
            id(piece)
            for line in page
            if seen[_key(line)] >= often or PAGE_NUMBER.fullmatch(_text(line))
            for piece in line
        }
        pieces[:] = [piece for piece in pieces if id(piece) not in left_out]


def _edges(leaf: Leaf, pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The outermost lines of a page, as far as they stand in its margins."""
    lines: dict[int, list[Piece]] = {}
    for piece in pieces:
        if piece.words:
            lines.setdefault(round(piece.y / 2), []).append(piece)
    ordered = sorted(lines.items())
    above = [line for y, line in ordered[:_LINES] if 2 * y < _MARGIN * leaf.height]
    below = [line for y, line in ordered[-_LINES:] if 2 * y > (1 - _MARGIN) * leaf.height]
    return above + below


def _text(line: Sequence[Piece]) -> str:
    words = (word for piece in line for word in piece.words)
    return " ".join(word.text for word in sorted(words, key=lambda word: word.x0))


def _key(line: Sequence[Piece]) -> str:
    return re.sub(r"\d+", "#", _text(line)).lower()
