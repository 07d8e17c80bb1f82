"""Result pages in the real browser: together, in order, and never one for another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from tests.browser.worlds import urls
from tests.emulators.google.rules import Mode
from tests.emulators.words import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broker.models import Answer
    from tests.browser.worlds import World

pytestmark = pytest.mark.browser

WAIT_S = 10.0


@pytest.fixture(autouse=True)
def fresh_log(world: World) -> Iterator[None]:
    world.server.log.clear()
    yield
    world.google.rules = ()


def truth(world: World, query: str, *pages: int) -> list[str]:
    return [hit.url for page in pages for hit in world.google.hits(query, page)]


async def test_thirty_hits_come_from_three_pages(world: World) -> None:
    answer, lane = await world.search("warm socks", 30)
    assert urls(answer) == truth(world, "warm socks", 1, 2, 3)
    assert (lane.status, lane.pages, answer.complete) == ("ok", 3, True)
    assert sorted(visit.page for visit in world.server.log.of("/search")) == [1, 2, 3]


async def test_the_second_and_third_page_load_at_the_same_time_after_the_first(
    world: World,
) -> None:
    gate = anyio.Event()
    world.google.rules = (
        Rule(mode=Mode.OK, page=2, gate=gate),
        Rule(mode=Mode.OK, page=3, gate=gate),
    )
    answers: list[Answer] = []

    async def search() -> None:
        answers.append((await world.search("cold feet", 30))[0])

    log = world.server.log
    with anyio.fail_after(WAIT_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(search)
            await log.until(lambda log: log.in_flight("/search") == 2)
            assert [visit.page for visit in log.visits[:1]] == [1]
            gate.set()
    assert urls(answers[0]) == truth(world, "cold feet", 1, 2, 3)


async def test_pages_stand_in_their_order_although_the_third_came_first(world: World) -> None:
    gate = anyio.Event()
    world.google.rules = (Rule(mode=Mode.OK, page=2, gate=gate),)
    answers: list[Answer] = []

    async def search() -> None:
        answers.append((await world.search("odd order", 30))[0])

    with anyio.fail_after(WAIT_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(search)
            await world.server.log.until(
                lambda log: any(v.page == 3 and v.outcome == "sent" for v in log.visits)
            )
            gate.set()
    assert urls(answers[0]) == truth(world, "odd order", 1, 2, 3)


async def test_further_pages_are_reached_as_a_reader_reaches_them(world: World) -> None:
    await world.search("red shoes", 20)
    first, second = world.server.log.of("/search")
    assert "referer" not in first.request.headers
    assert second.request.headers["referer"].startswith(world.server.origin)
    assert "sca_esv" in second.request.query, "by the page's own link"


async def test_a_server_that_ignores_start_is_read_once(world: World) -> None:
    answer, lane = await world.search("deaf server mode:repeat", 50)
    assert urls(answer) == truth(world, "deaf server", 1)
    assert (lane.status, lane.code, answer.complete) == ("ok", "repeat", True)
    assert world.server.log.count("/search") <= 3


async def test_a_page_that_repeats_half_of_the_one_before_is_merged(world: World) -> None:
    answer, _ = await world.search("half again mode:duplicates@2", 30)
    assert len(set(urls(answer))) == len(answer.hits) >= 25


@pytest.mark.parametrize(
    ("total", "hits", "pages"), [(0, 0, 1), (7, 7, 1), (13, 13, 2), (20, 20, 2)]
)
async def test_where_there_are_no_more_the_answer_is_complete(
    total: int, hits: int, pages: int, world: World
) -> None:
    answer, lane = await world.search(f"few words total:{total}", 50)
    assert (len(answer.hits), answer.complete) == (hits, True)
    assert lane.status == ("ok" if hits else "empty")
    assert world.server.log.count("/search") <= pages + 1


async def test_page_2_is_not_read_from_the_dom_of_page_1(world: World) -> None:
    answer, lane = await world.search("late commit mode:hang@2", 20, deadline_s=3)
    assert urls(answer) == truth(world, "late commit mode:hang@2", 1)
    assert (lane.status, lane.code) == ("partial", "timeout")


async def test_three_searches_at_once_do_not_mix(world: World) -> None:
    queries = ["apples", "pears", "plums"]
    answers: dict[str, Answer] = {}

    async def search(query: str) -> None:
        answers[query] = (await world.search(query, 20))[0]

    async with anyio.create_task_group() as tasks:
        for query in queries:
            tasks.start_soon(search, query)
    for query in queries:
        assert urls(answers[query]) == truth(world, query, 1, 2)
