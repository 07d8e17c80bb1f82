"""Reading JSON answers and telling refusals apart."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.providers.answers import (
    address_of,
    post_json,
    published_of,
    quoted,
    read_json,
    refusal,
    retry_after_s,
    shortened,
)
from broker.providers.base import HttpResponse
from tests.broker.providers.talking import answered

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (answered({}, 400), "bad_request"),
        (answered({}, 401), "auth"),
        (answered({}, 402), "quota"),
        pytest.param(answered({"error": "no"}, 403), "auth", id="403-of-the-service"),
        pytest.param(answered("<html>", 403), "blocked", id="403-of-a-firewall"),
        (answered({}, 404), "bad_request"),
        (answered({}, 408), "upstream"),
        (answered({}, 422), "bad_request"),
        (answered({}, 429), "rate_limited"),
        (answered({}, 500), "upstream"),
        (answered("<html>", 502), "upstream"),
        (answered({}, 503), "upstream"),
        (answered({}, 302), "unparseable"),
        (answered({}, 204), "unparseable"),
    ],
    ids=lambda value: str(value.status) if isinstance(value, HttpResponse) else value,
)
def test_a_status_has_one_meaning(response: HttpResponse, code: str) -> None:
    error = refusal(response, "The service", "", now=NOW)
    assert error.code == code
    assert error.message == f"The service answered {response.status}"
    assert error.transient is (response.status >= 500)


@pytest.mark.parametrize(
    ("stated", "wait_s"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("Mon, 30 Nov 2026 12:02:00 GMT", 120.0),
        ("Mon, 30 Nov 2026 12:02:00 -0000", 120.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("Mon, 30 Nov 20260 12:00:00 GMT", None),
        ("", None),
    ],
)
def test_how_long_a_service_wants_to_be_left_alone(stated: str, wait_s: float | None) -> None:
    response = HttpResponse(status=429, url="", headers={"retry-after": stated})
    assert retry_after_s(response, NOW) == wait_s


def test_a_services_words_are_short_and_hold_no_credential() -> None:
    key = "0123456789"
    said = f"{key} is wrong,\n bearer abcdefgh12345 too. " + "word " * 100
    shown = quoted(said, key, None)
    assert key not in shown
    assert "abcdefgh12345" not in shown
    assert shown.startswith(': "[redacted] is wrong, bearer [redacted] too. word')
    assert len(shown) < 170
    assert quoted("  ") == ""


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("a  b\n\nc", 10, "a b c"),
        ("alpha beta gamma", 11, "alpha beta…"),
        ("alpha beta gamma", 9, "alpha…"),
        ("alphabet", 5, "alph…"),
    ],
)
def test_a_text_is_shortened_between_words(text: str, limit: int, short: str) -> None:
    assert shortened(text, limit) == short


@given(st.text(max_size=40), st.integers(1, 30))
def test_a_shortened_text_is_short(text: str, limit: int) -> None:
    assert len(shortened(text, limit)) <= limit


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://a.example/?b=%25#c", True),
        ("http://[::1]:8/", True),
        ("ftp://a.example/", False),
        ("https://", False),
        ("https://[", False),
        ("a.example", False),
        ("javascript:alert(1)", False),
        (7, False),
        (None, False),
    ],
)
def test_only_web_addresses_count_and_they_stay_as_they_are(url: object, kept: bool) -> None:
    assert address_of({"url": url}, "url") == (url if kept else "")


@pytest.mark.parametrize(
    ("stated", "published"),
    [
        ("2026-06-01T00:00:00+00:00", "2026-06-01"),
        ("2026-06-01T00:00:00.000Z", "2026-06-01"),
        ("2026-06-01T00:00:00", "2026-06-01"),
        ("2026-06-01T00:00:00+08:00", "2026-06-01T00:00:00+08:00"),
        ("2026-06-01T10:20:30Z", "2026-06-01T10:20:30Z"),
        ("last\n week", "last week"),
        ("", None),
        (20260601, None),
    ],
)
def test_midnight_stands_for_the_day(stated: object, published: str | None) -> None:
    assert published_of({"date": stated}, "date") == published


@pytest.mark.parametrize("text", ["", "{", "nul", "[" * 100_000, "\ud800"])
def test_what_is_no_json_is_none(text: str) -> None:
    assert read_json(text) is None


def test_a_request_shows_its_headers_to_nobody() -> None:
    request = post_json("https://a.example/", {"q": "\ud800"}, ("X-Key", "geheim"))
    assert ("X-Key", "geheim") in request.headers
    assert "geheim" not in repr(request)
    assert request.body == b'{"q": "?"}'
