"""What a tab is told to look for and what it tells of the pages it met, as records and errors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

from broker.errors import BrowserError

if TYPE_CHECKING:
    from collections.abc import Callable


class NavigationFailed(BrowserError):
    """The page could not be reached; `net_error` is Chromium's name for it (`ERR_…`)."""

    code = "unreachable"

    def __init__(self, net_error: str) -> None:
        super().__init__(f"the page could not be loaded ({net_error})")
        self.net_error = net_error


class LoadBroken(NavigationFailed):
    """The document began and broke off; what of it arrived may still be read."""

    def __init__(self) -> None:
        super().__init__("ERR_INCOMPLETE")


class DownloadInstead(NavigationFailed):
    """What was to be a page is a file, which was not taken."""

    def __init__(self) -> None:
        super().__init__("a download instead of a page")


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchPlan:
    """What the watcher looks for, as CSS selectors; an empty string matches nothing."""

    script: ClassVar[str] = "watcher.js"

    ready: str = ""
    """Something to read is there."""
    end: str = ""
    """The part that follows the results; once it is there, they are all there."""
    wall: str = ""
    """A refusal that, once it can be seen, needs no more of the page to be known."""
    again: str = ""
    """Report once more when the document is complete if this is there."""
    essence: str = ""
    """What is read of a page that is too large to read whole."""
    scripts: str = ""
    """Inline scripts that contain this text are part of what is read; all others are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlePlan:
    """When a page that is read has stopped growing, and how much of it is taken."""

    script: ClassVar[str] = "settler.js"

    some_prose: int = 50
    """Characters of running text outside menus, footers and notices that are worth reading…"""
    some_text: int = 200
    """… or so many of any text there: lists and tables hold no sentences."""
    rich_prose: int = 400
    """From here on the page is taken to be what was asked for, and not a note before it."""
    rich_text: int = 1500
    short_ms: int = 30
    """Silence that is enough where everything has loaded; scripts that fill a page in pieces pause
    for less."""
    quiet_ms: int = 120
    """Silence that is enough otherwise."""
    stalled_ms: int = 400
    """Silence that is enough while the document itself has not ended."""
    loader_ms: int = 400
    """Silence that is enough where a page of much text shows that something is loading."""
    idle_ms: int = 600
    """Silence after which a page without text is told of."""
    growing_ms: int = 4000
    """A page that grows for longer than this after its first text will not stop."""
    max_nodes: int = 150_000
    max_chars: int = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TabPolicy:
    """What a tab looks for and where it may go."""

    watch: WatchPlan | SettlePlan
    may_visit: Callable[[str], bool]
    """Told an absolute address; documents it refuses are not requested. Asked only where `hosts`
    cannot be enforced by the browser itself, and before the tab is sent anywhere by us."""
    hosts: tuple[str, ...] = ()
    """Hosts that the tab may reach, for documents and everything in them, as patterns with `*` and
    `?`; empty for no such limit."""
    proxy: str = ""
    """Address of a proxy that everything of the tab goes through, loopback addresses included, and
    which decides where it may go; empty for none. `hosts` does not hold then."""
    apart: bool = False
    """Whether each tab has a context of its own, which ends with it: no cookies, no storage and no
    connections in common with any other. A browser opens only 32 connections to one proxy for each
    context, and one page could hold them all."""
    redirects: str = ""
    """URL pattern of addresses that `redirect_target` will be asked for; empty for none."""
    blocked: tuple[str, ...] = ()
    """Patterns with `*` of addresses that pages do not load; settled where they would be asked for,
    without a round trip."""

    def paused(self, *, confined: bool) -> list[dict[str, str]]:
        """What `Fetch.enable` is to stop at, in a tab that the browser itself confines or not."""
        patterns = []
        if not confined:
            patterns.append(
                {"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}
            )
        if self.redirects:
            patterns.append(
                {
                    "urlPattern": self.redirects,
                    "resourceType": "Document",
                    "requestStage": "Response",
                }
            )
        return patterns


class Level(IntEnum):
    """How much there is to read on a page."""

    NONE = 0
    SOME = 1
    RICH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What stood in the tab at one moment."""

    kind: str
    """As the script that reports calls it: see watcher.js and settler.js."""
    url: str
    status: int
    """HTTP status of the document, 0 where it has none."""
    html: str
    """The document without styles, pictures and most scripts."""
    parsed: bool
    """False while more of the document is still to come."""
    walled: bool
    """Whether the plan's `wall` can be seen."""
    level: int = Level.NONE
    """A `Level`; of the settler's reports only, as is what follows."""
    cut: bool = False
    """Whether the document is longer than what was taken of it."""
    content_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """How an address answered that was asked for its target only."""

    status: int
    location: str | None
