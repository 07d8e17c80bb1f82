"""Attached to a browser that is not ours: it works, and that browser is as it was afterwards."""

from __future__ import annotations

import os
import re
import signal
import socket
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import pytest
from anyio.streams.text import TextReceiveStream

from broker.settings import BrowserSettings
from tests.browser.worlds import new_world, urls
from tests.emulators.client import plain_client
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from anyio.abc import Process

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class SomebodysBrowser:
    process: Process
    ws_url: str

    @property
    def http_url(self) -> str:
        return f"http://{self.ws_url.split('/')[2]}"

    async def pages(self) -> list[str]:
        async with plain_client(self.http_url) as client:
            targets = (await client.get("/json/list")).json()
        return sorted(target["url"] for target in targets if target["type"] == "page")


@asynccontextmanager
async def somebodys_browser(chromium: Path, profile: Path) -> AsyncIterator[SomebodysBrowser]:
    flags = ["--remote-debugging-port=0", "--headless", "--no-sandbox", "--disable-gpu"]
    command = [str(chromium), *flags, f"--user-data-dir={profile}", "about:blank"]
    # In a group of its own: what Debian calls a browser is a script that starts one.
    process = await anyio.open_process(command, stdout=None, start_new_session=True)
    try:
        assert process.stderr is not None
        said = ""
        with anyio.fail_after(20):
            async for text in TextReceiveStream(process.stderr, errors="replace"):
                said += text
                if match := re.search(r"ws://\S+(?=\s)", said):
                    yield SomebodysBrowser(process, match[0])
                    return
        pytest.fail(f"it says no address: {said}")
    finally:
        end(process)
        with anyio.CancelScope(shield=True):
            await process.aclose()


def end(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def test_a_running_browser_is_used_and_left_as_it_was(chromium: Path, tmp_path: Path) -> None:
    async with somebodys_browser(chromium, tmp_path / "theirs") as theirs:
        before = await theirs.pages()
        browser = BrowserSettings(cdp_url=theirs.http_url)
        async with new_world(tmp_path / "ours", browser) as world:
            answer, lane = await world.search("cats", 30)
            assert (lane.status, len(answer.hits)) == ("ok", 30), lane.reason
            for query in ("popups mode:popup", "dialogs mode:dialogs", "busy mode:loop_after"):
                assert (await world.search(query))[1].status == "ok"
            answer, _ = await world.search("links links:gotobare total:3")
            assert urls(answer) == [hit.url for hit in world.google.hits("links total:3")]
            status = (await world.broker.status()).browser
            assert (status.state, status.executable, status.sandbox) == ("ready", None, None)
            await world.settled()
            assert len(await theirs.pages()) == len(before) + status.tabs
        assert await theirs.pages() == before
        assert theirs.process.returncode is None
    assert not list((tmp_path / "ours" / "run").iterdir())


async def test_cookies_outlive_an_attached_browser_too(chromium: Path, tmp_path: Path) -> None:
    async with somebodys_browser(chromium, tmp_path / "theirs") as theirs:
        browser = BrowserSettings(cdp_url=theirs.ws_url)  # the other form of its address
        async with new_world(tmp_path / "ours", browser) as world:
            assert (await world.search("cats mode:consent"))[1].status == "ok"
        assert (tmp_path / "ours" / "cookies.json").exists()


async def test_a_browser_that_ends_fails_the_searches_after_it(
    chromium: Path, tmp_path: Path
) -> None:
    async with somebodys_browser(chromium, tmp_path / "theirs") as theirs:
        browser = BrowserSettings(cdp_url=theirs.http_url)
        async with new_world(tmp_path / "ours", browser) as world:
            assert (await world.search("cats"))[1].status == "ok"
            end(theirs.process)
            await theirs.process.wait()
            await until(lambda: world.pool.status().state == "idle")
            for _ in range(2):
                _, lane = await world.search("dogs")
                assert (lane.status, lane.code) == ("failed", "browser_unavailable")
                assert theirs.http_url in str(lane.reason)


async def test_an_endpoint_where_nobody_listens_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    browser = BrowserSettings(cdp_url=f"http://127.0.0.1:{port}")
    async with new_world(tmp_path, browser) as world:
        _, lane = await world.search("cats")
        assert (lane.status, lane.code) == ("failed", "browser_unavailable")
        assert f"http://127.0.0.1:{port}" in str(lane.reason)
        assert "PI_WEBAIO_CDP_URL" in str(lane.reason)
        assert (await world.broker.status()).browser.state == "failed"


async def test_an_endpoint_that_says_nothing_is_named_in_time(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with new_world(tmp_path, BrowserSettings(cdp_url=url)) as world:
            with anyio.fail_after(10):
                _, lane = await world.search("cats", deadline_s=2)
            assert (lane.status, lane.code) == ("failed", "browser_unavailable")
            assert url in str(lane.reason)
