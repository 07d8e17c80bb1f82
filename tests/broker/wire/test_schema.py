"""What a client may ask for, and how it is told that it may not."""

from __future__ import annotations

import math
from contextlib import suppress
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.errors import RequestInvalid
from broker.models import Recency, SearchQuery, SearchRequest
from broker.wire.codes import LANGUAGES, REGIONS
from broker.wire.schema import parse_cancel, parse_progress, parse_search


def parsed(**params: object) -> SearchRequest:
    return parse_search({"query": "cats", **params})


def test_the_defaults() -> None:
    assert parse_search({"query": "cats"}, deadline_s=4.5) == SearchRequest(
        queries=(SearchQuery(text="cats"),), providers=("auto",), deadline_s=4.5
    )


def test_everything_that_can_be_asked_for() -> None:
    params = {
        "queries": ["  big \n cats ", "dogs"],
        "max": 30,
        "providers": "google",
        "sites": ["Example.com", "example.org/Docs"],
        "not_sites": "spam.example",
        "since": "2024",
        "until": "2024-02",
        "lang": "EN",
        "region": "de",
        "deadline_ms": 2500,
        "progress": True,
    }
    filters: dict[str, Any] = {
        "max_hits": 30,
        "sites": ("example.com", "example.org/Docs"),
        "not_sites": ("spam.example",),
        "since": date(2024, 1, 1),
        "until": date(2024, 2, 29),
        "lang": "en",
        "region": "DE",
    }

    assert parse_search(params) == SearchRequest(
        queries=(SearchQuery(text="big cats", **filters), SearchQuery(text="dogs", **filters)),
        providers=("google",),
        deadline_s=2.5,
    )
    assert parse_progress(params)


def test_null_is_the_same_as_leaving_a_param_out() -> None:
    params = dict.fromkeys(["max", "providers", "sites", "since", "lang", "deadline_ms"])

    assert parsed(**params) == parsed()


@pytest.mark.parametrize(
    ("value", "since"),
    [
        ("day", Recency.DAY),
        ("Week", Recency.WEEK),
        ("month", Recency.MONTH),
        ("year", Recency.YEAR),
        ("2024", date(2024, 1, 1)),
        ("2024-11", date(2024, 11, 1)),
        (" 2024-11-30 ", date(2024, 11, 30)),
    ],
)
def test_since_begins_with_the_first_day(value: str, since: object) -> None:
    assert parsed(since=value).queries[0].since == since


@pytest.mark.parametrize(
    ("value", "until"),
    [
        ("2023", date(2023, 12, 31)),
        ("2023-02", date(2023, 2, 28)),
        ("2024-02", date(2024, 2, 29)),
        ("9999", date(9999, 12, 31)),
        ("2024-11-30", date(2024, 11, 30)),
    ],
)
def test_until_ends_with_the_last_day(value: str, until: date) -> None:
    assert parsed(until=value).queries[0].until == until


def test_a_range_of_one_day_is_a_range() -> None:
    query = parsed(since="2024-05-05", until="2024-05-05").queries[0]

    assert query.since == query.until


@pytest.mark.parametrize(
    ("value", "site"),
    [
        ("example.com", "example.com"),
        ("EXAMPLE.com/", "example.com"),
        ("example.com/Docs/api", "example.com/Docs/api"),
        ("edu", "edu"),
        ("münchen.example", "münchen.example"),
        ("a_b.example", "a_b.example"),
        ("127.0.0.1", "127.0.0.1"),
    ],
)
def test_a_site_is_a_host_or_a_host_and_a_path(value: str, site: str) -> None:
    assert parsed(sites=[value]).queries[0].sites == (site,)


@pytest.mark.parametrize(
    ("value", "providers"),
    [
        ("auto", ("auto",)),
        ("ALL", ("all",)),
        ("google", ("google",)),
        (["google", " google"], ("google",)),
        ("google,google", ("google",)),
    ],
)
def test_providers_are_named_once_each(value: object, providers: tuple[str, ...]) -> None:
    assert parsed(providers=value).providers == providers


WRONG_QUERIES: list[tuple[str, dict[str, object], str, str]] = [
    ("no query", {}, "query", "query is missing"),
    ("null", {"query": None}, "query", "query is missing"),
    ("empty", {"query": ""}, "query", "the query is empty"),
    ("blank", {"query": " \n\t "}, "query", "the query is empty"),
    ("a number", {"query": 7}, "query", "must be a string, not a number"),
    ("a list", {"query": ["a"]}, "query", "must be a string, not a list"),
    ("long", {"query": "x" * 10_000}, "query", "has 10000 characters; the limit is 2048"),
    ("NUL", {"query": "ab\x00"}, "query", "control character, U+0000, at character 3"),
    ("ESC", {"query": "a\x1b[31m"}, "query", "control character, U+001B, at character 2"),
    ("C1 control", {"query": "\x85"}, "query", "control character, U+0085, at character 1"),
    ("surrogate", {"query": "a\udcff"}, "query", "lone surrogate, U+DCFF, at character 2"),
    ("both", {"query": "a", "queries": ["b"]}, "queries", "not both"),
    ("none listed", {"queries": []}, "queries", "must be 1 to 6, not 0"),
    ("seven", {"queries": ["a"] * 7}, "queries", "must be 1 to 6, not 7"),
    ("second empty", {"queries": ["a", " "]}, "queries", "query 2 is empty"),
    ("second a number", {"queries": ["a", 1]}, "queries", "queries must be a string"),
    ("an object", {"queries": {"a": 1}}, "queries", "a list of strings, not an object"),
]

_A_HOST = "is not a host name"
_A_DAY = "is no day of the calendar"
_FORMS = "YYYY, YYYY-MM or YYYY-MM-DD"
_BUDGET = "deadline_ms must be 100 to 60000 ms"

