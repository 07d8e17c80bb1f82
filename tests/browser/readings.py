"""A renderer with the real Chromium before sites that live on JavaScript."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio

from broker.browser.engine import LaunchedEngine
from broker.browser.pool import TabPool
from broker.browser.render import Renderer
from broker.browser.watch import TabPolicy, WatchPlan
from broker.context import RequestContext
from broker.deadline import Deadline
from broker.egress.guard import Guard
from broker.errors import BrowserError
from broker.settings import BrowserSettings
from broker.trace import OFF
from tests.broker.egress.doubles import egress_for
from tests.emulators.server import LoopbackServer
from tests.emulators.web_apps import WebApps
from tests.waiting import WAIT_S, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from broker.browser.render import RenderedPage
    from broker.browser.tab import Tab

PATIENT_S = 40.0
"""A deadline that a busy machine does not reach."""

SEARCH_POLICY = TabPolicy(watch=WatchPlan(), may_visit=lambda _: False, hosts=("nowhere.invalid",))


class Saboteur(TabPool):
    """Lends tabs, and ends the page's process under a request whose id is `killed`."""

    @asynccontextmanager
    async def lease(
        self,
        ctx: RequestContext,
        *,
        fresh: bool = False,
        policy: TabPolicy | None = None,
        site: str = "",
    ) -> AsyncIterator[Tab]:
        async with super().lease(ctx, fresh=fresh, policy=policy, site=site) as tab:
            if ctx.request_id == "killed":
                self._tasks.start_soon(kill, tab)
            yield tab


async def kill(tab: Tab) -> None:
    """Let the process of a page end while the page waits for an answer."""
    while not (tab.documents and tab.traffic.busy):  # noqa: ASYNC110 - the tab tells one at a time
        await anyio.sleep(0.01)
    with suppress(BrowserError):
        await tab.session.send("Page.crash")


@dataclass(frozen=True, kw_only=True)
class Reading:
    server: LoopbackServer
    guard: Guard
    pool: TabPool
    renderer: Renderer
    home: Path

    async def render(
        self, path: str, budget_s: float = PATIENT_S, request_id: str = "test"
    ) -> RenderedPage:
        """The page at a path of the server, or at a whole address."""
        url = path if "://" in path.partition("?")[0] else f"{self.server.origin}/{path}"
        deadline = Deadline.after(budget_s)
        ctx = RequestContext(request_id=request_id, deadline=deadline, trace=OFF)
        return await self.renderer.render(ctx, url)

    async def settled(self) -> None:
        """Until no tab is lent, closed or opened any more."""
        browsers = self.pool._generations
        await until(
            lambda: not any(each.lent or each._warming or each.apart._filling for each in browsers)
        )

    async def tidy(self) -> list[dict[str, Any]]:
        """Until there is no page but the pool's tabs; returns those."""
        await self.settled()
        pages = []
        with anyio.move_on_after(WAIT_S):
            while True:
                pages = await self.pages()
                if len(pages) == self.pool.status().tabs:
                    return pages
                await anyio.sleep(0.05)
        raise AssertionError(f"{self.pool.status().tabs} tabs, but there are {pages}")

    async def pages(self) -> list[dict[str, Any]]:
        targets = await self._browser("Target.getTargets")
        return [info for info in targets["targetInfos"] if info["type"] == "page"]

    async def contexts(self) -> int:
        return len((await self._browser("Target.getBrowserContexts"))["browserContextIds"])

    async def _browser(self, method: str) -> dict[str, Any]:
        assert self.pool._current is not None
        engine = self.pool._current.engine
        assert isinstance(engine, LaunchedEngine)
        return await engine._browser.send(method)


@asynccontextmanager
async def new_reading(
    home: Path, pool: type[TabPool] = TabPool, browser: BrowserSettings | None = None
) -> AsyncIterator[Reading]:
    """A renderer that may go to the server's origin, and nowhere else on this machine."""
    async with LoopbackServer(WebApps()) as server:
        egress = egress_for(open_origin=server.origin)
        async with (
            Guard(egress) as guard,
            pool(browser or BrowserSettings(), home, lambda: SEARCH_POLICY, OFF) as tabs,
        ):
            renderer = Renderer(tabs, guard, egress)
            yield Reading(server=server, guard=guard, pool=tabs, renderer=renderer, home=home)
