"""Each state of the loopback Google is what it claims to be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import anyio
import httpx
import lxml.html
import pytest

from tests.emulators.client import plain_client
from tests.emulators.google import walls
from tests.emulators.google.app import Google
from tests.emulators.google.reading import expected, read_hits
from tests.emulators.google.rules import Mode
from tests.emulators.log import Outcome
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SLOW_OR_BROKEN = {
    Mode.HANG,
    Mode.HANG_HEAD,
    Mode.HANG_BODY,
    Mode.RESET,
    Mode.RESET_BODY,
    Mode.TRUNCATE,
    Mode.DRIP_FOREVER,
}


@pytest.fixture
async def google() -> AsyncIterator[tuple[Google, LoopbackServer, httpx.AsyncClient]]:
    app = Google()
    async with (
        LoopbackServer(app) as server,
        plain_client(server.origin) as client,
    ):
        with anyio.fail_after(20):
            yield app, server, client


Loopback = tuple[Google, LoopbackServer, httpx.AsyncClient]


async def search(client: httpx.AsyncClient, query: str, page: int = 1) -> httpx.Response:
    start = {"start": (page - 1) * 10} if page > 1 else {}
    return await client.get("/search", params={"q": query, **start})


@pytest.mark.parametrize("mode", sorted(set(Mode) - SLOW_OR_BROKEN))
async def test_every_mode_answers(google: Loopback, mode: Mode) -> None:
    _, _, client = google
    statuses = {
        Mode.CAPTCHA: 302,
        Mode.CAPTCHA_SIMPLE: 503,
        Mode.CONSENT: 302,
        Mode.CONSENT_HOST: 302,
        Mode.CONSENT_LANG: 302,
        Mode.CONSENT_LOOP: 302,
        Mode.REDIRECT_AWAY: 302,
        Mode.REDIRECT_LOOP: 302,
        Mode.BLOCKED: 403,
        Mode.SERVER_ERROR: 500,
        Mode.TOO_MANY: 429,
    }
    word = f"mode:{mode}=0.001" if mode in (Mode.SLOW, Mode.DRIP) else f"mode:{mode}"
    assert (await search(client, f"{word} cats")).status_code == statuses.get(mode, 200)


@pytest.mark.parametrize(
    "mode",
    ["overlay", "didyoumean", "drip=0.001", "loop_after", "dialogs", "runaway", "never_loads"],
)
async def test_some_modes_hold_the_results_all_the_same(google: Loopback, mode: str) -> None:
    app, _, client = google
    answer = await search(client, f"mode:{mode} cats")
    assert read_hits(answer.text) == expected(app.hits("cats"))


@pytest.mark.parametrize(
    "mode",
    ["noresults", "changed", "overlay_empty", "bootstrap_silent", "unsupported", "blank_html"],
)
async def test_others_hold_none(google: Loopback, mode: str) -> None:
    _, _, client = google
    assert read_hits((await search(client, f"mode:{mode} cats")).text) == []


async def test_the_captcha_is_429_behind_a_redirect(google: Loopback) -> None:
    _, _, client = google
    answer = await search(client, "mode:captcha cats")
    page = await client.get(answer.headers["location"])
    assert page.status_code == 429
    tree = lxml.html.fromstring(page.text)
    assert tree.xpath('string(//*[@id="captcha-form"]//input[@name="continue"]/@value)') == str(
        answer.url
    )
    assert tree.xpath("string(//title)") == str(answer.url)


@pytest.mark.parametrize("mode", ["consent", "consent_lang"])
@pytest.mark.parametrize(("refuse", "cookie"), [("true", "CAISHAg"), ("false", "CAESHAg")])
async def test_the_consent_forms_work(
    google: Loopback, mode: str, refuse: str, cookie: str
) -> None:
    app, _, client = google
    wall = await client.get((await search(client, f"mode:{mode} cats")).headers["location"])
    tree = lxml.html.fromstring(wall.text)
    form = tree.xpath(f'//form[.//input[@name="set_eom" and @value="{refuse}"]]')[0]
    saved = await client.post(form.get("action"), data=dict(form.form_values()))
    assert client.cookies["SOCS"].startswith(cookie)
    back = await client.get(saved.headers["location"])
    assert read_hits(back.text) == expected(app.hits("cats"))
    assert ("Reject" in wall.text) is (mode == "consent")


async def test_a_consent_loop_never_ends(google: Loopback) -> None:
    _, _, client = google
    wall = await client.get((await search(client, "mode:consent_loop x")).headers["location"])
    form = lxml.html.fromstring(wall.text).xpath('//form[contains(@action, "/save")]')[0]
    saved = await client.post(form.get("action"), data=dict(form.form_values()))
    assert "/ml?" in (await client.get(saved.headers["location"])).headers["location"]


async def test_the_bootstrap_opens_for_what_its_script_computes(google: Loopback) -> None:
    app, _, client = google
    page = (await search(client, "mode:bootstrap cats")).text
    assert "httpservice/retry/enablejs" in page
    assert read_hits(page) == []
    seed = re.findall(r"s='(\w+)'", page)[0]
    token = f"B1.{seed}.{walls.bootstrap_value(seed)}"
    opened = await client.get("/search", params={"q": "mode:bootstrap cats", "sg_ss": token})
    assert read_hits(opened.text) == expected(app.hits("cats"))
    client.cookies.set("SG_SS", token)
    assert len(read_hits((await search(client, "mode:bootstrap dogs")).text)) == 10
    client.cookies.set("SG_SS", f"{token}1")
    assert read_hits((await search(client, "mode:bootstrap dogs")).text) == []


async def test_good_pages_carry_the_noscript_line_too(google: Loopback) -> None:
    _, _, client = google
    assert "/httpservice/retry/enablejs?sei=" in (await search(client, "cats")).text


async def test_an_ignored_start_repeats_page_one(google: Loopback) -> None:
    app, _, client = google
    answer = await search(client, "mode:repeat cats", page=2)
    assert read_hits(answer.text) == expected(app.hits("cats", 1))


async def test_duplicates_repeat_half_of_the_page_before(google: Loopback) -> None:
    _, _, client = google
    first, second = [
        {link for _, link, _ in read_hits((await search(client, "mode:duplicates x", page)).text)}
        for page in (1, 2)
    ]
    assert len(first & second) == 5


@pytest.mark.parametrize(
    ("mode", "hits"), [(Mode.HANG_HEAD, 0), (Mode.HANG_BODY, 10), (Mode.DRIP_FOREVER, 3)]
)
async def test_what_has_arrived_before_a_stall(google: Loopback, mode: Mode, hits: int) -> None:
    app, server, client = google
    got, shown = "", [""]
    params = {"q": f"mode:{mode} cats"}
    async with client.stream("GET", "/search", params=params) as answer:
        async for piece in answer.aiter_text():
            got += piece
            shown = [title for title, _, _ in read_hits(got)]
            if len(shown) >= hits:
                break
    assert shown == [hit.title for hit in app.hits("cats")][:hits]
    await server.log.idle()
    assert server.log.visits[0].outcome is Outcome.CLIENT_GONE


@pytest.mark.parametrize("mode", ["reset", "reset_body"])
async def test_resets_reach_the_client(google: Loopback, mode: str) -> None:
    _, _, client = google
    with pytest.raises(httpx.ReadError):
        await search(client, f"mode:{mode} cats")
