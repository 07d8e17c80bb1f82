"""Every state of every site over real sockets: a document, or its page with a warning, in time.

Addresses are http ones, and the emulator is the proxy for those as well: there it shows the page.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.reading.records import FetchRequest, Page
from broker.service import Broker, open_broker
from broker.settings import (
    BrowserSettings,
    EgressSettings,
    ReadingSettings,
    Settings,
    SiteSettings,
)
from tests.emulators.saved_sites import PAGE, SITES, SavedSite, SiteMode
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

PAGES = {
    "github": "http://github.com/ada/mill/issues/7",
    "stackexchange": "http://stackoverflow.com/questions/42",
    "wikipedia": "http://en.wikipedia.org/wiki/Old_Mill",
    "pypi": "http://pypi.org/project/mill/",
    "npm": "http://www.npmjs.com/package/@ada/mill",
    "crates": "http://crates.io/crates/mill",
}
REQUESTS = {"github": 2, "stackexchange": 3, "wikipedia": 1, "pypi": 1, "npm": 2, "crates": 3}
CODES = {
    SiteMode.MISSING: "status 404",
    SiteMode.RATE_LIMITED: "",
    SiteMode.SECONDARY: "",
    SiteMode.MALFORMED: "JSON",
    SiteMode.BROKEN: "status 501",
    SiteMode.SLOW: "ran out while waiting for its answer",
    SiteMode.RESETTING: "",
}
"""What the warning says, where it is the same for all."""
TOKEN = "ghp_0123456789"  # noqa: S105 - made up
DEADLINE_S = 3.0
"""Sixty hundredths of it are the site's, and the rest is enough for its page."""


def settings_for(home: Path, server: LoopbackServer) -> Settings:
    """All sites at one server, which is the proxy for http as well."""
    names = [field.name for field in fields(SiteSettings) if field.name.endswith("_url")]
    return Settings(
        home=home,
        browser=BrowserSettings(enabled=False),
        egress=EgressSettings(http_proxy=server.origin, no_proxy=("127.0.0.1",)),
        reading=ReadingSettings(archives=False),
        sites=replace(SiteSettings(), **dict.fromkeys(names, server.origin)),
    )


@asynccontextmanager
async def world(home: Path, app: SavedSite) -> AsyncIterator[tuple[Broker, LoopbackServer]]:
    with anyio.fail_after(30):
        async with (
            LoopbackServer(app) as server,
            open_broker(settings_for(home, server)) as broker,
        ):
            yield broker, server


async def one(broker: Broker, url: str, **options: object) -> Page:
    request = FetchRequest(sources=(url,), deadline_s=DEADLINE_S, **options)  # type: ignore[arg-type]
    (page,) = await broker.fetch(request)
    return page


def pages_shown(server: LoopbackServer) -> int:
    """How often the site's own page was asked for."""
    return sum("://" in visit.request.target for visit in server.log.visits)


@pytest.mark.parametrize("site", SITES)
async def test_a_site_that_answers_is_read_by_its_interface(tmp_path: Path, site: str) -> None:
    async with world(tmp_path, SavedSite(site)) as (broker, server):
        page = await one(broker, PAGES[site])
        assert (page.via, page.error, page.warnings) == ("api", None, ())
        assert page.text.startswith("# ")
        assert len(server.log.visits) == REQUESTS[site]
        assert pages_shown(server) == 0


@pytest.mark.parametrize("mode", CODES)
@pytest.mark.parametrize("site", SITES)
async def test_a_site_that_fails_is_read_as_its_page(
    tmp_path: Path, site: str, mode: SiteMode
) -> None:
    app = SavedSite(site)
    app.mode = mode
    async with world(tmp_path, app) as (broker, server):
        page = await one(broker, PAGES[site])
        assert (page.title, page.via) == (PAGE, "http"), page.error
        assert page.error is None
        warning = page.warnings[0]
        assert warning.startswith("not read from "), page.warnings
        if site != "stackexchange" or mode is not SiteMode.MISSING:
            assert CODES[mode] in warning
        assert pages_shown(server) == 1


@pytest.mark.parametrize("mode", [SiteMode.RATE_LIMITED, SiteMode.SECONDARY])
@pytest.mark.parametrize("site", SITES)
async def test_a_site_that_is_asked_too_often_is_left_alone(
    tmp_path: Path, site: str, mode: SiteMode
) -> None:
    app = SavedSite(site)
    app.mode = mode
    async with world(tmp_path, app) as (broker, server):
        await one(broker, PAGES[site])
        app.mode = SiteMode.OK
        server.log.clear()
        page = await one(broker, PAGES[site], fresh=True)
        assert page.title == PAGE
        assert "asked to be left alone for" in page.warnings[0]
        assert len(server.log.visits) == pages_shown(server) == 1


async def test_the_reset_time_of_github_is_told(tmp_path: Path) -> None:
    app = SavedSite("github")
    app.mode = SiteMode.RATE_LIMITED
    async with world(tmp_path, app) as (broker, _server):
        warning = (await one(broker, PAGES["github"])).warnings[0]
        # The saved time lies ahead of or behind the clock of this machine: then a minute stands.
        assert "its 60 requests are used up, and counted anew in " in warning
        assert " UTC; " in warning


async def test_a_fragment_that_asks_for_lines_is_a_document_of_its_own(tmp_path: Path) -> None:
    async with world(tmp_path, SavedSite("github")) as (broker, server):
        url = "http://github.com/ada/mill/blob/main/src/wheel.py"
        whole, lines, other = [
            await one(broker, address) for address in (url, f"{url}#L2-L3", f"{url}#readme")
        ]
        assert whole.id == other.id != lines.id
        assert "## Lines 2 to 3" in lines.text
        assert len(server.log.visits) == 2


async def test_the_token_is_sent_to_the_interface_alone(tmp_path: Path) -> None:
    """Neither to raw files, nor where the interface sends us on, nor to the page."""
    async with LoopbackServer(SavedSite("github")) as other:
        app = SavedSite("github")
        app.mode, app.only, app.elsewhere = SiteMode.ELSEWHERE, "/issues", other.origin
        async with LoopbackServer(app) as api, LoopbackServer(SavedSite("github")) as raw:
            settings = settings_for(tmp_path, api)
            settings = replace(
                settings,
                egress=replace(settings.egress, allow_ranges=("127.0.0.0/8",)),
                sites=replace(settings.sites, github_token=TOKEN, github_raw_url=raw.origin),
            )
            async with open_broker(settings) as broker:
                issue = await one(broker, PAGES["github"])
                assert issue.via == "api"
                app.mode = SiteMode.MISSING
                page = await one(broker, "http://github.com/ada/mill/issues/9")
                assert page.title == PAGE
        seen = {
            name: {visit.request.headers.get("authorization") for visit in server.log.visits}
            for name, server in (("other", other), ("raw", raw))
        }
        assert seen == {"other": {None}, "raw": set()}
        for visit in api.log.visits:
            expected = None if "://" in visit.request.target else f"Bearer {TOKEN}"
            assert visit.request.headers.get("authorization") == expected
