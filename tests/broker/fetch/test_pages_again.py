"""Pages that are asked for more than once before there is an answer."""

from __future__ import annotations

import anyio
import pytest

from tests.broker.fetch.pages import context, reading, talking_to
from tests.emulators.web_faults import ARTICLE

BUDGET_S = 1.0
"""For what lasts until the time is up."""


@pytest.mark.parametrize("path", ["truncated", "reset"])
async def test_a_body_that_breaks_off_is_tried_once_more_and_then_kept(path: str) -> None:
    async with reading() as reader:
        page = await reader.get(path)
        assert (page.truncated, page.broken_off) == (True, True)
        assert page.body.startswith(b"<!doctype html>")
        assert reader.web.log.count(f"/{path}") == 2


async def test_packed_data_that_ends_early_is_not_asked_for_again() -> None:
    async with reading() as reader:
        page = await reader.get("torn")
        assert (page.truncated, page.broken_off) == (True, True)
        assert page.body.startswith(b"<!doctype html>")
        assert page.notes == ("the gzip data ends early",)
        assert reader.web.log.count("/torn") == 1


async def test_a_busy_site_is_asked_again() -> None:
    async with reading() as reader:
        assert (await reader.get("status/503?times=2")).body == ARTICLE
        assert reader.pages.statistics().retries == 2
        assert (await reader.get("status/502")).status == 502
        assert reader.pages.statistics().retries == 4


async def test_a_site_that_wants_more_time_than_there_is_is_left_alone() -> None:
    async with reading() as reader:
        page = await reader.get("status/429?after=60")
        assert (page.status, page.retry_after_s) == (429, 60.0)
        assert reader.pages.statistics().retries == 0


async def test_a_site_that_wants_a_little_time_gets_it() -> None:
    async with reading() as reader:
        began_s = anyio.current_time()
        assert (await reader.get("status/429?after=1&times=1")).status == 200
        assert anyio.current_time() - began_s >= 1.0


async def test_an_error_page_is_better_than_no_answer_to_the_next_try() -> None:
    tries = 0

    async def speak(stream: anyio.abc.SocketStream) -> None:
        nonlocal tries
        tries += 1
        await stream.receive()
        if tries > 1:
            await anyio.sleep_forever()
        await stream.send(b"HTTP/1.1 503 No\r\nContent-Length: 4\r\nConnection: close\r\n\r\nBusy")

    async with talking_to(speak) as (pages, origin):
        page = await pages.get(context(BUDGET_S), origin)
    assert (page.status, page.body, tries) == (503, b"Busy", 2)


async def test_a_kept_connection_that_has_gone_stale_is_replaced_at_once() -> None:
    requests = 0

    async def speak(stream: anyio.abc.SocketStream) -> None:
        nonlocal requests
        while True:
            await stream.receive()
            requests += 1
            if requests == 2:
                return  # the server has given the connection up, and the request crossed that
            await stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    async with talking_to(speak) as (pages, origin):
        for _ in range(2):
            assert (await pages.get(context(), origin)).body == b"hi"
        assert pages.statistics().retries == 0
    assert requests == 3


async def test_who_counts_requests_makes_one_whatever_comes_of_it() -> None:
    async with reading() as reader:
        for status in (429, 503):
            url = f"{reader.web.origin}/status/{status}"
            page = await reader.pages.get_once(
                context(), url, accept="*/*", headers={"X-From": "a"}
            )
            assert page.status == status
            (visit,) = reader.web.log.of(f"/status/{status}")
            assert visit.request.headers["x-from"] == "a"
