"""Who starts when, who wins, and when a race is over; all on the virtual clock."""

from __future__ import annotations

import math

import anyio
import pytest

from broker.errors import LaneFailed
from broker.lanes.race import FILL_GRACE_S, RaceRules, race
from broker.models import LaneStatus
from tests.broker.lanes.racing import FakeLane, context, query

pytestmark = pytest.mark.virtual_clock

HANGS = math.inf
CAPTCHA = LaneFailed("captcha", "asks for a captcha", retry_after_s=300)


class Since:
    """Times as seconds since the test began: the virtual clock runs on from test to test."""

    begun_s = 0.0


@pytest.fixture(autouse=True)
async def since() -> None:
    Since.begun_s = anyio.current_time()


def elapsed() -> float:
    return anyio.current_time() - Since.begun_s


def started(lane: FakeLane) -> float | None:
    return lane.started_s[-1] - Since.begun_s if lane.started_s else None


async def test_nobody_else_is_asked_when_the_first_lane_answers_in_time() -> None:
    google, ddg = FakeLane("google", pages=((0.5, 10),)), FakeLane("ddg", pages=((0.5, 10),))
    runs = await race(context(), query(), 0, [google, ddg])
    assert [run.provider for run in runs] == ["google"]
    assert started(ddg) is None
    assert elapsed() == pytest.approx(0.5)


async def test_the_next_lane_starts_when_nobody_has_a_hit_after_the_hedge() -> None:
    google, ddg = FakeLane("google", ends_s=HANGS), FakeLane("ddg", pages=((0.3, 10),))
    runs = await race(context(), query(), 0, [google, ddg])
    assert started(ddg) == pytest.approx(1.2)
    assert elapsed() == pytest.approx(1.5)
    assert [(run.provider, run.report().status) for run in runs] == [
        ("ddg", LaneStatus.OK),
        ("google", LaneStatus.CANCELLED),
    ]


async def test_a_page_in_hand_holds_the_hedge_back() -> None:
    google = FakeLane("google", pages=((0.6, 10), (1.8, 10)))
    ddg = FakeLane("ddg", pages=((0.1, 10),))
    await race(context(), query(20), 0, [google, ddg])
    assert started(ddg) is None


@pytest.mark.parametrize(
    "google",
    [
        FakeLane("google", ends_s=0.2, error=CAPTCHA),
        FakeLane("google", ends_s=0.2),
        FakeLane("google", ends_s=0.2, error=ValueError("a bug")),
    ],
    ids=["failed", "empty", "broken"],
)
async def test_a_miss_starts_the_next_lane_at_once(google: FakeLane) -> None:
    ddg = FakeLane("ddg", pages=((0.3, 10),))
    runs = await race(context(), query(), 0, [google, ddg])
    assert started(ddg) == pytest.approx(0.2)
    assert [run.provider for run in runs] == ["ddg", "google"]
    assert len(runs[0].hits()) == 10


async def test_a_failed_hedge_is_replaced_while_the_first_lane_still_runs() -> None:
    google = FakeLane("google", ends_s=HANGS)
    exa = FakeLane("exa_free", ends_s=0.1, error=LaneFailed("rate_limited", "too often"))
    ddg = FakeLane("ddg", pages=((0.2, 10),))
    await race(context(), query(), 0, [google, exa, ddg])
    assert started(ddg) == pytest.approx(1.3)


async def test_hedges_follow_each_other_while_all_hang() -> None:
    lanes = [FakeLane(name, ends_s=HANGS) for name in "abcdef"]
    runs = await race(context(6.9), query(), 0, lanes)
    assert [started(lane) for lane in lanes[:5]] == pytest.approx([0, 1.2, 2.4, 3.6, 4.8])
    assert started(lanes[5]) is None
    assert {run.report().code for run in runs} == {"timeout", None}
    assert elapsed() == pytest.approx(6.9)


async def test_no_lane_starts_in_the_last_second() -> None:
    google = FakeLane("google", ends_s=1.4, error=CAPTCHA)
    ddg = FakeLane("ddg", pages=((0.1, 10),))
    runs = await race(context(2.0), query(), 0, [google, ddg], RaceRules(hedge_after_s=9.0))
    assert started(ddg) is None
    report = runs[1].report()
    assert (report.status, report.reason) == (LaneStatus.SKIPPED, "too little time was left")


async def test_a_paid_lane_waits_while_a_free_one_may_still_answer() -> None:
    google, free = FakeLane("google", ends_s=HANGS), FakeLane("ddg", pages=((0.2, 10),))
    paid = FakeLane("deepseek", pages=((0.1, 10),), paid=True)
    await race(context(), query(), 0, [google, paid, free])
    assert started(paid) is None
    assert started(free) == pytest.approx(1.2)


