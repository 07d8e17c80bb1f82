"""Reading what a JSON service answered, and telling its refusals apart.

No shape is promised, so a field of the wrong type counts as one that is not there. A refusal is
known by its HTTP status; the words that come with it are shown and decide nothing.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from broker.errors import LaneFailed
from broker.http_dates import http_date
from broker.models import Serp, SerpState
from broker.providers.base import HttpRequest
from broker.redact import MASK, redact
from broker.version import __version__
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from broker.models import Hit
    from broker.providers.base import HttpResponse

SNIPPET_CHARS = 800
"""Longest snippet: ten of them leave room for the rest of an answer."""
MAX_SAID_CHARS = 160
"""Longest part of a service's own words that a message repeats."""

OK = 200
_CODES = {401: "auth", 402: "quota", 408: "upstream", 429: "rate_limited"}
_FORBIDDEN = 403
_CLIENT_ERRORS = range(400, 500)
_SERVER_ERRORS = range(500, 600)

_MOST = 10**18

_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)T00:00:00(?:\.0+)?(?:Z|\+00:00)?")


def post_json(url: str, body: object, *headers: tuple[str, str]) -> HttpRequest:
    """A request that sends `body` as JSON."""
    return HttpRequest(
        url=url,
        method="POST",
        headers=(
            ("Content-Type", "application/json"),
            ("User-Agent", f"webaio/{__version__}"),
            *headers,
        ),
        body=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
    )


def read_json(text: str) -> object:
    """The value that `text` is the JSON of; None when it is none. Never raises."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def as_text(page: str | bytes) -> str:
    """A saved answer as text."""
    return page if isinstance(page, str) else page.decode("utf-8-sig", "replace")


def record(value: object) -> Mapping[str, object]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def text_of(fields: Mapping[str, object], *names: str) -> str:
    """The first of the named fields that is a text and not empty; else an empty one."""
    values = (value for name in names if isinstance(value := fields.get(name), str) and value)
    return _encodable(next(values, ""))


def texts_of(fields: Mapping[str, object], name: str) -> list[str]:
    """The texts in a field that is a list."""
    value = fields.get(name)
    items = value if isinstance(value, list) else []
    return [_encodable(item) for item in items if isinstance(item, str)]


def number_of(fields: Mapping[str, object], name: str) -> float | None:
    """A field that is a number of no more than 18 digits: what is larger counts nothing."""
    value = fields.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if -_MOST < value < _MOST else None


def address_of(fields: Mapping[str, object], name: str) -> str:
    """A field that is the address of a web page, exactly as it stands; empty otherwise."""
    url = text_of(fields, name)
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in {"http", "https"} and parts.netloc else ""


def published_of(fields: Mapping[str, object], name: str) -> str | None:
    """When a page was published; midnight in UTC stands for the day alone."""
    text = fold(text_of(fields, name))
    match = _MIDNIGHT.fullmatch(text)
    return match[1] if match else text or None


def hits_of(results: object, read: Callable[[Mapping[str, object]], Hit | None]) -> tuple[Hit, ...]:
    """Those of `results` that `read` makes a hit of; none when it is no list."""
    items = map(record, results if isinstance(results, list) else [])
    return tuple(hit for item in items if (hit := read(item)) is not None)


def some_hits_of(
    results: list[object], read: Callable[[Mapping[str, object]], Hit | None], service: str
) -> tuple[Hit, ...]:
    """The same, where results that nobody can read are no empty answer.

    Raises:
        LaneFailed: `unparseable`: there are results, and not one of them could be read.
    """
    hits = hits_of(results, read)
    if results and not hits:
        raise LaneFailed("unparseable", f"none of {service}'s results could be read")
    return hits


def saved_serp(text: str, hits: tuple[Hit, ...], *, is_empty: bool, is_refusal: bool) -> Serp:
    """What a saved answer is, whose `hits` have been read."""
    if hits:
        return Serp(state=SerpState.RESULTS, hits=hits)
    if is_empty:
        return Serp(state=SerpState.NO_RESULTS)
    if is_refusal:
        return Serp(state=SerpState.BLOCKED)
    return Serp(state=SerpState.UNPARSEABLE if text.strip() else SerpState.BLANK)


def shortened(text: str, limit: int = SNIPPET_CHARS) -> str:
    """`text` on one line and within `limit` characters, cut between words where it has to be."""
    text = fold(text)
    if len(text) <= limit:
        return text
    head, space, _ = text[:limit].rpartition(" ")
    return f"{head if space else text[: limit - 1]}…"


def refusal(
    response: HttpResponse,
    service: str,
    said: str,
    *secrets: str | None,
    now: datetime,
    code: str | None = None,
) -> LaneFailed:
    """What a status other than 200 means.

    Args:
        response: what came.
        service: the provider's name for a person.
        said: the service's own words, which may be empty.
        secrets: what must not be repeated, should the service do so.
        now: the time of the call, from which a date in `Retry-After` is counted.
        code: the lane code, where the service says it more exactly than the status does.
    """
    return LaneFailed(
        code or status_code(response),
        f"{service} answered {response.status}{quoted(said, *secrets)}",
        retry_after_s=retry_after_s(response, now),
        transient=response.status in _SERVER_ERRORS,
    )


def status_code(response: HttpResponse) -> str:
    """The lane code for a status that is not 200."""
    status = response.status
    if status == _FORBIDDEN:  # a service's own refusal is JSON; a firewall before it sends a page
        return "auth" if record(read_json(response.text)) else "blocked"
    if status in _CLIENT_ERRORS:
        return _CODES.get(status, "bad_request")
    return "upstream" if status in _SERVER_ERRORS else "unparseable"


def quoted(said: str, *secrets: str | None) -> str:
    """`: "said"` for the end of a message, short and without credentials; or nothing."""
    for secret in filter(None, secrets):
        said = said.replace(secret, MASK)
    said = shortened(redact(said), MAX_SAID_CHARS)
    return f': "{said}"' if said else ""


def retry_after_s(response: HttpResponse, now: datetime) -> float | None:
    """Seconds until the service wants to be asked again, where it says so."""
    stated = response.headers.get("retry-after", "").strip()
    try:
        wait_s = float(stated)
    except ValueError:
        wait_s = _seconds_until(stated, now)
    return max(0.0, wait_s) if math.isfinite(wait_s) else None


def _encodable(text: str) -> str:
    """`text` without lone surrogates, which JSON may hold and UTF-8 may not."""
    return text.encode("utf-8", "replace").decode()


def _seconds_until(stated: str, now: datetime) -> float:
    moment = http_date(stated)
    return math.nan if moment is None else (moment - now).total_seconds()
