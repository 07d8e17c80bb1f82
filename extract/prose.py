"""What a person reads on a page, line by line, and which of the lines are prose.

A line is the text of one block, or of one cell. It carries where it stands (menus, forms, hidden
nodes, `<noscript>`) and how much of it is links. Lengths are weights: letters of an alphabetic
script that say as much, so that one limit holds for English, Thai and Chinese. The module knows
no wall and no language's words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from extract.tree import INLINE_TAGS, SILENT_TAGS, fold, is_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extract.tree import Node

FURNITURE = 1
"""In a menu, a page's header or footer, a side column."""
BANNER = 2
"""In a cookie notice."""
CONTROL = 4
"""On a button or another part of a form that is pressed, not read."""
NOSCRIPT = 8
HIDDEN = 16
PLACEHOLDER = 32
"""A template's expression that no script has filled in."""
HEADING = 64
ITEM = 128
FORM = 256
MAIN = 512
"""Inside `<main>` or `<article>`, where a header is the text's own."""
DIALOG = 1024
"""In something that lies over the page."""

BESIDE = FURNITURE | BANNER | DIALOG | CONTROL | NOSCRIPT | HIDDEN | PLACEHOLDER
"""Zones that are not the page's visible main text."""

_NO_MAIN = FURNITURE | CONTROL | DIALOG

ENOUGH = 6000
"""Weight of main text at which reading may stop: no wall says as much."""

_PLAIN_CHARS = 100_000

PROSE = 60
"""Least weight of a sentence outside its links that counts as prose: most captions, menu entries
and labels are shorter, most sentences longer."""

_WIDE = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d"
    "\U00020000-\U0003ffff]+"
)
_WIDE_EXTRA = 1.5
"""A character of Chinese, Japanese or Korean says as much as two and a half letters."""

_SENTENCE = re.compile(
    r"[.!?:;,…。！？：；，、।؟،؛։።]|[\u0e00-\u0e7f]{12}"  # noqa: RUF001 - marks of all scripts
)
_PLACEHOLDER = re.compile(r"\{\{[^{}]{0,400}\}\}|\$\{[^{}]{0,200}\}|\$\(\w[\w.]{0,200}\)")

_UNREAD_TAGS = (SILENT_TAGS - {"noscript"}) | {"br", "input", "select", "datalist"}
_ZONE_OF_TAG = {
    "nav": FURNITURE, "footer": FURNITURE, "menu": FURNITURE,
    "button": CONTROL,
    "h1": HEADING, "h2": HEADING, "h3": HEADING, "h4": HEADING,
    "li": ITEM, "form": FORM, "noscript": NOSCRIPT, "main": MAIN, "article": MAIN,
}  # fmt: skip
_PARTLY_FURNITURE_TAGS = frozenset({"header", "aside"})
_ZONE_OF_ROLE: dict[str | None, int] = {
    "navigation": FURNITURE, "banner": FURNITURE, "contentinfo": FURNITURE, "menu": FURNITURE,
    "complementary": FURNITURE, "search": FURNITURE, "menubar": FURNITURE, "main": MAIN,
    "dialog": DIALOG, "alertdialog": DIALOG,
}  # fmt: skip
_NAMED_TAGS = frozenset({"div", "section", "ul", "table", "td", "tr"})
_BANNER_NAMES = ("cookie", "gdpr", "consent", "onetrust", "didomi", "usercentrics")
_FURNITURE_NAMES = ("footer", "navbar", "breadcrumb", "copyright")
_MANY_NAMES = 200
"""Length from which an element's names are a style sheet written as classes."""


class Line(NamedTuple):
    """One line of text."""

    text: str
    """White space folded, never empty."""
    weight: float
    """Of the whole line."""
    linked: float
    """Weight of the part that is links."""
    zone: int
    """The zones it stands in, `FURNITURE` and the like, or-ed."""

    @property
    def own(self) -> float:
        """Weight of what is no link."""
        return self.weight - self.linked

    @property
    def is_main(self) -> bool:
        """Whether it is seen, and stands neither in furniture nor in a dialog or control."""
        return not self.zone & BESIDE

    @property
    def is_prose(self) -> bool:
        """Whether it is a sentence rather than a label or a link, wherever it stands."""
        return (
            self.own >= PROSE
            and self.own * 2 >= self.weight
            and _SENTENCE.search(self.text) is not None
            and sum(map(str.isalpha, self.text[:120])) * 2 > min(len(self.text), 120)
        )


def weigh(text: str) -> float:
    """How much `text` says, in letters of an alphabetic script."""
    if text.isascii():
        return len(text)
    return len(text) + _WIDE_EXTRA * sum(map(len, _WIDE.findall(text)))


def read_lines(root: Node, enough: float = ENOUGH) -> list[Line]:
    """The lines of the page in reading order, hidden ones and those in `<noscript>` included.

    Stops when the main text weighs `enough` outside its links.
    """
    reader = _Reader(enough)
    reader.read(root)
    return reader.lines