async def test_a_paid_lane_starts_when_every_free_one_is_late() -> None:
    google, free = FakeLane("google", ends_s=HANGS), FakeLane("ddg", ends_s=HANGS)
    paid = FakeLane("deepseek", pages=((0.1, 10),), paid=True)
    await race(context(), query(), 0, [google, paid, free])
    assert started(free) == pytest.approx(1.2)
    assert started(paid) == pytest.approx(2.4)


async def test_a_paid_lane_starts_when_the_free_hedge_has_failed_and_the_first_is_late() -> None:
    google = FakeLane("google", ends_s=HANGS)
    free = FakeLane("ddg", ends_s=0.1, error=CAPTCHA)
    paid = FakeLane("deepseek", pages=((0.1, 10),), paid=True)
    await race(context(), query(), 0, [google, paid, free])
    assert started(paid) == pytest.approx(1.3)


async def test_a_paid_lane_hedges_when_the_rules_say_so() -> None:
    google, paid = FakeLane("google", ends_s=HANGS), FakeLane("deepseek", ((0.1, 10),), paid=True)
    await race(context(), query(), 0, [google, paid], RaceRules(paid_hedges=True))
    assert started(paid) == pytest.approx(1.2)


async def test_a_paid_lane_is_next_in_order_after_a_failure() -> None:
    google, paid = FakeLane("google", error=CAPTCHA), FakeLane("deepseek", ((0.1, 10),), paid=True)
    free = FakeLane("ddg", pages=((0.1, 10),))
    await race(context(), query(), 0, [google, paid, free])
    assert started(paid) == pytest.approx(0.0)
    assert started(free) is None


async def test_a_short_answer_waits_for_the_lane_that_is_filling_it() -> None:
    google = FakeLane("google", pages=((1.4, 6), (2.0, 6)), ends_s=0.5)
    ddg = FakeLane("ddg", pages=((0.3, 5),))
    runs = await race(context(), query(15), 0, [google, ddg])
    assert [run.provider for run in runs] == ["ddg", "google"]
    assert sum(len(run.hits()) for run in runs) == 17
    assert elapsed() == pytest.approx(2.0)


async def test_a_short_answer_waits_only_a_moment_for_a_lane_that_shows_nothing() -> None:
    google, ddg = FakeLane("google", ends_s=HANGS), FakeLane("ddg", pages=((0.3, 5),))
    await race(context(), query(), 0, [google, ddg])
    assert elapsed() == pytest.approx(1.5 + FILL_GRACE_S)


async def test_all_lanes_start_at_once_and_all_are_waited_for() -> None:
    lanes = [
        FakeLane("google", pages=((0.1, 10),)),
        FakeLane("ddg", pages=((1.9, 10),)),
        FakeLane("deepseek", error=CAPTCHA, paid=True),
    ]
    runs = await race(context(), query(), 0, lanes, RaceRules(at_once=True))
    assert [started(lane) for lane in lanes] == pytest.approx([0.0, 0.0, 0.0])
    assert elapsed() == pytest.approx(1.9)
    assert {run.provider for run in runs} == {"google", "ddg", "deepseek"}


async def test_the_lanes_behind_a_special_source_are_not_hedged_but_follow_its_miss() -> None:
    slow = FakeLane("arxiv", pages=((3.0, 10),))
    web = FakeLane("google", pages=((0.1, 10),))
    await race(context(), query(), 0, [slow, web], RaceRules(eager=1))
    assert started(web) is None
    missing = FakeLane("arxiv", ends_s=0.5)
    before_s = elapsed()
    await race(context(), query(), 0, [missing, web], RaceRules(eager=1))
    assert started(web) == pytest.approx(before_s + 0.5)


async def test_unneeded_lanes_stand_in_the_answer_only_where_nothing_was_found() -> None:
    google, off = FakeLane("google", error=CAPTCHA), FakeLane("ddg", ends_s=0.1)
    runs = await race(context(), query(), 0, [google, off])
    assert [run.provider for run in runs] == ["google", "ddg"]
    assert [run.report().status for run in runs] == [LaneStatus.FAILED, LaneStatus.EMPTY]


async def test_a_lane_has_its_own_budget_inside_the_race() -> None:
    google = FakeLane("google", pages=((0.5, 4),), ends_s=HANGS, budget_s=3.0)
    runs = await race(context(), query(), 0, [google])
    assert elapsed() == pytest.approx(3.0)
    report = runs[0].report()
    assert (report.status, report.code, report.hits) == (LaneStatus.PARTIAL, "timeout", 4)


async def test_a_race_that_is_cancelled_leaves_nothing_running() -> None:
    google = FakeLane("google", ends_s=HANGS)
    with anyio.move_on_after(0.5) as scope:
        await race(context(), query(), 0, [google])
    assert scope.cancelled_caught
    assert elapsed() == pytest.approx(0.5)
