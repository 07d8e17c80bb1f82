"""A PDF as blocks: the whole way from its words to Markdown's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.documents.pdf.columns import Piece, columns, pieces_of
from broker.documents.pdf.flow import chunks, rejoined
from broker.documents.pdf.furniture import without_furniture
from broker.documents.pdf.headings import levels
from broker.documents.pdf.hyphens import Words
from broker.documents.pdf.listings import forget_fixed
from broker.documents.pdf.marks import BULLET_BEFORE
from broker.documents.pdf.tables import ruled
from extract.inline import cell, escape
from extract.model import Block, Frame, Holder, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broker.documents.pdf.flow import Chunk
    from broker.documents.pdf.leaf import Leaf
    from broker.documents.pdf.source import Source


@dataclass(slots=True)
class Read:
    """What stands in a PDF."""

    pages: dict[int, list[Block]]
    """The blocks of each page, from 0; what goes on over a page's end stands in the first."""
    scanned: list[int]
    """Pages that are pictures without text, from 0."""
    unread: int = 0
    """Pages that are damaged."""
    title: str = ""
    """The largest heading of the first page; empty where none stands out."""


def read(source: Source) -> Read:
    """The text of a PDF, as far as it is text."""
    pages: list[tuple[Leaf, list[Piece]]] = []
    scanned: list[int] = []
    written: dict[int, list[Block]] = {}
    unread = 0
    leaves = list(source.leaves())
    forget_fixed([leaf for leaf in leaves if leaf is not None])
    for leaf in leaves:
        if leaf is None:
            unread += 1
            continue
        if leaf.fields or leaf.remarks:
            written[leaf.number] = [*map(_paragraph, leaf.remarks), *_form(leaf.fields)]
        if leaf.words:
            pages.append((leaf, _pieces(leaf)))
        elif leaf.pictures:
            scanned.append(leaf.number)
    without_furniture(pages)
    found = [chunk for leaf, pieces in pages for chunk in _chunks(leaf, pieces)]
    whole = rejoined(found)
    depths = levels(whole, source.bookmarks())
    title = next((whole[index].text for index, depth in depths.items() if depth == 1), "")
    blocks = _blocks(whole, depths)
    for number, added in written.items():
        blocks.setdefault(number, []).extend(added)
    return Read(blocks, scanned, unread, title)


def _pieces(leaf: Leaf) -> list[Piece]:
    """What stands on a page; the words of its ruled tables are taken out of it."""
    grids = ruled(leaf)
    tables = [Piece([], g.x0, g.x1, g.top, g.bottom, block=g) for g in grids]
    return pieces_of(leaf.words) + tables


def _chunks(leaf: Leaf, pieces: list[Piece]) -> Iterator[Chunk]:
    """What a page says, first what stands upright on it."""
    parts = [(leaf, pieces), *((aside, pieces_of(aside.words)) for aside in leaf.aside)]
    for part, placed in sorted(parts, key=lambda part: not part[0].upright):
        for column in columns(placed):
            for chunk in chunks(column, leaf.number):
                chunk.aside = part is not leaf
                yield chunk


def _blocks(whole: Sequence[Chunk], depths: dict[int, int]) -> dict[int, list[Block]]:
    words = Words(line.text for chunk in whole for line in chunk.lines)
    pages: dict[int, list[Block]] = {}
    group: object = None
    for index, chunk in enumerate(whole):
        blocks = pages.setdefault(chunk.page, [])
        if chunk.rows is not None:
            blocks.append(table(chunk.rows))
            continue
        if chunk.code:
            blocks.append(Block(kind=Kind.CODE, text=chunk.code))
            continue
        text = words.joined([line.text for line in chunk.lines])
        frames: tuple[Frame, ...] = ()
        if chunk.item:
            text = BULLET_BEFORE.sub("", text, count=1)
            group = group or object()
            frames = (Frame(Holder.ITEM, group),)
        else:
            group = None
        depth = depths.get(index, 0)
        kind = Kind.HEADING if depth else Kind.PARAGRAPH
        blocks.append(Block(kind=kind, text=text, inline=escape(text), level=depth, frames=frames))
    return pages


def _paragraph(text: str, frames: tuple[Frame, ...] = ()) -> Block:
    return Block(kind=Kind.PARAGRAPH, text=text, inline=escape(text), frames=frames)


def _form(fields: Sequence[tuple[str, str]]) -> list[Block]:
    """The fields of a page's form as a list."""
    if not fields:
        return []
    group = object()
    items = [
        _paragraph(": ".join(filter(None, field)), (Frame(Holder.ITEM, group),)) for field in fields
    ]
    return [_paragraph("Form fields:"), *items]


def scan(text: str) -> list[Block]:
    """What was read in a picture, as blocks."""
    return [_paragraph(part) for part in text.split("\n\n") if part]


def table(rows: Sequence[Sequence[str]]) -> Block:
    """Rows of plain text, the header first, as a block."""
    width = max(map(len, rows))
    full = [(*map(str, row), *[""] * (width - len(row))) for row in rows]
    return Block(
        kind=Kind.TABLE,
        text="\n".join("\t".join(row) for row in full),
        rows=tuple(tuple(cell(escape(text)) for text in row) for row in full),
        header=True,
    )
