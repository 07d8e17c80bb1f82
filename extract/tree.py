"""HTML as a tree, and the few questions that are asked of it.

Whoever reads markup goes through here, so that nothing outside `extract` imports lxml: `parse`
turns any input into a tree, `query` compiles an XPath expression once, `visible_text` says what a
person would see. The module knows no site and no page kind.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias, cast

from lxml import etree
from lxml.etree import _Element

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

# Marks that steer the text's direction or break lines and leave no ink. The joiners U+200C and
# U+200D stay: Persian, Indic scripts and emoji need them.
_INKLESS = dict.fromkeys(
    [0x00AD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)


def parse(html: str | bytes) -> Node:
    """The root element of `html`; an empty tree where there is no markup in it. Never raises.

    Bytes are read as UTF-8 where they are valid UTF-8, else by the charset the page declares.
    Nesting deeper than 2048 elements ends the tree there (libxml2's limit).
    """
    data, encoding = _encoded(html)
    parser = etree.HTMLParser(
        encoding=encoding, huge_tree=True, remove_comments=True, remove_pis=True
    )
    root: Node | None = None
    with suppress(etree.LxmlError):  # which of its versions raises for an empty page varies
        root = etree.fromstring(data, parser)
    return etree.Element("html") if root is None else root


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


def fold(text: str) -> str:
    """`text` with runs of white space as one space and without marks that leave no ink."""
    return " ".join(text.translate(_INKLESS).split())


def is_hidden(node: Node) -> bool:
    """Whether the markup itself keeps `node` from being shown."""
    if node.tag in SILENT_TAGS or node.get("hidden") is not None:
        return True
    style = node.get("style")
    return style is not None and _HIDING_STYLE.search(style) is not None


def has_class(node: Node, *names: str) -> bool:
    """Whether `node` carries any of the class `names`."""
    return not frozenset(names).isdisjoint((node.get("class") or "").split())


def _encoded(html: str | bytes) -> tuple[bytes, str | None]:
    if isinstance(html, str):
        return html.encode("utf-8", "replace"), "utf-8"  # "replace" is for lone surrogates
    try:
        html.decode("utf-8")
    except UnicodeDecodeError:
        return html, None
    return html, "utf-8"


def _push_content(node: Node, pending: list[Node | str]) -> None:
    # Pushed backwards, because the pile is read from its end.
    gap = "" if node.tag in INLINE_TAGS else " "
    pending.append(gap)
    for child in reversed(node):
        pending.append(child.tail or "")
        pending.append(child)
    pending.append(gap + (node.text or ""))
