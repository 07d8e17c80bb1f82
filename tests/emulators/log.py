"""What a loopback server has seen: every request, and how each one ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.emulators.messages import Request


class Outcome(StrEnum):
    PENDING = "pending"
    SENT = "sent"
    BROKEN = "broken"
    """A fault was carried out to its end."""
    CLIENT_GONE = "client_gone"
    """The client closed or reset the connection before the answer was complete."""
    SHUTDOWN = "shutdown"
    """The server ended first."""


@dataclass(slots=True, kw_only=True)
class Visit:
    """One request; `status` and `outcome` are filled in as it is answered."""

    request: Request
    arrived_s: float
    """On anyio's clock."""
    status: int = 0
    outcome: Outcome = Outcome.PENDING

    @property
    def path(self) -> str:
        return self.request.path

    @property
    def page(self) -> int:
        """The page that `start` (ten hits a page) asks for."""
        start = self.request.query.get("start", "")
        return int(start) // 10 + 1 if start.isdecimal() else 1

    def as_json(self) -> dict[str, object]:
        return {
            "method": self.request.method,
            "path": self.request.path,
            "query": dict(self.request.query),
            "headers": dict(self.request.headers),
            "body": self.request.body.decode("utf-8", "replace"),
            "arrived_s": self.arrived_s,
            "status": self.status,
            "outcome": str(self.outcome),
        }


class Log:
    """All visits in order of arrival, with waits that need no polling."""

    def __init__(self) -> None:
        self.visits: list[Visit] = []
        self._in_flight: Counter[str] = Counter()
        self._max_in_flight: Counter[str] = Counter()
        self._waiting: list[anyio.Event] = []

    def __repr__(self) -> str:
        return f"<Log {dict(Counter(v.path for v in self.visits))} in flight {self.in_flight()}>"

    def started(self, request: Request) -> Visit:
        """Note the arrival of a request."""
        visit = Visit(request=request, arrived_s=anyio.current_time())
        self.visits.append(visit)
        for key in ("", request.path):
            self._in_flight[key] += 1
            self._max_in_flight[key] = max(self._max_in_flight[key], self._in_flight[key])
        self._changed()
        return visit

    def finished(self, visit: Visit, outcome: Outcome) -> None:
        """Note the end of a request."""
        visit.outcome = outcome
        for key in ("", visit.path):
            self._in_flight[key] = max(0, self._in_flight[key] - 1)
        self._changed()

    def clear(self) -> None:
        """Forget the visits; what is in flight stays counted."""
        self.visits.clear()
        self._max_in_flight = Counter(self._in_flight)

    def of(self, path: str) -> list[Visit]:
        """The visits to one path."""
        return [visit for visit in self.visits if visit.path == path]

    def count(self, path: str) -> int:
        """How often a path was requested."""
        return len(self.of(path))

    def in_flight(self, path: str = "") -> int:
        """Requests being answered now; all paths when none is named."""
        return self._in_flight[path]

    def max_in_flight(self, path: str = "") -> int:
        """The most requests answered at the same time."""
        return self._max_in_flight[path]

    def min_gap_s(self, path: str) -> float | None:
        """The shortest time between two arrivals, or None with less than two."""
        arrivals = [visit.arrived_s for visit in self.of(path)]
        return min((later - earlier for earlier, later in pairwise(arrivals)), default=None)

    async def until(self, condition: Callable[[Log], bool]) -> None:
        """Wait until a condition on this log holds; bound it with `anyio.fail_after`."""
        while not condition(self):
            event = anyio.Event()
            self._waiting.append(event)
            await event.wait()

    async def arrivals(self, path: str, count: int = 1) -> list[Visit]:
        """Wait until a path has been requested `count` times."""
        await self.until(lambda log: log.count(path) >= count)
        return self.of(path)

    async def idle(self) -> None:
        """Wait until nothing is in flight."""
        await self.until(lambda log: log.in_flight() == 0)

    def as_json(self) -> dict[str, object]:
        counts = Counter(visit.path for visit in self.visits)
        return {
            "counts": dict(counts),
            "in_flight": self.in_flight(),
            "max_in_flight": self.max_in_flight(),
            "min_gap_s": {path: self.min_gap_s(path) for path in counts},
            "visits": [visit.as_json() for visit in self.visits],
        }

    def _changed(self) -> None:
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            event.set()
