"""The long Articles of X: Draft.js content, whose ranges count UTF-16 units."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from broker.providers.answers import address_of, number_of, record, text_of
from broker.sites.blocks import heading, linked, paragraph, plain
from broker.sites.fxtwitter_post import number_in, post_url
from broker.sites.replies import objects
from extract.inline import EMPHASIS, STRIKE, STRONG, code_span, image, link
from extract.model import Block, Frame, Holder, Kind
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    Fields = Mapping[str, object]

_HEADINGS = {
    "header-one": 2, "header-two": 3, "header-three": 4, "header-four": 5, "header-five": 6,
    "header-six": 6,
}  # fmt: skip
"""The Article's title is the one of level 1."""
_ITEMS = {"unordered-list-item": False, "ordered-list-item": True}
_MARKS = {"bold": STRONG, "italic": EMPHASIS, "strikethrough": STRIKE}
_CODE = "code"
_MOST_DEPTH = 6
_MOST_RANGES = 1_000
"""Links and marks of one paragraph that are shown."""
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*")


class _Range(NamedTuple):
    """A part of a text, in UTF-16 units."""

    start: int
    end: int
    what: str
    """A mark, `code`, or the address of a link."""


def article_blocks(article: Fields, warnings: list[str]) -> tuple[Block, ...]:
    """The whole Article below its title; what cannot be shown is told in `warnings`."""
    content = record(article.get("content"))
    writer = _Writer(content, _pictures(article))
    blocks: list[Block] = []
    cover = _picture_url(record(record(article.get("cover_media")).get("media_info")))
    if cover:
        blocks.append(paragraph(image("Cover", cover)))
    for block in objects(content.get("blocks")):
        blocks += writer.block(block)
    if not any(block.text for block in blocks):
        preview = text_of(article, "preview_text")
        blocks += (paragraph(*linked(preview)),) if preview else ()
        warnings.append("of the Article only the beginning is known")
    if writer.unknown:
        named_kinds = ", ".join(sorted(writer.unknown))
        warnings.append(f"parts of the Article are of an unknown kind: {named_kinds}")
    return tuple(blocks)


class _Writer:
    """One pass over an Article's blocks."""

    def __init__(self, content: Fields, pictures: Mapping[str, str]) -> None:
        self._entities = _entities(content)
        self._pictures = pictures
        self._frames: list[Frame] = []  # of the list that is open
        self.unknown: set[str] = set()

    def block(self, block: Fields) -> tuple[Block, ...]:
        kind, text = text_of(block, "type"), text_of(block, "text")
        if kind in _ITEMS:
            return self._item(block, text, kind)
        self._frames = []
        if kind == "atomic":
            return self._atomic(block)
        if kind in _HEADINGS:
            return (heading(text, _HEADINGS[kind]),) if fold(text) else ()
        if kind == "code-block":
            return (Block(kind=Kind.CODE, text=text),) if text.strip() else ()
        frames = (Frame(Holder.QUOTE),) if kind == "blockquote" else ()
        return (paragraph(*self._inline(block, text), frames=frames),) if text.strip() else ()

    def _item(self, block: Fields, text: str, kind: str) -> tuple[Block, ...]:
        """An item of a list; lists go on as long as nothing else comes between."""
        wanted = max(0, int(number_of(block, "depth") or 0))
        depth = min(wanted, _MOST_DEPTH, len(self._frames))
        before = self._frames[depth] if depth < len(self._frames) else None
        del self._frames[depth:]
        ordered = _ITEMS[kind]
        goes_on = before is not None and (before.number is not None) == ordered
        group = before.group if before is not None and goes_on else object()
        last = before.number if before is not None and goes_on and before.number else 0
        number = last + 1 if ordered else None
        self._frames.append(Frame(Holder.ITEM, group=group, number=number))
        return (paragraph(*self._inline(block, text), frames=tuple(self._frames)),)

    def _atomic(self, block: Fields) -> tuple[Block, ...]:
        """What stands in the text and is none: its entity says what."""
        blocks: list[Block] = []
        for used in objects(block.get("entityRanges")):
            entity = self._entities.get(_key(used.get("key")), {})
            blocks += self._entity(text_of(entity, "type").upper(), record(entity.get("data")))
        return tuple(blocks)

    def _entity(self, kind: str, data: Fields) -> tuple[Block, ...]:
        match kind:
            case "MEDIA" | "IMAGE":
                return self._media(data)
            case "DIVIDER":
                return (Block(kind=Kind.RULE, text=""),)
            case "MARKDOWN":
                return _markdown(text_of(data, "markdown", "text"))
            case "LATEX":
                return (Block(kind=Kind.MATH, text=text_of(data, "latex", "latexCode", "text")),)
            case "TWEET":
                url = post_url(number_in(data, "tweetId", "tweet_id", "id"))
            case "LINK":
                url = address_of(data, "url")
            case _:
                self.unknown.add(kind or "no name")
                url = ""
        return (paragraph(*linked(url)),) if url else ()

    def _media(self, data: Fields) -> tuple[Block, ...]:
        blocks = []
        caption = fold(text_of(data, "caption"))
        for each in objects(data.get("mediaItems")) or [data]:
            number = number_in(each, "mediaId", "media_id", "id")
            url = self._pictures.get(number, "")
            if url:
                blocks.append(paragraph(image(caption or "Picture", url)))
        return tuple(blocks)

    def _inline(self, block: Fields, text: str) -> tuple[str, ...]:
        """A block's text with its links and marks."""
        ranges = [*self._links(block), *_styles(block)][:_MOST_RANGES]
        units = text.encode("utf-16-le", "surrogatepass")
        size = len(units) // 2
        edges = {0, size}
        for each in ranges:
            edges |= {min(max(each.start, 0), size), min(max(each.end, 0), size)}
        pieces: list[str] = []
        waiting = sorted(ranges, key=lambda each: each.start, reverse=True)
        over: list[
            _Range
        ] = []  # those that have begun and not ended: each is looked at while it is
        for start, end in pairwise(sorted(edges)):
            while waiting and waiting[-1].start <= start:
                over.append(waiting.pop())
            over = [each for each in over if end <= each.end]
            part = units[2 * start : 2 * end].decode("utf-16-le", "replace")
            pieces += _marked(part, {each.what for each in over})
        return tuple(pieces)

    def _links(self, block: Fields) -> list[_Range]:
        found = []
        for used in objects(block.get("entityRanges")):
            entity = self._entities.get(_key(used.get("key")), {})
            url = address_of(record(entity.get("data")), "url")
            if url:
                found.append(_range(used, url))
        return found


