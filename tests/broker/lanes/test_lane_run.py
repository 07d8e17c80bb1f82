"""What a lane's run reports: a status that follows from what was found and what was noted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from broker.errors import LaneFailed
from broker.lanes.lane import LaneRun
from broker.models import LaneStatus
from tests.broker.lanes.doubles import request
from tests.broker.lanes.pages import hit, hits

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.models import Progress

pytestmark = pytest.mark.virtual_clock


async def new_run(progress: Callable[[Progress], None] | None = None) -> LaneRun:
    return LaneRun(request(3, progress), "google", 0)


def with_hits(run: LaneRun) -> None:
    run.put_page(1, hits(1, 3))


def with_a_note(run: LaneRun) -> None:
    run.note("captcha", "page 2: a captcha")


def with_a_repetition(run: LaneRun) -> None:
    run.note("repeat", "page 2 repeats earlier results")


def with_a_remark(run: LaneRun) -> None:
    run.remark("3 links not followed")


def with_a_failure(run: LaneRun) -> None:
    run.fail(LaneFailed("captcha", "a captcha", retry_after_s=299.6))


def cooling(run: LaneRun) -> None:
    run.end(LaneStatus.COOLING)
    with_a_failure(run)


def skipped(run: LaneRun) -> None:
    run.end(LaneStatus.SKIPPED)
    run.fail(LaneFailed("browser_missing", "install one"))


STATUSES = [
    ([with_hits], "ok", None),
    ([with_hits, with_a_remark], "ok", None),
    ([with_hits, with_a_repetition], "ok", "repeat"),
    ([with_hits, with_a_note], "partial", "captcha"),
    ([with_hits, with_a_failure], "partial", "captcha"),
    ([], "empty", None),
    ([with_a_remark], "empty", None),
    ([with_a_note], "failed", "captcha"),
    ([with_a_failure], "failed", "captcha"),
    ([cooling], "cooling", "captcha"),
    ([skipped], "skipped", "browser_missing"),
]


@pytest.mark.parametrize(
    ("events", "status", "code"),
    STATUSES,
    ids=["+".join(e.__name__ for e in events) or "nothing" for events, *_ in STATUSES],
)
async def test_the_status_follows_from_what_happened(
    events: list[Callable[[LaneRun], None]], status: str, code: str | None
) -> None:
    run = await new_run()
    for event in events:
        event(run)
    run.finish()
    report = run.report()
    assert (report.status, report.code) == (status, code)
    assert report.hits == len(run.hits())


async def test_the_first_code_stands_for_the_lane_and_every_reason_is_told() -> None:
    run = await new_run()
    run.note("timeout", "page 2: late")
    run.note("captcha", "page 3: a captcha")
    report = run.report()
    assert (report.code, report.reason) == ("timeout", "page 2: late; page 3: a captcha")


async def test_a_failure_says_when_to_come_back() -> None:
    run = await new_run()
    with_a_failure(run)
    assert run.report().retry_after_s == 300


async def test_pages_stand_in_their_order_whatever_came_first() -> None:
    run = await new_run()
    for number, found in ((3, hits(21, 30)), (1, hits(1, 10)), (2, hits(11, 20))):
        run.put_page(number, found)
    assert run.hits() == hits(1, 30)
    assert run.report().pages == 3


async def test_what_stands_on_two_pages_is_one_hit_of_the_first() -> None:
    run = await new_run()
    run.put_page(2, (hit(3, title="again"), hit(4)))
    run.put_page(1, hits(1, 3))
    assert run.hits() == hits(1, 4)


async def test_a_page_in_hand_counts_as_hits_but_not_as_read() -> None:
    run = await new_run()
    run.put_page(1, hits(1, 4), whole=False)
    assert (run.report().hits, run.report().pages) == (4, None)
    run.put_page(1, hits(1, 10))
    assert (run.report().hits, run.report().pages) == (10, 1)


async def test_a_stand_in_gives_way_to_its_target() -> None:
    run = await new_run()
    stand_in = hit(1, url="https://www.google.com/goto?url=T", resolved=False)
    run.put_page(1, (stand_in, hit(2)))
    assert run.hits()[0] == stand_in
    run.put_target(stand_in.url, hit(1).url)
    assert run.hits() == hits(1, 2)


async def test_the_clock_stops_when_the_lane_ends() -> None:
    run = await new_run()
    await anyio.sleep(1.5)
    run.finish()
    await anyio.sleep(5)
    run.finish()
    assert run.report().ms == 1500


async def test_each_step_is_told_with_the_hits_so_far() -> None:
    steps: list[Progress] = []
    run = await new_run(steps.append)
    run.begin()
    run.put_page(1, hits(1, 10))
    run.put_page(2, hits(11, 15))
    run.finish()
    run.finish()
    assert [(step.step, step.detail, step.hits) for step in steps] == [
        ("started", "", 0),
        ("page", "page 1: 10 hits", 10),
        ("page", "page 2: 5 hits", 15),
        ("finished", "ok", 15),
    ]
    assert {(step.query_index, step.provider) for step in steps} == {(0, "google")}
