"""Opaque links are followed politely: one at a time, never again than needed, and not when asked
to wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from broker.browser.watch import NavigationFailed, Redirect
from broker.errors import BrowserUnavailable
from broker.lanes.cooldown import Cooldowns
from broker.lanes.goto import GotoResolver
from broker.lanes.lane import LaneRun
from broker.settings import LaneSettings
from broker.store import Store
from tests.broker.lanes.doubles import RedirectingTab, pool_of, request
from tests.broker.lanes.pages import ORIGIN, URL, hit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from broker.browser.pool import TabPool
    from broker.errors import BrowserError

pytestmark = pytest.mark.virtual_clock


def goto(number: int) -> str:
    return f"{ORIGIN}/goto?url=TOKEN{number}"


def to(number: int, status: int = 302) -> Redirect:
    return Redirect(status=status, location=f"https://site{number}.example/")


VERIFYING = Redirect(status=200, location=None)


class World:
    """A store, a resolver, and what became of the hits."""

    def __init__(self, home: Path) -> None:
        self.store = Store(home)
        self.cooldowns = Cooldowns(self.store, LaneSettings())
        self._home = home

    def pool(self, tab: RedirectingTab, error: BrowserError | None = None) -> TabPool:
        return pool_of(lambda _policy: tab, self._home, error)

    async def resolve(
        self, resolver: GotoResolver, count: int = 3, *, limit: int = 10, budget_s: float = 5
    ) -> LaneRun:
        ctx = request(budget_s)
        run = LaneRun(ctx, "google", 0)
        run.put_page(1, tuple(hit(n, url=goto(n), resolved=False) for n in range(1, count + 1)))
        await resolver.resolve(ctx, run, limit=limit, referrer=URL)
        return run


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.store.close()


def resolved(run: LaneRun) -> list[str]:
    return [hit.url for hit in run.hits() if hit.resolved]


async def test_hits_get_their_targets_one_after_another(world: World) -> None:
    tab = RedirectingTab({goto(n): to(n) for n in (1, 2, 3)})
    async with world.pool(tab) as pool:
        run = await world.resolve(GotoResolver(pool, world.cooldowns))
    assert resolved(run) == [hit(n).url for n in (1, 2, 3)]
    assert tab.asked == [goto(n) for n in (1, 2, 3)]
    assert tab.together == 1
    assert (run.report().reason, run.report().code) == (None, None)


async def test_only_the_hits_that_are_wanted_are_followed(world: World) -> None:
    tab = RedirectingTab({goto(n): to(n) for n in (1, 2, 3)})
    async with world.pool(tab) as pool:
        run = await world.resolve(GotoResolver(pool, world.cooldowns), limit=2)
    assert tab.asked == [goto(1), goto(2)]
    assert [hit.resolved for hit in run.hits()] == [True, True, False]


async def test_where_nothing_hides_nobody_is_asked(world: World) -> None:
    tab = RedirectingTab({})
    async with world.pool(tab, BrowserUnavailable("not needed")) as pool:
        run = await world.resolve(GotoResolver(pool, world.cooldowns), count=0)
    assert run.report().reason is None


async def test_a_link_that_was_followed_once_is_remembered(world: World) -> None:
    tab = RedirectingTab({goto(n): to(n) for n in (1, 2, 3)})
    async with world.pool(tab) as pool:
        resolver = GotoResolver(pool, world.cooldowns)
        await world.resolve(resolver, count=2)
        run = await world.resolve(resolver, count=3)
    assert tab.asked == [goto(1), goto(2), goto(3)]
    assert len(resolved(run)) == 3


REFUSALS = {
    "verifying": VERIFYING,
    "too many": Redirect(status=429, location=None),
    "back to itself": Redirect(status=302, location=goto(9)),
    "captcha": Redirect(status=302, location=f"{ORIGIN}/sorry/index?continue=x"),
    "back to the search": Redirect(status=302, location="/search?q=cats"),
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
async def test_an_answer_that_leads_nowhere_stops_everybody_for_ten_minutes(
    refusal: Redirect, world: World
) -> None:
    tab = RedirectingTab({goto(1): to(1), goto(2): refusal, goto(3): to(3)})
    async with world.pool(tab) as pool:
        run = await world.resolve(GotoResolver(pool, world.cooldowns))
        assert tab.asked == [goto(1), goto(2)]
        assert [hit.resolved for hit in run.hits()] == [True, False, False]
        assert "2 links not followed" in str(run.report().reason)
        assert run.report().code is None, "no hit is missing"
        pause = world.store.cooldown("google.goto")
        assert pause is not None
        assert pause.left_s == pytest.approx(600, abs=5)
        assert pause.code == f"goto_{refusal.status}"
        other = await world.resolve(GotoResolver(pool, world.cooldowns))
        assert tab.asked == [goto(1), goto(2)]
        assert "3 links not followed: left alone for" in str(other.report().reason)
        assert resolved(other) == []


async def test_a_target_with_another_status_is_one(world: World) -> None:
    tab = RedirectingTab({goto(1): to(1, 402), goto(2): to(2, 303), goto(3): to(3, 301)})
    async with world.pool(tab) as pool:
        run = await world.resolve(GotoResolver(pool, world.cooldowns))
    assert len(resolved(run)) == 3


async def test_a_target_inside_a_wrapper_is_unwrapped(world: World) -> None:
    wrapped = Redirect(status=302, location=f"/url?q={hit(1).url}&sa=U")
    async with world.pool(RedirectingTab({goto(1): wrapped})) as pool:
        run = await world.resolve(GotoResolver(pool, world.cooldowns), count=1)
    assert resolved(run) == [hit(1).url]


async def test_when_time_is_up_the_rest_stays_as_it_is(world: World) -> None:
    tab = RedirectingTab({goto(1): to(1), goto(2): to(2), goto(3): None})
    async with world.pool(tab) as pool:
        started_s = anyio.current_time()
        run = await world.resolve(GotoResolver(pool, world.cooldowns), budget_s=1)
        assert anyio.current_time() - started_s < 1
    assert [hit.resolved for hit in run.hits()] == [True, True, False]
    assert run.report().reason == "1 links not followed: no time left"
    assert not tab.healthy
    assert world.store.cooldown("google.goto") is None


async def test_a_link_that_does_not_answer_stops_the_others_without_a_pause(world: World) -> None:
    tab = RedirectingTab({goto(1): NavigationFailed("ERR_CONNECTION_RESET"), goto(2): to(2)})
    async with world.pool(tab) as pool:
        run = await world.resolve(GotoResolver(pool, world.cooldowns), count=2)
    assert tab.asked == [goto(1)]
    assert "ERR_CONNECTION_RESET" in str(run.report().reason)
    assert world.store.cooldown("google.goto") is None


async def test_without_a_browser_the_hits_keep_their_stand_ins(world: World) -> None:
    async with world.pool(RedirectingTab({}), BrowserUnavailable("it is gone")) as pool:
        run = await world.resolve(GotoResolver(pool, world.cooldowns))
    assert len(run.hits()) == 3
    assert run.report().reason == "3 links not followed: it is gone"


async def test_targets_that_turn_out_to_be_the_same_are_one_hit(world: World) -> None:
    tab = RedirectingTab({goto(1): to(1), goto(2): to(1)})
    async with world.pool(tab) as pool:
        run = await world.resolve(GotoResolver(pool, world.cooldowns), count=2)
    assert resolved(run) == [hit(1).url]
