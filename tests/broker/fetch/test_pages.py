"""Pages over real sockets: what a site sends is what is had, and what goes wrong has its name."""

from __future__ import annotations

import json
from copy import copy

import anyio
import pytest

from broker.fetch.pages import PageClient
from broker.fetch.schedule import HostSchedule
from tests.broker.egress.doubles import Names, egress_for
from tests.broker.fetch.pages import context, reading
from tests.emulators.server import LoopbackServer
from tests.emulators.web_faults import ARTICLE, ETAG, LAST_MODIFIED, PDF, Faults

BUDGET_S = 1.0
"""For what lasts until the time is up."""


async def test_a_page_is_what_the_site_sends() -> None:
    async with reading() as reader:
        page = await reader.get("page#below")
        assert page.body == ARTICLE
        assert page.url == f"{reader.web.origin}/page#below"
        assert page.final_url == f"{reader.web.origin}/page"
        assert (page.status, page.media_type, page.sniffed_type) == (200, "text/html", "text/html")
        assert page.content_type == "text/html; charset=UTF-8"
        assert page.headers["content-length"] == str(len(ARTICLE))
        assert not page.truncated
        assert (page.notes, page.redirects) == ((), ())


@pytest.mark.parametrize("path", ["packed/gzip", "packed/br", "packed/zstd", "misnamed/gzip"])
async def test_however_it_is_packed(path: str) -> None:
    async with reading() as reader:
        assert (await reader.get(path)).body == ARTICLE


async def test_headers_are_a_browsers_and_honest() -> None:
    async with reading() as reader:
        said = json.loads((await reader.get("echo")).body)
    assert "webaio" in said["user-agent"]
    assert said["accept"].startswith("text/html")
    assert said["accept-encoding"] == "gzip, deflate, br, zstd"
    assert not any(name.startswith("sec-") for name in said)
    assert "authorization" not in said


async def test_the_browsers_own_name_is_used_as_soon_as_it_is_known() -> None:
    names = ["", "Mozilla/5.0 Chrome/156"]
    async with LoopbackServer(Faults()) as web:
        egress = egress_for(open_origin=web.origin)
        schedule = HostSchedule(gap_s=0)
        async with PageClient(egress, user_agent=lambda: names.pop(0), schedule=schedule) as pages:
            for wanted in ("webaio", "Chrome/156"):
                page = await pages.get(context(), f"{web.origin}/echo", accept="text/x")
                said = json.loads(page.body)
                assert wanted in said["user-agent"]
                assert said["accept"] == "text/x"


async def test_error_pages_are_pages() -> None:
    async with reading() as reader:
        page = await reader.get("status/404")
        assert page.status == 404
        assert b"Error 404" in page.body
        assert (await reader.get("status/403")).status == 403
        assert reader.pages.statistics().requests == 2


async def test_documents_come_whole_or_not_at_all() -> None:
    async with reading() as reader:
        assert (await reader.get("pdf")).body == PDF
        assert (await reader.get("liar")).sniffed_type == "application/pdf"
        error = await reader.fails("stall/pdf", BUDGET_S)
        assert (error.code, error.phase) == ("timeout", "downloading")


async def test_too_much_text_is_cut() -> None:
    async with reading() as reader:
        page = await reader.get("huge")
        assert len(page.body) == 10_000_000
        assert (page.truncated, page.broken_off) == (True, False)


@pytest.mark.parametrize("path", ["stall", "drip"])
async def test_a_body_that_does_not_end_is_had_as_far_as_it_came(path: str) -> None:
    async with reading() as reader:
        with anyio.fail_after(BUDGET_S):
            page = await reader.get(path, BUDGET_S)
        assert (page.truncated, page.broken_off) == (True, True)
        assert page.body.startswith(b"<!doctype html>")
        assert page.notes == ("the time ran out while the body was read",)
        with anyio.fail_after(5):
            await reader.web.log.idle()


async def test_an_endless_body_ends_at_the_bound() -> None:
    async with reading() as reader:
        page = await reader.get("endless")
        assert (page.truncated, page.broken_off) == (True, False)
        assert len(page.body) == 10_000_000


