"""Pages that a browser has to make: beside a bare pool of Playwright pages, and when they fail.

Both sides load the same pages in the same executable, in turn, so that a noisy moment hits both.
Ours goes through the guard and gives each site a context of its own; the bare pool does neither.
"""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import anyio
import psutil

from broker.browser.find import find_browser
from broker.browser.render import Renderer
from broker.browser.watch import TabPolicy, WatchPlan
from broker.context import RequestContext
from broker.deadline import Deadline
from broker.egress.dial import Egress
from broker.egress.guard import Guard
from broker.errors import BrokerError
from broker.settings import BrowserSettings, EgressSettings, Settings
from broker.trace import OFF
from scripts.benches.table import Row, median
from tests.browser.readings import Saboteur
from tests.emulators import outside
from tests.emulators.web_apps import LAST

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from broker.browser.pool import TabPool


RUNS = 25
ROUNDS = 5
PAGES_A_ROUND = 48
AT_ONCE = 8
FAULTY_RENDERS = 300
EVERY = 10
PATH = "/app"


async def bench(home: Path) -> list[Row]:
    """All rows of this bench."""
    with outside.in_process("web_apps") as origin:
        async with _reading(home) as ours, _BarePool() as bare:
            await _warm(ours, bare, origin)
            rows = await _one_at_a_time(ours, bare, origin)
            rows += await _many_at_once(ours, bare, origin)
        async with _reading(home) as ours:
            rows += await _faults(ours, origin)
    return rows


@dataclass(frozen=True, slots=True)
class _Ours:
    pool: TabPool
    renderer: Renderer
    home: Path

    async def load(self, url: str, request_id: str = "", budget_s: float = 20.0) -> str:
        deadline = Deadline.after(budget_s)
        ctx = RequestContext(request_id=request_id, deadline=deadline, trace=OFF)
        return (await self.renderer.render(ctx, url)).html


@asynccontextmanager
async def _reading(home: Path) -> AsyncIterator[_Ours]:
    egress = Egress.from_settings(Settings(egress=EgressSettings(allow_ranges=("127.0.0.0/8",))))
    nowhere = TabPolicy(watch=WatchPlan(), may_visit=lambda _url: False, hosts=("nowhere.invalid",))
    async with (
        Guard(egress) as guard,
        Saboteur(BrowserSettings(), home, lambda: nowhere, OFF) as pool,
    ):
        renderer = Renderer(pool, guard, egress)
        renderer.warm_up()
        yield _Ours(pool, renderer, home)


class _BarePool:
    """Playwright pages that are used again and again: go, wait for the text, take the content."""

    async def __aenter__(self) -> Self:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - the peer alone pays

        self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.launch(
            executable_path=find_browser(None).path, args=["--no-sandbox"]
        )
        self._pages = [await self._browser.new_page() for _ in range(AT_ONCE)]
        return self

    async def load(self, url: str) -> str:
        page = self._pages.pop()
        try:
            await page.goto(url, wait_until="commit")
            await page.wait_for_selector("main p", state="attached")
            return await page.content()
        finally:
            self._pages.append(page)

    async def __aexit__(self, *exc: object) -> None:
        await self._browser.close()
        await self._playwright.stop()


async def _timed_ms(load: Callable[[str], Awaitable[str]], url: str) -> float:
    begun_s = time.perf_counter()
    if LAST not in await load(url):
        raise RuntimeError("the page was not read to its end")
    return (time.perf_counter() - begun_s) * 1000


async def _warm(ours: _Ours, bare: _BarePool, origin: str) -> None:
    for load in (ours.load, bare.load):
        await _round(load, [f"{origin}{PATH}"] * AT_ONCE * 2)


async def _one_at_a_time(ours: _Ours, bare: _BarePool, origin: str) -> list[Row]:
    url = origin + PATH
    fresh, again, peers = [], [], []
    for _ in range(RUNS):
        await anyio.sleep(0.6)  # until the tab before is gone and the next one waits
        fresh.append(await _timed_ms(ours.load, url))
        again.append(await _timed_ms(ours.load, url))
        peers.append(await _timed_ms(bare.load, url))
    whats = ("JS page, 100 ms data call, warm: a site's first page", "… and the next of the site")
    return [
        Row(
            what=what,
            measured=median(times),
            unit="ms",
            target="≤ 1.3 of the pool",
            floor=median(peers),
            floor_name="bare Playwright pool",
        )
        for what, times in zip(whats, (fresh, again), strict=True)
    ]


