"""A page on its way to a document: what was asked, what came, and what is told where that is none.

Pure records, and the errors that are made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.errors import Category, Phase
from broker.reading.failures import Unread
from broker.reading.plain import DOCUMENTS
from broker.reading.records import Render
from broker.redact import safe_url

if TYPE_CHECKING:
    from broker.reading.drafts import Draft
    from broker.reading.judging import Judged

GONE = frozenset({404, 410})
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses that a later try may not meet again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One address, and how it is to be read."""

    url: str
    """In the form to request."""
    index: int = 0
    """Its place in the request."""
    render: Render = Render.AUTO
    markup: bool = False
    """Keep the page's markup as its text."""
    ties: bool = False
    """Also gather what a walk over the page's site needs."""
    parse_s: float = 0.0
    """Seconds beyond the deadline that may be taken to read what has come, for who can wait."""
    etag: str | None = None
    last_modified: str | None = None
    """Set where the page is known already, to ask whether it has changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """A page that was read."""

    draft: Draft
    kind: str
    """Its verdict."""
    via: str
    final_url: str
    warnings: tuple[str, ...] = ()
    broken_off: bool = False
    """What came of the page ended early: it may say more another time."""
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A page as it came, judged."""

    via: str
    page: Judged
    final_url: str
    status: int
    notes: tuple[str, ...] = ()
    broken_off: bool = False
    """As in `Got`."""
    etag: str | None = None
    last_modified: str | None = None
    retry_after_s: float | None = None
    """How long the site asks to be left alone."""

    def got(self, *warnings: str) -> Got | None:
        """What can be read of it; None where that is nothing."""
        draft = self.page.draft
        if draft is None:
            return None
        return Got(
            draft=draft,
            kind=self.page.kind,
            via=self.via,
            final_url=self.final_url,
            warnings=(*self.notes, *warnings),
            broken_off=self.broken_off,
            etag=self.etag,
            last_modified=self.last_modified,
        )


def unread(seen: Seen, errand: Errand, repeated: str) -> Unread:
    """Why a page that is neither content nor a wall is no document."""
    kind, host = seen.page.kind, host_of(seen.final_url)
    if kind == "unsupported":
        return unsupported(seen.page, errand.url)
    if seen.status in GONE:
        message = f"{host} has no such page (status {seen.status})"
        return failed("not_found", message, errand, seen, Category.CLIENT)
    if seen.status >= 400:  # noqa: PLR2004
        message = f"{host} answers with the status {seen.status}"
        category = Category.SERVER if seen.status >= 500 else Category.CLIENT  # noqa: PLR2004
        return failed(f"http_{seen.status}", message, errand, seen, category)
    if seen.broken_off:
        message = f"{host} broke off in the middle of the page"
        return failed("cut_off", message, errand, seen, Category.NETWORK)
    if kind == "empty":
        return failed("empty", f"{host} gave a page without text", errand, seen, Category.SERVER)
    message = f"{host} shows an error page" + (f": {repeated}" if repeated else "")
    return failed("error_page", message, errand, seen, Category.CLIENT)


def unsupported(page: Judged, url: str) -> Unread:
    """Why a file is not read where nothing converts files."""
    name = page.file_name
    message = "this is a file that holds no text that could be read"
    if name:
        message = f"this is a file ({name}), which is not read as text"
    if name in DOCUMENTS:
        message += "; documents are converted by the `documents` extra"
    return Unread("unsupported", message, url=safe_url(url), category=Category.PROCESSING)


def failed(
    code: str,
    message: str,
    errand: Errand,
    seen: Seen,
    category: Category = Category.BLOCKED,
) -> Unread:
    """The error with `code` about a page; what can be read of it all the same comes along."""
    if category is Category.BLOCKED and code == "js_shell":
        category = Category.PROCESSING
    error = Unread(
        code,
        message,
        url=safe_url(errand.url),
        category=category,
        verdict=seen.page.kind,
        teaser=seen.got(),
    )
    if code.startswith("http_"):
        error.phase = Phase.HEADERS
    error.retry_after_s = seen.retry_after_s
    error.retryable = seen.status in TRANSIENT or seen.broken_off
    return error


def host_of(url: str) -> str:
    """The host of an address, as a message names it."""
    shown = safe_url(url)
    return shown.partition("://")[2].partition("/")[0].partition("?")[0] or shown
