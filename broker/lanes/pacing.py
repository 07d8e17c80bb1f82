"""No provider is asked faster than it likes: so many at once, so far apart, so often a day.

Within this process by a semaphore and a clock; across processes, where the provider counts all of
a user's requests together, by turns taken in the store.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.errors import LaneFailed
from broker.providers import by_name
from broker.trace import Event

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from broker.context import RequestContext
    from broker.providers.base import Pace
    from broker.store import Store

_DAY_S = 86_400


class Pacers:
    """The paces of providers for those who ask them outside of a search."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pacers: dict[str, Pacer] = {}

    def of(self, name: str) -> Pacer:
        """The pace of a provider in this process, beside that of its lane.

        Raises:
            RequestInvalid: no provider has that name.
        """
        if name not in self._pacers:
            self._pacers[name] = Pacer(name, by_name(name).pace, self._store)
        return self._pacers[name]


class Pacer:
    """The pace of one provider in this process; safe for any number of lanes at once."""

    def __init__(self, name: str, pace: Pace, store: Store) -> None:
        self._name = name
        self._pace = pace
        self._store = store
        self._slots = anyio.Semaphore(pace.in_flight)
        self._next_start_s = 0.0

    @asynccontextmanager
    async def turn(self, ctx: RequestContext, now: datetime) -> AsyncIterator[None]:
        """Wait for a turn and hold it for the length of the block, within `ctx.deadline`.

        Raises:
            LaneFailed: `paced`, when the turn would come too late; `quota`, when the day's
                allowance is used up.
        """
        async with self._slots:
            wait_s = await self._wait_s(ctx)
            await self._spend(now)
            if wait_s > 0:
                ctx.trace.event(Event.LANE_PACED, provider=self._name, wait_s=round(wait_s, 3))
                await anyio.sleep(wait_s)
            try:
                yield
            finally:
                if self._pace.shared:
                    await self._postpone()

    async def _postpone(self) -> None:
        """The next turn is a gap after this one's end, which may be later than it was planned."""
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._store.postpone, self._name, self._pace.gap_s)

    async def _spend(self, now: datetime) -> None:
        if self._pace.per_day is None:
            return
        day, allowance = now.date().isoformat(), self._pace.per_day
        if not await anyio.to_thread.run_sync(self._store.spend, self._name, day, allowance):
            until_midnight_s = _DAY_S - (now.hour * 3600 + now.minute * 60 + now.second)
            message = f"the {allowance} calls of the day are used up"
            raise LaneFailed("quota", message, retry_after_s=until_midnight_s)

    async def _wait_s(self, ctx: RequestContext) -> float:
        gap_s, left_s = self._pace.gap_s, ctx.deadline.remaining_s()
        if not gap_s:
            return 0.0
        if self._pace.shared:
            wait_s = await anyio.to_thread.run_sync(self._store.reserve, self._name, gap_s, left_s)
        else:
            now_s = anyio.current_time()
            wait_s = max(0.0, self._next_start_s - now_s)
            if wait_s <= left_s:
                self._next_start_s = now_s + wait_s + gap_s
            else:
                wait_s = None
        if wait_s is None:
            raise LaneFailed("paced", f"its next turn comes after the {left_s:.1f} s left")
        return wait_s
