"""Block lists for tests, written or drawn at random, and Markdown read back by another reader.

Both sides come in the same notation: a list of `Seen` leaves, each with the containers it stands
in, which are numbered in the order in which leaves show them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from markdown_it import MarkdownIt

from extract.inline import STRONG, code_span, escape, join, link
from extract.inline import cell as table_cell
from extract.model import Block, Frame, Holder, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

READER = MarkdownIt("commonmark").enable("table").enable("strikethrough")
READER.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005

TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\x1c\x1d\x1e\x1f\x85")
)
"""Any text that HTML can hold; separators of records and the like are left out."""

LIVELY = st.text(
    st.sampled_from("ab1 .!*_`~[]()<>&;#+-=|:\\\"'/\n\té中。"), min_size=1, max_size=12
)
"""Text that is full of what Markdown reads as markup."""


def fold(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class Seen:
    """A leaf as its reader sees it."""

    kind: str
    text: str
    path: tuple[str, ...]


def paragraph(text: str, *frames: Frame) -> Block:
    return Block(kind=Kind.PARAGRAPH, text=text, inline=join([escape(fold(text))]), frames=frames)


def heading(text: str, level: int, *frames: Frame) -> Block:
    inline = join([escape(fold(text))])
    return Block(kind=Kind.HEADING, text=fold(text), inline=inline, level=level, frames=frames)


def code(text: str, *frames: Frame, language: str = "") -> Block:
    return Block(kind=Kind.CODE, text=text, language=language, frames=frames)


def table(*rows: Sequence[str], header: bool = True, frames: tuple[Frame, ...] = ()) -> Block:
    text = "\n".join("\t".join(row) for row in rows)
    cells = tuple(tuple(table_cell(escape(fold(cell))) for cell in row) for row in rows)
    return Block(kind=Kind.TABLE, text=text, rows=cells, header=header, frames=frames)


def term(text: str, *frames: Frame) -> Block:
    return Block(kind=Kind.TERM, text=text, inline=join([escape(fold(text))]), frames=frames)


def rule(*frames: Frame) -> Block:
    return Block(kind=Kind.RULE, text="", frames=frames)


def bullets(count: int) -> list[Frame]:
    group = object()
    return [Frame(Holder.ITEM, group) for _ in range(count)]


def numbers(start: int, count: int) -> list[Frame]:
    group = object()
    return [Frame(Holder.ITEM, group, number) for number in range(start, start + count)]


@st.composite
def _inline(draw: st.DrawFn) -> tuple[str, str]:
    """Plain text, and the same as inline Markdown."""
    plain: list[str] = []
    pieces: list[str] = []
    for raw in draw(st.lists(LIVELY | TEXT.map(lambda text: text[:20]), min_size=1, max_size=3)):
        text = fold(raw)
        form = draw(st.sampled_from(["text", "text", "code", "strong", "link"]))
        made = {
            "text": [escape(text)],
            "code": [code_span(text)],
            "strong": [STRONG, escape(text), STRONG],
            "link": [link(escape(text), "http://example.org/a_(b)")],
        }[form]
        plain += [text, " "]
        pieces += [*made, " "]
    return fold("".join(plain)), join(pieces)


class _Draft:
    """Draws a tree of blocks, and writes down what a reader should see of each as it goes."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.blocks: list[Block] = []
        self.leaves: list[tuple[str, str, tuple[_Box, ...]]] = []
        self._draw = draw
        self._boxes: tuple[_Box, ...] = ()
        self._marks: list[tuple[Frame, str, tuple[_Box, ...]]] = []
        """Of frames in which nothing has been shown yet."""
        self._term: tuple[Frame, ...] | None = None
        """Where the last leaf is a term."""

    def fill(self, frames: tuple[Frame, ...]) -> None:
        kinds = ["paragraph", "paragraph", "heading", "code", "table", "rule"]
        if len(frames) < 4:
            kinds += ["quote", "bullets", "numbers", "bullets", "callout", "terms", "footnote"]
        for _ in range(self._draw(st.integers(1, 3))):
            getattr(self, f"_{self._draw(st.sampled_from(kinds))}")(frames)

    def _show(self, block: Block, tag: str, text: str) -> None:
        self.blocks.append(block)
        if not text and tag not in ("hr", "table") and not tag.startswith("fence"):
            return
        for frame, mark, boxes in self._marks:
            if tag == "p" and block.kind is Kind.PARAGRAPH and frame is block.frames[-1]:
                text = f"{mark} {text}"
            elif frame.holder is not Holder.DEFINITION:
                self.leaves.append(("p", mark, boxes))
                self._term = None
        explains = block.kind is Kind.PARAGRAPH and bool(self._marks) and text.startswith(": ")
        goes_on = block.frames[:-1] if explains else block.frames
        if self._term == goes_on and (explains or block.kind is Kind.TERM):
            text = f"{self.leaves.pop()[1]} {text}"
        self._marks.clear()
        self.leaves.append((tag, text, self._boxes))
        self._term = block.frames if block.kind is Kind.TERM else None

    def _within(self, frames: tuple[Frame, ...], frame: Frame, mark: str, *boxes: _Box) -> None:
        outside = self._boxes
        self._boxes = (*outside, *boxes)
        if mark:
            self._marks.append((frame, mark, self._boxes))
        self.fill((*frames, frame))
        self._marks = [known for known in self._marks if known[0] is not frame]
        self._boxes = outside

    def _written(self, kind: Kind, frames: tuple[Frame, ...], level: int = 0) -> None:
        text, inline = self._draw(_inline())
        block = Block(kind=kind, text=text, inline=inline, level=level, frames=frames)
        self._show(block, f"h{level}" if level else "p", text)

    def _paragraph(self, frames: tuple[Frame, ...]) -> None:
        self._written(Kind.PARAGRAPH, frames)

    def _heading(self, frames: tuple[Frame, ...]) -> None:
        self._written(Kind.HEADING, frames, self._draw(st.integers(1, 6)))

    def _code(self, frames: tuple[Frame, ...]) -> None:
        text = self._draw(LIVELY | TEXT)
        language = self._draw(st.sampled_from(["", "c++", "py"]))
        block = code(text, *frames, language=language)
        self._show(block, f"fence {language}", text and f"{text}\n")

    def _table(self, frames: tuple[Frame, ...]) -> None:
        width = self._draw(st.integers(1, 3))
        row = st.lists(LIVELY | st.just(""), min_size=width, max_size=width)
        rows = self._draw(st.lists(row, min_size=1, max_size=3))
        header = self._draw(st.booleans())
        shown = [[fold(cell) for cell in row] for row in rows]
        if not header:
            shown.insert(0, [""] * width)
        text = "\n".join("\t".join(row) for row in shown)
        self._show(table(*rows, header=header, frames=frames), "table", text)

    def _rule(self, frames: tuple[Frame, ...]) -> None:
        self._show(rule(*frames), "hr", "")

    def _quote(self, frames: tuple[Frame, ...]) -> None:
        self._within(frames, Frame(Holder.QUOTE), "", _Box("blockquote"))

    def _callout(self, frames: tuple[Frame, ...]) -> None:
        frame = Frame(Holder.CALLOUT, label="tip")
        self._within(frames, frame, "[!TIP]", _Box("blockquote"))

    def _footnote(self, frames: tuple[Frame, ...]) -> None:
        self._within(frames, Frame(Holder.FOOTNOTE, label="1"), "[^1]:")

    def _terms(self, frames: tuple[Frame, ...]) -> None:
        self._written(Kind.TERM, frames)
        self._within(frames, Frame(Holder.DEFINITION), ":")

    def _bullets(self, frames: tuple[Frame, ...]) -> None:
        box = _Box("bullet_list")
        for frame in bullets(self._draw(st.integers(1, 3))):
            self._within(frames, frame, "", box, _Box("list_item"))

    def _numbers(self, frames: tuple[Frame, ...]) -> None:
        box = _Box("ordered_list")
        start = self._draw(st.sampled_from([0, 1, 1, 7, 10]))
        for frame in numbers(start, self._draw(st.integers(1, 3))):
            self._within(frames, frame, "", box, _Box("list_item"))


