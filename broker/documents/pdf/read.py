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
    from collections.abc import Sequence

    from broker.documents.pdf.flow import Chunk
    from broker.documents.pdf.leaf import Leaf
    from broker.documents.pdf.source import Source


@dataclass(slots=True)
class Read:
    """What stands in a PDF."""

    blocks: list[Block]
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
    unread = 0
    leaves = list(source.leaves())
    forget_fixed([leaf for leaf in leaves if leaf is not None])
    for leaf in leaves:
        if leaf is None:
            unread += 1
            continue
        if not leaf.words:
            if leaf.pictures:
                scanned.append(leaf.number)
            continue
        grids = ruled(leaf)
        pieces = pieces_of(leaf.words)
        pieces += [Piece([], g.x0, g.x1, g.top, g.bottom, block=g) for g in grids]
        pages.append((leaf, pieces))
    without_furniture(pages)
    found = [
        chunk
        for leaf, pieces in pages
        for column in columns(pieces)
        for chunk in chunks(column, leaf.number)
    ]
    whole = rejoined(found)
    depths = levels(whole, source.bookmarks())
    title = next((whole[index].text for index, depth in depths.items() if depth == 1), "")
    return Read(_blocks(whole, depths), scanned, unread, title)


def _blocks(whole: Sequence[Chunk], depths: dict[int, int]) -> list[Block]:
    words = Words(line.text for chunk in whole for line in chunk.lines)
    blocks: list[Block] = []
    group: object = None
    for index, chunk in enumerate(whole):
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
    return blocks


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