def plain_lines(text: str, enough: float = ENOUGH) -> list[Line]:
    """The lines of a text that is no markup: its paragraphs, as far as `enough` may reach."""
    lines = []
    left = enough
    for paragraph in re.split(r"\n\s*\n", text[:_PLAIN_CHARS]):
        folded = fold(paragraph)
        if folded:
            lines.append(Line(folded, weigh(folded), 0.0, 0))
            left -= lines[-1].weight
            if left <= 0:
                break
    return lines


def total(lines: Iterable[Line]) -> float:
    """What the lines say outside their links, as a weight."""
    return sum(line.own for line in lines)


class _Reader:
    """Walks a tree once, with a stack of its own: pages may nest deeper than Python's."""

    __slots__ = ("_broken", "_left", "_linked", "_pieces", "lines")

    def __init__(self, enough: float) -> None:
        self.lines: list[Line] = []
        self._left = enough
        self._pieces: list[str] = []
        self._linked: list[str] = []
        self._broken = False
        """Whether a `<br>` stands at the end of the line so far."""

    def read(self, root: Node) -> None:
        node, children, zone = root, iter(root), 0
        linked = inline = False
        stack: list[tuple[Node, Iterator[Node], int, bool, bool]] = []
        self._add(root.text, linked=False)
        while self._left > 0:
            child = next(children, None)
            if child is None:
                if not inline:
                    self._end(zone)
                if not stack:
                    return
                tail = node.tail
                node, children, zone, linked, inline = stack.pop()
                self._add(tail, linked=linked)
                continue
            opened = _zone(child, zone)
            if opened is None:
                if child.tag == "br":
                    self._break(zone)
                self._add(child.tail, linked=linked)
                continue
            stack.append((node, children, zone, linked, inline))
            node, children = child, iter(child)
            # A hidden inline node is a line of its own, else its zone would be lost.
            inline = child.tag in INLINE_TAGS and opened == zone
            if not inline:
                self._end(zone)
            zone = opened
            linked = linked or child.tag == "a"
            self._add(child.text, linked=linked)

    def _add(self, text: str | None, *, linked: bool) -> None:
        if text is None or text.isspace():
            if text and self._pieces:
                self._pieces.append(" ")
            return
        self._pieces.append(text)
        if linked:
            self._linked.append(text)
        self._broken = False

    def _break(self, zone: int) -> None:
        # One <br> wraps a paragraph, two end it.
        if self._broken:
            self._end(zone)
        else:
            self._pieces.append(" ")
            self._broken = True

    def _end(self, zone: int) -> None:
        if not self._pieces:
            return
        text = _fold(self._pieces)
        linked = _fold(self._linked) if self._linked else ""
        self._broken = False
        self._pieces.clear()
        self._linked.clear()
        if not text:
            return
        if ("{{" in text or "$" in text) and _is_template(text):
            zone |= PLACEHOLDER
        weight = weigh(text)
        line = Line(text, weight, min(weigh(linked), weight), zone)
        self.lines.append(line)
        if not zone & BESIDE:
            self._left -= line.own


def _zone(node: Node, outer: int) -> int | None:
    """The zones that `node` stands in; None where nobody reads its text."""
    tag = node.tag
    if tag in _UNREAD_TAGS or not isinstance(tag, str):
        return outer if tag == "template" and node.get("shadowrootmode") else None
    if tag in INLINE_TAGS:
        return outer | HIDDEN if is_hidden(node) else outer
    zone = outer | _ZONE_OF_TAG.get(tag, 0)
    if tag == "noscript":
        return zone
    if tag == "main" and outer & _NO_MAIN:  # a menu or button before it was never closed
        zone &= ~_NO_MAIN
    if tag in _PARTLY_FURNITURE_TAGS and not outer & MAIN and not _holds_main(node):
        zone |= FURNITURE
    names = node.keys()
    if tag == "dialog":
        zone |= DIALOG if "open" in names else HIDDEN
    if not names:
        return zone
    if is_hidden(node):
        zone |= HIDDEN
    if "role" in names:
        zone |= _ZONE_OF_ROLE.get(node.get("role"), 0)
    return zone | _zone_of_name(node) if tag in _NAMED_TAGS else zone


def _zone_of_name(node: Node) -> int:
    names = f"{node.get('id') or ''} {node.get('class') or ''}"
    if not 4 < len(names) < _MANY_NAMES:  # noqa: PLR2004 - the shortest name there is to find
        return 0
    names = names.lower()
    for zone, needles in ((BANNER, _BANNER_NAMES), (FURNITURE, _FURNITURE_NAMES)):
        for needle in needles:
            if needle in names:
                return 0 if _holds_main(node) else zone
    return 0


def _holds_main(node: Node) -> bool:
    """Whether the page's main heading or text stands in `node`, whatever it is called."""
    return next(node.iter("h1", "main", "article"), None) is not None


def _fold(pieces: list[str]) -> str:
    text = "".join(pieces)
    return " ".join(text.split()) if text.isascii() else fold(text)


def _is_template(text: str) -> bool:
    """Whether placeholders make up most of `text`."""
    return len(_PLACEHOLDER.sub("", text)) * 2 < len(text)
