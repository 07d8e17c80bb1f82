"""The Google lane: result pages through warm tabs, inside a hard three seconds.

Page 1 comes first, and with it the links to the others. When more hits are wanted, the next pages
load at the same time in further tabs; they are merged in page order. A page that fails takes
nothing from the others. Links whose target Google hides are followed at the end, one after
another, while there is time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from broker.browser.watch import TabPolicy
from broker.errors import BrowserError, BrowserMissing, LaneFailed, TabLost
from broker.lanes.cooldown import respect
from broker.lanes.goto import GotoResolver
from broker.lanes.paging import PAGE_HITS, Arrival, PagePlan
from broker.lanes.serp_reader import WALLS, WATCH, read_serp
from broker.models import LaneStatus, SerpState
from broker.providers import google
from broker.trace import Event, hashed

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.browser.pool import TabPool
    from broker.context import RequestContext
    from broker.lanes.cooldown import Cooldowns
    from broker.lanes.lane import LaneRun
    from broker.lanes.serp_reader import PageRead
    from broker.models import SearchQuery, Serp
    from broker.settings import Settings

NAME = google.NAME
_TRIES = 2
"""A tab that crashed or a connection that broke is no reason to give up its page…"""
_TRY_S = 0.5
"""… while there is time to load it again."""
_KEPT_FOR_FIRST = 3
"""Tabs that further pages leave alone; as many as the queries that one call answers at once."""
_COOLING_CODES = frozenset({SerpState.CAPTCHA, "rate_limited"})


def tab_policy(origin: str) -> TabPolicy:
    """What the lane's tabs look for and where they may go."""
    return TabPolicy(
        watch=WATCH,
        may_visit=lambda url: google.is_own_host(url, origin),
        hosts=google.reachable_hosts(origin),
        redirects=f"{origin}/goto?*",
    )


class GoogleLane:
    """Google's result pages as a lane."""

    name = NAME
    lacks: str | None = None
    paid = False

    def __init__(self, settings: Settings, tabs: TabPool, cooldowns: Cooldowns) -> None:
        self.budget_s: float | None = settings.lanes.google_lane_s - settings.lanes.reserve_s
        self._origin = settings.providers.google_url
        self._in_flight = settings.lanes.pages_in_flight
        self._tabs = tabs
        self._cooldowns = cooldowns
        self._resolver = GotoResolver(tabs, cooldowns)
        # Pages that hang hold their tabs to the end: some stay free for first pages.
        self._further_pages = anyio.Semaphore(max(1, settings.browser.tabs - _KEPT_FOR_FIRST))

    async def search(self, ctx: RequestContext, query: SearchQuery, run: LaneRun) -> None:
        """Fill `run` with up to `query.max_hits` hits by `ctx.deadline`.

        Raises:
            LaneFailed: no page gave hits, and this is why.
        """
        ctx.trace.event(Event.LANE_START, provider=NAME, query=hashed(query.text))
        compiled = google.compiled_query(query)
        run.compiled_query = compiled if compiled != query.text else None
        record = await self._cooldowns.find(ctx, NAME)
        respect(record)
        first_url = google.search_url(query, self._origin, 0)
        try:
            await self._read_pages(ctx, query, run, first_url)
        except BrowserError as error:
            if isinstance(error, BrowserMissing):
                run.end(LaneStatus.SKIPPED)
            raise LaneFailed(error.code, error.message) from error
        if record is not None:
            await self._cooldowns.clear(ctx, NAME)
        await self._resolver.resolve(ctx, run, limit=query.max_hits, referrer=first_url)

    # --- all pages -----------------------------------------------------------------------------

    async def _read_pages(
        self, ctx: RequestContext, query: SearchQuery, run: LaneRun, first_url: str
    ) -> None:
        plan = PagePlan(query.max_hits)
        if query.max_hits > PAGE_HITS:
            self._tabs.warm_up(1 + self._in_flight)
        self._take(run, plan, 1, await self._read_page(ctx, run, 1, first_url))

        async def work() -> None:
            while (number := plan.start_next()) is not None:
                start = PAGE_HITS * (number - 1)
                url = plan.link(number) or google.search_url(query, self._origin, start)
                try:
                    async with self._further_pages:
                        read = await self._read_page(ctx, run, number, url, first_url)
                except (LaneFailed, BrowserError) as error:
                    plan.fail(walled=error.code in WALLS or error.code in _COOLING_CODES)
                    run.note(error.code, f"page {number}: {error.message}")
                    continue
                self._take(run, plan, number, read)

        async with anyio.create_task_group() as tasks:
            for _ in range(plan.in_flight_limit or self._in_flight):
                tasks.start_soon(work)

    def _take(self, run: LaneRun, plan: PagePlan, number: int, read: PageRead) -> None:
        arrival = plan.arrive(number, read.serp, whole=read.flaw is None)
        run.exhausted = run.exhausted or arrival is not Arrival.NEW
        if arrival is Arrival.REPEAT:
            run.note("repeat", f"page {number} repeats earlier results")

    # --- one page ------------------------------------------------------------------------------

    async def _read_page(
        self,
        ctx: RequestContext,
        run: LaneRun,
        number: int,
        url: str,
        referrer: str | None = None,
    ) -> PageRead:
        """Read page `number` into `run`, and a refusal into the cooldowns.

        Raises:
            LaneFailed: the page gave no results.
            BrowserError: there is no browser to read it with.
        """

        def in_hand(serp: Serp) -> None:
            run.put_page(number, serp.hits, whole=False)

        try:
            read = await self._read_in_a_tab(ctx, url, referrer, in_hand)
        except LaneFailed as error:
            if error.code not in _COOLING_CODES:
                raise
            cooldown = await self._cooldowns.start(ctx, NAME, error.code)
            left_s = cooldown.left_s
            raise LaneFailed(error.code, error.message, retry_after_s=left_s) from error
        run.put_page(number, read.serp.hits, whole=read.flaw is None)
        if read.flaw is not None:
            run.note("incomplete", f"page {number} {read.flaw}")
        if read.cookies_changed:
            self._tabs.keep_cookies()
        return read

    async def _read_in_a_tab(
        self,
        ctx: RequestContext,
        url: str,
        referrer: str | None,
        in_hand: Callable[[Serp], None],
    ) -> PageRead:
        for tries_left in reversed(range(_TRIES)):
            try:
                async with self._tabs.lease(ctx, fresh=not tries_left) as tab:
                    return await read_serp(ctx, tab, url, referrer=referrer, in_hand=in_hand)
            except (TabLost, LaneFailed) as error:
                again = isinstance(error, TabLost) or error.transient
                if not again or not tries_left or ctx.deadline.remaining_s() < _TRY_S:
                    raise
        raise AssertionError  # the last try returns or raises
