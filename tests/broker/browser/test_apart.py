"""Tabs with a context of their own: what waits for whom, and when it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.browser.apart import KEPT_S, MAX_USES, SPARES
from tests.broker.browser.doubles import (
    A_MOMENT_S,
    POLICY,
    FakeEngine,
    Starter,
    make_pool,
    within,
)

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from broker.browser.pool import TabPool
    from broker.browser.tab import Tab

pytestmark = pytest.mark.virtual_clock

READING = replace(POLICY, apart=True)
ONE_FOR_SEARCHES = 1


def lease(
    pool: TabPool, site: str = "http://a", *, fresh: bool = False
) -> AbstractAsyncContextManager[Tab]:
    return pool.lease(within(), policy=READING, site=site, fresh=fresh)


def open_in(starter: Starter) -> int:
    engine: FakeEngine = starter.engines[-1]
    return len(engine.open)


async def test_tabs_wait_once_they_were_asked_for(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        pool.warm_up_apart(READING)
        await anyio.sleep(A_MOMENT_S)
        assert open_in(starter) == pool.status().tabs == SPARES + ONE_FOR_SEARCHES
        opened = starter.engines[0].opened
        async with lease(pool):
            assert starter.engines[0].opened == opened
        await anyio.sleep(A_MOMENT_S)
        assert open_in(starter) == pool.status().tabs == SPARES + ONE_FOR_SEARCHES


async def test_the_next_page_of_a_site_has_the_tab_of_the_one_before(tmp_path: Path) -> None:
    async with make_pool(Starter(), tmp_path) as pool:
        async with lease(pool) as first:
            pass
        async with lease(pool) as second:
            assert second is first
            assert second.uses == 1


async def test_a_page_of_another_site_has_not(tmp_path: Path) -> None:
    async with make_pool(Starter(), tmp_path) as pool:
        async with lease(pool) as first:
            pass
        async with lease(pool, "http://b") as second:
            assert second is not first


@pytest.mark.parametrize("why", ["late", "failed", "fresh", "worn"])
async def test_nor_has_one_that_comes_late_or_after_trouble(tmp_path: Path, why: str) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with lease(pool) as first:
            first.healthy = why != "failed"
            first.uses = MAX_USES if why == "worn" else 0
        if why == "late":
            await anyio.sleep(KEPT_S * 1.1)
        async with lease(pool, fresh=why == "fresh") as second:
            assert second is not first
        await anyio.sleep(A_MOMENT_S)
        assert open_in(starter) == SPARES + ONE_FOR_SEARCHES


async def test_a_tab_that_ended_while_it_waited_is_not_lent(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        pool.warm_up_apart(READING)
        await anyio.sleep(A_MOMENT_S)
        for session in starter.engines[0].open[ONE_FOR_SEARCHES:]:
            session.tell("Inspector.targetCrashed", {})
        async with lease(pool) as tab:
            assert tab.healthy
        async with lease(pool) as tab:
            tab.healthy = True
        await anyio.sleep(A_MOMENT_S)
        assert open_in(starter) == SPARES + ONE_FOR_SEARCHES


async def test_pages_that_are_read_keep_no_search_waiting(tmp_path: Path) -> None:
    async with make_pool(Starter(), tmp_path, tabs=1) as pool, lease(pool):
        with anyio.fail_after(A_MOMENT_S):
            async with pool.lease(within()):
                pass
        with anyio.move_on_after(A_MOMENT_S) as scope:
            async with lease(pool):
                pytest.fail("there is no second one")
        assert scope.cancelled_caught


async def test_a_slot_is_free_before_its_tab_is_closed(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path, tabs=1) as pool:
        async with lease(pool) as first:
            first.healthy = False
        with anyio.fail_after(KEPT_S / 2):
            async with lease(pool) as second:
                assert second is not first


async def test_a_browser_that_is_replaced_ends_with_the_tabs_that_waited(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path, max_uses=2) as pool:
        for _ in range(2):
            async with lease(pool):
                pass
            await anyio.sleep(A_MOMENT_S)
        await anyio.sleep(A_MOMENT_S)
        assert len(starter.engines) == 2
        assert not starter.engines[0].open
        async with lease(pool):
            pass
        await anyio.sleep(A_MOMENT_S)
        assert open_in(starter) == SPARES + ONE_FOR_SEARCHES


async def test_a_browser_that_opens_none_is_not_asked_for_ever(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with lease(pool):
            starter.engines[0].die()
        await anyio.sleep(A_MOMENT_S)
        pool.warm_up_apart(READING)
        await anyio.sleep(A_MOMENT_S)
        assert len(starter.engines) == 2
        assert open_in(starter) == SPARES + ONE_FOR_SEARCHES
