"""The loopback Google: its pages hold what its truth says, and each state is what it claims."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx
import lxml.html
import pytest

from tests.emulators.client import plain_client
from tests.emulators.google.app import Google
from tests.emulators.google.corpus import Corpus
from tests.emulators.google.reading import expected, read_hits
from tests.emulators.google.rules import GoogleRule, Mode
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


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


@pytest.mark.parametrize(
    "query", ["cats & <dogs>", "what is trio? blocks:all", "site:rook.example blocks:none x"]
)
async def test_every_page_shows_exactly_its_hits(google: Loopback, query: str) -> None:
    app, _, client = google
    for page in range(1, 6):
        answer = await search(client, query, page)
        assert read_hits(answer.text) == expected(app.hits(query, page))
    assert [len(app.hits(query, page)) for page in range(1, 6)] == [10, 10, 10, 3, 0]
    assert len({hit.url for hit in app.all_hits(query)}) == 33


def test_the_list_is_the_same_each_time_and_differs_between_queries() -> None:
    assert Google().hits("cats") == Google().hits("mode:hang@2 cats")
    assert Google().hits("cats") != Google().hits("dogs")


async def test_a_question_opens_with_a_featured_snippet(google: Loopback) -> None:
    app, _, client = google
    assert [hit.featured for hit in app.hits("why is it so?")][:2] == [True, False]
    assert "hgKElc" in (await search(client, "why is it so?")).text


async def test_next_leads_through_the_pages_and_is_missing_on_the_last(google: Loopback) -> None:
    _, _, client = google
    path, starts = "/search?q=mode:ok@9+total:25+cats&hl=en", []
    while path:
        page = lxml.html.fromstring((await client.get(path)).text)
        starts.append(parse_qs(urlsplit(path).query).get("start", ["0"])[0])
        assert "hl=en" in path
        path = page.xpath('string(//a[@id="pnnext"]/@href)')
    assert starts == ["0", "10", "20"]


async def test_page_links_carry_their_number(google: Loopback) -> None:
    _, _, client = google
    page = lxml.html.fromstring((await search(client, "cats")).text)
    href = page.xpath('string(//a[@aria-label="Page 3"]/@href)')
    assert parse_qs(urlsplit(href).query)["start"] == ["20"]


@pytest.mark.parametrize(("word", "least"), [("size:300k", 290_000), ("size:12m", 11_900_000)])
async def test_pages_weigh_what_was_asked_for(google: Loopback, word: str, least: int) -> None:
    _, _, client = google
    assert least < len((await search(client, f"{word} cats")).content) < least * 1.05


async def test_url_links_are_decodable_and_work(google: Loopback) -> None:
    app, _, client = google
    hits = app.hits("cats")
    links = [link for _, link, _ in read_hits((await search(client, "links:url cats")).text)]
    assert [parse_qs(urlsplit(link).query)["q"][0] for link in links] == [hit.url for hit in hits]
    assert (await client.get(links[0])).headers["location"] == hits[0].url


@pytest.mark.parametrize(("style", "told"), [("goto", True), ("gotobare", False)])
async def test_goto_tokens_resolve_and_are_new_each_time(
    google: Loopback, style: str, told: bool
) -> None:
    app, _, client = google
    pages = [(await search(client, f"links:{style} cats")).text for _ in range(2)]
    links = [[link for _, link, _ in read_hits(page)] for page in pages]
    assert not set(links[0]) & set(links[1])
    assert all(link.startswith("/goto?url=CAES") for link in links[0])
    hits = app.hits("cats")
    assert [(await client.get(link)).headers["location"] for link in links[0]] == [
        hit.url for hit in hits
    ]
    array = re.findall(r'"/goto\?url\\u003d([\w-]+)"\],\["([^"]+)","', pages[0])
    assert [f"/goto?url={token}" for token, _ in array] == (links[0] if told else [])
    assert hits[0].url in pages[0] or not told
    assert any(hit.url in pages[0] for hit in hits if not hit.video) is told


async def test_resolving_too_quickly_brings_the_verifying_page(google: Loopback) -> None:
    _, _, client = google
    page = (await search(client, "links:gotobare goto:verify=2 cats")).text
    answers = [await client.get(link) for _, link, _ in read_hits(page)[:4]]
    assert [answer.status_code for answer in answers] == [302, 302, 200, 200]
    assert "Verifying your request" in answers[-1].text
    assert "captcha-form" not in answers[-1].text


@pytest.mark.parametrize(("word", "status", "located"), [("402", 402, True), ("429", 429, False)])
async def test_goto_answers_otherwise(
    google: Loopback, word: str, status: int, located: bool
) -> None:
    _, _, client = google
    page = (await search(client, f"links:gotobare goto:{word} cats")).text
    answer = await client.get(read_hits(page)[0][1])
    assert (answer.status_code, "location" in answer.headers) == (status, located)


async def test_rules_choose_by_query_page_and_visit(google: Loopback) -> None:
    app, _, client = google
    app.rules = (
        GoogleRule(mode=Mode.BLOCKED, query="cats", page=2),
        GoogleRule(mode=Mode.SERVER_ERROR, query="dogs", visit=2),
        GoogleRule(mode=Mode.TOO_MANY, from_page=3),
    )
    asked = [("cats", 1), ("cats", 2), ("dogs", 1), ("dogs", 1), ("dogs", 1), ("birds", 4)]
    statuses = [(await search(client, query, page)).status_code for query, page in asked]
    assert statuses == [200, 403, 200, 500, 200, 429]


async def test_words_choose_by_page_and_visit(google: Loopback) -> None:
    _, _, client = google
    query = "mode:blocked@2 mode:http500#2 mode:http429@3+ cats"
    asked = [(query, 1), (query, 1), (query, 2), (query, 3), (query, 4)]
    statuses = [(await search(client, query, page)).status_code for query, page in asked]
    assert statuses == [200, 500, 403, 429, 429]


async def test_a_gate_lets_page_two_overtake_page_one(google: Loopback) -> None:
    app, server, client = google
    gate = anyio.Event()
    app.rules = (GoogleRule(mode=Mode.OK, page=1, gate=gate),)
    order: list[int] = []

    async def fetch(page: int) -> None:
        await search(client, "cats", page)
        order.append(page)
        gate.set()

    async with anyio.create_task_group() as group:
        group.start_soon(fetch, 1)
        await server.log.arrivals("/search")
        group.start_soon(fetch, 2)
    assert order == [2, 1]


@pytest.mark.parametrize("name", ["mode", "links", "goto", "size", "total", "blocks"])
async def test_an_unknown_word_is_reported(google: Loopback, name: str) -> None:
    _, _, client = google
    answer = await search(client, f"{name}:nonsense cats")
    assert answer.status_code == 400
    assert "nonsense" in answer.text


async def test_the_replay_says_when_the_saved_pages_are_absent(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    app = Corpus(tmp_path_factory.mktemp("empty"))
    assert not app.present
    async with LoopbackServer(app) as server, plain_client() as client:
        answer = await client.get(f"{server.origin}/search", params={"q": "any"})
        assert answer.status_code == 404
        assert "absent" in answer.text


@pytest.mark.skipif(not Corpus().present, reason="the saved pages are not here")
async def test_the_replay_serves_saved_pages_by_name() -> None:
    app = Corpus()
    name = app.names()[0]
    async with LoopbackServer(app) as server, plain_client() as client:
        answer = await client.get(f"{server.origin}/search", params={"q": name})
        assert answer.status_code == 200
        assert app.truth(name)
        sorry = app.names("google-sorry")[0]
        answer = await client.get(f"{server.origin}/search", params={"q": sorry})
        assert answer.status_code == 429
