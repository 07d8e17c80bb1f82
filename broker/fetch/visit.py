"""One page on its way: its address, those that it leads to, and each of them again where it helps.

A visit keeps what it has in hand, so that whoever's time is up can take that instead. It opens no
scope but bounded closes. Loading this module loads httpx.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import httpx

from broker.egress.locate import scheme_of
from broker.egress.policy import SCHEMES, EgressRefused, origin
from broker.errors import BrokenOff, Misdirected, NotConnected, Phase, RequestInvalid
from broker.fetch.exchange import Exchange, host_of
from broker.fetch.fetched import FetchedPage
from broker.fetch.media import media_type, sniff
from broker.fetch.redirects import MAX_REDIRECTS, is_downgrade, location, refresh, split_login
from broker.fetch.retries import is_transient, retry_after_s, wait_s
from broker.redact import redact, safe_url

if TYPE_CHECKING:
    from broker.context import RequestContext
    from broker.deadline import Deadline
    from broker.egress.policy import Origin, Target
    from broker.errors import PageFailed
    from broker.fetch.exchange import Answer, Ways
    from broker.fetch.fetched import Ask

_OK = range(200, 300)
_NOT_MODIFIED = 304
_MARKUP = ("text/html", "application/xhtml+xml", "")


class Visit:
    """The way to one page.

    Args:
        ways: what it goes by.
        ctx: whose it is.
        ask: what is wanted.
        until: when it should be over; only planned with, the scope is the caller's.
    """

    def __init__(self, ways: Ways, ctx: RequestContext, ask: Ask, until: Deadline) -> None:
        self._ways = ways
        self._ctx = ctx
        self._ask = ask
        self._until = until
        self._exchange = Exchange(ways, ctx)
        self._spare: FetchedPage | None = None
        """What an earlier try brought, and is better than nothing."""
        self._hops: list[str] = []
        self._seen: set[tuple[str, str]] = set()
        self._asked: Origin | None = None
        """The origin of the address that was asked for."""
        self._logins: dict[Origin, tuple[str, str]] = {}
        self._notes: list[str] = []
        self._retries = 0

    async def run(self) -> FetchedPage:
        """Go there. Safe to cancel: what has come can then be had from `in_hand`.

        Raises:
            PageFailed: there is no answer.
            Refused: the policy forbids the address, or one that it leads to.
            RequestInvalid: it is no address.
        """
        target = self._ways.egress.policy.check_url(self._ask.url)
        self._asked = origin(target.url)
        continued = False
        while True:
            self._remember(target)
            page = await self._get(target, continued=continued)
            where = self._onward(page)
            if where is None:
                return page
            previous, target = target, self._step(page, where)
            continued = host_of(previous) == host_of(target)

    def in_hand(self) -> FetchedPage | None:
        """What there is to read now, if there is anything."""
        answer = self._exchange.arriving
        if answer is None or not answer.body.readable:
            return self._spare
        self._notes.append("the time ran out while the body was read")
        answer.data = answer.body.end(cut_off=True)
        return self._page(answer)

    def timed_out(self) -> PageFailed:
        """The error that nothing came in time."""
        return self._exchange.track.timed_out(self._exchange.shown)

    # One address, again and again

    async def _get(self, target: Target, *, continued: bool) -> FetchedPage:
        renewed = False
        while True:
            page, failure = None, None
            try:
                page = await self._attempt(target, continued=continued)
            except (NotConnected, BrokenOff) as error:
                failure = error
            continued = False
            if failure is not None and self._exchange.track.reused and not renewed:
                renewed = True  # a kept connection that the server had given up meanwhile
                continue
            pause_s = self._pause_s(page, failure)
            if pause_s is None:
                return self._settled(page, failure)
            self._spare = page or self._spare
            self._retries += 1
            self._ways.tally.retries += 1
            await anyio.sleep(pause_s)

    async def _attempt(self, target: Target, *, continued: bool) -> FetchedPage:
        ask = self._ask
        headers = {"Accept": ask.accept}
        if origin(target.url) == self._asked:
            headers |= ask.headers
        if ask.etag:
            headers["If-None-Match"] = ask.etag
        elif ask.last_modified and not self._hops:
            # A date alone may be older than another page that this one leads to.
            headers["If-Modified-Since"] = ask.last_modified
        login = self._logins.get(origin(target.url))
        return self._page(await self._exchange.ask(target, headers, login, continued=continued))

    def _pause_s(self, page: FetchedPage | None, failure: PageFailed | None) -> float | None:
        """How long to wait before the next try; None for none."""
        retries = self._retries
        if failure is not None:
            if not failure.retryable:
                return None
        elif page is None or not self._may_differ(page):
            return None
        elif page.truncated and retries:
            return None  # one more try is enough where there is some text
        asked_s = None if page is None else page.retry_after_s
        left_s, chance = self._until.remaining_s(), self._ways.chance()
        return wait_s(retries, asked_s=asked_s, left_s=left_s, chance=chance)

    def _may_differ(self, page: FetchedPage) -> bool:
        """Whether the next try may bring more than this page."""
        if self._ask.once:
            return False
        answer = self._exchange.arriving
        cut_off = answer is not None and answer.cut_off
        return cut_off or is_transient(page.status, page.headers)

    def _settled(self, page: FetchedPage | None, failure: PageFailed | None) -> FetchedPage:
        """The best of what the tries brought."""
        spare, self._spare = self._spare, None
        if failure is not None and spare is None:
            raise failure
        both = [each for each in (page, spare) if each is not None]
        if both[0].truncated:
            return max(both, key=lambda each: (each.status in _OK, len(each.body)))
        return both[0]

    def _page(self, answer: Answer) -> FetchedPage:
        headers, ask = answer.headers, self._ask
        content_type = headers.get("content-type", "")
        not_modified = answer.status == _NOT_MODIFIED and bool(ask.etag or ask.last_modified)
        kept = (ask.etag, ask.last_modified) if not_modified else (None, None)
        return FetchedPage(
            url=ask.url,
            final_url=answer.url,
            status=answer.status,
            headers=headers,
            body=answer.data,
            content_type=content_type,
            media_type=media_type(content_type),
            sniffed_type=sniff(answer.data),
            truncated=answer.body.truncated,
            broken_off=answer.body.broken_off,
            redirects=tuple(self._hops),
            etag=headers.get("etag") or kept[0],
            last_modified=headers.get("last-modified") or kept[1],
            not_modified=not_modified,
            retry_after_s=retry_after_s(headers),
            notes=(*self._notes, *answer.body.notes),
        )

    # From one address to the next

    def _onward(self, page: FetchedPage) -> str | None:
        """Where the page sends its reader, None where it is to be read itself."""
        where = location(page.status, page.headers, page.final_url)
        return self._refreshed(page) if where is None and page.status in _OK else where

    def _refreshed(self, page: FetchedPage) -> str | None:
        markup = page.media_type in _MARKUP
        where = refresh(page.headers, page.body, page.final_url, markup=markup)
        if where is None or scheme_of(where) not in SCHEMES:
            return None
        try:
            url, _ = split_login(self._ways.egress.policy.check_url(where).url)
        except RequestInvalid:
            return None
        except EgressRefused:
            return where  # said where every other step is
        # What it would only load again is to be read as it is.
        return None if self._state(url) in self._seen else where

    def _step(self, page: FetchedPage, where: str) -> Target:
        """The next address, if it may be gone to."""
        before = self._exchange.shown
        if len(self._hops) >= MAX_REDIRECTS:
            message = f"{before} is still a redirect after {MAX_REDIRECTS} of them"
            raise Misdirected("too_many_redirects", message, url=before)
        shown = redact(safe_url(where))
        try:
            target = self._ways.egress.policy.check_url(where)
        except EgressRefused as error:
            error.url, error.phase = shown, Phase.HEADERS
            raise
        except RequestInvalid as error:
            message = f"{before} leads to {shown}, which is no address"
            raise Misdirected("bad_redirect", message, url=before) from error
        self._ctx.follow(target.url)
        if is_downgrade(page.final_url, target.url):
            self._notes.append(f"{before} leads from https to http")
        self._hops.append(page.final_url)
        return target

    def _remember(self, target: Target) -> None:
        """Notice a circle: the same address with the same cookies can only lead the same way."""
        url, login = split_login(target.url)
        if login is not None:
            self._logins[origin(url)] = login
        state = self._state(url)
        if state in self._seen:
            shown = redact(safe_url(url))
            raise Misdirected("redirect_loop", f"{shown} leads back to itself", url=shown)
        self._seen.add(state)

    def _state(self, url: str) -> tuple[str, str]:
        """An address, and the cookies that it would be asked for with."""
        try:
            request = self._ways.client.build_request("GET", url)
        except httpx.InvalidURL as error:
            raise RequestInvalid("this address cannot be requested", field="source") from error
        return url, request.headers.get("cookie", "")
