"""A search, stage by stage: queries, lanes, merging, answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker import content, ranking
from broker.lanes.race import DEFAULT_RULES, RaceRules, race
from broker.models import Answer, LaneReport, LaneStatus
from broker.trace import Event, hashed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from broker.context import RequestContext
    from broker.lanes.lane import Lane, LaneRun
    from broker.models import Hit, SearchQuery

QUERIES_AT_ONCE = 3
_LEAST_TURN_S = 0.05
"""A query whose turn comes with less time than this would be asked in vain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPlan:
    """How a request's queries are answered."""

    lanes: Sequence[Lane]
    """In the order in which they are tried."""
    rules: RaceRules = DEFAULT_RULES
    reserve_s: float = 0.15
    """Kept at the end of the deadline to hand over what was found."""
    chars: int = 12_000
    """Characters of full text in each answer, shared among its hits."""
    read: Callable[[RequestContext, Hit], Awaitable[str]] | None = None
    """Reads the page of a hit whose provider gave no text; raises a `BrokerError` where it cannot
    be read. None where nothing reads."""


async def search_all(
    ctx: RequestContext, queries: Sequence[SearchQuery], plan: SearchPlan
) -> tuple[Answer, ...]:
    """Answer every query, three at a time, by `ctx.deadline`; answers stand in query order."""
    answers: dict[int, Answer] = {}
    slots = anyio.Semaphore(QUERIES_AT_ONCE)
    waiting = set(range(len(queries)))

    async def run(index: int) -> None:
        with ctx.deadline.scope() as turn:
            await slots.acquire()
        if turn.cancelled_caught:
            return
        # Not in that scope: the lanes end in time by their own, and where one is late because the
        # machine is busy, what it has found must not be cancelled along with it.
        try:
            if ctx.deadline.remaining_s() > plan.reserve_s + _LEAST_TURN_S:
                # Those who wait get their share of the time, also when all before them hang.
                rounds = math.ceil(len(waiting) / QUERIES_AT_ONCE)
                waiting.discard(index)
                share = ctx.deadline.capped(ctx.deadline.remaining_s() / rounds)
                answers[index] = await search_one(ctx.until(share), queries[index], index, plan)
        finally:
            slots.release()

    async with anyio.create_task_group() as tasks:
        for index in range(len(queries)):
            tasks.start_soon(run, index)
    return tuple(
        answers.get(index) or _unasked(ctx, query, index, plan.lanes)
        for index, query in enumerate(queries)
    )


async def search_one(
    ctx: RequestContext, query: SearchQuery, index: int, plan: SearchPlan
) -> Answer:
    """Answer one query; what the lanes have by the deadline, less the reserve, is the answer."""
    started_s = anyio.current_time()
    ctx.trace.event(Event.REQUEST_START, query=hashed(query.text), max_hits=query.max_hits)
    lanes_ctx = ctx.until(ctx.deadline.earlier_by(plan.reserve_s))
    runs = await race(lanes_ctx, query, index, plan.lanes, plan.rules)
    hits = await _fused(lanes_ctx, query, runs, plan)
    answer = Answer(
        query=query.text,
        id=_answer_id(ctx, index),
        complete=_is_complete(query, runs),
        ms=round((anyio.current_time() - started_s) * 1000),
        hits=hits,
        lanes=tuple(run.report() for run in runs),
    )
    ctx.trace.event(Event.REQUEST_END, hits=len(hits), complete=answer.complete, ms=answer.ms)
    return answer


async def _fused(
    ctx: RequestContext, query: SearchQuery, runs: Sequence[LaneRun], plan: SearchPlan
) -> tuple[Hit, ...]:
    """One list of at most `query.max_hits` hits, their texts cut to the answer's share."""
    lists = [hits for run in runs if (hits := run.hits())]
    hits = ranking.ranked(lists) if plan.rules.at_once else ranking.joined(lists)
    if len(hits) > query.max_hits:
        hits = await anyio.to_thread.run_sync(_cut, hits, query)
    if not query.content:
        return tuple(replace(hit, content=None) for hit in hits)
    if plan.read is not None:
        hits = await content.filled(ctx, hits, plan.read)
    for run in runs:
        if (found := run.hits()) and not any(hit.content for hit in found):
            run.remark(_no_text(run.provider, hits))
    shares = ranking.share_chars([len(hit.content or "") for hit in hits], plan.chars)
    return tuple(
        replace(hit, content=hit.content[:share] if hit.content else None)
        for hit, share in zip(hits, shares, strict=True)
    )


def _no_text(provider: str, hits: Sequence[Hit]) -> str:
    """What became of the texts of a provider that gives none."""
    own = [hit for hit in hits if hit.provider == provider]
    read = sum(hit.content is not None for hit in own)
    failed = sum(hit.content_error is not None for hit in own)
    if not read and not failed:
        return "it gives no full text"
    return f"it gives no full text: {read} of {read + failed} pages were read"


def _cut(hits: tuple[Hit, ...], query: SearchQuery) -> tuple[Hit, ...]:
    return ranking.cut(hits, query.max_hits, one_site=bool(query.sites))


def _is_complete(query: SearchQuery, runs: Sequence[LaneRun]) -> bool:
    """Whether a longer search could have found more for this query."""
    for run in runs:
        hits = run.hits()
        if len(hits) >= query.max_hits or (hits and (run.exhausted or not run.flawed)):
            return True
    return any(run.report().status is LaneStatus.EMPTY for run in runs)


def _answer_id(ctx: RequestContext, index: int) -> str:
    return f"{ctx.request_id}-{index + 1}"


def _unasked(ctx: RequestContext, query: SearchQuery, index: int, lanes: Sequence[Lane]) -> Answer:
    reason = "the deadline passed before its turn came"
    reports = tuple(
        LaneReport(
            provider=lane.name, status=LaneStatus.SKIPPED, ms=0, code="deadline", reason=reason
        )
        for lane in lanes
    )
    return Answer(
        query=query.text,
        id=_answer_id(ctx, index),
        complete=False,
        ms=0,
        hits=(),
        lanes=reports,
    )
