"""When two addresses are the same result, and how pages of results become one list.

Identity is a key for comparing only: no address is ever rewritten in an answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.models import Hit

_WEB_PORTS = frozenset({None, 80, 443})

# Parameters that say where a visitor came from, never what is shown.
_TRACKING = frozenset(
    {
        "_ga", "_gl", "dclid", "fbclid", "gad_source", "gbraid", "gclid", "gclsrc", "igsh",
        "igshid", "mc_cid", "mc_eid", "msclkid", "ref", "ref_", "ref_src", "ref_url", "referer",
        "referrer", "srsltid", "twclid", "wbraid", "yclid",
    }
)  # fmt: skip
_TRACKING_PREFIX = "utm_"

_HOST = re.compile(r"[a-z0-9_.:-]+")
_ROUTE_MARKS = ("/", "!")
"""A fragment that begins so is a page of its own in a single-page application."""

_UNRESERVED_ESCAPE = re.compile(
    r"%(2[DdEe]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9AaEe])"
)
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_ASCII_MARKS = "".join(map(chr, range(0x21, 0x7F)))


def url_identity(url: str) -> str:
    """A key that is equal for addresses of the same page. Idempotent, and never raises.

    Folded are the scheme (http, https), `www.`, the host's case and script, default ports, user
    names, trailing slashes, the order of parameters, percent-escapes; dropped are tracking
    parameters and fragments that are not routes. What is no web address is its own key.
    """
    url = url.encode("utf-8", "replace").decode().strip()
    try:
        parts = urlsplit(url)
        host, port = _host(parts), parts.port
    except ValueError:
        return url
    if parts.scheme not in {"http", "https"} or not host:
        return url
    place = host if port in _WEB_PORTS else f"{host}:{port}"
    return f"https://{place}{_path(parts)}{_query(parts)}{_route(parts)}"


def merge_pages(pages: Sequence[Sequence[Hit]]) -> tuple[Hit, ...]:
    """The hits of all `pages` in page order, each address once: the first one found stays."""
    unique: dict[str, Hit] = {}
    for page in pages:
        for hit in page:
            unique.setdefault(url_identity(hit.url), hit)
    return tuple(unique.values())


def _host(parts: SplitResult) -> str:
    """The host in ASCII and without `www.`; empty when it is none.

    Raises:
        ValueError: A label of it is empty, too long or not allowed.
    """
    host = (parts.hostname or "").rstrip(".").encode("idna").decode().lower()
    if _HOST.fullmatch(host) is None:
        return ""
    while host.startswith("www.") and "." in host[4:]:
        host = host[4:]
    return f"[{host}]" if ":" in host else host


def _path(parts: SplitResult) -> str:
    return _escaped(parts.path).rstrip("/")


def _query(parts: SplitResult) -> str:
    params = sorted(
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name.lower() not in _TRACKING and not name.lower().startswith(_TRACKING_PREFIX)
    )
    return f"?{urlencode(params)}" if params else ""


def _route(parts: SplitResult) -> str:
    fragment = parts.fragment.split(":~:", 1)[0]
    return f"#{_escaped(fragment)}" if fragment.startswith(_ROUTE_MARKS) else ""


def _escaped(text: str) -> str:
    """`text` with escapes only where they are needed, in capitals."""
    previous = ""
    while text != previous:  # decoding may lay bare another escape: %%34%31
        previous = text
        text = _UNRESERVED_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    text = _ESCAPE.sub(lambda match: match[0].upper(), text)
    return quote(text, safe=_ASCII_MARKS)
