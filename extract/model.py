"""What a page becomes: blocks in reading order, and the document around them.

A page is a flat sequence of blocks. What a block stands in (a list item, a quotation) is written
on the block as a path of `Frame`s, so that whoever cuts, searches or renders needs no tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    CODE = "code"
    TABLE = "table"
    TERM = "term"
    """The term of a definition list; what follows it in a `DEFINITION` frame explains it."""
    MATH = "math"
    """A displayed formula, as TeX."""
    RULE = "rule"
    """A thematic break."""


class Holder(StrEnum):
    """What a frame is."""

    ITEM = "item"
    """One item of a list."""
    QUOTE = "quote"
    """A quotation, or a post that is shown indented."""
    CALLOUT = "callout"
    """A note, tip or warning; the frame's `label` says which."""
    DEFINITION = "definition"
    """What explains the term before it."""
    FOOTNOTE = "footnote"
    """The text of one footnote; the frame's `label` is its mark."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One thing that blocks stand in. Compared by identity: blocks of one item share the frame."""

    holder: Holder
    group: object = None
    """The list an item belongs to, compared by identity; None for the other holders."""
    number: int | None = None
    """The number of an item in an ordered list; None in an unordered one."""
    label: str = ""
    """A callout's type in lower case ("note", "warning"), a footnote's mark; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of text."""

    kind: Kind
    text: str
    """As plain text: code and TeX exact, a table's cells separated by tabs and its rows by line
    feeds, a `<br>` as a line feed, other white space folded."""
    inline: str = ""
    """Inline Markdown of a heading, paragraph or term, escaped, one line unless it holds hard
    breaks; empty for the other kinds."""
    level: int = 0
    """1 to 6 for a heading; 0 else."""
    language: str = ""
    """What a code block is written in, lower case; empty where the page does not say."""
    rows: tuple[tuple[str, ...], ...] = ()
    """A table's cells as inline Markdown without line feeds and with `|` escaped, every row as
    long as the longest."""
    header: bool = False
    """Whether the first of `rows` is the table's header."""
    frames: tuple[Frame, ...] = ()
    """What the block stands in, outermost first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of the main content."""

    text: str
    url: str
    """Absolute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what stands below it, up to the next heading of its level or above."""

    level: int
    """1 to 6; 0 for what stands before the first heading."""
    text: str
    """The heading's plain text; empty for what stands before the first one."""
    words: int
    """Words up to the next heading of any level; a CJK or Thai character counts as half a word."""
    start: int
    """Index of its first block, the heading's own."""
    end: int
    """Index behind its last block before the next heading of any level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The main content of a page, and what the page says about itself."""

    title: str
    """Empty where the page has none."""
    byline: str | None
    published: str | None
    """ISO 8601, a date or a date and time, as exact as the page gives it."""
    language: str | None
    """BCP 47, as the page declares it."""
    canonical: str | None
    """Absolute URL."""
    blocks: tuple[Block, ...]
    markdown: str
    outline: tuple[Section, ...]
    links: tuple[Link, ...]
    """Each target once, in reading order."""
    notes: tuple[str, ...]
    """What a reader of the text should know: hidden text that was dropped, text that came out of
    the page's data, bytes that could not be decoded, a page that was cut."""
