"""Run the lanes of one query under one deadline and collect what each of them did.

This is the provider boundary: whatever goes wrong inside a lane ends here as its status, with a
code and words, and takes nothing from the other lanes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from broker.errors import LaneFailed
from broker.lanes.lane import LaneRun
from broker.models import LaneStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.context import RequestContext
    from broker.lanes.lane import Lane
    from broker.models import SearchQuery


async def race(
    ctx: RequestContext, query: SearchQuery, query_index: int, lanes: Sequence[Lane]
) -> list[LaneRun]:
    """Ask the lanes, in order, until one has an answer; all end by `ctx.deadline`."""
    runs: list[LaneRun] = []
    for lane in lanes:
        run = LaneRun(ctx, lane.name, query_index)
        runs.append(run)
        await run_lane(ctx, lane, query, run)
        if run.hits():
            break
    return runs


async def run_lane(ctx: RequestContext, lane: Lane, query: SearchQuery, run: LaneRun) -> None:
    """One attempt of one lane; returns when it ended or its time is up, and never raises."""
    run.tell("started", "")
    deadline = ctx.deadline if lane.budget_s is None else ctx.deadline.capped(lane.budget_s)
    ctx = ctx.until(deadline)
    try:
        with deadline.scope() as scope:
            await lane.search(ctx, query, run)
        if scope.cancelled_caught:
            run.note("timeout", "its time was up")
    except LaneFailed as error:
        run.fail(error)
    except anyio.get_cancelled_exc_class():
        run.end(LaneStatus.CANCELLED)
        raise
    except Exception as error:  # noqa: BLE001 - the provider boundary: one of the two places
        run.fail(LaneFailed("internal", f"{type(error).__name__}: {error}"))
    finally:
        run.finish()
