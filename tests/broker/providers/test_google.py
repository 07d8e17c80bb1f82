"""Google's pages: what they are, where their links lead, how to ask for them."""

from __future__ import annotations

import datetime as dt
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from broker.models import Recency, SearchQuery, SerpState
from broker.providers import google
from broker.providers.google_links import goto_token, leads_away, unwrapped
from tests.broker.providers.pages import PAGES, page

ORIGIN = "https://www.google.com"
SEARCH = f"{ORIGIN}/search?q=x"


def organic(href: str = "https://a.example/", body: str = "<div>About A.</div>") -> str:
    """A result page with one result."""
    return (
        '<div id="search"><div id="rso"><div><div><div>'
        f'<a href="{href}"><h3>A</h3><cite>https://a.example</cite></a></div></div>{body}'
        "</div></div></div>"
    )


def only_hit(html: str, url: str = SEARCH) -> tuple[str, str, str | None, bool]:
    (hit,) = google.parse(html, url).hits
    return hit.url, hit.snippet, hit.published, hit.resolved


# What a page is


def test_results_decide_although_the_page_asks_for_scripts_and_cookies() -> None:
    walls = page("google", "bootstrap") + page("google", "consent-overlay")
    assert google.parse(walls + organic(), SEARCH).state is SerpState.RESULTS


def test_a_column_of_unknown_markup_is_neither_empty_nor_the_page_that_asks_for_scripts() -> None:
    unreadable = page("google", "unreadable")
    assert "enablejs" in unreadable
    assert google.parse(unreadable, SEARCH).state is SerpState.UNPARSEABLE


@pytest.mark.parametrize(
    ("url", "state"),
    [
        ("https://www.google.com/sorry/index?continue=x", SerpState.CAPTCHA),
        ("https://sorry.google.com/x", SerpState.CAPTCHA),
        ("https://consent.google.de/ml?continue=x", SerpState.CONSENT_WALL),
        ("https://www.google.com/search?q=sorry", SerpState.BLANK),
    ],
)
def test_a_wall_is_known_by_its_address_alone(url: str, state: SerpState) -> None:
    assert google.parse("<p>any language</p>", url).state is state


# Where its links lead


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("https://a.example/%7Ex/?b=%20&a#part", "https://a.example/%7Ex/?b=%20&a#part"),
        ("https://a.example/../b", "https://a.example/../b"),
        ("https://a.example/x#:~:text=some%20words,end", "https://a.example/x"),
        ("https://a.example/x#part:~:text=some", "https://a.example/x#part"),
        ("/url?q=https://a.example/%253F&amp;sa=U", "https://a.example/%3F"),
        ("/url?q=&amp;url=https%3A%2F%2Fa.example%2F&amp;ved=1", "https://a.example/"),
        ("https://www.google.de/url?url=https://a.example/", "https://a.example/"),
        (
            "https://a.example/url?q=https://b.example/",
            "https://a.example/url?q=https://b.example/",
        ),
        ("https://www.google.com/", "https://www.google.com/"),
        ("https://translate.google.com/", "https://translate.google.com/"),
        ("/travel/flights?q=x", "https://www.google.com/travel/flights?q=x"),
    ],
)
def test_a_link_is_given_as_it_is_served_but_for_wrappers(href: str, url: str) -> None:
    assert only_hit(organic(href))[0] == url


@pytest.mark.parametrize(
    "href",
    [
        "/search?q=y",
        "#",
        "javascript:void(0)",
        "/aclk?sa=l&adurl=https://b.example",
        "http://[",
        "//[",
        "",
    ],
)
def test_a_link_to_the_search_itself_is_no_result(href: str) -> None:
    assert google.parse(organic(href), SEARCH).hits == ()


def test_an_opaque_link_is_seen_from_the_configured_origin() -> None:
    url, _, _, resolved = only_hit(organic("/goto?url=CAES"), "http://127.0.0.1:8080/search?q=x")
    assert (url, resolved) == ("http://127.0.0.1:8080/goto?url=CAES", False)


