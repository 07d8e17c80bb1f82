"""What travels with a request through every stage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.deadline import Deadline
    from broker.models import Progress
    from broker.trace import Trace


def _ignore(_progress: Progress) -> None:
    return None


def _anywhere(_url: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """The first argument of everything that works for a request."""

    request_id: str
    deadline: Deadline
    trace: Trace
    progress: Callable[[Progress], None] = _ignore
    """Told of each step; must not block or raise."""
    follow: Callable[[str], None] = _anywhere
    """Asked before each redirect of a page; raises a `BrokerError` where it is not to be followed.
    The egress policy has been asked already. It must not block."""

    def until(self, deadline: Deadline) -> RequestContext:
        """The same request with a deadline that is never later than the present one."""
        return replace(self, deadline=min(self.deadline, deadline, key=lambda d: d.at_s))
