"""arXiv's answers: an Atom feed of papers, or of one entry that is an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.models import Hit
from broker.providers.arxiv_id import paper_id
from extract import xml

if TYPE_CHECKING:
    from collections.abc import Callable

    from extract.tree import Node

NAME = "arxiv"
SITE = "arXiv"

_ATOM = "http://www.w3.org/2005/Atom"
_PREFIXES = {
    "a": _ATOM,
    "o": "http://a9.com/-/spec/opensearch/1.1/",
    "x": "http://arxiv.org/schemas/atom",
}

_ENTRIES = xml.query("a:entry", _PREFIXES)
_TOTAL = xml.query("o:totalResults", _PREFIXES)
_ID = xml.query("a:id", _PREFIXES)
_TITLE = xml.query("a:title", _PREFIXES)
_SUMMARY = xml.query("a:summary", _PREFIXES)
_PUBLISHED = xml.query("a:published", _PREFIXES)
_AUTHORS = xml.query("a:author/a:name", _PREFIXES)
_UPDATED = xml.query("a:updated", _PREFIXES)
_PEOPLE = xml.query("a:author", _PREFIXES)
_NAME = xml.query("a:name", _PREFIXES)
_AFFILIATIONS = xml.query("x:affiliation", _PREFIXES)
_COMMENT = xml.query("x:comment", _PREFIXES)
_JOURNAL = xml.query("x:journal_ref", _PREFIXES)
_DOI = xml.query("x:doi", _PREFIXES)
_PRIMARY = xml.query("x:primary_category[@term]", _PREFIXES)
_CATEGORIES = xml.query("a:category[@term]", _PREFIXES)
_PAGE = xml.query("a:link[@rel='alternate'][@href]", _PREFIXES)

_ERROR_ID = "/api/errors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What stands in an answer."""

    hits: tuple[Hit, ...] = ()
    total: int | None = None
    """Papers that match, shown here or not; None when the feed does not say."""
    error: str | None = None
    """What is wrong with the query, in arXiv's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote a paper."""

    name: str
    affiliations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """What arXiv knows of one paper; texts are empty where it does not."""

    title: str
    authors: tuple[Author, ...] = ()
    abstract: str = ""
    version: str = ""
    """`v7`, where the id that stands in the answer has one."""
    published: str = ""
    """When its first version came, ISO 8601."""
    updated: str = ""
    """When this version came."""
    comment: str = ""
    journal: str = ""
    doi: str = ""
    categories: tuple[str, ...] = ()
    """The primary one first."""


def read_paper(answer: str | bytes) -> Paper | None:
    """The first paper of the feed that `answer` is; None where there is none. Never raises."""
    root = xml.parse(answer)
    entries = [] if root is None else _ENTRIES(root)
    if not entries or _ERROR_ID in _first(_ID, entries[0]) or not _first(_TITLE, entries[0]):
        return None
    entry = entries[0]
    authors = (
        Author(name=_first(_NAME, each), affiliations=_texts(_AFFILIATIONS, each))
        for each in _PEOPLE(entry)
    )
    terms = [node.get("term", "") for node in (*_PRIMARY(entry), *_CATEGORIES(entry))]
    known = paper_id(_first(_ID, entry).rpartition("/abs/")[2])
    return Paper(
        title=_first(_TITLE, entry),
        authors=tuple(author for author in authors if author.name),
        abstract=_first(_SUMMARY, entry),
        version="" if known is None else known.version,
        published=_first(_PUBLISHED, entry),
        updated=_first(_UPDATED, entry),
        comment=_first(_COMMENT, entry),
        journal=_first(_JOURNAL, entry),
        doi=_first(_DOI, entry),
        categories=tuple(dict.fromkeys(filter(None, terms))),
    )


def read_feed(answer: str | bytes) -> Feed | None:
    """The feed that `answer` is; None when it is none. Never raises."""
    root = xml.parse(answer)
    if root is None or root.tag != f"{{{_ATOM}}}feed":
        return None
    entries = _ENTRIES(root)
    for entry in entries:
        if _ERROR_ID in _first(_ID, entry):
            return Feed(error=_first(_SUMMARY, entry) or _first(_TITLE, entry))
    total = _first(_TOTAL, root)
    return Feed(
        hits=tuple(hit for entry in entries if (hit := _hit(entry)) is not None),
        total=int(total) if total.isdecimal() and total.isascii() else None,
    )


def _hit(entry: Node) -> Hit | None:
    # The id names the paper by an http address; the link beside it is where that redirects to.
    pages = [page.get("href", "").strip() for page in _PAGE(entry)]
    url = next(filter(None, pages), "") or _first(_ID, entry)
    if not url.startswith(("https://", "http://")):
        return None
    return Hit(
        title=_first(_TITLE, entry),
        url=url,
        snippet=_first(_SUMMARY, entry),
        provider=NAME,
        published=_first(_PUBLISHED, entry) or None,
        authors=_texts(_AUTHORS, entry),
        site=SITE,
    )


def _texts(find: Callable[[Node], list[Node]], node: Node) -> tuple[str, ...]:
    return tuple(text for found in find(node) if (text := xml.text(found)))


def _first(find: Callable[[Node], list[Node]], node: Node) -> str:
    return next((xml.text(found) for found in find(node)), "")
