"""What a process has in memory is bounded in every way, and never older than what it was given."""

from __future__ import annotations

from dataclasses import replace

from broker.store.hot import MAX_CHARS, HotDocuments
from tests.broker.store.shelves import NOW_S, page


def test_the_document_used_longest_ago_is_forgotten() -> None:
    hot = HotDocuments(max_documents=2, max_age_s=100)
    a, b, c = (replace(page(name), id=name) for name in "abc")
    hot.put(a, NOW_S)
    hot.put(b, NOW_S)
    assert hot.by_key(a.key, NOW_S) == a
    hot.put(c, NOW_S)
    assert [hot.get(name, NOW_S) for name in "abc"] == [a, None, c]
    assert hot.by_key(b.key, NOW_S) is None


def test_a_text_that_would_fill_memory_is_not_kept() -> None:
    hot = HotDocuments(max_documents=10, max_age_s=100)
    for name in "abc":
        hot.put(replace(page(name, "x" * (MAX_CHARS // 2)), id=name), NOW_S)
    assert (len(hot), hot.chars) == (2, MAX_CHARS)
    hot.put(replace(page("d", "x" * (MAX_CHARS + 1)), id="d"), NOW_S)
    assert (len(hot), hot.chars) == (2, MAX_CHARS), "the others stay"


def test_what_is_older_replaces_nothing() -> None:
    hot = HotDocuments(max_documents=2, max_age_s=100)
    young = replace(page("a", "young"), id="a")
    hot.put(young, NOW_S)
    hot.put(replace(young, markdown="old", fetched_at_s=NOW_S - 1), NOW_S)
    assert hot.get("a", NOW_S) == young


def test_what_nobody_used_for_long_is_forgotten() -> None:
    hot = HotDocuments(max_documents=2, max_age_s=100)
    hot.put(replace(page("a"), id="a"), NOW_S)
    assert hot.get("a", NOW_S + 100) is not None
    assert hot.get("a", NOW_S + 201) is None
    assert len(hot) == 0


def test_a_key_leads_to_what_was_put_last_under_it() -> None:
    hot = HotDocuments(max_documents=2, max_age_s=100)
    first, second = (replace(page("a"), id=name) for name in "xy")
    hot.put(first, NOW_S)
    hot.put(second, NOW_S)
    hot.drop("x")
    assert hot.by_key(first.key, NOW_S) == second
