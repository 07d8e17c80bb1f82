"""What it costs to pull a documentation site, beside reading its pages one by one."""

from __future__ import annotations

import time
from ipaddress import ip_network
from typing import TYPE_CHECKING

from broker.context import RequestContext
from broker.deadline import NEVER
from broker.egress.dial import Egress
from broker.egress.policy import EgressPolicy
from broker.fetch.pages import PageClient
from broker.fetch.schedule import HostSchedule
from broker.pull.folder import search
from broker.trace import OFF
from scripts.benches.table import Row, median
from tests.broker.pull.worlds import World
from tests.emulators.docsite import DocSite, sentence
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from pathlib import Path

PAGES = 200


async def bench(home: Path) -> list[Row]:
    """All rows of this bench."""
    async with LoopbackServer(DocSite(pages=PAGES, calendar=False)) as server:
        world = World(server, home)
        begun_s = time.perf_counter()
        report = await world.pull()
        took_s = time.perf_counter() - begun_s
        asked = {path for path in world.asked() if path.startswith("/docs/")}
        alone_s = await _one_by_one(server.origin, sorted(asked))
        begun_s = time.perf_counter()
        again = await world.pull()
        again_s = time.perf_counter() - begun_s
    times, first = [], 0
    for number in range(PAGES):
        begun_s = time.perf_counter()
        found = search(world.out, sentence(number))
        times.append(time.perf_counter() - begun_s)
        first += bool(found) and sentence(number) in found[0].text
    return [
        Row(
            what=f"pull of {report.pulled} pages without pacing, a page",
            measured=took_s / report.pulled * 1000,
            unit="ms",
            target="-",
            floor=alone_s / len(asked) * 1000,
            floor_name="asked for one by one, nothing done",
        ),
        Row(
            what="the same again, nothing new",
            measured=again_s,
            unit="s",
            target="-",
            note=f"{again.added} pages asked for again",
        ),
        Row(
            what=f"recall in its {report.pulled} files",
            measured=median(times) * 1000,
            unit="ms",
            target="-",
            note=f"the right page first: {first / PAGES:.0%}",
        ),
    ]


async def _one_by_one(origin: str, paths: list[str]) -> float:
    egress = Egress(EgressPolicy(allow_ranges=(ip_network("127.0.0.0/8"),)))
    ctx = RequestContext(request_id="bench", deadline=NEVER, trace=OFF)
    async with PageClient(egress, schedule=HostSchedule(gap_s=0.0)) as pages:
        await pages.prepare()
        begun_s = time.perf_counter()
        for path in paths:
            await pages.get(ctx, origin + path)
        return time.perf_counter() - begun_s
