"""The loopback DeepSeek, Exa and z.ai refuse what the real ones refuse."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest

from tests.emulators.client import plain_client
from tests.emulators.deepseek import FETCH, SEARCH, DeepSeek
from tests.emulators.server import LoopbackServer
from tests.emulators.sites import APPS, Web, make

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Loopback = tuple[Web, httpx.AsyncClient]
BEARER = {"Authorization": "Bearer sk-abc"}
BOTH = {"Accept": "application/json, text/event-stream"}
ZAI = "/api/mcp/web_search_prime/mcp"


@pytest.fixture
async def web() -> AsyncIterator[Loopback]:
    app = Web()
    async with LoopbackServer(app) as server, plain_client(server.origin) as client:
        with anyio.fail_after(10):
            yield app, client


def call_of(name: str, arguments: dict[str, object]) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}


def reply_in(answer: httpx.Response) -> dict[str, Any]:
    text = answer.text if answer.text.startswith("{") else answer.text.partition("data:")[2]
    return dict(json.loads(text))


def text_in(answer: httpx.Response) -> str:
    return str(reply_in(answer)["result"]["content"][0]["text"])


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"query": "x" * 128}, 200),
        ({"query": "x" * 129}, 400),
        ({"query": " "}, 400),
        ({}, 400),
        ({"query": "x", "count": 50}, 200),
        ({"query": "x", "count": 51}, 400),
        ({"query": "x", "count": 0}, 400),
        ({"query": "x", "count": True}, 400),
        ({"query": "x", "need_content": "yes"}, 400),
        ({"query": "x", "ori_question": None}, 200),
        ({"query": "x", "ori_question": ""}, 400),
        ({"query": "x", "localization": "::1"}, 200),
        ({"query": "x", "localization": "en-US"}, 400),
        ({"query": "x", "unknown": 1}, 200),
    ],
)
async def test_deepseek_checks_its_body(
    web: Loopback, body: dict[str, object], status: int
) -> None:
    _, client = web
    answer = await client.post(SEARCH, json=body, headers=BEARER)
    assert answer.status_code == status
    assert ("results" in answer.json()) is (status == 200)


@pytest.mark.parametrize("key", ["", "Bearer", "Bearer abc", "Basic sk-abc"])
async def test_deepseek_wants_a_key(web: Loopback, key: str) -> None:
    _, client = web
    answer = await client.post(SEARCH, json={"query": "x"}, headers={"Authorization": key})
    assert answer.status_code == 401


async def test_deepseek_obeys_the_operators(web: Loopback) -> None:
    app, client = web
    query = (
        "cats site:a.example OR site:b.example -site:b.example after:2026-01-01 before:2026-02-01"
    )
    answer = await client.post(SEARCH, json={"query": query}, headers=BEARER)
    results = answer.json()["results"]
    assert [result["url"] for result in results] == [hit.url for hit in app.deepseek.hits(query)]
    assert all(result["url"].startswith("https://a.example/") for result in results)
    assert all(result["date"].startswith("2026-01-") for result in results)


@pytest.mark.parametrize(
    ("url", "status"),
    [
        (None, 400),
        ("ftp://a.example", 400),
        ("https://a.example/missing", 404),
        ("https://a.example", 200),
    ],
)
async def test_deepseek_fetches(web: Loopback, url: str | None, status: int) -> None:
    _, client = web
    body = {} if url is None else {"url": url}
    assert (await client.post(FETCH, json=body, headers=BEARER)).status_code == status


@pytest.mark.parametrize(
    ("settings", "good"),
    [({"per_second": 5}, 5), ({"in_flight": 3, "latency_s": 0.4}, 3), ({}, 8)],
    ids=["rate", "in-flight", "no-limit"],
)
async def test_deepseek_refuses_what_exceeds_its_limits(
    settings: dict[str, object], good: int
) -> None:
    app, statuses = DeepSeek(), []
    app.configure(settings)

    async def ask(client: httpx.AsyncClient) -> None:
        statuses.append(
            (await client.post(SEARCH, json={"query": "x"}, headers=BEARER)).status_code
        )

    async with (
        LoopbackServer(app) as server,
        plain_client(server.origin) as client,
        anyio.create_task_group() as group,
    ):
        for _ in range(8):
            group.start_soon(ask, client)
    assert sorted(statuses) == [200] * good + [429] * (8 - good)
    assert app.too_many == 8 - good


@pytest.mark.parametrize(
    ("body", "tag"),
    [
        ({"query": ""}, "INVALID_REQUEST_BODY"),
        ({"query": "x", "numResults": 0}, "INVALID_NUM_RESULTS"),
        ({"query": "x", "numResults": 101}, "NUM_RESULTS_EXCEEDED"),
        ({"query": "x", "includeDomains": "a.example"}, "INVALID_REQUEST_BODY"),
        ({"query": "x", "startPublishedDate": "last week"}, "INVALID_REQUEST_BODY"),
        ({"query": "x", "userLocation": "Germany"}, "INVALID_REQUEST_BODY"),
    ],
)
async def test_exa_checks_its_body(web: Loopback, body: dict[str, object], tag: str) -> None:
    _, client = web
    answer = await client.post("/search", json=body, headers={"x-api-key": "k"})
    assert (answer.status_code, answer.json()["tag"]) == (400, tag)


async def test_exa_wants_a_key_and_takes_it_either_way(web: Loopback) -> None:
    _, client = web
    for headers, status in (({}, 401), ({"x-api-key": "k"}, 200), (BEARER, 200)):
        answer = await client.post("/search", json={"query": "x"}, headers=headers)
        assert answer.status_code == status


async def test_exa_gives_each_failed_page_its_status(web: Loopback) -> None:
    _, client = web
    urls = ["https://a.example/", "https://a.example/missing"]
    answer = await client.post("/contents", json={"urls": urls}, headers={"x-api-key": "k"})
    assert [status["status"] for status in answer.json()["statuses"]] == ["success", "error"]
    assert [result["url"] for result in answer.json()["results"]] == urls[:1]


async def test_exas_server_needs_no_session_but_both_types(web: Loopback) -> None:
    _, client = web
    call = call_of("web_search_exa", {"query": "x"})
    assert "Title: " in text_in(await client.post("/mcp", json=call, headers=BOTH))
    for accept in ("application/json", "text/event-stream"):
        answer = await client.post("/mcp", json=call, headers={"Accept": accept})
        assert answer.status_code == 406


async def test_exas_server_calls_only_tools_that_are_on(web: Loopback) -> None:
    _, client = web
    call = call_of("web_search_exa", {"query": "x"})
    for tools, known in (("", True), ("web_search_exa,other", True), ("other", False)):
        answer = await client.post("/mcp", params={"tools": tools}, json=call, headers=BOTH)
        assert ("result" in reply_in(answer)) is known
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    listed = reply_in(await client.post("/mcp?tools=a,b", json=listing, headers=BOTH))
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["a", "b"]


async def test_exas_server_counts_calls_without_a_key(web: Loopback) -> None:
    app, client = web
    app.configure({"exa_mcp": {"per_second": 9, "per_day": 1}})
    call = call_of("web_search_exa", {"query": "x"})
    statuses = [(await client.post("/mcp", json=call, headers=BOTH)) for _ in range(2)]
    assert [answer.status_code for answer in statuses] == [200, 429]
    assert reply_in(statuses[1])["id"] is None
    assert statuses[1].headers["retry-after"] == "1"
    keyed = await client.post("/mcp", json=call, headers=BOTH | {"x-api-key": "k"})
    assert keyed.status_code == 200


async def test_exas_server_hands_out_sessions_that_nobody_needs(web: Loopback) -> None:
    _, client = web
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    answer = await client.post("/mcp", json=opening, headers=BOTH)
    assert answer.headers["mcp-session-id"]
    assert reply_in(answer)["result"]["serverInfo"]["name"] == "exa-search-server"
    noted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await client.post("/mcp", json=noted, headers=BOTH)).status_code == 202


async def opened(client: httpx.AsyncClient) -> dict[str, str]:
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    answer = await client.post(ZAI, json=opening, headers=BOTH | BEARER)
    return BOTH | BEARER | {"Mcp-Session-Id": answer.headers["mcp-session-id"]}


async def test_zai_wants_a_key_a_session_and_events(web: Loopback) -> None:
    _, client = web
    call = call_of("web_search_prime", {"search_query": "x"})
    headers = await opened(client)
    assert (
        len(json.loads(json.loads(text_in(await client.post(ZAI, json=call, headers=headers)))))
        == 10
    )
    blind = await client.post(ZAI, json=call, headers=headers | {"Accept": "application/json"})
    assert text_in(blind) == '"[]"'
    unknown = await client.post(ZAI, json=call, headers=headers | {"Mcp-Session-Id": "x"})
    assert unknown.status_code == 404
    keyless = await client.post(ZAI, json=call, headers=headers | {"Authorization": ""})
    assert (keyless.status_code, keyless.json()["code"]) == (200, 1001)


@pytest.mark.parametrize(("tool", "known"), [("web_search_prime", True), ("webSearchPrime", False)])
async def test_zai_knows_one_name_of_its_tool(web: Loopback, tool: str, known: bool) -> None:
    _, client = web
    call = call_of(tool, {"search_query": "x"})
    answer = await client.post(ZAI, json=call, headers=await opened(client))
    assert ("result" in reply_in(answer)) is known


async def test_zai_finds_nothing_for_an_argument_it_does_not_know(web: Loopback) -> None:
    _, client = web
    call = call_of("web_search_prime", {"query": "x"})
    assert text_in(await client.post(ZAI, json=call, headers=await opened(client))) == '"[]"'


async def test_zai_says_nothing_to_a_notification(web: Loopback) -> None:
    _, client = web
    noted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answer = await client.post(ZAI, json=noted, headers=await opened(client))
    assert (answer.status_code, answer.content) == (200, b"")


async def test_a_rule_from_outside_decides_until_it_is_reset(web: Loopback) -> None:
    _, client = web
    rules = {"deepseek": {"rules": [{"mode": "http402", "query": "cats", "visit": 1}]}}
    assert (await client.post("/__control", json=rules)).status_code == 200
    statuses = [
        (await client.post(SEARCH, json={"query": query}, headers=BEARER)).status_code
        for query in ("dogs", "cats", "cats")
    ]
    assert statuses == [200, 402, 200]
    await client.post("/__control", json={"deepseek": {"rules": [{"mode": "http500"}]}})
    await client.post("/__reset")
    assert (await client.post(SEARCH, json={"query": "cats"}, headers=BEARER)).status_code == 200


@pytest.mark.parametrize("settings", [{"exa": {"rules": 3}}, {"exa": {"speed": 3}}, {"zai": 3}])
async def test_a_setting_that_is_not_understood_is_an_error(
    web: Loopback, settings: dict[str, object]
) -> None:
    _, client = web
    assert (await client.post("/__control", json=settings)).status_code == 400


async def test_a_word_that_names_no_mode_is_an_error(web: Loopback) -> None:
    _, client = web
    answer = await client.post(SEARCH, json={"query": "mode:http418"}, headers=BEARER)
    assert answer.status_code == 400
    assert "http418" in answer.text


@pytest.mark.parametrize("name", ["deepseek", "exa", "exa_mcp", "zai"])
def test_every_service_can_be_run_by_itself(name: str) -> None:
    assert name in APPS
    assert callable(make(name))
