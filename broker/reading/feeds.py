"""Feeds and sitemaps as Markdown: RSS, Atom, RDF, `urlset`, `sitemapindex`. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extract import xml
from extract.tree import fold, parse, visible_text

if TYPE_CHECKING:
    from extract.tree import Node

_MAX_ENTRIES = 500
_LONGEST_SUMMARY = 600
_MARKUP = re.compile(r"<[a-zA-Z/!]")
_ITEMS = frozenset({"item", "entry"})
_DATES = ("published", "pubDate", "updated", "date")
_SUMMARIES = ("description", "summary", "encoded", "content")


def feed_markdown(text: str) -> str | None:
    """The feed or sitemap that `text` is; None where it is other XML."""
    root = xml.parse(text)
    if root is None:
        return None
    name = xml.name(root)
    if name in {"urlset", "sitemapindex"}:
        places = [fold(node.text or "") for node in root.iter() if xml.name(node) == "loc"]
        return "\n".join(["# Sitemap", "", *(f"- <{place}>" for place in places if place)])
    if name not in {"rss", "feed", "RDF"}:
        return None
    entries = [node for node in root.iter() if xml.name(node) in _ITEMS]
    head = next((node for node in root.iter() if xml.name(node) == "channel"), root)
    parts = [f"# {_child(head, 'title') or 'Feed'}"]
    about = _child(head, "description") or _child(head, "subtitle")
    parts += [about] if about else []
    parts += [_entry(node) for node in entries[:_MAX_ENTRIES]]
    return "\n\n".join(parts)


def _entry(node: Node) -> str:
    title, link = _child(node, "title") or "(no title)", _link(node)
    lines = [f"## [{title}]({link})" if link else f"## {title}"]
    facts = [fact for fact in (_first(node, _DATES), _author(node)) if fact]
    summary = _first(node, _SUMMARIES)
    lines += [" · ".join(facts)] if facts else []
    lines += [summary[:_LONGEST_SUMMARY]] if summary else []
    return "\n\n".join(lines)


def _first(node: Node, names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := _child(node, name))), "")


def _child(node: Node, name: str) -> str:
    for child in node:
        if xml.name(child) == name:
            said = xml.text(child)
            return visible_text(parse(said)) if _MARKUP.search(said) else said
    return ""


def _author(node: Node) -> str:
    for child in node:
        if xml.name(child) in {"author", "creator"}:
            return _child(child, "name") or xml.text(child)
    return ""


def _link(node: Node) -> str:
    links = [child for child in node if xml.name(child) == "link"]
    for child in links:
        if child.get("rel", "alternate") == "alternate" and child.get("href"):
            return fold(child.get("href") or "")
    return fold(links[0].text or "") if links else ""
