"""A document's text and where its blocks stand in it, and the way into the store and back. Pure.

Whatever the text is (Markdown of a page, a file as it was, lines of JSON), its blocks have spans in
it, so that windows, finds and outlines need one way only. What the store keeps of the blocks beside
the Markdown is one string, `packed`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import orjson

from extract.markdown import plain
from extract.model import Block, Frame, Holder, Kind
from extract.outline import heading_paths, outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extract.model import Section

Span = tuple[int, int]

_VERSION = 1
_SAME = 0
"""Stands for a text that is the block's slice of the Markdown, and inline text that is its text."""


@dataclass(frozen=True, slots=True)
class View:
    """A text and the spans of what must not be cut apart in it."""

    text: str
    spans: tuple[Span, ...]
    heads: frozenset[int] = frozenset()
    """Where headings begin."""


@dataclass(frozen=True)
class Body:
    """The blocks of a document and its Markdown."""

    markdown: str
    blocks: tuple[Block, ...]
    spans: tuple[Span, ...]
    """Of each block, in characters of the Markdown."""

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The outline, which holds every block once."""
        return outline(self.blocks)

    @cached_property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """For each section the headings it stands below, outermost first, its own last."""
        return heading_paths(self.sections)

    def path_of(self, block: int) -> tuple[str, ...]:
        """The headings that a block stands below, outermost first."""
        place = bisect_right(self.sections, block, key=lambda section: section.start) - 1
        return self.paths[place] if place >= 0 else ()

    def markdown_view(self) -> View:
        """The Markdown itself."""
        heads = (
            span[0]
            for block, span in zip(self.blocks, self.spans, strict=True)
            if block.kind is Kind.HEADING
        )
        spans = tuple(span for span in self.spans if span[0] < span[1])
        return View(self.markdown, spans, frozenset(heads))

    def text_view(self) -> View:
        """Without markup."""
        pieces: list[tuple[str, str]] = []
        before: tuple[Frame, ...] = ()
        for block in self.blocks:
            # Alone each, so that its span is known; what stands in one list item stays together.
            text = plain((block,))
            if text:
                pieces.append(("\n" if before and block.frames[:1] == before else "\n\n", text))
                before = block.frames[:1]
        return _joined(pieces)

    def json_view(self) -> View:
        """An object a line for each block."""
        lines = []
        for section, path in zip(self.sections, self.paths, strict=True):
            blocks = self.blocks[section.start : section.end]
            lines += [("\n", orjson.dumps(_shown(block, path)).decode()) for block in blocks]
        return _joined(lines)

    def outline_view(self) -> View:
        """A line for each heading: its place, its words, and where it begins in the Markdown."""
        return _joined([("\n", line) for line in outline_lines(self)])


def outline_lines(body: Body) -> list[str]:
    """The headings with the words below each and their offsets, indented by level."""
    lines = []
    least = min((section.level for section in body.sections if section.level), default=1)
    for section in body.sections:
        name = section.text or "(before the first heading)"
        pad = "  " * max(0, section.level - least)
        start = body.spans[section.start][0]
        lines.append(f"{pad}- {name} ({section.words} words, offset {start})")
    return lines


def lines_view(text: str) -> View:
    """A text whose lines are its blocks: markup."""
    spans, start = [], 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        if line.strip():
            spans.append((start, end))
        start = end
    return View(text, tuple(spans))


def packed(body: Body) -> str:
    """The blocks and their spans as the store keeps them."""
    frames: dict[int, int] = {}
    groups: dict[int, int] = {}
    listed: list[list[object]] = []
    rows = []
    for block, (start, end) in zip(body.blocks, body.spans, strict=True):
        for frame in block.frames:
            if id(frame) not in frames:
                frames[id(frame)] = len(listed)
                known = groups.setdefault(id(frame.group), len(groups))
                group = -1 if frame.group is None else known
                listed.append([frame.holder.value, group, frame.number, frame.label])
        rows.append(
            [
                start,
                end,
                block.kind.value,
                _SAME if block.text == body.markdown[start:end] else block.text,
                _SAME if block.inline == block.text else block.inline,
                block.level,
                block.language,
                block.rows,
                block.header,
                [frames[id(frame)] for frame in block.frames],
            ]
        )
    return orjson.dumps({"v": _VERSION, "frames": listed, "blocks": rows}).decode()


def unpacked(markdown: str, text: str) -> Body | None:
    """What `packed` has made; None where it is something else."""
    try:
        stored = orjson.loads(text)
        if stored["v"] != _VERSION:
            return None
        groups: dict[int, object] = {}
        frames = []
        for holder, number_of_group, number, label in stored["frames"]:
            group = groups.setdefault(number_of_group, object()) if number_of_group >= 0 else None
            frames.append(Frame(Holder(holder), group, number, label))
        made = [_block(markdown, row, frames) for row in stored["blocks"]]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, IndexError):
        return None
    return Body(markdown, tuple(block for block, _ in made), tuple(span for _, span in made))


def _block(markdown: str, row: list[object], frames: Sequence[Frame]) -> tuple[Block, Span]:
    start, end, kind, text, inline, level, language, rows, header, held = row
    span = (cast("int", start), cast("int", end))
    shown = markdown[span[0] : span[1]] if text == _SAME else str(text)
    block = Block(
        kind=Kind(str(kind)),
        text=shown,
        inline=shown if inline == _SAME else str(inline),
        level=cast("int", level),
        language=str(language),
        rows=tuple(tuple(cells) for cells in cast("list[list[str]]", rows)),
        header=bool(header),
        frames=tuple(frames[place] for place in cast("list[int]", held)),
    )
    return block, span


def _joined(pieces: Sequence[tuple[str, str]]) -> View:
    """One text of (gap before, text) pairs, the first gap left out."""
    parts: list[str] = []
    spans: list[Span] = []
    length = 0
    for gap, text in pieces:
        if parts:
            parts.append(gap)
            length += len(gap)
        parts.append(text)
        spans.append((length, length + len(text)))
        length += len(text)
    return View("".join(parts), tuple(spans))


def _shown(block: Block, path: Sequence[str]) -> dict[str, object]:
    shown: dict[str, object] = {"kind": block.kind.value, "text": block.text}
    if block.level:
        shown["level"] = block.level
    if block.language:
        shown["language"] = block.language
    if block.rows:
        shown["rows"] = block.rows
    if block.kind is not Kind.HEADING and path:
        shown["section"] = list(path)
    return shown
