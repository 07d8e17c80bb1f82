"""Exa's keyless MCP server: the grammar of its text, and every state of the service."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.errors import LaneFailed
from broker.providers.exa_free import converse, read_hits
from tests.broker.providers.talking import answered, at, call, talk, talk_over_http
from tests.emulators.exa_mcp import LOOKALIKE, PATH, SEPARATOR, ExaMcp
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from broker.errors import BrokerError
    from broker.fetch.http import HttpClient
    from broker.providers.base import HttpResponse


def reply(text: str, **result: object) -> HttpResponse:
    content = [{"type": "text", "text": text}]
    return answered({"jsonrpc": "2.0", "id": 1, "result": {"content": content, **result}})


NOTHING = reply("No search results found. Please try a different query.")


def test_the_tool_is_called_directly_and_by_name() -> None:
    said = talk(converse(call("cats", max_hits=12)), NOTHING)
    (request,) = said.requests
    assert request.url == "https://mcp.exa.ai/mcp?tools=web_search_exa"
    assert said.body() == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "web_search_exa", "arguments": {"query": "cats", "numResults": 12}},
    }
    assert not {name for name, _ in request.headers} & {"Authorization", "x-api-key"}
    assert said.outcome == "empty"
    assert said.asked == []


@pytest.mark.parametrize(
    ("fields", "query", "count"),
    [
        ({"sites": ("a.example/x", "b.example")}, "cats a.example b.example", 30),
        ({"not_sites": ("a.example",)}, "cats", 30),
        ({"since": date(2026, 1, 1)}, "cats", 30),
        ({"until": date(2026, 1, 1), "max_hits": 40}, "cats", 50),
    ],
)
def test_for_filters_it_has_not_more_is_asked_for(
    fields: dict[str, Any], query: str, count: int
) -> None:
    said = talk(converse(call(**fields)), NOTHING)
    arguments = said.body()["params"]["arguments"]
    assert arguments == {"query": query, "numResults": count}
    assert [asked.compiled for asked in said.asked] == ([query] if query != "cats" else [])


def test_what_the_filters_would_have_left_out_is_left_out_here() -> None:
    text = SEPARATOR.join(
        f"Title: {place}\nURL: https://{host}/\nPublished: {published}\nAuthor: N/A"
        for place, (host, published) in enumerate(
            [
                ("a.example", "2026-05-04T00:00:00.000Z"),
                ("b.example", "2026-05-04T00:00:00.000Z"),
                ("docs.a.example", "N/A"),
                ("a.example", "2020-05-04T00:00:00.000Z"),
            ]
        )
    )
    asking = call(sites=("a.example",), since=date(2026, 1, 1), lang="de", region="DE")
    said = talk(converse(asking), reply(text))
    assert [hit.title for hit in said.hits] == ["0", "2"]
    assert said.found[0].remark == (
        "left out 1 on other sites and 1 of other dates; 1 without a date; "
        "not filtered by language and region"
    )


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (reply("web_search_exa error (400): bad query\nTimestamp: x", isError=True), "bad_request"),
        (reply("web_search_exa error (401): x", isError=True), "auth"),
        (reply("web_search_exa error (402): x", isError=True), "quota"),
        (reply("web_search_exa error (429): x", isError=True), "rate_limited"),
        (reply("You've hit Exa's free MCP rate limit."), "rate_limited"),
        (reply(""), "unparseable"),
        (reply("Title: A\nURL: N/A\nPublished: N/A\nAuthor: N/A"), "unparseable"),
        (answered({"jsonrpc": "2.0", "id": 9, "result": {}}), "unparseable"),
        (answered("<html>", 403), "blocked"),
        (answered({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601}}), "bad_request"),
        (answered({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603}}), "upstream"),
    ],
)
def test_a_failure_has_its_class(answer: HttpResponse, outcome: str) -> None:
    assert talk(converse(call()), answer).outcome == outcome


STATES = [
    ("ok", "ok", None),
    ("json", "ok", None),
    ("several", "ok", None),
    ("crlf", "ok", None),
    ("nospace", "ok", None),
    ("stringid", "ok", None),
    ("rule", "ok", None),
    ("text", "ok", None),
    ("bare", "ok", None),
    ("empty", "empty", None),
    ("http400", "bad_request", None),
    ("http401", "auth", None),
    ("http429=86400", "rate_limited", 86_400.0),
    ("upstream429", "rate_limited", None),
    ("toolerror", "upstream", None),
    ("tooltimeout", "upstream", None),
    ("badargs", "bad_request", None),
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
    app = ExaMcp()
    query = f"mode:{mode} cats"
    async with LoopbackServer(app) as server:
        said = await talk_over_http(converse(call(query, settings=at(server.origin))), client)
        assert server.log.count(PATH) == 1
    assert said.outcome == outcome
    assert waits(said.error) == wait_s
    if outcome == "ok":
        truth = app.hits(query)
        assert [(hit.title, hit.url) for hit in said.hits] == [(t.title, t.url) for t in truth]
    if mode in {"rule", "text"}:
        assert all(" ".join(LOOKALIKE.split()) in hit.snippet for hit in said.hits)
        assert all((hit.content is not None) is (mode == "text") for hit in said.hits)


def waits(error: BrokerError | None) -> float | None:
    return error.retry_after_s if isinstance(error, LaneFailed) else None


async def test_the_servers_own_limits_are_recognised(client: HttpClient) -> None:
    async with LoopbackServer(ExaMcp()) as server:
        asking = call(settings=at(server.origin))
        outcomes = [(await talk_over_http(converse(asking), client)).outcome for _ in range(3)]
    assert outcomes == ["ok", "ok", "rate_limited"]


LINES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=9)
LOOKALIKES = st.sampled_from(("", "---", "Title: x", "Author: y", "Highlights:", "Text: z"))
PASSAGES = st.lists(st.one_of(LINES, LOOKALIKES), max_size=8).map(
    lambda lines: "\n".join(["A passage.", *lines, "Its end."])
)
NAMES = st.sampled_from(["Highlights:\n", "Text: "])
RESULTS = st.tuples(LINES, LINES, st.none() | LINES, NAMES, PASSAGES)
PIECES = st.sampled_from(["Title: ", "\nURL: ", "\n\n---\n\n", "https://["])


def folded(text: str) -> str:
    return " ".join(text.split())


@given(st.lists(RESULTS, min_size=1, max_size=4))
def test_results_are_read_back_from_their_text(
    results: list[tuple[str, str, str | None, str, str]],
) -> None:
    blocks = [
        f"Title: {title}\nURL: https://a.example/{place}\nPublished: {published}\n"
        f"Author: {author or 'N/A'}\n{name}{passage}"
        for place, (title, published, author, name, passage) in enumerate(results)
    ]
    hits = read_hits(SEPARATOR.join(blocks))
    assert [hit.url for hit in hits] == [f"https://a.example/{n}" for n in range(len(results))]
    for hit, (title, published, author, name, passage) in zip(hits, results, strict=True):
        assert hit.title == (title if title != "N/A" else hit.url)
        assert hit.published == (published if published != "N/A" else None)
        assert hit.authors == ((author,) if author not in {None, "N/A"} else ())
        assert hit.snippet == folded(passage)
        assert hit.content == (passage if name == "Text: " else None)


@given(
    st.lists(st.one_of(st.sampled_from(["Title: ", "\nURL: ", "\n\n---\n\n", "https://["]), LINES))
)
def test_reading_the_text_never_raises(pieces: list[str]) -> None:
    read_hits("".join(pieces))
