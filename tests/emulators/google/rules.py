"""Which state the loopback Google answers in, by query, page and visit.

A state is chosen by a rule or by magic words in the query itself; rules come first, then the
query's own words, then `ok`. README.md in this folder's parent lists all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from tests.emulators.words import Rule, read_bytes, read_rule, take_words

DEFAULT_BYTES = 300_000
DEFAULT_TOTAL = 33
HUGE_BYTES = 12_000_000


class Mode(StrEnum):
    OK = "ok"
    # Pages without results, or with other results than asked for.
    NO_RESULTS = "noresults"
    DID_YOU_MEAN = "didyoumean"
    CHANGED = "changed"
    REPEAT = "repeat"
    DUPLICATES = "duplicates"
    # Walls.
    CAPTCHA = "captcha"
    CAPTCHA_SIMPLE = "captcha_simple"
    CONSENT = "consent"
    CONSENT_HOST = "consent_host"
    CONSENT_LANG = "consent_lang"
    CONSENT_LOOP = "consent_loop"
    OVERLAY = "overlay"
    OVERLAY_EMPTY = "overlay_empty"
    OVERLAY_LANG = "overlay_lang"
    OVERLAY_STUCK = "overlay_stuck"
    BOOTSTRAP = "bootstrap"
    BOOTSTRAP_SILENT = "bootstrap_silent"
    BOOTSTRAP_TROUBLE = "bootstrap_trouble"
    BOOTSTRAP_LOOP = "bootstrap_loop"
    UNSUPPORTED = "unsupported"
    BLOCKED = "blocked"
    BLANK = "blank"
    BLANK_HTML = "blank_html"
    SERVER_ERROR = "http500"
    TOO_MANY = "http429"
    # The network.
    SLOW = "slow"
    DRIP = "drip"
    DRIP_FOREVER = "drip_forever"
    HANG = "hang"
    HANG_HEAD = "hang_head"
    HANG_BODY = "hang_body"
    RESET = "reset"
    RESET_BODY = "reset_body"
    TRUNCATE = "truncate"
    HUGE = "huge"
    # Scripts and navigations that get in the way.
    LOOP_BEFORE = "loop"
    LOOP_AFTER = "loop_after"
    NEVER_SETTLES = "never_settles"
    NEVER_LOADS = "never_loads"
    NEVER_READY = "never_ready"
    DIALOGS = "dialogs"
    BEFOREUNLOAD = "beforeunload"
    POPUP = "popup"
    RUNAWAY = "runaway"
    META_REFRESH = "meta_refresh"
    REDIRECT_AWAY = "redirect_away"
    REDIRECT_LOOP = "redirect_loop"
    DOWNLOAD = "download"
    ATTACHMENT = "attachment"


class Links(StrEnum):
    DIRECT = "direct"
    URL = "url"
    """`/url?q=REAL&sa=U&ved=…`"""
    GOTO = "goto"
    """`/goto?url=TOKEN`, with the real address in a script array."""
    GOTO_BARE = "gotobare"
    """`/goto?url=TOKEN` and nothing else."""


class Resolve(StrEnum):
    """What `/goto` answers."""

    OK = "ok"
    VERIFY = "verify"
    PAYMENT = "402"
    TOO_MANY = "429"
    HANG = "hang"


GoogleRule = Rule[Mode]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A query without its magic words, and what those words asked for."""

    text: str
    query: str
    """As it was sent."""
    rules: tuple[GoogleRule, ...] = ()
    links: Links = Links.DIRECT
    resolve: Resolve = Resolve.OK
    resolve_after: int = 0
    """For `verify`: how many quick ones are resolved first."""
    size_bytes: int = DEFAULT_BYTES
    total: int = DEFAULT_TOTAL
    blocks: frozenset[str] | None = None
    """Names of the surrounding blocks to show; None leaves the choice to the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What a page is like when neither rules nor words say otherwise."""

    links: Links = Links.DIRECT
    resolve: Resolve = Resolve.OK
    resolve_after: int = 0
    size_bytes: int = DEFAULT_BYTES
    total: int = DEFAULT_TOTAL
    blocks: frozenset[str] | None = None
    rules: tuple[GoogleRule, ...] = field(default=())


def read_query(query: str, defaults: Defaults) -> Wish:
    """Take the magic words out of a query.

    Raises:
        ValueError: a word names no known state.
    """
    words = take_words(query, Mode)
    found = words.others
    resolve, _, after = found.get("goto", "").partition("=")
    blocks = found.get("blocks")
    return Wish(
        text=words.text,
        query=query,
        rules=words.rules,
        links=Links(found.get("links", defaults.links)),
        resolve=Resolve(resolve or defaults.resolve),
        resolve_after=int(after or defaults.resolve_after),
        size_bytes=read_bytes(found["size"]) if "size" in found else defaults.size_bytes,
        total=int(found.get("total", defaults.total)),
        blocks=defaults.blocks if blocks is None else frozenset(blocks.split(",")),
    )


def read_settings(settings: dict[str, object], defaults: Defaults) -> Defaults:
    """Defaults with what a JSON object changes.

    Raises:
        ValueError, TypeError, KeyError: a name or value is not understood.
    """
    changes: dict[str, object] = {}
    for name, value in settings.items():
        match name, value:
            case "rules", list():
                changes[name] = tuple(read_rule(item, Mode) for item in value)
            case "links", str():
                changes[name] = Links(value)
            case "resolve", str():
                changes[name] = Resolve(value)
            case (("resolve_after" | "size_bytes" | "total"), int()):
                changes[name] = value
            case "blocks", list():
                changes[name] = frozenset(map(str, value))
            case _:
                raise ValueError(f"not a setting: {name}={value!r}")
    return replace(defaults, **changes)  # type: ignore[arg-type]  # checked name by name above
