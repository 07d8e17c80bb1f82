"""Exa's REST search: its filters, and every state of the service."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from broker.errors import LaneFailed
from broker.models import Recency
from broker.providers.exa import converse
from tests.broker.providers.talking import KEYS, answered, at, call, talk, talk_over_http
from tests.emulators.exa import SEARCH, Exa
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from broker.errors import BrokerError
    from broker.fetch.http import HttpClient

NOTHING = answered({"results": []})


def test_a_request_is_what_the_service_documents() -> None:
    said = talk(converse(call("cats", max_hits=5)), NOTHING)
    (request,) = said.requests
    assert (request.method, request.url) == ("POST", "https://api.exa.ai/search")
    assert ("x-api-key", KEYS["exa_api_key"]) in request.headers
    assert said.body() == {
        "query": "cats",
        "type": "auto",
        "numResults": 5,
        "contents": {"highlights": {"maxCharacters": 800}},
    }
    assert said.asked == []


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ({"sites": ("a.example/x", "b.example")}, {"includeDomains": ["a.example", "b.example"]}),
        ({"not_sites": ("a.example/x", "b.example")}, {"excludeDomains": ["b.example"]}),
        ({"since": Recency.WEEK}, {"startPublishedDate": "2026-11-23T00:00:00.000Z"}),
        ({"since": date(2024, 2, 29)}, {"startPublishedDate": "2024-02-29T00:00:00.000Z"}),
        ({"until": date(2026, 6, 30)}, {"endPublishedDate": "2026-06-30T23:59:59.999Z"}),
        ({"region": "DE"}, {"userLocation": "DE"}),
        ({"not_sites": ("a.example/x",), "lang": "de"}, {}),
    ],
)
def test_filters_have_fields_of_their_own(fields: dict[str, Any], body: dict[str, object]) -> None:
    plain = talk(converse(call()), NOTHING).body()
    said = talk(converse(call(**fields)), NOTHING)
    assert said.body() == plain | body
    assert said.found[0].remark == ("not filtered by language" if "lang" in fields else None)


@pytest.mark.parametrize(
    ("max_hits", "count"),
    [(3, 3), pytest.param(12, 10, id="two-spare-are-not-paid-for"), (13, 13), (102, 100)],
)
def test_results_are_asked_for_as_they_are_priced(max_hits: int, count: int) -> None:
    assert talk(converse(call(max_hits=max_hits)), NOTHING).body()["numResults"] == count


def test_a_spent_key_is_told_by_its_tag_too() -> None:
    spent = answered({"error": "out of credits", "tag": "API_KEY_BUDGET_EXCEEDED"}, 403)
    assert talk(converse(call()), spent).outcome == "quota"


STATES = [
    ("ok", "ok", None),
    ("sparse", "ok", None),
    ("empty", "empty", None),
    ("http400", "bad_request", None),
    ("nested", "bad_request", None),
    ("http401", "auth", None),
    ("http402", "quota", None),
    ("budget402", "quota", None),
    ("http403", "auth", None),
    ("http429", "rate_limited", None),
    ("http429=3", "rate_limited", 3.0),
    ("http500", "upstream", None),
    ("http502", "upstream", None),
    ("http503", "upstream", None),
    ("http504", "upstream", None),
    ("notjson", "unparseable", None),
    ("changed", "unparseable", None),
    ("slow=0.01", "ok", None),
    ("reset", "unreachable", None),
    ("truncate", "unreachable", None),
]


@pytest.mark.parametrize(("mode", "outcome", "wait_s"), STATES, ids=[mode for mode, *_ in STATES])
async def test_every_state_has_its_class(
    client: HttpClient, mode: str, outcome: str, wait_s: float | None
) -> None:
    app = Exa()
    query = f"mode:{mode} cats"
    async with LoopbackServer(app) as server:
        said = await talk_over_http(converse(call(query, settings=at(server.origin))), client)
        assert server.log.count(SEARCH) == 1
    assert said.outcome == outcome
    assert "geheim" not in said.said
    assert waits(said.error) == wait_s
    if mode == "ok":
        assert [hit.url for hit in said.hits] == [hit.url for hit in app.hits(query)]
        assert all(hit.snippet.endswith(" … A second passage.") for hit in said.hits)


def waits(error: BrokerError | None) -> float | None:
    return error.retry_after_s if isinstance(error, LaneFailed) else None


async def test_the_query_is_taken_whole_and_its_content_when_it_is_asked_for(
    client: HttpClient,
) -> None:
    text = "how " * 100 + "many"
    async with LoopbackServer(Exa()) as server:
        said = await talk_over_http(
            converse(call(text, settings=at(server.origin), content=True)), client
        )
    assert said.body()["query"] == text
    assert all(len(hit.content or "") > 1000 for hit in said.hits)
    assert said.hits[1].authors == ("Writer 1",)


async def test_what_leaks_through_the_filters_is_left_out(client: HttpClient) -> None:
    async with LoopbackServer(Exa()) as server:
        asking = call(
            "mode:leak cats",
            settings=at(server.origin),
            sites=("a.example",),
            since=date(2026, 1, 1),
            until=date(2026, 6, 30),
        )
        said = await talk_over_http(converse(asking), client)
    assert {hit.url.split("/")[2] for hit in said.hits} == {"a.example"}
    assert said.found[0].remark == "left out 3 on other sites"


@pytest.mark.parametrize(("total", "exhausted"), [(3, True), (40, False)])
async def test_fewer_than_asked_for_are_all_there_are(
    client: HttpClient, total: int, exhausted: bool
) -> None:
    async with LoopbackServer(Exa()) as server:
        said = await talk_over_http(
            converse(call(f"total:{total} x", settings=at(server.origin))), client
        )
    assert said.found[0].exhausted is exhausted
