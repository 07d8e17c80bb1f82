"""What belongs to a pull, and which addresses are one page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.pull.scope import Place, Scope

DOCS = Scope.of("https://docs.example/guide/")


@pytest.mark.parametrize(
    ("url", "origin", "prefix"),
    [
        ("https://docs.example", "https://docs.example", ""),
        ("https://docs.example/", "https://docs.example", ""),
        ("https://docs.example/guide", "https://docs.example", "/guide"),
        ("https://docs.example/guide/", "https://docs.example", "/guide"),
        ("https://docs.example/guide/index.html", "https://docs.example", "/guide"),
        ("https://docs.example/guide/intro.html?x=1#y", "https://docs.example", "/guide"),
        ("https://docs.example/v1.2", "https://docs.example", "/v1.2"),
        ("HTTP://Docs.Example:80/a%2f/./b/../c", "http://docs.example", "/a%2F/c"),
        ("https://docs.example:8443/%7euser/", "https://docs.example:8443", "/~user"),
    ],
)
def test_the_scope_of_an_address(url: str, origin: str, prefix: str) -> None:
    assert Scope.of(url) == Scope(origin, prefix)


@given(st.lists(st.sampled_from(["a", "B", "7", "_", "-", "~", ".", "/", "index", ".md", "%41"])))
def test_a_plain_path_is_the_same_place_as_one_written_oddly(parts: list[str]) -> None:
    path = "/guide/" + "".join(parts)
    assert DOCS.place(f"https://docs.example{path}") == DOCS.place(f"HTTPS://docs.example{path}")


@pytest.mark.parametrize(
    ("url", "key", "asked"),
    [
        ("https://docs.example/guide/", "/guide", "/guide/"),
        ("https://docs.example/guide", "/guide", "/guide"),
        ("https://docs.example/guide/index.html", "/guide", "/guide/index.html"),
        ("https://docs.example/guide/INDEX.HTM", "/guide", "/guide/INDEX.HTM"),
        ("https://docs.example/guide/index.html.md", "/guide", "/guide/index.html.md"),
        ("https://docs.example/guide/a.md", "/guide/a", "/guide/a.md"),
        ("https://docs.example/guide/a.html.md", "/guide/a.html", "/guide/a.html.md"),
        ("https://docs.example/guide/a.html", "/guide/a.html", "/guide/a.html"),
        ("http://www.docs.example/guide/a#b", "/guide/a", "/guide/a"),
        ("https://docs.example/guide/a#/route", "/guide/a#/route", "/guide/a#/route"),
        ("https://docs.example//guide//a//", "/guide/a", "/guide/a/"),
        ("https://docs.example/x/../guide/%61?utm_source=x&ref=y", "/guide/a", "/guide/a"),
        ("https://docs.example/guide/a?b=2&a=1&gclid=9", "/guide/a?a=1&b=2", "/guide/a?a=1&b=2"),
        ("https://user@docs.example/guide/a", "/guide/a", "/guide/a"),
        ("https://docs.example\\guide\\a", "/guide/a", "/guide/a"),
    ],
)
def test_one_page_has_one_key_and_is_asked_for_at_one_origin(
    url: str, key: str, asked: str
) -> None:
    assert DOCS.place(url) == Place(key, f"https://docs.example{asked}")


@pytest.mark.parametrize(
    "url",
    [
        "https://docs.example/",
        "https://docs.example/guides/",
        "https://docs.example/Guide/a",
        "https://docs.example/guide/../secret",
        "https://docs.example/guide/%2e%2e/secret",
        "https://docs.example:8443/guide/a",
        "https://evil.example/guide/a",
        "https://docs.example.evil.example/guide/a",
        "https://docs.example@evil.example/guide/a",
        "ftp://docs.example/guide/a",
        "mailto:a@docs.example",
        "http://[",
        "",
    ],
)
def test_what_does_not_belong_has_no_place(url: str) -> None:
    assert DOCS.place(url) is None


@pytest.mark.parametrize(
    ("url", "scope"),
    [
        ("https://www.docs.example/", Scope("https://www.docs.example", "")),
        ("https://docs.example/en/latest/", Scope("https://docs.example", "")),
        ("https://new.example/manual/intro", Scope("https://new.example", "")),
    ],
)
def test_a_pull_of_a_whole_site_moves_with_it(url: str, scope: Scope) -> None:
    assert Scope.of("http://docs.example/").moved(url) == scope


def test_a_pull_of_a_part_moves_to_where_that_part_is() -> None:
    assert DOCS.moved("https://new.example/guide/") == Scope("https://new.example", "/guide")
    assert DOCS.moved("https://docs.example/manual/") == Scope("https://docs.example", "/manual")


@given(st.text(alphabet="/.%2eE5cfF?#&=ab\\~:@[] \n文é", max_size=40))
def test_a_place_is_the_same_when_it_is_asked_for(path: str) -> None:
    place = Scope("https://docs.example", "").place(f"https://docs.example/{path}")
    if place is not None:
        again = Scope("https://docs.example", "").place(place.url)
        assert again is not None
        assert again.key == place.key
        assert ".." not in place.path.split("/")
