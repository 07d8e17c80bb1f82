"""The reader proxy and the Wayback Machine: how they are asked, and what they answer. Pure.

Both answer 200 for pages that are not there: the reader with a warning in its text, the archive
with a copy of somebody's error page. Parsing only takes the answer apart; whether the copy is what
was asked for is judged like any page.
"""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from broker.http_dates import http_date
from broker.reading.drafts import Draft, from_markdown

if TYPE_CHECKING:
    from broker.reading.parts import Fetched

READER = "reader"
WAYBACK = "wayback"

JSON = "application/json"
"""The reader gives JSON only to those who take nothing else."""

_TARGET_ERROR = re.compile(r"Target URL returned error (\d{3})")
_TARGET_WALL = re.compile(r"captcha|requires? (?:login|authentication)|blocked", re.IGNORECASE)
_PREAMBLE = re.compile(
    r"(Title|URL Source|Published Time|Warning|Number of Pages): ?(.*)|(Markdown Content):\s*"
)
_LISTS = re.compile(
    r"\n\n(?:Images|Links/Buttons):\n(?:- .*(?:\n|\Z)|(?:No [\w/ ]+ found.*(?:\n|\Z)))*\s*\Z"
)
_STAMP = re.compile(r"/web/(\d{14})[a-z_]*/")
_CRAWLED_REDIRECT = b"response at crawl time"
_MAX_BYTES = 10_000_000
_PAUSE_S = 60.0
"""The Wayback Machine rarely says for how long it wants to be left alone, and minds being asked."""

