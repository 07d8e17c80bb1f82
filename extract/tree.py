"""HTML as a tree, and the few questions that are asked of it.

Whoever reads markup goes through here, so that nothing outside `extract` imports lxml: `parse`
turns any input into a tree, `query` compiles an XPath expression once, `visible_text` says what a
person would see. The module knows no site and no page kind.
"""

from __future__ import annotations

import re
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING, TypeAlias, cast

from lxml import etree
from lxml.etree import _Element

from extract.decode import as_utf8, without_controls
from extract.nesting import continued, flattened, thinned

if TYPE_CHECKING:
    from collections.abc import Callable

Node: TypeAlias = _Element
"""One element of a tree. Comments and processing instructions are left out while parsing."""

SILENT_TAGS = frozenset(
    {"head", "iframe", "noscript", "object", "script", "style", "svg", "template", "textarea"}
)
"""Elements whose text a person never reads as part of the page."""

INLINE_TAGS = frozenset(
    {
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn",
        "em", "font", "i", "ins", "kbd", "label", "mark", "q", "rp", "rt", "ruby", "s", "samp",
        "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    }
)  # fmt: skip
"""Elements that do not start a new line; every other one separates words."""

_HIDING_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE
)

_HEAD_TAGS = frozenset(
    {"base", "basefont", "bgsound", "link", "meta", "noscript", "object", "script", "style",
     "template", "title"}
)  # fmt: skip
_DEEP = 2000

INKLESS = dict.fromkeys(
    {0x00AD, 0x180E, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, 0xFFFE, 0xFFFF}.union(
        range(9), range(0x0E, 0x20), range(0x7F, 0xA0), range(0x202A, 0x202F),
        range(0x2066, 0x206A), range(0xD800, 0xE000), range(0xE0000, 0xE01F0),
    )
)  # fmt: skip
"""What steers text or a terminal, breaks lines or tags it, and leaves no ink; for `str.translate`.

The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji need them."""


def parse(html: str | bytes) -> Node:
    """The root element of `html`; an empty tree where there is no markup in it. Never raises.

    Bytes are decoded as `extract.decode` does without an HTTP header. NUL and the other control
    characters that are not white space are left out. What follows `</body>` or `</html>` is part of
    the body, as in browsers. Text is kept behind any depth of nesting: no tree is deeper than 2048
    elements (libxml2's limit), and where a page is, elements that only group or style go first
    (`extract.nesting`).
    """
    if isinstance(html, bytes):
        data = as_utf8(html)
    else:
        data = without_controls(html.encode("utf-8", "replace"))  # "replace": lone surrogates
    data = thinned(continued(data))
    root = _tree(data)
    if _ended_early(root):
        root = _tree(flattened(data))
    _gather(root)
    return root


def query(expression: str) -> Callable[[Node], list[Node]]:
    """A compiled XPath `expression` that selects elements, in document order.

    Raises:
        lxml.etree.XPathSyntaxError: The expression is wrong, at import time of the caller.
    """
    return cast("Callable[[Node], list[Node]]", etree.XPath(expression, smart_strings=False))


def visible_text(node: Node, drop: Callable[[Node], bool] | None = None) -> str:
    """What a person sees of `node` on one line, white space folded.

    `drop` names further elements to leave out with all they hold.
    """
    pieces: list[str] = []
    pending: list[Node | str] = [node]
    while pending:  # no recursion: pages may nest deeper than Python's stack
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif not (is_hidden(item) or (drop is not None and drop(item))):
            _push_content(item, pending)
    return fold("".join(pieces))


raw_text = cast("Callable[[Node], str]", etree.XPath("string()", smart_strings=False))
"""All text in an element as it stands in the markup, shown or not."""


def inner_html(node: Node) -> str:
    """What stands in `node`, as markup."""
    parts = [etree.tostring(child, encoding="unicode", method="html") for child in node]
    return "".join((escape(node.text or "", quote=False), *parts))


def fold(text: str) -> str:
    """`text` with runs of white space as one space and without marks that leave no ink."""
    folded = " ".join(text.split())
    return folded if folded.isprintable() else " ".join(folded.translate(INKLESS).split())


def is_hidden(node: Node) -> bool:
    """Whether the markup itself keeps `node` from being shown."""
    if node.tag in SILENT_TAGS or node.get("hidden") is not None:
        return True
    style = node.get("style")
    return style is not None and _HIDING_STYLE.search(style) is not None


def has_class(node: Node, *names: str) -> bool:
    """Whether `node` carries any of the class `names`."""
    return not frozenset(names).isdisjoint((node.get("class") or "").split())


def _tree(data: bytes) -> Node:
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True
    )
    root: Node | None = None
    with suppress(etree.LxmlError):  # which of its versions raises for an empty page varies
        root = etree.fromstring(data, parser)
    return etree.Element("html") if root is None else root


def _gather(root: Node) -> None:
    """Puts what stands behind the body into it, and what stands in the head and cannot.

    Tags of head and body may be left out. libxml2 then leaves whatever begins with an element that
    it does not know (`article`, `main`, `nav`) in the head.
    """
    body = root.find("body")
    if body is not None:
        for node in list(body.itersiblings()):
            body.append(node)
    head = root.find("head")
    stray = (
        next((node for node in head if node.tag not in _HEAD_TAGS), None)
        if head is not None
        else None
    )
    if stray is None:
        return
    if body is None:
        body = etree.SubElement(root, "body")
    for place, node in enumerate([stray, *stray.itersiblings()]):
        body.insert(place, node)


def _ended_early(root: Node) -> bool:
    """Whether the last element is so deep that libxml2 may have stopped there, silently."""
    depth = 0
    node: Node | None = root
    while node is not None and depth < _DEEP:
        depth += 1
        node = node[-1] if len(node) else None
    return depth == _DEEP


def _push_content(node: Node, pending: list[Node | str]) -> None:
    # Pushed backwards, because the pile is read from its end.
    gap = "" if node.tag in INLINE_TAGS else " "
    pending.append(gap)
    for child in reversed(node):
        pending.append(child.tail or "")
        pending.append(child)
    pending.append(gap + (node.text or ""))
