"""Blocks as CommonMark with pipe tables, and as plain text.

What is written here a CommonMark reader takes apart into the same blocks. A definition is a line
`: text` below its bold term, a footnote begins with `[^mark]: `, a callout with `[!NOTE]`.
Definitions and footnotes do not indent what follows: a reader without those extensions would take
it for code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extract.leaves import content, footnote, line_start
from extract.model import Frame, Holder, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extract.model import Block

NESTING = 18
"""How deep blocks are shown to stand, an item counting twice. Readers give up at 20."""

_HIGHEST_NUMBER = 999_999_999  # of an item in CommonMark
_MERGED = frozenset({Holder.DEFINITION, Holder.FOOTNOTE})  # these indent nothing

_NOT_IN_LABEL = re.compile(r"[\s\[\]\\^`*_<&]+")


def render(blocks: Iterable[Block]) -> str:
    """`blocks` as Markdown, without a line feed at the end."""
    return render_with_spans(tuple(blocks))[0]


def render_with_spans(blocks: Sequence[Block]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """`blocks` as Markdown, and where in it each block stands.

    A span is (first character, character behind the last), counted from 0; marks of lists and
    quotations belong to it, empty lines before and after do not. A block that shows nothing has an
    empty span behind what is shown before it.
    """
    writer = _Writer(blocks)
    spans = writer.write()
    return "".join(writer.out), spans


def plain(blocks: Iterable[Block]) -> str:
    """`blocks` as text without markup: items indented and marked, tables tab-separated."""
    pieces: list[str] = []
    before: tuple[Frame, ...] = ()
    for block in blocks:
        if not block.text or block.kind is Kind.RULE:
            continue
        items = [frame for frame in block.frames if frame.holder is Holder.ITEM]
        opened = bool(items) and not any(frame is items[-1] for frame in before)
        mark = _plain_mark(items[-1]) if opened else ""
        pad = "  " * (len(items) - opened)
        if pieces:
            close = opened and bool(before) and before[-1].holder is Holder.ITEM
            pieces.append("\n" if close else "\n\n")
        pieces.append(f"{pad}{mark}{_indented(block.text, pad + '  ' * opened)}")
        before = block.frames
    return "".join(pieces)


class _Writer:
    """One pass over blocks, with what lines begin with in the frames that are open."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.out: list[str] = []
        self._blocks = blocks
        self._paths = [_path(block.frames) if block.frames else () for block in blocks]
        self._loose = _loose_lists(blocks, self._paths) if any(self._paths) else frozenset()
        self._length = 0
        self._frames: tuple[Frame, ...] = ()  # of what was written last
        self._path: tuple[Frame, ...] = ()  # those of them that indent
        self._rests: list[str] = []  # what lines begin with, for each of these
        self._lists: list[tuple[object, str] | None] = [None]  # the last one at each level
        self._led = False  # whether a mark on a line of its own was written last
        self._term: tuple[Frame, ...] | None = None  # frames of a term just written
        self._open: tuple[Frame, ...] | None = None  # where a definition may extend a paragraph

    def write(self) -> tuple[tuple[int, int], ...]:
        spans: list[tuple[int, int]] = []
        for block, path in zip(self._blocks, self._paths, strict=True):
            start = self._length
            if block.frames or self._frames or block.kind is not Kind.PARAGRAPH:
                start = self._block(block, path)
            elif text := line_start(block.inline):  # most blocks of most pages
                start = self._put("\n\n" if self.out else "", text)
                self._lists[0] = self._term = self._open = None
            spans.append((start, self._length))
        return tuple(spans)

    def _put(self, gap: str, text: str) -> int:
        """Appends both; where `text` begins, in characters."""
        self.out.append(gap)
        self.out.append(text)
        start = self._length + len(gap)
        self._length = start + len(text)
        return start

    def _block(self, block: Block, path: tuple[Frame, ...]) -> int:
        """Appends `block`; where it begins, in characters."""
        frames = block.frames
        opens_item = _is_item(path) and _is_fresh(path, self._path)
        text = content(block, dashes=bool(self.out) and not opens_item)
        if not text:
            return self._length
        is_term = block.kind is Kind.TERM
        joins = is_term and _same(self._term, frames)
        opened = frames if is_term else None
        start = None
        if frames and _is_fresh(frames, self._frames):
            start, inner = self._lead(frames, block.kind)
            if inner == ": ":
                opened = frames[:-1]
                joins = _same(self._open, opened)
            elif not inner:
                joins = self._led and block.kind is Kind.PARAGRAPH and path == self._path
            text = footnote(inner, text) if inner.startswith("[") else inner + text
        at = self._line(path, text, joins=joins)
        self._frames, self._open, self._led = frames, opened, False
        self._term = frames if is_term else None
        return at if start is None else start

    def _lead(self, frames: tuple[Frame, ...], kind: Kind) -> tuple[int | None, str]:
        """Appends the marks of callouts and footnotes that begin here, on lines of their own.

        Returns where the first one begins, and the mark that the block itself begins with.
        """
        start = None
        for depth in range(_common(frames, self._frames), len(frames)):
            mark = _mark(frames[depth])
            if not mark:
                continue
            innermost = depth == len(frames) - 1 and kind is Kind.PARAGRAPH
            if innermost and frames[depth].holder in _MERGED:
                return start, mark
            if frames[depth].holder is not Holder.DEFINITION:
                at = self._line(_path(frames[: depth + 1]), mark.rstrip(), joins=False)
                start = at if start is None else start
                self._led = True
        return start, ""

    def _line(self, path: tuple[Frame, ...], text: str, *, joins: bool) -> int:
        """Appends `text` below the marks of `path`; where it begins, in characters."""
        common = _common(path, self._path)
        gap = ""
        if joins or self._is_tight(path, common):
            gap = "\n"
        elif self.out:
            gap = f"\n{''.join(self._rests[:common]).rstrip()}\n"
        first = self._enter(path, common)
        self._path = path
        return self._put(gap, first + _indented(text, "".join(self._rests)))

    def _is_tight(self, path: tuple[Frame, ...], common: int) -> bool:
        """Whether `path` goes on a list, or begins one in an item, without an empty line."""
        if self._led or common == len(path) or path[common].holder is not Holder.ITEM:
            return False
        if len(self._path) > common:
            sibling = self._path[common]
            same = sibling.holder is Holder.ITEM and sibling.group is path[common].group
            return same and _key(path, common) not in self._loose
        return _is_item(path[:common]) and _key(path, common - 1) not in self._loose

    def _enter(self, path: tuple[Frame, ...], common: int) -> str:
        """Closes and opens frames for `path`; what the first line in them begins with."""
        first = self._rests[:common]
        del self._rests[common:]
        del self._lists[common + 1 :]
        for frame in path[common:]:
            if frame.holder is Holder.ITEM:
                mark = self._item_mark(frame)
                rest = " " * len(mark)
            else:
                mark = rest = "> "
                self._lists[-1] = None
            first.append(mark)
            self._rests.append(rest)
            self._lists.append(None)
        self._lists[-1] = None
        return "".join(first)

    def _item_mark(self, frame: Frame) -> str:
        """The mark of an item; a list directly behind another one gets marks of its own."""
        last = self._lists[-1]
        kinds = "-*" if frame.number is None else ".)"
        kind = kinds[0]
        if last is not None and last[1] in kinds:
            kind = last[1] if last[0] is frame.group else kinds[last[1] == kind]
        self._lists[-1] = (frame.group, kind)
        if frame.number is None:
            return f"{kind} "
        return f"{min(max(frame.number, 0), _HIGHEST_NUMBER)}{kind} "


