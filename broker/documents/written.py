"""What a word processor's file says, as blocks: runs become lines, lines of code one block.

`odt` and `docx` tell a `Writer` what stands in the file, in its order: the formats differ in how
they write it down, not in what it becomes.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from broker.documents.tabular import may_be_filled
from extract.fragment import lowered
from extract.inline import BREAK, EMPHASIS, STRIKE, STRONG, cell, code_span, escape, join, link
from extract.markdown import render
from extract.model import Block, Frame, Holder, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

TITLE = 0
"""The level of the heading that stands above all others."""
_DEEPEST = 6
_LEADS_OUT = re.compile(r"(?:https?|ftp|mailto):", re.IGNORECASE)
_CODE_STYLE = re.compile(
    r"\b(?:source ?(?:code|text)|preformatted|verbatim|macro text|listing|code)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Look:
    """How letters are set, as far as that says something."""

    bold: bool = False
    italic: bool = False
    struck: bool = False
    code: bool = False
    raised: str = ""
    """`sup` or `sub`."""


PLAIN = Look()


@dataclass(frozen=True, slots=True)
class Run:
    """Letters of one look."""

    text: str
    """A line feed in it is a line's end."""
    look: Look = PLAIN
    url: str = ""
    is_markdown: bool = False
    """Whether it is Markdown already: a footnote's mark, a formula."""


def is_code_style(name: str) -> bool:
    """Whether a style of that name is made for code."""
    return _CODE_STYLE.search(name.replace("_20_", " ").replace("_", " ")) is not None


class Writer:
    """Blocks under way.

    Args:
        frames: what they stand in; whoever writes changes them as lists begin and end.
        notes: the footnotes so far, where they are another writer's.
    """

    def __init__(
        self, frames: tuple[Frame, ...] = (), notes: list[Sequence[Block]] | None = None
    ) -> None:
        self.blocks: list[Block] = []
        self.frames = frames
        self.dropped: Counter[str] = Counter()
        """What was left out on purpose, by name."""
        self._notes: list[Sequence[Block]] = [] if notes is None else notes
        self._title: int | None = None

    def heading(self, level: int, runs: Sequence[Run]) -> None:
        """A heading; `TITLE` is above level 1. It stands in no list, whatever the file says."""
        inline = line(replace(run, look=replace(run.look, bold=False)) for run in runs)
        if not inline:
            return
        if level == TITLE and self._title is None:
            self._title = len(self.blocks)
        level = min(_DEEPEST, max(1, level))
        block = Block(kind=Kind.HEADING, text=_folded(runs), inline=inline, level=level)
        self.blocks.append(block)

    def paragraph(self, runs: Sequence[Run]) -> None:
        """A paragraph. One that holds nothing but letters of code is lines of code.

        An empty one is an empty line, if there is code before it; it may be set in any letters.
        """
        if all(run.look.code for run in runs if _is_said(run)):
            self.code("".join(run.text for run in runs))
        elif (tex := _only_formula(runs)) is not None:
            self._put(Block(kind=Kind.MATH, text=tex))
        elif inline := line(runs):
            self._put(Block(kind=Kind.PARAGRAPH, text=_folded(runs), inline=inline))

    def quotation(self, runs: Sequence[Run]) -> None:
        """A paragraph of a quotation; it goes on the one that was written last."""
        outer, last = self.frames, self.blocks[-1] if self.blocks else None
        frame = Frame(Holder.QUOTE)
        if last is not None and last.frames[:-1] == outer and last.frames:
            frame = last.frames[-1] if last.frames[-1].holder is Holder.QUOTE else frame
        self.frames = (*outer, frame)
        self.paragraph(runs)
        self.frames = outer

    def code(self, text: str) -> None:
        """One or more lines of code; what is written behind each other is one block in the end."""
        if text.strip() or (self.blocks and self.blocks[-1].kind is Kind.CODE):
            self._put(Block(kind=Kind.CODE, text=text))

    def cell(self) -> Writer:
        """A writer of what stands in a table's cell."""
        return Writer(notes=self._notes)

    def table(self, rows: Sequence[Sequence[Writer]]) -> None:
        """A table of such cells.

        One of a single row or column only arranges what stands in it, and so does one whose rows
        are so uneven that filling them up would make much of little.
        """
        for row in rows:
            for each in row:
                self.dropped += each.dropped
        width = max(map(len, rows), default=0)
        if len(rows) < 2 or width < 2 or not may_be_filled(width, rows):  # noqa: PLR2004
            for block in (block for row in rows for each in row for block in each.blocks):
                self._put(replace(block, frames=(*self.frames, *block.frames)), placed=True)
            return
        full = tuple(
            (*(_cell(each.blocks) for each in row), *[""] * (width - len(row))) for row in rows
        )
        if any(map(any, full)):
            text = "\n".join("\t".join(row) for row in full)
            self._put(Block(kind=Kind.TABLE, text=text, rows=full, header=True))

    def note(self, tell: Callable[[Writer], None]) -> Run:
        """A footnote, whose text `tell` writes; returns the mark that refers to it."""
        mark = str(len(self._notes) + 1)
        self._notes.append(())
        inner = Writer((Frame(Holder.FOOTNOTE, label=mark),), self._notes)
        tell(inner)
        self._notes[int(mark) - 1] = inner.blocks
        self.dropped += inner.dropped
        return Run(f"[^{mark}]", is_markdown=True)

    def markdown(self) -> str:
        """All of it, other headings below the title, footnotes last."""
        blocks = self.blocks
        if self._title is not None:
            behind = self._title + 1
            blocks = [*blocks[:behind], *lowered(blocks[behind:], 1)]
        notes = (block for note in self._notes for block in note)
        return render(list(_joined((*blocks, *notes))))

    def told(self) -> list[str]:
        """A note on each kind of thing that was left out."""
        return [f"{what} are left out ({count})" for what, count in sorted(self.dropped.items())]

    def _put(self, block: Block, *, placed: bool = False) -> None:
        self.blocks.append(block if placed else replace(block, frames=self.frames))


