"""Getting pages' bytes: many hosts, one host at its pace, faults in time, a thousand pages."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio
import psutil

from broker.context import RequestContext
from broker.deadline import Deadline
from broker.egress.dial import Egress
from broker.egress.policy import EgressPolicy
from broker.errors import BrokerError
from broker.fetch.pages import PageClient
from broker.fetch.schedule import HostSchedule
from broker.trace import OFF
from scripts.benches.table import Row, median
from tests.emulators import outside
from tests.emulators.client import plain_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from broker.egress.ranges import Address

FAULT_BUDGET_S = 2.0
FAULTS = (
    ("bomb/gzip", "compression_bomb downloading site"),
    ("bomb/br", "compression_bomb downloading site"),
    ("bomb/zstd", "compression_bomb downloading site"),
    ("endless", "(text)"),
    ("drip", "(text)"),
    ("stall", "(text)"),
    ("stall/blank", "timeout downloading site"),
    ("stall/pdf", "timeout downloading site"),
    ("silent", "timeout waiting site"),
    ("slow/30", "timeout waiting site"),
    ("redirects/100", "too_many_redirects headers site"),
    ("loop", "redirect_loop headers site"),
    ("to?url=http://169.254.169.254/", "blocked_ssrf headers network"),
    ("misnamed/gzip", "(text)"),
    ("torn", "(text)"),
    ("truncated", "(text)"),
    ("reset", "(text)"),
    ("reset/head", "reset waiting network"),
    ("closed", "closed waiting site"),
    ("status/429?after=60", "(429)"),
    ("to?url=http://nobody.invalid/", "dns connecting network"),
    ("to?url=http://h.example:9/", "blocked_ssrf headers network"),
    ("to?url=http://h.example:1024/", "refused connecting network"),
)
"""What goes wrong, and what is to come of it."""
PAGES = 1000
AT_ONCE = 8
_WARM_UP = 200


async def bench() -> list[Row]:
    """All rows of this bench."""
    with outside.in_process("web_faults") as origin:
        web = _Web(origin)
        return [
            await _hosts(web),
            *await _one_host(web),
            await _plain(web),
            *await _faults(web),
            *await _thousand(web),
        ]


class _Web:
    """The loopback web under as many names as are wanted."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self._port = urlsplit(origin).port
        self._egress = Egress(
            EgressPolicy(allow_ranges=(ip_network("127.0.0.0/8"),)), resolve=_resolve
        )

    def url(self, path: str, host: str = "h") -> str:
        return f"http://{host}.example:{self._port}/{path}"

    @asynccontextmanager
    async def client(self, gap_s: float | None = None) -> AsyncIterator[PageClient]:
        schedule = HostSchedule() if gap_s is None else HostSchedule(gap_s=gap_s)
        async with PageClient(self._egress, schedule=schedule) as pages:
            await pages.prepare()
            yield pages

    async def most_at_once(self) -> int:
        async with plain_client(self.origin) as client:
            return int((await client.get("/__log")).json()["max_in_flight"])

    async def reset(self) -> None:
        async with plain_client(self.origin) as client:
            await client.post("/__reset")


async def _resolve(name: str) -> Sequence[Address]:
    if name.endswith(".example"):
        return (ip_address("127.0.0.1"),)
    raise OSError("there is no such name")


def _context(budget_s: float) -> RequestContext:
    return RequestContext(request_id="bench", deadline=Deadline.after(budget_s), trace=OFF)


async def _all(pages: PageClient, urls: Sequence[str]) -> float:
    began_s = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for url in urls:
            tasks.start_soon(pages.get, _context(20.0), url)
    return time.perf_counter() - began_s


async def _hosts(web: _Web) -> Row:
    async with web.client() as pages:
        took_s = await _all(pages, [web.url("slow/0.5", f"host{n}") for n in range(6)])
    return Row(
        what="six hosts, 500 ms each",
        measured=took_s * 1000,
        unit="ms",
        target="≤ 900",
        floor=500,
        floor_name="a page",
    )


