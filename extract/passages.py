"""What a walk over a page finds: passages of text, and the boxes that hold them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from extract.tree import Node

Mark: TypeAlias = "tuple[Literal['open', 'close', 'image', 'break', 'math'], Node]"
"""Where an inline element begins or ends, or what stands in the text in place of text."""
Piece: TypeAlias = "str | Mark"

NAV, HEADER, FOOTER, ASIDE, ARTICLE, MAIN, FORM, LIST, FIGURE, DIALOG, QUOTE, HIDDEN, NOSCRIPT = (
    1 << bit for bit in range(13)
)
"""What a box is, or stands in; bits."""


@dataclass(slots=True, eq=False)
class Box:
    """An element that holds passages. Sums are over everything in it, once the walk has ended."""

    node: Node
    parent: Box | None
    tag: str
    flags: int
    """Its own and those of all boxes around it."""
    depth: int
    low: float
    """The most telling sign in its own names that it is not content; 0 or less."""
    high: float
    """The most telling sign that it is; 0 or more."""
    kin: int = 0
    """How many boxes of the same tag and class stand beside it, itself included."""
    children: int = 0
    passages: int = 0
    chars: int = 0
    link_chars: int = 0
    prose: float = 0.0
    """Weight of the sentences in it, about characters."""


@dataclass(slots=True, eq=False)
class Passage:
    """One run of text."""

    kind: str
    """A tag that says what the text is ("p", "li", "td", …), "h", "code", "table" or "div"."""
    node: Node
    """The heading, the `pre`, the table; else the innermost block."""
    text: str
    box: Box
    flags: int
    level: int = 0
    link_chars: int = 0
    links: list[Node] = field(default_factory=list)
    """The first links in it."""
    pieces: list[Piece] = field(default_factory=list)
    """What it consists of, for rendering; empty for code and tables."""
    prose: float = 0.0
    score: float = 0.0


@dataclass(slots=True)
class Walk:
    """What stands on a page."""

    passages: list[Passage]
    boxes: list[Box]
    """Outer ones before those in them; the first holds everything."""
    unseen: int = 0
    """Characters in inline elements that are not shown; they are in no passage."""
    left_out: int = 0
    """Elements of navigation and footers that were not walked."""
