"""What a site is: the addresses that are its own, and pure functions; nothing that fetches.

How a site is read is a *conversation*: a generator that yields what it wants brought and is resumed
with what came, so that a site of several requests reads from top to bottom and is tested without a
network. Adding a site takes a file with `converse` and a line in the registry of this package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from urllib.parse import SplitResult

    from broker.errors import BrokerError
    from broker.settings import Settings

JSON = "application/json"
_NOT_IN_NAMES = re.compile(r"[/\\\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Get:
    """A step: bring the bytes at an address, whatever the status; resumed with a `Reply`."""

    url: str
    accept: str = JSON
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Beside the usual ones, and only for this origin; they may hold a token."""
    provider: str = ""
    """The search provider whose interface it is: its pace is kept, and what it refuses counts for
    its searches as well. Where its turn would come late, `LaneFailed` is raised at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A step: read an address as any page or file is read; resumed with a `Text`."""

    url: str


@dataclass(frozen=True, slots=True)
class Together:
    """A step: several at once; resumed with a tuple, an error in the place of what failed."""

    steps: tuple[Get | Read, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back; redirects were followed."""

    url: str
    """Where they led."""
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case."""
    body: bytes = b""
    """Decompressed."""
    media_type: str = ""
    """In lower case, without parameters."""
    retry_after_s: float | None = None
    """How long the site asks to be left alone."""
    truncated: bool = False
    """Whether `body` is only the beginning."""

    @property
    def text(self) -> str:
        """The body as UTF-8, with replacement characters where it is not."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:  # noqa: ANN401 - whatever the site says
        """The body as JSON; None where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A page or file as it was read."""

    url: str
    """Where it was in the end."""
    markdown: str
    title: str = ""
    byline: str | None = None
    published: str | None = None
    lang: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What a site makes of an address: a document that is not kept yet."""

    url: str
    """The page that a person would open for it."""
    title: str
    markdown: str
    """With one h1, the title."""
    byline: str | None = None
    published: str | None = None
    """ISO 8601."""
    lang: str | None = None
    warnings: tuple[str, ...] = ()
    """What is missing of it and why, a phrase each."""
    leave_alone_s: float | None = None
    """How long the site asks to be left alone, although it has answered."""


Step: TypeAlias = Get | Read | Together
Conversation: TypeAlias = Generator[Step, Any, Piece]
"""Yields steps and returns the document.

Where a step alone fails, its `BrokerError` is raised at the yield: who can do without catches it.
Raises `SiteFailed` where there is no document; the page is then read in the ordinary way, unless
the failure is `conclusive`.
"""


def got(step: Get) -> Generator[Step, Any, Reply]:
    """What one request brought; for `yield from`."""
    reply: Reply = yield step
    return reply


def read(url: str) -> Generator[Step, Any, Text]:
    """The text that stands at one address; for `yield from`."""
    text: Text = yield Read(url=url)
    return text


def together(*steps: Get | Read) -> Generator[Step, Any, tuple[Reply | Text | BrokerError, ...]]:
    """What came of several steps at once; for `yield from`, and nothing is raised."""
    came: tuple[Reply | Text | BrokerError, ...] = yield Together(steps)
    return came


def is_plain(path: str) -> bool:
    """Whether a path, percent-encoded or not, leads where its parts say, one below the other.

    Not where one of them is empty, `.` or `..`, or holds a slash that is encoded.
    """
    parts = [unquote(part) for part in path.split("/")]
    return all(part.strip(".") and not _NOT_IN_NAMES.search(part) for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What a conversation is about."""

    url: str
    """In its normalised form."""
    parts: SplitResult
    settings: Settings
    now: datetime
    """The time of the call, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A site: what is known of it, and the way to its module's functions."""

    name: str
    """As warnings and cooldowns call it, and the name of its module here."""
    title: str
    """As a person calls it."""
    hosts: tuple[str, ...]
    """Its hosts; one that begins with a dot stands for all below it as well."""
    fragments: str = ""
    """A pattern of the fragments that ask for something else than the page without one."""

    def has(self, host: str) -> bool:
        """Whether a host is its own."""
        host = host.lower().removesuffix(".")
        return any(
            host == own.lstrip(".") or (own.startswith(".") and host.endswith(own))
            for own in self.hosts
        )

    def keeps(self, fragment: str) -> bool:
        """Whether a fragment makes another page of an address."""
        return bool(self.fragments) and re.fullmatch(self.fragments, fragment) is not None

    def converse(self, visit: Visit) -> Conversation | None:
        """How to read an address of its hosts; None where it is read as any page is."""
        converse: Callable[[Visit], Conversation | None]
        converse = import_module(f"broker.sites.{self.name}").converse
        return converse(visit)
