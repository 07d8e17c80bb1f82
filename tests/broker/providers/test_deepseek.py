"""DeepSeek's Search API: the query within 128 characters, and every state of the service."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from broker.errors import LaneFailed
from broker.models import Recency, SearchQuery
from broker.providers.deepseek import MAX_QUERY_CHARS, compile_query, converse
from tests.broker.providers.talking import KEYS, NOW, answered, at, call, talk, talk_over_http
from tests.emulators.deepseek import SEARCH, DeepSeek
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from broker.errors import BrokerError
    from broker.fetch.http import HttpClient

TODAY = NOW.date()
LONG = (
    "how do I stop an anyio task group from swallowing the cancellation of a child task when the "
    "outer deadline of the whole search request expires in a shielded close?"
)


def compiled(text: str, **fields: Any) -> str:  # noqa: ANN401
    return compile_query(SearchQuery(text=text, **fields), TODAY)[0]


@pytest.mark.parametrize(
    ("fields", "operators"),
    [
        ({}, ""),
        ({"sites": ("a.example",)}, " site:a.example"),
        ({"sites": ("a.example", "b.example/x")}, " site:a.example OR site:b.example"),
        ({"not_sites": ("a.example", "b.example")}, " -site:a.example -site:b.example"),
        pytest.param({"not_sites": ("a.example/x",)}, "", id="a-path-cannot-be-left-out"),
        ({"lang": "de"}, " lang:de"),
        ({"since": Recency.DAY}, " after:2026-11-29"),
        ({"since": Recency.WEEK}, " after:2026-11-23"),
        ({"since": Recency.MONTH}, " after:2026-10-31"),
        ({"since": Recency.YEAR}, " after:2025-11-30"),
        ({"since": date(2024, 2, 29)}, " after:2024-02-29"),
        pytest.param({"until": date(2026, 6, 30)}, " before:2026-07-01", id="until-inclusive"),
    ],
)
def test_filters_become_operators(fields: dict[str, Any], operators: str) -> None:
    assert compiled("cats", **fields) == f"cats{operators}"


def test_a_long_query_is_cut_behind_whole_words_and_says_so() -> None:
    asking = call(
        LONG, sites=("docs.python.org", "stackoverflow.com"), since=date(2026, 1, 1), max_hits=12
    )
    said = talk(converse(asking), answered({"results": []}))
    assert len(LONG) == 163
    (asked,) = said.asked
    assert asked.compiled == (
        "how do I stop an anyio task group from swallowing the"
        " site:docs.python.org OR site:stackoverflow.com after:2026-01-01"
    )
    assert asked.cut is not None
    assert asked.cut.startswith('left out to fit 128 characters: "cancellation of a child task')
    assert said.body()["query"] == asked.compiled


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"sites": tuple(f"host{n}.example" for n in range(9))}, id="many-sites"),
        pytest.param({"sites": ("a" * 60 + ".example", "b" * 40)}, id="little-left"),
        pytest.param({"text": "x" * 129}, id="one-long-word"),
        pytest.param({"text": '"' + "long phrase " * 20 + '"'}, id="one-long-phrase"),
        pytest.param({"text": "site:a.example " * 20}, id="operators-of-the-query-itself"),
    ],
)
def test_the_lane_steps_aside_when_nothing_sensible_is_left(fields: dict[str, Any]) -> None:
    said = talk(converse(call(**{"text": LONG} | fields)))
    assert said.outcome == "query_too_long"
    assert said.requests == []
    assert "128 characters" in str(said.error)


def test_a_query_without_words_is_not_asked() -> None:
    assert talk(converse(call('"', lang="de"))).outcome == "bad_request"


def test_a_short_query_may_share_its_room_with_many_filters() -> None:
    sites = tuple(f"host{n}.example" for n in range(5))
    assert compiled("cats", sites=sites).startswith("cats site:host0.example OR ")


SITES = st.lists(st.sampled_from(["a.example", "docs.python.org", "b.example/x"]), max_size=3)
WORDS = st.sampled_from(
    ("OR", "cats", '"', '"a phrase"', "-dogs", "site:c.example", "after:2020", "東京都の", "x" * 70)
)
TEXTS = st.lists(
    st.one_of(WORDS, st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)), min_size=1
).map(" ".join)


@given(
    TEXTS, SITES, SITES, st.none() | st.sampled_from(Recency), st.none() | st.dates(), st.booleans()
)
def test_a_compiled_query_fits_and_holds_every_filter(
    text: str,
    sites: list[str],
    not_sites: list[str],
    since: Recency | None,
    until: date | None,
    german: bool,
) -> None:
    query = SearchQuery(
        text=text,
        sites=tuple(sites),
        not_sites=tuple(not_sites),
        since=since,
        until=until,
        lang="de" if german else None,
    )
    try:
        whole, _ = compile_query(query, TODAY)
    except LaneFailed:
        reject()
    assert 0 < len(whole) <= MAX_QUERY_CHARS
    assert whole.count('"') % 2 == 0
    wanted = [f"site:{site.partition('/')[0]}" for site in sites]
    wanted += [f"-site:{site}" for site in not_sites if "/" not in site]
    wanted += ["lang:de"] * german + ["after:"] * bool(since) + ["before:"] * bool(until)
    assert all(operator in whole for operator in wanted)
    kept = re.findall(r'"[^"]*"', whole)
    assert all(phrase in text for phrase in kept)


def test_a_request_is_what_the_service_documents() -> None:
    said = talk(converse(call("cats", max_hits=12, content=True)), answered({"results": []}))
    (request,) = said.requests
    assert (request.method, request.url) == ("POST", "https://api.deepseek.com/v1/tools/search")
    assert ("Authorization", f"Bearer {KEYS['deepseek_api_key']}") in request.headers
    assert said.body() == {
        "query": "cats",
        "count": 12,
        "need_content": True,
        "ori_question": "cats",
    }
    assert said.asked == []


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/", "/beta"])
def test_the_base_for_chat_will_do(base: str) -> None:
    asking = call(settings={"deepseek_url": f"http://127.0.0.1:8{base}"})
    said = talk(converse(asking), answered({"results": []}))
    assert said.requests[0].url == "http://127.0.0.1:8/v1/tools/search"


@pytest.mark.parametrize(("max_hits", "count"), [(1, 1), (50, 50), (102, 50)])
def test_no_more_is_asked_for_than_may_be(max_hits: int, count: int) -> None:
    said = talk(converse(call(max_hits=max_hits)), answered({"results": []}))
    assert said.body()["count"] == count


def test_a_question_that_is_too_long_is_not_sent_along() -> None:
    assert talk(converse(call(LONG)), answered({"results": []})).body()["ori_question"] is None


STATES = [
    ("ok", "ok", None),
    ("sparse", "ok", None),
    ("empty", "empty", None),
    ("http400", "bad_request", None),
    ("http401", "auth", None),
    ("http402", "quota", None),
    ("http403", "auth", None),
    ("http408", "upstream", None),
    ("http422", "bad_request", None),
    ("http429", "rate_limited", None),
    ("http429=7", "rate_limited", 7.0),
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
    app = DeepSeek()
    query = f"mode:{mode} cats"
    async with LoopbackServer(app) as server:
        said = await talk_over_http(converse(call(query, settings=at(server.origin))), client)
        assert server.log.count(SEARCH) == 1
    assert said.outcome == outcome
    assert "geheim" not in said.said
    assert waits(said.error) == wait_s
    if mode == "ok":
        assert [hit.url for hit in said.hits] == [hit.url for hit in app.hits(query)]


def waits(error: BrokerError | None) -> float | None:
    return error.retry_after_s if isinstance(error, LaneFailed) else None


async def test_content_comes_when_it_is_asked_for(client: HttpClient) -> None:
    async with LoopbackServer(DeepSeek()) as server:
        settings = at(server.origin)
        without = await talk_over_http(converse(call(settings=settings)), client)
        full = await talk_over_http(converse(call(settings=settings, content=True)), client)
    assert all(hit.content is None for hit in without.hits)
    assert all(len(hit.content or "") > 1000 for hit in full.hits)
    assert [hit.authority for hit in full.hits[:3]] == [None, 0, 1]
    assert full.hits[0].score == 3.0


async def test_what_leaks_through_the_filters_is_left_out(client: HttpClient) -> None:
    async with LoopbackServer(DeepSeek()) as server:
        asking = call(
            "mode:leak cats",
            settings=at(server.origin),
            sites=("a.example", "b.example"),
            since=Recency.YEAR,
            region="DE",
        )
        said = await talk_over_http(converse(asking), client)
    assert {hit.url.split("/")[2] for hit in said.hits} == {"a.example", "b.example"}
    assert said.found[0].remark == "left out 3 on other sites; not filtered by region"
    assert len(said.hits) == 7


@pytest.mark.parametrize(("total", "exhausted"), [(3, True), (40, False)])
async def test_fewer_than_asked_for_are_all_there_are(
    client: HttpClient, total: int, exhausted: bool
) -> None:
    async with LoopbackServer(DeepSeek()) as server:
        said = await talk_over_http(
            converse(call(f"total:{total} x", settings=at(server.origin))), client
        )
    assert said.found[0].exhausted is exhausted
