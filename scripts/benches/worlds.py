"""What every bench starts with: the loopback web in its own process, a home, a broker."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from broker.models import SearchQuery, SearchRequest
from broker.service import Broker, open_broker
from broker.settings import BrowserSettings, LaneSettings, ProviderSettings, Settings
from tests.emulators import outside

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from broker.models import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A loopback web and a home folder of its own."""

    origin: str
    home: Path

    def settings(
        self, browser: BrowserSettings | None = None, lanes: LaneSettings | None = None
    ) -> Settings:
        """Settings that reach nothing but this world."""
        return Settings(
            home=self.home,
            browser=browser or BrowserSettings(),
            lanes=lanes or LaneSettings(),
            providers=ProviderSettings(google_url=self.origin),
        )

    def environment(self) -> dict[str, str]:
        """The same for a process."""
        return {
            **os.environ,
            "PI_WEBAIO_HOME": str(self.home),
            "PI_WEBAIO_GOOGLE_URL": self.origin,
            "PI_WEBAIO_CONFIG": os.devnull,
        }


@contextmanager
def world() -> Iterator[World]:
    """A fresh world."""
    with outside.in_process() as origin, tempfile.TemporaryDirectory() as home:
        yield World(origin=origin, home=Path(home))


@asynccontextmanager
async def warm_broker(settings: Settings) -> AsyncIterator[Broker]:
    """A broker whose browser has answered already."""
    async with open_broker(settings, warm=True) as broker:
        for _ in range(3):
            await ask(broker, "warm up")
        yield broker


async def ask(
    broker: Broker, text: str, *, max_hits: int = 10, providers: tuple[str, ...] = ("google",)
) -> Answer:
    """One search with one query."""
    query = SearchQuery(text=text, max_hits=max_hits)
    (answer,) = await broker.search(SearchRequest(queries=(query,), providers=providers))
    return answer


def webaio(*arguments: str) -> list[str]:
    """The command line of the program."""
    return [sys.executable, "-m", "broker", *arguments]


def run(command: list[str], world: World) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a world."""
    return subprocess.run(command, env=world.environment(), capture_output=True, check=False)  # noqa: S603


def chromiums(marker: str) -> list[psutil.Process]:
    """The living processes whose command line or environment folder names `marker`."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            alive = process.status() != psutil.STATUS_ZOMBIE
            if alive and marker in " ".join(process.cmdline()) and process.pid != os.getpid():
                found.append(process)
    return found
