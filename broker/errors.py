"""Every failure the broker knows, as one tree.

    BrokerError
    ├── RequestInvalid      the request cannot be understood; names the field and the value
    ├── SettingsInvalid     a settings file, variable or flag is wrong; names where it stands
    ├── Refused             policy forbids it (an address, a secret)
    ├── LaneFailed          a provider refused or broke; `code` says how
    ├── PageFailed          the bytes of a page cannot be had; knows its address
    │   ├── NotConnected    no connection came about: dns, refused, unreachable, proxy
    │   ├── TlsFailed       nobody can be trusted there: tls_expired, tls_wrong_host, …
    │   ├── BrokenOff       it ended before the answer did: reset, closed, cut_off, protocol
    │   ├── TimedOut        the time was up; `phase` says in what
    │   ├── Misdirected     too_many_redirects, redirect_loop, bad_redirect
    │   ├── BodyRefused     too_large, compression_bomb, bad_encoding
    │   ├── RenderFailed    the browser made no page of it: download, render_timeout, …
    │   └── SiteFailed      a site that is read by its own door gave no document; `conclusive`
    │                       where no other way leads to it
    └── BrowserError
        ├── BrowserMissing  no executable was found
        ├── BrowserUnavailable  found, but it does not start or its endpoint does not answer
        └── TabLost         the tab crashed or closed under us; TabCrashed where it crashed

Attributes carry the data, `code` is stable and goes on the wire, the message is for a person.
Foreign exceptions are converted at the edge that meets them, by type and never by text. Whoever
makes an error hands in addresses that may be shown: nothing is redacted here.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TypedDict


class Phase(StrEnum):
    """How far a page had come."""

    VALIDATION = "validation"
    CONNECTING = "connecting"
    TLS = "tls"
    WAITING = "waiting"
    """For a turn at the host, or for the host's answer to begin."""
    HEADERS = "headers"
    DOWNLOADING = "downloading"
    PROCESSING = "processing"
    RENDERING = "rendering"
    WRITING = "writing"


class Category(StrEnum):
    """Whose matter the failure is."""

    VALIDATION = "validation"
    NETWORK = "network"
    SERVER = "server"
    CLIENT = "client"
    """The site says that the request is at fault: most of HTTP's 4xx."""
    BLOCKED = "blocked"
    PROCESSING = "processing"


class Layer(StrEnum):
    """Who refused."""

    NETWORK = "network"
    """What lies between here and the site, our own policy included."""
    SITE = "site"
    PROXY = "proxy"
    BROKER = "broker"
    """Nobody outside this program."""


class ErrorData(TypedDict):
    """An error as data, every field whatever the error."""

    code: str
    phase: str
    category: str
    layer: str
    url: str
    message: str
    retryable: bool
    retry_after_ms: int | None


class BrokerError(Exception):
    """Base of the tree; only its leaves are raised."""

    code = "internal"
    """Stable identifier, as it stands on the wire."""
    phase = Phase.PROCESSING
    category = Category.PROCESSING
    layer = Layer.BROKER
    url = ""
    """What it is about, in a form that may be shown; empty where it is about no address."""
    retryable = False
    """Whether the same request may well succeed later."""
    retry_after_s: float | None = None
    """When, as far as somebody said so."""

    @property
    def message(self) -> str:
        """The sentence for a person."""
        return str(self)

    def as_data(self) -> ErrorData:
        """What is known of the error."""
        wait_s = self.retry_after_s
        return {
            "code": self.code,
            "phase": self.phase.value,
            "category": self.category.value,
            "layer": self.layer.value,
            "url": self.url,
            "message": self.message,
            "retryable": self.retryable,
            "retry_after_ms": None if wait_s is None else math.ceil(wait_s * 1000),
        }


