"""A lane: one provider's run inside one search.

The lane writes what it finds into a `LaneRun` the moment it finds it; whoever waits may read the
run at any time, and so nothing is lost when the budget ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import anyio

from broker.fusion import merge_pages
from broker.lanes.cooldown import LeftAlone
from broker.models import Hit, LaneReport, LaneStatus, Progress
from broker.trace import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.context import RequestContext
    from broker.errors import LaneFailed
    from broker.models import SearchQuery


class Lane(Protocol):
    """A source of hits."""

    name: str
    budget_s: float | None
    """Hard limit of one run in seconds, less what is kept for answering; None for the search's."""
    lacks: str | None
    """What is missing for it to work here; None when nothing is."""
    paid: bool
    """Each answer costs money."""

    async def search(self, ctx: RequestContext, query: SearchQuery, run: LaneRun) -> None:
        """Fill `run`; ends by `ctx.deadline`, and may be cancelled at any await.

        Raises:
            LaneFailed: there is nothing, and this is why.
        """
        ...


class LaneRun:
    """What one lane has found so far, and how it ended."""

    def __init__(
        self,
        ctx: RequestContext,
        provider: str,
        query_index: int,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.provider = provider
        self.compiled_query: str | None = None
        self.exhausted = False
        """The provider has no more than this."""
        self._ctx = ctx
        self._changed = changed
        self._query_index = query_index
        self._started_s = anyio.current_time()
        self._ended_s: float | None = None
        self._pages: dict[int, tuple[Hit, ...]] = {}
        self._read: set[int] = set()
        self._targets: dict[str, str] = {}
        self._status: LaneStatus | None = None
        self._code: str | None = None
        self._notes: list[str] = []
        self._retry_after_s: float | None = None

    # --- written by the lane, and by whoever runs it -------------------------------------------

    def begin(self) -> None:
        """The lane starts, and with it the clock."""
        self._started_s = anyio.current_time()
        self.tell("started", "")

    def skip(self, reason: str) -> None:
        """The lane was never started."""
        self._status = LaneStatus.SKIPPED
        self._notes.append(reason)
        self._started_s = self._ended_s = anyio.current_time()

    def put_page(self, number: int, hits: tuple[Hit, ...], *, whole: bool = True) -> None:
        """Take the hits of page `number`; `whole` is False while more of it may still come."""
        self._pages[number] = hits
        if whole:
            self._read.add(number)
        self.tell("page", f"page {number}: {len(hits)} hits")
        self._changed()

    def put_compiled(self, compiled: str, cut: str | None = None) -> None:
        """Take the query as the provider receives it, and what was left out of it."""
        self.compiled_query = compiled
        if cut is not None:
            self.remark(cut)

    def put_target(self, url: str, target: str) -> None:
        """Take where a stand-in `url` leads."""
        self._targets[url] = target

    def note(self, code: str, reason: str) -> None:
        """Something was not as it should be; the first code stands for the lane."""
        self._code = self._code or code
        self._notes.append(reason)

    def remark(self, reason: str) -> None:
        """Something a person may want to know, that takes nothing from the hits."""
        self._notes.append(reason)

    def fail(self, error: LaneFailed) -> None:
        """The lane ends here because of `error`; what it has found stays."""
        self.note(error.code, error.message)
        self._retry_after_s = error.retry_after_s
        status = LaneStatus.COOLING if isinstance(error, LeftAlone) else LaneStatus.FAILED
        self._status = self._status or status

    def end(self, status: LaneStatus) -> None:
        """The lane ends here, with a status that its hits do not tell."""
        self._status = status

    def finish(self) -> None:
        """The clock stops; may be called twice."""
        if self._ended_s is None:
            self._ended_s = anyio.current_time()
            report = self.report()
            self._ctx.trace.event(
                Event.LANE_END,
                provider=self.provider,
                status=report.status,
                code=report.code,
                hits=report.hits,
                ms=report.ms,
            )
            self.tell("finished", report.status)
            self._changed()

    def tell(self, step: str, detail: str) -> None:
        """Report a step to whoever watches."""
        progress = Progress(
            query_index=self._query_index,
            provider=self.provider,
            step=step,
            detail=detail,
            hits=sum(map(len, self._pages.values())),
        )
        self._ctx.progress(progress)

    # --- read by whoever waits -----------------------------------------------------------------

    def hits(self) -> tuple[Hit, ...]:
        """Everything found, in page order, without repetitions, stand-ins replaced where known."""
        pages = [self._pages[number] for number in sorted(self._pages)]
        return merge_pages([[self._resolved(hit) for hit in page] for page in pages])

    def _resolved(self, hit: Hit) -> Hit:
        target = self._targets.get(hit.url)
        return hit if target is None else replace(hit, url=target, resolved=True)

    @property
    def ended(self) -> bool:
        """Whether the lane has ended."""
        return self._ended_s is not None

    @property
    def flawed(self) -> bool:
        """Whether something was noted that makes the hits fewer than they could be."""
        return self._code is not None

    def report(self) -> LaneReport:
        """How the lane stands, or ended."""
        hits = len(self.hits())
        ended_s = anyio.current_time() if self._ended_s is None else self._ended_s
        return LaneReport(
            provider=self.provider,
            status=self._judged(hits),
            ms=round((ended_s - self._started_s) * 1000),
            hits=hits,
            code=self._code,
            reason="; ".join(self._notes) or None,
            pages=len(self._read) or None,
            retry_after_s=None if self._retry_after_s is None else round(self._retry_after_s),
            compiled_query=self.compiled_query,
        )

    def _judged(self, hits: int) -> LaneStatus:
        if self._status is not None and (not hits or self._status is LaneStatus.CANCELLED):
            return self._status
        if self._code is not None and self._code != "repeat":
            return LaneStatus.PARTIAL if hits else LaneStatus.FAILED
        return LaneStatus.OK if hits else LaneStatus.EMPTY
