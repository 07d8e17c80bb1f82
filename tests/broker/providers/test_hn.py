"""How Hacker News is asked, and what is made of its answers."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.errors import LaneFailed
from broker.models import Recency
from broker.providers import hn
from broker.providers.base import HttpRequest, HttpResponse
from broker.providers.hn import MAX_PAGES, MAX_QUERY_BYTES, MAX_SITES
from broker.version import __version__
from tests.broker.providers.talking import Talk, answered, call, talk, talk_over_http
from tests.emulators.client import plain_client
from tests.emulators.hn import BY_DATE, SEARCH, THREAD, Hn, HnMode, Item, Kind
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.emulators.log import Log

EMPTY = {"hits": [], "nbHits": 0, "nbPages": 0}


def story(number: int, **fields: object) -> dict[str, object]:
    url = f"https://example.com/{number}"
    return {"objectID": str(number), "title": f"Story {number}", "url": url} | fields


def found(*hits: object, pages: int = 1, total: int | None = None) -> dict[str, object]:
    return {"hits": list(hits), "nbHits": total or len(hits), "nbPages": pages}


def seconds(*day: int) -> int:
    return int(datetime(*day, tzinfo=UTC).timestamp())  # type: ignore[misc,arg-type]


# --- answers ---------------------------------------------------------------------------------


def test_the_comments_of_a_thread_are_one_hit_with_the_first_ones_text() -> None:
    comments = [
        {
            "objectID": str(n),
            "story_id": 7,
            "story_title": "T",
            "comment_text": f"<p>{n} " + "x" * 400,
        }
        for n in (1, 2)
    ]
    (hit,) = talk(hn.converse(call()), answered(found(*comments))).hits
    assert (hit.title, hit.url, hit.points) == ("T", f"{THREAD}7", None)
    assert hit.snippet == ("1 " + "x" * 400)[:300]


def test_a_title_is_text_and_no_markup() -> None:
    (hit,) = talk(hn.converse(call()), answered(found(story(1, title="Vec<T>  & co")))).hits
    assert hit.title == "Vec<T> & co"


@pytest.mark.parametrize(
    "url", [None, "", "javascript:alert(1)", "//example.com", "http://[", 7], ids=repr
)
def test_a_story_without_a_web_address_is_its_thread(url: object) -> None:
    (hit,) = talk(hn.converse(call()), answered(found(story(1, url=url)))).hits
    assert (hit.url, hit.snippet) == (f"{THREAD}1", "")


def test_a_refusal_is_told_in_the_services_own_words() -> None:
    heard = talk(hn.converse(call()), answered({"message": "invalid numericFilters"}, 400))
    assert heard.outcome == "bad_request"
    assert "invalid numericFilters" in str(heard.error)


def test_how_long_to_wait_is_passed_on() -> None:
    heard = talk(hn.converse(call()), answered({}, 429, retry_after="7"))
    assert isinstance(heard.error, LaneFailed)
    assert (heard.error.code, heard.error.retry_after_s) == ("rate_limited", 7)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner),
        st.dictionaries(st.sampled_from(["hits", "title", "url", "objectID"]), inner),
    ),
    max_leaves=20,
)


@given(st.one_of(st.binary(), st.text(), JSON.map(json.dumps)))
def test_parsing_never_raises(answer: str | bytes) -> None:
    hn.parse(answer, "")


def test_parsing_survives_what_nests_too_deep() -> None:
    assert hn.parse("[" * 100_000, "").state == "unparseable"


# --- paging ----------------------------------------------------------------------------------


def test_further_pages_are_asked_for_until_there_are_enough() -> None:
    pages = [found(*(story(10 * page + n) for n in range(5)), pages=9) for page in range(2)]
    heard = talk(hn.converse(call(max_hits=8)), *map(answered, pages))
    assert len(heard.hits) == 10
    assert [page.exhausted for page in heard.found] == [False, False]
    assert "page=1" in heard.requests[1].url


def test_paging_ends_where_the_pages_end() -> None:
    heard = talk(hn.converse(call(max_hits=8)), answered(found(story(1))))
    assert [page.exhausted for page in heard.found] == [True]


def test_paging_ends_after_a_few_pages_whatever_they_hold() -> None:
    same = answered(found(story(1), pages=50))
    heard = talk(hn.converse(call(max_hits=8)), *[same] * MAX_PAGES)
    assert len(heard.requests) == MAX_PAGES


def test_no_page_is_asked_for_beyond_the_hits_that_can_be_had() -> None:
    answer = found(*(story(n) for n in range(10)), pages=9)
    heard = talk(hn.converse(call(max_hits=400)), answered(answer))
    assert "hitsPerPage=800" in heard.requests[0].url
    assert len(heard.requests) == 1


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (EMPTY, "ok"),
        (EMPTY | {"message": "only the first 1000"}, "ok"),
        ({"message": "x"}, "bad_request"),
    ],
    ids=["empty", "ceiling", "refused"],
)
def test_what_was_found_before_a_page_without_hits_stays(
    answer: dict[str, object], outcome: str
) -> None:
    first = answered(found(story(1), pages=3))
    heard = talk(hn.converse(call(max_hits=8)), first, answered(answer))
    assert (len(heard.hits), heard.outcome) == (1, outcome)


# --- the query -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "filters"),
    [
        ({"since": Recency.WEEK}, f"created_at_i>={seconds(2026, 11, 23)}"),
        ({"since": date(2026, 1, 1)}, f"created_at_i>={seconds(2026, 1, 1)}"),
        ({"until": date(2026, 1, 1)}, f"created_at_i<{seconds(2026, 1, 2)}"),
        (
            {"since": date(2026, 1, 1), "until": date(2026, 1, 1)},
            f"created_at_i>={seconds(2026, 1, 1)},created_at_i<{seconds(2026, 1, 2)}",
        ),
        ({"since": date.min, "until": date.max}, None),
    ],
)
async def test_dates_become_unix_time(
    loopback: Loopback, query: dict[str, Any], filters: str | None
) -> None:
    await loopback.ask("cats", **query)
    sent = loopback.sent().get("numericFilters")
    assert sent == filters if filters else sent


def test_what_is_too_long_is_cut_between_words_and_told() -> None:
    heard = talk(hn.converse(call("wörd " * 100 + "end")), answered(EMPTY))
    (asked,) = heard.asked
    assert len(asked.compiled.encode()) <= MAX_QUERY_BYTES < len(asked.compiled.encode()) + 10
    assert set(asked.compiled.split()) == {"wörd"}
    assert asked.cut is not None
    assert asked.cut.endswith(" end")


SITES = st.lists(st.integers(0, 600).map(lambda size: f"s.example/{'p' * size}"), max_size=2)


@given(st.text(min_size=1, max_size=900), SITES)
def test_no_query_is_longer_than_the_service_takes(text: str, sites: list[str]) -> None:
    conversation = hn.converse(call(text, sites=tuple(sites)))
    sent = [""]
    with suppress(LaneFailed):  # nothing of it fits
        next(conversation)
        request = conversation.send(HttpResponse(status=0, url=""))
        assert isinstance(request, HttpRequest)
        sent = parse_qs(urlsplit(request.url).query)["query"]
    assert len(sent[0].encode()) <= MAX_QUERY_BYTES


# --- over loopback ---------------------------------------------------------------------------


class Loopback:
    """The emulator, and conversations with it."""

    def __init__(self, app: Hn, server: LoopbackServer) -> None:
        self.app = app
        self.log: Log = server.log
        self._settings = {"hn_url": server.origin}

    async def ask(self, text: str, **query: Any) -> Talk:  # noqa: ANN401 - SearchQuery's fields
        return await talk_over_http(hn.converse(call(text, settings=self._settings, **query)))

    def sent(self, number: int = 0) -> dict[str, str]:
        """The parameters of a request."""
        return dict(self.log.of(SEARCH)[number].request.query)


@pytest.fixture
async def loopback() -> AsyncIterator[Loopback]:
    app = Hn()
    async with LoopbackServer(app) as server:
        with anyio.fail_after(10):
            yield Loopback(app, server)


def counted(comments: int | None) -> str:
    return "1 comment" if comments == 1 else f"{comments} comments"


def shown(items: tuple[Item, ...]) -> list[tuple[Any, ...]]:
    """The truth as hits: a thread's comments once, a story's standing where it has no text."""
    unique = {item.url: item for item in reversed(items)}
    kept = [item for item in items if unique[item.url] is item]
    return [
        (
            item.title,
            item.url,
            item.text[:300].rstrip()
            or f"{item.points} points, by {item.author}, {counted(item.comments)}:"
            f" {THREAD}{item.story_id}",
            item.created,
            (item.author,),
            item.points,
            item.comments,
            "Hacker News",
            "hn",
        )
        for item in kept
    ]


def read(heard: Talk) -> list[tuple[Any, ...]]:
    return [
        (
            hit.title,
            hit.url,
            hit.snippet,
            hit.published,
            hit.authors,
            hit.points,
            hit.comments,
            hit.site,
            hit.provider,
        )
        for hit in heard.hits
    ]


async def test_stories_questions_and_comments_come_as_they_are(loopback: Loopback) -> None:
    heard = await loopback.ask("cats & <dogs>")
    items = loopback.app.hits("cats & <dogs>")[:20]
    assert {item.kind for item in items} == set(Kind)
    assert read(heard) == shown(items)
    assert len(heard.hits) == 15
    assert loopback.log.count(SEARCH) == 1


async def test_the_request_is_what_the_manual_says(loopback: Loopback) -> None:
    await loopback.ask("cats", max_hits=12)
    assert loopback.sent() == {"query": "cats", "tags": "(story,comment)", "hitsPerPage": "24"}
    (visit,) = loopback.log.of(SEARCH)
    assert visit.request.headers["user-agent"] == f"webaio/{__version__}"


async def test_dates_are_kept_to(loopback: Loopback) -> None:
    heard = await loopback.ask("cats", since=date(2026, 6, 1), until=date(2026, 9, 30), max_hits=50)
    days = {(hit.published or "")[:10] for hit in heard.hits}
    assert days
    assert all("2026-06-01" <= day <= "2026-09-30" for day in days)


async def test_a_site_is_searched_for_in_addresses_and_checked(loopback: Loopback) -> None:
    heard = await loopback.ask("cats", sites=("a.example",))
    sent = loopback.sent()
    assert (sent["query"], sent["tags"]) == ("cats a.example", "story")
    assert sent["restrictSearchableAttributes"] == "title,url"
    assert heard.hits
    assert all(hit.url.startswith("https://www.a.example/") for hit in heard.hits)
    assert "on other sites" in str(heard.found[0].remark)


async def test_each_of_several_sites_is_asked_for(loopback: Loopback) -> None:
    heard = await loopback.ask("cats", sites=("a.example", "b.example/docs"))
    assert {hit.url.split("/")[2] for hit in heard.hits} == {"www.a.example", "www.b.example"}
    assert [found.exhausted for found in heard.found] == [False, True]
    assert "b.example/docs" in loopback.sent(1)["query"]


async def test_only_a_few_sites_are_asked_for_and_the_others_told(loopback: Loopback) -> None:
    sites = tuple(f"s{n}.example" for n in range(MAX_SITES + 2))
    heard = await loopback.ask("cats", sites=sites)
    assert loopback.log.count(SEARCH) == MAX_SITES
    assert heard.asked[0].cut == f"left out of the query: {' '.join(sites[MAX_SITES:])}"


async def test_hacker_news_itself_as_a_site_means_its_threads(loopback: Loopback) -> None:
    heard = await loopback.ask("cats", sites=("news.ycombinator.com",))
    assert "restrictSearchableAttributes" not in loopback.sent()
    assert len(heard.hits) == 15
    assert all(hit.url.startswith(THREAD) for hit in heard.hits)


async def test_threads_can_be_left_out(loopback: Loopback) -> None:
    heard = await loopback.ask("cats", not_sites=("news.ycombinator.com",))
    assert heard.hits
    assert not any(hit.url.startswith(THREAD) for hit in heard.hits)


OUTCOMES = {
    HnMode.OK: "ok",
    HnMode.SPARSE: "ok",
    HnMode.NO_RESULTS: "empty",
    HnMode.CEILING: "bad_request",
    HnMode.MISCOUNTED: "unparseable",
    HnMode.BAD_REQUEST: "bad_request",
    HnMode.REFUSED_200: "bad_request",
    HnMode.FORBIDDEN: "blocked",
    HnMode.NOT_FOUND: "bad_request",
    HnMode.TOO_MANY: "rate_limited",
    HnMode.BROKEN: "upstream",
    HnMode.BAD_GATEWAY: "upstream",
    HnMode.NOT_JSON: "unparseable",
}


@pytest.mark.parametrize(("mode", "outcome"), OUTCOMES.items(), ids=str)
async def test_each_state_is_told_apart(loopback: Loopback, mode: HnMode, outcome: str) -> None:
    heard = await loopback.ask(f"mode:{mode} cats")
    assert heard.outcome == outcome
    assert loopback.log.count(SEARCH) == 1


# --- the emulator ----------------------------------------------------------------------------


async def test_the_emulator_has_trees_sorts_by_date_and_ends_at_1000() -> None:
    async with LoopbackServer(Hn()) as server, plain_client(server.origin) as client:
        tree = (await client.get("/api/v1/items/40")).json()
        assert [child["parent_id"] for child in tree["children"]] == [40]
        assert (await client.get("/api/v1/items/41")).status_code == 404
        newest = (await client.get(BY_DATE, params={"query": "cats"})).json()["hits"]
        dates = [item["created_at_i"] for item in newest]
        assert dates == sorted(dates, reverse=True)
        beyond: dict[str, str | int] = {"query": "total:2000 cats", "hitsPerPage": 500, "page": 2}
        assert "1000" in (await client.get(SEARCH, params=beyond)).json()["message"]
        refused = await client.get(SEARCH, params={"query": "cats", "numericFilters": "x>1"})
        assert refused.status_code == 400
