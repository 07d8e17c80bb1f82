"""DuckDuckGo's pages without scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.models import NextForm, SerpState
from broker.providers import ddg
from tests.broker.providers.pages import PAGES, page

PAGE_URL = "https://html.duckduckgo.com/html/?q=x"


def result(href: str) -> str:
    return f'<div class="result"><h2><a class="result__a" href="{href}">A</a></h2></div>'


def targets(html: str, url: str = PAGE_URL) -> list[str]:
    return [hit.url for hit in ddg.parse(html, url).hits]


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%3Fb%3D%2525&rut=1", "https://a.example/?b=%25"),
        ("/l/?uddg=https%3A%2F%2Fa.example%2F", "https://a.example/"),
        ("https://a.example/l/?uddg=https%3A%2F%2Fb.example", "https://a.example/l/?uddg=https%3A%2F%2Fb.example"),
        ("https://duckduckgo.com/about?uddg=https%3A%2F%2Fb.example", "https://duckduckgo.com/about?uddg=https%3A%2F%2Fb.example"),
        ("https://a.example/../%7e", "https://a.example/../%7e"),
    ],
)  # fmt: skip
def test_a_redirect_is_unwrapped_only_from_the_providers_own_host_and_path(
    href: str, url: str
) -> None:
    assert targets(result(href)) == [url]


@pytest.mark.parametrize("href", ["http://[", "//duckduckgo.com/l/?rut=1", "javascript:x", "//["])
def test_a_link_that_leads_nowhere_is_no_result(href: str) -> None:
    assert targets(result(href)) == []


@pytest.mark.parametrize(
    "href",
    [
        "https://duckduckgo.com/y.js?ad_domain=a.example",
        "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain%3Da.example",
    ],
)
def test_an_advertisement_is_known_by_its_decoded_target(href: str) -> None:
    serp = ddg.parse(result(href) + result("https://b.example/y.js"), PAGE_URL)
    assert [hit.url for hit in serp.hits] == ["https://b.example/y.js"]


def test_results_decide_although_the_page_holds_the_challenge_too() -> None:
    both = page("ddg", "challenge") + page("ddg", "html")
    assert ddg.parse(both, PAGE_URL).state is SerpState.RESULTS


def test_the_next_page_is_the_pages_own_form_and_not_the_one_that_leads_back() -> None:
    form = ddg.parse(page("ddg", "lite"), "http://127.0.0.1:8/lite/").next_form
    assert form == NextForm(
        action="http://127.0.0.1:8/lite/",
        fields=(("q", "tesla"), ("s", "10"), ("dc", "12"), ("vqd", "4-3")),
    )
    back = page("ddg", "html").replace('value="Next"', 'value="Previous"')
    assert ddg.parse(back, PAGE_URL).next_form is None


def test_a_page_in_another_encoding_is_read_from_its_bytes() -> None:
    html = page("ddg", "lite")
    assert ddg.parse(html.encode("utf-16"), PAGE_URL) == ddg.parse(html, PAGE_URL)


FRAGMENTS = st.sampled_from(
    [path.read_text(encoding="utf-8") for path in sorted((PAGES / "ddg").glob("*.html"))]
    + [result("http://["), "<form action='//['><input name=vqd>", "\0", "\ud800"]
)


@given(st.lists(st.one_of(FRAGMENTS, st.text(max_size=20)), max_size=4), st.text(max_size=12))
def test_parsing_never_raises(parts: list[str], url: str) -> None:
    ddg.parse("".join(parts), url)
