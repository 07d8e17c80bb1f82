"""The records that pass between the stages.

All are frozen. JSON names and terminal text are made from them in `broker.wire`; nothing here
knows how a record was obtained.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date  # noqa: TC003 - part of the records, not only of their types
from enum import StrEnum

MAX_HITS = 100
"""Largest `max_hits` a query may ask for."""

MAX_QUERIES = 6
"""Most queries in one search request."""

MAX_QUERY_CHARS = 2048
"""Longest query in characters: Google reads no further, and a longer one is a mistake."""


class Recency(StrEnum):
    """A relative time window that ends now."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """One question, as validated at a door."""

    text: str
    """The words, 1 to 2048 characters, no control characters, white space folded."""
    max_hits: int = 10
    """How many hits are wanted, 1 to 100."""
    sites: tuple[str, ...] = ()
    """Host names (or host/path prefixes) to search in; empty means everywhere."""
    not_sites: tuple[str, ...] = ()
    """Host names (or host/path prefixes) to leave out."""
    since: Recency | date | None = None
    """Oldest date wanted, or a window that ends now."""
    until: date | None = None
    """Newest date wanted, inclusive."""
    lang: str | None = None
    """ISO 639-1 code in lower case, for instance `en`."""
    region: str | None = None
    """ISO 3166 code in upper case, for instance `DE`."""
    content: bool = False
    """The full text of the hits is wanted, where it can be had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What one call of `search` asks for."""

    queries: tuple[SearchQuery, ...]
    """One to six questions."""
    providers: tuple[str, ...] = ("auto",)
    """`("auto",)`, `("all",)` or provider names in the order they should be tried."""
    deadline_s: float = 7.0
    """Budget of the whole call in seconds, from its arrival."""
    chars: int = 12_000
    """Characters of full text in each answer, shared among its hits."""
    allow_secrets: bool = False
    """Let a query through that looks as if it held a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result, as the provider gave it. Its rank is its place in the answer."""

    title: str
    url: str
    """Byte-identical to the source; empty never."""
    snippet: str
    provider: str
    resolved: bool = True
    """False when `url` is a stand-in, such as an opaque redirect that was not followed."""
    published: str | None = None
    """As the provider states it: ISO 8601 where it does, else its words."""
    authors: tuple[str, ...] = ()
    site: str | None = None
    """The site's name or breadcrumb."""
    authority: int | None = None
    score: float | None = None
    points: int | None = None
    comments: int | None = None
    content: str | None = None
    content_error: str | None = None
    """Why there is no `content` although it was asked for: a code, and words."""
    featured: bool = False
    """True for the answer box above the ordinary results."""


class SerpState(StrEnum):
    """What a provider's result page is."""

    RESULTS = "results"
    NO_RESULTS = "no_results"
    CAPTCHA = "captcha"
    CONSENT_WALL = "consent_wall"
    JS_REQUIRED = "js_required"
    CHALLENGE = "challenge"
    UNSUPPORTED = "unsupported"
    BLOCKED = "blocked"
    BLANK = "blank"
    UNPARSEABLE = "unparseable"
    """Results are there, in a markup that nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextForm:
    """The form that leads to a provider's next page, to be sent as it is."""

    action: str
    """Absolute address; the method is POST."""
    fields: tuple[tuple[str, str], ...]
    """Names and values in the form's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serp:
    """A result page, parsed."""

    state: SerpState
    hits: tuple[Hit, ...] = ()
    next_url: str | None = None
    """Absolute address of the next page where the page links to one."""
    page_urls: tuple[tuple[int, str], ...] = ()
    """(start offset, absolute address) of the numbered page links, ascending by offset."""
    next_form: NextForm | None = None
    """The form for the next page, where the provider takes nothing else."""


class LaneStatus(StrEnum):
    """How a lane ended."""

    OK = "ok"
    PARTIAL = "partial"
    EMPTY = "empty"
    FAILED = "failed"
    COOLING = "cooling"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneReport:
    """What one provider did in one search."""

    provider: str
    status: LaneStatus
    ms: int
    """Duration in milliseconds."""
    hits: int = 0
    """How many hits the lane found, before merging."""
    code: str | None = None
    """Why it is not plainly ok: captcha, consent_wall, repeat, …"""
    reason: str | None = None
    """The same in words."""
    pages: int | None = None
    """Result pages read."""
    retry_after_s: int | None = None
    """Seconds until the provider is asked again."""
    compiled_query: str | None = None
    """The query as the provider received it, where that differs from the words asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one query."""

    query: str
    id: str
    """Handle of this answer; also the request id in the trace."""
    complete: bool
    """True when every hit asked for was found or the provider has no more."""
    ms: int
    hits: tuple[Hit, ...]
    lanes: tuple[LaneReport, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderStatus:
    """One provider in `status`."""

    name: str
    configured: bool
    lacks: str | None = None
    """What is missing, when not configured."""
    cooldown_s: int | None = None
    """Seconds until it is asked again, when it is left alone."""
    cooldown_code: str | None = None
    """Why it is left alone."""
    last: str | None = None
    """How it did last, and how long ago: `ok, 12 s ago`; None when it was never asked."""
    pace: str | None = None
    """How fast it may be asked, in words; None when nothing limits it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserStatus:
    """The browser in `status`."""

    state: str
    """off, idle (not started), starting, ready, failed or missing."""
    executable: str | None = None
    version: str | None = None
    sandbox: bool | None = None
    """None until a start has decided it."""
    note: str | None = None
    """What a person should know: why the sandbox is off, which command installs a browser."""
    tabs: int = 0
    uses: int = 0
    """Leases served by the running browser."""
    rss_mb: int | None = None
    """Resident memory of the browser's process tree in MiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingStatus:
    """The reading of pages in `status`; all is 0 until something was read."""

    documents: int = 0
    """In the store."""
    stored_bytes: int = 0
    """UTF-8 bytes of everything stored of them, without the index."""
    oldest_age_s: int | None = None
    hot_documents: int = 0
    """In memory."""
    waiting: int = 0
    """In memory alone, because another process holds the file."""
    pages: int = 0
    """Asked for over HTTP since the start."""
    requests: int = 0
    """Sent for them: redirects and retries are requests of their own."""
    failed: int = 0
    """Pages that ended in an error."""
    guarded: int = 0
    """Connections that pages in the browser have opened, through the guard."""
    refused: int = 0
    """Those that the policy has refused."""
    archives: bool = True
    """Whether the reader proxy and the Wayback Machine may be asked."""
    missing: tuple[str, ...] = ()
    """Parts that are not there, one sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The answer to `status`."""

    version: str
    home: str
    browser: BrowserStatus
    providers: tuple[ProviderStatus, ...]
    reading: ReadingStatus = ReadingStatus()
    warnings: tuple[str, ...] = ()
    """Optional parts that are missing or degraded, one sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One step of a running search, for a person or a client that watches."""

    query_index: int
    """Of the query, or of the source that is fetched."""
    provider: str
    """The same of a source: how it is read (http, browser, archives, local)."""
    step: str
    """started, page, resolving, wall, finished; of a source: get, judged, render, archive,
    stored"""
    detail: str
    """A short phrase without query or page text: `page 2: 10 hits`."""
    hits: int = 0
    """Hits in hand so far in this lane."""
