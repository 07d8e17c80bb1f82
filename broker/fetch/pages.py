"""Getting the bytes of a page or document: one client for a service, a visit for each page.

    async with PageClient(egress) as pages:
        page = await pages.get(ctx, "https://example.org/")

Every connection passes the egress policy, every host has its pace, every body its bound. Error
pages are pages: what is worth reading is judged by others. Cookies live as long as the client and
only in memory. httpx costs a tenth of a second to load, which a worker thread does at the first
page, or before it when `prepare` is called.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Self

import anyio
import anyio.to_thread

from broker.deadline import bounded_close
from broker.errors import PageFailed, Phase, TimedOut
from broker.fetch.fetched import Ask, FetchedPage, PageStatistics, Tally
from broker.fetch.schedule import HostSchedule
from broker.redact import redact, safe_url
from broker.trace import OFF, Event
from broker.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    import httpx

    from broker.context import RequestContext
    from broker.deadline import Deadline
    from broker.egress.dial import Egress
    from broker.fetch.exchange import Ways
    from broker.fetch.visit import Visit
    from broker.trace import Trace

__all__ = ["ACCEPT", "FetchedPage", "PageClient", "PageStatistics"]

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
USER_AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    f"Chrome/156.0.0.0 Safari/537.36 webaio/{__version__}"
)
"""Used while no browser of the product's own has said what it is; it says that it is webaio."""

_RESERVE_S = 0.3
"""Kept from the time given, to hand over what there is of a page that has not ended."""
_RESERVE_SHARE = 0.1
"""The same where little time is given."""
_CLOSE_GRACE_S = 1.0
_MAX_COOKIES = 2000
_TEND_EVERY = 100
"""Pages between two looks at how many there are."""


