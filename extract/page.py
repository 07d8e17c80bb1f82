"""A page in, a document out: decode, parse, walk, choose, assemble, render."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from extract import content, features
from extract.assemble import assemble
from extract.clues import Reader
from extract.decode import decode
from extract.inline import escape
from extract.islands import islands
from extract.markdown import render
from extract.metadata import metadata
from extract.model import Block, Document, Kind, Link
from extract.outline import outline
from extract.raw import BodyKind, file_format, sniff
from extract.tree import fold, parse
from extract.verdict import VerdictKind, judge_tree
from extract.walk import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extract.passages import Passage, Walk
    from extract.runs import Target
    from extract.tree import Node

_TAG = re.compile(r"<[a-zA-Z!/?]")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_TITLE_LEVELS = 2
"""Down to which level a heading that repeats the title is dropped."""
_THIN = 300.0
"""A page with less prose than this, about characters, may have its text in its data."""
_RICHER = 2.0
"""How many times the prose of the page its data must have to stand for it."""
_AS_IT_IS = frozenset({VerdictKind.CONTENT, VerdictKind.EMPTY})
"""Verdicts of a page whose text is its own; it may be as short as it likes."""
_LEAST_HEADING = 0.1
"""Probability from which a heading above chosen text belongs to it; swept 0 to 0.25. With all of
them S of wcxb-dev is 0.887 instead of 0.866 and aeb loses 0.0015 of F1, with these 0.0003."""


def extract(html: str | bytes, url: str = "", *, content_type: str | None = None) -> Document:
    """The main content of the page `html`, read at the final address `url`. Never raises.

    Args:
        html: The page as text, or as the bytes that came.
        url: What relative links are resolved against where the page sets no base.
        content_type: The header of that name, for the charset of bytes.
    """
    notes: list[str] = []
    file = file_format(html)
    if file:
        return _plain("", [f"a file and no page: {file}"])
    text = html
    if isinstance(html, bytes):
        decoded = decode(html, content_type)
        text = decoded.text
        notes.extend(decoded.notes)
    if _TAG.search(text) is None:  # type: ignore[arg-type]
        return _plain(str(text), notes)
    return extract_tree(parse(text), url, notes)


def extract_judged(html: bytes, url: str = "", status: int | None = None) -> Document:
    """As `extract`; a note says so where `judge` does not call a page with text content.

    Args:
        html: The page as the bytes that came.
        url: As for `extract`.
        status: The HTTP status, where it is known.
    """
    if sniff(html, "").kind is not BodyKind.MARKUP:
        return extract(html, url)
    decoded = decode(html)
    root = parse(decoded.text)
    verdict = judge_tree(root, url or None, status)
    document = extract_tree(root, url, decoded.notes)
    if verdict.kind in _AS_IT_IS or not document.blocks:
        return document
    note = f"judged to be no content: {verdict.kind} ({verdict.reasons[0]})"
    return replace(document, notes=(*document.notes, note))


def extract_tree(root: Node, url: str = "", notes: Sequence[str] = ()) -> Document:
    """As `extract`, of a page that is parsed; the tree is left as it is."""
    about = metadata(root, url)
    remarks = list(notes)
    page, chosen = _read(root, url, remarks)
    chosen = with_headings(page.passages, chosen)
    if page.boxes[0].prose < _THIN:
        page, chosen = _from_data(root, page, chosen, remarks)
    blocks, renderer = assemble(chosen, page.passages, about.base)
    blocks = titled(blocks, about.title)
    if not blocks:
        verdict = judge_tree(root, url)
        remarks.append(f"no text: {verdict.kind} ({verdict.reasons[0]})")
    return Document(
        title=about.title,
        byline=about.byline,
        published=about.published,
        language=about.language,
        canonical=about.canonical,
        blocks=blocks,
        markdown=render(blocks),
        outline=outline(blocks),
        links=_links(renderer.targets),
        notes=tuple(remarks),
    )


def titled(blocks: Sequence[Block], title: str) -> tuple[Block, ...]:
    """`blocks` with one heading of level 1, the page's title, before everything else.

    The first of level 1 is the title as it stands on the page; where there is none, a heading that
    says the same as `title` is, else `title` itself. Any other one of level 1 becomes one of 2.
    """
    if not blocks:
        return ()
    headings = [index for index, block in enumerate(blocks) if block.kind is Kind.HEADING]
    wanted = _bare(title)
    first = next((index for index in headings if blocks[index].level == 1), None)
    if first is None and wanted:
        first = next((index for index in headings if _bare(blocks[index].text) == wanted), None)
    if first is not None:
        head = replace(blocks[first], level=1, frames=())
    elif title:
        head = Block(kind=Kind.HEADING, text=title, inline=escape(title), level=1)
    else:
        return tuple(blocks)
    said = _bare(head.text)
    rest = [
        replace(block, level=2) if block.level == 1 else block
        for index, block in enumerate(blocks)
        if index != first
        and not (
            block.kind is Kind.HEADING
            and block.level <= _TITLE_LEVELS
            and _bare(block.text) == said
        )
    ]
    return (head, *rest)


def with_headings(everything: Sequence[Passage], chosen: Sequence[Passage]) -> list[Passage]:
    """`chosen` and those headings among `everything` that stand directly above chosen text.

    A heading alone tells little, but what is below it tells what it is: without it the text would
    be read as part of the section before. The one above the first text is not among them.
    """
    kept = {id(passage) for passage in chosen}
    first = chosen[0] if chosen else None
    result: list[Passage] = []
    is_below = False  # whether chosen text stands directly below
    for passage in reversed(everything):
        if id(passage) in kept:
            result.append(passage)
            is_below = is_below or passage.kind != "h"
            if passage is first:
                break
        elif not passage.text:
            continue
        elif passage.kind == "h" and is_below and passage.score >= _LEAST_HEADING:
            result.append(passage)
        else:
            is_below = False
    return result[::-1]


def _read(root: Node, url: str, remarks: list[str]) -> tuple[Walk, list[Passage]]:
    """The page's passages and the chosen ones of them."""
    reader = Reader(content.table().weights)
    host = _host(url)
    page = walk(root, reader)
    hidden = content.see(page) + page.unseen
    chosen = content.choose(page, reader, host)
    if page.left_out and page.boxes[0].prose < _THIN:
        whole = walk(root, reader, everything=True)
        also_hidden = content.see(whole) + whole.unseen
        if len(whole.passages) > len(page.passages):
            page, hidden = whole, also_hidden
            chosen = content.choose(page, reader, host)
    if hidden:
        remarks.append(f"{hidden} characters of hidden text were dropped")
    return page, chosen


