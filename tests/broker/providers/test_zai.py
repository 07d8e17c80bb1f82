"""z.ai over MCP: the session, the tool's two names, and every state of the service."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from broker.errors import LaneFailed
from broker.models import Recency
from broker.providers.base import HttpResponse
from broker.providers.zai import converse
from tests.broker.providers.talking import KEYS, answered, at, call, talk, talk_over_http
from tests.emulators.server import LoopbackServer
from tests.emulators.words import Rule
from tests.emulators.zai import OLD_TOOL, PATH, Zai, ZaiMode

if TYPE_CHECKING:
    from broker.errors import BrokerError
    from broker.fetch.http import HttpClient

OPENED = answered({"jsonrpc": "2.0", "id": 1, "result": {}}, mcp_session_id="s1")
NOTED = HttpResponse(status=200, url="")
GONE = answered({"jsonrpc": "2.0", "id": None, "error": {"code": -32001}}, 404)
RESET_S = 4 * 3600 + 35 * 60 + 41.0
"""From noon in UTC to 00:35:41 on the next day in China."""


def listed(items: object, **result: object) -> HttpResponse:
    return said_by_tool(json.dumps(json.dumps(items)), **result)


def said_by_tool(text: str, **result: object) -> HttpResponse:
    content = [{"type": "text", "text": text}]
    return answered({"jsonrpc": "2.0", "id": 2, "result": {"content": content, **result}})


def refused(number: str, message: str, **headers: str) -> HttpResponse:
    return answered({"error": {"code": number, "message": message}}, 429, **headers)


def no_such_tool(name: str) -> HttpResponse:
    error = {"code": -32602, "message": f"Unknown tool: {name}"}
    return answered({"jsonrpc": "2.0", "id": 2, "error": error})


def methods(bodies: list[dict[str, Any]]) -> list[str]:
    return [
        body["params"]["name"] if body["method"] == "tools/call" else body["method"]
        for body in bodies
    ]


def test_a_session_is_opened_once_and_kept() -> None:
    memory: dict[str, str] = {}
    first = talk(converse(call(memory=memory)), OPENED, NOTED, listed([]))
    assert methods([first.body(n) for n in range(3)]) == [
        "initialize",
        "notifications/initialized",
        "web_search_prime",
    ]
    assert first.requests[0].url == "https://api.z.ai/api/mcp/web_search_prime/mcp"
    assert first.body(2)["params"]["arguments"] == {"search_query": "cats"}
    second = talk(converse(call(memory=memory)), listed([]))
    for request in (*first.requests, *second.requests):
        assert ("Authorization", f"Bearer {KEYS['zai_api_key']}") in request.headers
    sessions = [dict(request.headers).get("Mcp-Session-Id") for request in first.requests]
    assert sessions == [None, "s1", "s1"]
    assert dict(second.requests[0].headers)["Mcp-Session-Id"] == "s1"


def test_a_server_without_sessions_is_not_asked_for_one_again() -> None:
    memory: dict[str, str] = {}
    opened = answered({"jsonrpc": "2.0", "id": 1, "result": {}})
    talk(converse(call(memory=memory)), opened, NOTED, listed([]))
    said = talk(converse(call(memory=memory)), listed([]))
    assert "Mcp-Session-Id" not in dict(said.requests[0].headers)


def test_a_session_that_is_gone_is_opened_anew_once() -> None:
    memory = {"session": "old"}
    reopened = answered({"jsonrpc": "2.0", "id": 1, "result": {}}, mcp_session_id="new")
    said = talk(converse(call(memory=memory)), GONE, reopened, NOTED, listed([]))
    assert said.outcome == "empty"
    assert memory["session"] == "new"
    failed = talk(converse(call(memory=memory)), GONE, reopened, NOTED, GONE)
    assert failed.outcome == "bad_request"
    assert "session" not in memory


def test_the_next_session_of_another_search_is_left_alone() -> None:
    memory = {"session": "old"}
    conversation = converse(call(memory=memory))
    next(conversation)
    memory["session"] = "opened by the other search"
    conversation.send(GONE)
    assert memory["session"] == "opened by the other search"


def test_the_tools_other_name_is_tried_and_remembered() -> None:
    memory = {"session": "s"}
    said = talk(converse(call(memory=memory)), no_such_tool("web_search_prime"), listed([]))
    assert methods([said.body(n) for n in range(2)]) == ["web_search_prime", "webSearchPrime"]
    said = talk(converse(call(memory=memory)), listed([]))
    assert said.body()["params"]["name"] == "webSearchPrime"
    unknown = [no_such_tool(name) for name in ("webSearchPrime", "web_search_prime")]
    assert talk(converse(call(memory=memory)), *unknown).outcome == "bad_request"


@pytest.mark.parametrize(
    ("fields", "arguments"),
    [
        ({"sites": ("a.example/x",)}, {"search_domain_filter": "a.example"}),
        ({"sites": ("a.example", "b.example")}, {}),
        ({"not_sites": ("a.example",)}, {}),
        ({"since": Recency.DAY}, {"search_recency_filter": "oneDay"}),
        ({"since": Recency.WEEK}, {"search_recency_filter": "oneWeek"}),
        ({"since": Recency.MONTH}, {"search_recency_filter": "oneMonth"}),
        ({"since": Recency.YEAR}, {"search_recency_filter": "oneYear"}),
        ({"since": date(2026, 11, 20)}, {"search_recency_filter": "oneMonth"}),
        ({"since": date(2020, 1, 1)}, {"search_recency_filter": "noLimit"}),
        ({"until": date(2020, 1, 1)}, {}),
        ({"region": "CN"}, {"location": "cn"}),
        ({"region": "DE"}, {"location": "us"}),
        ({"content": True}, {"content_size": "high"}),
    ],
)
def test_filters_are_arguments_as_far_as_there_are_some(
    fields: dict[str, Any], arguments: dict[str, str]
) -> None:
    said = talk(converse(call(memory={"session": "s"}, **fields)), listed([]))
    assert said.body()["params"]["arguments"] == {"search_query": "cats"} | arguments


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("x" * 35 + " " + "y" * 34, None),
        ("word " * 13 + "longer", "word " * 12 + "word"),
        ("x" * 71, None),
    ],
    ids=["fits", "cut", "one-long-word"],
)
def test_a_query_is_cut_to_what_is_recommended(text: str, sent: str | None) -> None:
    said = talk(converse(call(text, memory={"session": "s"})), listed([]))
    assert said.body()["params"]["arguments"]["search_query"] == (sent or text)
    cuts = [(asked.compiled, asked.cut) for asked in said.asked]
    assert cuts == ([(sent, 'left out to fit 70 characters: "longer"')] if sent else [])


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        pytest.param("[]", "empty", id="once"),
        pytest.param('"[]"', "empty", id="twice"),
        pytest.param(json.dumps('"[]"'), "empty", id="three-times"),
        pytest.param(json.dumps(json.dumps('"[]"')), "unparseable", id="four-times"),
        pytest.param("", "unparseable", id="nothing"),
        pytest.param("{}", "unparseable", id="no-list"),
        pytest.param("[3]", "unparseable", id="no-items"),
        pytest.param("MCP error -429: slow down", "rate_limited", id="an-error-that-is-none"),
    ],
)
def test_the_list_is_decoded_as_often_as_it_takes(text: str, outcome: str) -> None:
    assert talk(converse(call(memory={"session": "s"})), said_by_tool(text)).outcome == outcome


@pytest.mark.parametrize(
    ("answer", "outcome", "wait_s"),
    [
        (answered({"code": 1113, "msg": "no balance", "success": False}), "quota", None),
        (answered({"code": 9, "msg": "?", "success": False}), "upstream", None),
        (refused("1302", "您的账户已达到速率限制"), "rate_limited", None),
        (refused("1302", "", retry_after="9"), "rate_limited", 9.0),
        (refused("1310", "将在 2026-12-01 00:00:00 重置"), "quota", 4 * 3600.0),
        pytest.param(refused("1316", "at 2026-11-30T13:00:00Z"), "quota", 3600.0, id="new-number"),
        pytest.param(refused("1308", "at 2026-11-30 08:00:00"), "quota", None, id="reset-is-past"),
        pytest.param(refused("1308", "at 2026-13-30 08:00:00"), "quota", None, id="no-such-month"),
        (said_by_tool("MCP error -401: token expired", isError=True), "auth", None),
        (said_by_tool("MCP error -32602: Invalid params", isError=True), "bad_request", None),
        (answered({"id": 2, "error": {"code": -32602, "message": "bad"}}), "bad_request", None),
        (answered({"id": 2, "error": {"code": -32603, "message": "bad"}}), "upstream", None),
        (answered("<html>", 403), "blocked", None),
        (answered("<html>", 502), "upstream", None),
    ],
)
def test_a_refusal_is_known_by_its_number(
    answer: HttpResponse, outcome: str, wait_s: float | None
) -> None:
    said = talk(converse(call(memory={"session": "s"})), answer)
    assert (said.outcome, waits(said.error)) == (outcome, wait_s)


STATES = [
    ("ok", "ok", None),
    ("single", "ok", None),
    ("nolinks", "ok", None),
    ("empty", "empty", None),
    ("empty_single", "empty", None),
    ("nobalance", "empty", None),
    ("onlynolinks", "unparseable", None),
    ("expired#1", "ok", None),
    ("expired", "bad_request", None),
    ("badkey", "auth", None),
    ("http403", "auth", None),
    ("nopermission", "auth", None),
    ("http429", "rate_limited", None),
    ("quota1308", "quota", RESET_S),
    ("quota1310", "quota", RESET_S),
    ("toolerror", "upstream", None),
    ("http500", "upstream", None),
    ("changed", "unparseable", None),
    ("notjson", "unparseable", None),
    ("slow=0.01", "ok", None),
    ("reset", "unreachable", None),
    ("truncate", "unreachable", None),
]


@pytest.mark.parametrize(("mode", "outcome", "wait_s"), STATES, ids=[mode for mode, *_ in STATES])
async def test_every_state_has_its_class(
    client: HttpClient, mode: str, outcome: str, wait_s: float | None
) -> None:
    app = Zai()
    query = f"mode:{mode} cats"
    async with LoopbackServer(app) as server:
        said = await talk_over_http(converse(call(query, settings=at(server.origin))), client)
        assert server.log.count(PATH) == (6 if mode.startswith("expired") else 3)
    assert said.outcome == outcome
    assert waits(said.error) == wait_s
    assert "geheim" not in said.said
    if mode in {"ok", "single"}:
        assert [hit.url for hit in said.hits] == [hit.url for hit in app.hits(query)]


def waits(error: BrokerError | None) -> float | None:
    return error.retry_after_s if isinstance(error, LaneFailed) else None


@pytest.mark.parametrize(
    ("mode", "outcome"),
    [
        (ZaiMode.BAD_KEY, "auth"),
        (ZaiMode.TOO_MANY, "rate_limited"),
        (ZaiMode.BROKEN, "upstream"),
        (ZaiMode.NOT_JSON, "unparseable"),
    ],
)
async def test_a_session_that_is_refused_ends_it(
    client: HttpClient, mode: ZaiMode, outcome: str
) -> None:
    app = Zai()
    app.rules = (Rule(mode=mode),)
    async with LoopbackServer(app) as server:
        said = await talk_over_http(converse(call(settings=at(server.origin))), client)
        assert server.log.count(PATH) == 1
    assert said.outcome == outcome


async def test_the_old_tool_still_serves(client: HttpClient) -> None:
    app = Zai()
    app.tool = OLD_TOOL
    async with LoopbackServer(app) as server:
        said = await talk_over_http(converse(call(settings=at(server.origin))), client)
    assert said.outcome == "ok"


async def test_content_comes_when_it_is_asked_for(client: HttpClient) -> None:
    async with LoopbackServer(Zai()) as server:
        settings = at(server.origin)
        without = await talk_over_http(converse(call(settings=settings)), client)
        full = await talk_over_http(converse(call(settings=settings, content=True)), client)
    assert all(hit.content is None and hit.snippet for hit in without.hits)
    assert all(len(hit.content or "") > 5000 for hit in full.hits)


async def test_what_leaks_through_the_filters_is_left_out(client: HttpClient) -> None:
    async with LoopbackServer(Zai()) as server:
        asking = call("mode:leak x", settings=at(server.origin), sites=("a.example",), lang="de")
        said = await talk_over_http(converse(asking), client)
    assert {hit.url.split("/")[2] for hit in said.hits} == {"a.example"}
    assert said.found[0].remark == "left out 3 on other sites; not filtered by language"
    assert said.found[0].exhausted


def test_an_empty_answer_says_what_else_it_may_mean() -> None:
    said = talk(converse(call(memory={"session": "s"})), listed([]))
    assert said.found[0].remark == "z.ai also answers so when a plan has no balance"
