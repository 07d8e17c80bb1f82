"""Tabs with a context of their own in one browser: made in advance, and kept a moment after use.

A context and its first process cost a tenth of a second, which is spent before somebody waits for
it. A tab whose page was read without trouble stays for a moment as it is, and if the next page is
of the same site it is loaded there, in the same process and with what the page before had cached;
sites share nothing. After that its context is disposed, whatever its page is doing: the browser
ends its process at once.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from broker.errors import BrowserError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from anyio.abc import TaskGroup

    from broker.browser.tab import Tab
    from broker.browser.watch import TabPolicy

SPARES = 2
"""Tabs that wait for pages, once one was read."""
KEPT_S = 0.15
MAX_USES = 25
"""Pages after which a tab is done with even where the next one is of the same site."""


@dataclass(frozen=True, slots=True, eq=False)
class _Used:
    site: str
    tab: Tab


class ApartTabs:
    """Those of one browser; tabs that wait here are nobody's else.

    Args:
        open_tab: opens one.
        tasks: closes what nobody waits for.
    """

    def __init__(self, open_tab: Callable[[TabPolicy], Awaitable[Tab]], tasks: TaskGroup) -> None:
        self._open_tab = open_tab
        self._tasks = tasks
        self._spares: deque[Tab] = deque()
        self._used: list[_Used] = []
        self._filling = False
        self._ended = False

    def __len__(self) -> int:
        """How many wait; those that were used still count as lent."""
        return len(self._spares)

    def take(self, policy: TabPolicy, site: str) -> Tab | None:
        """One for a page of `site`, or None where none waits."""
        for used in self._used:
            if used.site == site and used.tab.policy is policy:
                self._used.remove(used)
                if used.tab.healthy:
                    return used.tab
                self._tasks.start_soon(used.tab.close)
                break
        while self._spares:
            tab = self._spares.popleft()
            if tab.healthy and tab.policy is policy:
                return tab
            self._tasks.start_soon(tab.close)
        return None

    def offer(self, tab: Tab, site: str) -> None:
        """Have `tab` ready for another page of `site`, unless it is worn or not healthy."""
        tab.uses += 1
        if site and tab.healthy and tab.uses < MAX_USES and not self._ended:
            self._used.append(_Used(site, tab))

    async def put_away(self, tab: Tab) -> None:
        """Close `tab` after a moment, unless it was taken.

        A browser that takes long to do so may just be busy: it has been told, and will.
        """
        used = next((used for used in self._used if used.tab is tab), None)
        if used is not None:
            await anyio.sleep(KEPT_S)
            if used not in self._used:
                return
            self._used.remove(used)
        await tab.close()

    async def refill(self, policy: TabPolicy) -> None:
        """See that some wait; does nothing where the browser opens none."""
        if self._filling:
            return
        self._filling = True
        try:
            with suppress(BrowserError):
                while len(self._spares) < SPARES and not self._ended:
                    self._spares.append(await self._open_tab(policy))
        finally:
            self._filling = False
        await self._drop_late()

    async def close(self) -> None:
        """Close those that wait, and keep none from now on."""
        self._ended = True
        await self._drop_late()

    async def _drop_late(self) -> None:
        while self._ended and self._spares:
            await self._spares.popleft().close()
