"""Markup that libxml2 cannot take as it stands, rewritten so that its text is kept.

libxml2 ends a tree 2048 elements deep, drops whatever follows `</html>`, and takes the square of an
element's attributes in time (lxml 6.1.3: 3 s for 30,000 of them). Pages come to the first by tags
that are never closed, to the second by templates put together wrongly; hostile ones come to all.
The rewriting knows no more of HTML than that takes: it is for the few pages that need it.
"""

from __future__ import annotations

import re

_WRAPPERS_DEPTH = 256
"""From here on elements that only group or style are left out."""
_ANY_DEPTH = 1900
"""From here on every element is left out; libxml2's limit is 2048."""
_SEARCH_DEPTH = 64
"""How many open elements an end tag is compared with."""

# Looked for up to the last ">" only, so that every "<" finds an end and is passed once. A comment
# or a script without end takes the rest of the page, as in HTML.
_TOKEN = re.compile(
    rb"<!--(?:.*?-->|.*)"
    rb"|<(?P<raw>script|style|textarea|title|xmp|iframe|noembed|noframes)\b(?:.*?</(?P=raw)|.*)"
    rb"|<(?P<slash>/?)(?P<name>[a-z][^\s/>]*+)"
    rb"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>",
    re.IGNORECASE | re.DOTALL,
)
_VOID = frozenset(
    b"area base br col embed frame hr img input link meta param source track wbr".split()
)
_BLOCK_WRAPPERS = frozenset(
    b"address article aside center dd dir div dl dt fieldset figure footer form header li main"
    b" menu nav ol p section ul".split()
)
_INLINE_WRAPPERS = frozenset(
    b"abbr acronym b bdi bdo big button cite data dfn em font i ins kbd label mark nobr q s samp"
    b" small span strike strong sub sup time tt u var".split()
)
_SELF_CLOSING = frozenset(b"a li p td th tr dt dd option".split())
"""An element of these ends the one before it that has no end tag."""
_PRIORITY = {b"div": 1, b"td": 2, b"th": 2, b"tr": 3, b"tbody": 4, b"thead": 4, b"table": 5}
"""libxml2 lets no end tag close an open element that ranks above its own."""

_MOST_ATTRIBUTES = 512
_ATTRIBUTE = rb"[\s/]*+[^\s/>=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"']++))?+"
_CROWDED = re.compile(
    rb"<[a-z][^\s/><]*+(?:%b){%d}" % (_ATTRIBUTE, _MOST_ATTRIBUTES), re.IGNORECASE
)
_TAG_START = re.compile(rb"<[a-z]", re.IGNORECASE)
_PAGE_END = re.compile(rb"</(?:html|body)[^>]{0,99}+>", re.IGNORECASE)
_WINDOW_BYTES = 16_384
_LARGE_BYTES = 262_144


def flattened(html: bytes) -> bytes:
    """`html` with what nests too deep left out, elements that only group or style first.

    A block that goes leaves a paragraph's border behind, so that texts do not run together.
    """
    elements = _Open()
    kept: list[bytes] = []
    end = 0
    for token in _TOKEN.finditer(html, 0, html.rfind(b">") + 1):
        if token["name"] is None:
            continue
        name = token["name"].lower()
        if elements.close(name) if token["slash"] else elements.open(name):
            continue
        between = html[end : token.start()]
        end = token.end()
        if between:
            kept.append(between)
        if name not in _INLINE_WRAPPERS and (not kept or kept[-1] != b"<p>"):
            kept.append(b"<p>")
    kept.append(html[end:])
    return b"".join(kept)


class _Open:
    """The open elements, as far as libxml2 will see it that way; rather too many than too few."""

    def __init__(self) -> None:
        self._names: list[tuple[bytes, bool]] = []  # and whether the tag was kept
        self._depth = 0

    def open(self, name: bytes) -> bool:
        """Whether the start tag of `name` stays."""
        if name in _VOID:
            return True
        if name in _SELF_CLOSING and self._names and self._names[-1][0] == name:
            self._pop(1)
        wrapper = name in _BLOCK_WRAPPERS or name in _INLINE_WRAPPERS
        keep = self._depth < (_WRAPPERS_DEPTH if wrapper else _ANY_DEPTH)
        self._names.append((name, keep))
        self._depth += keep
        return keep

    def close(self, name: bytes) -> bool:
        """Whether the end tag of `name` stays."""
        rank = _PRIORITY.get(name, 0)
        for back in range(1, min(len(self._names), _SEARCH_DEPTH) + 1):
            other, kept = self._names[-back]
            if other == name:
                self._pop(back)
                return kept
            if kept and _PRIORITY.get(other, 0) > rank:
                break
        return True

    def _pop(self, count: int) -> None:
        self._depth -= sum(kept for _, kept in self._names[-count:])
        del self._names[-count:]


def continued(html: bytes) -> bytes:
    """`html` without its `</html>`, where markup follows the first: browsers read on there."""
    first = html.find(b"</html")
    if first < 0:
        first = html.find(b"</HTML")
    if first < 0 or not _TAG_START.search(html, first):
        return html
    return html[:first] + _PAGE_END.sub(b"", html[first:])


def thinned(html: bytes) -> bytes:
    """`html` with no more than 512 attributes on any tag.

    To cost an ordinary page nothing, a page below 256 KB is only looked into where it has a
    stretch of 16 KB without a ">" (below 32 KB never): hostile quotes can still take some seconds.
    """
    if len(html) < _LARGE_BYTES and not _has_long_stretch(html):
        return html
    if not _CROWDED.search(html):  # 8 ns a byte; also finds what looks like a tag in a script
        return html
    kept: list[bytes] = []
    end = 0
    for token in _TOKEN.finditer(html, 0, html.rfind(b">") + 1):
        crowded = _CROWDED.match(html, token.start(), token.end()) if token["name"] else None
        if crowded:
            kept.append(html[end : crowded.end()])
            end = token.end() - 1
    return b"".join((*kept, html[end:]))


def _has_long_stretch(html: bytes) -> bool:
    return any(
        html.find(b">", start, start + _WINDOW_BYTES) < 0
        for start in range(0, len(html) - _WINDOW_BYTES, _WINDOW_BYTES)
    )
