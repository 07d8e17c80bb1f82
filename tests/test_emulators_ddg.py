"""The loopback DuckDuckGo: pages, tokens, challenges."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx
import lxml.html
import pytest

from tests.emulators.client import plain_client
from tests.emulators.ddg.app import Ddg
from tests.emulators.ddg.pages import shown_snippet
from tests.emulators.google.app import Google
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Loopback = tuple[Ddg, LoopbackServer, httpx.AsyncClient]
LINKS = {
    "html": '//*[contains(@class, "web-result")]//a[@class="result__a"]',
    "lite": '//tr[not(@class)]//a[@class="result-link"]',
}
SNIPPETS = {
    "html": '//*[contains(@class, "web-result")]//a[@class="result__snippet"]',
    "lite": '//tr[not(@class)]//td[@class="result-snippet"]',
}


@pytest.fixture
async def ddg() -> AsyncIterator[Loopback]:
    app = Ddg()
    async with (
        LoopbackServer(app) as server,
        plain_client(server.origin) as client,
    ):
        with anyio.fail_after(10):
            yield app, server, client


def read_hits(page: str, kind: str) -> list[tuple[str, str, str]]:
    tree = lxml.html.fromstring(page)
    found = []
    for link, text in zip(tree.xpath(LINKS[kind]), tree.xpath(SNIPPETS[kind]), strict=True):
        href = link.get("href")
        real = parse_qs(urlsplit(href).query).get("uddg", [href])[0]
        found.append((link.text_content(), real, text.text_content()))
    return found


def next_form(page: str) -> dict[str, str]:
    forms = lxml.html.fromstring(page).xpath('//form[.//input[@name="vqd"]]')
    return dict(forms[0].form_values()) if forms else {}


@pytest.mark.parametrize("kind", ["html", "lite"])
@pytest.mark.parametrize("links", ["wrapped", "direct"])
async def test_pages_follow_by_their_own_form(ddg: Loopback, kind: str, links: str) -> None:
    app, _, client = ddg
    query = f"links:{links} cats & <dogs>"
    form, sizes = {"q": query, "b": ""}, []
    for page in (1, 2, 3):
        answer = await client.post(f"/{kind}/", data=form)
        hits = [(hit.title, hit.url, shown_snippet(hit)) for hit in app.hits(query, page)]
        assert read_hits(answer.text, kind) == hits
        assert ("uddg=https" in answer.text) is (links == "wrapped")
        form = next_form(answer.text)
        sizes.append(len(hits))
    assert sizes == [10, 15, 15]
    assert form == {}


async def test_get_and_post_answer_the_same(ddg: Loopback) -> None:
    _, _, client = ddg
    got = await client.get("/html/", params={"q": "cats"})
    assert got.text == (await client.post("/html/", data={"q": "cats"})).text


async def test_half_of_the_hits_are_googles_too() -> None:
    shared = {hit.url for hit in Ddg().hits("cats")} & {hit.url for hit in Google().hits("cats")}
    assert len(shared) == 5


@pytest.mark.parametrize("kind", ["html", "lite"])
async def test_a_further_page_without_its_token_blocks_the_client(ddg: Loopback, kind: str) -> None:
    app, _, client = ddg
    form = next_form((await client.get(f"/{kind}/", params={"q": "cats"})).text)
    answer = await client.post(f"/{kind}/", data=form | {"vqd": "4-1"})
    assert answer.status_code == 202
    assert "challenge-form" in answer.text
    assert (await client.get(f"/{kind}/", params={"q": "dogs"})).status_code == 202
    app.reset()
    assert (await client.get(f"/{kind}/", params={"q": "dogs"})).status_code == 200


async def test_the_token_is_bound_to_the_user_agent(ddg: Loopback) -> None:
    _, _, client = ddg
    form = next_form((await client.get("/html/", params={"q": "cats"})).text)
    answer = await client.post("/html/", data=form, headers={"User-Agent": "another"})
    assert answer.status_code == 202


@pytest.mark.parametrize(
    ("mode", "status"), [("challenge", 202), ("challenge200", 200), ("challenge403", 403)]
)
async def test_challenges_come_in_three_statuses(ddg: Loopback, mode: str, status: int) -> None:
    _, _, client = ddg
    answer = await client.get("/html/", params={"q": f"mode:{mode} cats"})
    assert answer.status_code == status
    assert 'data-testid="anomaly-modal"' in answer.text
    assert read_hits(answer.text, "html") == []


async def test_a_query_that_names_the_challenge_is_a_query(ddg: Loopback) -> None:
    _, _, client = ddg
    answer = await client.get("/html/", params={"q": "anomaly.js challenge"})
    assert "anomaly.js" in answer.text
    assert len(read_hits(answer.text, "html")) == 10


async def test_nothing_found_is_a_row_without_a_link(ddg: Loopback) -> None:
    _, _, client = ddg
    answer = await client.get("/html/", params={"q": "mode:noresults cats"})
    assert answer.status_code == 200
    assert "result--no-result" in answer.text
    assert read_hits(answer.text, "html") == []
    assert next_form(answer.text) == {}


async def test_a_burst_is_challenged_when_a_limit_is_set(ddg: Loopback) -> None:
    app, server, client = ddg
    app.configure({"burst": 3, "window_s": 60})
    statuses = [
        (await client.get("/html/", params={"q": f"cats {n}"})).status_code for n in range(4)
    ]
    assert statuses == [200, 200, 202, 202]
    assert server.log.count("/html/") == 4
    assert server.log.min_gap_s("/html/") is not None


async def test_ads_come_first_unless_unwanted(ddg: Loopback) -> None:
    _, _, client = ddg
    for kind, mark in (("html", "result--ad"), ("lite", "result-sponsored")):
        assert mark in (await client.get(f"/{kind}/", params={"q": "cats"})).text
        bare = (await client.get(f"/{kind}/", params={"q": "blocks:none cats"})).text
        assert mark not in bare