def test_a_redirect_found_in_location_is_unwrapped_like_a_link() -> None:
    assert (
        unwrapped(f"{ORIGIN}/url?q=https://a.example/%23:~:text=b", ORIGIN) == "https://a.example/"
    )
    assert goto_token("https://a.example/goto?url=CAES", ORIGIN) is None
    assert leads_away("https://a.example/", ORIGIN)
    assert not leads_away("ftp://a.example/", ORIGIN)


# What a result says


@pytest.mark.parametrize(
    ("body", "snippet", "published"),
    [
        (
            "<div><span>3 days ago</span> — <span>News.</span></div>",
            "3 days ago — News.",
            "3 days ago",
        ),
        ("<div><span>vor 2 Stunden</span> — Neu.</div>", "vor 2 Stunden — Neu.", "vor 2 Stunden"),
        ("<div>2024年3月1日 — 新しい。</div>", "2024年3月1日 — 新しい。", "2024年3月1日"),
        ("<div>Jun 5, 2019 - Old.</div>", "Jun 5, 2019 - Old.", "Jun 5, 2019"),
        ("<div>222 results — Browse.</div>", "222 results — Browse.", None),
        ("<div>2019 Toyota - For sale.</div>", "2019 Toyota - For sale.", None),
        ("<div>Two<br>lines<wbr>joined</div>", "Two linesjoined", None),
        ("<div><div><span>4 pages</span></div><div>A long text.</div></div>", "A long text.", None),
        ("<div><s>word</s> missing</div><div>The text.</div>", "The text.", None),
        ("<div><i role=img></i> 4.6 (7)</div><div>The text.</div>", "The text.", None),
        ("<div hidden>Not shown.</div><div>\u200eShown.</div>", "Shown.", None),
        ("", "", None),
    ],
)
def test_a_snippet_is_the_prose_beside_the_header(
    body: str, snippet: str, published: str | None
) -> None:
    assert only_hit(organic(body=body))[1:3] == (snippet, published)


def test_a_snippet_is_never_taken_from_the_neighbouring_result() -> None:
    two = organic(body="") + organic("https://b.example/", "<div>About B.</div>")
    assert [hit.snippet for hit in google.parse(two, SEARCH).hits] == ["", "About B."]


def test_prose_before_a_header_is_an_answer_when_it_is_long_enough() -> None:
    result = '<div><a href="https://a.example/"><h3>A</h3><cite>a.example</cite></a></div>'
    answer = "Twice a day the sea rises to high water and falls to low water again."
    texts = (answer, "Ad")
    serps = [google.parse(f"<div id=rso><div><p>{text}</p>{result}", SEARCH) for text in texts]
    found = [(hit.snippet, hit.featured) for serp in serps for hit in serp.hits]
    assert found == [(answer, True), ("", False)]


def test_help_below_an_answer_box_is_not_its_text() -> None:
    html = (
        '<div id="search"><div><div data-attrid="wa:/description">The answer.</div>'
        '<div><a href="https://a.example/"><h3>A</h3><cite>a.example</cite></a></div>'
        "<div>About featured snippets</div></div></div>"
    )
    (hit,) = google.parse(html, SEARCH).hits
    assert (hit.snippet, hit.featured) == ("The answer.", True)


# Which page it is


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        ("https://www.google.com/search?q=a+b&start=0&sei=1", True),
        ("https://www.google.com/search?hl=en&q=a%20%20b", True),
        ("https://www.google.com/search?q=a+b&start=10", False),
        ("https://www.google.com/search?q=a", False),
        ("https://www.google.com/sorry/index?q=a+b", False),
        ("https://consent.google.com/search?q=a+b", False),
        ("http://[", False),
    ],
)
def test_a_page_is_identified_by_host_path_query_and_offset(shown: str, *, same: bool) -> None:
    asked = google.page_identity("https://www.google.com/search?q=a+b")
    assert (google.page_identity(shown) == asked) is same


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("https://www.google.com/search", True),
        ("https://google.co.uk/", True),
        ("https://www.google.com.br/", True),
        ("https://consent.google.de/save", True),
        ("https://ipv4.google.com/sorry/index", True),
        ("http://localhost:9/x", True),
        ("https://sites.google.com/view/x", False),
        ("https://www.google.com.evil.example/", False),
        ("https://notgoogle.com/", False),
        ("about:blank", False),
        ("http://[", False),
    ],
)
def test_a_tab_may_visit_the_search_and_its_walls_and_the_configured_host(
    url: str, *, own: bool
) -> None:
    assert google.is_own_host(url, "http://localhost:8000") is own