def _path(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The frames that indent, as many as readers follow."""
    path: list[Frame] = []
    depth = 0
    for frame in frames:
        if frame.holder not in _MERGED:
            depth += 2 if frame.holder is Holder.ITEM else 1
            if depth > NESTING:
                break
            path.append(frame)
    return tuple(path)


def _common(ours: tuple[Frame, ...], theirs: tuple[Frame, ...]) -> int:
    """How many of the outer frames are the same."""
    common = 0
    for one, other in zip(ours, theirs, strict=False):
        if one is not other:
            break
        common += 1
    return common


def _same(ours: tuple[Frame, ...] | None, theirs: tuple[Frame, ...]) -> bool:
    return ours is not None and len(ours) == len(theirs) == _common(ours, theirs)


def _is_fresh(frames: tuple[Frame, ...], before: tuple[Frame, ...]) -> bool:
    return _common(frames, before) < len(frames)


def _is_item(path: tuple[Frame, ...]) -> bool:
    return bool(path) and path[-1].holder is Holder.ITEM


def _key(path: tuple[Frame, ...], depth: int) -> tuple[int, int]:
    """Names the list that the item at `depth` belongs to."""
    return id(path[depth].group), id(path[depth - 1]) if depth else 0


def _loose_lists(
    blocks: Sequence[Block], paths: Sequence[tuple[Frame, ...]]
) -> frozenset[tuple[int, int]]:
    """The lists whose items stand apart: an item holds more than a paragraph and tight lists."""
    loose: set[tuple[int, int]] = set()
    parents: dict[tuple[int, int], tuple[int, int]] = {}
    before: tuple[Frame, ...] = ()
    for block, path in zip(blocks, paths, strict=True):
        common = _common(path, before)
        simple = block.kind is Kind.PARAGRAPH and bool(block.inline)
        for depth, frame in enumerate(path):
            if frame.holder is not Holder.ITEM:
                continue
            key = _key(path, depth)
            if depth and path[depth - 1].holder is Holder.ITEM:
                parents[key] = _key(path, depth - 1)
            if not simple or not _keeps_tight(path, depth, common, before):
                loose.add(key)
        before = path
    for key in tuple(loose):
        parent = parents.get(key)
        while parent is not None and parent not in loose:
            loose.add(parent)
            parent = parents.get(parent)
    return frozenset(loose)


def _keeps_tight(
    path: tuple[Frame, ...], depth: int, common: int, before: tuple[Frame, ...]
) -> bool:
    """Whether the item at `depth` of `path` can stay tight with what stands in it here."""
    if depth == len(path) - 1:
        return depth >= common  # the first paragraph
    child = path[depth + 1]
    if child.holder is not Holder.ITEM:
        return False
    if depth >= common or depth + 1 < common:
        return True
    if len(before) == depth + 1:  # a list below the item's paragraph
        return child.number is None or child.number == 1  # others cannot interrupt a paragraph
    return before[depth + 1].group is child.group


def _mark(frame: Frame) -> str:
    """What stands before the first block in `frame`, other than an indentation."""
    if frame.holder is Holder.CALLOUT:
        return f"[!{_NOT_IN_LABEL.sub('-', frame.label).upper() or 'NOTE'}]"
    if frame.holder is Holder.FOOTNOTE:
        return f"[^{_NOT_IN_LABEL.sub('-', frame.label) or 'note'}]: "
    return ": " if frame.holder is Holder.DEFINITION else ""


def _plain_mark(item: Frame) -> str:
    return "- " if item.number is None else f"{item.number}. "


def _indented(text: str, rest: str) -> str:
    if not rest or "\n" not in text:
        return text
    bare = rest.rstrip()
    lines = text.split("\n")
    return "\n".join([lines[0], *[rest + line if line else bare for line in lines[1:]]])
