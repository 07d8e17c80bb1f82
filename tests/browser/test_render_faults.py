"""Renders that are killed or hang take nothing with them; what they held is given back."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import psutil
import pytest

from broker.errors import BrokerError, BrowserMissing, RenderFailed
from broker.settings import BrowserSettings
from tests.browser.readings import Reading, Saboteur, new_reading
from tests.browser.test_attach import somebodys_browser
from tests.browser.worlds import processes_of, renderers_of
from tests.emulators.web_apps import LAST
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

FAULTS = {
    "killed": ("app?ms=9000", {"tab_crashed"}),
    "hung": ("hang", {"render_timeout"}),
    "looping": ("trap/loop-empty", {"unsettled", "render_timeout"}),
}
"""What becomes of a page, by what befalls it; a busy machine does not get to read all of them."""


@pytest.fixture
async def reading(tmp_path: Path) -> AsyncIterator[Reading]:
    """A browser for one test, since it may not survive it."""
    async with new_reading(tmp_path, Saboteur) as made:
        await made.render("article")
        await made.tidy()
        yield made


def files_in(home: Path) -> int:
    return sum(path.is_file() for path in (home / "run").rglob("*"))


async def outcome(reading: Reading, path: str, budget_s: float, name: str) -> str:
    try:
        page = await reading.render(path, budget_s, name)
    except BrokerError as error:
        return error.code
    return "whole" if page.settled and LAST in page.html else "unsettled"


async def test_every_fifth_of_sixty_fails_and_nothing_else_does(reading: Reading) -> None:
    before = (reading.pool.status().tabs, len(renderers_of(reading.home)), files_in(reading.home))
    contexts = await reading.contexts()
    waiting = list(range(60))
    seen: Counter[tuple[str, str]] = Counter()

    async def work() -> None:
        while waiting:
            number = waiting.pop()
            name = list(FAULTS)[number // 5 % len(FAULTS)] if number % 5 == 0 else "well"
            path, codes = FAULTS.get(name, ("app", {"whole"}))
            found = await outcome(reading, path, 40 if name in {"well", "killed"} else 3, name)
            seen[name, found if found not in codes else "as it should"] += 1

    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(work)
    assert seen == {
        ("well", "as it should"): 48,
        **{(name, "as it should"): 4 for name in FAULTS},
    }
    await reading.tidy()
    await until(lambda: len(renderers_of(reading.home)) == before[1])
    assert (reading.pool.status().tabs, files_in(reading.home)) == (before[0], before[2])
    assert await reading.contexts() == contexts


async def test_a_tab_that_crashes_is_told_at_once(reading: Reading) -> None:
    with anyio.fail_after(20), pytest.raises(RenderFailed) as caught:
        await reading.render("app?ms=9000", request_id="killed")
    assert (caught.value.code, caught.value.retryable) == ("tab_crashed", True)
    assert LAST in (await reading.render("app")).html


async def test_pages_survive_that_the_browser_is_killed(reading: Reading) -> None:
    found: list[str] = []

    async def one() -> None:
        found.append(await outcome(reading, "app?ms=800", 40, "well"))

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(one)
        await reading.server.log.arrivals("/data", 4)
        await anyio.to_thread.run_sync(kill_all, reading.home)
    assert found == ["whole"] * 4
    await reading.tidy()
    await until(lambda: len(list((reading.home / "run").iterdir())) == 1)


def kill_all(home: Path) -> None:
    for process in processes_of(home):
        with suppress(psutil.NoSuchProcess):
            process.kill()


async def test_nobody_notices_that_the_browser_is_replaced(tmp_path: Path) -> None:
    async with new_reading(tmp_path, browser=BrowserSettings(max_uses=6)) as reading:
        for _ in range(5):
            async with anyio.create_task_group() as tasks:
                for path in ("app", "article", "xhr", "shadow"):
                    tasks.start_soon(whole, reading, path)
        await reading.tidy()
        await until(lambda: len(list((tmp_path / "run").iterdir())) == 1)


async def whole(reading: Reading, path: str) -> None:
    assert await outcome(reading, path, 40, "well") == "whole"


async def test_more_pages_than_tabs_wait_for_their_turn(tmp_path: Path) -> None:
    async with new_reading(tmp_path, browser=BrowserSettings(tabs=2)) as reading:
        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(whole, reading, "app")
        assert reading.server.log.max_in_flight("/data") <= 2
        await reading.tidy()


async def test_a_browser_that_is_not_ours_renders_as_well(chromium: Path, tmp_path: Path) -> None:
    async with somebodys_browser(chromium, tmp_path / "theirs") as theirs:
        before = await theirs.pages()
        browser = BrowserSettings(cdp_url=theirs.http_url)
        async with new_reading(tmp_path / "ours", browser=browser) as reading:
            for path in ("app", "article", "shadow"):
                await whole(reading, path)
            assert await outcome(reading, "file.bin", 40, "") == "download"
        assert await theirs.pages() == before


async def test_a_warm_renderer_has_tabs_waiting(tmp_path: Path) -> None:
    async with new_reading(tmp_path) as reading:
        reading.renderer.warm_up()
        await until(lambda: reading.pool.status().tabs == 3)  # one is for searches
        await reading.settled()
        assert await reading.tidy()


async def test_without_a_browser_the_error_says_so(tmp_path: Path) -> None:
    nowhere = BrowserSettings(executable=tmp_path / "nothing")
    async with new_reading(tmp_path, browser=nowhere) as reading:
        reading.renderer.warm_up()
        with pytest.raises(BrowserMissing):
            await reading.render("app")