def _marked(part: str, over: set[str]) -> list[str]:
    """A stretch of text below `over`: marks, `code`, the address of a link."""
    marks = [mark for mark in _MARKS.values() if mark in over]
    url = next((each for each in over if each.startswith("http")), "")
    if not url and _CODE not in over:
        return [*marks, *linked(part), *reversed(marks)]
    inner = code_span(fold(part)) if _CODE in over else plain(part)
    return [*marks, link(inner, url) if url else inner, *reversed(marks)]


def _styles(block: Fields) -> list[_Range]:
    found = []
    for each in objects(block.get("inlineStyleRanges")):
        style = text_of(each, "style").lower()
        mark = _MARKS.get(style, _CODE if style == _CODE else "")
        if mark:
            found.append(_range(each, mark))
    return found


def _range(fields: Fields, what: str) -> _Range:
    start = int(number_of(fields, "offset") or 0)
    return _Range(start, start + int(number_of(fields, "length") or 0), what)


def _entities(content: Fields) -> dict[str, Fields]:
    """Entities by their keys; the map is a list of pairs, and was an object once."""
    value = content.get("entityMap")
    if isinstance(value, dict):
        return {str(key): record(each) for key, each in value.items()}
    pairs = objects(content.get("entityMap"))
    return {
        _key(pair.get("key", place)): record(pair.get("value")) for place, pair in enumerate(pairs)
    }


def _key(value: object) -> str:
    return str(value) if isinstance(value, int | str) else ""


def _pictures(article: Fields) -> dict[str, str]:
    """Addresses of the Article's pictures by number."""
    found = {}
    for each in objects(article.get("media_entities")):
        url = _picture_url(record(each.get("media_info")))
        number = number_in(each, "media_id", "id", "id_str")
        if url and number:
            found[number] = url
    return found


def _picture_url(info: Fields) -> str:
    preview = record(info.get("preview_image"))
    return address_of(info, "original_img_url") or address_of(preview, "original_img_url")


def _markdown(text: str) -> tuple[Block, ...]:
    """What an author wrote as Markdown, mostly code: kept as it is, and apart from ours."""
    if not text.strip():
        return ()
    first, *lines = text.strip().split("\n")
    fence = _FENCE.fullmatch(first)
    ends = [at for at, each in enumerate(lines) if fence and _closes(each, fence[1])]
    if fence is None or ends != [len(lines) - 1]:
        return (Block(kind=Kind.CODE, text=text.strip("\n"), language="markdown"),)
    return (Block(kind=Kind.CODE, text="\n".join(lines[:-1]), language=fence[2].lower()),)


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return bare.startswith(fence) and not bare.strip(fence[0])
