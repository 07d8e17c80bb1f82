"""Virtual time that worker threads can live with."""

from __future__ import annotations

import math

import trio

_WHILE_THREADS_WORK_S = 0.001


class VirtualClock(trio.abc.Clock):
    """A clock that jumps to the next deadline as soon as nothing else is left to do.

    trio's own MockClock jumps while a worker thread still works, as if that took no end of time;
    for this one a thread's work takes none.
    """

    def __init__(self) -> None:
        self._now_s = 0.0

    def start_clock(self) -> None:
        """Nothing: it runs only by jumping."""

    def current_time(self) -> float:
        return self._now_s

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Asked only when no task can run: jump, unless a thread will wake one up."""
        if trio.to_thread.current_default_thread_limiter().borrowed_tokens:
            return _WHILE_THREADS_WORK_S
        if math.isinf(deadline):
            return math.inf
        self._now_s = max(self._now_s, deadline)
        return 0.0
