"""The chosen passages as blocks: what each is, and what it stands in."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from extract import formula, hidden
from extract.code import language
from extract.footnotes import footnotes, unmarked
from extract.inline import MARKS, STRONG, cell, join
from extract.model import Block, Frame, Holder, Kind
from extract.runs import Renderer
from extract.tables import grid
from extract.tree import fold
from extract.walk import HEADINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extract.footnotes import Footnotes
    from extract.passages import Box, Passage, Piece
    from extract.tree import Node

_NEAR = 3  # passages between a picture and the text it belongs to
_MOST_NUMBER = 999_999_999  # of an item in CommonMark
_DEEPEST = 24  # frames; readers of Markdown give up at 20
_LONGEST_ITEM = 4000  # characters; a longer one is a part of the page that is marked up as an item
_LISTS = frozenset({"ul", "ol", "menu", "dir"})

_CALLOUT = re.compile(
    r"(?:^|\s)(?:admonition|callout|alert|markdown-alert|notecard|custom-block|hint|note|tip"
    r"|warning|important|caution|danger|message)(?:$|[\s-])"
)
_CALLOUT_TYPE = re.compile(
    r"(?:^|[\s_-])(note|tip|hint|important|warning|caution|danger|attention|info|error|seealso"
    r"|example|success|question|todo|deprecated)(?:$|[\s_-])"
)
_CALLOUT_TAGS = frozenset({"div", "aside", "section", "blockquote", "p", "details"})
_LONGEST_CALLOUT = 3000  # characters

_WHOLES = {**HEADINGS, "dt": 0, "summary": 0}
"""What is one block, whatever it is put together of; the level of headings."""
_LONGEST_WHOLE = 400
"""Characters; what is longer was never closed, and swallows the page."""


def assemble(
    chosen: Sequence[Passage], everything: Sequence[Passage], base: str
) -> tuple[tuple[Block, ...], Renderer]:
    """The blocks of `chosen` passages, and the renderer that has their links.

    Pictures and rules among `everything` come along where chosen text is close on both sides.
    """
    passages = _wholes(_with_companions(chosen, everything), everything)
    notes = footnotes(passages)
    renderer = Renderer(base, notes.marks)
    frames = _Frames(passages, notes)
    blocks: list[Block] = []
    for passage in passages:
        if passage.kind == "dt" and passage.node.getnext() in notes.places:
            continue  # only the mark
        blocks.extend(_blocks(passage, frames.of(passage.box), renderer))
    return tuple(blocks), renderer


def _with_companions(chosen: Sequence[Passage], everything: Sequence[Passage]) -> list[Passage]:
    kept = {id(passage) for passage in chosen}
    where = [index for index, passage in enumerate(everything) if id(passage) in kept]
    places = [index for index in where if everything[index].text]
    result = []
    following = 0
    for index, passage in enumerate(everything):
        while following < len(places) and places[following] < index:
            following += 1
        if passage.text:
            if id(passage) in kept:
                result.append(passage)
        elif 0 < following < len(places):
            before, after = places[following - 1], places[following]
            if index - before <= _NEAR and after - index <= _NEAR:
                result.append(passage)
    return result


def _wholes(passages: Sequence[Passage], everything: Sequence[Passage]) -> list[Passage]:
    """`passages` with headings and terms in one piece that hold blocks: all of it, if any.

    One that was never closed ends with its first passage; the others are ordinary text.
    """
    parts: dict[int, list[Passage]] = {}
    for passage in everything:
        owner = _owner(passage)
        if owner is not None:
            parts.setdefault(id(owner), []).append(passage)
    if all(len(each) == 1 for each in parts.values()):
        return list(passages)
    unclosed = {
        owner
        for owner, each in parts.items()
        if sum(len(part.text) for part in each) > _LONGEST_WHOLE
    }
    result = []
    done: set[int] = set()
    for passage in passages:
        owner = _owner(passage)
        each = parts[id(owner)] if owner is not None else []
        if owner is None or len(each) == 1:
            result.append(passage)
        elif id(owner) in unclosed:
            result.append(passage if passage is each[0] else replace(passage, kind="div", level=0))
        elif id(owner) not in done:
            done.add(id(owner))
            result.append(_together(each, owner))
    return result


def _owner(passage: Passage) -> Box | None:
    """The heading or term that `passage` is a part of; None for other text."""
    if passage.kind != "h" and passage.kind not in _WHOLES:
        return None
    at: Box | None = passage.box
    while at is not None and at.tag not in _WHOLES:
        at = at.parent
    return at


def _together(parts: Sequence[Passage], owner: Box) -> Passage:
    pieces: list[Piece] = []
    for part in parts:
        pieces += [" ", *part.pieces]
    return replace(
        parts[0],
        node=owner.node,
        box=owner,
        pieces=pieces,
        text=" ".join(part.text for part in parts),
        links=[link for part in parts for link in part.links],
    )


def _blocks(passage: Passage, frames: tuple[Frame, ...], renderer: Renderer) -> list[Block]:
    match passage.kind:
        case "code":
            named = language(passage.node)
            return [Block(kind=Kind.CODE, text=passage.text, language=named, frames=frames)]
        case "table":
            return _table(passage, frames, renderer)
        case "hr":
            return [Block(kind=Kind.RULE, text="", frames=frames)]
    alone = _lone_formula(passage)
    if alone is not None:
        return [Block(kind=Kind.MATH, text=formula.tex(alone), frames=frames)]
    block = _text(passage, frames, renderer)
    return [block] if block is not None else []


def _text(passage: Passage, frames: tuple[Frame, ...], renderer: Renderer) -> Block | None:
    """A heading, a term or a paragraph; None where nothing of it is to be shown."""
    kind = passage.kind
    pieces = passage.pieces
    if frames and frames[-1].holder is Holder.FOOTNOTE:
        pieces = unmarked(pieces, frames[-1].label)
    run = renderer.run(pieces, heading=kind == "h")
    inline, text = run.inline, run.text
    if kind == "h":
        text = text.strip("¶#§ ")
        if not text:
            return None
        return Block(
            kind=Kind.HEADING, text=text, inline=inline, level=passage.level, frames=frames
        )
    if not inline or _says_only(frames, text):
        return None
    if kind == "dt":
        return Block(kind=Kind.TERM, text=text, inline=inline, frames=frames)
    if kind == "summary" and not any(mark in inline for mark in MARKS) and "\n" not in inline:
        inline = join([STRONG, inline, STRONG])
    return Block(kind=Kind.PARAGRAPH, text=text, inline=inline, frames=frames)


def _table(passage: Passage, frames: tuple[Frame, ...], renderer: Renderer) -> list[Block]:
    """The table, below its caption."""
    blocks = []
    caption = passage.node.find("caption")
    if caption is not None and not hidden.hides(cast("dict[str, str]", caption.attrib)):
        run = renderer.of_node(caption)
        if run.inline:
            blocks.append(
                Block(kind=Kind.PARAGRAPH, text=run.text, inline=run.inline, frames=frames)
            )
    plain: dict[str, str] = {}

    def shown(node: Node) -> str:
        run = renderer.of_node(node)
        plain[cell(run.inline)] = fold(run.text)
        return run.inline

    rows, header = grid(passage.node, shown)
    if rows:
        text = "\n".join("\t".join(plain.get(each, each) for each in row) for row in rows)
        blocks.append(Block(kind=Kind.TABLE, text=text, rows=rows, header=header, frames=frames))
    return blocks


def _lone_formula(passage: Passage) -> Node | None:
    """The displayed formula that a passage consists of, if it does."""
    marks = [piece for piece in passage.pieces if piece.__class__ is tuple and piece[0] == "math"]
    if len(marks) != 1 or passage.kind in {"h", "dt"}:
        return None
    node = marks[0][1]
    if formula.is_displayed(node) and formula.tex(node):
        return node if fold(formula.words(node)) == passage.text.rstrip(".,;") else None
    return None


def _says_only(frames: tuple[Frame, ...], text: str) -> bool:
    """Whether a paragraph only repeats what kind of callout it stands in."""
    return (
        bool(frames)
        and frames[-1].holder is Holder.CALLOUT
        and (text.strip(" :!.").lower() == frames[-1].label)
    )


class _Frames:
    """What boxes stand in, made once for each."""

    def __init__(self, passages: Sequence[Passage], notes: Footnotes) -> None:
        self._notes = notes.places
        self._known: dict[int, tuple[Frame, ...]] = {}
        self._numbers: dict[int, dict[Node, int | None]] = {}
        self._sizes: dict[int, int] = {}
        self._split: set[int] = set()  # boxes with headings: no item, but a part of the page
        for passage in passages:
            at: Box | None = passage.box
            while at is not None:
                self._sizes[id(at)] = self._sizes.get(id(at), 0) + len(passage.text)
                if passage.kind == "h" and at.tag != "blockquote":
                    self._split.add(id(at))
                at = at.parent

    def of(self, box: Box) -> tuple[Frame, ...]:
        pending = []
        at: Box | None = box
        while at is not None and id(at) not in self._known:
            pending.append(at)
            at = at.parent
        frames = self._known[id(at)] if at is not None else ()
        for one in reversed(pending):
            frame = self._frame(one)
            if frame is not None and len(frames) < _DEEPEST:
                frames = (*frames, frame)
            self._known[id(one)] = frames
        return frames

    def _frame(self, box: Box) -> Frame | None:
        mark = self._notes.get(box.node)
        if mark is not None:
            return Frame(Holder.FOOTNOTE, label=mark)
        if box.tag == "li":
            return self._item(box)
        if box.tag == "blockquote":
            return Frame(Holder.QUOTE)
        if box.tag == "dd":
            return Frame(Holder.DEFINITION)
        return self._callout(box) if box.tag in _CALLOUT_TAGS else None

    def _item(self, box: Box) -> Frame | None:
        if id(box) in self._split or self._sizes.get(id(box), 0) > _LONGEST_ITEM:
            return None
        parent = box.node.getparent()
        if parent is None or parent.tag not in _LISTS:
            return Frame(Holder.ITEM, group=parent)
        if parent.tag != "ol":
            return Frame(Holder.ITEM, group=parent)
        numbers = self._numbers.get(id(parent))
        if numbers is None:
            numbers = self._numbers[id(parent)] = _numbered(parent)
        return Frame(Holder.ITEM, group=parent, number=numbers.get(box.node, 1))

    def _callout(self, box: Box) -> Frame | None:
        classes = box.node.get("class")
        if not classes or self._sizes.get(id(box), 0) > _LONGEST_CALLOUT:
            return None
        if _CALLOUT.search(classes) is None:
            return None
        kind = _CALLOUT_TYPE.search(classes)
        return Frame(Holder.CALLOUT, label=kind[1]) if kind is not None else None


def _numbered(ordered: Node) -> dict[Node, int | None]:
    """The number of each item of an `ol`."""
    number = _integer(ordered.get("start"), 1)
    numbers: dict[Node, int | None] = {}
    for item in ordered.iterchildren("li"):
        number = _integer(item.get("value"), number)
        numbers[item] = number
        number += 1
    return numbers


def _integer(text: str | None, default: int) -> int:
    try:
        value = int(text) if text else default
    except ValueError:
        return default
    return value if 0 <= value <= _MOST_NUMBER else default
