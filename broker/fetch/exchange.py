"""One request for a page and the whole of its answer, at its host's next turn.

What has come of the answer stays in reach while it comes. Loading this module loads httpx.
"""

from __future__ import annotations

import ssl
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

import httpx
from h2.exceptions import H2Error

from broker.deadline import bounded_close
from broker.egress.proxies import ProxyUnusable
from broker.errors import BrokenOff, Phase
from broker.fetch.bodies import Body
from broker.fetch.faults import Track, converted
from broker.fetch.media import media_type
from broker.fetch.redirects import location, split_login
from broker.redact import redact, safe_url
from broker.trace import Event

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from broker.context import RequestContext
    from broker.egress.dial import Egress
    from broker.egress.policy import Target
    from broker.fetch.fetched import Tally
    from broker.fetch.schedule import HostSchedule

_CLOSE_GRACE_S = 1.0
_DRAIN_GRACE_S = 0.2
_DRAIN_BYTES = 16 << 10
"""A redirect's own page up to this size is read to its end: the connection can then be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What all pages of a client share."""

    client: httpx.AsyncClient
    egress: Egress
    schedule: HostSchedule
    tally: Tally
    headers: Callable[[], dict[str, str]]
    """Those that every request carries."""
    chance: Callable[[], float]


@dataclass(slots=True, kw_only=True)
class Answer:
    """An answer whose body is, or was, coming in."""

    url: str
    """Without user and password."""
    status: int
    headers: Mapping[str, str]
    body: Body
    data: bytes = b""
    """The whole body, once it has ended."""
    cut_off: bool = False
    """Whether the connection ended before the body did."""


class Exchange:
    """Makes the requests for one page, one at a time."""

    def __init__(self, ways: Ways, ctx: RequestContext) -> None:
        self.track = Track()
        self.shown = ""
        """The present address, for messages."""
        self.arriving: Answer | None = None
        """The answer whose body comes in, or came in last; None before there is any."""
        self._ways = ways
        self._ctx = ctx

    async def ask(
        self,
        target: Target,
        headers: Mapping[str, str],
        login: tuple[str, str] | None,
        *,
        continued: bool,
    ) -> Answer:
        """Ask for an address and read the answer to its end. Safe to cancel.

        Args:
            target: where to.
            headers: beside those of the client.
            login: user and password.
            continued: whether the host's own redirect led here.

        Raises:
            PageFailed: there is no answer, or none that can be read.
            EgressRefused: the name stands for something forbidden.
        """
        self.arriving = None
        self.track.begin()
        url, _ = split_login(target.url)
        self.shown = redact(safe_url(url))
        ways = self._ways
        async with ways.schedule.turn(host_of(target), continued=continued):
            self.track.send()
            ways.tally.requests += 1
            with (
                self._ctx.trace.span(Event.HTTP_REQUEST, method="GET", url=self.shown) as span,
                converted(self.shown, self.track, proxied=_proxied(ways.egress, target)),
            ):
                request = ways.client.build_request(
                    "GET",
                    url,
                    headers={**ways.headers(), **headers},
                    extensions={"trace": self.track.note},
                )
                auth = None if login is None else httpx.BasicAuth(*login)
                try:
                    response = await ways.client.send(request, auth=auth, stream=True)
                finally:
                    await self.track.close_half_open()
                try:
                    answer = await self._received(response, url)
                finally:
                    await _close(response)
                span.set(status=answer.status, bytes=len(answer.data))
        return answer

    async def _received(self, response: httpx.Response, url: str) -> Answer:
        headers = dict(response.headers.items())
        body = Body(
            coding=headers.get("content-encoding", ""),
            declared=media_type(headers.get("content-type", "")),
            shown_url=self.shown,
        )
        answer = Answer(url=url, status=response.status_code, headers=headers, body=body)
        if location(answer.status, headers, url) is not None:
            await bounded_close(partial(_drain, response), _DRAIN_GRACE_S)
            return answer
        self.arriving = answer
        answer.cut_off = await _fill(body, response)
        unread = not body.readable
        answer.data = body.end(cut_off=answer.cut_off)
        if body.truncated and unread:
            message = f"{self.shown} broke off before there was anything to read"
            raise BrokenOff("cut_off", message, url=self.shown, phase=Phase.DOWNLOADING)
        return answer


def host_of(target: Target) -> str:
    """What counts as one host: plain and TLS on their usual ports are the same."""
    return str(target.host) if target.port in {80, 443} else str(target)


async def _fill(body: Body, response: httpx.Response) -> bool:
    """Read the body; returns whether it broke off with something to read in hand."""
    length = response.headers.get("content-length", "")
    if length.isascii() and length.isdigit():
        body.expect(int(length[:18]))
    try:
        async with aclosing(_chunks(response)) as chunks:
            async for chunk in chunks:
                body.feed(chunk)
                if body.full:
                    return False
    except (httpx.TransportError, ssl.SSLError, H2Error):
        if not body.readable:
            raise
        body.notes.append("the connection ended before the body did")
        return True
    return False


async def _drain(response: httpx.Response) -> None:
    read = 0
    async with aclosing(_chunks(response)) as chunks:
        async for chunk in chunks:
            read += len(chunk)
            if read > _DRAIN_BYTES:
                return


def _chunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The body as it comes over the wire; to be closed, which httpx's own type does not say."""
    return cast("AsyncGenerator[bytes, None]", response.aiter_raw())


async def _close(response: httpx.Response) -> None:
    if response.http_version == "HTTP/2" and not response.is_closed:
        # httpcore 1.0 cannot cancel a stream: the rest of it would take up the connection's room
        # until nothing comes through any more.
        await bounded_close(response.extensions["network_stream"].aclose, _CLOSE_GRACE_S)
    await bounded_close(response.aclose, _CLOSE_GRACE_S)


def _proxied(egress: Egress, target: Target) -> bool:
    try:
        return egress.proxies.route(target, tls=target.url.startswith("https:")) is not None
    except ProxyUnusable:
        return True
