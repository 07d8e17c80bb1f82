"""A lane that cannot run here, and says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.errors import LaneFailed
from broker.models import LaneStatus

if TYPE_CHECKING:
    from broker.context import RequestContext
    from broker.lanes.lane import LaneRun
    from broker.models import SearchQuery


class LaneOff:
    """Stands where a lane would, so that its absence is in the answer."""

    budget_s: float | None = None
    paid = False

    def __init__(self, name: str, lacks: str) -> None:
        self.name = name
        self.lacks: str | None = lacks

    async def search(self, _ctx: RequestContext, _query: SearchQuery, run: LaneRun) -> None:
        """Skip.

        Raises:
            LaneFailed: always.
        """
        run.end(LaneStatus.SKIPPED)
        raise LaneFailed("unavailable", str(self.lacks))