class PageClient:
    """An async context manager; safe for any number of pages at once.

    Args:
        egress: the way out.
        user_agent: asked for each page; what it says is the agent, unless it is empty.
        languages: the header `Accept-Language`.
        schedule: the pace at each host.
        chance: from 0 to 1; spreads retries.
    """

    def __init__(
        self,
        egress: Egress,
        *,
        user_agent: Callable[[], str] | None = None,
        languages: str = "en-US,en;q=0.9",
        schedule: HostSchedule | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._egress = egress
        self._user_agent = user_agent
        self._languages = languages
        self._schedule = schedule or HostSchedule()
        self._chance = chance
        self._tally = Tally()
        self._ways: Ways | None = None
        self._opening = anyio.Lock()

    def __repr__(self) -> str:
        return f"<PageClient {self.statistics()}>"

    async def __aenter__(self) -> Self:
        """Open nothing yet."""
        return self

    async def __aexit__(
        self,
        _exc_type: type[BaseException] | None,
        _exc: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Close the connections that are kept."""
        if self._ways is not None:
            await bounded_close(self._ways.client.aclose, _CLOSE_GRACE_S)

    async def prepare(self) -> None:
        """Have everything loaded, so that the next page starts at once."""
        await self._ready(OFF)

    async def get(
        self,
        ctx: RequestContext,
        url: str,
        *,
        accept: str = ACCEPT,
        etag: str | None = None,
        last_modified: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> FetchedPage:
        """The page at an address, shortly before the request's deadline at the latest.

        Text that has come by then is returned as far as it has, `truncated`.

        Args:
            ctx: the request it is for.
            url: http or https.
            accept: the header `Accept`.
            etag: of what the caller has already; the answer may then be `not_modified`.
            last_modified: the same where there is no `etag`.
            headers: beside the usual ones; sent to the origin of `url` alone.

        Raises:
            PageFailed: there is nothing to read; one of its leaves says why.
            Refused: the policy forbids the address, or one that it leads to.
            RequestInvalid: it is no address.
        """
        return await self._visited(ctx, Ask(url, accept, etag, last_modified, headers or {}))

    async def get_once(
        self, ctx: RequestContext, url: str, *, accept: str, headers: Mapping[str, str]
    ) -> FetchedPage:
        """The same for whoever counts requests: an answer is not asked for again, whatever it is.

        Raises:
            PageFailed, Refused, RequestInvalid: as above.
        """
        return await self._visited(ctx, Ask(url, accept, None, None, headers, once=True))

    async def _visited(self, ctx: RequestContext, wanted: Ask) -> FetchedPage:
        until = self._until(ctx)
        visit: Visit | None = None
        self._tally.pages += 1
        try:
            with until.scope():
                ways = await self._ready(ctx.trace)
                self._tend_cookies(ways)
                from broker.fetch.visit import Visit  # noqa: PLC0415 - loaded by _ready

                visit = Visit(ways, ctx, wanted, until)
                return await visit.run()
            page = None if visit is None else visit.in_hand()
            if page is None:
                raise _unbegun(wanted.url) if visit is None else visit.timed_out()
        except PageFailed:
            self._tally.failed += 1
            raise
        return page

    def statistics(self) -> PageStatistics:
        """What has been done since the client was opened, and what is going on."""
        return PageStatistics(
            pages=self._tally.pages,
            requests=self._tally.requests,
            retries=self._tally.retries,
            failed=self._tally.failed,
            in_flight=self._schedule.active,
            waiting=self._schedule.waiting,
        )

    def _tend_cookies(self, ways: Ways) -> None:
        """Start afresh when thousands have come together: nobody needs those of weeks ago."""
        if self._tally.pages % _TEND_EVERY == 0 and len(ways.client.cookies.jar) > _MAX_COOKIES:
            ways.client.cookies.jar.clear()

    def _until(self, ctx: RequestContext) -> Deadline:
        reserve_s = min(_RESERVE_S, _RESERVE_SHARE * ctx.deadline.remaining_s())
        return ctx.deadline.earlier_by(reserve_s)

    def _headers(self) -> dict[str, str]:
        """What every request carries; no more than a browser says, and nothing made up."""
        agent = self._user_agent() if self._user_agent is not None else ""
        return {
            "User-Agent": agent or USER_AGENT,
            "Accept-Language": self._languages,
            "Accept-Encoding": "gzip, deflate, br, zstd",
            "Upgrade-Insecure-Requests": "1",
        }

    async def _ready(self, trace: Trace) -> Ways:
        if self._ways is None:
            async with self._opening:
                if self._ways is None:
                    with trace.span(Event.HTTP_LOAD):
                        # Whoever's time is up need not wait for it.
                        client = await anyio.to_thread.run_sync(
                            _load, self._egress, abandon_on_cancel=True
                        )
                    self._ways = self._joined(client)
        return self._ways

    def _joined(self, client: httpx.AsyncClient) -> Ways:
        from broker.fetch.exchange import Ways  # noqa: PLC0415 - loaded by _load

        return Ways(
            client=client,
            egress=self._egress,
            schedule=self._schedule,
            tally=self._tally,
            headers=self._headers,
            chance=self._chance,
        )


def _load(egress: Egress) -> httpx.AsyncClient:
    """Load everything that pages need; blocks for some tenths of a second."""
    from http.cookiejar import CookieJar, DefaultCookiePolicy  # noqa: PLC0415 - 50 ms

    import h2.connection  # noqa: F401, PLC0415 - httpcore would load it in the event loop

    import broker.fetch.visit  # noqa: F401, PLC0415 - as above
    from broker.fetch.reading import reading_client  # noqa: PLC0415 - as above

    client = reading_client(egress, http2=True)
    # Strict: no site sets a cookie for all of co.uk.
    client.cookies = CookieJar(DefaultCookiePolicy(strict_domain=True))
    return client


def _unbegun(url: str) -> TimedOut:
    shown = redact(safe_url(url))
    message = f"there was no time to ask for {shown}"
    return TimedOut(message, url=shown, phase=Phase.WAITING)
