"""One running browser and its tabs, as the pool keeps them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from broker.browser.apart import ApartTabs
from broker.errors import BrowserError, BrowserUnavailable, TabLost

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from broker.browser.engine import Engine
    from broker.browser.tab import Tab
    from broker.browser.watch import TabPolicy

_IDLE_TABS = 4
"""Tabs that stay warm when nothing runs: three for searches at once, and one that is still being
cleaned. A burst may open more, and closes them again."""
_CLEAN_GRACE_S = 2.0
_OPEN_GRACE_S = 5.0
"""A browser that takes longer than this to open a tab has frozen."""


@dataclass(slots=True, eq=False)
class _Opening:
    """A tab on its way to somebody, who may have left when it comes."""

    policy: TabPolicy
    done: anyio.Event = field(default_factory=anyio.Event)
    tab: Tab | None = None
    error: BrowserError | None = None
    abandoned: bool = False


class Generation:
    """A browser, the tabs that wait in it, and how much of it was used."""

    def __init__(self, engine: Engine, policy: TabPolicy, tasks: TaskGroup) -> None:
        self.engine = engine
        self.idle: deque[Tab] = deque()
        self.apart = ApartTabs(engine.open_tab, tasks)
        self.lent = 0
        """Tabs that are in use, on their way to a user, or being cleaned after one."""
        self.uses = 0
        self.measured_at_uses = 0
        """What `uses` was when the browser's memory was last looked at."""
        self.retired = False
        """Nothing more is lent from it; it ends when its last tab has come back."""
        self.frozen = False
        """It did not answer what a browser answers at once."""
        self._policy = policy
        self._tasks = tasks
        self._warming = False

    @property
    def has_room(self) -> bool:
        """Whether one more idle tab is worth keeping."""
        return not self.retired and len(self.idle) < _IDLE_TABS

    @property
    def tabs(self) -> int:
        """How many there are, as far as somebody may use them."""
        return len(self.idle) + len(self.apart) + self.lent

    async def take(
        self, *, fresh: bool = False, policy: TabPolicy | None = None, site: str = ""
    ) -> Tab:
        """An idle tab, or a new one. Safe to cancel: a tab that comes too late becomes idle.

        `fresh` asks for a new one, whatever is idle: tabs share a renderer and crash together.
        `policy` asks for one with another policy than the pool's, for a page of `site`.

        Raises:
            BrowserUnavailable: the browser does not open one.
            TabLost: the browser went away meanwhile.
        """
        self.uses += 1
        while self.idle and not fresh and policy is None:
            tab = self.idle.pop()
            if tab.healthy:
                return tab
        if policy is not None:
            waiting = self.apart.take(policy, "" if fresh else site)
            if waiting is not None:
                return waiting
        # Not opened in the caller's scope: a browser that is told to open a tab opens it, whether
        # somebody still waits for the answer or not, and nobody else would know of it.
        opening = _Opening(policy or self._policy)
        self._tasks.start_soon(self._open, opening)
        try:
            await opening.done.wait()
        except BaseException:
            opening.abandoned = True
            if opening.tab is not None:
                self._tasks.start_soon(self.keep, opening.tab)
            raise
        if opening.tab is None:
            raise opening.error or TabLost("the browser is being ended")
        return opening.tab

    async def _open(self, opening: _Opening) -> None:
        try:
            with anyio.fail_after(_OPEN_GRACE_S):
                tab = await self.engine.open_tab(opening.policy)
            if opening.abandoned:
                await self.keep(tab)
            else:
                opening.tab = tab
        except BrowserError as error:
            opening.error = error
        except TimeoutError:
            self.frozen = True
            opening.error = BrowserUnavailable("the browser does not answer any more")
        finally:
            opening.done.set()

    async def put_away(self, tab: Tab) -> bool:
        """Clean `tab` and make it an idle one, or close it; return whether it is kept."""
        if tab.healthy and self.has_room and tab.policy is self._policy:
            try:
                with anyio.move_on_after(_CLEAN_GRACE_S) as scope:
                    await tab.blank()
            except BrowserError:
                tab.healthy = False
            else:
                if scope.cancelled_caught:
                    tab.healthy = False
        return await self.keep(tab)

    async def keep(self, tab: Tab) -> bool:
        """Make `tab` an idle one, or close it where it is not wanted; return whether it is kept."""
        if tab.healthy and self.has_room and tab.policy is self._policy:
            self.idle.append(tab)
            return True
        # Closing is the browser's work and not the page's, so no page can delay it.
        self.frozen = not await tab.close() or self.frozen
        return False

    async def warm(self, tabs: int) -> None:
        """See that there are `tabs` tabs, lent or idle.

        Raises:
            BrowserError: the browser does not open them.
        """
        if self._warming:
            return
        self._warming = True
        try:
            while not self.retired and len(self.idle) + self.lent < tabs:
                self.idle.appendleft(await self.engine.open_tab(self._policy))
        finally:
            self._warming = False

    async def close_idle(self) -> None:
        """Close the tabs that nobody uses."""
        await self.apart.close()
        while self.idle:
            await self.idle.pop().close()