_BY_STATUS = {401: "auth", 402: "quota", 403: "blocked", 404: "not_found", 409: "too_large",
              413: "too_large", 422: "empty", 429: "rate_limited", 451: "blocked"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Copy:
    """A page as an archive has it."""

    url: str
    """The page's own address."""
    status: int | None
    """The page's own status, as far as it is told."""
    draft: Draft | None = None
    """Where the archive has read the page itself."""
    body: bytes = b""
    """Where it gives the page as it was."""
    content_type: str = ""
    taken: datetime | None = None
    """When the copy was made; None for now."""
    walled: bool = False
    """The archive says itself that it was refused."""


@dataclass(frozen=True, slots=True)
class NoCopy:
    """An archive has none, or does not answer."""

    code: str
    """not_found, excluded, rate_limited, auth, quota, blocked, empty, too_large, upstream or
    unparseable"""
    message: str
    retry_after_s: float | None = None


def reader_url(origin: str, url: str) -> str:
    """The address at which the reader shows the page at `url`."""
    return f"{origin.rstrip('/')}/{_bare(url)}"


def wayback_url(origin: str, url: str) -> str:
    """The address of the latest copy of the page at `url`, in its original bytes."""
    return f"{origin.rstrip('/')}/web/2id_/{_bare(url)}"


def read_reader(answer: Fetched, url: str) -> Copy | NoCopy:
    """What the reader says of the page at `url`, in JSON or in its text form."""
    text = answer.body.decode("utf-8", "replace")
    data = _object(text)
    if data is not None and ("data" in data or "code" in data):
        return _reader_json(data, answer, url)
    if not _is_success(answer.status):
        return _refused(answer.status, f"HTTP status {answer.status}", answer)
    return _reader_text(text, url)


def read_wayback(answer: Fetched, url: str, origin: str) -> Copy | NoCopy:
    """What the Wayback Machine has of the page at `url`."""
    stamp = _STAMP.search(answer.final_url)
    taken = http_date(answer.headers.get("memento-datetime", "")) or _stamped(stamp)
    excluded = answer.headers.get("x-archive-wayback-runtime-error", "")
    if excluded:
        return NoCopy("excluded", f"it may not show this page ({excluded.split(':')[0][:60]})")
    if "memento-datetime" not in answer.headers and not (taken and _is_success(answer.status)):
        if answer.status == 404:  # noqa: PLR2004
            return NoCopy("not_found", "it has no copy")
        return _refused(answer.status, f"HTTP status {answer.status}", answer, _PAUSE_S)
    if not answer.final_url.startswith(origin.rstrip("/") + "/"):
        return NoCopy("unparseable", "its copy leads elsewhere")
    if _CRAWLED_REDIRECT in answer.body[:20_000] and len(answer.body) < 20_000:  # noqa: PLR2004
        return NoCopy("not_found", "it has only a redirect")
    body = _inflated(answer.body)
    content_type = answer.headers.get("x-archive-orig-content-type") or answer.content_type
    return Copy(url, answer.status, body=body, content_type=content_type, taken=taken)


def age(taken: datetime, now: datetime) -> str:
    """How old a copy is, in words: `of 2025-01-01, 10 months old`."""
    days = max(0, (now - taken).days)
    if days < 2:  # noqa: PLR2004
        words = "a day old" if days else "less than a day old"
    elif days < 60:  # noqa: PLR2004
        words = f"{days} days old"
    elif days < 730:  # noqa: PLR2004
        words = f"{days // 30} months old"
    else:
        words = f"{days // 365} years old"
    return f"of {taken:%Y-%m-%d}, {words}"


def _bare(url: str) -> str:
    return url.partition("#")[0]


def _is_success(status: int) -> bool:
    return 200 <= status < 300  # noqa: PLR2004


def _object(text: str) -> dict[str, Any] | None:
    if not text.lstrip("\ufeff \r\n\t").startswith("{"):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _reader_json(data: dict[str, Any], answer: Fetched, url: str) -> Copy | NoCopy:
    page = data.get("data")
    code = data.get("code")
    status = code if isinstance(code, int) else answer.status
    if not isinstance(page, dict) or not _is_success(status):
        said = data.get("readableMessage") or data.get("message") or f"HTTP status {status}"
        wait = data.get("retryAfter")
        stated = float(wait) if isinstance(wait, int | float) else None
        return _refused(status, str(said)[:200], answer, stated)
    content = page.get("content")
    if not isinstance(content, str) or not content.strip():
        return NoCopy("empty", "it found no text")
    warning = page.get("warning")
    title, published = page.get("title"), page.get("publishedTime")
    return _copy(
        content,
        url,
        title=title if isinstance(title, str) else "",
        published=published if isinstance(published, str) else None,
        warning=warning if isinstance(warning, str) else "",
    )


def _reader_text(text: str, url: str) -> Copy | NoCopy:
    facts: dict[str, str] = {}
    warnings: list[str] = []
    lines = text.split("\n")
    begin = 0
    for number, line in enumerate(lines):
        match = _PREAMBLE.fullmatch(line.rstrip("\r"))
        if match is None:
            if line.strip():
                break
            continue
        begin = number + 1
        if match[3]:
            break
        if match[1] == "Warning":
            warnings.append(match[2])
        facts.setdefault(match[1], match[2])
    content = _LISTS.sub("", "\n".join(lines[begin:])).strip("\n")
    if not content.strip():
        return NoCopy("empty", "it found no text")
    return _copy(
        content,
        url,
        title=facts.get("Title", ""),
        published=facts.get("Published Time") or None,
        warning="\n".join(warnings),
    )


def _copy(content: str, url: str, *, title: str, published: str | None, warning: str) -> Copy:
    target = _TARGET_ERROR.search(warning)
    draft = from_markdown(content, title=title)
    if published:
        date = http_date(published)
        draft = replace(draft, published=date.isoformat() if date else published[:40])
    return Copy(
        url,
        int(target[1]) if target else 200,
        draft=draft,
        walled=_TARGET_WALL.search(warning) is not None,
    )


def _refused(status: int, message: str, answer: Fetched, pause_s: float | None = None) -> NoCopy:
    code = _BY_STATUS.get(status, "upstream")
    wait = answer.headers.get("retry-after", "")
    stated = float(wait) if wait.isascii() and wait.isdigit() else None
    if code != "rate_limited":
        return NoCopy(code, message)
    return NoCopy(code, message, stated if stated is not None else pause_s)


def _stamped(stamp: re.Match[str] | None) -> datetime | None:
    try:
        return (
            None
            if stamp is None
            else datetime.strptime(stamp[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        )
    except ValueError:
        return None


def _inflated(body: bytes) -> bytes:
    """Copies are sometimes still compressed, whatever their headers say."""
    if not body.startswith(b"\x1f\x8b"):
        return body
    try:
        return zlib.decompressobj(wbits=31).decompress(body, _MAX_BYTES)
    except zlib.error:
        return body
