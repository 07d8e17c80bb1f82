"""How arXiv is asked, and what is made of its answers."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.errors import LaneFailed
from broker.models import Recency, SearchQuery
from broker.providers import arxiv
from broker.providers.arxiv_query import compiled, plan
from broker.version import __version__
from tests.broker.providers.pages import PAGES
from tests.broker.providers.talking import NOW, Talk, answered, call, talk, talk_over_http
from tests.emulators.arxiv import QUERY, Arxiv, ArxivMode, Paper
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.emulators.log import Log

TODAY = NOW.date()


def saved(name: str) -> str:
    return (PAGES / "arxiv" / name).read_text(encoding="utf-8")


# --- the query -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("cats", "all:cats"),
        ("attention is all", "all:attention AND all:is AND all:all"),
        ('"deep learning" cats', 'all:"deep learning" AND all:cats'),
        ("ti:lamp au:del_maestro cat:cs.LG", "ti:lamp AND au:del_maestro AND cat:cs.LG"),
        ('abs:"a b" co:x jr:y', 'abs:"a b" AND co:x AND jr:y'),
        ("rn:SLAC-1 id:1 all:z", "rn:SLAC-1 AND id:1 AND all:z"),
        ("a OR b", "all:a OR all:b"),
        ("a AND b ANDNOT c", "all:a AND all:b ANDNOT all:c"),
        ("a AND NOT b", "all:a ANDNOT all:b"),
        ('a -b -"c d"', 'all:a ANDNOT all:b ANDNOT all:"c d"'),
        ("-a b", "all:a AND all:b"),
        ("a (b OR ti:c)", "all:a AND (all:b OR ti:c)"),
        ("ti:(a OR b) c", "(ti:a OR ti:b) AND all:c"),
        ("((a))", "((all:a))"),
        ("a () b", "all:a AND all:b"),
        ("a OR", "all:a"),
        ("OR a AND AND b", "all:a AND all:b"),
        ("f(x", "all:f AND all:x"),
        (") a (", "all:a"),
        ('a "b', "all:a AND all:b"),
        ("what is attention?", "all:what AND all:is AND all:attention"),
        ("self-supervised", 'all:"self supervised"'),
        ("std::vector TCP/IP C++", 'all:"std vector" AND all:"TCP IP" AND all:C'),
        ("“quoted”, it's", "all:quoted AND all:it's"),
        ("größe 注意力", "all:größe AND all:注意力"),
        ("a & \u2013 b", "all:a AND all:b"),
        ("lastUpdatedDate:[2023 TO 2024] a", "lastUpdatedDate:[2023 TO 2024] AND all:a"),
        ("& \u2013 ()", ""),
    ],
)  # fmt: skip
def test_words_are_joined_by_and_and_what_the_user_wrote_stays(text: str, expression: str) -> None:
    assert compiled(text) == expression


PIECES = st.sampled_from([*'ab -:()"[]?', " AND ", " OR ", "ti:", " NOT ", "site:"])


@given(st.lists(PIECES, max_size=30).map("".join))
def test_an_expression_is_always_complete(text: str) -> None:
    expression = compiled(text)
    assert expression.count("(") == expression.count(")")
    assert expression.count('"') % 2 == 0
    bare = re.sub(r'"[^"]*"', "x", expression).replace("(", "( ").replace(")", " )").split()
    operators = [word in {"AND", "OR", "ANDNOT"} for word in bare if word not in {"(", ")"}]
    assert operators == [at % 2 == 1 for at in range(len(operators))]
    assert len(operators) % 2 == bool(operators)


@pytest.mark.parametrize(
    ("query", "span", "newest_first"),
    [
        ({"since": Recency.DAY}, "202611290000 TO 202611302359", True),
        ({"since": date(2025, 3, 4)}, "202503040000 TO 202611302359", True),
        ({"until": date(2020, 5, 6)}, "199107010000 TO 202005062359", False),
        (
            {"since": date(2019, 1, 1), "until": date(2019, 12, 31)},
            "201901010000 TO 201912312359",
            True,
        ),
        ({"since": date.min}, "199107010000 TO 202611302359", True),
        ({"until": date.min}, "199107010000 TO 199107012359", False),
    ],
)
def test_dates_are_a_range_and_a_beginning_sorts_by_date(
    query: dict[str, Any], span: str, newest_first: bool
) -> None:
    asked = plan(SearchQuery(text="a", **query), TODAY)
    assert asked is not None
    assert asked.search_query == f"all:a AND submittedDate:[{span}]"
    assert asked.newest_first is newest_first


def test_a_range_does_not_get_into_the_users_alternatives() -> None:
    asked = plan(SearchQuery(text="a OR b", until=date(2020, 1, 1)), TODAY)
    assert asked is not None
    assert asked.search_query.startswith("(all:a OR all:b) AND submittedDate:")


@pytest.mark.parametrize(
    ("text", "id_list"),
    [
        ("2401.00001", "2401.00001"),
        ("arXiv:2401.00001v2, hep-th/9901001", "2401.00001v2,hep-th/9901001"),
        ("math.GT/0309136v1", "math.GT/0309136v1"),
        ("https://arxiv.org/abs/2401.00001", "2401.00001"),
        ("https://arxiv.org/pdf/2401.00002v3.pdf", "2401.00002v3"),
        ("2401.00001 cats", ""),
        ("2401", ""),
    ],
)  # fmt: skip
def test_a_query_of_ids_asks_for_those_papers(text: str, id_list: str) -> None:
    asked = plan(SearchQuery(text=text), TODAY)
    assert asked is not None
    assert asked.id_list == id_list
    assert (asked.search_query == "") is bool(id_list)


@pytest.mark.parametrize(
    "query",
    [
        {"sites": ("example.com",)},
        {"not_sites": ("arxiv.org",)},
        {"text": "cats site:example.com"},
        {"text": "cats -site:arxiv.org"},
        {"sites": ("notarxiv.org", "arxiv.org.example")},
    ],
    ids=str,
)
def test_a_query_for_other_sites_is_not_asked(query: dict[str, Any]) -> None:
    heard = talk(arxiv.converse(call(**query)))
    assert (heard.outcome, heard.requests) == ("unavailable", [])
    assert "arxiv.org" in str(heard.error)


@pytest.mark.parametrize(
    "query",
    [
        {"sites": ("example.com", "arxiv.org")},
        {"sites": ("export.arxiv.org/abs",)},
        {"not_sites": ("example.com",)},
        {"text": "cats site:arxiv.org/abs"},
    ],
    ids=str,
)
def test_its_own_site_is_no_part_of_the_expression(query: dict[str, Any]) -> None:
    heard = talk(arxiv.converse(call(**query)), answered(saved("no-results.xml")))
    assert heard.asked[0].compiled == "all:cats"


def test_a_query_without_a_word_is_not_asked() -> None:
    heard = talk(arxiv.converse(call("& \u2013 ()")))
    assert (heard.outcome, heard.requests) == ("bad_request", [])


# --- the answers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "pause_s"),
    [(None, 60), ("5", 60), ("120", 120), ("Mon, 30 Nov 2026 12:10:00 GMT", 600), ("soon", 60)],
)
@pytest.mark.parametrize("status", [406, 429, 503])
def test_a_throttle_pauses_a_minute_or_as_long_as_it_says(
    status: int, stated: str | None, pause_s: float
) -> None:
    headers = {} if stated is None else {"retry_after": stated}
    heard = talk(arxiv.converse(call()), answered("Rate exceeded.", status, **headers))
    assert isinstance(heard.error, LaneFailed)
    assert (heard.error.code, heard.error.retry_after_s) == ("rate_limited", pause_s)


def test_an_empty_page_that_counts_papers_is_asked_for_once_more() -> None:
    heard = talk(
        arxiv.converse(call()), answered(saved("spurious.xml")), answered(saved("results.xml"))
    )
    assert len(heard.hits) == 2
    assert heard.requests[0] == heard.requests[1]


def test_an_error_is_told_in_arxivs_own_words() -> None:
    heard = talk(arxiv.converse(call()), answered(saved("error.xml"), 400))
    assert heard.outcome == "bad_request"
    assert "incorrect id format for 1234" in str(heard.error)


@given(
    st.one_of(
        st.binary(),
        st.text(),
        st.builds(lambda cut: saved("results.xml")[:cut], st.integers(0, 2500)),
    )
)
def test_parsing_never_raises(answer: str | bytes) -> None:
    arxiv.parse(answer, "")


# --- over loopback ---------------------------------------------------------------------------


class Loopback:
    """The emulator, and conversations with it."""

    def __init__(self, app: Arxiv, server: LoopbackServer) -> None:
        self.app = app
        self.log: Log = server.log
        self._settings = {"arxiv_url": server.origin}

    async def ask(self, text: str, **query: Any) -> Talk:  # noqa: ANN401 - SearchQuery's fields
        return await talk_over_http(arxiv.converse(call(text, settings=self._settings, **query)))


@pytest.fixture
async def loopback() -> AsyncIterator[Loopback]:
    app = Arxiv()
    async with LoopbackServer(app) as server:
        with anyio.fail_after(10):
            yield Loopback(app, server)


def shown(papers: tuple[Paper, ...] | list[Paper]) -> list[tuple[Any, ...]]:
    return [
        (
            " ".join(paper.title.split()),
            paper.url,
            " ".join(paper.summary.split()),
            f"{paper.published:%Y-%m-%dT%H:%M:%SZ}",
            paper.authors,
            "arXiv",
            "arxiv",
        )
        for paper in papers
    ]


def read(heard: Talk) -> list[tuple[Any, ...]]:
    return [
        (hit.title, hit.url, hit.snippet, hit.published, hit.authors, hit.site, hit.provider)
        for hit in heard.hits
    ]


async def test_papers_come_as_arxiv_has_them(loopback: Loopback) -> None:
    heard = await loopback.ask("cats & dogs", max_hits=7)
    assert read(heard) == shown(loopback.app.hits("cats dogs", 7))
    assert not heard.found[0].exhausted
    assert loopback.log.count(QUERY) == 1


async def test_all_papers_there_are_are_known_to_be_all(loopback: Loopback) -> None:
    heard = await loopback.ask("cats total:3")
    assert (len(heard.hits), heard.found[0].exhausted) == (3, True)


async def test_the_newest_come_first_when_the_query_says_how_old_they_may_be(
    loopback: Loopback,
) -> None:
    heard = await loopback.ask("cats", since=date(2021, 1, 1), max_hits=50)
    wanted = [p for p in loopback.app.hits("cats", 50) if p.published.date() >= date(2021, 1, 1)]
    assert read(heard) == shown(sorted(wanted, key=lambda paper: paper.published, reverse=True))
    assert 0 < len(heard.hits) < 33


async def test_ids_bring_their_papers(loopback: Loopback) -> None:
    heard = await loopback.ask("2401.00001v2 hep-th/9901001")
    assert [hit.url.rpartition("/abs/")[2] for hit in heard.hits] == [
        "2401.00001v2",
        "hep-th/9901001",
    ]
    assert heard.found[0].exhausted


OUTCOMES = {
    ArxivMode.OK: "ok",
    ArxivMode.TRUNCATED_FEED: "ok",
    ArxivMode.NO_RESULTS: "empty",
    ArxivMode.ERROR: "bad_request",
    ArxivMode.ERROR_200: "bad_request",
    ArxivMode.SPURIOUS: "upstream",
    ArxivMode.UNCOUNTED: "unparseable",
    ArxivMode.RATE_EXCEEDED: "rate_limited",
    ArxivMode.RATE_EXCEEDED_200: "rate_limited",
    ArxivMode.NOT_ACCEPTABLE: "rate_limited",
    ArxivMode.UNAVAILABLE: "rate_limited",
    ArxivMode.FORBIDDEN: "blocked",
    ArxivMode.BROKEN: "upstream",
    ArxivMode.NOT_A_FEED: "unparseable",
}


@pytest.mark.parametrize(("mode", "outcome"), OUTCOMES.items(), ids=str)
async def test_each_state_is_told_apart(loopback: Loopback, mode: ArxivMode, outcome: str) -> None:
    heard = await loopback.ask(f"mode:{mode} cats")
    assert heard.outcome == outcome
    assert loopback.log.count(QUERY) == (2 if mode is ArxivMode.SPURIOUS else 1)


async def test_a_spurious_empty_page_is_healed_by_asking_again(loopback: Loopback) -> None:
    heard = await loopback.ask("mode:spurious#1 cats")
    assert read(heard) == shown(loopback.app.hits("cats"))


async def test_requests_say_who_asks(loopback: Loopback) -> None:
    await loopback.ask("cats")
    (agent,) = loopback.app.agents
    assert agent.startswith(f"webaio/{__version__}")


async def test_the_request_is_what_the_manual_says(loopback: Loopback) -> None:
    await loopback.ask("cats dogs", since=date(2026, 1, 1), max_hits=12)
    (visit,) = loopback.log.of(QUERY)
    assert parse_qs(urlsplit(visit.request.target).query) == {
        "search_query": ["all:cats AND all:dogs AND submittedDate:[202601010000 TO 202611302359]"],
        "start": ["0"],
        "max_results": ["12"],
        "sortBy": ["submittedDate"],
        "sortOrder": ["descending"],
    }


# --- the emulator ----------------------------------------------------------------------------


async def test_the_emulator_refuses_who_comes_too_quickly(loopback: Loopback) -> None:
    loopback.app.configure({"gap_s": 60})
    outcomes = [(await loopback.ask("cats")).outcome for _ in range(2)]
    assert outcomes == ["ok", "rate_limited"]
    assert 0 < (loopback.app.min_gap_s or 0) < 60
    loopback.app.reset()
    assert (await loopback.ask("cats")).outcome == "ok"
