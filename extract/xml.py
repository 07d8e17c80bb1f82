"""XML as a tree: feeds, and other documents that machines write for machines.

The input may be hostile. No entity is expanded, no DTD is read, nothing is fetched, and libxml2's
own limits stay on (256 elements deep, 10 MB of text in one place). The module knows no format.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, cast

from lxml import etree

from extract.tree import Node, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def parse(data: str | bytes) -> Node | None:
    """The root element of `data`; None where there is no XML in it. Never raises.

    Bytes are read in the encoding they declare, UTF-8 where they declare none. What is not well
    formed is read as far as it makes sense.
    """
    encoding = None
    if isinstance(data, str):  # its declaration speaks of the bytes it once was
        data, encoding = data.encode("utf-8", "replace"), "utf-8"
    parser = etree.XMLParser(
        encoding=encoding,
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    root: Node | None = None
    with suppress(etree.LxmlError, ValueError):
        root = etree.fromstring(data, parser)
    return root


def query(expression: str, namespaces: Mapping[str, str]) -> Callable[[Node], list[Node]]:
    """A compiled XPath `expression` that selects elements, in document order.

    `namespaces` gives the prefixes that stand in it.

    Raises:
        lxml.etree.XPathSyntaxError: The expression is wrong, at import time of the caller.
    """
    path = etree.XPath(expression, namespaces=dict(namespaces), smart_strings=False)
    return cast("Callable[[Node], list[Node]]", path)


def name(node: Node) -> str:
    """The name of an element without its namespace; empty for an entity that was not expanded."""
    tag = node.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def text(node: Node) -> str:
    """Everything written below `node` on one line, white space folded; entities stay out."""
    return fold("".join(cast("list[str]", _TEXT(node))))


_TEXT = etree.XPath("descendant::text()", smart_strings=False)
