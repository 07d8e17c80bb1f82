"""A broker that is killed leaves no Chromium and no folder behind, whatever it was doing."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest

from tests.browser.worlds import processes_of, running_in
from tests.emulators.google.app import Google
from tests.emulators.server import LoopbackServer
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from anyio.abc import Process

pytestmark = pytest.mark.browser


def environment(origin: str, home: Path) -> dict[str, str]:
    config = home / "config.toml"
    config.touch()
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PI_WEBAIO_")}
    chrome = os.environ.get("PI_WEBAIO_CHROME")
    return {
        **ours,
        **({"PI_WEBAIO_CHROME": chrome} if chrome else {}),
        "PI_WEBAIO_CONFIG": str(config),
        "PI_WEBAIO_HOME": str(home),
        "PI_WEBAIO_GOOGLE_URL": origin,
    }


@asynccontextmanager
async def searching(query: str, home: Path, wanted: int = 10) -> AsyncIterator[Process]:
    """A process in the middle of a search."""
    async with LoopbackServer(Google()) as server:
        words = ["search", "--provider", "google", "--max", str(wanted), query]
        process = await anyio.open_process(
            [sys.executable, "-m", "broker", *words], env=environment(server.origin, home)
        )
        try:
            with anyio.fail_after(20):
                await server.log.arrivals("/search", 1 if wanted == 10 else 2)
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.aclose()


@pytest.mark.parametrize(
    ("query", "wanted"),
    [("cats mode:hang", 10), ("cats mode:loop", 10), ("cats mode:drip_forever@2+", 30)],
    ids=["waiting", "a page that never stops", "three pages"],
)
async def test_kill_9_in_the_middle_of_a_search(query: str, wanted: int, tmp_path: Path) -> None:
    async with searching(query, tmp_path, wanted) as process:
        running = processes_of(tmp_path)
        groups = {os.getpgid(each.pid) for each in running}
        assert groups
        assert os.getpgid(process.pid) not in groups
        process.send_signal(signal.SIGKILL)
        await until(lambda: not any(running_in(group) for group in groups))
        await until(lambda: not list((tmp_path / "run").iterdir()))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_a_signal_in_the_middle_of_a_search(number: signal.Signals, tmp_path: Path) -> None:
    async with searching("cats mode:hang", tmp_path) as process:
        groups = {os.getpgid(each.pid) for each in processes_of(tmp_path)}
        process.send_signal(number)
        await until(lambda: not any(running_in(group) for group in groups))
        await until(lambda: not list((tmp_path / "run").iterdir()))


async def test_a_broker_that_starts_sweeps_what_a_dead_one_could_not(tmp_path: Path) -> None:
    left = tmp_path / "run" / "webaio-0123456789ab"
    (left / "profile").mkdir(parents=True)
    (left / "lock").touch()
    async with searching("cats mode:slow=0.1", tmp_path) as process:
        await until(lambda: not left.exists())
        await process.wait()
    assert list((tmp_path / "run").iterdir()) == []
