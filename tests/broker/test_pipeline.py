"""Several queries under one deadline: three at a time, in their order, and none without words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import pytest

from broker.errors import LaneFailed
from broker.models import SearchQuery
from broker.pipeline import SearchPlan, search_all, search_one
from tests.broker.lanes.racing import FakeLane, context, hits

if TYPE_CHECKING:
    from broker.context import RequestContext
    from broker.lanes.lane import Lane, LaneRun
    from broker.models import Answer

pytestmark = pytest.mark.virtual_clock

RESERVE_S = 0.15


def plan(*lanes: Lane) -> SearchPlan:
    return SearchPlan(lanes=lanes, reserve_s=RESERVE_S)


def queries(*texts: str, wanted: int = 10) -> list[SearchQuery]:
    return [SearchQuery(text=text, max_hits=wanted) for text in texts]


class GatedLane(FakeLane):
    """Answers each query when its gate is opened, and knows how many it works on."""

    def __init__(self) -> None:
        super().__init__("gated")
        self.gates: dict[str, anyio.Event] = {}
        self.running: list[str] = []
        self.most = 0
        self.changed = anyio.Event()

    async def search(self, _ctx: RequestContext, query: SearchQuery, run: LaneRun) -> None:
        gate = self.gates[query.text] = anyio.Event()
        self.running.append(query.text)
        self.most = max(self.most, len(self.running))
        self._tell()
        await gate.wait()
        self.running.remove(query.text)
        run.put_page(1, hits(query.text, 10))
        self._tell()

    def finish(self, count: int) -> None:
        """Let some of those that run come to their end."""
        for text in self.running[:count]:
            self.gates[text].set()

    async def until(self, *, running: int, begun: int) -> None:
        while (len(self.running), len(self.gates)) != (running, begun):
            await self.changed.wait()

    def _tell(self) -> None:
        self.changed.set()
        self.changed = anyio.Event()


class LateLane(FakeLane):
    """Has a page in hand, and then does not let itself be ended for a while."""

    async def search(self, _ctx: RequestContext, _query: SearchQuery, run: LaneRun) -> None:
        run.put_page(1, hits("late", 4))
        with anyio.CancelScope(shield=True):
            await anyio.sleep(3)
        await anyio.lowlevel.checkpoint()


async def test_answers_stand_in_the_order_of_the_queries() -> None:
    lane = GatedLane()
    texts = ["one", "two", "three"]
    found: list[Answer] = []

    async def search() -> None:
        found.extend(await search_all(context(), queries(*texts), plan(lane)))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(search)
            await lane.until(running=3, begun=3)
            for number, text in enumerate(reversed(texts), 1):
                lane.gates[text].set()
                await lane.until(running=3 - number, begun=3)
    assert [answer.query for answer in found] == texts
    assert [answer.hits[0].provider for answer in found] == texts


async def test_six_queries_run_three_at_a_time() -> None:
    lane = GatedLane()
    texts = ["a", "b", "c", "d", "e", "f"]
    found: list[Answer] = []

    async def search() -> None:
        found.extend(await search_all(context(), queries(*texts), plan(lane)))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(search)
            await lane.until(running=3, begun=3)
            lane.finish(1)
            await lane.until(running=3, begun=4)
            lane.finish(3)
            await lane.until(running=2, begun=6)
            lane.finish(2)
    assert lane.most == 3
    assert [answer.query for answer in found] == texts
    assert [answer.hits[0].provider for answer in found] == texts


async def test_the_answer_is_there_by_the_deadline_less_the_reserve() -> None:
    started_s = anyio.current_time()
    (answer,) = await search_all(
        context(3), queries("cats"), plan(FakeLane("a", ((0.5, 10),), ends_s=math.inf))
    )
    assert anyio.current_time() - started_s == pytest.approx(3 - RESERVE_S)
    assert answer.ms == pytest.approx(2850, abs=1)
    assert len(answer.hits) == 10
    assert answer.lanes[0].status == "partial"


async def test_a_query_does_not_wait_for_its_turn_beyond_the_deadline() -> None:
    answers = await search_all(context(1), queries("a", "b", "c", "d"), plan(LateLane("late")))
    assert sorted(len(answer.hits) for answer in answers) == [0, 4, 4, 4]
    assert [was_skipped(answer) for answer in answers].count(True) == 1


def was_skipped(answer: Answer) -> bool:
    (report,) = answer.lanes
    said = (report.status, report.code, answer.hits, answer.complete)
    return said == ("skipped", "deadline", (), False) and bool(report.reason)


async def test_without_any_time_every_query_is_answered_with_a_reason() -> None:
    answers = await search_all(context(0), queries("a", "b"), plan(FakeLane("a", ((1, 10),))))
    assert [answer.query for answer in answers] == ["a", "b"]
    assert all(was_skipped(answer) for answer in answers)


async def test_hits_in_hand_survive_a_lane_that_is_late_to_end() -> None:
    (answer,) = await search_all(context(1), queries("cats"), plan(LateLane("late")))
    assert len(answer.hits) == 4
    assert answer.lanes[0].status == "partial"
    assert answer.lanes[0].code == "timeout"


async def test_a_request_that_is_cancelled_ends_at_once() -> None:
    lane = FakeLane("a", ((0.1, 10),), ends_s=math.inf)
    with anyio.move_on_after(1) as scope:
        await search_all(context(), queries("a", "b", "c", "d"), plan(lane))
        pytest.fail("the cancellation was swallowed")
    assert scope.cancelled_caught
    assert anyio.current_time() == pytest.approx(scope.deadline)


async def test_one_query_that_breaks_takes_nothing_from_the_others() -> None:
    class Picky(FakeLane):
        async def search(self, ctx: RequestContext, query: SearchQuery, run: LaneRun) -> None:
            if query.text == "bad":
                raise RuntimeError("a defect")
            await super().search(ctx, query, run)

    answers = await search_all(
        context(), queries("good", "bad", "fine"), plan(Picky("a", ((0.5, 10),)))
    )
    assert [len(answer.hits) for answer in answers] == [10, 0, 10]
    assert answers[1].lanes[0].code == "internal"


async def test_answers_are_known_by_request_and_number() -> None:
    ctx = context()
    answers = await search_all(ctx, queries("a", "b"), plan(FakeLane("a")))
    assert [answer.id for answer in answers] == [f"{ctx.request_id}-1", f"{ctx.request_id}-2"]


WHOLE, SHORT = ((0.1, 10),), ((0.1, 4),)

COMPLETE = [
    ("all that was asked for", FakeLane("a", WHOLE, exhausted=False), True),
    ("fewer, and there are no more", FakeLane("a", SHORT), True),
    ("fewer, and nothing went wrong", FakeLane("a", SHORT, exhausted=False), True),
    ("fewer, because time was up", FakeLane("a", SHORT, ends_s=math.inf), False),
    (
        "fewer, because it was refused",
        FakeLane("a", SHORT, error=LaneFailed("captcha", "a captcha"), exhausted=False),
        False,
    ),
    ("none, because there are none", FakeLane("a"), True),
    ("none, because it was refused", FakeLane("a", error=LaneFailed("captcha", "")), False),
    ("none, because time was up", FakeLane("a", ends_s=math.inf), False),
]


@pytest.mark.parametrize(
    ("lane", "complete"), [case[1:] for case in COMPLETE], ids=[case[0] for case in COMPLETE]
)
async def test_an_answer_is_complete_when_more_time_would_find_no_more(
    lane: FakeLane, complete: bool
) -> None:
    (answer,) = await search_all(context(), queries("cats"), plan(lane))
    assert answer.complete == complete


async def test_no_more_hits_than_were_asked_for() -> None:
    (query,) = queries("cats", wanted=3)
    answer = await search_one(context(), query, 0, plan(FakeLane("a", WHOLE)))
    assert len(answer.hits) == 3
    assert answer.complete


async def test_queries_that_wait_get_their_share_when_all_before_them_hang() -> None:
    lane = FakeLane("google", ends_s=math.inf)
    begun_s = anyio.current_time()
    six = queries(*(f"q{number}" for number in range(6)))
    answers = await search_all(context(7.0), six, SearchPlan(lanes=[lane], reserve_s=0.0))
    starts = [started - begun_s for started in lane.started_s]
    assert starts == pytest.approx([0.0, 0.0, 0.0, 3.5, 3.5, 3.5])
    assert anyio.current_time() - begun_s == pytest.approx(7.0)
    assert {report.code for answer in answers for report in answer.lanes} == {"timeout"}
