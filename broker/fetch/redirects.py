"""Where an answer sends its reader on: `Location`, `Refresh`, and the page that only refreshes.

Pure. Whether the way leads anywhere allowed is the egress policy's to say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from extract.tree import parse, query, visible_text

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_REDIRECTS = 10
MAX_REFRESH_S = 5.0
"""A page that leaves later than this is meant to be read first."""
_STATUSES = frozenset({301, 302, 303, 307, 308})
_MAX_REFRESH_PAGE_BYTES = 64 << 10
_MAX_REFRESH_PAGE_CHARS = 240
"""More words than "you are being redirected, click here" are a page of its own."""

# The URL may be bare, and its `url=` and quotes are often missing or wrong.
_REFRESH = re.compile(
    r"\s*(\d*\.?\d*)\s*[;,\s]\s*(?:url\s*=\s*)?(?:\"([^\"]*)|'([^']*)|(.*))",
    re.IGNORECASE | re.DOTALL,
)
_HINT = re.compile(rb"http-equiv\s*=\s*[\"']?\s*refresh", re.IGNORECASE)
_METAS = query("//meta[@http-equiv and @content][not(ancestor::noscript)]")
_BASES = query("//base[@href]")
_SAFE = "!#$%&'()*+,/:;=?@[]~"


def location(status: int, headers: Mapping[str, str], url: str) -> str | None:
    """Where a redirect leads, as an absolute address; None where the answer is none."""
    where = headers.get("location", "").strip()
    return joined(url, where) if status in _STATUSES and where else None


def refresh(headers: Mapping[str, str], body: bytes, url: str, *, markup: bool) -> str | None:
    """Where a page leads that has nothing to read and soon leaves for another.

    Args:
        headers: with lower-case names.
        body: decoded.
        url: the page's own.
        markup: whether the body is HTML.
    """
    header = headers.get("refresh", "")
    if len(body) > _MAX_REFRESH_PAGE_BYTES or not (header or (markup and _HINT.search(body))):
        return None
    root = parse(body if markup else b"")
    words = visible_text(root) if markup else body.strip()
    if len(words) > _MAX_REFRESH_PAGE_CHARS:
        return None
    bases = [node.get("href") or "" for node in _BASES(root)]
    base = joined(url, bases[0]) if bases else url
    contents = [
        node.get("content") or ""
        for node in _METAS(root)
        if (node.get("http-equiv") or "").strip().lower() == "refresh"
    ]
    found = (_target(header, url), *(_target(content, base) for content in contents))
    return next((where for where in found if where is not None), None)


def joined(base: str, where: str) -> str:
    """`where` as a page at `base` means it, with slashes the way browsers read them."""
    before, mark, query_ = where.partition("?")
    where = quote(before.replace("\\", "/") + mark + query_, safe=_SAFE, errors="replace")
    try:
        return urljoin(base, where)
    except ValueError:
        return where


def split_login(url: str) -> tuple[str, tuple[str, str] | None]:
    """An address without its user and password, and these, percent-decoded."""
    parts = urlsplit(url)
    login, at, host = parts.netloc.rpartition("@")
    if not at:
        return url, None
    user, _, password = login.partition(":")
    return urlunsplit(parts._replace(netloc=host)), (unquote(user), unquote(password))


def is_downgrade(before: str, after: str) -> bool:
    """Whether a step leaves TLS behind."""
    return before.startswith("https:") and after.startswith("http:")


def _target(content: str, base: str) -> str | None:
    found = _REFRESH.match(content)
    if found is None:
        return None
    delay, *places = found.groups()
    where = next((place.strip() for place in places if place and place.strip()), "")
    if not where or float(delay if delay.strip(".") else 0) > MAX_REFRESH_S:
        return None
    return joined(base, where)