def line(runs: Iterable[Run]) -> str:
    """Runs as one line of inline Markdown."""
    pieces: list[str] = []
    for url, linked in groupby(_merged(runs), key=lambda run: run.url):
        inner = [piece for run in linked for piece in _pieces(run)]
        pieces += [link(join(inner), url)] if _LEADS_OUT.match(url) else inner
    return join(pieces)


def _merged(runs: Iterable[Run]) -> Iterator[Run]:
    """Runs, neighbours of one look as one: programs cut words anywhere."""
    for (look, url, is_markdown), alike in groupby(
        runs, key=lambda run: (run.look, run.url, run.is_markdown)
    ):
        yield Run("".join(run.text for run in alike), look, url, is_markdown)


def _pieces(run: Run) -> list[str]:
    if run.is_markdown:
        return [run.text]
    look = run.look
    if look.code and run.text.strip():
        return _spaced(run.text, code_span(run.text.strip()))
    pieces: list[str] = []
    for number, part in enumerate(run.text.split("\n")):
        pieces += [BREAK] if number else []
        pieces.append(escape(re.sub(r"\s+", " ", part)))
    if look.raised:
        said = [piece for piece in pieces if piece.strip()]
        pieces = [f"<{look.raised}>", *pieces, f"</{look.raised}>"] if said else pieces
    for on, mark in ((look.struck, STRIKE), (look.italic, EMPHASIS), (look.bold, STRONG)):
        pieces = [mark, *pieces, mark] if on else pieces
    return pieces


def _spaced(text: str, inner: str) -> list[str]:
    """`inner` between the spaces that `text` begins and ends with."""
    return [" " * text[0].isspace(), inner, " " * text[-1].isspace()]


def _is_said(run: Run) -> bool:
    return run.is_markdown or bool(run.text.strip())


def _only_formula(runs: Sequence[Run]) -> str | None:
    """The TeX of a paragraph that is a formula."""
    said = [run for run in runs if _is_said(run)]
    if len(said) == 1 and said[0].is_markdown and said[0].text.startswith("$"):
        return said[0].text.strip("$")
    return None


def _folded(runs: Sequence[Run]) -> str:
    return " ".join("".join(run.text for run in runs if not run.is_markdown).split())


def _cell(blocks: Sequence[Block]) -> str:
    """What stands in a cell, on one line."""
    lines: list[str] = []
    for block in blocks:
        items = [frame for frame in block.frames if frame.holder is Holder.ITEM]
        mark = ""
        if items:
            mark = "- " if items[-1].number is None else f"{items[-1].number}. "
        if block.kind is Kind.TABLE:
            lines += [" ".join(filter(None, row)) for row in block.rows]
        elif block.kind is Kind.CODE:
            lines += [cell(code_span(text.strip())) for text in block.text.split("\n") if text]
        elif block.kind is Kind.MATH:
            lines.append(cell(f"${block.text}$"))
        else:
            lines.append(mark + cell(block.inline))
    return "<br>".join(filter(None, lines))


def _joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks, lines of code that follow each other as one, without spaces and lines at its ends."""
    for (is_code, frames), alike in groupby(
        blocks, key=lambda block: (block.kind is Kind.CODE, block.frames)
    ):
        if not is_code:
            yield from alike
            continue
        lines = (line.rstrip() for block in alike for line in block.text.split("\n"))
        yield Block(kind=Kind.CODE, text="\n".join(lines).strip("\n"), frames=frames)
