"""How DuckDuckGo is asked: its form, its next pages, and what is done about its challenge."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.errors import LaneFailed
from broker.fetch.http import HttpClient
from broker.models import Recency, SearchQuery
from broker.providers import ddg_talk
from broker.providers.base import HttpRequest, HttpResponse, Via
from broker.providers.ddg_query import MAX_QUERY_CHARS, form, region
from tests.broker.providers.pages import page
from tests.broker.providers.talking import NOW, Talk, call, talk
from tests.emulators.ddg.app import Ddg, DdgMode
from tests.emulators.ddg.pages import shown_snippet
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.emulators.google.hits import Organic
    from tests.emulators.log import Log

TODAY = NOW.date()
HTML, LITE = "https://html.duckduckgo.com/html/", "https://lite.duckduckgo.com/lite/"


def compiled(text: str, **query: Any) -> str:  # noqa: ANN401 - SearchQuery's fields
    return form(SearchQuery(text=text, **query), TODAY).q


# --- the form --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "query", "q"),
    [
        ("cats", {}, "cats"),
        ("cats", {"sites": ("a.example",)}, "cats site:a.example"),
        (
            "cats",
            {"sites": ("a.example", "b.example/x"), "not_sites": ("c.example", "d.example")},
            "cats site:a.example OR site:b.example/x -site:c.example -site:d.example",
        ),
        ("!w cats", {}, '"!w" cats'),
        ("cats !g !important", {}, 'cats "!g" "!important"'),
        ("\\frac latex", {}, '"\\frac" latex'),
        ('"a !b" c! d!=e', {}, '"a !b" c! d!=e'),
        ("! x", {}, '"!" x'),
        ("what is anomaly.js", {}, "what is anomaly.js"),
    ],
)
def test_filters_are_operators_and_bangs_are_only_words(
    text: str, query: dict[str, Any], q: str
) -> None:
    assert compiled(text, **query) == q


@pytest.mark.parametrize(
    ("query", "df"),
    [
        ({}, ""),
        ({"since": Recency.DAY}, "d"),
        ({"since": Recency.WEEK}, "w"),
        ({"since": Recency.MONTH, "until": TODAY}, "m"),
        ({"since": Recency.YEAR, "until": date(2030, 1, 1)}, "y"),
        ({"since": Recency.WEEK, "until": date(2026, 11, 28)}, "2026-11-23..2026-11-28"),
        ({"since": Recency.DAY, "until": date(2020, 1, 1)}, "2020-01-01..2020-01-01"),
        ({"since": date(2025, 3, 4)}, "2025-03-04..2026-11-30"),
        ({"until": date(2025, 3, 4)}, "1990-01-01..2025-03-04"),
        ({"since": date(2025, 1, 1), "until": date(2025, 2, 1)}, "2025-01-01..2025-02-01"),
    ],
    ids=str,
)
def test_dates_are_a_letter_or_a_range_of_days(query: dict[str, Any], df: str) -> None:
    assert form(SearchQuery(text="a", **query), TODAY).df == df


@pytest.mark.parametrize(
    ("country", "lang", "kl"),
    [
        (None, None, "wt-wt"),
        ("US", None, "us-en"),
        ("GB", "en", "uk-en"),
        ("DE", "en", "de-de"),
        ("CH", "fr", "ch-fr"),
        ("CH", "en", "ch-de"),
        ("BE", None, "be-nl"),
        ("CA", "fr", "ca-fr"),
        ("JP", "ja", "jp-jp"),
        ("TW", "zh", "tw-tzh"),
        ("SI", None, "sl-sl"),
        ("UA", "uk", "ua-uk"),
        ("KE", None, "wt-wt"),
        ("KE", "en", "us-en"),
        (None, "en", "us-en"),
        (None, "de", "de-de"),
        (None, "nl", "nl-nl"),
        (None, "zh", "cn-zh"),
        (None, "ko", "kr-kr"),
        (None, "ar", "xa-ar"),
        (None, "ca", "ct-ca"),
        (None, "sw", "wt-wt"),
    ],
)
def test_the_region_is_the_country_then_the_language(
    country: str | None, lang: str | None, kl: str
) -> None:
    assert region(country, lang) == kl


def test_what_is_too_long_is_cut_between_words_and_told() -> None:
    text = " ".join(f"word{n}" for n in range(90))
    none = answer(page("ddg", "no-results"))
    (asked,) = talk(ddg_talk.converse(call(text, sites=("a.example",))), none).asked
    assert len(asked.compiled) <= MAX_QUERY_CHARS
    assert asked.compiled.endswith(" site:a.example")
    assert asked.cut is not None
    kept = asked.compiled.removesuffix(" site:a.example").split()
    assert [*kept, *asked.cut.removeprefix("left out of the query: ").split()] == text.split()


WORDS = st.sampled_from(
    [
        "word",
        "x" * 60,
        '"a phrase of words"',
        "site:a.example",
        "-site:b.example",
        "-not",
        "!w",
        "OR",
    ]
)
HOSTS = st.lists(
    st.integers(3, 60).map(lambda size: f"{'h' * size}.example"), max_size=8, unique=True
)


@given(st.lists(WORDS, min_size=1, max_size=40).map(" ".join), HOSTS, HOSTS)
def test_cutting_never_cuts_into_an_operator_or_a_phrase(
    text: str, sites: list[str], not_sites: list[str]
) -> None:
    query = SearchQuery(text=text, sites=tuple(sites), not_sites=tuple(not_sites))
    q = form(query, TODAY).q
    assert len(q) <= MAX_QUERY_CHARS
    assert q.count('"') % 2 == 0
    given_words = {"site:a.example", "-site:b.example", "-not"}
    given_words |= {f"site:{site}" for site in sites} | {f"-site:{site}" for site in not_sites}
    operators = re.findall(r"(?<!\S)-?site:\S+|(?<!\S)-\S+", q)
    assert set(operators) <= given_words


def test_a_query_of_which_nothing_fits_is_not_asked() -> None:
    heard = talk(ddg_talk.converse(call("x" * 600)))
    assert (heard.outcome, heard.requests) == ("query_too_long", [])


# --- the conversation ------------------------------------------------------------------------


def answer(body: str, url: str = HTML, status: int = 200, **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpResponse(status=status, url=url, headers=named, body=body.encode())


def results(url: str = HTML) -> HttpResponse:
    """A page with two hits and a form for the next."""
    return answer(page("ddg", "html" if url == HTML else "lite"), url)


CHALLENGE = answer(page("ddg", "challenge"), status=202)
NO_BROWSER = HttpResponse(status=0, url=HTML)


def steps(heard: Talk) -> list[str]:
    """Who was asked, in order."""
    return [
        str(request.via) if request.via is Via.BROWSER else urlsplit(request.url).path.strip("/")
        for request in heard.requests
    ]


def test_the_first_request_is_the_pages_own_form_sent_by_a_plain_browser() -> None:
    query: dict[str, Any] = {"since": Recency.WEEK, "lang": "de", "max_hits": 2}
    (request,) = talk(ddg_talk.converse(call("große Katzen", **query)), results()).requests
    assert (request.method, request.url) == ("POST", HTML)
    fields = parse_qsl(request.body.decode(), keep_blank_values=True)
    assert fields == [("q", "große Katzen"), ("b", ""), ("kl", "de-de"), ("df", "w")]
    headers = dict(request.headers)
    assert headers["Referer"] == HTML
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert headers["Sec-Fetch-Site"] == "same-origin"
    assert headers["User-Agent"].startswith("Mozilla/5.0 ")
    assert "Accept-Language" in headers


def test_a_page_of_results_is_one_whatever_its_status() -> None:
    heard = talk(ddg_talk.converse(call(max_hits=2)), answer(page("ddg", "html"), status=202))
    assert heard.outcome == "ok"


def test_the_next_page_is_asked_for_by_the_form_on_the_page_as_it_is() -> None:
    end = answer(page("ddg", "no-results"))
    heard = talk(ddg_talk.converse(call(max_hits=10)), results(), end)
    assert [found.exhausted for found in heard.found] == [False, True]
    assert parse_qsl(heard.requests[1].body.decode(), keep_blank_values=True) == [
        ("q", "python asyncio"),
        ("s", "10"),
        ("nextParams", ""),
        ("dc", "11"),
        ("vqd", "4-2"),
        ("kl", "wt-wt"),
    ]
    assert dict(heard.requests[0].headers) == dict(heard.requests[1].headers)


@pytest.mark.parametrize(("max_hits", "requests"), [(2, 1), (4, 1), (5, 2)])
def test_two_hits_too_few_are_not_worth_another_page(max_hits: int, requests: int) -> None:
    answers = [results(), answer(page("ddg", "no-results"))][:requests]
    heard = talk(ddg_talk.converse(call(max_hits=max_hits)), *answers)
    assert len(heard.requests) == requests


def test_a_page_that_shows_nothing_new_is_the_last() -> None:
    heard = talk(ddg_talk.converse(call(max_hits=50)), results(), results())
    assert [found.exhausted for found in heard.found] == [False, True]


def test_hits_from_other_sites_are_left_out_and_counted() -> None:
    wanted = call(max_hits=1, sites=("docs.example",))
    heard = talk(ddg_talk.converse(wanted), results())
    assert [hit.url for hit in heard.hits] == ["https://docs.example/asyncio?a=1%26b"]
    assert heard.found[0].remark == "left out 1 on other sites"


def test_no_further_page_is_asked_for_in_chinese_regions() -> None:
    heard = talk(ddg_talk.converse(call(max_hits=50, region="CN")), results())
    assert [found.exhausted for found in heard.found] == [False]


def test_a_form_that_leads_to_another_host_is_not_sent() -> None:
    foreign = page("ddg", "html").replace('action="/html/"', 'action="https://evil.example/"')
    heard = talk(ddg_talk.converse(call(max_hits=50)), answer(foreign))
    assert [found.exhausted for found in heard.found] == [True]


def test_a_challenge_goes_once_through_the_browser() -> None:
    heard = talk(ddg_talk.converse(call("a & b", max_hits=50)), CHALLENGE, results())
    assert steps(heard) == ["html", "browser"]
    assert heard.requests[1].method == "GET"
    sent = parse_qs(urlsplit(heard.requests[1].url).query, keep_blank_values=True)
    assert sent == {"q": ["a & b"], "kl": ["wt-wt"]}
    assert [found.exhausted for found in heard.found] == [False], "its form is the browser's own"


@pytest.mark.parametrize(
    "browsed",
    [NO_BROWSER, CHALLENGE, answer("", status=500), answer("")],
    ids=["no browser", "challenged", "broken", "blank"],
)
def test_lite_is_asked_when_the_browser_has_no_answer(browsed: HttpResponse) -> None:
    more = results(LITE)
    heard = talk(ddg_talk.converse(call(max_hits=50)), CHALLENGE, browsed, results(LITE), more)
    assert steps(heard) == ["html", "browser", "lite", "lite"]
    assert heard.outcome == "ok"
    assert dict(heard.requests[2].headers)["Referer"] == LITE
    assert ("vqd", "4-3") in parse_qsl(heard.requests[3].body.decode())


def test_a_challenge_everywhere_ends_the_conversation() -> None:
    heard = talk(ddg_talk.converse(call()), CHALLENGE, NO_BROWSER, CHALLENGE)
    assert (heard.outcome, steps(heard)) == ("challenge", ["html", "browser", "lite"])
    assert [request.refused for request in heard.requests] == [None, "challenge", "challenge"]


@pytest.mark.parametrize("name", ["no-results", "lite-no-results"])
def test_an_answer_without_hits_from_the_second_try_is_an_answer(name: str) -> None:
    heard = talk(ddg_talk.converse(call()), CHALLENGE, NO_BROWSER, answer(page("ddg", name), LITE))
    assert heard.outcome == "empty"


def test_a_challenge_on_a_later_page_keeps_the_hits_and_asks_no_further() -> None:
    heard = talk(ddg_talk.converse(call(max_hits=50)), results(), CHALLENGE)
    assert (len(heard.hits), heard.outcome) == (2, "challenge")


def test_how_long_to_wait_is_passed_on() -> None:
    heard = talk(ddg_talk.converse(call()), answer("", status=429, retry_after="30"))
    assert isinstance(heard.error, LaneFailed)
    assert (heard.error.code, heard.error.retry_after_s) == ("rate_limited", 30)


# --- over loopback ---------------------------------------------------------------------------


class Loopback:
    """The emulator, and conversations with it; the browser is a client that opens addresses."""

    def __init__(self, app: Ddg, server: LoopbackServer, client: HttpClient) -> None:
        self.app = app
        self.log: Log = server.log
        self.has_browser = False
        self._settings = {"ddg_url": server.origin, "ddg_lite_url": f"{server.origin}/"}
        self._client = client

    async def ask(self, text: str, **query: Any) -> Talk:  # noqa: ANN401 - SearchQuery's fields
        heard, reply = Talk(), NO_BROWSER
        conversation = ddg_talk.converse(call(text, settings=self._settings, **query))
        try:
            step = next(conversation)
            while True:
                if (request := heard.take(step)) is not None:
                    reply = await self._send(request)
                step = conversation.send(reply)
        except StopIteration:
            pass
        except LaneFailed as error:
            heard.error = error
        return heard

    async def _send(self, request: HttpRequest) -> HttpResponse:
        if request.via is Via.BROWSER and not self.has_browser:
            return NO_BROWSER
        return await self._client.send(request)


@pytest.fixture
async def loopback() -> AsyncIterator[Loopback]:
    app = Ddg()
    async with LoopbackServer(app) as server, HttpClient() as client:
        with anyio.fail_after(10):
            yield Loopback(app, server, client)


def shown(hits: tuple[Organic, ...]) -> list[tuple[str, str, str]]:
    return [(hit.title, hit.url, shown_snippet(hit)) for hit in hits]


def read(heard: Talk) -> list[tuple[str, str, str]]:
    return [(hit.title, hit.url, hit.snippet) for hit in heard.hits]


@pytest.mark.parametrize("links", ["wrapped", "direct"])
async def test_all_pages_come_by_their_forms(loopback: Loopback, links: str) -> None:
    query = f"links:{links} cats & <dogs>"
    heard = await loopback.ask(query, max_hits=50)
    truth = [hit for number in (1, 2, 3) for hit in loopback.app.hits(query, number)]
    assert read(heard) == shown(tuple(truth))
    assert [found.exhausted for found in heard.found] == [False, False, True]
    assert loopback.log.count("/html/") == 3


async def test_a_usual_search_is_one_request(loopback: Loopback) -> None:
    heard = await loopback.ask("cats", max_hits=12)
    assert (len(heard.hits), loopback.log.count("/html/")) == (10, 1)


async def test_lite_pages_follow_each_other_too(loopback: Loopback) -> None:
    query = "mode:challengehtml cats"
    heard = await loopback.ask(query, max_hits=25)
    assert steps(heard) == ["html", "browser", "lite", "lite"]
    truth = [hit for number in (1, 2) for hit in loopback.app.hits(query, number)]
    assert read(heard) == shown(tuple(truth))


async def test_a_real_browser_is_believed(loopback: Loopback) -> None:
    loopback.has_browser = True
    heard = await loopback.ask("mode:challengepost cats", max_hits=25)
    assert steps(heard) == ["html", "browser"]
    assert read(heard) == shown(loopback.app.hits("cats"))


OUTCOMES = {
    DdgMode.OK: "ok",
    DdgMode.ACCEPTED: "ok",
    DdgMode.FOREIGN_FORM: "ok",
    DdgMode.CHALLENGE_HTML: "ok",
    DdgMode.NO_RESULTS: "empty",
    DdgMode.CHALLENGE: "challenge",
    DdgMode.CHALLENGE_200: "challenge",
    DdgMode.CHALLENGE_403: "challenge",
    DdgMode.CHALLENGE_POST: "challenge",
    DdgMode.ERROR_PAGE: "blocked",
    DdgMode.FORBIDDEN: "blocked",
    DdgMode.BLANK: "unparseable",
    DdgMode.BANG: "bad_request",
    DdgMode.SERVER_ERROR: "upstream",
}


@pytest.mark.parametrize(("mode", "outcome"), OUTCOMES.items(), ids=str)
async def test_each_state_is_told_apart(loopback: Loopback, mode: DdgMode, outcome: str) -> None:
    assert (await loopback.ask(f"mode:{mode} cats")).outcome == outcome


@pytest.mark.parametrize("text", ["anomaly.js challenge-form", "!w cats", "\\frac cats"])
async def test_queries_that_look_like_something_else_are_only_queries(
    loopback: Loopback, text: str
) -> None:
    heard = await loopback.ask(text)
    assert (heard.outcome, steps(heard)) == ("ok", ["html"])


async def test_a_site_is_kept_to(loopback: Loopback) -> None:
    heard = await loopback.ask("cats", sites=("a.example",))
    assert len(heard.hits) == 10
    assert all(hit.url.startswith("https://a.example/") for hit in heard.hits)


async def test_the_emulator_has_no_further_page_for_chinese_regions(loopback: Loopback) -> None:
    heard = await loopback.ask("cats", region="CN", max_hits=50)
    assert (len(heard.hits), loopback.log.count("/html/")) == (10, 1)
