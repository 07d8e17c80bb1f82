"""A page as it is read: its words, its ruled lines, and the direction that it is read in.

Lengths are points, y grows downwards from the page's top edge. A page that is set sideways is
turned by the direction that most of its text runs in; what runs in others is a leaf of its own.
"""

from __future__ import annotations

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
    leftward: bool = False
    """Whether it is written from right to left."""


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
    upright: bool = True
    """Whether its words stand upright as the page is shown."""
    aside: list[Leaf] = field(default_factory=list)
    """What is written in other directions, each with the words of one."""
    fields: list[tuple[str, str]] = field(default_factory=list)
    """The filled fields of a form: name and value."""
    remarks: list[str] = field(default_factory=list)
    """What was written onto the page later."""


class Turned:
    """Coordinates of a page in a direction that its text runs in.

    Args:
        box: left, bottom, right and top of the page.
        quarter: how often the text is turned by a right angle, counter-clockwise: 0 to 3.
    """

    def __init__(self, box: tuple[float, ...], quarter: int) -> None:
        self._left, self._bottom, self._right, self._top = box
        self._quarter = quarter
        wide, high = self._right - self._left, self._top - self._bottom
        self.width, self.height = (high, wide) if quarter % 2 else (wide, high)

    def leaf(self, number: int, words: list[Word]) -> Leaf:
        """A page of words that are written in this direction; they are changed."""
        return Leaf(number, self.width, self.height, [self.word(word) for word in words])

    def are_beside(self, words: list[Word], leaf: Leaf) -> bool:
        """Whether the file's words stand left or right of all of a page, as stamps do."""
        left, right = min(word.x0 for word in leaf.words), max(word.x1 for word in leaf.words)
        places = [self.point(word.x0, word.y)[0] for word in words]
        return max(places) < left or min(places) > right

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
