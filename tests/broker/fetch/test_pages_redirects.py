"""Redirects over real sockets: each step is checked, and takes along only what it may."""

from __future__ import annotations

import json

import pytest

from tests.broker.fetch.pages import reading
from tests.emulators.server import LoopbackServer
from tests.emulators.web_faults import ARTICLE, Faults

BUDGET_S = 1.0
"""For what lasts until the time is up."""


async def test_redirects_are_followed_one_by_one() -> None:
    async with reading() as reader:
        page = await reader.get("redirects/10")
        origin = reader.web.origin
        assert page.final_url == f"{origin}/page"
        assert page.redirects == tuple(f"{origin}/redirects/{n}" for n in range(10, 0, -1))
        assert reader.web.connections == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_every_kind_of_redirect_is_followed(status: int) -> None:
    async with reading() as reader:
        assert (await reader.get(f"to?url=/page&status={status}")).body == ARTICLE


@pytest.mark.parametrize("path", ["refresh/0?url=/page", "refresh-header/2?url=/page"])
async def test_a_page_that_only_leads_on_is_a_redirect(path: str) -> None:
    async with reading() as reader:
        page = await reader.get(path)
        assert page.final_url == f"{reader.web.origin}/page"
        assert page.redirects == (f"{reader.web.origin}/{path}",)


@pytest.mark.parametrize(
    "path",
    [
        "refresh/30?url=/page",
        "refresh-full?url=/page",
        "refresh/0?url=javascript:alert(1)",
        "refresh/0?url=",
        "refresh/0?url=http://[",
    ],
)
async def test_a_page_that_leads_nowhere_is_read_itself(path: str) -> None:
    async with reading() as reader:
        page = await reader.get(path)
        assert page.final_url.startswith(f"{reader.web.origin}/refresh")
        assert page.redirects == ()


async def test_a_redirect_to_itself_is_followed_while_cookies_change() -> None:
    async with reading() as reader:
        assert (await reader.get("gate")).body == ARTICLE


async def test_a_login_stays_with_its_origin() -> None:
    async with LoopbackServer(Faults()) as other, reading(allow=("127.0.0.0/8",)) as reader:
        login = reader.web.origin.replace("//", "//me:p%40ss@")
        page = await reader.get(f"{login}/to?url=/echo")
        assert json.loads(page.body)["authorization"] == "Basic bWU6cEBzcw=="
        assert "p%40ss" not in page.final_url + "".join(page.redirects)
        page = await reader.get(f"{login}/to?url={other.origin}/echo")
        assert "authorization" not in json.loads(page.body)
        error = await reader.fails(f"{login}/to?url=/loop&token=abcdefgh12345678")
        for secret in ("p%40ss", "p@ss", "abcdefgh12345678"):
            assert secret not in str(error.as_data())
