"""Lanes that do what a test tells them, for races on the virtual clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from broker.context import RequestContext
from broker.deadline import Deadline
from broker.models import Hit, SearchQuery
from broker.trace import OFF

if TYPE_CHECKING:
    from broker.errors import LaneFailed
    from broker.lanes.lane import LaneRun


def hits(provider: str, count: int, first: int = 1) -> tuple[Hit, ...]:
    """`count` hits that no other provider has."""
    return tuple(
        Hit(
            title=f"{provider} {n}",
            url=f"https://{provider}{n}.example/",
            snippet=f"about {provider} {n}",
            provider=provider,
        )
        for n in range(first, first + count)
    )


@dataclass(slots=True)
class FakeLane:
    """A lane that shows its pages at their times and then ends, fails, breaks or hangs."""

    name: str
    pages: tuple[tuple[float, int], ...] = ()
    """(seconds from the start, hits) of each page."""
    ends_s: float = 0.0
    """Seconds from the last page to the end; infinite for a lane that hangs."""
    error: LaneFailed | Exception | None = None
    exhausted: bool = True
    budget_s: float | None = None
    lacks: str | None = None
    paid: bool = False
    started_s: list[float] = field(default_factory=list)

    async def search(self, _ctx: RequestContext, _query: SearchQuery, run: LaneRun) -> None:
        self.started_s.append(anyio.current_time())
        begun_s = anyio.current_time()
        shown = 0
        for number, (at_s, count) in enumerate(self.pages, 1):
            await anyio.sleep_until(begun_s + at_s)
            run.put_page(number, hits(self.name, count, shown + 1))
            shown += count
        await anyio.sleep(self.ends_s)
        run.exhausted = self.exhausted
        if self.error is not None:
            raise self.error


def context(budget_s: float = 7.0) -> RequestContext:
    """A request that has just come in."""
    return RequestContext(request_id="test", deadline=Deadline.after(budget_s), trace=OFF)


def query(max_hits: int = 10) -> SearchQuery:
    return SearchQuery(text="words", max_hits=max_hits)
