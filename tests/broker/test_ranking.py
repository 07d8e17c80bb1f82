from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker import ranking
from broker.models import Hit


def hit(url: str, title: str = "", snippet: str = "", **known: object) -> Hit:
    base = Hit(title=title or url, url=url, snippet=snippet, provider="google")
    return replace(base, **known)  # type: ignore[arg-type]


def urls(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.url for hit in hits]


def test_joined_lists_keep_the_first_address_and_what_only_the_second_knows() -> None:
    first = hit("https://a.example/x?utm_source=1")
    second = hit("http://www.a.example/x", provider="deepseek", authority=3, content="text")
    (joined,) = ranking.joined([[first], [second]])
    assert (joined.url, joined.provider) == (first.url, "google")
    assert (joined.authority, joined.content) == (3, "text")


def test_an_address_that_stayed_unknown_takes_no_part_of_the_list() -> None:
    known = hit("https://a.example/")
    stand_in = hit("https://www.google.com/goto?url=abc", resolved=False)
    assert urls(ranking.joined([[stand_in], [known]])) == [stand_in.url, known.url]


def test_what_several_engines_rank_high_comes_first() -> None:
    one = [hit("https://a.example/"), hit("https://b.example/"), hit("https://c.example/")]
    two = [hit("https://b.example/"), hit("https://d.example/")]
    assert urls(ranking.ranked([one, two])) == [
        "https://b.example/",
        "https://a.example/",
        "https://d.example/",
        "https://c.example/",
    ]


def test_an_engine_that_repeats_itself_does_not_agree_with_itself() -> None:
    one = [hit("https://a.example/"), hit("https://b.example/"), hit("https://b.example/#x")]
    assert urls(ranking.ranked([one])) == ["https://a.example/", "https://b.example/"]


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://docs.python.org/3/", "python.org"),
        ("https://news.bbc.co.uk/1", "bbc.co.uk"),
        ("https://ada.github.io/x", "ada.github.io"),
        ("http://127.0.0.1:8000/", "127.0.0.1"),
        ("http://[::1]/", "::1"),
        ("https://co.uk/", "co.uk"),
        ("http://[broken", ""),
        ("", ""),
    ],
)
def test_a_site_is_what_somebody_registered(url: str, domain: str) -> None:
    assert ranking.registrable_domain(url) == domain


def test_the_surplus_of_one_site_goes_first_and_from_the_end() -> None:
    many = [hit(f"https://s{n}.big.example/{n}") for n in range(5)]
    others = [hit(f"https://other{n}.test/") for n in range(3)]
    kept = ranking.cut([*many, *others], 7)
    assert urls(kept) == urls((*many[:4], *others))
    assert urls(ranking.cut([*many, *others], 6)) == urls((*many[:3], *others))


def test_no_hit_of_one_site_is_surplus_where_it_was_asked_for() -> None:
    many = [hit(f"https://s{n}.big.example/{n}") for n in range(5)]
    others = [hit("https://other.test/")]
    assert urls(ranking.cut([*many, *others], 5, one_site=True)) == urls(tuple(many))


def test_a_copy_on_another_site_goes_before_anything_else() -> None:
    title = "Minister says that trains will run on time"
    original, copy = hit("https://wire.test/1", title), hit("https://paper.example/a", title)
    last = hit("https://last.test/")
    assert urls(ranking.cut([original, copy, last], 2)) == [original.url, last.url]


def test_the_same_text_under_another_title_is_a_copy_as_well() -> None:
    text = " ".join(f"word{n}" for n in range(30))
    original, copy = hit("https://wire.test/1", "One", text), hit("https://b.example/", "Two", text)
    last = hit("https://last.test/")
    assert urls(ranking.cut([original, copy, last], 2)) == [original.url, last.url]


def test_short_titles_and_two_pages_of_one_site_are_no_copies() -> None:
    home = [hit("https://a.test/", "Home page"), hit("https://b.example/", "Home page")]
    same = "A long enough title that stands on two pages"
    pages = [hit("https://c.test/1", same), hit("https://c.test/2", same)]
    last = hit("https://last.test/")
    assert urls(ranking.cut([*home, *pages, last], 4)) == urls((*home, *pages))


@given(
    st.lists(st.sampled_from("abcdef"), max_size=30),
    st.integers(min_value=1, max_value=20),
)
def test_never_fewer_than_were_asked_for_and_always_in_order(sites: list[str], wanted: int) -> None:
    hits = [hit(f"https://{site}.test/{n}") for n, site in enumerate(sites)]
    kept = ranking.cut(hits, wanted)
    assert len(kept) == min(wanted, len(hits))
    assert sorted(kept, key=hits.index) == list(kept)


def test_every_text_keeps_a_floor() -> None:
    assert ranking.share_chars([6000] * 5, 6000) == [1200] * 5
    assert ranking.share_chars([100, 6000, 0, 6000], 6000) == [100, 2950, 0, 2950]


@given(st.lists(st.integers(0, 10_000), max_size=12), st.integers(0, 50_000))
def test_shares_never_exceed_the_whole_nor_the_texts(lengths: list[int], chars: int) -> None:
    shares = ranking.share_chars(lengths, chars)
    assert sum(shares) <= chars
    assert all(0 <= share <= length for share, length in zip(shares, lengths, strict=True))
    assert sum(lengths) > chars or shares == lengths
