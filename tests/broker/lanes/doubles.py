"""A tab that plays a script, and a request for it to be read in."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio

from broker.browser.pool import TabPool
from broker.browser.tab import Tab
from broker.browser.watch import Redirect, Report, TabPolicy
from broker.context import RequestContext
from broker.deadline import Deadline
from broker.errors import BrowserError
from broker.settings import BrowserSettings
from broker.trace import OFF
from tests.broker.browser.doubles import POLICY, FakeEngine, FakeSession

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from anyio.abc import TaskGroup

    from broker.models import Progress
    from broker.trace import Trace


@dataclass(frozen=True, kw_only=True)
class Step:
    """What happens in the tab at one moment after it was opened, or after something was pressed."""

    at_s: float
    says: Report | BrowserError | None = None
    """Reported without being asked."""
    shows: Report | None = None
    """What stands there from now on; the same as is reported when nothing else is given."""
    commits: bool = False
    """Another document takes the place of the one before."""


class ScriptedTab(Tab):
    """Does as its script says; pages arrive when the script has them commit."""

    def __init__(
        self,
        *script: Step,
        opens: float | BrowserError = 0.0,
        pressed: str = "",
        after_press: tuple[Step, ...] = (),
        policy: TabPolicy = POLICY,
    ) -> None:
        super().__init__(
            FakeSession(), policy, start_soon=_nothing, close=anyio.lowlevel.checkpoint
        )
        self.opened: list[tuple[str, str | None]] = []
        self.presses = 0
        self.looks: list[float] = []
        """When it was read unasked, in seconds after it was opened."""
        self.unreadable = False
        """Whether it hangs when it is read unasked."""
        self._script = list(script)
        self._opens = opens
        self._pressed = pressed
        self._after_press = after_press
        self._opened_s = math.inf
        self._shows: Report | None = None
        self._committed = 0
        self._said: list[Report | BrowserError] = []

    async def open(self, url: str, *, referrer: str | None = None) -> None:
        self.opened.append((url, referrer))
        self.leave()
        if isinstance(self._opens, BrowserError):
            raise self._opens
        await anyio.sleep(self._opens)
        self._opened_s = anyio.current_time()
        self._committed = 1

    def leave(self) -> None:
        """What stood in the tab cannot be read any more."""
        self._shows, self._committed = None, 0
        self._said.clear()

    async def next_report(self) -> Report:
        while True:
            self._play()
            if self._said:
                said = self._said.pop(0)
                if isinstance(said, BrowserError):
                    raise said
                return said
            await anyio.sleep_until(self._next_s())

    async def read_now(self) -> Report | None:
        self.looks.append(anyio.current_time() - self._opened_s)
        if self.unreadable:
            await anyio.sleep_forever()
        self._play()
        return self._shows and replace(self._shows, kind="asked")

    async def press(self, selectors: tuple[str, ...]) -> str:
        assert selectors
        self.presses += 1
        self._play()
        self._said.clear()
        now_s = anyio.current_time() - self._opened_s
        self._script += [
            Step(at_s=now_s + step.at_s, says=step.says, shows=step.shows, commits=step.commits)
            for step in self._after_press
        ]
        self._after_press = ()
        return self._pressed

    @property
    def documents(self) -> int:
        return self._committed

    async def blank(self) -> None:
        """Nothing stands in the way."""

    def _next_s(self) -> float:
        return min((self._opened_s + step.at_s for step in self._script), default=math.inf)

    def _play(self) -> None:
        while self._script and anyio.current_time() >= self._next_s() - 1e-9:
            step = self._script.pop(0)
            if step.commits:
                self._committed += 1
                self._shows = None
                self._said.clear()
            if isinstance(step.says, Report):
                self._shows = step.says
            self._shows = step.shows or self._shows
            if step.says is not None:
                self._said.append(step.says)


class RedirectingTab(ScriptedTab):
    """Answers addresses with redirects, each after `takes_s`."""

    def __init__(
        self,
        redirects: dict[str, Redirect | BrowserError | None],
        *,
        takes_s: float = 0.1,
        policy: TabPolicy = POLICY,
    ) -> None:
        super().__init__(policy=policy)
        self.asked: list[str] = []
        self.together = 0
        self._redirects = redirects
        self._takes_s = takes_s
        self._running = 0

    async def redirect_target(self, url: str, *, referrer: str) -> Redirect:
        assert referrer
        self.asked.append(url)
        self._running += 1
        self.together = max(self.together, self._running)
        await anyio.sleep(self._takes_s)
        self._running -= 1
        found = self._redirects[url]
        if found is None:
            await anyio.sleep_forever()
        if isinstance(found, BrowserError):
            raise found
        assert found is not None
        return found


class TabEngine(FakeEngine):
    """A browser whose tabs are made by a test."""

    def __init__(self, tasks: TaskGroup, make_tab: Callable[[TabPolicy], Tab]) -> None:
        super().__init__(tasks)
        self._make_tab = make_tab

    async def open_tab(self, policy: TabPolicy) -> Tab:
        self.opened += 1
        return self._make_tab(policy)


def pool_of(
    make_tab: Callable[[TabPolicy], Tab], home: Path, error: BrowserError | None = None
) -> TabPool:
    """A pool that lends a test's own tabs, or has no browser because of an error."""

    async def start(
        _settings: BrowserSettings, _run: Path, tasks: TaskGroup, _trace: Trace
    ) -> TabEngine:
        if error is not None:
            raise error
        return TabEngine(tasks, make_tab)

    return TabPool(BrowserSettings(), home, lambda: POLICY, OFF, start)


def request(budget_s: float, progress: Callable[[Progress], None] | None = None) -> RequestContext:
    """A request with this much time."""
    deadline = Deadline.after(budget_s)
    if progress is None:
        return RequestContext(request_id="r", deadline=deadline, trace=OFF)
    return RequestContext(request_id="r", deadline=deadline, trace=OFF, progress=progress)


def _nothing(*_work: object) -> None:
    return None
