"""The records of reading: what is asked for, and what is answered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_SOURCES = 20
"""Most addresses and paths in one request."""

MAX_SOURCE_CHARS = 8192
"""Longest address: servers refuse longer ones."""

MAX_FIND_CHARS = 1000
"""Longest text that is searched for."""

MAX_LIMIT = 1_000_000
"""Largest window in characters."""

MAX_PASSAGES = 50
"""Most passages in one answer."""


class Render(StrEnum):
    """When a page is opened in the browser."""

    AUTO = "auto"
    """When it needs scripts."""
    NEVER = "never"
    ALWAYS = "always"


class Form(StrEnum):
    """What a document's text is given as."""

    MARKDOWN = "markdown"
    TEXT = "text"
    HTML = "html"
    """The page's own markup, as it came or as the browser made it."""
    JSON = "json"
    """The page's blocks, an object a line."""
    OUTLINE = "outline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which part of a document is wanted; nothing named means what fits an answer."""

    form: Form = Form.MARKDOWN
    find: str | None = None
    """Show where this stands instead of the text."""
    offset: int | None = None
    """Where to begin, in characters of the text in that form."""
    limit: int | None = None
    """Most characters of text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """What one call of `fetch` asks for."""

    sources: tuple[str, ...]
    """One to twenty addresses or paths."""
    part: Part = Part()
    render: Render = Render.AUTO
    fresh: bool = False
    """Ask the origin even if the page was read a moment ago."""
    query: str | None = None
    """Show the passages of all sources that answer this, instead of each source's text."""
    deadline_s: float = 20.0
    """Budget of the whole call in seconds, from its arrival."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """What one call of `read` asks for."""

    id: str
    part: Part = Part()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What one call of `recall` asks for."""

    query: str
    """A person's words; what stands in quotation marks must be there word for word."""
    max_passages: int = 10
    """How many passages are wanted, 1 to 50."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why there is no document, or not the whole of it."""

    code: str
    phase: str
    """validation, connecting, tls, waiting, headers, downloading, processing, rendering, writing"""
    category: str
    """validation, network, server, client, blocked, processing"""
    layer: str
    """Who refused or broke: network, site, proxy or broker."""
    message: str
    url: str = ""
    """Without what may be secret in it; empty where it was no address."""
    retryable: bool = False
    retry_after_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """One entry of the outline."""

    level: int
    text: str
    words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One link of a page."""

    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A place in a document where what was looked for stands, or something like it."""

    match: str
    """exact, folded (but for case and punctuation) or similar"""
    section: str
    """The headings it stands below."""
    offset: int
    """Where its paragraph begins, in characters of the document's Markdown."""
    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One document of an answer: a part of its text, and what is known of it."""

    source: str
    """As it was asked for."""
    id: str = ""
    """Handle for `read`; empty where there is nothing to read."""
    final_url: str = ""
    title: str = ""
    verdict: str = ""
    via: str = ""
    """http, browser, reader, wayback, local or api; empty where nobody answered."""
    text: str = ""
    """In the form that was asked for, without a fence."""
    note: str = ""
    """What this part is and how to get the rest, in our own words; empty where it is all."""
    chars: int = 0
    """Of the whole text in that form."""
    offset: int = 0
    """Where `text` begins in it."""
    next_offset: int | None = None
    """Where the next part begins; None where nothing follows."""
    outline: tuple[Heading, ...] = ()
    links: tuple[Target, ...] = ()
    published: str | None = None
    byline: str | None = None
    lang: str | None = None
    warnings: tuple[str, ...] = ()
    finds: tuple[Found, ...] | None = None
    """None where nothing was looked for."""
    passages: int | None = None
    """How many of the answer's passages are its; None where the text itself was asked for."""
    ms: int = 0
    error: Failure | None = None
    refused: bool = False
    """Policy forbids it, which is none of the site's doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """A passage that answers a query, and where it stands."""

    id: str
    """Of its document, handle for `read`."""
    url: str
    title: str
    section: str
    """The headings it stands below, the outermost first."""
    offset: int
    """Where it begins, in characters of the document's Markdown, of which it is a slice."""
    text: str
    score: float
    """BM25, the larger the better; comparable within one answer only."""
    published: str | None = None
    warnings: tuple[str, ...] = ()
    """What is suspicious about its text, a sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The answer to a `recall`."""

    query: str
    passages: tuple[Quotation, ...]
    """The best first; several of one document rank lower than their scores."""
    note: str = ""
    """What was left out, in our own words."""
    warnings: tuple[str, ...] = ()
    """Why not everything that was read could be searched."""
    ms: int = 0
    folder: str = ""
    """Where it was a folder that was searched: the ids are files in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """The answer to a `fetch` with a query."""

    query: str
    pages: tuple[Page, ...]
    """One for each source, in their order, without its text."""
    passages: tuple[Quotation, ...]
    """Of all the sources together; ordered as in `Recalled`."""
    note: str = ""
    """What was left out, in our own words."""
