"""What a tab is told to look for and what it tells of the pages it met, as records and errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchPlan:
    """What the watcher looks for, as CSS selectors; an empty string matches nothing."""

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
class TabPolicy:
    """What a tab looks for and where it may go."""

    watch: WatchPlan
    may_visit: Callable[[str], bool]
    """Told an absolute address; documents it refuses are not requested. Asked only where `hosts`
    cannot be enforced by the browser itself."""
    hosts: tuple[str, ...] = ()
    """Hosts that the tab may reach, for documents and everything in them, as patterns with `*` and
    `?`; empty for no such limit."""
    redirects: str = ""
    """URL pattern of addresses that `redirect_target` will be asked for; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What stood in the tab at one moment."""

    kind: str
    """early, parsed, changed or asked."""
    url: str
    status: int
    """HTTP status of the document, 0 where it has none."""
    html: str
    """The document without styles, pictures and most scripts."""
    parsed: bool
    """False while more of the document is still to come."""
    walled: bool
    """Whether the plan's `wall` can be seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """How an address answered that was asked for its target only."""

    status: int
    location: str | None
