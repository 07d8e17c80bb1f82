"""Reading over real sockets: the page client, the archives' forms, the store, a search's texts."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.models import Hit, SearchQuery, SearchRequest
from broker.reading.records import FetchRequest, Page, Part, ReadRequest, Render
from broker.service import Broker, open_broker
from broker.settings import (
    BrowserSettings,
    EgressSettings,
    ProviderSettings,
    ReadingSettings,
    Settings,
    TraceMode,
    TraceSettings,
)
from tests.emulators.server import LoopbackServer
from tests.emulators.web_reading import (
    SUBSCRIBERS,
    ReaderMode,
    ReadingWeb,
    WaybackMode,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from broker.models import Progress


class World:
    """A site, the two archives, and a broker without a browser."""

    def __init__(
        self, broker: Broker, site: LoopbackServer, reader: LoopbackServer, wayback: LoopbackServer
    ) -> None:
        self.broker = broker
        self.site = site
        self.reader = reader
        self.wayback = wayback

    @property
    def archives(self) -> tuple[ReadingWeb, ReadingWeb]:
        assert isinstance(self.reader.app, ReadingWeb)
        assert isinstance(self.wayback.app, ReadingWeb)
        return self.reader.app, self.wayback.app

    def url(self, path: str) -> str:
        return self.site.origin + path

    async def one(self, path: str, **options: object) -> Page:
        request = FetchRequest(sources=(self.url(path),), **options)  # type: ignore[arg-type]
        (page,) = await self.broker.fetch(request)
        return page


@asynccontextmanager
async def world(
    home: Path, *, trace: TraceSettings | None = None, **reading: object
) -> AsyncIterator[World]:
    with anyio.fail_after(30):
        async with (
            LoopbackServer(ReadingWeb()) as site,
            LoopbackServer(ReadingWeb()) as reader,
            LoopbackServer(ReadingWeb()) as wayback,
        ):
            settings = Settings(
                home=home,
                browser=BrowserSettings(enabled=False),
                egress=EgressSettings(allow_ranges=("127.0.0.0/8",)),
                reading=ReadingSettings(**reading),  # type: ignore[arg-type]
                trace=trace or TraceSettings(),
                providers=ProviderSettings(jina_url=reader.origin, wayback_url=wayback.origin),
            )
            async with open_broker(settings) as broker:
                yield World(broker, site, reader, wayback)


async def test_a_page_is_read_and_read_on(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        steps: list[Progress] = []
        request = FetchRequest(sources=(w.url("/long"),))
        (page,) = await w.broker.fetch(request, progress=steps.append)
        assert (page.verdict, page.via, page.error) == ("content", "http", None)
        assert [step.step for step in steps] == ["get", "judged", "stored"]
        more = await w.broker.read(ReadRequest(id=page.id, part=Part(offset=page.next_offset)))
        assert more.text
        status = (await w.broker.status()).reading
        assert (status.documents, status.pages, status.failed) == (1, 1, 0)
        assert status.stored_bytes > 90_000
        assert status.missing


async def test_the_trace_tells_what_takes_the_time(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    trace = TraceSettings(mode=TraceMode.CHROME, path=path)
    async with world(tmp_path, trace=trace) as w:
        await w.one("/long")
    said = {event["name"]: event for event in json.loads(path.read_text())}
    for name in ("reading.load", "reading.open", "http.load", "http.request", "reading.judge"):
        assert said[name]["ph"] == "X", name  # a span, which has a duration
    assert said["reading.judge"]["args"]["verdict"] == "content"


async def test_a_page_that_has_not_changed_is_not_sent_again(tmp_path: Path) -> None:
    async with world(tmp_path, fresh_for_s=0.0) as w:
        first, again = await w.one("/conditional"), await w.one("/conditional")
        assert first.text == again.text
        assert [visit.status for visit in w.site.log.of("/conditional")] == [200, 304]
        await w.one("/conditional", fresh=True)
        assert w.site.log.of("/conditional")[-1].status == 200


@pytest.mark.parametrize(
    ("mode", "via"),
    [
        (ReaderMode.OK, "reader"),
        (ReaderMode.TEXT, "reader"),
        (ReaderMode.TARGET_404, ""),
        (ReaderMode.CAPTCHA, ""),
        (ReaderMode.WALL, ""),
        (ReaderMode.EMPTY, ""),
        (ReaderMode.LIMITED, ""),
        (ReaderMode.ABUSE, ""),
        (ReaderMode.BROKEN, ""),
    ],
)
async def test_the_readers_forms(tmp_path: Path, mode: ReaderMode, via: str) -> None:
    async with world(tmp_path) as w:
        reader, wayback = w.archives
        reader.reader, wayback.wayback = mode, WaybackMode.NONE
        page = await w.one("/paywall")
        if via:
            assert (page.via, page.verdict) == (via, "content")
            assert SUBSCRIBERS in page.text
            assert page.published is not None
            assert page.published.startswith("2026-05-04")
            assert "Links/Buttons" not in page.text
        else:
            assert page.error is not None
            assert page.error.code == "paywall"
        assert w.reader.log.visits[0].path == f"/{w.url('/paywall')}"


@pytest.mark.parametrize(
    ("mode", "via"),
    [
        (WaybackMode.OK, "wayback"),
        (WaybackMode.GZIP, "wayback"),
        (WaybackMode.NONE, ""),
        (WaybackMode.ARCHIVED_404, ""),
        (WaybackMode.ARCHIVED_WALL, ""),
        (WaybackMode.ARCHIVED_REDIRECT, ""),
        (WaybackMode.EXCLUDED, ""),
        (WaybackMode.LIMITED, ""),
    ],
)
async def test_the_archives_forms(tmp_path: Path, mode: WaybackMode, via: str) -> None:
    async with world(tmp_path) as w:
        reader, wayback = w.archives
        reader.reader, wayback.wayback = ReaderMode.EMPTY, mode
        page = await w.one("/login")
        assert page.via == (via or "http")
        if via:
            assert SUBSCRIBERS in page.text
            assert "copy of 2025-03-01" in page.warnings[0]
        else:
            assert page.error is not None
            assert page.error.code == "login_wall"


async def test_archives_can_be_switched_off(tmp_path: Path) -> None:
    async with world(tmp_path, archives=False) as w:
        page = await w.one("/paywall")
        assert page.error is not None
        assert (len(w.reader.log.visits), len(w.wayback.log.visits)) == (0, 0)


async def test_without_a_browser_a_shell_says_so(tmp_path: Path) -> None:
    async with world(tmp_path, archives=False) as w:
        for render in (Render.AUTO, Render.NEVER):
            page = await w.one("/shell", render=render)
            assert page.error is not None
            assert page.error.code == "js_shell"
        page = await w.one("/article/1", render=Render.ALWAYS)
        assert page.error is not None
        assert "PI_WEBAIO_CDP_BROKER" in page.error.message


async def test_the_same_page_under_all_addresses_is_no_content(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        assert (await w.one("/portal/notices")).error is None
        page = await w.one("/portal/ferries")
        assert page.error is not None
        assert page.error.code == "error_page"


async def test_the_deadline_holds_whatever_hangs(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        reader, wayback = w.archives
        reader.reader, wayback.wayback = ReaderMode.HANG, WaybackMode.HANG
        started_s = anyio.current_time()
        page = await w.one("/paywall", deadline_s=3.0)
        assert anyio.current_time() - started_s < 3.5
        assert page.error is not None
        assert "in time" in page.error.message


async def test_each_source_has_its_own_fate(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        notes = tmp_path / "notes.md"
        notes.write_text("# Notes\n\nOn the river.\n")
        sources = (
            w.url("/article/1"), str(notes), "http://169.254.169.254/", "/dev/null", "ftp://a.example/",
            w.url("/500"), str(tmp_path / "none.md"), "not a source at all",
        )  # fmt: skip
        pages = await w.broker.fetch(FetchRequest(sources=sources))
        codes = [page.error.code if page.error else "" for page in pages]
        assert codes[:5] == ["", "", "blocked_ssrf", "not_a_file", "blocked_ssrf"]
        assert codes[5:] == ["http_500", "not_found", "not_found"]
        assert [page.refused for page in pages[:3]] == [False, False, True]
        assert pages[1].via == "local"


# --- the texts of a search's hits ----------------------------------------------------------------


async def test_a_searchs_hits_are_read(tmp_path: Path) -> None:
    """By the part of the service that the pipeline is handed."""
    async with world(tmp_path, archives=False) as w:
        from broker.context import RequestContext  # noqa: PLC0415
        from broker.deadline import Deadline  # noqa: PLC0415
        from broker.trace import OFF  # noqa: PLC0415

        ctx = RequestContext(request_id="r", deadline=Deadline.after(5), trace=OFF)
        hit = Hit(title="t", url=w.url("/article/3"), snippet="s", provider="google")
        assert "chapter 3" in await w.broker._read_hit(ctx, hit)


async def test_a_search_that_finds_nothing_reads_nothing(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        query = SearchQuery(text="cats", content=True)
        (answer,) = await w.broker.search(SearchRequest(queries=(query,), providers=("google",)))
        assert answer.hits == ()
