"""What is drawn on a page beside its text: ruled lines, dots before items, pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broker.documents.pdf.leaf import Rule, Word

if TYPE_CHECKING:
    from broker.documents.pdf.leaf import Leaf, Turned

_THIN = 2.2
"""Points; what is drawn thinner is a ruled line."""
_LEAST_RULE = 12.0
_MOST_DRAWN = 20_000
_MOST_DOTS = 100
"""Of a page; where there are more, they are points of a chart."""


def add_drawn(raw: Any, page: Any, leaf: Leaf, turned: Turned) -> None:  # noqa: ANN401 - no types
    """Add the ruled lines and the number of pictures to `leaf`, and marks of items to its words.

    Args:
        raw: PDFium's functions.
        page: PDFium's page.
        leaf: with its words.
        turned: from PDFium's coordinates to the leaf's.
    """
    wanted = (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE)
    dots: list[tuple[float, ...]] = []
    for count, thing in enumerate(page.get_objects(filter=wanted, max_depth=4)):
        if count > _MOST_DRAWN:
            break
        if thing.type == raw.FPDF_PAGEOBJ_IMAGE:
            leaf.pictures += 1
            continue
        try:
            box = turned.box(*thing.get_bounds())
        except RuntimeError:  # PDFium's own error; a path without a place
            continue
        if _is_dot(*box):
            dots.append(box)
        for x0, y0, x1, y1 in _sides(*box):
            if y1 - y0 <= _THIN and x1 - x0 >= _LEAST_RULE:
                leaf.across.append(Rule((y0 + y1) / 2, x0, x1))
            elif x1 - x0 <= _THIN and y1 - y0 >= _LEAST_RULE / 3:
                leaf.down.append(Rule((x0 + x1) / 2, y0, y1))
    if len(dots) <= _MOST_DOTS:
        _mark_items(leaf.words, dots)


def _is_dot(x0: float, y0: float, x1: float, y1: float) -> bool:
    width, height = x1 - x0, y1 - y0
    return 2 < width < 7 and abs(width - height) < 0.5  # noqa: PLR2004 - points


def _mark_items(words: list[Word], dots: list[tuple[float, ...]]) -> None:
    """Dots that are drawn before a line, as browsers do, become the letter that they stand for."""
    for x0, y0, x1, y1 in dots:
        middle = (y0 + y1) / 2
        for place, word in enumerate(words):
            if (
                not word.follows
                and 0 < word.x0 - x1 < 2.5 * word.size
                and word.y - 0.8 * word.size < middle < word.y
            ):
                end = word.x0 - 0.3 * word.size
                mark = Word(
                    "•", min(x0, end), end, word.y, word.size, word.bold, word.font, follows=False
                )
                word.follows = True
                words.insert(place, mark)
                break


def _sides(x0: float, y0: float, x1: float, y1: float) -> tuple[tuple[float, ...], ...]:
    """A thin shape as it is; of a wide one, whose edges may be drawn, the four edges."""
    if y1 - y0 <= _THIN or x1 - x0 <= _THIN:
        return ((x0, y0, x1, y1),)
    return ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1))
