"""What each setting may be: one line per key of the tree, one line per environment variable.

A check takes a value of the type that the configuration file holds and returns what `Settings`
holds, or raises `UnfitError` with the words for what is allowed. Pure, but for a look whether
what should be a folder is one.
"""

from __future__ import annotations

import math
import re
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from broker.settings import TraceMode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Check: TypeAlias = "Callable[[object], object]"
Reader: TypeAlias = "Callable[[str], Mapping[str, object]]"
"""Reads a variable's text as values for keys of the tree."""


class UnfitError(ValueError):
    """A value that is not allowed; the message completes "… is not"."""


class UnfitSecretError(UnfitError):
    """The same for a value that no message may repeat."""


def _number(low: float, high: float, unit: str) -> Check:
    def check(value: object) -> float:
        # bool is an int to Python; TOML knows nan and inf.
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits or not math.isfinite(value) or not low <= value <= high:  # type: ignore[arg-type,operator]
            raise UnfitError(f"a number of {unit} from {low:g} to {high:g}")
        return float(value)  # type: ignore[arg-type]

    return check


def _whole(low: int, high: int) -> Check:
    def check(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise UnfitError(f"a whole number from {low} to {high}")
        return value

    return check


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise UnfitError("true or false")
    return value


def _path(value: object) -> Path:
    if isinstance(value, str) and value and value.isprintable():
        try:
            return Path(value).expanduser().absolute()
        except RuntimeError as error:
            raise UnfitError("a path whose ~ leads to a home folder") from error
    raise UnfitError("a path")


def _program(value: object) -> Path:
    """A path, or a bare name that is looked up in PATH when it is needed."""
    bare = isinstance(value, str) and value.isprintable() and value and "/" not in value
    return Path(str(value)) if bare and value not in {".", "..", "~"} else _path(value)


def _folder(value: object) -> Path:
    path = _path(value)
    try:
        taken = path.exists() and not path.is_dir()
    except PermissionError:  # whoever makes the folder will say so
        taken = False
    if taken:
        raise UnfitError("a folder but something else")
    return path


def _optional(check: Check) -> Check:
    """Also lets None through, by which a variable takes back what the file says."""
    return lambda value: None if value is None else check(value)


def _address(value: object, schemes: tuple[str, ...], example: str) -> str:
    """A URL with a host and a sensible port, as it stands."""
    allowed = f"an address like {example}"
    if not isinstance(value, str) or not value.isprintable() or " " in value:
        raise UnfitError(allowed)
    try:
        parts = urlsplit(value)
        sound = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:  # port out of range, unbalanced brackets
        sound = False
    if not sound:
        raise UnfitError(allowed)
    return value


def _origin(value: object) -> str:
    url = _address(value, ("http", "https"), "https://host or http://127.0.0.1:8080")
    parts = urlsplit(url)
    if parts.username is not None or parts.password is not None:
        raise UnfitError("an origin without user and password")
    if parts.path not in {"", "/"} or "?" in url or "#" in url:
        raise UnfitError("an origin alone: scheme, host and port, without a path or query")
    return f"{parts.scheme}://{parts.netloc}"


def _key(value: object) -> str:
    """A service's key: it travels in a header, so that it can hold neither spaces nor umlauts."""
    if isinstance(value, str) and value and value.isascii() and value.isprintable():
        key = value.strip()
        if key and " " not in key:
            return key
    raise UnfitSecretError("a key: letters, digits and signs without spaces")


def _words(allowed: str) -> Callable[[object], tuple[str, ...]]:
    def check(value: object) -> tuple[str, ...]:
        if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
            return tuple(each.strip() for each in value)
        raise UnfitError(allowed)

    return check


def _ranges(value: object) -> tuple[str, ...]:
    allowed = 'a list of address ranges like ["10.0.0.0/8", "fd00::/8"]'
    return tuple(_range(each, allowed) for each in _words(allowed)(value))


def _range(text: str, allowed: str) -> str:
    try:
        return str(ip_network(text))
    except ValueError:
        pass
    try:
        meant = ip_network(text, strict=False)
    except ValueError as error:
        raise UnfitError(f"{allowed}: {text[:40]!r} is none") from error
    raise UnfitError(f"{allowed}: {text!r} has bits behind its prefix, {meant} has not")


def _proxy(value: object) -> str:
    """A proxy's address; without a scheme it is an http one, as everybody takes it."""
    allowed = "a proxy's address like http://user:password@proxy:3128"
    url = value if isinstance(value, str) else ""
    url = url if "://" in url else f"http://{url}"
    try:
        return _address(url, PROXY_SCHEMES, "")
    except UnfitError as error:
        raise UnfitSecretError(allowed) from error


def _cdp_endpoint(value: object) -> str:
    return _address(value, ("http", "https", "ws", "wss"), "http://127.0.0.1:9222")


def _trace_mode(value: object) -> TraceMode:
    try:
        return TraceMode(value)  # type: ignore[arg-type]
    except ValueError as error:
        raise UnfitError("one of " + ", ".join(TraceMode)) from error


ORIGINS = (
    "google",
    "deepseek",
    "exa",
    "exa_mcp",
    "ddg",
    "ddg_lite",
    "zai",
    "arxiv",
    "hn",
    "jina",
    "wayback",
)
"""What has an address that can be set: `providers.<name>_url`, `PI_WEBAIO_<NAME>_URL`."""

SITES = (
    "fxtwitter",
    "github",
    "github_raw",
    "stackexchange",
    "wikipedia",
    "pypi",
    "npm",
    "crates",
    "youtube",
)
"""The same of the sites: `sites.<name>_url`."""

PROXY_SCHEMES = ("http", "https", "socks4", "socks4a", "socks5", "socks5h")
"""What a variable may name. Which of them can be used is for `broker.egress` to say, and only when
a page is read: the variables are meant for other programs as well."""

KEYS = ("deepseek", "exa", "zai")
"""Who wants a key: `providers.<name>_api_key`, `<NAME>_API_KEY`."""

CHECKS: Mapping[str, Check] = {
    "home": _folder,
    "lanes.search_deadline_s": _number(0.5, 600, "seconds"),
    "lanes.google_lane_s": _number(0.5, 600, "seconds"),
    "lanes.reserve_s": _number(0, 5, "seconds"),
    "lanes.hedge_after_s": _number(0, 600, "seconds"),
    "lanes.pages_in_flight": _whole(1, 8),
    "lanes.cooldown_first_s": _number(1, 86_400, "seconds"),
    "lanes.cooldown_max_s": _number(1, 604_800, "seconds"),
    "browser.enabled": _flag,
    "browser.executable": _optional(_program),
    "browser.cdp_url": _optional(_cdp_endpoint),
    "browser.tabs": _whole(1, 32),
    "browser.max_uses": _whole(1, 1_000_000),
    "browser.max_rss_mb": _whole(200, 1_000_000),
    **{f"providers.{name}_url": _origin for name in ORIGINS},
    **{f"providers.{name}_api_key": _optional(_key) for name in KEYS},
    "providers.exa_free_per_day": _whole(0, 1_000_000),
    "providers.paid_hedges": _flag,
    "store.max_age_days": _number(0.01, 3650, "days"),
    "store.max_documents": _whole(0, 100_000),
    "store.max_mb": _whole(1, 100_000),
    "store.hot_documents": _whole(0, 10_000),
    "reading.fetch_deadline_s": _number(0.5, 600, "seconds"),
    "reading.archives": _flag,
    "reading.fresh_for_s": _number(0, 604_800, "seconds"),
    "reading.answer_kb": _whole(2, 10_000),
    "reading.host_gap_s": _number(0, 60, "seconds"),
    **{f"sites.{name}_url": _optional(_origin) for name in SITES if name == "wikipedia"},
    **{f"sites.{name}_url": _origin for name in SITES if name != "wikipedia"},
    "sites.github_token": _optional(_key),
    "egress.allow_ranges": _ranges,
    "egress.http_proxy": _optional(_proxy),
    "egress.https_proxy": _optional(_proxy),
    "egress.no_proxy": _words('a list of hosts like ["localhost", ".example.com"]'),
    "trace.mode": _trace_mode,
    "trace.path": _optional(_path),
}
"""Every key of the tree that can be set."""


def _text(key: str) -> Reader:
    """The variable holds the key's text; an empty one is as good as none."""
    return lambda text: {key: text.strip()} if text.strip() else {}


def _list(key: str) -> Reader:
    """The variable holds words between commas or blanks."""

    def read(text: str) -> dict[str, object]:
        words = [word for word in re.split(r"[\s,]+", text) if word]
        return {key: words} if words else {}

    return read


def _proxies(*schemes: str) -> Reader:
    keys = tuple(f"egress.{scheme}_proxy" for scheme in schemes)
    return lambda text: dict.fromkeys(keys, text.strip()) if text.strip() else {}


def _switch(key: str) -> Reader:
    words = {"1": True, "on": True, "true": True, "0": False, "off": False, "false": False}

    def read(text: str) -> dict[str, object]:
        word = text.strip().lower()
        if word and word not in words:
            raise UnfitError("0 or 1")
        return {key: words[word]} if word else {}

    return read


def _debug(text: str) -> dict[str, object]:
    modes = {
        "": TraceMode.OFF,
        "0": TraceMode.OFF,
        "off": TraceMode.OFF,
        "1": TraceMode.HUMAN,
        "json": TraceMode.JSON,
    }
    form = text.strip()
    if form.lower() in modes:
        return {"trace.mode": modes[form.lower()], "trace.path": None}
    if form.endswith(".json"):
        return {"trace.mode": TraceMode.CHROME, "trace.path": form}
    raise UnfitError(
        "0 (off), 1 (lines for a person), json (lines of JSON) or a path ending in .json"
    )


VARIABLES: Mapping[str, Reader] = {
    "PI_WEBAIO_HOME": _text("home"),
    "PI_WEBAIO_DEBUG": _debug,
    "PI_WEBAIO_CDP_BROKER": _switch("browser.enabled"),
    "PI_WEBAIO_CHROME": _text("browser.executable"),
    "PI_WEBAIO_CDP_URL": _text("browser.cdp_url"),
    **{f"PI_WEBAIO_{name.upper()}_URL": _text(f"providers.{name}_url") for name in ORIGINS},
    **{f"PI_WEBAIO_{name.upper()}_URL": _text(f"sites.{name}_url") for name in SITES},
    "PI_WEBAIO_GITHUB_TOKEN": _text("sites.github_token"),
    **{f"{name.upper()}_API_KEY": _text(f"providers.{name}_api_key") for name in KEYS},
    "PI_WEBAIO_ALLOW_RANGES": _list("egress.allow_ranges"),
    # The later one wins: what is said of one scheme, and what is written in lower case.
    "ALL_PROXY": _proxies("http", "https"),
    "all_proxy": _proxies("http", "https"),
    "HTTP_PROXY": _proxies("http"),
    "http_proxy": _proxies("http"),
    "HTTPS_PROXY": _proxies("https"),
    "https_proxy": _proxies("https"),
    "NO_PROXY": _list("egress.no_proxy"),
    "no_proxy": _list("egress.no_proxy"),
}
"""What the environment can set, apart from `PI_WEBAIO_CONFIG`, which names the file."""
