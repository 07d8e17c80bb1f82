"""What sites write their documents with: blocks, so that no text can pass for Markdown of ours.

A document has one h1, below it a line of facts set apart by dots, and then its text. Whatever comes
from a site goes through `extract.inline.escape` on its way into a block.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from extract.inline import BREAK, escape, join, link
from extract.markdown import render
from extract.model import Block, Frame, Holder, Kind
from extract.tree import INKLESS, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ADDRESS = re.compile(r"https?://[^\s<>\"\u3000-\u303f\uff00-\uffef]+")
_TRAILING = ".,;:!?'*_\u2026\u201d\u2019"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_PAIRED = frozenset("()[]{}")
_EMPTY_LINES = re.compile(r"\n[ \t\r]*\n\s*")


def document(title: str, blocks: Iterable[Block]) -> str:
    """The Markdown of `blocks` below their one h1."""
    return render((heading(title, 1), *blocks))


def heading(text: str, level: int) -> Block:
    """A heading of plain text."""
    text = fold(text) or "(untitled)"
    return Block(kind=Kind.HEADING, text=text, inline=escape(text), level=level)


def paragraph(*pieces: str, frames: tuple[Frame, ...] = ()) -> Block:
    """A paragraph of inline Markdown; its pieces are as `extract.inline.join` takes them.

    That is its plain text as well: such blocks are only made to be rendered.
    """
    inline = join(pieces)
    return Block(kind=Kind.PARAGRAPH, text=inline, inline=inline, frames=frames)


def facts(*pieces: str, frames: tuple[Frame, ...] = ()) -> tuple[Block, ...]:
    """One line of inline Markdown for what is known; nothing where nothing is."""
    known = [piece for piece in pieces if piece]
    return (paragraph(" · ".join(known), frames=frames),) if known else ()


def items(lines: Iterable[str], frames: tuple[Frame, ...] = ()) -> tuple[Block, ...]:
    """A list whose items are lines of inline Markdown."""
    group = object()
    return tuple(
        paragraph(line, frames=(*frames, Frame(Holder.ITEM, group=group))) for line in lines if line
    )


def prose(text: str, frames: tuple[Frame, ...] = ()) -> tuple[Block, ...]:
    """Plain text as paragraphs: empty lines end one, line feeds stay, addresses become links."""
    paragraphs = _EMPTY_LINES.split(text.replace("\r\n", "\n").strip())
    return tuple(
        paragraph(*linked(part), frames=frames) for part in paragraphs if part.translate(INKLESS)
    )


def linked(text: str) -> tuple[str, ...]:
    """Plain text as pieces of inline Markdown, with its addresses as links and its line feeds."""
    pieces: list[str] = []
    for number, line in enumerate(text.split("\n")):
        if number:
            pieces.append(BREAK)
        end = 0
        for found in _ADDRESS.finditer(line):
            url = _address(found[0])
            pieces += [plain(line[end : found.start()]), link(escape(url), url)]
            end = found.start() + len(url)
        pieces.append(plain(line[end:]))
    return tuple(pieces)


def named(text: str, url: str) -> str:
    """A link around plain text; the text alone where there is no address."""
    return link(escape(fold(text)), url)


def clock(seconds: float) -> str:
    """A place in a film, or its length: `4:05`, `1:02:03`."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def framed(blocks: Sequence[Block], *frames: Frame) -> tuple[Block, ...]:
    """`blocks` standing in `frames`, around all they stand in."""
    return tuple(replace(block, frames=(*frames, *block.frames)) for block in blocks)


def plain(text: str) -> str:
    """Plain text as a piece of inline Markdown, its white space folded; one is left at the ends."""
    words = fold(text)
    if not words:
        return " " if text else ""
    before = " " if text[0].isspace() else ""
    after = " " if text[-1].isspace() else ""
    return f"{before}{escape(words)}{after}"


def _address(found: str) -> str:
    """An address in a sentence without the sentence's own signs behind it."""
    counts = Counter(sign for sign in found if sign in _PAIRED)
    end = len(found)
    while end:
        last = found[end - 1]
        opening = _PAIRS.get(last)
        alone = opening is not None and counts[last] > counts[opening]
        if last not in _TRAILING and not alone:
            break
        counts[last] -= 1
        end -= 1
    return found[:end]