async def _one_host(web: _Web) -> list[Row]:
    await web.reset()
    async with web.client() as pages:
        took_s = await _all(pages, [web.url(f"slow/0.5?{n}") for n in range(4)])
    async with web.client(gap_s=0.0) as pages:
        await _all(pages, [web.url(f"slow/0.1?{n}") for n in range(20)])
    most = await web.most_at_once()
    return [
        Row(
            what="four pages of one host, 500 ms each",
            measured=took_s * 1000,
            unit="ms",
            target="≤ 2200",
            floor=1400,
            floor_name="3 gaps + a page",
        ),
        Row(what="… most of one host at once, gap or none", measured=most, unit="", target="≤ 3"),
    ]


async def _plain(web: _Web) -> Row:
    """What a warm page costs beside the same with bare httpx."""

    async def timed(get: Callable[[], Awaitable[object]]) -> float:
        times = []
        for _ in range(200):
            began_s = time.perf_counter()
            await get()
            times.append((time.perf_counter() - began_s) * 1000)
        return median(times)

    async with web.client(gap_s=0.0) as pages, plain_client() as bare:
        ours = await timed(lambda: pages.get(_context(5.0), web.url("page/3000")))
        floor = await timed(lambda: bare.get(f"{web.origin}/page/3000"))
    return Row(
        what="a warm page of 18 KB",
        measured=ours,
        unit="ms",
        target="-",
        floor=floor,
        floor_name="bare httpx",
    )


async def _faults(web: _Web) -> list[Row]:
    wrong: list[str] = []
    slowest_s = 0.0
    async with web.client(gap_s=0.0) as pages:
        for path, _ in FAULTS[:3]:  # the emulator packs them at the first request
            with suppress(BrokerError):
                await pages.get(_context(30.0), web.url(path))
        for path, expected in FAULTS:
            began_s = time.perf_counter()
            try:
                page = await pages.get(_context(FAULT_BUDGET_S), web.url(path))
            except BrokerError as error:
                data = error.as_data()
                found = f"{data['code']} {data['phase']} {data['layer']}"
            else:
                found = "(text)" if page.status == 200 and page.body else f"({page.status})"  # noqa: PLR2004
            slowest_s = max(slowest_s, time.perf_counter() - began_s)
            if found != expected:
                wrong.append(f"{path}: {found}")
    return [
        Row(
            what=f"{len(FAULTS)} faults: slowest, with {FAULT_BUDGET_S:g} s given",
            measured=slowest_s * 1000,
            unit="ms",
            target=f"≤ {FAULT_BUDGET_S * 1000:g}",
            note=f"wrong code, phase or layer: {wrong or 0}",
        )
    ]


async def _thousand(web: _Web) -> list[Row]:
    paths = ("page", "page/4000", "packed/gzip", "packed/br", "redirects/2", "etag", "status/404")
    failed: list[str] = []
    sizes: list[int] = []
    me = psutil.Process()
    todo = iter(range(PAGES + _WARM_UP))

    async def worker(pages: PageClient) -> None:
        for number in todo:
            url = web.url(f"{paths[number % len(paths)]}", f"host{number % 40}")
            try:
                await pages.get(_context(20.0), url)
            except BrokerError as error:
                failed.append(f"{url} {error.code}")
            if number >= _WARM_UP and number % 50 == 0:
                sizes.append(me.memory_info().rss >> 20)

    began_s = time.perf_counter()
    async with web.client(gap_s=0.0) as pages, anyio.create_task_group() as tasks:
        for _ in range(AT_ONCE):
            tasks.start_soon(worker, pages)
    took_s = time.perf_counter() - began_s
    return [
        Row(
            what=f"{PAGES} pages of 40 hosts, {AT_ONCE} at once: RSS at the end",
            measured=median(sizes[-5:]),
            unit="MiB",
            target="flat",
            floor=median(sizes[:5]),
            floor_name="at its start",
            note=f"{len(failed)} failed; {(PAGES + _WARM_UP) / took_s:.0f} pages/s",
        )
    ]
