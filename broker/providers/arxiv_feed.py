"""arXiv's answers: an Atom feed of papers, or of one entry that is an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.models import Hit
from extract import xml

if TYPE_CHECKING:
    from collections.abc import Callable

    from extract.tree import Node

NAME = "arxiv"
SITE = "arXiv"

_ATOM = "http://www.w3.org/2005/Atom"
_PREFIXES = {"a": _ATOM, "o": "http://a9.com/-/spec/opensearch/1.1/"}

_ENTRIES = xml.query("a:entry", _PREFIXES)
_TOTAL = xml.query("o:totalResults", _PREFIXES)
_ID = xml.query("a:id", _PREFIXES)
_TITLE = xml.query("a:title", _PREFIXES)
_SUMMARY = xml.query("a:summary", _PREFIXES)
_PUBLISHED = xml.query("a:published", _PREFIXES)
_AUTHORS = xml.query("a:author/a:name", _PREFIXES)
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
    names = (xml.text(author) for author in _AUTHORS(entry))
    return Hit(
        title=_first(_TITLE, entry),
        url=url,
        snippet=_first(_SUMMARY, entry),
        provider=NAME,
        published=_first(_PUBLISHED, entry) or None,
        authors=tuple(filter(None, names)),
        site=SITE,
    )


def _first(find: Callable[[Node], list[Node]], node: Node) -> str:
    return next((xml.text(found) for found in find(node)), "")
