"""Lending tabs: who gets which, what becomes of them, and that nobody waits for tidying up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from broker.errors import BrowserMissing, BrowserUnavailable, TabLost
from tests.broker.browser.doubles import A_MOMENT_S, Starter, make_pool, session_of, within

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from broker.browser.pool import TabPool

pytestmark = pytest.mark.virtual_clock

# --- starting ----------------------------------------------------------------------------------


async def test_no_browser_starts_before_it_is_needed(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        await anyio.sleep(60)
        assert pool.status().state == "idle"
    assert starter.calls == 0


async def test_those_who_come_while_it_starts_wait_for_the_same_one(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool, anyio.create_task_group() as tasks:

        async def use() -> None:
            async with pool.lease(within()):
                await anyio.sleep(1)

        for _ in range(3):
            tasks.start_soon(use)
        await anyio.sleep(starter.takes_s / 2)
        assert pool.status().state == "starting"
    assert starter.calls == 1


async def test_a_request_that_is_cancelled_does_not_stop_the_start(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        with anyio.move_on_after(starter.takes_s / 2) as scope:
            async with pool.lease(within()):
                pytest.fail("the browser is not there yet")
        assert scope.cancelled_caught
        await anyio.sleep(A_MOMENT_S)
        assert pool.status().state == "ready"
        async with pool.lease(within()):
            pass
    assert starter.calls == 1


async def test_a_browser_that_is_not_ready_in_time_is_said_to_be_late(tmp_path: Path) -> None:
    starter = Starter()
    starter.takes_s = 10
    async with make_pool(starter, tmp_path) as pool:
        ctx = within(2)
        with pytest.raises(BrowserUnavailable, match="not ready in time"):
            async with pool.lease(ctx):
                pytest.fail("the browser is not there yet")
        assert ctx.deadline.remaining_s() > 0
        await anyio.sleep(9)
        async with pool.lease(within()):
            pass
    assert starter.calls == 1


async def test_a_failed_start_is_remembered_for_five_seconds(tmp_path: Path) -> None:
    starter = Starter()
    starter.failures.extend([BrowserUnavailable("no"), BrowserUnavailable("no")])
    async with make_pool(starter, tmp_path) as pool:
        for wait_s, calls in ((0, 1), (4.8, 1), (0.2, 2)):
            await anyio.sleep(wait_s)
            with pytest.raises(BrowserUnavailable, match="no"):
                async with pool.lease(within()):
                    pytest.fail("there is no browser")
            assert starter.calls == calls
            assert pool.status().state == "failed"
        await anyio.sleep(5)
        async with pool.lease(within()):
            assert pool.status().state == "ready"


async def test_a_missing_browser_is_looked_for_again_at_once(tmp_path: Path) -> None:
    starter = Starter()
    starter.failures.append(BrowserMissing("install one with: it"))
    async with make_pool(starter, tmp_path) as pool:
        with pytest.raises(BrowserMissing, match="install"):
            async with pool.lease(within()):
                pytest.fail("there is no browser")
        assert (pool.status().state, pool.status().note) == ("missing", "install one with: it")
        async with pool.lease(within()):
            pass


async def test_what_the_system_refuses_is_an_unavailable_browser(tmp_path: Path) -> None:
    starter = Starter()
    starter.failures.append(PermissionError(13, "Permission denied", "/run/x"))
    async with make_pool(starter, tmp_path) as pool:
        with pytest.raises(BrowserUnavailable, match="Permission denied"):
            async with pool.lease(within()):
                pytest.fail("there is no browser")


# --- lending -----------------------------------------------------------------------------------


async def test_a_tab_that_came_back_is_lent_again_on_an_empty_page(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with pool.lease(within()) as first:
            pass
        await anyio.sleep(A_MOMENT_S)
        assert session_of(first).sent[-1] == ("Page.navigate", {"url": "about:blank"})
        async with pool.lease(within()) as second:
            assert second is first
    assert starter.engines[0].opened == 1


async def test_a_fresh_tab_is_a_new_one(tmp_path: Path) -> None:
    async with make_pool(Starter(), tmp_path) as pool:
        async with pool.lease(within()) as first:
            pass
        await anyio.sleep(A_MOMENT_S)
        async with pool.lease(within(), fresh=True) as second:
            assert second is not first


async def test_no_two_requests_have_the_same_tab(tmp_path: Path) -> None:
    async with (
        make_pool(Starter(), tmp_path) as pool,
        pool.lease(within()) as first,
        pool.lease(within()) as second,
    ):
        assert first is not second


async def test_a_tab_that_is_not_healthy_is_closed(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with pool.lease(within()) as tab:
            tab.healthy = False
        await anyio.sleep(A_MOMENT_S)
        assert session_of(tab) not in starter.engines[0].open
        async with pool.lease(within()) as other:
            assert other is not tab


async def test_a_tab_that_crashes_while_idle_is_not_lent(tmp_path: Path) -> None:
    async with make_pool(Starter(), tmp_path) as pool:
        async with pool.lease(within()) as tab:
            pass
        await anyio.sleep(A_MOMENT_S)
        session_of(tab).tell("Inspector.targetCrashed", {})
        async with pool.lease(within()) as other:
            assert other is not tab


async def test_an_error_in_the_block_closes_the_tab(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        with pytest.raises(LookupError):
            async with pool.lease(within()):
                raise LookupError
        await anyio.sleep(A_MOMENT_S)
        assert starter.engines[0].open == []


async def test_a_cancelled_block_closes_the_tab_and_frees_its_place(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path, tabs=1) as pool:
        with anyio.move_on_after(1) as scope:
            async with pool.lease(within()):
                await anyio.sleep_forever()
        assert scope.cancelled_caught
        assert anyio.current_time() == pytest.approx(scope.deadline)
        with anyio.fail_after(A_MOMENT_S):
            async with pool.lease(within()):
                pass
        assert starter.engines[0].opened == 2


async def test_a_lease_ends_at_once_although_its_cleaning_hangs(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path, tabs=2) as pool:
        async with pool.lease(within()) as tab:
            session_of(tab).hangs.add("Page.navigate")
            ended_s = anyio.current_time()
        assert anyio.current_time() == ended_s
        with anyio.fail_after(A_MOMENT_S):
            async with pool.lease(within()) as other:
                assert other is not tab
        await anyio.sleep(3)
        assert session_of(tab) not in starter.engines[0].open


async def test_a_page_that_does_not_give_way_costs_its_tab(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with pool.lease(within()) as tab:
            session_of(tab).commits = False
        await anyio.sleep(A_MOMENT_S)
        async with pool.lease(within()) as other:
            assert other is not tab
        await anyio.sleep(3)
        assert session_of(tab) not in starter.engines[0].open


async def test_who_finds_no_free_tab_waits_for_one(tmp_path: Path) -> None:
    async with make_pool(Starter(), tmp_path, tabs=2) as pool, anyio.create_task_group() as tasks:
        served: list[float] = []

        async def use() -> None:
            async with pool.lease(within()):
                served.append(anyio.current_time())
                await anyio.sleep(10)

        for _ in range(3):
            tasks.start_soon(use)
        await anyio.sleep(9)
        assert len(served) == 2
        await anyio.sleep(2)
        assert len(served) == 3


async def test_waiting_for_a_tab_can_be_cancelled(tmp_path: Path) -> None:
    async with make_pool(Starter(), tmp_path, tabs=1) as pool:
        async with pool.lease(within()):
            with anyio.move_on_after(1) as scope:
                async with pool.lease(within()):
                    pytest.fail("there is no free tab")
            assert scope.cancelled_caught
        with anyio.fail_after(A_MOMENT_S):
            async with pool.lease(within()):
                pass


async def test_a_tab_that_opens_for_nobody_is_kept_for_the_next(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with pool.lease(within()):
            engine = starter.engines[0]
            engine.gate = anyio.Event()
            with anyio.move_on_after(1):
                async with pool.lease(within()):
                    pytest.fail("it does not open yet")
            engine.gate.set()
            await anyio.sleep(A_MOMENT_S)
            engine.gate = anyio.Event()
            with anyio.fail_after(A_MOMENT_S):
                async with pool.lease(within()):
                    pass
        assert engine.opened == 2


async def test_after_a_burst_four_tabs_stay(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path, tabs=6) as pool:
        async with anyio.create_task_group() as tasks:

            async def use() -> None:
                async with pool.lease(within()):
                    await anyio.sleep(1)

            for _ in range(6):
                tasks.start_soon(use)
        await anyio.sleep(A_MOMENT_S)
        assert starter.engines[0].opened == 6
        assert len(starter.engines[0].open) == 4
        assert pool.status().tabs == 4


async def test_warming_up_opens_tabs_that_are_there_when_asked_for(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        for _ in range(3):
            pool.warm_up(3)
        await anyio.sleep(A_MOMENT_S)
        assert starter.engines[0].opened == 3
        pool.warm_up(2)
        await anyio.sleep(A_MOMENT_S)
        assert starter.engines[0].opened == 3


async def test_warming_up_in_vain_is_no_error(tmp_path: Path) -> None:
    starter = Starter()
    starter.failures.append(BrowserMissing("none"))
    async with make_pool(starter, tmp_path) as pool:
        pool.warm_up()
        await anyio.sleep(A_MOMENT_S)
        assert pool.status().state == "missing"


async def test_a_browser_that_dies_while_it_opens_a_tab_is_lost_to_the_lease(
    tmp_path: Path,
) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with pool.lease(within()):
            engine = starter.engines[0]
            engine.gate = anyio.Event()
            with pytest.raises(TabLost):
                await lease_while(pool, engine.die)
        async with pool.lease(within()):
            assert starter.calls == 2


async def lease_while(pool: TabPool, happens: Callable[[], object]) -> None:
    """Lease a tab, and let something happen a moment later."""
    async with anyio.create_task_group() as tasks:

        async def later() -> None:
            await anyio.sleep(A_MOMENT_S)
            happens()

        tasks.start_soon(later)
        try:
            async with pool.lease(within()):
                pass
        except TabLost as error:
            lost = error
        else:
            return
    raise lost
