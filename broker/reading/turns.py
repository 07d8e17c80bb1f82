"""A turn at a search provider for those who only read a page of it.

Whoever reads counts with those who search: the provider's pace is kept between both, and what it
refuses to one it has refused to the other.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from broker.lanes.cooldown import respect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from broker.context import RequestContext
    from broker.lanes.cooldown import Cooldowns
    from broker.lanes.pacing import Pacers

PATIENCE_S = 1.0
"""How long a turn is waited for: a page can mostly be had in another way."""
_THROTTLES = frozenset({406, 429, 503})
_BACK_OFF_S = 60.0
"""How long a provider is left alone after one of these, at the least."""


@dataclass(slots=True)
class Turn:
    """A turn, and what came of it."""

    status: int = 0
    retry_after_s: float | None = None


class Turns:
    """Turns at providers; safe for any number of pages at once."""

    def __init__(self, cooldowns: Cooldowns, pacers: Pacers) -> None:
        self._cooldowns = cooldowns
        self._pacers = pacers

    @asynccontextmanager
    async def at(self, ctx: RequestContext, provider: str) -> AsyncIterator[Turn]:
        """Hold a turn for the length of the block, which notes in it what the provider answered.

        Raises:
            LaneFailed: the provider is left alone, or the turn would come late.
        """
        respect(await self._cooldowns.find(ctx, provider))
        turn = Turn()
        soon = ctx.until(ctx.deadline.capped(PATIENCE_S))
        async with self._pacers.of(provider).turn(soon, datetime.now(UTC)):
            yield turn
        if turn.status in _THROTTLES:
            wait_s = max(_BACK_OFF_S, turn.retry_after_s or 0.0)
            await self._cooldowns.start(ctx, provider, "rate_limited", fixed_s=wait_s)