def _from_data(
    root: Node, page: Walk, chosen: list[Passage], remarks: list[str]
) -> tuple[Walk, list[Passage]]:
    """The text that stands only in the page's data, where that is much more than it shows."""
    for island in islands(root):
        found = walk(parse(island.html), Reader({}))
        features.measure(found)
        if found.boxes[0].prose > max(_THIN, _RICHER * page.boxes[0].prose):
            remarks.append(f"the text stands only in the page's data ({island.source})")
            return found, found.passages
    return page, chosen


def _plain(text: str, notes: Sequence[str]) -> Document:
    """A text without any markup: its paragraphs."""
    paragraphs = [fold(part) for part in _PARAGRAPHS.split(text)]
    blocks = tuple(
        Block(kind=Kind.PARAGRAPH, text=part, inline=escape(part)) for part in paragraphs if part
    )
    return Document(
        title="", byline=None, published=None, language=None, canonical=None, blocks=blocks,
        markdown=render(blocks), outline=outline(blocks), links=(), notes=tuple(notes),
    )  # fmt: skip


def _links(targets: Sequence[Target]) -> tuple[Link, ...]:
    seen: dict[str, Link] = {}
    for target in targets:
        seen.setdefault(target.url, Link(text=target.text, url=target.url))
    return tuple(seen.values())


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:  # an address that is none, like "http://["
        return ""


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