async def test_cookies_last_as_long_as_the_client() -> None:
    names = Names(a_example=[["127.0.0.1"]], b_example=[["127.0.0.1"]])
    names.default = ["127.0.0.1"]
    async with reading(names=names, allow=("127.0.0.0/8",)) as reader:

        async def cookies(host: str, domain: str) -> object:
            origin = f"http://{host}:{reader.web.port}/cookie"
            await reader.get(f"{origin}/set?domain={domain}")
            other = origin.replace("www.", "shop.")
            return json.loads((await reader.get(f"{other}/show")).body)

        assert await cookies("a.example", "") == {"who": "me"}
        assert (
            json.loads((await reader.get(f"http://b.example:{reader.web.port}/cookie/show")).body)
            == {}
        )
        assert await cookies("www.c.example", "") == {}
        assert await cookies("www.c.example", "c.example") == {"who": "me"}
        assert await cookies("www.co.uk", "co.uk") == {}


async def test_cookies_do_not_pile_up() -> None:
    async with reading() as reader:
        await reader.get("cookie/set")
        jar = reader.pages._ways.client.cookies.jar  # type: ignore[union-attr]
        (cookie,) = jar
        for number in range(2500):
            other = copy(cookie)
            other.name = str(number)
            jar.set_cookie(other)
        for _ in range(100):
            await reader.get("page")
        assert len(jar) == 0


async def test_what_the_caller_has_already_is_not_sent_again() -> None:
    async with reading() as reader:
        page = await reader.get("etag")
        assert (page.etag, page.not_modified) == (ETAG, False)
        page = await reader.get("to?url=/etag", etag=ETAG)
        assert (page.status, page.not_modified, page.etag, page.body) == (304, True, ETAG, b"")
        page = await reader.get("modified", last_modified=LAST_MODIFIED)
        assert (page.not_modified, page.last_modified) == (True, LAST_MODIFIED)
        page = await reader.get("to?url=/modified", last_modified=LAST_MODIFIED)
        assert (page.status, page.not_modified) == (200, False)


async def test_a_host_is_never_asked_for_more_than_three_pages_at_once() -> None:
    async with reading() as reader, anyio.create_task_group() as tasks:
        for number in range(9):
            tasks.start_soon(reader.get, f"slow/0.05?{number}")
        with anyio.fail_after(10):
            await reader.web.log.until(lambda log: len(log.visits) == 9)
    assert reader.web.log.max_in_flight() == 3


async def test_starts_at_a_host_are_apart_and_other_hosts_do_not_wait() -> None:
    names = Names()
    names.default = ["127.0.0.1"]
    async with reading(names=names, allow=("127.0.0.0/8",), gap_s=0.3) as reader:
        async with anyio.create_task_group() as tasks:
            for number in range(6):
                tasks.start_soon(
                    reader.get, f"http://host{number}.example:{reader.web.port}/slow/0.5"
                )
            await reader.web.log.arrivals("/slow/0.5", 6)
            assert reader.web.log.max_in_flight("/slow/0.5") == 6
        await reader.get("page")
        await reader.get("page")
        gap_s = reader.web.log.min_gap_s("/page")
        assert gap_s is not None
        assert gap_s > 0.28


async def test_who_waits_for_a_turn_waits_no_longer_than_its_time() -> None:
    async with reading() as reader, anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(reader.fails, "silent", 3.0)
        await reader.web.log.arrivals("/silent", 3)
        error = await reader.fails("page", BUDGET_S)
        assert (error.code, error.phase) == ("timeout", "waiting")
        assert "turn" in error.message
        assert reader.web.log.count("/page") == 0
        tasks.cancel_scope.cancel()
    assert reader.pages.statistics().in_flight == 0


async def test_a_caller_that_gives_up_leaves_nothing_behind() -> None:
    async with reading() as reader:
        for path in ("silent", "stall", "drip", "endless"):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(reader.get, path)
                await reader.web.log.arrivals(f"/{path}")
                tasks.cancel_scope.cancel()
            with anyio.fail_after(5):
                await reader.web.log.idle()
        statistics = reader.pages.statistics()
        assert (statistics.in_flight, statistics.waiting) == (0, 0)
        assert (await reader.get("page")).body == ARTICLE
