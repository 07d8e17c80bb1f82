"""A page in pieces for retrieval: whole blocks of one section, with the headings above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extract.markdown import render_with_spans
from extract.outline import heading_paths, outline
from extract.trim import border

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extract.model import Block, Section

_HUGE = 3
"""A block is split when it is so many times longer than a chunk should be."""
_SMALL = 0.25
"""A section's last chunk joins the one before when it is shorter than this share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a page."""

    headings: tuple[str, ...]
    """The headings it stands below, outermost first."""
    text: str
    """Its Markdown."""
    start_block: int
    end_block: int
    """Index behind its last block; a block that is split is in several chunks."""
    start: int
    """Where it begins in the page's Markdown, in characters."""
    end: int
    """Behind its last character."""


def chunks(blocks: Sequence[Block], target_chars: int = 1200) -> tuple[Chunk, ...]:
    """The Markdown of `blocks` in pieces of about `target_chars` characters.

    A piece holds blocks of one section only. It is longer than `target_chars` where a block is, up
    to three times; a longer block is split at a line, row or sentence. A heading without text of
    its own has no piece where a section below it names it.
    """
    target_chars = max(1, target_chars)
    markdown, spans = render_with_spans(blocks)
    sections = outline(blocks)
    made = []
    for index, (section, headings) in enumerate(
        zip(sections, heading_paths(sections), strict=True)
    ):
        following = sections[index + 1] if index + 1 < len(sections) else None
        if _is_named_below(section, following):
            continue
        for first, last, start, end in _pieces(section, spans, markdown, target_chars):
            made.append(
                Chunk(
                    headings=headings,
                    text=markdown[start:end].strip("\n"),
                    start_block=first,
                    end_block=last,
                    start=start,
                    end=end,
                )
            )
    return tuple(made)


def _is_named_below(section: Section, following: Section | None) -> bool:
    if section.words or section.end - section.start > 1 or following is None:
        return False
    return following.level > section.level > 0


_Piece = tuple[int, int, int, int]
"""First block, block behind the last, first character, character behind the last."""


def _pieces(
    section: Section, spans: Sequence[tuple[int, int]], markdown: str, target: int
) -> Iterator[_Piece]:
    done: _Piece | None = None
    open_: _Piece | None = None
    for index in range(section.start, section.end):
        start, end = spans[index]
        if start == end:
            continue
        if end - start > _HUGE * target:
            yield from filter(None, (done, open_))
            done = open_ = None
            yield from _split(index, start, end, markdown, target)
        elif open_ is not None and (
            end - open_[2] <= target or (section.level and index == section.start + 1)
        ):  # a heading stays with what follows it
            open_ = (open_[0], index + 1, open_[2], end)
        else:
            if done is not None:
                yield done
            done, open_ = open_, (index, index + 1, start, end)
    if done is not None and open_ is not None and open_[3] - open_[2] < _SMALL * target:
        done, open_ = (done[0], open_[1], done[2], open_[3]), None
    yield from filter(None, (done, open_))


def _split(index: int, start: int, end: int, markdown: str, target: int) -> Iterator[_Piece]:
    while end - start > target:
        place = start + border(markdown[start : start + target])
        yield index, index + 1, start, place
        start = place
    if start < end:
        yield index, index + 1, start, end
