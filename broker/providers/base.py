"""What a provider is: a name, a few facts, and pure functions; nothing that fetches.

How a provider is asked is a *conversation*: a generator that yields what it wants done and is
resumed with what came of it, so that one with two steps (a session, a next-page form) reads from
top to bottom and is tested without a network. Adding a provider takes a file with its functions
and a line in the registry of this package.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime

    from broker.models import Hit, SearchQuery, Serp
    from broker.settings import ProviderSettings


class Via(StrEnum):
    """How a request is made."""

    HTTP = "http"
    BROWSER = "browser"
    """By the warm Chromium, whose handshake is a real browser's; GET only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A step of a conversation: send this and resume with the `HttpResponse`."""

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """They may hold a key, which is why no message shows them."""
    body: bytes = b""
    via: Via = Via.HTTP
    refused: str | None = None
    """The lane code with which the request before was refused, where this one is another way to
    the same answer: when it is not made in time, that is how the conversation has failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What came back. Redirects are not followed."""

    status: int
    """HTTP status; 0 when a request through the browser could not be made."""
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case."""
    body: bytes = b""
    """Decompressed, at most 10 MB."""

    @property
    def text(self) -> str:
        """The body as UTF-8, with replacement characters where it is not."""
        return self.body.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A step: the query has become `compiled`; `cut` says in words what was left out of it."""

    compiled: str
    cut: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A step: these hits are the next page; they are in the caller's hands from here on."""

    hits: tuple[Hit, ...]
    exhausted: bool = False
    """The provider has no more than this."""
    remark: str | None = None
    """Something a person may want to know, that takes nothing from the hits."""


Step: TypeAlias = HttpRequest | Asked | Found
Conversation: TypeAlias = Generator[Step, HttpResponse, None]
"""Resumed with the response after an `HttpRequest`; the value sent after other steps means nothing.

Raises `LaneFailed` with one of: rate_limited, blocked, challenge, auth, quota, bad_request,
upstream, unparseable, unavailable. Hits that were found before stay. A conversation that ends
without hits and without raising has positively recognised an empty answer.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a conversation is about."""

    query: SearchQuery
    settings: ProviderSettings
    now: datetime
    """The time of the call, UTC; recency is counted from it."""
    content: bool = False
    """The full text of the hits is wanted, where the provider has it."""
    memory: dict[str, str] = field(default_factory=dict, repr=False)
    """Kept between the calls of one process: a session id, a tool's name."""

    @property
    def today(self) -> date:
        """The day of the call, UTC."""
        return self.now.date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast a provider may be asked."""

    in_flight: int = 3
    """Requests at the same time."""
    gap_s: float = 0.0
    """Between the starts of two requests."""
    shared: bool = False
    """The gap holds across all processes of this user, one request at a time."""
    per_day: int | None = None
    """Requests a day (UTC) across all processes; None for no limit of ours."""

    def words(self) -> str | None:
        """The pace for a person; None when nothing but good manners limits it."""
        words = []
        if self.gap_s:
            words.append(f"{self.in_flight} at a time, {self.gap_s:g} s apart")
        if self.shared:
            words.append("across processes")
        if self.per_day is not None:
            words.append(f"{self.per_day} a day")
        return ", ".join(words) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A source of results: what is known of it, and the way to its module's functions."""

    name: str
    """As it stands in requests, settings and answers, and the name of its module here."""
    talks: str | None = ""
    """The module of its conversation where that is another one; None for the provider that only
    the browser lane can ask."""
    key: str | None = None
    """The variable of its key, without which it is not asked; `ProviderSettings` has a field of
    that name in lower case."""
    allowance: str | None = None
    """The field of `ProviderSettings` that holds its requests a day; 0 switches it off."""
    paid: bool = False
    """Each answer costs money."""
    pace: Pace = Pace()
    """How fast it may be asked."""

    def parse(self, page: str | bytes, url: str) -> Serp:
        """What the saved page or answer at `url` is and which hits it holds. Never raises."""
        parse: Callable[[str | bytes, str], Serp] = self._module(self.name).parse
        return parse(page, url)

    def converse(self, call: Call) -> Conversation:
        """Ask it; only for providers with a conversation."""
        converse: Callable[[Call], Conversation] = self._module(self.talks or self.name).converse
        return converse(call)

    def _module(self, name: str) -> Any:  # noqa: ANN401 - a module, known by its functions
        return import_module(f"broker.providers.{name}")

    def key_in(self, settings: ProviderSettings) -> str | None:
        """The key it is asked with; None where it has none or needs none."""
        return getattr(settings, self.key.lower()) if self.key is not None else None

    def lacks(self, settings: ProviderSettings) -> str | None:
        """What is missing for it to be asked, in words that name the setting; None for nothing."""
        if self.key is not None and not self.key_in(settings):
            return f"no key: set {self.key}"
        if self.allowance is not None and not getattr(settings, self.allowance):
            return f"switched off: {self.allowance} is 0"
        return None

    def pace_for(self, settings: ProviderSettings) -> Pace:
        """How fast it may be asked under these settings."""
        if self.allowance is None:
            return self.pace
        return replace(self.pace, per_day=getattr(settings, self.allowance))
