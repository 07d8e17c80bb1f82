"""A documentation site on loopback, a broker without a browser, and a folder to pull into."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio

from broker.pull.records import PullReport, PullRequest, PullStep
from broker.service import open_broker
from broker.settings import BrowserSettings, EgressSettings, ReadingSettings, Settings
from tests.emulators.docsite import DocSite
from tests.emulators.log import Outcome
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.emulators.server import App


class World:
    def __init__(self, server: LoopbackServer, home: Path) -> None:
        self.server = server
        self.out = home / "out"
        self.steps: list[PullStep] = []
        self._settings = Settings(
            home=home / "home",
            browser=BrowserSettings(enabled=False),
            egress=EgressSettings(allow_ranges=("127.0.0.0/8",)),
            reading=ReadingSettings(host_gap_s=0.0, fetch_deadline_s=5.0),
        )

    @property
    def site(self) -> DocSite:
        assert isinstance(self.server.app, DocSite)
        return self.server.app

    async def pull(
        self,
        path: str = "/docs/",
        *,
        url: str = "",
        max_pages: int = 500,
        deadline_s: float | None = None,
        heard: Callable[[PullStep], None] = lambda _: None,
    ) -> PullReport:
        """One run of a pull, with a broker of its own as each command has."""
        request = PullRequest(
            url=url or self.server.origin + path,
            out=self.out,
            max_pages=max_pages,
            deadline_s=deadline_s,
        )
        async with open_broker(self._settings) as broker:
            return await broker.pull(request, progress=self._hears(heard))

    def _hears(self, heard: Callable[[PullStep], None]) -> Callable[[PullStep], None]:
        def step(step: PullStep) -> None:
            self.steps.append(step)
            heard(step)

        return step

    def files(self) -> dict[str, str]:
        """Every file of the folder but ours, by its name."""
        return texts(self.out)

    def sent(self, path: str) -> int:
        """How often a path was asked for and answered to the end."""
        return sum(visit.outcome is Outcome.SENT for visit in self.server.log.of(path))

    def asked(self) -> list[str]:
        """Every target that was asked for."""
        return [visit.request.target for visit in self.server.log.visits]


@asynccontextmanager
async def world(home: Path, app: App | None = None) -> AsyncIterator[World]:
    with anyio.fail_after(50):
        async with LoopbackServer(app or DocSite(pages=15, calendar=False)) as server:
            yield World(server, home)


def texts(out: Path) -> dict[str, str]:
    """Every Markdown file below a folder, by its name."""
    return {str(file.relative_to(out)): file.read_text() for file in out.rglob("*.md")}


def manifest(out: Path) -> list[dict[str, Any]]:
    """The lines of a pull's record."""
    file = out / ".webaio" / "manifest.ndjson"
    return [json.loads(line) for line in file.read_text().splitlines()]
