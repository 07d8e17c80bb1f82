"""The browser fails under a search: tabs crash, Chromium is killed or freezes, or is replaced."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import psutil
import pytest

from broker.settings import BrowserSettings
from tests.browser.worlds import new_world, processes_of, renderers_of, running_in
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from broker.models import Answer, LaneReport
    from tests.browser.worlds import World

pytestmark = pytest.mark.browser

Found = tuple["Answer", "LaneReport"]


@pytest.fixture
async def own_world(tmp_path: Path) -> AsyncIterator[World]:
    """A broker for one test, since its browser does not survive it."""
    async with new_world(tmp_path) as made:
        await made.search("warm up")
        await made.settled()
        yield made


async def search_while(
    world: World, query: str, happens: Callable[[], object], wanted: int = 10
) -> Found:
    """Search, and let something happen when the query has reached the server."""
    found: list[Found] = []

    async def search() -> None:
        found.append(await world.search(query, wanted))

    seen = world.server.log.count("/search")
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(search)
            await world.server.log.arrivals("/search", seen + 1)
            await anyio.to_thread.run_sync(happens)
    return found[0]


def kill_all(find: Callable[[Path], list[psutil.Process]], home: Path) -> None:
    for process in find(home):
        with suppress(psutil.NoSuchProcess):
            process.kill()


@pytest.mark.parametrize("mode", ["hang#1", "hang_head#1", "loop#1", "slow=0.7#1"])
async def test_a_page_whose_tab_crashes_is_loaded_again(mode: str, own_world: World) -> None:
    home = own_world.settings.home
    answer, lane = await search_while(
        own_world, f"crash mode:{mode}", lambda: kill_all(renderers_of, home)
    )
    assert (lane.status, len(answer.hits)) == ("ok", 10), lane.reason
    await own_world.tidy()


async def test_a_tab_that_crashes_while_idle_is_not_used_again(own_world: World) -> None:
    home = own_world.settings.home
    await anyio.to_thread.run_sync(kill_all, renderers_of, home)
    await until(lambda: not renderers_of(home))
    answer, lane = await own_world.search("after the crash")
    assert (lane.status, len(answer.hits)) == ("ok", 10), lane.reason


async def test_a_chromium_that_is_killed_in_a_search_is_started_again(own_world: World) -> None:
    home = own_world.settings.home
    answer, lane = await search_while(
        own_world, "killed mode:hang#1", lambda: kill_all(processes_of, home)
    )
    assert (lane.status, len(answer.hits)) == ("ok", 10), lane.reason
    answer, _ = await own_world.search("the next one", 20)
    assert len(answer.hits) == 20
    await until(lambda: len(list((home / "run").iterdir())) == 1)


async def test_page_1_survives_that_chromium_is_killed_during_page_2(own_world: World) -> None:
    home = own_world.settings.home

    found: list[Found] = []

    async def search() -> None:
        found.append(await own_world.search("killed mode:hang@2", 20, deadline_s=4))

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(search)
            await own_world.server.log.until(lambda log: any(v.page == 2 for v in log.visits))
            await anyio.to_thread.run_sync(kill_all, processes_of, home)
    answer, lane = found[0]
    assert len(answer.hits) == 10
    assert (lane.status, lane.code) == ("partial", "timeout")


async def test_a_chromium_that_freezes_is_replaced(own_world: World) -> None:
    home = own_world.settings.home
    for process in processes_of(home):
        if "--remote-debugging-pipe" in process.cmdline():
            process.suspend()
    _, lane = await own_world.search("frozen", deadline_s=2)
    assert lane.status == "failed"
    await until(lambda: own_world.pool.status().uses == 0)
    answer, lane = await own_world.search("thawed")
    assert (lane.status, len(answer.hits)) == ("ok", 10), lane.reason
    await until(lambda: len(list((home / "run").iterdir())) == 1)


async def test_nobody_notices_that_the_browser_is_replaced(tmp_path: Path) -> None:
    async with new_world(tmp_path, BrowserSettings(max_uses=5)) as world:
        pids: set[int | None] = set()
        failed: list[LaneReport] = []

        async def work(name: str) -> None:
            number = 0
            while len(pids) < 3 and number < 50:
                number += 1
                answer, lane = await world.search(f"{name} {number} mode:slow=0.05", 20)
                if lane.status != "ok" or len(answer.hits) != 20:
                    failed.append(lane)
                assert world.pool._current is not None
                pids.add(world.pool._current.engine.info.pid)

        async with anyio.create_task_group() as tasks:
            for name in ("one", "two", "three"):
                tasks.start_soon(work, name)
        assert failed == []
        assert len(pids) == 3
        await world.settled()
        await until(lambda: len(list((tmp_path / "run").iterdir())) == 1)


async def test_the_end_of_the_broker_leaves_nothing(tmp_path: Path) -> None:
    async with new_world(tmp_path) as world, anyio.create_task_group() as tasks:
        tasks.start_soon(world.search, "left mode:hang", 10)
        await world.server.log.arrivals("/search")
        group = world.pool._generations[0].engine.info.pid
        tasks.cancel_scope.cancel()
    assert group is not None
    await until(lambda: not running_in(group))
    assert list((tmp_path / "run").iterdir()) == []
