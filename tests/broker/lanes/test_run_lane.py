"""The provider boundary: whatever happens inside a lane is a status, a code and words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import anyio
import pytest

from broker.errors import BrowserUnavailable, LaneFailed
from broker.lanes.lane import LaneRun
from broker.lanes.off import LaneOff
from broker.lanes.race import run_lane
from tests.broker.lanes.racing import FakeLane, context, query

pytestmark = pytest.mark.virtual_clock

ONE_PAGE = ((0.5, 10),)


@dataclass(frozen=True, kw_only=True)
class Case:
    name: str
    lane: FakeLane
    status: str
    code: str | None = None
    says: str = ""
    hits: int = 0
    ms: int = 500


CASES = [
    Case(name="answers", lane=FakeLane("a", ONE_PAGE), status="ok", hits=10),
    Case(name="finds nothing", lane=FakeLane("a"), status="empty", ms=0),
    Case(
        name="refuses",
        lane=FakeLane("a", error=LaneFailed("captcha", "it asks for a captcha")),
        status="failed",
        code="captcha",
        says="it asks for a captcha",
        ms=0,
    ),
    Case(
        name="refuses after a page",
        lane=FakeLane("a", ONE_PAGE, error=LaneFailed("captcha", "it asks for a captcha")),
        status="partial",
        code="captcha",
        hits=10,
    ),
    Case(
        name="breaks",
        lane=FakeLane("a", error=ZeroDivisionError("division by zero")),
        status="failed",
        code="internal",
        says="ZeroDivisionError: division by zero",
        ms=0,
    ),
    Case(
        name="breaks after a page",
        lane=FakeLane("a", ONE_PAGE, error=KeyError("x")),
        status="partial",
        code="internal",
        hits=10,
    ),
    Case(
        name="lets an error of the browser out",
        lane=FakeLane("a", error=BrowserUnavailable("it is gone")),
        status="failed",
        code="internal",
        says="BrowserUnavailable: it is gone",
        ms=0,
    ),
    Case(
        name="hangs",
        lane=FakeLane("a", ends_s=math.inf),
        status="failed",
        code="timeout",
        says="its time was up",
        ms=7000,
    ),
    Case(
        name="hangs after a page",
        lane=FakeLane("a", ONE_PAGE, ends_s=math.inf),
        status="partial",
        code="timeout",
        hits=10,
        ms=7000,
    ),
    Case(
        name="hangs inside its own budget",
        lane=FakeLane("a", ends_s=math.inf, budget_s=2.85),
        status="failed",
        code="timeout",
        ms=2850,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_lane_that(case: Case) -> None:
    ctx = context(7)
    run = LaneRun(ctx, case.lane.name, 0)
    await run_lane(ctx, case.lane, query(), run)
    report = run.report()
    assert (report.status, report.code, report.hits) == (case.status, case.code, case.hits)
    assert case.says in str(report.reason)
    assert report.ms == pytest.approx(case.ms, abs=1)
    assert run.ended


async def test_a_lane_is_told_when_its_time_ends() -> None:
    told: list[float] = []

    class Asks(FakeLane):
        async def search(self, ctx, query, run) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
            told.append(ctx.deadline.remaining_s())
            await super().search(ctx, query, run)

    ctx = context(7)
    for budget_s in (2.85, 60.0, None):
        await run_lane(ctx, Asks("a", budget_s=budget_s), query(), LaneRun(ctx, "a", 0))
    assert told == pytest.approx([2.85, 7.0, 7.0])


async def test_a_lane_that_is_cancelled_from_outside_stays_cancelled() -> None:
    ctx = context(7)
    run = LaneRun(ctx, "a", 0)
    with anyio.move_on_after(1) as scope:
        await run_lane(ctx, FakeLane("a", ONE_PAGE, ends_s=math.inf), query(), run)
        pytest.fail("the cancellation was swallowed")
    assert scope.cancelled_caught
    assert run.report().status == "cancelled"
    assert len(run.hits()) == 10


async def test_a_lane_that_is_off_says_why() -> None:
    ctx = context(7)
    run = LaneRun(ctx, "google", 0)
    await run_lane(ctx, LaneOff("google", "it is switched off"), query(), run)
    report = run.report()
    assert (report.status, report.code, report.reason) == (
        "skipped",
        "unavailable",
        "it is switched off",
    )
