"""What the page of a paper's abstract says of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.providers.arxiv_feed import Author, Paper
from extract.tree import fold, parse, query, raw_text

if TYPE_CHECKING:
    from extract.tree import Node

_META = query("//meta[starts-with(@name, 'citation_')][@content]")
_CELLS = query("//td[contains(@class, 'tablecell')]")
_ABSTRACT = query("//blockquote[contains(@class, 'abstract')]")
_CATEGORY = re.compile(r"\(([a-z-]+(?:\.[A-Za-z-]+)?)\)")
_VERSION = re.compile(r"v\d+\Z")


def paper_of_page(page: str) -> Paper | None:
    """The paper; None where the page is about none. Never raises."""
    tree = parse(page)
    about: dict[str, list[str]] = {}
    for node in _META(tree):
        name = node.get("name", "").removeprefix("citation_")
        about.setdefault(name, []).append(fold(node.get("content", "")))

    def first(name: str) -> str:
        return next(filter(None, about.get(name, ())), "")

    if not first("title"):
        return None
    version = _VERSION.search(first("arxiv_id"))
    return Paper(
        title=first("title"),
        authors=tuple(Author(name=_turned(name)) for name in about.get("author", ()) if name),
        abstract=first("abstract") or _abstract(tree),
        version=version[0] if version else "",
        published=first("date").replace("/", "-"),
        updated=first("online_date").replace("/", "-"),
        comment=_cell(tree, "comments"),
        journal=_cell(tree, "jref"),
        doi=first("doi") or _cell(tree, "doi").removeprefix("https://doi.org/"),
        categories=tuple(dict.fromkeys(_CATEGORY.findall(_cell(tree, "subjects")))),
    )


def _turned(name: str) -> str:
    """`Example, Ada` as `Ada Example`."""
    family, _, given = name.partition(", ")
    return f"{given} {family}".strip()


def _abstract(tree: Node) -> str:
    texts = (fold(raw_text(node)).removeprefix("Abstract:").strip() for node in _ABSTRACT(tree))
    return next(texts, "")


def _cell(tree: Node, name: str) -> str:
    cells = (node for node in _CELLS(tree) if name in (node.get("class") or "").split())
    return next((fold(raw_text(node)) for node in cells), "")
