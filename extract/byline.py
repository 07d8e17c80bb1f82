"""Who wrote a page and when, where only the visible text around its heading says so."""

# ruff: noqa: RUF001 - dashes and full-width signs are meant

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from extract import dates
from extract.titles import squeezed
from extract.tree import fold, is_hidden, query, visible_text

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from extract.tree import Node

_LEVELS_UP = 5
"""How far above the heading its surroundings reach."""
_MOST_ELEMENTS = 200
"""Larger surroundings are the page: what stands there may belong to something else."""
_FEW = 3
"""How many of the nearest candidates are looked at; more are a list of other pages."""
_LONGEST_NAME = 80
_LONGEST_TEXT = 300
_MOST_WORDS = 8
_MOST_NAMES = 6

_SIGNED = re.compile(r"byline|author(?!iz)|writer|contributor", re.IGNORECASE)
_DATED = re.compile(r"publish|date(?!d?-?picker)|(?:^|[\s_-])time|posted|pubtime", re.IGNORECASE)
_NAMED_INSIDE = query("descendant::*[@itemprop = 'name' or @rel = 'author']")
_LINKS_INSIDE = query("descendant::a")
_WITH_PROPERTY = query("descendant::*[@itemprop]")
_PROPERTIES = frozenset({"author", "datePublished", "dateCreated", "creator"})

_BY = re.compile(
    r"^(?:(?:written|posted|published|reported|reviewed|edited|story|words|text)\s+)?"
    r"(?:by|von|par|por|di|door|av|af|przez|автор|作者|文|記者|记者|authors?|autore?s?|autor(?:in)?)"
    r"\b\s*[:：]?\s*|^(?:作者|记者|記者|文|撰文)\s*[:：/]\s*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[^\W\d_]{2,14}(?: [^\W\d_]{2,10})?\s*[:：]\s*(?=\S)")
_BEHIND = re.compile(
    r"\s*(?:[|•·/]|\s[-–—]\s|\bon\b\s|\bupdated\b|\bpublished\b|\bposted\b|@|\d{1,4}[-./:]\d|,\s*\d|\s{3,}"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d).*$",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"^(?:https?:|www\.|[/@#])", re.IGNORECASE)
_EDGES = " |·•-–—,;:"
_NO_NAME = re.compile(r"^\d|https?:|www\.|[@{}<>\[\]=*?]|\d{3}|\.(?:com|org|net)\b", re.IGNORECASE)
_NOBODY = frozenset(
    {
        "admin", "administrator", "author", "authors", "editor", "staff", "webmaster", "unknown",
        "anonymous", "guest", "user", "root", "null", "undefined", "none", "n/a", "by",
    }
)  # fmt: skip


def as_byline(names: list[str], *, apart_from: Container[str] = ()) -> str | None:
    """`names` joined by commas, each once and without "by"; None where no name is left.

    `apart_from` holds the names that say nothing here, as `titles.squeezed`: the site's own.
    """
    kept: list[str] = []
    for name in map(clean_name, names[:_MOST_NAMES]):
        if name and name not in kept and squeezed(name) not in apart_from:
            kept.append(name)
    return ", ".join(kept) or None


def clean_name(text: str) -> str:
    """The name in `text`, without what stands before and behind it; empty where there is none."""
    text = fold(text[:_LONGEST_TEXT])
    if _ADDRESS.match(text):
        return ""
    name = _LABEL.sub("", _BY.sub("", text.strip(_EDGES))).strip(_EDGES)
    name = _BEHIND.sub("", name).strip(_EDGES)
    if len(name) > _LONGEST_NAME or len(name.split()) > _MOST_WORDS or _NO_NAME.search(name):
        return ""
    return "" if name.lower() in _NOBODY or not any(map(str.isalpha, name)) else name


def visible_byline(surroundings: list[Node], *, apart_from: Container[str] = ()) -> str | None:
    """The author named in the `surroundings` of a page's heading."""
    for node in _marked(surroundings, _SIGNED, lambda node: node.get("rel") == "author"):
        inner = _NAMED_INSIDE(node)[:_FEW] or _LINKS_INSIDE(node)
        texts = [visible_text(one) for one in inner] if len(inner) <= _FEW else []
        name = as_byline(texts, apart_from=apart_from)
        name = name or as_byline([visible_text(node)], apart_from=apart_from)
        if name:
            return name
    return None


def visible_date(surroundings: list[Node]) -> str | None:
    """The date given in the `surroundings` of a page's heading, as ISO 8601."""
    for node in _marked(surroundings, _DATED, lambda node: node.tag == "time"):
        date = dates.iso(node.get("datetime") or node.get("content") or visible_text(node))
        if date:
            return date
    return None


def surroundings(heading: Node) -> list[Node]:
    """The elements around `heading` that have a name or are a `<time>`, those behind it first.

    They stand in the largest of the five elements above it that holds no more than 200.
    """
    area: list[Node] = []
    above: Node | None = heading
    for _ in range(_LEVELS_UP):
        above = above.getparent() if above is not None else None
        if above is None or above.tag in {"body", "html"}:
            break
        wider = list(islice(above.iter(), _MOST_ELEMENTS + 1))
        if len(wider) > _MOST_ELEMENTS:
            break
        area = wider
    if not area:
        return []
    at = area.index(heading)
    return area[at + 1 :] + area[:at]


def marked_up(heading: Node) -> list[Node]:
    """The first few elements that give author or date of the microdata item `heading` is in."""
    for above in heading.iterancestors():
        if above.get("itemscope") is not None:
            found = (one for one in _WITH_PROPERTY(above) if one.get("itemprop") in _PROPERTIES)
            return list(islice(found, 2 * _FEW))
    return []


def _marked(
    nodes: list[Node], words: re.Pattern[str], marked_else: Callable[[Node], bool]
) -> list[Node]:
    """The first few of `nodes` whose class or property holds one of `words`, less the hidden."""
    found = (node for node in nodes if _names(node, words) or marked_else(node))
    # What holds the heading itself is named by what the whole area is.
    return list(
        islice((node for node in found if not is_hidden(node) and node.find(".//h1") is None), _FEW)
    )


def _names(node: Node, words: re.Pattern[str]) -> bool:
    names = node.get("class") or node.get("itemprop")
    return names is not None and words.search(names) is not None
