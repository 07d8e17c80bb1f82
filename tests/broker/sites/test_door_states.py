"""Each door in each of its states, over real sockets: the right document or error, in time.

The site's own page, which is read where its door is shut, comes by a proxy on loopback.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.reading.records import FetchRequest, Page
from broker.service import Broker, open_broker
from broker.settings import (
    BrowserSettings,
    EgressSettings,
    ProviderSettings,
    ReadingSettings,
    Settings,
    SiteSettings,
)
from broker.sites import site_of
from tests.emulators.saved_sites import PAGE, SiteMode
from tests.emulators.server import LoopbackServer
from tests.emulators.site_doors import SITES, Door

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

ADDRESSES = {
    "arxiv": "http://arxiv.org/abs/1706.03762",
    "fxtwitter": "http://x.com/ada/status/1900000000000000002",
    "hn": "http://news.ycombinator.com/item?id=40000001",
    "youtube": "http://www.youtube.com/watch?v=heron-Film1",
}
TITLES = {
    "arxiv": "Herons Are All You Need",
    "fxtwitter": "Ada *Example* (@ada): A heron thread 🧵 about reading rivers. Full notes:…",
    "hn": "Show HN: A gauge that learns *tides*",
    "youtube": 'Reading a River; with "herons"',
}
DEADLINE_S = 3.0


@dataclass
class World:
    broker: Broker
    door: Door
    server: LoopbackServer
    proxy: LoopbackServer

    async def one(self, source: str, **options: object) -> Page:
        options.setdefault("deadline_s", DEADLINE_S)
        request = FetchRequest(sources=(source,), **options)  # type: ignore[arg-type]
        with anyio.fail_after(DEADLINE_S + 1):
            (page,) = await self.broker.fetch(request)
        return page


@asynccontextmanager
async def world(home: Path, site: str) -> AsyncIterator[World]:
    door = Door(site)
    async with LoopbackServer(door) as server, LoopbackServer(Door(site)) as proxy:
        origin = server.origin
        settings = Settings(
            home=home,
            browser=BrowserSettings(enabled=False),
            egress=EgressSettings(http_proxy=proxy.origin, no_proxy=("127.0.0.1",)),
            reading=ReadingSettings(archives=False, fresh_for_s=0),
            providers=ProviderSettings(arxiv_url=origin, hn_url=origin),
            sites=SiteSettings(fxtwitter_url=origin, youtube_url=origin),
        )
        async with open_broker(settings) as broker:
            yield World(broker, door, server, proxy)


@pytest.mark.parametrize("site", SITES)
async def test_a_door_that_is_open_gives_the_document(tmp_path: Path, site: str) -> None:
    async with world(tmp_path, site) as w:
        page = await w.one(ADDRESSES[site])
        assert page.error is None
        assert (page.via, page.verdict, page.title) == ("api", "content", TITLES[site])
        assert page.text.startswith("# ")
        assert w.proxy.log.visits == []


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize(
    "mode",
    [
        SiteMode.MISSING,
        SiteMode.RATE_LIMITED,
        SiteMode.MALFORMED,
        SiteMode.BROKEN,
        SiteMode.SLOW,
        SiteMode.RESETTING,
    ],
)
async def test_a_door_that_is_shut_leaves_the_page(
    tmp_path: Path, site: str, mode: SiteMode
) -> None:
    async with world(tmp_path, site) as w:
        w.door.mode = mode
        page = await w.one(ADDRESSES[site])
        if (site, mode) == ("fxtwitter", SiteMode.MISSING):
            assert page.error is not None
            assert (page.error.code, page.error.retryable) == ("not_found", False)
            assert w.proxy.log.visits == []
            return
        assert page.error is None
        assert (page.via, page.title) == ("http", PAGE)
        title = site_of(ADDRESSES[site].split("/")[2]).title  # type: ignore[union-attr]
        assert page.warnings[0].startswith(f"not read from {title}'s own interface: ")


@pytest.mark.parametrize("site", [site for site in SITES if site != "arxiv"])
async def test_a_site_that_refused_is_left_alone(tmp_path: Path, site: str) -> None:
    async with world(tmp_path, site) as w:
        w.door.mode = SiteMode.RATE_LIMITED
        await w.one(ADDRESSES[site])
        asked = len(w.server.log.visits)
        page = await w.one(ADDRESSES[site], fresh=True)
        assert len(w.server.log.visits) == asked
        assert "left alone for 1" in page.warnings[0]
        assert page.title == PAGE


# --- arXiv's requests ----------------------------------------------------------------------------


def paths(server: LoopbackServer) -> list[str]:
    return [visit.request.path for visit in server.log.visits]


@pytest.mark.parametrize(
    "source",
    [
        "1706.03762",
        "arXiv:1706.03762v7",
        "https://arxiv.org/abs/1706.03762",
        "https://www.arxiv.org/pdf/1706.03762.pdf",
    ],
)
async def test_an_old_paper_takes_its_abstract_and_its_pdf(tmp_path: Path, source: str) -> None:
    async with world(tmp_path, "arxiv") as w:
        page = await w.one(source)
        assert (page.source, page.title) == (source, TITLES["arxiv"])
        assert page.final_url.startswith("https://arxiv.org/abs/1706.03762")
        of_api, of_pdf = sorted(paths(w.server))
        assert of_api == "/api/query"
        assert of_pdf.startswith("/pdf/1706.03762")
        assert any("PDF is left out" in warning for warning in page.warnings)


@pytest.mark.parametrize("source", ["2403.01234", "https://arxiv.org/pdf/2403.01234v2"])
async def test_a_young_paper_takes_one_request(tmp_path: Path, source: str) -> None:
    async with world(tmp_path, "arxiv") as w:
        page = await w.one(source)
        assert page.title == "Tide Gauges That Learn: Forecasts & Faults"
        assert len(paths(w.server)) == 1
        assert paths(w.server)[0].startswith("/html/2403.01234")


async def test_papers_that_are_read_together_share_the_apis_pace(tmp_path: Path) -> None:
    """One asks the API; the others do not wait three seconds for it but read abstracts' pages."""
    async with world(tmp_path, "arxiv") as w:
        sources = ("1706.03762", "1706.03762v1", "1706.03762v2")
        with anyio.fail_after(DEADLINE_S * 3):
            pages = await w.broker.fetch(FetchRequest(sources=sources, deadline_s=DEADLINE_S * 2))
        assert [page.title for page in pages] == [TITLES["arxiv"]] * 3
        asked = paths(w.server)
        assert asked.count("/api/query") == 1
        assert sum(path.startswith("/abs/") for path in asked) == 2


async def test_a_refusal_of_the_api_counts_for_searches_too(tmp_path: Path) -> None:
    async with world(tmp_path, "arxiv") as w:
        w.door.mode, w.door.only = SiteMode.RATE_LIMITED, "/api/query"
        page = await w.one("1706.03762")
        assert page.title == TITLES["arxiv"]
        assert paths(w.server).count("/api/query") == 1
        (arxiv,) = (p for p in (await w.broker.status()).providers if p.name == "arxiv")
        assert arxiv.cooldown_code == "rate_limited"
        await w.one("1706.03762", fresh=True)
        assert paths(w.server).count("/api/query") == 1


async def test_a_pdf_that_hangs_costs_its_text_and_no_more(tmp_path: Path) -> None:
    async with world(tmp_path, "arxiv") as w:
        w.door.mode, w.door.only = SiteMode.SLOW, "/pdf/"
        page = await w.one("1706.03762")
        assert (page.via, page.title) == ("api", TITLES["arxiv"])
        assert "We read it with herons" in page.text
        assert any("PDF is left out" in warning for warning in page.warnings)
