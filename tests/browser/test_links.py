"""Links that hide their targets, from the real page to the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.worlds import urls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.browser.worlds import World

pytestmark = pytest.mark.browser

TEN_LESS_THE_VIDEO = 9
"""The card of a video states where it leads."""


@pytest.fixture(autouse=True)
async def as_if_new(world: World) -> AsyncIterator[None]:
    await world.forget()
    world.google.reset()
    world.server.log.clear()
    yield
    await world.settled()


def truth(world: World, query: str) -> list[str]:
    return [hit.url for hit in world.google.hits(query)]


@pytest.mark.parametrize("links", ["direct", "url", "goto", "gotobare"])
async def test_every_hit_leads_to_its_target(links: str, world: World) -> None:
    query = f"good links links:{links}"
    answer, lane = await world.search(query)
    assert urls(answer) == truth(world, query)
    assert all(hit.resolved for hit in answer.hits)
    assert (lane.status, lane.reason, answer.complete) == ("ok", None, True)
    followed = TEN_LESS_THE_VIDEO if links == "gotobare" else 0
    assert world.server.log.count("/goto") == followed
    assert world.server.log.max_in_flight("/goto") <= 1


async def test_what_is_behind_a_link_is_never_requested(world: World) -> None:
    await world.search("careful links:gotobare")
    assert {visit.path for visit in world.server.log.visits} <= {"/search", "/goto", "/favicon.ico"}


async def test_when_google_asks_to_wait_the_rest_keep_their_stand_ins(world: World) -> None:
    query = "patience links:gotobare goto:verify=4"
    answer, lane = await world.search(query)
    known = [hit.url for hit in answer.hits if hit.resolved]
    assert known[:4] == truth(world, query)[:4]
    assert len(known) == 5
    assert all(hit.site for hit in answer.hits)
    assert lane.status == "ok"
    assert "5 links not followed" in str(lane.reason)
    assert world.server.log.count("/goto") == 5
    _, again = await world.search(f"more {query}")
    assert "left alone" in str(again.reason)
    assert world.server.log.count("/goto") == 5


async def test_a_target_in_an_unusual_answer_is_taken(world: World) -> None:
    query = "odd links:gotobare goto:402 total:3"
    answer, _ = await world.search(query)
    assert urls(answer) == truth(world, query)


async def test_a_resolver_that_hangs_costs_the_targets_and_not_the_hits(world: World) -> None:
    query = "stuck links:gotobare goto:hang total:4"
    answer, lane = await world.search(query, deadline_s=1.5)
    assert [hit.resolved for hit in answer.hits] == [False] * 4
    assert (lane.status, answer.complete) == ("ok", True)
    assert "4 links not followed: no time left" in str(lane.reason)