WRONG_PARAMS: list[tuple[str, object, str]] = [
    ("max", 0, "max must be 1 to 100, not 0"),
    ("max", 1000, "max must be 1 to 100, not 1000"),
    ("max", 10**30, "max must be 1 to 100"),
    ("max", 1.5, "max must be a whole number"),
    ("max", "10", "max must be a whole number, not a string"),
    ("max", True, "max must be a whole number, not a boolean"),
    ("providers", "gogle", "unknown provider 'gogle'; known are auto, all, google"),
    ("providers", "auto,google", "auto goes with no other provider"),
    ("providers", [], "no provider is named"),
    ("providers", "", "unknown provider ''"),
    ("providers", 3, "must be a string or a list of strings, not a number"),
    ("sites", "https://example.com/", "has a scheme"),
    ("sites", "", "has no host name"),
    ("sites", "/docs", "has no host name"),
    ("sites", "example.com:8080", "has more than a host name"),
    ("sites", "me@example.com", "has more than a host name"),
    ("sites", "exa mple.com", _A_HOST),
    ("sites", "example..com", _A_HOST),
    ("sites", "-example.com", _A_HOST),
    ("sites", "*.example.com", _A_HOST),
    ("sites", "a.com, b.com", _A_HOST),
    ("sites", "x" * 64, _A_HOST),
    ("sites", ".".join(["x" * 60] * 5), "is longer than 253 characters"),
    ("sites", "example.com/a b", "in its path"),
    ("sites", 'example.com/" OR x', "in its path"),
    ("sites", "example.com/a?b=c", "has a query string"),
    ("not_sites", ["a b"], _A_HOST),
    ("since", "yesterday", f"day, week, month, year, {_FORMS}"),
    ("since", "2024-13", _A_DAY),
    ("since", "2023-02-29", _A_DAY),
    ("since", "0000", _A_DAY),
    ("since", "24", _FORMS),
    ("since", "2024-1-1", _FORMS),
    ("since", "\u0662\u0660\u0662\u0664", _FORMS),
    ("since", 2024, "since must be a string, not a number"),
    ("until", "week", f"until must be {_FORMS}"),
    ("lang", "english", "ISO 639-1"),
    ("lang", "jp", "not 'jp'"),
    ("lang", "en-US", "ISO 639-1"),
    ("region", "UK", "not 'UK'"),
    ("region", "Germany", "ISO 3166"),
    ("deadline_ms", 99, f"{_BUDGET}, not 99 ms"),
    ("deadline_ms", 60_001, _BUDGET),
    ("deadline_ms", -1, _BUDGET),
    ("deadline_ms", math.nan, _BUDGET),
    ("deadline_ms", math.inf, _BUDGET),
    ("deadline_ms", "7000", "must be a number of milliseconds, not a string"),
    ("deadline_ms", False, "must be a number of milliseconds, not a boolean"),
    ("maximum", 3, "unknown param 'maximum'; known are query, queries, max"),
]


def refusal(params: dict[str, object]) -> RequestInvalid:
    with pytest.raises(RequestInvalid) as caught:
        parse_search(params)
    assert len(caught.value.message) < 300
    assert caught.value.message.isprintable()
    return caught.value


@pytest.mark.parametrize(
    ("params", "field", "message"), [pytest.param(*row, id=name) for name, *row in WRONG_QUERIES]
)
def test_a_wrong_query_is_told_apart(params: dict[str, object], field: str, message: str) -> None:
    error = refusal(params)

    assert error.field == field
    assert message in error.message


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [pytest.param(*row, id=f"{row[0]}={str(row[1])[:70]}") for row in WRONG_PARAMS],
)
def test_a_wrong_param_is_named_with_its_value(name: str, value: object, message: str) -> None:
    error = refusal({"query": "cats", name: value})

    assert error.field == name
    assert message in error.message


def test_since_may_not_be_later_than_until() -> None:
    error = refusal({"query": "cats", "since": "2024-06", "until": "2024-05"})

    assert error.message == "since (2024-06-01) is later than until (2024-05-31)"


def test_a_huge_name_or_value_is_shown_shortened() -> None:
    assert refusal({"query": "cats", "x" * 1_000_000: 1}).field == "x" * 60
    assert refusal({"query": "cats", "since": "\x1b" * 1_000_000}).field == "since"


def test_progress_is_asked_for_with_true() -> None:
    assert parse_progress({"query": "cats", "progress": True})
    assert not parse_progress({"query": "cats", "progress": False})
    assert not parse_progress({"query": "cats"})
    with pytest.raises(RequestInvalid, match="true or false, not a number"):
        parse_progress({"query": "cats", "progress": 1})


@given(st.dictionaries(st.text(max_size=5), st.none() | st.text() | st.integers() | st.floats()))
def test_no_params_make_it_raise_anything_else(params: dict[str, object]) -> None:
    with suppress(RequestInvalid):
        parse_search(params)


@given(st.text(max_size=50))
def test_an_accepted_query_is_folded_and_stays_as_it_is(text: str) -> None:
    try:
        folded = parse_search({"query": text}).queries[0].text
    except RequestInvalid:
        return
    assert folded == " ".join(folded.split())
    assert parse_search({"query": folded}).queries[0].text == folded


def test_the_code_lists_are_whole() -> None:
    assert len(LANGUAGES) == 183
    assert len(REGIONS) == 249


def test_cancel_names_a_request() -> None:
    assert parse_cancel({"id": "a"}) == "a"
    wrong_ones: list[dict[str, object]] = [{}, {"id": True}, {"id": []}, {"id": 1, "x": 2}]
    for wrong in wrong_ones:
        with pytest.raises(RequestInvalid):
            parse_cancel(wrong)
