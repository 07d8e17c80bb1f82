"""Cutting a query to a length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.providers.trimming import parts, trim


@pytest.mark.parametrize(
    ("text", "limit", "kept", "dropped"),
    [
        pytest.param("a b c", 5, "a b c", "", id="fits"),
        pytest.param("alpha beta gamma", 10, "alpha beta", "gamma", id="between-words"),
        pytest.param("alpha beta gamma", 9, "alpha", "beta gamma", id="never-inside-one"),
        pytest.param("alpha beta c", 8, "alpha", "beta c", id="nothing-behind-the-cut"),
        pytest.param("alpha", 0, "", "alpha", id="no-room"),
        pytest.param('see "a long one" now', 8, "see now", '"a long one"', id="phrase-whole"),
        pytest.param('alpha beta "c d"', 12, 'alpha "c d"', "beta", id="phrase-before-words"),
        pytest.param("alpha beta site:c.d", 15, "alpha site:c.d", "beta", id="operator-first"),
        pytest.param('a -b -"c d" e', 11, 'a -b -"c d"', "e", id="exclusions-before-words"),
        pytest.param("git log --oneline", 10, "git log", "--oneline", id="a-flag-is-a-word"),
        pytest.param(
            "cats site:a.b OR site:c.d", 19, "cats", "site:a.b OR site:c.d", id="sites-together"
        ),
        pytest.param("lions OR tigers in zoos", 18, "lions OR tigers in", "zoos", id="or"),
        pytest.param("東京の天気予報と", 6, "東京の天気予", "報と", id="no-spaces"),
        pytest.param("weather 東京の天気", 11, "weather 東京の", "天気", id="mixed-scripts"),
        pytest.param("서울날씨예보", 3, "", "서울날씨예보", id="korean-has-spaces"),
    ],
)
def test_a_query_is_cut_where_it_can_be(text: str, limit: int, kept: str, dropped: str) -> None:
    trimmed = trim(text, limit)
    assert (trimmed.text, trimmed.dropped) == (kept, dropped)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ('a 15" screen', "a 15 screen"),
        ('"a b" c"', '"a b" c'),
        ("Portland OR", "Portland or"),
        ("OR gates", "or gates"),
        ("a OR OR b", "a OR OR b"),
        ('"', ""),
    ],
)
def test_what_would_change_its_neighbours_is_made_harmless(text: str, whole: str) -> None:
    assert trim(text, 100).text == whole


WORDS = st.sampled_from(
    (
        *("OR", "alpha", "β", "-beta", '"', '"c d"', '-"e f"', "site:a.example", "-site:b.example"),
        *("lang:ja,en", "after:2026", "--flag", "東京都", 'x"y', "a" * 40, '"' + "g " * 20 + '"'),
    )
)
ANY_WORD = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=12)
QUERIES = st.lists(st.one_of(WORDS, ANY_WORD), min_size=1, max_size=30).map(
    lambda words: " ".join(" ".join(words).split())
)


@given(QUERIES, st.integers(0, 140))
def test_what_is_kept_fits_and_is_whole(text: str, limit: int) -> None:
    trimmed, row = trim(text, limit), parts(text)
    assert len(trimmed.text) <= limit
    assert trimmed.text.count('"') % 2 == 0
    given = [part.text for part in row]
    for kept in (part.text for part in parts(trimmed.text)):
        assert kept in given or any(
            whole.startswith(kept) and '"' not in whole and " " not in whole for whole in given
        )


@given(QUERIES)
def test_nothing_is_dropped_where_there_is_room(text: str) -> None:
    trimmed = trim(text, len(text))
    assert trimmed.dropped == ""
    assert trimmed.text.split() == " ".join(part.text for part in parts(text)).split()