async def _many_at_once(ours: _Ours, bare: _BarePool, origin: str) -> list[Row]:
    port = origin.rpartition(":")[2]
    same = [origin + PATH] * PAGES_A_ROUND
    apart = [f"http://site{n % 16}.localhost:{port}{PATH}" for n in range(PAGES_A_ROUND)]
    rows = []
    for what, urls in (("one site", same), ("sixteen sites", apart)):
        rates, peers = [], []
        for _ in range(ROUNDS):
            rates.append(await _round(ours.load, urls))
            peers.append(await _round(bare.load, urls))
        rows.append(
            Row(
                what=f"JS pages of {what}, 8 at once",
                measured=median(rates),
                unit="pages/s",
                target="≥ 0.9 of the pool",
                floor=median(peers),
                floor_name="bare Playwright pool",
            )
        )
    return rows


async def _round(load: Callable[[str], Awaitable[str]], urls: list[str]) -> float:
    """Pages in a second."""
    waiting = list(urls)

    async def work() -> None:
        while waiting:
            await _timed_ms(load, waiting.pop())

    begun_s = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(AT_ONCE):
            tasks.start_soon(work)
    return len(urls) / (time.perf_counter() - begun_s)


_FAULTS = (("killed", "/app?ms=1000"), ("hung", "/hang"), ("looping", "/trap/loop-empty"))


async def _faults(ours: _Ours, origin: str) -> list[Row]:
    """Three hundred renders, of which every tenth is killed or hangs."""
    for _ in range(AT_ONCE):
        await ours.load(origin + PATH)
    await anyio.sleep(2.0)
    before = _State.of(ours)
    lost: list[str] = []
    codes: dict[str, int] = {}
    waiting = list(range(FAULTY_RENDERS))

    async def work() -> None:
        while waiting:
            number = waiting.pop()
            faulty = number % EVERY == 0
            name, path = _FAULTS[number // EVERY % len(_FAULTS)] if faulty else ("", PATH)
            try:
                html = await ours.load(origin + path, name, 3.0 if faulty else 20.0)
                code = "unsettled" if faulty else ""
                if not faulty and LAST not in html:
                    lost.append(f"{number} is not whole")
            except BrokerError as error:
                code = error.code
                if not faulty:
                    lost.append(f"{number} {code}")
            if faulty:
                codes[f"{name}: {code}"] = codes.get(f"{name}: {code}", 0) + 1

    async with anyio.create_task_group() as tasks:
        for _ in range(AT_ONCE):
            tasks.start_soon(work)
    await anyio.sleep(3.0)
    after = _State.of(ours)
    said = ", ".join(f"{count} {code}" for code, count in sorted(codes.items()))
    return [
        Row(
            what="300 renders, every tenth killed or hung: lost otherwise",
            measured=len(lost),
            unit="",
            target="0",
            note=f"{said}; {lost or ''}",
        ),
        *(
            Row(
                what=f"… {name} afterwards",
                measured=now,
                unit=unit,
                target="as before",
                floor=then,
                floor_name="before",
            )
            for (name, unit, now), (_, _, then) in zip(after.lines(), before.lines(), strict=True)
        ),
    ]


@dataclass(frozen=True, slots=True)
class _State:
    tabs: int
    renderers: int
    files: int
    rss_mb: int

    @classmethod
    def of(cls, ours: _Ours) -> Self:
        tree = [psutil.Process(), *psutil.Process().children(recursive=True)]
        return cls(
            tabs=ours.pool.status().tabs or 0,
            renderers=sum("--type=renderer" in _line(process) for process in tree),
            files=sum(path.is_file() for path in (ours.home / "run").rglob("*")),
            rss_mb=sum(_rss(p) for p in tree if "tests.emulators" not in _line(p)) >> 20,
        )

    def lines(self) -> list[tuple[str, str, int]]:
        return [
            ("tabs", "", self.tabs),
            ("renderers", "", self.renderers),
            ("files of the browser", "", self.files),
            ("RSS of the tree", "MiB", self.rss_mb),
        ]


def _line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _rss(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
