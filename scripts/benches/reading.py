"""What reading pages costs: again, behind a wall, from several hosts, and a thousand times."""

from __future__ import annotations

import gc
import json
import time
import urllib.request
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import psutil

from broker.reading.records import FetchRequest
from broker.service import open_broker
from broker.settings import (
    BrowserSettings,
    EgressSettings,
    ProviderSettings,
    Settings,
    StoreSettings,
)
from scripts.benches.table import Row, median
from tests.emulators import outside

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from broker.reading.records import Page
    from broker.service import Broker

AGAIN = 300
WALLS = 9
LATENCY_S = 0.4
SLOW_S = 0.5
FETCHES = 1000
PARALLEL = 8
_COLD_SHARE = 4
"""One in so many of the thousand is a page that nobody has read yet."""
_MEASURED_FROM = 300


@dataclass(frozen=True, slots=True)
class Site:
    """The loopback web in processes of their own, and a home."""

    origin: str
    reader: str
    wayback: str
    home: Path

    def settings(self) -> Settings:
        """Settings that reach nothing but this web; nothing is rendered here."""
        return Settings(
            home=self.home,
            browser=BrowserSettings(enabled=False),
            egress=EgressSettings(allow_ranges=("127.0.0.0/8", "::1/128")),
            providers=ProviderSettings(jina_url=self.reader, wayback_url=self.wayback),
            store=StoreSettings(max_documents=2000),
        )

    def at(self, host: str, path: str) -> str:
        """An address on a host of its own: every name below localhost is this machine."""
        return f"http://{host}.localhost:{self.origin.rpartition(':')[2]}{path}"


async def bench(home: Path) -> list[Row]:
    """All rows of this bench."""
    with _site(home) as site:
        async with _broker(site) as broker:
            return [
                await _again(broker, site),
                await _wall(broker, site),
                *await _hosts(broker, site),
                *await _thousand(broker, site),
            ]


@contextmanager
def _site(home: Path) -> Iterator[Site]:
    app = "web_reading"
    with (
        outside.in_process(app) as origin,
        outside.in_process(app) as reader,
        outside.in_process(app) as wayback,
    ):
        yield Site(origin, reader, wayback, home)


@asynccontextmanager
async def _broker(site: Site) -> AsyncIterator[Broker]:
    async with open_broker(site.settings()) as broker:
        await _fetch(broker, site.at("warm", "/article/1"))
        yield broker


async def _fetch(broker: Broker, *urls: str) -> tuple[Page, ...]:
    return await broker.fetch(FetchRequest(sources=urls))


async def _again(broker: Broker, site: Site) -> Row:
    url = site.at("again", "/long")
    await _fetch(broker, url)
    times = []
    for _ in range(AGAIN):
        begun_s = time.perf_counter()
        await _fetch(broker, url)
        times.append(time.perf_counter() - begun_s)
    return Row(
        what="same URL again, 90 KB of Markdown",
        measured=median(times) * 1000,
        unit="ms",
        target="≤ 1",
        note=f"slowest of {AGAIN}: {max(times) * 1000:.1f} ms",
    )


async def _wall(broker: Broker, site: Site) -> Row:
    control = {"reader": "hang", "archive_latency_s": LATENCY_S}
    for origin in (site.reader, site.wayback):
        await anyio.to_thread.run_sync(_control, origin, control)
    extra, vias = [], set()
    for number in range(WALLS):
        begun_s = time.perf_counter()
        (page,) = await _fetch(broker, site.at(f"wall{number}", "/paywall"))
        extra.append(time.perf_counter() - begun_s - LATENCY_S)
        vias.add(page.via)
    return Row(
        what="paywall, reader hangs, archive answers in 400 ms: after the archive's answer",
        measured=median(extra) * 1000,
        unit="ms",
        target="≤ 400",
        note=f"via {', '.join(sorted(vias))}; slowest {max(extra) * 1000:.0f} ms",
    )


async def _hosts(broker: Broker, site: Site) -> list[Row]:
    six = [site.at(f"six{n}", f"/article/{n}?slow={SLOW_S}") for n in range(6)]
    four = [site.at("four", f"/article/{n}?slow={SLOW_S}") for n in range(4)]
    return [
        Row(
            what=what,
            measured=await _timed(broker, urls),
            unit="s",
            target=target,
            floor=floor_s,
            floor_name="latency and pace alone",
        )
        for what, urls, target, floor_s in (
            ("six hosts, 500 ms each", six, "≤ 0.9", SLOW_S),
            ("four URLs of one host, 500 ms each", four, "≤ 2.2", 0.9 + SLOW_S),
        )
    ]


async def _timed(broker: Broker, urls: list[str]) -> float:
    begun_s = time.perf_counter()
    pages = await _fetch(broker, *urls)
    if any(page.error is not None for page in pages):
        raise RuntimeError([page.error for page in pages])
    return time.perf_counter() - begun_s


async def _thousand(broker: Broker, site: Site) -> list[Row]:
    hot = [site.at(f"hot{n}", f"/article/{n}") for n in range(20)]
    await _fetch(broker, *hot)
    failed: list[str] = []
    sizes: list[float] = []
    process = psutil.Process()
    numbers = iter(range(FETCHES))

    async def worker() -> None:
        for number in numbers:
            cold = number % _COLD_SHARE == 0
            url = site.at(f"cold{number}", f"/article/{number}") if cold else hot[number % 20]
            (page,) = await _fetch(broker, url)
            if page.error is not None or not page.text:
                failed.append(url)
            if number % 50 == 49:  # noqa: PLR2004
                gc.collect()
                sizes.append(process.memory_info().rss / (1 << 20))

    begun_s = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(PARALLEL):
            tasks.start_soon(worker)
    took_s = time.perf_counter() - begun_s
    status = (await broker.status()).reading
    early = sizes[_MEASURED_FROM // 50 : _MEASURED_FROM // 50 + 4]
    return [
        Row(
            what=f"{FETCHES:,} fetches, a quarter cold, {PARALLEL} in parallel",
            measured=FETCHES / took_s,
            unit="a second",
            target="no error",
            note=f"{len(failed)} failed; {status.documents} documents, {status.waiting} waiting",
        ),
        Row(
            what="… RSS at the end",
            measured=sum(sizes[-4:]) / 4,
            unit="MiB",
            target="flat",
            floor=sum(early) / len(early),
            floor_name=f"after {_MEASURED_FROM}",
        ),
    ]


def _control(origin: str, settings: dict[str, object]) -> None:
    request = urllib.request.Request(  # noqa: S310 - our own server
        f"{origin}/__control", data=json.dumps(settings).encode(), method="POST"
    )
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - as above
        answer.read()
