"""What outlives a search: a cookie that was refused once, a captcha that all keep away from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from broker.models import BrowserStatus
from broker.settings import BrowserSettings
from tests.browser.worlds import broker_for, new_world, search
from tests.emulators.google.app import Google
from tests.emulators.google.consent import REFUSED
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from broker.service import Broker
    from tests.browser.worlds import World

pytestmark = pytest.mark.browser


@pytest.fixture
async def server() -> AsyncIterator[LoopbackServer]:
    async with LoopbackServer(Google()) as running:
        yield running


async def test_cookies_are_refused_once_and_a_second_broker_need_not_ask(
    server: LoopbackServer, tmp_path: Path
) -> None:
    async with broker_for(server, tmp_path) as first:
        answer = await search(first, "cats mode:consent")
    assert len(answer.hits) == 10
    (saved,) = server.log.of("/save")
    assert saved.request.form["set_eom"] == "true", "refused, not accepted"
    server.log.clear()
    async with broker_for(server, tmp_path) as second:
        answer = await search(second, "dogs mode:consent")
    assert len(answer.hits) == 10
    assert server.log.count("/ml") == server.log.count("/save") == 0
    assert server.log.of("/search")[0].request.cookies["SOCS"] == REFUSED


async def test_the_cookie_is_on_disk_while_the_broker_still_runs(
    server: LoopbackServer, tmp_path: Path
) -> None:
    async with broker_for(server, tmp_path) as broker:
        await search(broker, "cats mode:overlay_empty")
        file = tmp_path / "cookies.json"
        with anyio.fail_after(10):
            while not file.exists():  # noqa: ASYNC110 - a file tells nobody
                await anyio.sleep(0.01)
        assert file.stat().st_mode & 0o777 == 0o600


async def test_an_ordinary_search_saves_no_cookies(server: LoopbackServer, tmp_path: Path) -> None:
    async with broker_for(server, tmp_path) as broker:
        for number in range(4):
            await search(broker, f"cats {number}", 20)
    assert not (tmp_path / "cookies.json").exists()


async def test_two_brokers_of_one_home_search_at_the_same_time(
    server: LoopbackServer, tmp_path: Path
) -> None:
    async with (
        broker_for(server, tmp_path) as first,
        broker_for(server, tmp_path) as second,
        anyio.create_task_group() as tasks,
    ):
        found: list[int] = []

        async def ask(broker: Broker, text: str) -> None:
            found.append(len((await search(broker, text, 20)).hits))

        for number in range(2):
            tasks.start_soon(ask, first, f"a{number}")
            tasks.start_soon(ask, second, f"b{number}")
    assert found == [20] * 4


async def test_a_captcha_keeps_every_broker_away_from_google(
    server: LoopbackServer, tmp_path: Path
) -> None:
    async with broker_for(server, tmp_path) as first, broker_for(server, tmp_path) as second:
        (lane,) = (await search(first, "cats mode:captcha")).lanes
        assert (lane.status, lane.code, lane.retry_after_s) == ("failed", "captcha", 300)
        asked = server.log.count("/search")
        answer = await search(second, "dogs")
        (lane,) = answer.lanes
        assert (lane.status, lane.code, answer.complete) == ("cooling", "captcha", False)
        assert 290 <= (lane.retry_after_s or 0) <= 300
        assert server.log.count("/search") == asked
        (google, *_) = (await second.status()).providers
        assert google.name == "google"
        assert google.cooldown_code == "captcha"
        assert 290 <= (google.cooldown_s or 0) <= 300


async def test_without_a_browser_the_lane_is_skipped_and_names_the_command(
    tmp_path: Path,
) -> None:
    missing = BrowserSettings(executable=tmp_path / "no-browser")
    async with new_world(tmp_path, missing) as world:
        answer, lane = await world.search("cats")
        assert (lane.status, lane.code) == ("skipped", "browser_missing")
        assert "PI_WEBAIO_CHROME" in str(lane.reason)
        assert not answer.complete
        assert (await world.broker.status()).browser.state == "missing"
        assert world.server.log.visits == []


async def test_a_browser_that_is_installed_meanwhile_is_found(
    tmp_path: Path, chromium: Path
) -> None:
    place = tmp_path / "chromium-headless-shell"
    async with new_world(tmp_path, BrowserSettings(executable=place)) as world:
        assert (await world.search("cats"))[1].status == "skipped"
        place.symlink_to(chromium)
        assert (await world.search("cats"))[1].status == "ok"


async def test_what_is_no_browser_fails_the_lane_with_its_path(tmp_path: Path) -> None:
    place = tmp_path / "chromium"
    place.write_text("#!/bin/sh\nexit 3\n")
    place.chmod(0o755)
    async with new_world(tmp_path, BrowserSettings(executable=place)) as world:
        _, lane = await world.search("cats")
        assert (lane.status, lane.code) == ("failed", "browser_unavailable")
        assert str(place) in str(lane.reason)


async def test_the_lane_can_be_switched_off(tmp_path: Path) -> None:
    async with new_world(tmp_path, BrowserSettings(enabled=False)) as world:
        answer = await search(world.broker, "cats")
        (lane,) = answer.lanes
        assert (lane.status, lane.hits) == ("skipped", 0)
        assert "PI_WEBAIO_CDP_BROKER" in str(lane.reason)
        assert (await world.broker.status()).browser == BrowserStatus(state="off")
        assert not (tmp_path / "run").exists()


async def test_a_home_that_cannot_be_written_fails_the_lane_and_not_the_broker(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    async with new_world(tmp_path / "file" / "home") as world:
        for _ in range(2):
            _, lane = await world.search("cats")
            assert (lane.status, lane.code) == ("failed", "browser_unavailable")
            assert "Not a directory" in str(lane.reason)
        assert (await world.broker.status()).warnings


async def test_a_cookie_file_of_somebody_else_keeps_no_browser_from_starting(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "cookies.json").write_text('[{"name": "x"}]')
    async with broker_for(world.server, tmp_path) as broker:
        assert len((await search(broker, "cats")).hits) == 10