@st.composite
def block_lists(draw: st.DrawFn) -> tuple[list[Block], list[Seen]]:
    """Blocks of all kinds, nested up to four frames deep, with text that is hard to escape; and
    what a reader of their Markdown should see."""
    draft = _Draft(draw)
    draft.fill(())
    return draft.blocks, _numbered(draft.leaves)


def read(markdown: str) -> list[Seen]:
    """What a CommonMark reader sees in `markdown`."""
    leaves: list[tuple[str, str, tuple[_Box, ...]]] = []
    boxes: list[_Box] = []
    rows: list[list[str]] = []
    tokens = READER.parse(markdown)
    for token, before in zip(tokens, [None, *tokens], strict=False):
        name = token.type.removesuffix("_open")
        if name in _BOXES:
            boxes.append(_Box(name))
        elif name.removesuffix("_close") in _BOXES:
            boxes.pop()
        elif name in ("fence", "code_block", "html_block"):
            leaves.append((f"{name} {token.info}", token.content, tuple(boxes)))
        elif name == "hr":
            leaves.append(("hr", "", tuple(boxes)))
        elif name == "tr":
            rows.append([])
        elif name == "table_close":
            leaves.append(("table", "\n".join(map("\t".join, rows)), tuple(boxes)))
            rows = []
        elif name == "inline" and rows:
            rows[-1].append(shown(token))
        elif name == "inline" and before is not None:
            leaves.append((before.tag, shown(token), tuple(boxes)))
    return _numbered(leaves)


def targets(markdown: str) -> list[str]:
    """Where the links of `markdown` lead."""
    return [
        str(child.attrGet("href"))
        for token in READER.parse(markdown)
        for child in token.children or ()
        if child.type == "link_open"
    ]


def shown(token: Token) -> str:
    """What a person sees of an inline token, white space folded."""
    texts = {"softbreak": "\n", "hardbreak": "\n"}
    tags = {"<br>": "\n"}
    return fold(
        "".join(
            tags.get(child.content, "")
            if child.type == "html_inline"
            else texts.get(child.type, child.content)
            for child in token.children or ()
        )
    )


_BOXES = frozenset({"bullet_list", "ordered_list", "list_item", "blockquote"})


@dataclass(frozen=True, eq=False)
class _Box:
    name: str


def _numbered(leaves: list[tuple[str, str, tuple[_Box, ...]]]) -> list[Seen]:
    numbers: dict[_Box, int] = {}
    return [
        Seen(
            kind, text, tuple(f"{box.name} {numbers.setdefault(box, len(numbers))}" for box in path)
        )
        for kind, text, path in leaves
    ]
