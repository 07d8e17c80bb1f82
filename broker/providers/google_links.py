"""Google's own addresses: what a link on its pages leads to, and which pages are its own.

Three kinds of result link are met. Direct ones are taken as they are; `/url?q=` wrappers state
their target; `/goto?url=` tokens (since 2026) are opaque, and only an inline script of the same
page may still say where they lead.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qs, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HOME = "https://www.google.com"
"""The origin where nothing else is configured."""

_OWN_HOST = re.compile(
    r"(?:(?:www|consent|sorry|ipv4|ipv6)\.)?google\.(?:com|cat|[a-z]{2}|com?\.[a-z]{2})"
)

_CONTROL_PATHS = frozenset({"/aclk", "/goto", "/imgres", "/pagead/aclk", "/search", "/url"})
"""What Google's own hosts serve as part of the search; whatever else they have may be a result."""

# The data of the page's result menus holds `…,"/goto?url\u003dTOKEN"],["https://real","Title",…`.
_STRING = r'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+"'
_GOTO_PAIR = re.compile(
    rf'(?="(?:https://www\.google\.[a-z.]+)?/goto\?url)({_STRING})\],\[(?="https?:)({_STRING})'
)
_TITLE_PAIR = re.compile(rf'\[(?="https?:)({_STRING}),({_STRING}),')

_OFFSET = re.compile(r"\d{1,6}")
_TEXT_FRAGMENT = re.compile(r"#?:~:text=.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class GotoTargets:
    """What a page still says about the real targets of its opaque links."""

    by_token: Mapping[str, str]
    by_title: Mapping[tuple[str, str], str]
    """By host without `www.` and title, where these two name one address only."""


NO_TARGETS = GotoTargets({}, {})


def is_own_host(url: str, origin: str) -> bool:
    """Whether a Google tab may visit `url`.

    That is Google's search, consent and captcha hosts in any country, and the configured
    `origin`'s host on any port. Hosts that serve other people's pages (sites, docs, translate)
    are not among them.
    """
    host = split_url(url).hostname or ""
    return host != "" and (
        _OWN_HOST.fullmatch(host) is not None or host == split_url(origin).hostname
    )


def reachable_hosts(origin: str) -> tuple[str, ...]:
    """The same as patterns, with the hosts that result pages load scripts from.

    `?` stands for one character: the national domains are `google.de`, `google.co.uk` and
    `google.com.br`.
    """
    host = split_url(origin).hostname or ""
    own = f"[{host}]" if ":" in host else host
    services = ("www", "consent", "sorry", "ipv4", "ipv6")
    domains = ("google.com", "google.??", "google.co.??", "google.com.??")
    return (own, *(f"{s}.{d}" for s in services for d in domains), *domains, "*.gstatic.com")


def page_identity(url: str) -> tuple[str, str, str, int]:
    """What makes a result page the one that was asked for: host, path, query, start offset.

    Everything else in the address (stamps, tokens, the interface language) may differ between
    what was asked and what is shown.
    """
    parts = split_url(url)
    params = parse_qs(parts.query)
    return (
        parts.hostname or "",
        parts.path,
        " ".join(params.get("q", [""])[0].split()),
        start_offset(url),
    )


def start_offset(url: str) -> int:
    """The offset of the first result that `url` asks for; 0 where it names none."""
    value = parse_qs(split_url(url).query).get("start", ["0"])[0]
    return int(value) if _OFFSET.fullmatch(value) else 0


def is_result_page(url: str, base: str) -> bool:
    """Whether `url` leads to a numbered page of the search at `base`."""
    parts = split_url(url)
    return parts.path == "/search" and is_own_host(url, base) and "start" in parse_qs(parts.query)


def is_absolute(url: str) -> bool:
    """Whether `url` names a web host."""
    parts = split_url(url)
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def absolute(href: str, base: str) -> str:
    """`href` as seen from the page at `base`, or an empty string when it is no address.

    An absolute one is left exactly as it is written.
    """
    href = href.strip()
    if href.startswith(("https://", "http://")):
        return href
    try:
        return urljoin(base, href)
    except ValueError:
        return ""


def unwrapped(url: str, base: str) -> str:
    """The target of a `/url?q=` wrapper on the page at `base`; any other `url` as it is.

    A text fragment (`#:~:text=`) is cut; nothing else is changed.
    """
    parts = split_url(url)
    if parts.path == "/url" and is_own_host(url, base):
        params = parse_qs(parts.query)
        url = next((params[name][0] for name in ("q", "url") if name in params), url)
    return _TEXT_FRAGMENT.sub("", url)


def goto_token(url: str, base: str) -> str | None:
    """The token of a `/goto?url=` address on the page at `base`, or None for any other address."""
    if split_url(url).path != "/goto" or not is_own_host(url, base):
        return None
    return _token(url)


def goto_targets(scripts: Iterable[str]) -> GotoTargets:
    """Where the tokens lead, as far as the page's inline `scripts` say it."""
    by_token: dict[str, str] = {}
    by_title: dict[tuple[str, str], str] = {}
    ambiguous: set[tuple[str, str]] = set()
    for script in scripts:
        if "/goto?url" not in script:
            continue
        for raw_goto, raw_url in _GOTO_PAIR.findall(script):
            if token := _token(json.loads(raw_goto)):
                by_token[token] = json.loads(raw_url)
        for raw_url, raw_title in _TITLE_PAIR.findall(script):
            target = json.loads(raw_url)
            key = bare_host(target), json.loads(raw_title)
            if by_title.setdefault(key, target) != target:
                ambiguous.add(key)
    for key in ambiguous:
        del by_title[key]
    return GotoTargets(by_token, by_title)


def _token(url: str) -> str | None:
    return parse_qs(split_url(url).query).get("url", [None])[0]


def bare_host(url: str) -> str:
    """The host of `url` without `www.`, or an empty string."""
    return (split_url(url).hostname or "").removeprefix("www.")


def leads_away(url: str, base: str) -> bool:
    """Whether `url` is a result's target rather than a control of the result page at `base`.

    Google's own hosts count as results where they are not the search itself: Flights, Finance
    and Maps lists are shown as ordinary results.
    """
    parts = split_url(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return False
    return parts.path not in _CONTROL_PATHS or not is_own_host(url, base)


def split_url(url: str) -> SplitResult:
    """The parts of `url`; all empty when it cannot be read. Never raises."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # checked only when it is read
    except ValueError:
        return urlsplit("")
    return parts
