"""GitHub's interface and its raw files: how both are asked, and what their refusals say.

Without a token 60 requests an hour are answered, with one 5,000; raw files count towards neither.
The token goes to the interface and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlencode

from broker.errors import SiteFailed
from broker.providers.answers import quoted, record, text_of
from broker.redact import safe_url
from broker.sites.base import Get, is_plain
from broker.sites.replies import AGENT, check, list_in, object_in, reply_in, waiting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from broker.errors import BrokerError
    from broker.settings import SiteSettings
    from broker.sites.base import Reply, Text

WEB = "https://github.com"
RAW = "application/vnd.github.raw+json"
PER_PAGE = 100
"""The most that is given at once."""

_WHO = "GitHub's interface"
_JSON = "application/vnd.github+json"
_VERSION = ("X-GitHub-Api-Version", "2022-11-28")
_LIMITED = frozenset({403, 429})
_UNAUTHORISED = 401
_SECONDARY_S = 60.0
"""How long to wait after a refusal that does not say it, as GitHub asks for."""


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository's name."""

    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def web(self) -> str:
        """Its page."""
        return f"{WEB}/{self}"


@dataclass(frozen=True, slots=True)
class Hub:
    """Where GitHub is, and when it is asked."""

    settings: SiteSettings
    now: datetime

    @property
    def token(self) -> str | None:
        """The operator's."""
        return self.settings.github_token

    def api(self, path: str, accept: str = _JSON, **parameters: str | int) -> Get:
        """A request to the interface; `path` is percent-encoded.

        Raises:
            SiteFailed: it would lead elsewhere than it says, and the token with it.
        """
        if not is_plain(path.removeprefix("/")):
            raise SiteFailed("not_found", "GitHub has no place of such a name")
        query = f"?{urlencode(parameters)}" if parameters else ""
        login = (("Authorization", f"Bearer {self.token}"),) if self.token else ()
        return Get(
            url=f"{self.settings.github_url.rstrip('/')}{path}{query}",
            accept=accept,
            headers=(*AGENT, _VERSION, *login),
        )

    def raw(self, repo: Repo, place: str) -> Get:
        """A request for a file; `place` is ref and path, percent-encoded, however long the ref."""
        return Get(url=f"{self.raw_root}/{repo}/{place}", accept="*/*", headers=AGENT)

    def file(self, repo: Repo, ref: str, path: str) -> Get:
        """A request for the bytes of a file at a known ref, both as they are.

        By the interface where there is a token: the repository may be private.
        """
        if self.token is None:
            return self.raw(repo, f"{encoded(ref)}/{encoded(path)}")
        return self.contents(repo, ref, path, RAW)

    def contents(self, repo: Repo, ref: str, path: str, accept: str = _JSON) -> Get:
        """A request to the interface for a directory, or for a file's bytes with `RAW`."""
        inner = f"/{encoded(path)}" if path else ""
        return self.api(f"/repos/{repo}/contents{inner}", accept, ref=ref)

    @property
    def raw_root(self) -> str:
        """Where files are, without a slash."""
        return self.settings.github_raw_url.rstrip("/")

    def record(self, came: Reply | Text | BrokerError) -> Mapping[str, object]:
        """The object that came.

        Raises:
            BrokerError: none did.
        """
        return object_in(self.accepted(came), _WHO)

    def records(self, came: Reply | Text | BrokerError) -> Sequence[Mapping[str, object]]:
        """The objects in the list that came.

        Raises:
            BrokerError: none did.
        """
        return list_in(self.accepted(came), _WHO)

    def accepted(self, came: Reply | Text | BrokerError) -> Reply:
        """What came, if it is no refusal.

        Raises:
            BrokerError: it is one, or nothing came.
        """
        reply = reply_in(came)
        if reply.status in _LIMITED and (limit := self._limit(reply)) is not None:
            raise limit
        if reply.status == _UNAUTHORISED and self.token:
            message = "GitHub does not accept the token of `sites.github_token`"
            raise SiteFailed("private", message)
        check(reply, _WHO)
        return reply

    def _limit(self, reply: Reply) -> SiteFailed | None:
        """The refusal where it is one for asking too often."""
        said = quoted(text_of(record(reply.json()), "message"), self.token)
        wait_s = reply.retry_after_s
        headers = reply.headers
        if wait_s is None and headers.get("x-ratelimit-remaining", "").strip() == "0":
            wait_s = self._until(headers.get("x-ratelimit-reset", ""))
            limit = headers.get("x-ratelimit-limit", "").strip()
            allowed = f"its {limit} requests" if limit.isdecimal() else "its requests"
            each = "" if self.token else "; a token in `sites.github_token` has more"
            message = f"{allowed} are used up, and counted anew {waiting(wait_s, self.now)}{each}"
            return _limited(message, reply, wait_s)
        if wait_s is None and reply.status == 403:  # noqa: PLR2004 - forbidden for another reason
            return None
        wait_s = _SECONDARY_S if wait_s is None else wait_s
        message = f"it was asked too often in a short time{said}; again {waiting(wait_s, self.now)}"
        return _limited(message, reply, wait_s)

    def _until(self, reset: str) -> float:
        """Seconds until a time of Unix, at least a little."""
        text = reset.strip()
        moment = float(text) if text.isascii() and text.isdigit() and len(text) <= 11 else 0.0  # noqa: PLR2004 - digits
        left_s = moment - self.now.timestamp()
        return left_s if 0 < left_s <= 24 * 3600 else _SECONDARY_S


def _limited(message: str, reply: Reply, wait_s: float) -> SiteFailed:
    return SiteFailed("rate_limited", message, url=safe_url(reply.url), retry_after_s=wait_s)


def encoded(text: str) -> str:
    """A ref or path as a part of an address."""
    return quote(text, safe="/@:+~")


def decoded(segments: Sequence[str]) -> str:
    """Segments of an address's path as a ref or path."""
    return "/".join(map(unquote, segments))
