"""The Google lane: pages together, merged in order, and what one failure does to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest

from broker.browser.watch import NavigationFailed
from broker.errors import BrowserMissing, BrowserUnavailable, LaneFailed, TabLost
from broker.lanes.cooldown import Cooldowns
from broker.lanes.google import GoogleLane
from broker.lanes.lane import LaneRun
from broker.models import LaneStatus, SearchQuery
from broker.settings import LaneSettings, Settings
from broker.store import Store
from tests.broker.lanes.doubles import ScriptedTab, Step, pool_of, request
from tests.broker.lanes.pages import ORIGIN, report, results, saved

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from broker.browser.pool import TabPool
    from broker.browser.watch import TabPolicy
    from broker.errors import BrowserError

pytestmark = pytest.mark.virtual_clock

BUDGET_S = 2.85

HANGS = "hangs"
CRASHES = TabLost("the tab crashed")
RESETS = NavigationFailed("ERR_CONNECTION_RESET")
CAPTCHA = "sorry"
TOO_MANY = "429"
BLOCKED = "blocked"
EMPTY = "no-more-results"

Answer = str | NavigationFailed | TabLost


class Site:
    """What Google answers for each page and visit; full pages where nothing is said."""

    def __init__(self, answers: dict[int, Answer | list[Answer]] | None = None) -> None:
        self.takes_s = 0.1
        self.visits: list[int] = []
        self.referrers: list[str | None] = []
        self.at_once = 0
        self.running = 0
        self.tabs: list[SiteTab] = []
        self._answers = answers or {}

    def answer(self, page: int) -> Answer:
        self.visits.append(page)
        answers = self._answers.get(page, "")
        if not isinstance(answers, list):
            return answers
        visit = self.visits.count(page)
        return answers[visit - 1] if visit <= len(answers) else ""

    def tab(self, policy: TabPolicy) -> SiteTab:
        self.tabs.append(SiteTab(self, policy))
        return self.tabs[-1]


class SiteTab(ScriptedTab):
    """A tab that finds there what the site answers."""

    def __init__(self, site: Site, policy: TabPolicy) -> None:
        super().__init__(policy=policy)
        self._site = site

    async def open(self, url: str, *, referrer: str | None = None) -> None:
        self.leave()
        page = int(parse_qs(urlsplit(url).query).get("start", ["0"])[0]) // 10 + 1
        answer = self._site.answer(page)
        self._site.referrers.append(referrer)
        self._site.running += 1
        self._site.at_once = max(self._site.at_once, self._site.running)
        try:
            await anyio.sleep(self._site.takes_s)
            if answer == HANGS:
                await anyio.sleep_forever()
        finally:
            self._site.running -= 1
        await super().open(url, referrer=referrer)
        if not isinstance(answer, str):
            raise answer
        self._script = [Step(at_s=0.0, says=_report(answer, page, url))]


def _report(answer: str, page: int, url: str) -> Any:  # noqa: ANN401 - a Report
    match answer:
        case "":
            return report(results(10 * page - 9, 10 * page), url=url)
        case "sorry":
            return report(saved("sorry"), url=f"{ORIGIN}/sorry/index?continue={url}", status=429)
        case "429":
            return report(saved("blocked"), url=url, status=429)
        case "blocked":
            return report(saved("blocked"), url=url, status=403)
    return report(saved(answer), url=url)


class World:
    def __init__(self, home: Path) -> None:
        self.now_s = 1_800_000_000.0
        self.store = Store(home, lambda: self.now_s)
        self.settings = Settings(home=home, lanes=LaneSettings())

    def pool(self, site: Site, error: BrowserError | None = None) -> TabPool:
        return pool_of(site.tab, self.settings.home, error)

    async def search(self, pool: TabPool, wanted: int = 10, budget_s: float = BUDGET_S) -> LaneRun:
        """One run of the lane, ended as the race ends it."""
        lane = GoogleLane(self.settings, pool, Cooldowns(self.store, self.settings.lanes))
        ctx = request(budget_s)
        run = LaneRun(ctx, "google", 0)
        try:
            with ctx.deadline.scope() as scope:
                await lane.search(ctx, SearchQuery(text="cats", max_hits=wanted), run)
            if scope.cancelled_caught:
                run.note("timeout", "its time was up")
        except LaneFailed as error:
            run.fail(error)
        run.finish()
        return run


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.store.close()


def numbers(run: LaneRun) -> list[int]:
    return [int(hit.title.split()[-1]) for hit in run.hits()]


async def test_ten_hits_are_one_page(world: World) -> None:
    site = Site()
    async with world.pool(site) as pool:
        run = await world.search(pool)
    assert numbers(run) == list(range(1, 11))
    assert site.visits == [1]
    assert run.report().status is LaneStatus.OK


async def test_the_second_and_third_page_load_together(world: World) -> None:
    site = Site()
    site.takes_s = 0.6
    async with world.pool(site) as pool:
        run = await world.search(pool, 30)
    assert numbers(run) == list(range(1, 31))
    assert sorted(site.visits) == [1, 2, 3]
    assert site.at_once == 2
    assert run.report().ms < 1400
    assert site.referrers[0] is None
    assert set(site.referrers[1:]) == {f"{ORIGIN}/search?q=cats"}


FAILING_PAGE_2 = {
    "hangs": (HANGS, "timeout"),
    "reset": (RESETS, "unreachable"),
    "captcha": (CAPTCHA, "captcha"),
    "too many": (TOO_MANY, "rate_limited"),
    "blocked": (BLOCKED, "blocked"),
    "crash": (CRASHES, "tab_lost"),
}


@pytest.mark.parametrize(("answer", "code"), FAILING_PAGE_2.values(), ids=FAILING_PAGE_2)
async def test_a_page_that_fails_takes_nothing_from_the_others(
    answer: Answer, code: str, world: World
) -> None:
    async with world.pool(Site({2: answer})) as pool:
        run = await world.search(pool, 30)
    assert numbers(run) == [*range(1, 11), *range(21, 31)]
    found = run.report()
    assert (found.status, found.code) == (LaneStatus.PARTIAL, code)
    assert "page 2" in str(found.reason)
    assert found.ms <= BUDGET_S * 1000 + 1


async def test_a_first_page_that_fails_fails_the_lane(world: World) -> None:
    site = Site({1: BLOCKED})
    async with world.pool(site) as pool:
        run = await world.search(pool, 30)
    assert (run.report().status, run.report().code) == (LaneStatus.FAILED, "blocked")
    assert site.visits == [1]


async def test_no_further_page_is_asked_for_after_a_refusal(world: World) -> None:
    for answer in (CAPTCHA, TOO_MANY):
        site = Site({2: answer, 3: answer})
        async with world.pool(site) as pool:
            await world.search(pool, 100)
        assert sorted(site.visits) == [1, 2, 3]
        world.now_s += 10_000


async def test_the_end_of_the_results_is_not_a_flaw(world: World) -> None:
    async with world.pool(Site({2: EMPTY, 3: EMPTY})) as pool:
        run = await world.search(pool, 100)
    assert run.exhausted
    assert (run.report().status, run.report().code) == (LaneStatus.OK, None)


# --- trying again ------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [CRASHES, RESETS], ids=["crash", "reset"])
async def test_a_page_that_a_second_try_may_spare_is_tried_in_a_fresh_tab(
    failure: Answer, world: World
) -> None:
    site = Site({1: [failure]})
    async with world.pool(site) as pool:
        pool.warm_up(3)
        await anyio.sleep(1)
        run = await world.search(pool)
    assert numbers(run) == list(range(1, 11))
    assert site.visits == [1, 1]
    uses = [len(tab.opened) for tab in site.tabs]
    assert (len(uses), sum(uses), uses[-1]) == (4, 2, 1), "idle ones may have crashed as well"
    assert run.report().status is LaneStatus.OK


async def test_there_is_no_third_try(world: World) -> None:
    site = Site({1: RESETS})
    async with world.pool(site) as pool:
        run = await world.search(pool)
    assert site.visits == [1, 1]
    assert run.report().code == "unreachable"


@pytest.mark.parametrize("answer", [BLOCKED, CAPTCHA, HANGS])
async def test_a_refusal_or_a_late_page_is_not_tried_again(answer: str, world: World) -> None:
    site = Site({1: answer})
    async with world.pool(site) as pool:
        await world.search(pool)
    assert site.visits == [1]


async def test_there_is_no_second_try_without_time_for_it(world: World) -> None:
    site = Site({1: RESETS})
    async with world.pool(site) as pool:
        await world.search(pool, budget_s=0.55)
    assert site.visits == [1]


# --- without a browser -------------------------------------------------------------------------


async def test_a_missing_browser_skips_the_lane_with_the_command(world: World) -> None:
    async with world.pool(Site(), BrowserMissing("install one with: it")) as pool:
        run = await world.search(pool)
    found = run.report()
    assert (found.status, found.code) == (LaneStatus.SKIPPED, "browser_missing")
    assert found.reason == "install one with: it"


async def test_a_browser_that_does_not_start_fails_the_lane(world: World) -> None:
    async with world.pool(Site(), BrowserUnavailable("it does not start")) as pool:
        run = await world.search(pool)
    found = run.report()
    assert (found.status, found.code) == (LaneStatus.FAILED, "browser_unavailable")
    assert found.reason == "it does not start"


# --- cooldowns ---------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [CAPTCHA, TOO_MANY], ids=["captcha", "429"])
async def test_after_a_refusal_google_is_not_asked_until_the_time_is_up(
    answer: str, world: World
) -> None:
    site = Site({1: [answer, answer]})
    async with world.pool(site) as pool:
        refused = (await world.search(pool)).report()
        assert (refused.status, refused.retry_after_s) == (LaneStatus.FAILED, 300)
        cooling = (await world.search(pool)).report()
        assert (cooling.status, cooling.code) == (LaneStatus.COOLING, refused.code)
        assert (cooling.retry_after_s, cooling.ms) == (300, 0)
        assert site.visits == [1]
        world.now_s += 300
        again = (await world.search(pool)).report()
        assert (again.status, again.retry_after_s) == (LaneStatus.FAILED, 600)


async def test_an_answer_clears_the_record(world: World) -> None:
    async with world.pool(Site({1: [CAPTCHA, "", CAPTCHA]})) as pool:
        await world.search(pool)
        world.now_s += 300
        await world.search(pool)
        assert world.store.cooldown("google") is None
        assert (await world.search(pool)).report().retry_after_s == 300


async def test_a_refusal_of_page_2_is_not_cleared_by_page_1(world: World) -> None:
    async with world.pool(Site({1: [CAPTCHA], 2: CAPTCHA})) as pool:
        await world.search(pool)
        world.now_s += 300
        await world.search(pool, 20)
        cooldown = world.store.cooldown("google")
        assert cooldown is not None
        assert (cooldown.left_s, cooldown.strikes) == (600, 2)


async def test_other_walls_leave_no_cooldown(world: World) -> None:
    async with world.pool(Site({1: BLOCKED})) as pool:
        await world.search(pool)
    assert world.store.cooldown("google") is None


async def test_a_cooldown_from_the_future_is_forgotten(world: World) -> None:
    site = Site({1: [CAPTCHA]})
    async with world.pool(site) as pool:
        await world.search(pool)
        world.now_s -= 86_400
        assert (await world.search(pool)).report().status is LaneStatus.OK
        assert world.store.cooldown("google") is None
