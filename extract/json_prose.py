"""The prose in a page's data: which strings of a JSON value are text for people.

A value is walked once, in order. What is found is grouped by its path, list indexes and ids left
out, so that the posts of a thread or the blocks of an article come together; the group with the
most text is the likeliest to be the page. Keys speak: `body` for it, `footer` against it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from extract.json_data import Json, loads
from extract.richtext import is_rich_text, render

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST_CHARS = 140
"""Shorter texts are labels, summaries and messages."""

_LEAST_WORDS = 16
_MOST_VALUES = 300_000
_LONGEST_WORDS = 13
_DENSE_CHARS_WEIGH = 3
_CODE_SHARE = 0.02
_LETTER_SHARE = 0.7
_PATH_DEPTH = 40

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>")
_MARKUP = re.compile(
    r"<(?:p|br|div|h[1-6]|ul|ol|li|blockquote|pre|span|strong|em|a)\b[^<>]*>", re.IGNORECASE
)
_ENTITY_MARKUP = re.compile(r"&lt;/?(?:p|div|br|span|h\d|li)\b", re.IGNORECASE)
_DENSE = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CODE_SIGNS = re.compile(r"[{}=;<>\\$|^~]|::|\(\)|=>|https?:")
_LETTERS = re.compile(r"[^\W\d_]+")
_ID = re.compile(r"\d|[:/.$]|^.{25,}$")

_CONTENT_KEYS = re.compile(
    r"(?i)article|body|content|html|cooked|markup|story|post|text|descr|answer|question"
    r"|comment|message|markdown|rich|paragraph|block|section|transcrib|transcripts?$|lyrics|recipe|chapter"
)
_OTHER_KEYS = re.compile(
    r"(?i)foot|nav|menu|header|banner|terms|disclaimer|related|recommend|promo|advert|newsletter"
    r"|subscri|sidebar|meta|seo|bio$|excerpt|summary|teaser|preview|template|categor|alert|notice"
    r"|modal"
)
_MACHINE_KEYS = re.compile(
    r"(?i)cookie|consent|privacy|gdpr|legal|i18n|intl|translation|locale|messages|labels|strings"
    r"|dictionary|phrase|a11y|accessib|style|css|scripts?$|svg|license|error|config|settings|tooltip"
    r"|placeholder|compiled|experiment|tracking"
)
"""Below these stand the words of the interface, not those of the page."""
_CONTENT_WEIGHT, _OTHER_WEIGHT = 1.5, 0.15


@dataclass(frozen=True, slots=True)
class Prose:
    """Text of one path in a JSON value."""

    html: str
    weight: float
    """Its characters of text (one of CJK or Thai counts as three), times what its keys say."""


def find(value: Json) -> list[Prose]:
    """The prose of `value` as markup, the likeliest first; nothing shorter than 140 characters."""
    groups: dict[tuple[str, ...], list[str]] = {}
    prose_paths: set[tuple[str, ...]] = set()
    for path, html, prose in _pieces(value):
        # Beside prose, short texts are posts and paragraphs too; without a key nothing says so.
        if (prose or path) and not any(map(_MACHINE_KEYS.search, path)):
            groups.setdefault(path, []).append(html)
            if prose:
                prose_paths.add(path)
    found = [
        _prose(path, list(dict.fromkeys(pieces)))
        for path, pieces in groups.items()
        if path in prose_paths
    ]
    return sorted(
        (prose for prose in found if prose.weight >= LEAST_CHARS * _OTHER_WEIGHT**2),
        key=lambda prose: -prose.weight,
    )


def as_html(text: str) -> str:
    """`text` as markup: unchanged where it is that already, else its paragraphs and headings."""
    if _MARKUP.search(text):
        return text
    if _ENTITY_MARKUP.search(text):
        return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    return "".join(_plain_blocks(text))


def weigh(html: str) -> int:
    """The characters of text in `html`; one of CJK or Thai counts as three."""
    text = " ".join(_TAG.sub(" ", html).split())
    return len(text) + (_DENSE_CHARS_WEIGH - 1) * len(_DENSE.findall(text))


def is_prose(text: str) -> bool:
    """Whether `text`, plain or markup, is written for people: sentences, not code or data."""
    if len(text) < LEAST_CHARS // _DENSE_CHARS_WEIGH:
        return False
    bare = _TAG.sub(" ", text)
    if weigh(bare) < LEAST_CHARS:
        return False
    bare = " ".join(bare.split())
    if len(_CODE_SIGNS.findall(bare)) > _CODE_SHARE * len(bare):
        return False
    if 2 * len(_DENSE.findall(bare)) > len(bare):
        return True
    words = bare.split()
    if sum(map(len, _LETTERS.findall(bare))) < _LETTER_SHARE * sum(map(len, words)):
        return False
    return len(words) >= _LEAST_WORDS and sum(map(len, words)) <= _LONGEST_WORDS * len(words)


def _prose(path: tuple[str, ...], pieces: list[str]) -> Prose:
    pieces = [piece if _MARKUP.search(piece) else as_html(piece) for piece in pieces]
    weight = float(sum(map(weigh, pieces)))
    others = sum(map(bool, map(_OTHER_KEYS.search, path)))
    if others:
        weight *= _OTHER_WEIGHT**others
    elif path and _CONTENT_KEYS.search(path[-1]):
        weight *= _CONTENT_WEIGHT
    html = pieces[0] if len(pieces) == 1 else "".join(f"<div>{piece}</div>" for piece in pieces)
    return Prose(html, weight)


def _pieces(value: Json) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """The texts of `value`, plain or markup, with their paths, and whether each is prose."""
    pending: list[tuple[tuple[str, ...], Json]] = [((), value)]
    for _ in range(_MOST_VALUES):
        if not pending:
            return
        path, item = pending.pop()
        inner = _json_in(item) if isinstance(item, str) else item
        if isinstance(inner, str):
            prose = is_prose(inner)
            if prose or " " in inner or _DENSE.search(inner):
                yield path, inner, prose
        elif isinstance(inner, dict | list):
            html = render(inner) if is_rich_text(inner) else ""
            if weigh(html) >= LEAST_CHARS:
                yield path, html, True
            elif len(path) < _PATH_DEPTH:
                pending.extend(_inner(path, inner))


def _json_in(text: str) -> Json:
    """The object or list that `text` is as JSON, else `text`."""
    if text[:1] in {"{", "["} and len(text) > LEAST_CHARS:
        value = loads(text)
        if isinstance(value, dict | list):
            return value
    return text


def _inner(path: tuple[str, ...], value: dict[str, Json] | list[Json]) -> Iterator[
    tuple[tuple[str, ...], Json]
]:  # fmt: skip
    """What `value` holds, last first, with its path."""
    if isinstance(value, list):
        for item in reversed(value):
            if isinstance(item, str | dict | list):
                yield path, item
        return
    for key in reversed(value):
        item = value[key]
        if isinstance(item, str | dict | list):
            yield (path if _ID.search(key) else (*path, key)), item


def _plain_blocks(text: str) -> Iterator[str]:
    """Paragraphs, and the headings, fences and bullets of Markdown."""
    for number, part in enumerate(text.split("```")):
        if number % 2:
            language, _, code = part.partition("\n")
            start = f'<pre><code class="language-{escape(language.strip())}">'
            yield f"{start}{escape(code, quote=False)}</code></pre>"
            continue
        for block in re.split(r"\n\s*\n", part):
            lines = [escape(line, quote=False) for line in block.strip().split("\n")]
            yield from _plain_block(lines)


def _plain_block(lines: list[str]) -> Iterator[str]:
    heading = re.match(r"(#{1,6})\s+(.*)", lines[0])
    if heading:
        yield f"<h{len(heading[1])}>{heading[2].rstrip('# ')}</h{len(heading[1])}>"
        lines = lines[1:]
    if lines and all(re.match(r"\s*[-*+•]\s", line) for line in lines):
        items = (re.sub(r"^\s*[-*+•]\s+", "", line) for line in lines)
        yield "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
    elif any(map(str.strip, lines)):
        yield "<p>" + "<br>".join(lines) + "</p>"
