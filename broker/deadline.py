"""One absolute instant, made at the door and only ever shortened.

Enforcement is by cancel scopes, opened in three places: the request's root, each attempt, and each
bounded close (`closing`). Leaf functions take no timeout. The clock is anyio's monotonic one.
"""

from __future__ import annotations

import math
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

CLOSE_GRACE_S = 2.0
"""How long a close may take before it is given up."""


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


class _Closeable(Protocol):
    async def close(self) -> object: ...


_T = TypeVar("_T", bound=_Closeable)


@asynccontextmanager
async def closing(resource: _T, grace_s: float = CLOSE_GRACE_S) -> AsyncIterator[_T]:
    """Close `resource` on the way out, whatever happens, within `grace_s` seconds."""
    try:
        yield resource
    finally:
        await bounded_close(resource.close, grace_s)
