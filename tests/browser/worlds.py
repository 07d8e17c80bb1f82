"""A broker with the real Chromium before the loopback web, and ways to look behind it."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import psutil

from broker.browser.engine import LaunchedEngine
from broker.context import RequestContext
from broker.deadline import Deadline
from broker.models import SearchQuery, SearchRequest
from broker.service import open_broker
from broker.settings import BrowserSettings, LaneSettings, ProviderSettings, Settings
from broker.trace import OFF
from tests.emulators.google.app import Google
from tests.emulators.server import LoopbackServer
from tests.waiting import WAIT_S, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from broker.browser.pool import TabPool
    from broker.models import Answer, LaneReport
    from broker.service import Broker

GOOGLE_ONLY = ("google",)

PATIENT = LaneSettings(google_lane_s=8.0)
"""A lane that a busy machine does not make late; test_deadlines.py has the real one."""


@dataclass(frozen=True, kw_only=True)
class World:
    google: Google
    server: LoopbackServer
    broker: Broker
    settings: Settings

    @property
    def pool(self) -> TabPool:
        pool = self.broker._tabs
        assert pool is not None
        return pool

    async def search(
        self, text: str, wanted: int = 10, *, deadline_s: float = 20.0
    ) -> tuple[Answer, LaneReport]:
        """The answer to one query, and what the Google lane says of it."""
        answer = await search(self.broker, text, wanted, deadline_s=deadline_s)
        return answer, answer.lanes[0]

    async def forget(self) -> None:
        """Take away what Google has left: cookies and cooldowns."""
        for name in ("google", "google.goto"):
            clear = partial(self.broker._store.clear_cooldown, name, running=True)
            await anyio.to_thread.run_sync(clear)
        ctx = RequestContext(request_id="test", deadline=Deadline.after(10), trace=OFF)
        async with self.pool.lease(ctx) as tab:
            await tab.session.send("Storage.clearCookies")

    async def settled(self) -> None:
        """Wait until every tab has come back and was tidied up, and none is being opened."""
        browsers = self.pool._generations
        await until(lambda: not any(each.lent or each._warming for each in browsers))

    async def tidy(self) -> list[dict[str, Any]]:
        """Wait until there is no page but the pool's tabs, and return those.

        A page whose scripts never end takes the browser a second to close.
        """
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
        """Every page in the browser."""
        targets = await self._browser("Target.getTargets")
        return [info for info in targets["targetInfos"] if info["type"] == "page"]

    async def contexts(self) -> list[str]:
        """Every browser context that was made."""
        found: list[str] = (await self._browser("Target.getBrowserContexts"))["browserContextIds"]
        return found

    async def _browser(self, method: str) -> dict[str, Any]:
        assert self.pool._current is not None
        engine = self.pool._current.engine
        assert isinstance(engine, LaunchedEngine)
        return await engine._browser.send(method)


async def search(
    broker: Broker, text: str, wanted: int = 10, *, deadline_s: float = 20.0
) -> Answer:
    query = SearchQuery(text=text, max_hits=wanted)
    request = SearchRequest(queries=(query,), providers=GOOGLE_ONLY, deadline_s=deadline_s)
    (answer,) = await broker.search(request)
    return answer


@asynccontextmanager
async def new_world(
    home: Path, browser: BrowserSettings | None = None, lanes: LaneSettings = PATIENT
) -> AsyncIterator[World]:
    """A loopback Google and a broker that knows no other."""
    google = Google()
    async with LoopbackServer(google) as server:
        settings = settings_for(server.origin, home, browser, lanes)
        async with open_broker(settings) as broker:
            yield World(google=google, server=server, broker=broker, settings=settings)


def settings_for(
    origin: str,
    home: Path,
    browser: BrowserSettings | None = None,
    lanes: LaneSettings = PATIENT,
) -> Settings:
    return Settings(
        home=home,
        lanes=lanes,
        browser=browser or BrowserSettings(),
        providers=ProviderSettings(google_url=origin),
    )


@asynccontextmanager
async def broker_for(
    server: LoopbackServer, home: Path, browser: BrowserSettings | None = None
) -> AsyncIterator[Broker]:
    async with open_broker(settings_for(server.origin, home, browser)) as broker:
        yield broker


def urls(answer: Answer) -> list[str]:
    return [hit.url for hit in answer.hits]


def processes_of(home: Path) -> list[psutil.Process]:
    """The processes that run with a folder of this home; zombies do not run."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = process.info["cmdline"] or []
        running = process.info["status"] != psutil.STATUS_ZOMBIE
        if running and any(f"{home}/run" in word for word in words):
            found.append(process)
    return found


def running_in(group: int) -> list[psutil.Process]:
    """The processes of a group that run."""
    return [
        process
        for process in psutil.process_iter(["status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE and _group(process) == group
    ]


def _group(process: psutil.Process) -> int:
    try:
        return os.getpgid(process.pid)
    except ProcessLookupError:
        return -1


def renderers_of(home: Path) -> list[psutil.Process]:
    """The processes that show pages. Chromium's helpers do not name their folder."""
    return [
        child
        for process in processes_of(home)
        for child in _children(process)
        if "--type=renderer" in _words(child)
    ]


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []
