"""What an interface's reply means: its JSON, or why there is none.

A status decides, and headers; the words that come with it are shown and decide nothing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from broker.errors import BrokerError, SiteFailed
from broker.providers.answers import quoted, record, text_of
from broker.redact import safe_url
from broker.sites.base import Reply
from broker.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from broker.sites.base import Text

AGENT = (("User-Agent", f"webaio/{__version__} (search broker; reads single pages on request)"),)
"""For interfaces that want to know who asks, and not to be taken for a browser."""

OK = 200
NOT_FOUND = 404
TOO_MANY = 429
_CODES = {401: "private", 403: "private", NOT_FOUND: "not_found", 410: "gone", 451: "gone"}
_SERVER_ERRORS = 500
_LEAST_WAIT_S = 60.0
_MINUTE_S = 60
_LONG_S = 120
_DAY_S = 86_400
"""Nobody waits longer, and the calendar ends somewhere."""


def object_in(reply: Reply, who: str) -> Mapping[str, object]:
    """The object that a reply's JSON is.

    Raises:
        SiteFailed: the reply is a refusal, or no object.
    """
    check(reply, who)
    value = reply.json()
    if not isinstance(value, dict):
        raise _unreadable(reply, who)
    return value


def list_in(reply: Reply, who: str) -> Sequence[Mapping[str, object]]:
    """The objects in the list that a reply's JSON is.

    Raises:
        SiteFailed: the reply is a refusal, or no list.
    """
    check(reply, who)
    value = reply.json()
    if not isinstance(value, list):
        raise _unreadable(reply, who)
    return objects(value)


def objects(value: object) -> list[Mapping[str, object]]:
    """Those of a list that are objects; none where it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def check(reply: Reply, who: str) -> None:
    """Let a reply pass that is no refusal.

    Raises:
        SiteFailed: it is one.
    """
    status = reply.status
    if status == OK:
        return
    if status == TOO_MANY:
        raise SiteFailed(
            "rate_limited",
            f"{who} answers with the status {status}: too many requests"
            + _in_words(reply.retry_after_s),
            url=safe_url(reply.url),
            retry_after_s=reply.retry_after_s or _LEAST_WAIT_S,
        )
    said = text_of(record(reply.json()), "message", "detail", "error", "messageTranslations")
    code = _CODES.get(status, "upstream" if status >= _SERVER_ERRORS else "unparseable")
    message = f"{who} answers with the status {status}{quoted(said)}"
    raise SiteFailed(code, message, retry_after_s=reply.retry_after_s)


def reply_in(came: Reply | Text | BrokerError) -> Reply:
    """One of several replies.

    Raises:
        BrokerError: there is none.
    """
    if isinstance(came, Reply):
        return came
    if isinstance(came, BrokerError):
        raise came
    raise TypeError("a page was read where a reply was asked for")


def waiting(seconds: float, now: datetime) -> str:
    """How long from `now`, and until when: `in 23 min, at 14:05 UTC`."""
    until = f"{now + timedelta(seconds=min(seconds, _DAY_S)):%H:%M} UTC"
    if seconds < _LONG_S:
        return f"in {seconds:.0f} s, at {until}"
    return f"in {-(-seconds // _MINUTE_S):.0f} min, at {until}"


def _in_words(seconds: float | None) -> str:
    return "" if seconds is None else f"; it asks to wait {seconds:.0f} s"


def _unreadable(reply: Reply, who: str) -> SiteFailed:
    kind = (
        f"JSON of more than {len(reply.body) / 1e6:.0f} MB" if reply.truncated else "no such JSON"
    )
    return SiteFailed("unparseable", f"{who}'s answer is {kind}")
