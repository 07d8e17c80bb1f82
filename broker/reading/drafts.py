"""What a page or file has become, before it is kept: text, blocks, and what it says of itself.

Pages come from `extract`; everything that is text already (Markdown, plain text, a reader's answer)
stays as it is and is only taken apart here, at its empty lines. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.reading.texts import Body, lines_view
from extract.markdown import render_with_spans
from extract.model import Block, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extract.model import Document

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(?:(?:[-*+]|\d{1,9}[.)]) {1,4})*(`{3,}|~{3,})[ \t]*([^\s`]*)")
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,300})\]\(<?(https?://[^\s)>]+)>?(?:\s+[\"'][^)\n]*)?\)")
_RULED = re.compile(r"[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-*:?[ \t]*")
_CELL = re.compile(r"((?:\\.|[^|\\])*)(?:\||\Z)")
"""A cell and what ends it; behind the last one it finds an empty one."""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS = re.compile(r"[*_`]+|\[([^\]]*)\]\([^)]*\)")
_FRONT = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_FACT = re.compile(
    r"^(title|author|date|lang)[ \t]*:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE
)
_MAX_LINKS = 2000
_LONGEST_TITLE = 300


@dataclass(frozen=True, slots=True)
class Ties:
    """What a walk over a site needs of a page beside its text."""

    hrefs: tuple[str, ...]
    """Every address that the page leads to, its menus included, each once."""
    anchors: tuple[tuple[str, int], ...]
    """(name of a place in the page, the heading it stands below: its number in the text)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A document that is not kept yet."""

    body: Body
    title: str = ""
    byline: str | None = None
    published: str | None = None
    lang: str | None = None
    canonical: str | None = None
    links: tuple[tuple[str, str], ...] = ()
    """(text, address), each address once."""
    notes: tuple[str, ...] = ()
    ties: Ties | None = None
    """Of web pages, where they are asked for."""

    @property
    def words(self) -> int:
        """Of the whole text."""
        return sum(section.words for section in self.body.sections)


def from_document(document: Document) -> Draft:
    """What `extract` has made of a page."""
    markdown, spans = render_with_spans(document.blocks)
    return Draft(
        body=Body(markdown, document.blocks, spans),
        title=document.title[:_LONGEST_TITLE],
        byline=document.byline,
        published=document.published,
        lang=document.language,
        canonical=document.canonical,
        links=tuple((link.text, link.url) for link in document.links),
        notes=document.notes,
    )


def from_markdown(text: str, *, title: str = "", notes: tuple[str, ...] = ()) -> Draft:
    """A text that is Markdown, or reads as if it were, as it is."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
    facts: dict[str, str] = {}
    front = _FRONT.match(text)
    if front is not None:
        facts = {name: value for name, value in _FRONT_FACT.findall(front[1]) if value}
        text = text[front.end() :].lstrip("\n")
    body = body_of(text)
    first = next((block.text for block in body.blocks if block.kind is Kind.HEADING), "")
    return Draft(
        body=body,
        title=(title or facts.get("title") or first)[:_LONGEST_TITLE],
        byline=facts.get("author"),
        published=facts.get("date"),
        lang=facts.get("lang"),
        links=_links(text),
        notes=notes,
    )


def from_code(text: str, language: str, *, title: str = "", notes: tuple[str, ...] = ()) -> Draft:
    """A text that is not prose (data, a program), as one block of code."""
    text = text.replace("\r\n", "\n").strip("\n").rstrip()
    if not text:
        return Draft(body=Body("", (), ()), title=title, notes=notes)
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    markdown = f"{fence}{language}\n{text}\n{fence}"
    block = Block(kind=Kind.CODE, text=text, language=language)
    return Draft(body=Body(markdown, (block,), ((0, len(markdown)),)), title=title, notes=notes)


def markup_body(markup: str) -> Body:
    """A page's markup as a text of lines."""
    view = lines_view(markup)
    blocks = tuple(Block(kind=Kind.CODE, text=markup[start:end]) for start, end in view.spans)
    return Body(markup, blocks, view.spans)


def body_of(markdown: str) -> Body:
    """Markdown taken apart into headings, code and runs of lines between empty ones."""
    blocks: list[Block] = []
    spans: list[tuple[int, int]] = []
    for start, end, block in _pieces(markdown):
        blocks.append(block)
        spans.append((start, end))
    return Body(markdown, tuple(blocks), tuple(spans))


def _pieces(markdown: str) -> Iterator[tuple[int, int, Block]]:
    lines = markdown.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    place = 0
    while place < len(lines):
        if not lines[place].strip():
            place += 1
            continue
        last, block = _piece(lines, place)
        yield starts[place], starts[last] - 1, block
        place = last


def _piece(lines: list[str], first: int) -> tuple[int, Block]:
    """The block that begins at line `first`, and the line behind it."""
    if (fence := _FENCE.match(lines[first])) is not None:
        return _code(lines, first, fence[1], fence[2])
    if (heading := _HEADING.fullmatch(lines[first])) is not None:
        return first + 1, _heading(heading[2], len(heading[1]))
    last = first + 1
    while last < len(lines) and lines[last].strip() and not _begins(lines[last]):
        if last == first + 1 and (under := _UNDERLINE.fullmatch(lines[last])) is not None:
            return last + 1, _heading(lines[first].strip(), 1 if under[1][0] == "=" else 2)
        last += 1
    text = "\n".join(lines[first:last])
    if text.lstrip().startswith("|"):
        return last, _table(lines[first:last], text)
    return last, Block(kind=Kind.PARAGRAPH, text=text, inline=text)


def _table(lines: list[str], text: str) -> Block:
    """A table of pipes; without the line below its header it is just lines that begin with one."""
    if len(lines) < 2 or _RULED.fullmatch(lines[1]) is None:  # noqa: PLR2004
        return Block(kind=Kind.TABLE, text=text, inline=text)
    rows = [
        [cell.strip() for cell in _CELL.findall(line.strip().removeprefix("|"))[:-1]]
        for line in (lines[0], *lines[2:])
    ]
    width = max(map(len, rows))
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    shown = "\n".join("\t".join(map(_bare, row)) for row in rows)
    return Block(kind=Kind.TABLE, text=shown, rows=tuple(map(tuple, rows)), header=True)


def _bare(cell: str) -> str:
    """A cell as text."""
    return _ESCAPED.sub(r"\1", cell.replace("<br>", " "))


def _begins(line: str) -> bool:
    return _HEADING.fullmatch(line) is not None or _FENCE.match(line) is not None


def _code(lines: list[str], first: int, fence: str, language: str) -> tuple[int, Block]:
    last = first + 1
    while last < len(lines):
        closing = lines[last].strip()
        if closing.startswith(fence) and not closing.strip(fence[0]):
            break
        last += 1
    text = "\n".join(lines[first + 1 : last])
    return min(last + 1, len(lines)), Block(kind=Kind.CODE, text=text, language=language.lower())


def _heading(text: str, level: int) -> Block:
    shown = " ".join(_MARKS.sub(lambda mark: mark[1] or "", text).split())
    return Block(kind=Kind.HEADING, text=shown or text.strip(), inline=text, level=level)


def _links(text: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for match in _LINK.finditer(text):
        found.setdefault(match[2], match[1])
        if len(found) >= _MAX_LINKS:
            break
    return tuple((name, url) for url, name in found.items())
