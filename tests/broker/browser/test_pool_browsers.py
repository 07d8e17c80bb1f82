"""The browser behind the tabs: replaced in use, lost, frozen, ended; and the cookies it leaves."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from broker.browser import cookies
from broker.browser.cdp import CdpError
from broker.errors import BrowserUnavailable, TabLost
from tests.broker.browser.doubles import A_MOMENT_S, Starter, make_pool, session_of, within

if TYPE_CHECKING:
    from pathlib import Path

    from broker.browser.pool import TabPool

pytestmark = pytest.mark.virtual_clock

SOCS: dict[str, Any] = {"name": "SOCS", "value": "CAI", "domain": ".google.com", "path": "/"}


async def use(pool: TabPool, times: int = 1) -> None:
    for _ in range(times):
        async with pool.lease(within()):
            await anyio.sleep(0.01)
        await anyio.sleep(0.01)


# --- replacement -------------------------------------------------------------------------------


async def test_a_used_up_browser_is_replaced_by_a_running_one(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path, max_uses=5) as pool:
        await use(pool, 5)
        await anyio.sleep(A_MOMENT_S)
        assert starter.calls == 2
        first, second = starter.engines
        assert (first.closes, second.closes) == (1, 0)
        assert pool.status().uses == 0
        await use(pool)
        assert first.opened == second.opened == 1


async def test_a_loan_outlives_the_replacement_of_its_browser(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path, max_uses=3) as pool:
        async with pool.lease(within()) as kept:
            await use(pool, 2)
            await anyio.sleep(A_MOMENT_S)
            first, second = starter.engines
            assert session_of(kept) in first.open
            assert len(first.open) == 1, "its idle tabs have closed"
            async with pool.lease(within()) as tab:
                assert session_of(tab) in second.open
            await anyio.sleep(60)
            assert first.closes == 0
            assert kept.healthy
        await anyio.sleep(A_MOMENT_S)
        assert (first.closes, second.closes) == (1, 0)


async def test_no_request_fails_while_browsers_are_replaced_under_it(tmp_path: Path) -> None:
    starter = Starter()
    starter.takes_s = 1
    served = 0
    async with make_pool(starter, tmp_path, max_uses=4) as pool:

        async def work() -> None:
            nonlocal served
            for _ in range(20):
                async with pool.lease(within(5)) as tab:
                    await tab.open("http://example.com/")
                    await anyio.sleep(0.3)
                    assert tab.healthy
                served += 1

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(work)
        await anyio.sleep(5)
        assert served == 60
        assert starter.calls > 3
        assert [engine.closes for engine in starter.engines] == [1] * (starter.calls - 1) + [0]


async def test_the_old_browser_serves_on_when_the_next_one_does_not_start(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path, max_uses=2) as pool:
        await use(pool, 1)
        starter.failures.extend([BrowserUnavailable("no")] * 9)
        await use(pool, 20)
        assert starter.calls == 2, "it is not tried again for a while"
        assert starter.engines[0].closes == 0
        starter.failures.clear()
        await anyio.sleep(5)
        await use(pool)
        await anyio.sleep(A_MOMENT_S)
        assert starter.calls == 3
        assert starter.engines[0].closes == 1


@pytest.mark.parametrize(("limit_mb", "calls"), [(1, 2), (1_000_000, 1)], ids=["above", "below"])
async def test_a_browser_that_has_grown_too_large_is_replaced(
    limit_mb: int, calls: int, tmp_path: Path
) -> None:
    starter = Starter(pid=os.getpid())
    async with make_pool(starter, tmp_path, max_rss_mb=limit_mb) as pool:
        await use(pool, 30)
        await anyio.sleep(A_MOMENT_S)
        assert starter.calls == calls
        assert (pool.status().rss_mb or 0) > 1


async def test_tabs_that_come_back_together_replace_their_browser_once(tmp_path: Path) -> None:
    starter = Starter(pid=os.getpid())
    async with make_pool(starter, tmp_path, max_rss_mb=1) as pool:
        await use(pool, 23)
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(use, pool)
        await anyio.sleep(A_MOMENT_S)
        assert starter.calls == 2


async def test_a_browser_that_dies_while_its_successor_starts_leaves_one_running(
    tmp_path: Path,
) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path, max_uses=2) as pool:
        await use(pool)
        starter.takes_s = 1
        await use(pool)
        starter.engines[0].die()
        await use(pool, 2)
        await anyio.sleep(3)
        assert sum(not engine.closes for engine in starter.engines) == 1


# --- loss --------------------------------------------------------------------------------------


async def test_the_lease_after_a_crash_starts_a_new_browser(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with pool.lease(within()) as tab:
            starter.engines[0].die()
            with pytest.raises(TabLost):
                await tab.open("http://example.com/")
        async with pool.lease(within()) as other:
            assert session_of(other) in starter.engines[1].open
        assert starter.calls == 2
        assert starter.engines[0].closes == 1


async def test_a_browser_that_dies_unused_is_replaced_when_it_is_needed(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        await use(pool)
        starter.engines[0].die()
        await anyio.sleep(60)
        assert (starter.calls, pool.status().state) == (1, "idle")
        await use(pool)
        assert starter.calls == 2


async def test_a_browser_that_freezes_is_replaced(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        await use(pool)
        with anyio.move_on_after(2):
            async with pool.lease(within()):
                starter.engines[0].frozen = True
                await anyio.sleep_forever()
        await anyio.sleep(2)
        assert starter.calls == 2
        with anyio.fail_after(A_MOMENT_S):
            await use(pool)
        assert starter.engines[0].closes == 1


async def test_a_browser_that_opens_no_tab_is_replaced(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with pool.lease(within()):
            starter.engines[0].frozen = True
            with pytest.raises(BrowserUnavailable, match="does not answer"):
                await use(pool)
        await anyio.sleep(2)
        with anyio.fail_after(A_MOMENT_S):
            await use(pool)
        assert starter.calls == 2


async def test_a_browser_that_starts_but_opens_no_tab_did_not_start(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        await use(pool)
        starter.engines[0].die()
        cookies.save(tmp_path / "cookies.json", [SOCS])
        starter.cookie_error = TabLost("it went away")
        with pytest.raises(BrowserUnavailable, match="opens no tab"):
            await use(pool)
        await anyio.sleep(A_MOMENT_S)
        assert starter.engines[1].closes >= 1


# --- the end -----------------------------------------------------------------------------------


async def test_leaving_the_pool_ends_every_browser(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path, max_uses=1) as pool, anyio.create_task_group() as tasks:
        held = anyio.Event()

        async def hold() -> None:
            async with pool.lease(within()):
                await held.wait()

        tasks.start_soon(hold)
        await anyio.sleep(A_MOMENT_S)
        tasks.start_soon(hold)
        await use(pool)
        await anyio.sleep(A_MOMENT_S)
        assert starter.calls == 2
        tasks.cancel_scope.cancel()
    assert [engine.closes for engine in starter.engines] == [1, 1]


async def test_leaving_the_pool_stops_a_start(tmp_path: Path) -> None:
    starter = Starter()
    starter.takes_s = 60
    with anyio.fail_after(2):
        async with make_pool(starter, tmp_path) as pool:
            pool.warm_up()
            await anyio.sleep(1)
    assert starter.engines == []


async def test_leaving_the_pool_by_cancellation_ends_the_browser(tmp_path: Path) -> None:
    starter = Starter()
    with anyio.move_on_after(5) as scope:
        async with make_pool(starter, tmp_path) as pool, pool.lease(within()):
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert starter.engines[0].closes == 1


# --- cookies -----------------------------------------------------------------------------------


async def test_nothing_is_saved_unasked(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        await use(pool, 3)
        starter.engines[0].jar = [SOCS]
    assert not (tmp_path / "cookies.json").exists()


async def test_cookies_worth_keeping_are_saved_when_their_tab_comes_back(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with pool.lease(within()):
            starter.engines[0].jar = [SOCS]
        pool.keep_cookies()
        await anyio.sleep(A_MOMENT_S)
        assert cookies.load(tmp_path / "cookies.json") == [SOCS]


async def test_cookies_are_saved_although_the_pool_is_left_at_once(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        async with pool.lease(within()):
            starter.engines[0].jar = [SOCS]
        pool.keep_cookies()
    assert cookies.load(tmp_path / "cookies.json") == [SOCS]


async def test_the_next_browser_is_given_the_saved_cookies(tmp_path: Path) -> None:
    cookies.save(tmp_path / "cookies.json", [SOCS])
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        await use(pool)
        assert starter.engines[0].jar == [SOCS]


async def test_cookies_that_the_browser_refuses_do_not_keep_it_from_starting(
    tmp_path: Path,
) -> None:
    cookies.save(tmp_path / "cookies.json", [SOCS])
    starter = Starter()
    starter.cookie_error = CdpError("Invalid cookie fields")
    async with make_pool(starter, tmp_path) as pool:
        await use(pool)
        assert starter.engines[0].jar == []


async def test_where_cookies_cannot_be_saved_the_search_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    starter = Starter()
    async with make_pool(starter, tmp_path / "file") as pool:
        async with pool.lease(within()):
            pass
        pool.keep_cookies()
        await anyio.sleep(A_MOMENT_S)
        await use(pool)


async def test_a_browser_that_freezes_does_not_hold_up_the_end(tmp_path: Path) -> None:
    starter = Starter()
    async with make_pool(starter, tmp_path) as pool:
        await use(pool)
        starter.engines[0].frozen = True
        pool.keep_cookies()
        ended_s = anyio.current_time()
    assert anyio.current_time() - ended_s < 1
