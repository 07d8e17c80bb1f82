"""What goes into a pull and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_MAX = 100
MAX_PAGES = 5000
"""Most pages of one pull."""
MIN_DEADLINE_S = 1.0
MAX_DEADLINE_S = 86_400.0
"""The time that a pull may be given, where it is given one."""


class Status(StrEnum):
    """What became of an address."""

    PULLED = "pulled"
    """It is a file."""
    ALIAS = "alias"
    """It leads to, or says the same as, another address that is."""
    SKIPPED = "skipped"
    """It is no page of this site part: a redirect out of it, a file that is no text."""
    REFUSED = "refused"
    """robots.txt, or our own policy, forbids it."""
    FAILED = "failed"
    """A wall, an error, or no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """What one call of `pull` asks for."""

    url: str
    """Where to begin. Pages of its host whose path is its path, or goes on from it, are pulled."""
    out: Path
    """The folder: new, empty, or of an earlier pull of the same address, which goes on."""
    max_pages: int = DEFAULT_MAX
    """Most pages in the folder, those of earlier runs included."""
    deadline_s: float | None = None
    """Stop after this many seconds, to be gone on with later; None for never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullStep:
    """How far a pull has come."""

    pulled: int
    """Pages in the folder."""
    fresh: int
    """Those of them that this run has read."""
    known: int
    """Pages that are or may yet become files; never above the most that were asked for."""
    failed: int
    """Addresses that gave nothing, whatever the reason."""
    url: str
    """What was read last, in a form that may be shown; empty at the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """An address that did not become a file, and why."""

    url: str
    """In a form that may be shown."""
    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullReport:
    """What a pull has come to, earlier runs included."""

    url: str
    """Where it began."""
    out: str
    """The folder, absolute."""
    pulled: int = 0
    """Pages in the folder."""
    added: int = 0
    """Those of them that this run has read."""
    aliases: int = 0
    """Further addresses of these pages."""
    skipped: tuple[Trouble, ...] = ()
    refused: tuple[Trouble, ...] = ()
    failed: tuple[Trouble, ...] = ()
    left: int = 0
    """Pages that are known and were not read to their end: the most was reached, or the run ended
    early. Every known page is counted once: here, in a file, or among those that became none."""
    trapped: int = 0
    """Addresses that were left out because they seemed to have no end."""
    stopped: str = ""
    """Why the run ended early, as a sentence; empty where it did not."""
    notes: tuple[str, ...] = ()
    """What was odd about the site as a whole, a sentence each."""
    ms: int = 0
