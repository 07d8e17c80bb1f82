"""What a test document says, whatever program sets it: headings, prose, lists, tables, code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is a section, the title stands above them."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list without numbers."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, the header first."""

    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of a program, to the letter."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Linked:
    """A paragraph in which words set in italics lead somewhere."""

    before: str
    words: str
    url: str
    behind: str


@dataclass(frozen=True, slots=True)
class Noted:
    """A paragraph that ends with the mark of a footnote."""

    text: str
    note: str


Prose = Paragraph | Linked | Noted
Block = Heading | Prose | Items | Table | Code


@dataclass(frozen=True, slots=True)
class Text:
    """A whole document."""

    title: str
    author: str
    date: str
    """ISO 8601."""
    blocks: tuple[Block, ...]

    @property
    def headings(self) -> tuple[str, ...]:
        """Their texts, in order."""
        return tuple(block.text for block in self.blocks if isinstance(block, Heading))

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The rows of all tables."""
        return tuple(row for block in self.blocks if isinstance(block, Table) for row in block.rows)

    @property
    def code(self) -> tuple[str, ...]:
        """The programs, in order."""
        return tuple(block.text for block in self.blocks if isinstance(block, Code))

    @property
    def prose(self) -> str:
        """The paragraphs, in order."""
        return "\n".join(block.text for block in self.blocks if isinstance(block, Paragraph))
