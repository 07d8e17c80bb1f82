"""One page's way: asked whether each redirect may be followed, it keeps the pull where it belongs.

No request leaves for what robots.txt forbids, for what is not part of the pull, or for a page that
is known already: a redirect there ends the way, and says which page it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from broker.errors import BrokerError, Refused
from broker.pull.records import Status
from broker.pull.state import Entry
from broker.reading.failures import crashed
from broker.redact import redact, safe_url

if TYPE_CHECKING:
    from broker.pull.frontier import Frontier, Spot
    from broker.pull.robots import Robots
    from broker.pull.scope import Place

CUT_OFF = "cut_off"
"""Code of a page that broke off in the middle."""
_NO_PAGE = frozenset({"unsupported"})
"""Codes of what is a file and was never meant to be read as a page."""
_NOT_FOR_US = frozenset({"js_shell"})
"""Codes of what needs something that may be there the next time: a browser."""


class Moved(BrokerError):
    """The beginning of a pull is elsewhere: `location` is where."""

    def __init__(self, location: str) -> None:
        super().__init__(f"the pull begins at {safe_url(location)}")
        self.location = location


class Astray(BrokerError):
    """A page leads where no request is to go."""

    def __init__(self, status: Status, code: str, message: str, *, same_as: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.same_as = same_as


class Leg:
    """The way of one page.

    Args:
        spot: where it begins.
        frontier: what is known.
        robots: the site's rules.
        first: whether it is the beginning of the pull, which may be elsewhere.
    """

    def __init__(
        self, spot: Spot, frontier: Frontier, robots: Robots, *, first: bool = False
    ) -> None:
        self.spot = spot
        self.place = spot.place
        """Where it has come to."""
        self.passed: list[Place] = []
        """Where it has been."""
        self._frontier = frontier
        self._robots = robots
        self._first = first

    def follow(self, url: str) -> None:
        """Whether a redirect may be followed; for `RequestContext.follow`.

        Raises:
            Moved: the pull begins elsewhere.
            Astray: it may not.
        """
        place = self._frontier.scope.place(url)
        if self._first and (place is None or _origin(url) != self._frontier.scope.origin):
            raise Moved(url)
        if place is None:
            message = f"it leads to {safe_url(url)}, which is not part of the pull"
            raise Astray(Status.SKIPPED, "elsewhere", message)
        self.go(place)

    def go(self, place: Place) -> None:
        """Be at another place.

        Raises:
            Astray: robots.txt forbids it, or it is known already.
        """
        if place.key == self.place.key:
            return
        if not self._robots.allows(place.url):
            message = f"it leads to {safe_url(place.url)}, which robots.txt forbids"
            raise Astray(Status.REFUSED, "robots", message)
        if not self._frontier.claim(place.key):
            message = f"it is {safe_url(place.url)}"
            raise Astray(Status.ALIAS, "known", message, same_as=place.key)
        self.passed.append(self.place)
        self.place = place

    def landed(self, final_url: str) -> None:
        """Be where the page says it was read: scripts may have left for another one.

        Raises:
            Astray: that is no part of the pull, or known already.
        """
        place = self._frontier.scope.place(final_url)
        if place is None:
            message = f"it leads to {safe_url(final_url)}, which is not part of the pull"
            raise Astray(Status.SKIPPED, "elsewhere", message)
        _, mark, _ = self.place.key.partition("#")
        if not (mark and "#" not in place.key):  # the route of an application is not sent
            self.go(place)

    def ended(self, error: Exception) -> Entry:
        """The entry of a page that is none, and why."""
        spot = self.spot
        if isinstance(error, BrokerError) and error.code == CUT_OFF:
            spot = replace(spot, place=self.place)  # to be asked for again where it is
        status, again = Status.FAILED, False
        if isinstance(error, Astray):
            status = error.status
        elif isinstance(error, Refused):
            status = Status.REFUSED
        elif isinstance(error, BrokerError):
            again = error.retryable or error.code in _NOT_FOR_US
            status = Status.SKIPPED if error.code in _NO_PAGE else Status.FAILED
        failure = error if isinstance(error, BrokerError) else None
        return Entry(
            key=spot.place.key,
            url=spot.place.url,
            status=status,
            same_as=error.same_as if isinstance(error, Astray) else "",
            code="internal" if failure is None else failure.code,
            reason=(
                crashed(type(error).__name__, "").message
                if failure is None
                else redact(failure.message)
            ),
            again=again,
            depth=spot.depth,
            steps=spot.steps,
        )


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