class RequestInvalid(BrokerError):
    """The request cannot be understood.

    `field` names the parameter that is wrong, or is empty when the request as a whole is.
    """

    code = "invalid_request"
    phase = Phase.VALIDATION
    category = Category.VALIDATION

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class SettingsInvalid(BrokerError):
    """A setting is unknown or has no valid value; `where` is the file, variable or flag."""

    code = "invalid_settings"
    phase = Phase.VALIDATION
    category = Category.VALIDATION

    def __init__(self, message: str, *, where: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where


class Refused(BrokerError):
    """Policy forbids the request; `code` is `blocked_ssrf` or `secret`."""

    phase = Phase.VALIDATION
    category = Category.BLOCKED
    layer = Layer.NETWORK

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class LaneFailed(BrokerError):
    """A provider refused or broke.

    `code` is one of the lane codes (captcha, consent_wall, js_required, unsupported, blocked,
    blank, unreachable, rate_limited, auth, quota, bad_request, upstream, unparseable, …);
    `retry_after_s` is how long the provider should be left alone, where that is known;
    `transient` says that the same request may well succeed when it is made again at once.
    """

    category = Category.SERVER
    layer = Layer.SITE

    def __init__(
        self,
        code: str,
        message: str,
        *,
        retry_after_s: float | None = None,
        transient: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after_s = retry_after_s
        self.transient = transient


class PageFailed(BrokerError):
    """The bytes of a page cannot be had."""

    category = Category.SERVER
    layer = Layer.SITE

    def __init__(self, code: str, message: str, *, url: str, phase: Phase | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.url = url
        if phase is not None:
            self.phase = phase


class NotConnected(PageFailed):
    """No connection came about.

    `code` is dns (the name has no address), refused (nobody listens), unreachable (no way leads
    there), proxy (the operator's own one failed), or connect where it is none of these.
    """

    phase = Phase.CONNECTING
    category = Category.NETWORK
    layer = Layer.NETWORK

    def __init__(self, code: str, message: str, *, url: str, lasting: bool = False) -> None:
        super().__init__(code, message, url=url)
        self.retryable = not lasting
        if code == "proxy":
            self.layer = Layer.PROXY


class TlsFailed(PageFailed):
    """No connection that can be trusted came about.

    `code` is tls_expired, tls_not_yet_valid, tls_wrong_host, tls_self_signed, tls_untrusted,
    tls_revoked, or tls where the certificate is not the reason.
    """

    phase = Phase.TLS
    category = Category.NETWORK


class BrokenOff(PageFailed):
    """The connection ended before the answer did, or what came is no answer.

    `code` is reset, closed (without a word), cut_off (in the middle of the body, which gave
    nothing to read), or protocol (it is no HTTP).
    """

    category = Category.NETWORK

    def __init__(self, code: str, message: str, *, url: str, phase: Phase) -> None:
        super().__init__(code, message, url=url, phase=phase)
        self.retryable = code != "protocol"
        self.layer = Layer.NETWORK if code == "reset" else Layer.SITE


class TimedOut(PageFailed):
    """The request's time was up before there was anything to read; `phase` says in what."""

    def __init__(self, message: str, *, url: str, phase: Phase) -> None:
        super().__init__("timeout", message, url=url, phase=phase)
        self.retryable = True
        if phase in {Phase.CONNECTING, Phase.TLS}:
            self.category = Category.NETWORK
            self.layer = Layer.NETWORK
        elif phase is Phase.PROCESSING:
            self.category = Category.PROCESSING
            self.layer = Layer.BROKER


class Misdirected(PageFailed):
    """Redirects lead to no page: too_many_redirects, redirect_loop, bad_redirect."""

    phase = Phase.HEADERS


class BodyRefused(PageFailed):
    """What is sent cannot be taken: too_large, compression_bomb, bad_encoding."""

    phase = Phase.DOWNLOADING


class SiteFailed(PageFailed):
    """A site that is read by its own door gave no document.

    `code` is not_found, gone, private, blocked (a check or a question stands before it),
    rate_limited, upstream, unparseable or elsewhere (it names the address to ask for).
    `conclusive` says that its ordinary page would be no better. Where it is rate_limited, `url` is
    the one that refused: only its host is left alone then.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        url: str = "",
        retry_after_s: float | None = None,
        conclusive: bool = False,
    ) -> None:
        super().__init__(code, message, url=url)
        self.retry_after_s = retry_after_s
        self.retryable = code in {"rate_limited", "upstream"}
        self.conclusive = conclusive
        if code in {"not_found", "gone", "private", "elsewhere"}:
            self.category = Category.CLIENT


class BrowserError(BrokerError):
    """The browser lane cannot work."""

    code = "browser"
    phase = Phase.RENDERING


class BrowserMissing(BrowserError):
    """No browser executable was found; the message names the one command that installs one."""

    code = "browser_missing"


class BrowserUnavailable(BrowserError):
    """The browser does not start, or its CDP endpoint does not answer."""

    code = "browser_unavailable"


class TabLost(BrowserError):
    """The tab crashed, closed or ran away while it was in use."""

    code = "tab_lost"


class TabCrashed(TabLost):
    """The process of the page in it ended."""

    code = "tab_crashed"


class RenderFailed(PageFailed):
    """The browser made no page of an address.

    `code` is download (it is a file, for others to fetch), no_content, render_timeout, tab_lost or
    tab_crashed; what befell its connection is told as for any other page. `location` is the whole
    address of a file, for whoever is to fetch it and not to be shown.
    """

    phase = Phase.RENDERING
    _RETRYABLE = frozenset({"render_timeout", "tab_crashed", "tab_lost"})

    def __init__(self, code: str, message: str, *, url: str, location: str = "") -> None:
        super().__init__(code, message, url=url)
        self.location = location
        self.retryable = code in self._RETRYABLE
        if code in self._RETRYABLE:
            self.category = Category.PROCESSING
            self.layer = Layer.BROKER
