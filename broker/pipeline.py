"""A search, stage by stage: queries, lanes, merging, answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from broker.lanes.race import race
from broker.models import Answer, LaneReport, LaneStatus
from broker.trace import Event, hashed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.context import RequestContext
    from broker.lanes.lane import Lane, LaneRun
    from broker.models import SearchQuery

QUERIES_AT_ONCE = 3


async def search_all(
    ctx: RequestContext, queries: Sequence[SearchQuery], lanes: Sequence[Lane], reserve_s: float
) -> tuple[Answer, ...]:
    """Answer every query, three at a time, by `ctx.deadline`; answers stand in query order."""
    answers: dict[int, Answer] = {}
    slots = anyio.Semaphore(QUERIES_AT_ONCE)

    async def run(index: int) -> None:
        async with slots:
            answers[index] = await search_one(ctx, queries[index], index, lanes, reserve_s)

    with ctx.deadline.scope():
        async with anyio.create_task_group() as tasks:
            for index in range(len(queries)):
                tasks.start_soon(run, index)
    return tuple(
        answers.get(index) or _unasked(ctx, query, index, lanes)
        for index, query in enumerate(queries)
    )


async def search_one(
    ctx: RequestContext,
    query: SearchQuery,
    index: int,
    lanes: Sequence[Lane],
    reserve_s: float,
) -> Answer:
    """Answer one query; what the lanes have by the deadline, less the reserve, is the answer."""
    started_s = anyio.current_time()
    ctx.trace.event(Event.REQUEST_START, query=hashed(query.text), max_hits=query.max_hits)
    runs = await race(ctx.until(ctx.deadline.earlier_by(reserve_s)), query, index, lanes)
    hits = tuple(hit for run in runs for hit in run.hits())[: query.max_hits]
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
