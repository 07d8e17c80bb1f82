"""Code in a column: lines set in a typewriter's letters, with their indents and empty lines."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.documents.pdf.leaf import Leaf, Word

_MOST_SHARE = 0.5
"""Of all letters: a document that has more is set so throughout, and means nothing by it."""
_LEADING = 1.2
"""Of the size, where a listing has no two lines to tell it."""
_APART = 1.2
"""Of the leading: what is farther away is no line of the same paragraph."""
_MOST_STEP = 4.0
"""Of the size, between two lines of a listing: a few of them may be empty."""
_SURE = 3
"""So many lines are code however close the text around them is."""


def forget_fixed(leaves: Sequence[Leaf]) -> None:
    """Where most of a document is set in a typewriter's letters, forget that it is."""
    words = [word for leaf in leaves for word in leaf.words]
    fixed = sum(len(word.text) for word in words if word.fixed)
    if fixed > _MOST_SHARE * sum(len(word.text) for word in words):
        for word in words:
            word.fixed = False


def code_lines(rows: Sequence[Sequence[Word]], place: int) -> int:
    """How many rows from `place` on are lines of one listing; rows without words are no text."""
    end = place
    while end < len(rows) and _is_code(rows[end]) and (end == place or _is_near(rows, end)):
        end += 1
    if end == place:
        return 0
    above = place > 0 and _is_apart(rows[place - 1], rows[place])
    below = end == len(rows) or _is_apart(rows[end - 1], rows[end])
    if not below and end - place > 1 and _is_apart(rows[end - 2], rows[end - 1]):
        end, below = end - 1, True  # a paragraph's that begins with a name
    if place > 0 and not above and end - place > 1 and _is_apart(rows[place], rows[place + 1]):
        return 0
    count = end - place
    if count >= _SURE:
        return count
    is_heading = count == 1 and all(word.bold for word in rows[place])
    # One line or two may be a paragraph's that begins or ends with a name.
    return count if above and below and not is_heading else 0


def listing(rows: Sequence[Sequence[Word]]) -> str:
    """Such lines as text."""
    words = [word for row in rows for word in row]
    wide = median((word.x1 - word.x0) / len(word.text) for word in words)
    left = min(row[0].x0 for row in rows)
    steps = [below[0].y - above[0].y for above, below in pairwise(rows)]
    size = median(word.size for word in words)
    leading = min([step for step in steps if step > 0.8 * size], default=_LEADING * size)
    leading = min(leading, 2 * size)
    lines: list[str] = []
    for step, row in zip([0.0, *steps], rows, strict=True):
        lines += [""] * (round(step / leading) - 1) if lines else []
        lines.append(_spaced(row, left, wide))
    return "\n".join(lines)


def _spaced(row: Sequence[Word], left: float, wide: float) -> str:
    """Words at the places that they have on the page, in letters from `left`."""
    text = ""
    for word in row:
        at = round((word.x0 - left) / wide) if wide > 0 else 0
        text += " " * max(at - len(text), 1 if text and word.follows else 0)
        text += word.text
    return text


def _is_code(row: Sequence[Word]) -> bool:
    return bool(row) and all(word.fixed for word in row)


def _is_near(rows: Sequence[Sequence[Word]], place: int) -> bool:
    above, below = rows[place - 1][0], rows[place][0]
    alike = abs(above.size - below.size) < 0.06 * above.size
    return alike and 0 < below.y - above.y < _MOST_STEP * above.size


def _is_apart(above: Sequence[Word], below: Sequence[Word]) -> bool:
    if not above or not below:
        return True
    size = max(above[0].size, below[0].size)
    return not 0 < below[0].y - above[0].y < _APART * _LEADING * size
