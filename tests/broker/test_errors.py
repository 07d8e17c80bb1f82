"""Errors as data: every field, whatever the error."""

from __future__ import annotations

import pytest

from broker.errors import (
    BodyRefused,
    BrokenOff,
    BrokerError,
    BrowserUnavailable,
    LaneFailed,
    Misdirected,
    NotConnected,
    Phase,
    Refused,
    RequestInvalid,
    TimedOut,
    TlsFailed,
)

URL = "https://a.example/x"

CASES: list[tuple[BrokerError, str]] = [
    (BrokerError("x"), "internal processing processing broker False"),
    (RequestInvalid("x"), "invalid_request validation validation broker False"),
    (Refused("blocked_ssrf", "x"), "blocked_ssrf validation blocked network False"),
    (LaneFailed("captcha", "x"), "captcha processing server site False"),
    (BrowserUnavailable("x"), "browser_unavailable rendering processing broker False"),
    (NotConnected("refused", "x", url=URL), "refused connecting network network True"),
    (NotConnected("dns", "x", url=URL, lasting=True), "dns connecting network network False"),
    (NotConnected("proxy", "x", url=URL), "proxy connecting network proxy True"),
    (TlsFailed("tls_expired", "x", url=URL), "tls_expired tls network site False"),
    (BrokenOff("reset", "x", url=URL, phase=Phase.TLS), "reset tls network network True"),
    (
        BrokenOff("protocol", "x", url=URL, phase=Phase.HEADERS),
        "protocol headers network site False",
    ),
    (TimedOut("x", url=URL, phase=Phase.CONNECTING), "timeout connecting network network True"),
    (TimedOut("x", url=URL, phase=Phase.WAITING), "timeout waiting server site True"),
    (Misdirected("redirect_loop", "x", url=URL), "redirect_loop headers server site False"),
    (BodyRefused("too_large", "x", url=URL), "too_large downloading server site False"),
]


@pytest.mark.parametrize(("error", "said"), CASES, ids=[said for _, said in CASES])
def test_every_error_says_where_it_happened_and_whose_matter_it_is(
    error: BrokerError, said: str
) -> None:
    data: dict[str, object] = {**error.as_data()}
    named = ("code", "phase", "category", "layer", "retryable")
    assert " ".join(str(data[name]) for name in named) == said
    assert data["url"] in {"", URL}
    assert data["message"] == "x"


def test_waits_are_said_in_whole_milliseconds() -> None:
    assert LaneFailed("quota", "x", retry_after_s=1.2345).as_data()["retry_after_ms"] == 1235
    assert LaneFailed("quota", "x").as_data()["retry_after_ms"] is None
    assert LaneFailed("quota", "x", retry_after_s=60).as_data()["retry_after_ms"] == 60_000
