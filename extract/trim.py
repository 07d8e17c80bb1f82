"""Parts of a page: as many blocks as fit into a size, and windows over its Markdown."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from extract.inline import escape
from extract.markdown import render, render_with_spans
from extract.model import Block, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

_SENTENCE_END = re.compile(
    "[.!?\u2026][\"')\\]\xbb\u201d\u2019]*(?=\\s)|[\u3002\uff01\uff1f\uff1b]+"
)
_MARGIN = 0.5
"""A border is taken when no more than this share of the room is lost to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trimmed:
    """The blocks that fit."""

    blocks: tuple[Block, ...]
    next_block: int | None
    """Index of the first block that is not there at all; None where the last one is."""
    chars: int
    """Characters of their Markdown."""
    is_cut: bool
    """Whether the last of `blocks` is only the beginning of what stands on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A part of a page's Markdown. Offsets count characters from 0."""

    start: int
    end: int
    """Behind the last character to show."""
    next_offset: int | None
    """Where the next window begins; None where nothing is left."""


def trim(blocks: Sequence[Block], max_chars: int, start_block: int = 0) -> Trimmed:
    """The blocks from `start_block` on whose Markdown has no more than `max_chars` characters.

    A block that would leave half of the room empty is cut inside, at a sentence, line or row. No
    heading is left at the end without anything below it.
    """
    start_block = max(0, start_block)
    candidates = _candidates(blocks, max_chars, start_block)
    _, spans = render_with_spans(candidates)
    count = 0
    while count < len(spans) and spans[count][1] <= max_chars:
        count += 1
    kept = list(candidates[:count])
    is_cut = False
    if start_block + count < len(blocks):
        used = spans[count - 1][1] if count else 0
        if used < max_chars * _MARGIN and count < len(candidates):
            head = _beginning(kept, candidates[count], max_chars)
            if head is not None:
                kept.append(head)
                is_cut = True
        while len(kept) > 1 and not is_cut and kept[-1].kind is Kind.HEADING:
            kept.pop()
    following = start_block + len(kept)
    return Trimmed(
        blocks=tuple(kept),
        next_block=following if following < len(blocks) else None,
        chars=len(render(kept)),
        is_cut=is_cut,
    )


def window(markdown: str, spans: Sequence[tuple[int, int]], offset: int, limit: int) -> Window:
    """The part of `markdown` from `offset` on with at most `limit` characters, in whole blocks.

    `spans` are those of `render_with_spans`. An offset inside a block goes back to its beginning,
    unless the block is longer than `limit`: such a block is shown in several windows, parted at
    lines or sentences. With the same `limit` each time, the windows from offset 0 on, each from the
    `next_offset` of the one before, hold every block exactly once.
    """
    limit = max(1, limit)
    offset = max(0, offset)
    shown = [span for span in spans if span[0] < span[1]]
    place = bisect_right(shown, offset, key=lambda span: span[1])
    if place == len(shown):
        return Window(start=len(markdown), end=len(markdown), next_offset=None)
    start, end = shown[place]
    if end - start > limit and offset > start:
        start = offset
    if end - start > limit:
        end = start + border(markdown[start : start + limit])
        return Window(start=start, end=end, next_offset=end)
    while place + 1 < len(shown) and shown[place + 1][1] - start <= limit:
        place += 1
    end = shown[place][1]
    following = shown[place + 1][0] if place + 1 < len(shown) else None
    return Window(start=start, end=end, next_offset=following)


def border(text: str) -> int:
    """Where to end `text`, which goes on behind its last character.

    It is behind a line if that leaves half of the text, else a sentence, else a word; else at the
    end of all of it.
    """
    least = int(len(text) * _MARGIN)
    place = text.rfind("\n") + 1
    if place > least:
        return place
    ends = [found.end() for found in _SENTENCE_END.finditer(text, least)]
    if ends:
        return ends[-1]
    place = text.rfind(" ") + 1
    return place if place > least else len(text)


def _candidates(blocks: Sequence[Block], max_chars: int, start: int) -> Sequence[Block]:
    """Blocks from `start` on, of which all after the last cannot fit; a large page has more."""
    total = 0
    for index in range(start, len(blocks)):
        total += len(blocks[index].text)
        if total > max_chars:
            return blocks[start : index + 1]
    return blocks[start:]


def _beginning(kept: list[Block], block: Block, max_chars: int) -> Block | None:
    """As much of `block` as fits behind `kept`; None where that is nothing."""
    room = max_chars - len(render(kept))
    for _ in range(12):  # escapes and marks take room, too
        head = _cut(block, room)
        if head is None:
            return None
        over = len(render([*kept, head])) - max_chars
        if over <= 0:
            return head
        room -= over
    return None


def _cut(block: Block, room: int) -> Block | None:
    """The beginning of `block` with at most `room` characters of text."""
    if room <= 0:
        return None
    if block.kind is Kind.TABLE:
        return _cut_table(block, room)
    if block.kind is Kind.CODE:
        text = block.text[:room]
        text = text[: border(text)].rstrip("\n")
        return replace(block, text=text) if text else None
    if block.kind is not Kind.PARAGRAPH:
        return None
    text = block.text[: max(0, room - 2)]
    text = text[: border(text)].rstrip()
    if not text:
        return None
    # Marks that are cut in two would be none: the beginning comes without links and emphasis.
    return replace(block, text=f"{text} …", inline=escape(" ".join(text.split())) + " …")


def _cut_table(block: Block, room: int) -> Block | None:
    count = used = 0
    for row in block.rows:
        used += sum(map(len, row)) + 3 * len(row) + 2
        if used > room:
            break
        count += 1
    if count <= block.header:
        return None
    text = "\n".join(block.text.split("\n")[:count])
    return replace(block, rows=block.rows[:count], text=text)
