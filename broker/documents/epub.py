"""EPUB: the pages of a book in their order, each as markup that is known to be content."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from broker.documents.failures import Unconverted
from broker.documents.records import Converted
from extract import fragment, xml
from extract.decode import decode
from extract.markdown import render
from extract.tree import parse
from extract.xml import name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broker.documents.archive import Archive
    from extract.model import Block
    from extract.tree import Node

_CONTAINER = "META-INF/container.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
_MOST_BYTES = 20_000_000
_EMPTY = re.compile(
    r"<((?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)[A-Za-z][\w:.-]*)"
    r"((?:\s[^<>]*?)?)/>"
)
"""An element that XML closes at once and HTML would leave open."""
_LEADS_OUT = re.compile(r"(?:https?|ftp|mailto):", re.IGNORECASE)


def convert(archive: Archive) -> Converted:
    """The book in an archive that was checked.

    Raises:
        Unconverted: it is damaged.
    """
    path = _package_path(archive)
    package = _xml(archive, path)
    result = Converted(markdown=render(tuple(_blocks(archive, package, posixpath.dirname(path)))))
    facts: dict[str, list[str]] = {}
    for node in package.iter():
        if isinstance(node.tag, str) and node.tag.startswith("{http://purl.org/dc/"):
            facts.setdefault(name(node), []).append(xml.text(node))
    result.title = next(iter(facts.get("title", ())), "")
    result.byline = ", ".join(facts.get("creator", ())) or None
    result.published = next(iter(facts.get("date", ())), None)
    result.lang = next(iter(facts.get("language", ())), None)
    return result


def _package_path(archive: Archive) -> str:
    """Where the list of the book's parts is."""
    for node in _xml(archive, _CONTAINER).iter():
        if name(node) == "rootfile" and node.get("full-path"):
            return node.get("full-path", "")
    raise Unconverted("damaged", "the book does not say where its contents are listed")


def _xml(archive: Archive, path: str) -> Node:
    root = xml.parse(archive.read(path, _MOST_BYTES))
    if root is None:
        raise Unconverted("damaged", f"its part {path[:80]!r} is no XML")
    return root


def _blocks(archive: Archive, package: Node, folder: str) -> Iterator[Block]:
    for path in _pages(package, folder):
        if path not in archive:
            continue
        text = decode(archive.read(path, _MOST_BYTES), "application/xhtml+xml").text
        root = parse(_EMPTY.sub(r"<\1\2></\1>", text))
        _make_local(root)
        yield from fragment.blocks(root)


def _pages(package: Node, folder: str) -> list[str]:
    """The paths of the pages in the order of reading, without those that only list the others."""
    contents = {
        posixpath.basename(node.get("href", "").partition("#")[0])
        for node in package.iter()
        if name(node) == "reference" and node.get("type") == "toc"
    }
    items = {node.get("id", ""): node for node in package.iter() if name(node) == "item"}
    pages: list[str] = []
    for node in package.iter():
        item = items.get(node.get("idref", "")) if name(node) == "itemref" else None
        if item is None or item.get("media-type") not in _PAGES:
            continue
        href = unquote(item.get("href", ""))
        is_contents = "nav" in item.get("properties", "").split()
        if not is_contents and posixpath.basename(href) not in contents:
            pages.append(posixpath.normpath(posixpath.join(folder, href)))
    return pages


def _make_local(root: Node) -> None:
    """Take out links to other pages of the book, which lead nowhere here, and tell of pictures."""
    for node in list(root.iter("a", "img", "nav")):
        if node.tag == "nav":
            fragment.remove(node)
        elif node.tag == "img":
            described = (node.get("alt") or "").strip()
            node.tag = "span"
            node.text = f"[Picture: {described}]" if described else None
        elif not node.get("href", "#").startswith("#") and not _LEADS_OUT.match(
            node.get("href", "")
        ):
            del node.attrib["href"]
