"""What goes into the store and comes out: documents, their passages, and how full it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEntry:
    """One heading of a document."""

    level: int
    text: str
    words: int
    """Words from here to the next heading."""
    offset: int = 0
    """Where the heading starts, in characters of the Markdown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One link of a document."""

    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A page or file as it was read."""

    key: str
    """What it is found again by: the normalised address or path, and the variant (rendered, …)
    where there are several. One key has one document: reading it anew replaces what was there."""
    id: str = ""
    """Handle for a person or an agent; made by the store from the key."""
    source: str
    """As it was asked for."""
    final_url: str
    title: str
    verdict: str
    via: str
    """How it was got: http, browser, reader, wayback, local or api."""
    markdown: str
    outline: tuple[OutlineEntry, ...] = ()
    links: tuple[Link, ...] = ()
    blocks: str = ""
    """What its maker wants to find again beside the Markdown, as text only it understands."""
    published: str | None = None
    byline: str | None = None
    lang: str | None = None
    warnings: tuple[str, ...] = ()
    etag: str | None = None
    last_modified: str | None = None
    """The origin's header as it stood, for asking again."""
    fetched_at_s: float
    """When it was fetched, or its origin last said that it had not changed; wall clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A part of a document, as it goes in: what a search finds and cites."""

    text: str
    offset: int
    """Where it starts, in characters of the document's Markdown."""
    section: str = ""
    """The headings above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A part of a stored document that a search found."""

    document_id: str
    title: str
    url: str
    section: str
    offset: int
    """Where it starts, in characters of the document's Markdown."""
    text: str
    score: float
    """BM25, the larger the better; comparable within one search only."""
    published: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatistics:
    """How full the store is."""

    documents: int
    bytes: int
    """UTF-8 bytes of everything stored of them, without the index, which adds three quarters."""
    oldest_age_s: float | None
    """Seconds since the oldest was fetched; None when there is none."""
    hot_documents: int
    """How many this process has in memory."""
    hot_chars: int
    """Characters of their Markdown."""
    waiting: int
    """Documents in memory alone, because another process holds the file."""
