"""What may leave the process in a trace or a message: queries by hash, addresses without values.

`hashed` and `safe_url` are for the caller who knows what a text is. `redact` is the net under
everything that is written all the same: it masks what looks like a credential. Pure.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import SplitResult, unquote_plus, urlsplit

from broker.secrets import FLAGS, KINDS

HASH_CHARS = 8
"""Hex digits kept: enough to tell a session's queries apart."""

PATH_CHARS = 120
"""Longest path shown."""

SHOWN_PARAMETERS = frozenset({"start", "hl", "gl", "lr", "tbs", "udm"})
"""Query parameters that explain a result page and hold neither words nor tokens."""

NUMBERED = frozenset({"id", "oldid", "page"})
"""Query parameters that say which page is meant; shown where they are numbers."""

_NUMBER = re.compile(r"[0-9]{1,18}")
_SHOWN_VALUE = re.compile(r"[\w:,.|/-]{0,40}")
_SHOWN_NAME = re.compile(r"[A-Za-z_][\w.-]{0,31}")

MASK = "[redacted]"

_CERTAIN = " | ".join(f"(?:{form})" for _, form in KINDS)

# Beside the forms of `broker.secrets` what may be a credential: to mask too much costs little here.
_PERHAPS = r"""
      -----BEGIN\ [A-Z ]*PRIVATE\ KEY----- .*? (?: -----END\ [A-Z ]*PRIVATE\ KEY----- | \Z )
    | (?<= :// ) [^\s/?\#@]+ (?= @ )                              # user and password of an address
    | (?<= \bbearer\s ) [\w.~+/=-]{8,}
    | (?<= \bbasic\s ) [a-z0-9+/=]{12,}
    | \b [psr]k [-_] [\w-]{16,}
    | \b eyJ [\w-]{8,} \. [\w-]{8,}
    """

_NAMED = r"""
    ( (?: api[_-]?key | secret | passw(?:or)?d | passwd | token ) ["']? \s* [=:] \s* ["']? )
    [^\s"'&;,]{6,}
    """


def hashed(text: str) -> str:
    """A stand-in for a query or page text: `sha:` + hash prefix + `/` + length in characters.

    Unsalted, so that a person who knows a query can find its lines: `printf %s QUERY | sha256sum`.
    """
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"sha:{digest[:HASH_CHARS]}/{len(text)}"


def safe_url(url: str) -> str:
    """Scheme, host, path and parameter names of `url`: no userinfo, values or fragment.

    Values stay for the few parameters in `SHOWN_PARAMETERS`, where they look harmless, and for
    those in `NUMBERED`.
    """
    try:
        parts = urlsplit(url)
        host = _host(parts)
    except ValueError:
        return "(unreadable address)"
    if not host:
        return f"{parts.scheme}:…" if parts.scheme else "(no address)"
    path = parts.path if len(parts.path) <= PATH_CHARS else f"{parts.path[:PATH_CHARS]}…"
    names = "&".join(_safe_parameter(*pair) for pair in _pairs(parts.query))
    return f"{parts.scheme}://{host}{path}" + (f"?{names}" if names else "")


def redact(text: str) -> str:
    """`text` with everything that looks like a credential masked."""
    # Compiled (and kept, by `re`) at the first use: a trace is the exception, a start is not.
    text = re.sub(_NAMED, rf"\1{MASK}", text, flags=FLAGS | re.IGNORECASE)
    text = re.sub(_CERTAIN, MASK, text, flags=FLAGS)
    return re.sub(_PERHAPS, MASK, text, flags=FLAGS | re.IGNORECASE)


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    return host if parts.port is None else f"{host}:{parts.port}"


def _pairs(query: str) -> list[tuple[str, str | None]]:
    """Names and values; a part without `=` has the value None, and its name may be anything."""
    pairs: list[tuple[str, str | None]] = []
    for part in query.split("&") if query else ():
        name, equals, value = part.partition("=")
        pairs.append((name, unquote_plus(value) if equals else None))
    return pairs


def _safe_parameter(name: str, value: str | None) -> str:
    if value is None or not _SHOWN_NAME.fullmatch(name):
        return "…"
    form = _SHOWN_VALUE if name in SHOWN_PARAMETERS else _NUMBER if name in NUMBERED else None
    if form is not None and form.fullmatch(value):
        return f"{name}={value}"
    return name
