"""The bytes of a page or document, and what its site said of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Ask:
    """What is wanted."""

    url: str
    accept: str
    etag: str | None = None
    last_modified: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent to the origin of `url` alone."""
    once: bool = False
    """An answer is not asked for again, whatever it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """What came of asking for an address. Error pages are pages too: look at `status`."""

    url: str
    """As it was asked for."""
    final_url: str
    """Where redirects and refreshes led; without user, password and fragment."""
    status: int
    headers: Mapping[str, str]
    """With lower-case names."""
    body: bytes
    """Unpacked."""
    content_type: str
    """The whole header; empty where there is none."""
    media_type: str
    """Its type in lower case; empty where there is none."""
    sniffed_type: str
    """The type that the first bytes show: `text/plain` and `application/octet-stream` are the
    least that can be said, and an empty body has none."""
    truncated: bool = False
    """More was to come: the bound was reached, or the connection or the time ended early."""
    broken_off: bool = False
    """It is the latter, so that another time may bring more."""
    redirects: tuple[str, ...] = ()
    """The addresses on the way, `final_url` not among them; without users and passwords."""
    etag: str | None = None
    last_modified: str | None = None
    not_modified: bool = False
    """It is still what the caller has; there is no body."""
    retry_after_s: float | None = None
    """How long the site asked to be left alone."""
    notes: tuple[str, ...] = ()
    """What was odd about it, a phrase each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageStatistics:
    """What a client has done since it was opened, and is doing."""

    pages: int = 0
    """Asked for."""
    requests: int = 0
    """Sent: redirects and retries are requests of their own."""
    retries: int = 0
    failed: int = 0
    """Pages that ended in an error, refusals by policy not among them."""
    in_flight: int = 0
    waiting: int = 0
    """For a turn at their host."""


@dataclass(slots=True)
class Tally:
    """The counts behind it, while they grow."""

    pages: int = 0
    requests: int = 0
    retries: int = 0
    failed: int = 0
