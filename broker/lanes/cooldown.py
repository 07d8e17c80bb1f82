"""Leaving a provider alone for a while after it refused us.

The record is on disk, so that all brokers of a user keep away together. Five minutes after the
first refusal, doubling with each further one up to an hour; an answer clears the record.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from broker.errors import LaneFailed
from broker.trace import Event

if TYPE_CHECKING:
    from broker.context import RequestContext
    from broker.settings import LaneSettings
    from broker.store import Cooldown, Store


LONGEST_FIXED_S = 86_400.0
"""Of a pause that a service has named itself: some count their requests by the day."""
_FIXED = frozenset({"auth", "quota", "rate_limited"})
"""Codes of refusals whose pause is fixed."""


class LeftAlone(LaneFailed):
    """A cooldown is running: the provider was not asked."""


def respect(record: Cooldown | None) -> None:
    """Let a provider be asked, unless its cooldown is running.

    Raises:
        LeftAlone: it is, with the seconds left.
    """
    if record is not None and record.left_s > 0:
        raise LeftAlone(record.code, "not asked", retry_after_s=record.left_s)


class Cooldowns:
    """The cooldowns of everything a search may ask."""

    def __init__(self, store: Store, settings: LaneSettings) -> None:
        self._store = store
        self._settings = settings

    async def find(self, ctx: RequestContext, name: str) -> Cooldown | None:
        """The record of `name`; it is to be left alone while `left_s` is above 0."""
        found = await anyio.to_thread.run_sync(self._store.cooldown, name)
        if found is not None and found.left_s > self._most_s(found.code):
            # The wall clock was set back since; no cooldown is meant to be that long.
            await anyio.to_thread.run_sync(partial(self._store.clear_cooldown, name, running=True))
            return None
        if found is not None and found.left_s > 0:
            ctx.trace.event(Event.COOLDOWN_ACTIVE, name=name, left_s=round(found.left_s))
        return found

    async def start(
        self, ctx: RequestContext, name: str, code: str, *, fixed_s: float | None = None
    ) -> Cooldown:
        """`name` refused us with `code`; returns how long it is left alone.

        That is `fixed_s` seconds where given, a day at most, and doubles with each refusal
        elsewhere.
        """
        first_s, max_s = self._settings.cooldown_first_s, self._settings.cooldown_max_s
        if fixed_s is not None:
            first_s = max_s = min(fixed_s, LONGEST_FIXED_S)
        cooldown = await anyio.to_thread.run_sync(
            lambda: self._store.cool(name, code, first_s=first_s, max_s=max_s)
        )
        ctx.trace.event(
            Event.COOLDOWN_START,
            name=name,
            code=code,
            strikes=cooldown.strikes,
            left_s=round(cooldown.left_s),
        )
        return cooldown

    def _most_s(self, code: str) -> float:
        """The longest that is ever meant for a refusal with that code."""
        longest_s = self._settings.cooldown_max_s
        return max(longest_s, LONGEST_FIXED_S) if code in _FIXED else longest_s

    async def clear(self, ctx: RequestContext, name: str, *, running: bool = False) -> None:
        """`name` answered.

        A refusal that somebody met meanwhile stands, unless `running` says that it is our own and
        was overcome.
        """
        await anyio.to_thread.run_sync(partial(self._store.clear_cooldown, name, running=running))
        ctx.trace.event(Event.COOLDOWN_CLEAR, name=name)
