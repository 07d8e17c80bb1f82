"""One absolute instant, made at the door and only ever shortened.

Enforcement is by cancel scopes, opened in three places: the request's root, each attempt, and each
bounded close (`bounded_close`). Leaf functions take no timeout. The clock is anyio's monotonic one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


@dataclass(frozen=True, slots=True)
class Deadline:
    """An instant on anyio's clock, in seconds."""

    at_s: float

    @classmethod
    def after(cls, budget_s: float) -> Self:
        """The instant `budget_s` seconds from now."""
        return cls(anyio.current_time() + budget_s)

    def remaining_s(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.at_s - anyio.current_time())

    def capped(self, budget_s: float) -> Deadline:
        """The earlier of this instant and `budget_s` seconds from now."""
        return Deadline(min(self.at_s, anyio.current_time() + budget_s))

    def earlier_by(self, reserve_s: float) -> Deadline:
        """This instant less a reserve kept for what comes after it."""
        return Deadline(self.at_s - reserve_s)

    def scope(self) -> anyio.CancelScope:
        """A cancel scope that expires at this instant."""
        return anyio.CancelScope(deadline=self.at_s)


NEVER = Deadline(math.inf)
"""For work that nobody waits for."""


async def bounded_close(close: Callable[[], Awaitable[object]], grace_s: float) -> bool:
    """Run `close` shielded from cancellation; return whether it ended within `grace_s` seconds.

    A close in a cancelled scope would be cancelled at its first await and leak what it closes
    (seen with Playwright 1.65 contexts), hence the shield; it may hang, hence the bound.
    """
    with anyio.CancelScope(shield=True, deadline=anyio.current_time() + grace_s) as scope:
        await close()
    return not scope.cancelled_caught
