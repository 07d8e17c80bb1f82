"""What a query's filters mean, and what they let through."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from broker.models import Hit, Recency, SearchQuery
from broker.providers.filters import first_day, hosts, remarks, sift, unmet, whole_hosts

TODAY = date(2026, 11, 30)


def query(**fields: Any) -> SearchQuery:  # noqa: ANN401
    return SearchQuery(text="x", **fields)


def hit(url: str = "https://a.example/", published: str | None = None) -> Hit:
    return Hit(title="", url=url, snippet="", provider="exa", published=published)


def passes(found: Hit, wanted: SearchQuery) -> bool:
    kept, remark = sift([found], wanted, TODAY)
    assert (remark is None) is bool(kept)
    return bool(kept)


@pytest.mark.parametrize(
    ("since", "first"),
    [
        (None, None),
        (Recency.DAY, date(2026, 11, 29)),
        (Recency.WEEK, date(2026, 11, 23)),
        (Recency.MONTH, date(2026, 10, 31)),
        (Recency.YEAR, date(2025, 11, 30)),
        (date(2020, 2, 29), date(2020, 2, 29)),
    ],
)
def test_a_window_is_counted_back_from_today(
    since: Recency | date | None, first: date | None
) -> None:
    assert first_day(query(since=since), TODAY) == first


@pytest.mark.parametrize(
    ("url", "site", "lies_in_it"),
    [
        ("https://a.example/", "a.example", True),
        ("https://docs.a.example/", "a.example", True),
        ("https://www.a.example/", "a.example", True),
        ("https://a.example/", "www.a.example", True),
        ("https://A.Example./", "a.example", True),
        ("https://ba.example/", "a.example", False),
        ("https://a.example.evil.test/", "a.example", False),
        ("https://evil.test/a.example", "a.example", False),
        ("https://a.example/docs/x", "a.example/docs", True),
        ("https://a.example/blog", "a.example/docs", False),
        ("https://xn--bcher-kva.example/", "bücher.example", True),
        ("https://x.edu/", "edu", True),
        ("https://a..example/", "a.example", False),
    ],
)
def test_a_site_is_a_host_with_what_is_below_it(url: str, site: str, lies_in_it: bool) -> None:
    assert passes(hit(url), query(sites=("other.example", site))) is lies_in_it
    assert passes(hit(url), query(not_sites=("other.example", site))) is not lies_in_it


@pytest.mark.parametrize(
    ("published", "kept"),
    [
        ("2026-06-01", True),
        ("2026-06-30T23:59:59Z", True),
        ("2026-05-31", False),
        ("2026-07-01", False),
        ("yesterday", True),
        (None, True),
    ],
)
def test_only_a_date_that_is_stated_can_be_wrong(published: str | None, kept: bool) -> None:
    wanted = query(since=date(2026, 6, 1), until=date(2026, 6, 30))
    assert passes(hit(published=published), wanted) is kept


def test_what_was_left_out_is_counted() -> None:
    hits = [
        hit("https://b.example/"),
        hit(),
        hit(published="2001-01-01"),
        hit("https://c.example/"),
    ]
    wanted = query(sites=("a.example",), since=Recency.YEAR)
    assert sift(hits, wanted, TODAY) == (
        (hits[1],),
        "left out 2 on other sites and 1 of other dates",
    )


def test_hosts_come_without_paths_and_exclusions_only_whole() -> None:
    sites = ("a.example/x", "b.example", "a.example/y", "b.example/")
    assert hosts(sites) == ("a.example", "b.example")
    assert whole_hosts(sites[:2]) == ("b.example",)


def test_remarks_are_joined_and_may_be_none() -> None:
    assert remarks(None, None) is None
    assert remarks("a", None, "b") == "a; b"
    assert unmet(query(lang="de"), region=True) is None
    assert unmet(query(lang="de", region="DE"), lang=True, region=True) == (
        "not filtered by language and region"
    )
