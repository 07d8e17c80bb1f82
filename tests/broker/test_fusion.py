"""Which addresses are the same result, and what a list of pages becomes."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from broker.fusion import merge_pages, url_identity
from broker.models import Hit

PAGE = "https://example.com/a?x=1&y=2"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/a?x=1&y=2",
        "HTTPS://WWW.Example.COM/a?x=1&y=2",
        "https://example.com:443/a/?x=1&y=2",
        "http://example.com:80/a?y=2&x=1",
        "https://example.com./a?x=1&y=2#part",
        "https://user@example.com/a?x=1&y=2#:~:text=word",
        "https://example.com/%61?x=%31&y=2",
        "https://example.com/a?x=1&utm_source=b&UTM_Medium=c&y=2&gclid=d&fbclid=e&ref=f",
        "  https://example.com/a?x=1&y=2\n",
    ],
)
def test_addresses_of_one_page_have_one_identity(url: str) -> None:
    assert url_identity(url) == url_identity(PAGE)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/A?x=1&y=2",
        "https://example.com/a?x=2&y=1",
        "https://example.com/a?x=1&y=2&y=3",
        "https://example.com/a",
        "https://example.com:8080/a?x=1&y=2",
        "https://sub.example.com/a?x=1&y=2",
        "https://example.com/a?x=1&y=2#/route",
        "https://example.com/a?x=1&y=2#!route",
        "https://example.com/a%2F?x=1&y=2",
        "ftp://example.com/a?x=1&y=2",
    ],
)
def test_other_pages_have_another_identity(url: str) -> None:
    assert url_identity(url) != url_identity(PAGE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%c3%a4"),
        ("https://www.example.com", "http://example.com/#top"),
        ("https://example.com/#/a?b", "https://www.example.com#/a?b"),
        ("https://[::1]:443/x", "http://[::1]/x/"),
        ("https://example.com/?q=a+b", "https://example.com?q=a%20b"),
    ],
)
def test_spelling_makes_no_difference(one: str, other: str) -> None:
    assert url_identity(one) == url_identity(other)


def test_www_is_kept_where_it_is_the_name() -> None:
    assert url_identity("https://www.com/") == "https://www.com"


@pytest.mark.parametrize(
    "text", ["", "no address", "mailto:a@b.example", "http://[", "https://a b/"]
)
def test_what_is_no_web_address_is_its_own_identity(text: str) -> None:
    assert url_identity(text) == text


PIECES = st.one_of(
    st.text(max_size=6),
    st.sampled_from(["https://", "HTTP://", "www.", "example.com", "bücher.de", "\u0130.com"]),
    st.sampled_from(["[::1]", ":80", ":x", "@", "/", "?", "&", "=", "#", "#/", "#!", ".", ".."]),
    st.sampled_from(["%", "%41", "%e4", "%2525", "utm_x=1", "ref=a", "a=b", "\ud800", "\t"]),
)


@given(st.lists(PIECES, max_size=9).map("".join), st.sampled_from(["", "https://", "http://www."]))
@example("a.example/%%34%31", "https://")
def test_an_identity_is_its_own_identity(rest: str, start: str) -> None:
    identity = url_identity(start + rest)
    assert url_identity(identity) == identity


def hit(url: str, title: str = "") -> Hit:
    return Hit(title=title, url=url, snippet="", provider="google")


def test_pages_are_merged_in_their_order_and_the_first_of_equal_hits_stays() -> None:
    first = [hit("https://a.example/", "first"), hit("https://b.example/")]
    second = [hit("http://www.a.example", "second"), hit("https://c.example/")]
    merged = merge_pages([first, [], second])
    assert [entry.url for entry in merged] == [
        "https://a.example/",
        "https://b.example/",
        "https://c.example/",
    ]
    assert merged[0].title == "first"


def test_no_pages_are_no_hits() -> None:
    assert merge_pages([]) == ()
