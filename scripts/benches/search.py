"""How fast searches are: warm, cold, paged, at once, and when a page never comes."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

import anyio
import anyio.to_thread

from broker.browser.engine import launch
from broker.browser.find import find_browser
from broker.browser.watch import TabPolicy, WatchPlan
from scripts.benches.table import Row, median
from scripts.benches.worlds import ask, run, warm_broker, webaio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from broker.service import Broker
    from scripts.benches.worlds import World

RUNS = 30
COLD_RUNS = 9
QUERY = "quick cats"
PATH = "/search?q=quick+cats"
SLOW_QUERY = "mode:slow=0.6 cats"
SLOW_MS = 600.0


async def bench(world: World) -> list[Row]:
    """All rows of this bench."""
    rows = []
    async with warm_broker(world.settings()) as broker:
        rows.append(await _warm(world, broker))
        rows.append(await _three_pages(broker))
        rows.append(await _hung_page(broker))
        rows.append(await _three_at_once(broker))
    rows.append(await anyio.to_thread.run_sync(_cold, world))
    rows.append(await anyio.to_thread.run_sync(_first_answer, world))
    return rows


async def timed_ms(work: Callable[[], Awaitable[object]]) -> float:
    """How long one call takes."""
    begun_s = time.perf_counter()
    await work()
    return (time.perf_counter() - begun_s) * 1000


async def _warm(world: World, broker: Broker) -> Row:
    ours, floors, peers = [], [], []
    async with _BareTab(world.origin) as floor, _PlaywrightTab(world.origin) as peer:
        for _ in range(RUNS):  # in turn, so that a noisy moment hits all three
            answer = await ask(broker, QUERY)
            ours.append(float(answer.lanes[0].ms))
            floors.append(await timed_ms(floor.load))
            peers.append(await timed_ms(peer.load))
    return Row(
        what="warm page 1, 300 KB, no latency (lane)",
        measured=median(ours),
        unit="ms",
        target="≤ 60",
        floor=median(floors),
        floor_name="raw CDP load + outerHTML",
        note=f"Playwright goto + content(): {median(peers):.0f} ms",
    )


async def _three_pages(broker: Broker) -> Row:
    times, hits = [], []
    for _ in range(5):
        answer = await ask(broker, SLOW_QUERY, max_hits=30)
        times.append(float(answer.ms))
        hits.append(len(answer.hits))
    return Row(
        what="30 hits, 600 ms a page",
        measured=median(times),
        unit="ms",
        target="≤ 2000",
        floor=2 * SLOW_MS,
        floor_name="latency alone",
        note=f"{min(hits)} hits at least",
    )


async def _hung_page(broker: Broker) -> Row:
    answer = await ask(broker, "mode:hang@2 cats", max_hits=30)
    lane = answer.lanes[0]
    return Row(
        what="page 2 never comes (lane)",
        measured=float(lane.ms),
        unit="ms",
        target="≤ 3000",
        note=f"{lane.status}, {len(answer.hits)} hits; {lane.reason}",
    )


async def _three_at_once(broker: Broker) -> Row:
    async def three() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(3):
                tasks.start_soon(ask, broker, f"{SLOW_QUERY} {number}")

    one, many = [], []
    for _ in range(7):
        one.append(await timed_ms(lambda: ask(broker, SLOW_QUERY)))
        many.append(await timed_ms(three))
    return Row(
        what="three searches at once, 600 ms",
        measured=median(many),
        unit="ms",
        target="≤ 1.3 of one",
        floor=median(one),
        floor_name="one",
    )


def _cold(world: World) -> Row:
    shell = str(find_browser(None).path)
    url = world.origin + PATH
    ours, floors = [], []
    with TemporaryDirectory() as profile:
        dump = [shell, "--no-sandbox", f"--user-data-dir={profile}", "--dump-dom", url]
        for _ in range(COLD_RUNS):
            begun_s = time.perf_counter()
            result = run(webaio("search", QUERY, "--provider", "google", "--json"), world)
            ours.append((time.perf_counter() - begun_s) * 1000)
            if result.returncode:
                raise RuntimeError(result.stderr.decode())
            begun_s = time.perf_counter()
            run(dump, world)
            floors.append((time.perf_counter() - begun_s) * 1000)
    return Row(
        what="cold one-shot, process start to end",
        measured=median(ours),
        unit="ms",
        target="≤ 800",
        floor=median(floors),
        floor_name="--dump-dom",
        note="starts Python, Chromium and the search",
    )


def _first_answer(world: World) -> Row:
    times, floors = [], []
    for _ in range(COLD_RUNS):
        begun_s = time.perf_counter()
        with subprocess.Popen(  # noqa: S603 - our own program
            webaio("serve"),
            env=world.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdin is not None  # noqa: S101
            assert process.stdout is not None  # noqa: S101
            process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"status"}\n')
            process.stdin.flush()
            process.stdout.readline()
            times.append((time.perf_counter() - begun_s) * 1000)
            process.stdin.close()
        begun_s = time.perf_counter()
        run([*webaio()[:1], "-c", "import anyio; anyio.run(anyio.sleep, 0)"], world)
        floors.append((time.perf_counter() - begun_s) * 1000)
    return Row(
        what="serve: first answer after process start",
        measured=median(times),
        unit="ms",
        target="≤ 300",
        floor=median(floors),
        floor_name="python with an empty anyio loop",
    )


class _BareTab:
    """The least that loading a page and reading it can cost: CDP and nothing else."""

    def __init__(self, origin: str) -> None:
        self._origin = origin

    async def __aenter__(self) -> Self:
        self._folder = TemporaryDirectory()
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        self._engine = await launch(find_browser(None), Path(self._folder.name), self._tasks)
        policy = TabPolicy(watch=WatchPlan(), may_visit=lambda _url: True)
        self._session = (await self._engine.open_tab(policy)).session
        await self._session.send("Fetch.disable")
        self._loaded = anyio.Event()
        self._session.subscribe(("Page.domContentEventFired",), lambda *_: self._loaded.set())
        return self

    async def load(self) -> None:
        self._loaded = anyio.Event()
        await self._session.send("Page.navigate", {"url": self._origin + PATH})
        await self._loaded.wait()
        expression = {"expression": "document.documentElement.outerHTML", "returnByValue": True}
        await self._session.send("Runtime.evaluate", expression)

    async def __aexit__(self, *exc: object) -> None:
        await self._engine.close()
        self._tasks.cancel_scope.cancel()
        await self._tasks.__aexit__(None, None, None)
        self._folder.cleanup()


class _PlaywrightTab:
    """The usual way to do the same."""

    def __init__(self, origin: str) -> None:
        self._origin = origin

    async def __aenter__(self) -> Self:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - the peer alone pays

        self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.launch(
            executable_path=find_browser(None).path, args=["--no-sandbox"]
        )
        self._page = await self._browser.new_page()
        return self

    async def load(self) -> None:
        await self._page.goto(self._origin + PATH, wait_until="domcontentloaded")
        await self._page.content()

    async def __aexit__(self, *exc: object) -> None:
        await self._browser.close()
        await self._playwright.stop()
