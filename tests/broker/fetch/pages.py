"""What the tests of pages share: a client for a loopback web, and the error that was raised."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from broker.context import RequestContext
from broker.deadline import Deadline
from broker.errors import BrokerError
from broker.fetch.pages import FetchedPage, PageClient
from broker.fetch.schedule import HostSchedule
from broker.trace import OFF
from tests.broker.egress.doubles import Names, egress_for, server
from tests.emulators.server import LoopbackServer
from tests.emulators.web_faults import Faults

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from anyio.abc import SocketStream

    from broker.egress.dial import Egress


def context(budget_s: float = 20.0) -> RequestContext:
    return RequestContext(request_id="r", deadline=Deadline.after(budget_s), trace=OFF)


class Reader:
    """A client and the web it reads."""

    def __init__(self, pages: PageClient, web: LoopbackServer) -> None:
        self.pages = pages
        self.web = web

    async def get(self, path: str, budget_s: float = 20.0, **options: object) -> FetchedPage:
        url = path if path.startswith("http") else f"{self.web.origin}/{path}"
        return await self.pages.get(context(budget_s), url, **options)  # type: ignore[arg-type]

    async def fails(self, path: str, budget_s: float = 20.0) -> BrokerError:
        with pytest.raises(BrokerError) as raised:
            await self.get(path, budget_s)
        return raised.value


@asynccontextmanager
async def reading(
    *, names: Names | None = None, allow: tuple[str, ...] = (), gap_s: float = 0.0
) -> AsyncIterator[Reader]:
    """A client for a fresh site of faults; hosts are not asked slowly, unless that is wanted."""
    async with LoopbackServer(Faults()) as web:
        egress = egress_for(open_origin=web.origin, names=names, allow=allow)
        async with client(egress, gap_s=gap_s) as pages:
            yield Reader(pages, web)


@asynccontextmanager
async def talking_to(
    speak: Callable[[SocketStream], Awaitable[object]],
) -> AsyncIterator[tuple[PageClient, str]]:
    """A client, and the origin of a server that says what a test wants to each connection."""
    async with server(speak) as port:
        origin = f"http://127.0.0.1:{port}"
        async with client(egress_for(open_origin=origin)) as pages:
            yield pages, origin


@asynccontextmanager
async def client(egress: Egress, *, gap_s: float = 0.0) -> AsyncIterator[PageClient]:
    """A client that has loaded everything."""
    schedule = HostSchedule(gap_s=gap_s)
    async with PageClient(egress, schedule=schedule, chance=lambda: 0.0) as pages:
        await pages.prepare()
        yield pages
