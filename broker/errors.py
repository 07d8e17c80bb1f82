"""Every failure the broker knows, as one tree.

    BrokerError
    ├── RequestInvalid      the request cannot be understood; names the field and the value
    ├── SettingsInvalid     a settings file, variable or flag is wrong; names where it stands
    ├── Refused             policy forbids it (an address, a secret)
    ├── LaneFailed          a provider refused or broke; `code` says how
    └── BrowserError
        ├── BrowserMissing  no executable was found
        ├── BrowserUnavailable  found, but it does not start or its endpoint does not answer
        └── TabLost         the tab crashed or closed under us

Attributes carry the data, `code` is stable and goes on the wire, the message is for a person.
Foreign exceptions are converted at the edge that meets them, by type and never by text.
"""

from __future__ import annotations


class BrokerError(Exception):
    """Base of the tree; only its leaves are raised."""

    code = "internal"
    """Stable identifier, as it stands on the wire."""

    @property
    def message(self) -> str:
        """The sentence for a person."""
        return str(self)


class RequestInvalid(BrokerError):
    """The request cannot be understood.

    `field` names the parameter that is wrong, or is empty when the request as a whole is.
    """

    code = "invalid_request"

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class SettingsInvalid(BrokerError):
    """A setting is unknown or has no valid value; `where` is the file, variable or flag."""

    code = "invalid_settings"

    def __init__(self, message: str, *, where: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where


class Refused(BrokerError):
    """Policy forbids the request; `code` is `blocked_ssrf` or `secret`."""

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


class BrowserError(BrokerError):
    """The browser lane cannot work."""

    code = "browser"


class BrowserMissing(BrowserError):
    """No browser executable was found; the message names the one command that installs one."""

    code = "browser_missing"


class BrowserUnavailable(BrowserError):
    """The browser does not start, or its CDP endpoint does not answer."""

    code = "browser_unavailable"


class TabLost(BrowserError):
    """The tab crashed, closed or ran away while it was in use."""

    code = "tab_lost"