# How to ask for it


def asked(query: SearchQuery, start: int = 0) -> dict[str, str]:
    url = google.search_url(query, ORIGIN, start)
    assert url.startswith(f"{ORIGIN}/search?")
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


SINCE, UNTIL = dt.date(2026, 1, 31), dt.date(2026, 2, 5)


about_tides = partial(SearchQuery, text="tide tables")


@pytest.mark.parametrize(
    ("query", "params"),
    [
        (about_tides(), {}),
        (about_tides(lang="de", region="AT"), {"hl": "de", "lr": "lang_de", "gl": "at"}),
        (about_tides(lang="zh"), {"hl": "zh-CN", "lr": "lang_zh-CN"}),
        (about_tides(lang="zh", region="TW"), {"hl": "zh-TW", "lr": "lang_zh-TW", "gl": "tw"}),
        (about_tides(since=Recency.WEEK), {"tbs": "qdr:w"}),
        (about_tides(since=SINCE), {"tbs": "cdr:1,cd_min:1/31/2026"}),
        (about_tides(until=UNTIL), {"tbs": "cdr:1,cd_max:2/5/2026"}),
        (
            about_tides(since=SINCE, until=UNTIL),
            {"tbs": "cdr:1,cd_min:1/31/2026,cd_max:2/5/2026"},
        ),
        (
            about_tides(since=Recency.YEAR, until=UNTIL),
            {"tbs": "qdr:y", "q": "tide tables before:2026-02-06"},
        ),
        (
            about_tides(since=Recency.DAY, until=dt.date.max),
            {"tbs": "qdr:d", "q": "tide tables before:9999-12-31"},
        ),
        (about_tides(sites=("a.example",)), {"q": "tide tables site:a.example"}),
        (
            about_tides(sites=("a.example", "b.example/x"), not_sites=("c.example", "d.example")),
            {
                "q": "tide tables (site:a.example OR site:b.example/x) "
                "-site:c.example -site:d.example"
            },
        ),
    ],
)
def test_a_query_is_compiled_into_operators_and_parameters(
    query: SearchQuery, params: dict[str, str]
) -> None:
    expected = {"q": "tide tables", **params}
    assert asked(query) == expected
    assert google.compiled_query(query) == expected["q"]


def test_the_offset_is_sent_only_for_later_pages_and_the_count_never() -> None:
    assert asked(about_tides(), 0) == {"q": "tide tables"}
    assert asked(about_tides(max_hits=50), 20) == {"q": "tide tables", "start": "20"}


def test_only_links_to_result_pages_count_as_pages() -> None:
    pager = (
        '<div id="foot"><a href="/search?q=x&start=10">2</a><a href="/setup?start=1">x</a></div>'
    )
    serp = google.parse(organic() + pager, SEARCH)
    assert serp.page_urls == ((10, f"{ORIGIN}/search?q=x&start=10"),)
    assert serp.next_url == f"{ORIGIN}/search?q=x&start=10"
    assert google.parse(organic() + pager, f"{SEARCH}&start=10").next_url is None


def test_the_origin_may_end_in_a_slash() -> None:
    url = google.search_url(SearchQuery(text="a&b=c"), "http://127.0.0.1:1/", 0)
    assert url == "http://127.0.0.1:1/search?q=a%26b%3Dc"


# Whatever it is given

FRAGMENTS = st.sampled_from(
    [path.read_text(encoding="utf-8") for path in sorted((PAGES / "google").glob("*.html"))]
    + ["<a href='http://['><h3>x", "<cite>", "<div id=rso>", "\0", "\ud800", "<form action='//['>"]
)


@given(st.lists(st.one_of(FRAGMENTS, st.text(max_size=20)), max_size=4), st.text(max_size=12))
@example([f'{organic()}<div id="foot"><a href="/search?start={"9" * 5000}">2</a></div>'], "")
@example(['<a href="https://[/answer/">'], "https://[")
def test_parsing_never_raises(parts: list[str], url: str) -> None:
    google.parse("".join(parts), url)
