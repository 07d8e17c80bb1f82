"""A page as it is read: its words, its ruled lines, and the direction that it is read in.

Lengths are points, y grows downwards from the page's top edge. A page that is set sideways is
turned, by the direction that most of its text runs in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(slots=True)
class Word:
    """A word, or what stands without a space."""

    text: str
    x0: float
    x1: float
    y: float
    """Its baseline."""
    size: float
    bold: bool
    font: str
    follows: bool = True
    """Whether it goes on in the line of the word before, as the file has it."""
    fixed: bool = False
    """Whether its letters are a typewriter's, each as wide as the others."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line; `at` is its y or x, `start` and `end` its ends in the other direction."""

    at: float
    start: float
    end: float


@dataclass(slots=True)
class Leaf:
    """A page."""

    number: int
    width: float
    height: float
    words: list[Word]
    across: list[Rule] = field(default_factory=list)
    down: list[Rule] = field(default_factory=list)
    pictures: int = 0


class Turned:
    """Coordinates of a page in the direction that most of its text runs in."""

    def __init__(self, size: tuple[float, float], box: tuple[float, ...]) -> None:
        self._left, self._bottom, self._right, self._top = box
        self._quarter = 0
        self.width, self.height = size

    def choose(self, angles: list[float]) -> None:
        """Turn by the quarter that most of the words are written at, whose angles these are."""
        quarters = [round(angle / (math.pi / 2)) % 4 for angle in angles]
        if quarters:
            self._quarter = max(range(4), key=quarters.count)
        wide, high = self._right - self._left, self._top - self._bottom
        self.width, self.height = (high, wide) if self._quarter % 2 else (wide, high)

    def is_upright(self, angle: float) -> bool:
        """Whether a word at that angle runs as most of them do."""
        off = (angle - self._quarter * math.pi / 2 + math.pi) % (2 * math.pi) - math.pi
        return abs(off) < 0.15  # noqa: PLR2004

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A place of the file's, whose y grows upwards."""
        match self._quarter:
            case 0:
                return x - self._left, self._top - y
            case 1:
                return y - self._bottom, x - self._left
            case 2:
                return self._right - x, y - self._bottom
            case _:
                return self._top - y, self._right - x

    def word(self, word: Word) -> Word:
        """A word whose ends and baseline are the file's; it is changed."""
        if self._quarter % 2:
            (word.x0, y), (word.x1, _) = self.point(word.x0, word.y), self.point(0.0, word.x1)
        else:
            (word.x0, y), (word.x1, _) = self.point(word.x0, word.y), self.point(word.x1, 0.0)
        word.y = y
        return word

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, ...]:
        """(x0, y0, x1, y1), of which the first two are the smaller ones."""
        (ax, ay), (bx, by) = self.point(left, bottom), self.point(right, top)
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)
