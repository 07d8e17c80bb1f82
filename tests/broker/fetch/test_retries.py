"""When a page is asked for again, and how long that waits."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.fetch.retries import MAX_RETRIES, is_transient, retry_after_s, wait_s

NOON = datetime(2026, 11, 3, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 522])
def test_what_may_be_chance_is_transient(status: int) -> None:
    assert is_transient(status, {})


@pytest.mark.parametrize("status", [200, 304, 400, 401, 403, 404, 410, 451, 501, 505])
def test_an_answer_is_not(status: int) -> None:
    assert not is_transient(status, {})


def test_a_wall_that_calls_itself_busy_is_not() -> None:
    assert not is_transient(503, {"cf-mitigated": "challenge"})


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("", None),
        ("7", 7.0),
        (" 120 ", 120.0),
        ("Tue, 03 Nov 2026 12:01:30 GMT", 90.0),
        ("Tue, 03 Nov 2026 11:00:00 GMT", 0.0),
        ("Tue, 03 Nov 2026 12:01:30 -0000", 90.0),
        ("9" * 5000, 999_999_999.0),
        ("soon", None),
        ("-3", None),
        ("1.5", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(text: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": text}, NOON) == seconds


def test_the_sites_own_clock_counts() -> None:
    headers = {
        "retry-after": "Tue, 03 Nov 2020 12:00:10 GMT",
        "date": "Tue, 03 Nov 2020 12:00:00 GMT",
    }
    assert retry_after_s(headers) == 10.0


@given(text=st.text(max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    seconds = retry_after_s({"retry-after": text, "date": text}, NOON)
    assert seconds is None or seconds >= 0


def test_the_sites_wish_is_obeyed_or_nothing_is_tried() -> None:
    assert wait_s(0, asked_s=5.0, left_s=10.0, chance=0.5) == 5.0
    assert wait_s(0, asked_s=30.0, left_s=10.0, chance=0.5) is None


@given(
    retry=st.integers(0, 5),
    asked_s=st.none() | st.floats(0, 1e6),
    left_s=st.floats(0, 1e6) | st.just(math.inf),
    chance=st.floats(0, 1),
)
def test_no_wait_outlasts_the_budget(
    retry: int, asked_s: float | None, left_s: float, chance: float
) -> None:
    wait = wait_s(retry, asked_s=asked_s, left_s=left_s, chance=chance)
    if retry >= MAX_RETRIES:
        assert wait is None
    elif wait is not None:
        assert (asked_s or 0) <= wait < left_s
