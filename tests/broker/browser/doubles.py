"""Browsers in memory: a session that answers like Chromium, and engines that open tabs on it."""

from __future__ import annotations

import itertools
import math
from collections import deque
from typing import TYPE_CHECKING, Any

import anyio

from broker.browser.engine import EngineInfo
from broker.browser.pool import TabPool
from broker.browser.tab import Tab
from broker.browser.watch import TabPolicy, WatchPlan
from broker.context import RequestContext
from broker.deadline import Deadline
from broker.errors import BrowserError, TabLost
from broker.settings import BrowserSettings
from broker.trace import OFF

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from anyio.abc import TaskGroup

    from broker.browser.cdp import EventHandler
    from broker.trace import Trace

FRAME = "F"
POLICY = TabPolicy(watch=WatchPlan(), may_visit=lambda url: "forbidden" not in url)


class FakeSession:
    """A tab's channel whose pages commit at once, unless they are told not to."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Mapping[str, Any]]] = []
        self.hangs: set[str] = set()
        """Methods that are never answered."""
        self.errors: dict[str, BrowserError] = {}
        self.answers: dict[str, dict[str, Any]] = {}
        self.commits = True
        """Whether a page that is navigated to takes the place of the one before."""
        self.busy = False
        """Whether the page's scripts run without end."""
        self._handlers: dict[str, EventHandler] = {}
        self._loaders = (f"L{n}" for n in itertools.count(1))

    async def send(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        self.sent.append((method, params or {}))
        if method in self.hangs:
            await anyio.sleep_forever()
        if method in self.errors:
            raise self.errors[method]
        if method == "Runtime.terminateExecution":
            self.busy = False
        while self.busy and method == "Runtime.evaluate":  # noqa: ASYNC110 - virtual time
            await anyio.sleep(0.001)
        await anyio.sleep(0.001)
        if method == "Page.getFrameTree":
            return {"frameTree": {"frame": {"id": FRAME}}}
        if method == "Page.navigate" and method not in self.answers:
            return self._navigate()
        return self.answers.get(method, {})

    def subscribe(self, methods: tuple[str, ...], handler: EventHandler) -> None:
        self._handlers.update(dict.fromkeys(methods, handler))

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send an event, where anybody listens."""
        if (handler := self._handlers.get(method)) is not None:
            handler(method, params)

    def commit(self, loader: str, **frame: str) -> None:
        """Put a document in the place of the one before."""
        self.tell("Page.frameNavigated", {"frame": {"id": FRAME, "loaderId": loader, **frame}})

    def count(self, method: str) -> int:
        return sum(sent == method for sent, _ in self.sent)

    def _navigate(self) -> dict[str, Any]:
        loader = next(self._loaders)
        if self.commits:
            self.commit(loader)
        return {"frameId": FRAME, "loaderId": loader}


class FakeEngine:
    """A browser whose tabs are known by their sessions."""

    def __init__(self, tasks: TaskGroup, pid: int | None = None) -> None:
        self.info = EngineInfo(product="Fake/1", executable=None, sandbox=True, pid=pid)
        self.gone = anyio.Event()
        self.closes = 0
        self.open: list[FakeSession] = []
        """The tabs that are open, in the order in which they were opened."""
        self.opened = 0
        self.frozen = False
        """Nothing the browser itself is asked is answered."""
        self.gate: anyio.Event | None = None
        """A tab opens when this is set."""
        self.jar: list[dict[str, Any]] = []
        self.cookie_error: BrowserError | None = None
        self._tasks = tasks

    async def open_tab(self, policy: TabPolicy) -> Tab:
        await self._work()
        if self.gate is not None:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._until, self.gate, tasks)
                tasks.start_soon(self._until, self.gone, tasks)
            await self._work()
        session = FakeSession()
        self.open.append(session)
        self.opened += 1

        async def close() -> None:
            await self._work()
            self.open.remove(session)

        tab = Tab(session, policy, start_soon=self._tasks.start_soon, close=close)
        await tab.prepare()
        return tab

    async def cookies(self) -> list[dict[str, Any]]:
        await self._work()
        return self.jar

    async def set_cookies(self, cookies: list[dict[str, Any]]) -> None:
        await self._work()
        if self.cookie_error is not None:
            raise self.cookie_error
        self.jar = cookies

    async def close(self) -> None:
        self.closes += 1
        self.die()

    def die(self) -> None:
        """End, as a browser does that crashes."""
        self.gone.set()
        for session in self.open:
            session.tell("Inspector.detached", {})
        self.open.clear()

    async def _until(self, event: anyio.Event, tasks: TaskGroup) -> None:
        await event.wait()
        tasks.cancel_scope.cancel()

    async def _work(self) -> None:
        if self.frozen:
            await anyio.sleep_forever()
        await anyio.sleep(0.001)
        if self.gone.is_set():
            raise TabLost("the browser has gone away")


class Starter:
    """Starts browsers, or fails as it is told."""

    def __init__(self, pid: int | None = None) -> None:
        self.engines: list[FakeEngine] = []
        self.failures: deque[Exception] = deque()
        """Raised by the next starts, one each."""
        self.calls = 0
        self.takes_s = 0.1
        self.cookie_error: BrowserError | None = None
        """What a browser says that is given cookies."""
        self._pid = pid

    async def __call__(
        self, _settings: BrowserSettings, _run: Path, tasks: TaskGroup, _trace: Trace
    ) -> FakeEngine:
        self.calls += 1
        await anyio.sleep(self.takes_s)
        if self.failures:
            raise self.failures.popleft()
        engine = FakeEngine(tasks, self._pid)
        engine.cookie_error = self.cookie_error
        self.engines.append(engine)
        return engine


A_MOMENT_S = 0.5
"""Enough for everything that answers at once, too little for any grace."""


def make_pool(
    starter: Starter, home: Path, *, tabs: int = 4, max_uses: int = 500, max_rss_mb: int = 10_000
) -> TabPool:
    """A pool whose browsers the starter makes."""
    settings = BrowserSettings(tabs=tabs, max_uses=max_uses, max_rss_mb=max_rss_mb)
    return TabPool(settings, home, lambda: POLICY, OFF, starter)


def within(budget_s: float = math.inf) -> RequestContext:
    return RequestContext(request_id="r", deadline=Deadline.after(budget_s), trace=OFF)


def session_of(tab: Tab) -> FakeSession:
    session = tab.session
    assert isinstance(session, FakeSession)
    return session
