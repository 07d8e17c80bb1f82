"""No host is asked for more than a few pages at once, nor for two in one moment.

Hosts know nothing of each other. Who came first goes first, and whoever gives up while waiting
leaves no hole: a start is only spoken for by the one who makes it. The time is the caller's scope.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

IN_FLIGHT = 3
GAP_S = 0.3
_MAX_IDLE_HOSTS = 256
"""Hosts remembered for their last start's sake; beyond it those that may start again are let go."""


@dataclass(slots=True)
class _Host:
    slots: anyio.Semaphore
    door: anyio.Lock = field(default_factory=anyio.Lock)
    """Held by whoever is the next to start; locks are handed on in the order of asking."""
    next_start_s: float = 0.0
    users: int = 0
    """Who waits for a turn or has one."""
    active: int = 0


class HostSchedule:
    """Turns at hosts; safe for any number of pages at once.

    Args:
        in_flight: turns of one host that are held at the same time.
        gap_s: seconds between the beginnings of two turns of one host.
    """

    def __init__(self, *, in_flight: int = IN_FLIGHT, gap_s: float = GAP_S) -> None:
        self._in_flight = in_flight
        self._gap_s = gap_s
        self._hosts: dict[str, _Host] = {}

    def __repr__(self) -> str:
        return f"<HostSchedule active {self.active} waiting {self.waiting}>"

    @property
    def active(self) -> int:
        """Turns that are held now."""
        return sum(host.active for host in self._hosts.values())

    @property
    def waiting(self) -> int:
        """Those who wait for one."""
        return sum(host.users - host.active for host in self._hosts.values())

    @property
    def hosts(self) -> int:
        """How many hosts are remembered."""
        return len(self._hosts)

    @asynccontextmanager
    async def turn(self, name: str, *, continued: bool = False) -> AsyncIterator[None]:
        """Wait for a turn at a host and hold it for the length of the block. Safe to cancel.

        Args:
            name: any key that stands for the host.
            continued: whether it goes on with what the last turn began, as a redirect does: it
                then waits for nobody's gap, but those who follow wait for its.
        """
        host = self._entered(name)
        try:
            if continued:
                await host.slots.acquire()
            else:
                await self._wait(host)
            host.next_start_s = anyio.current_time() + self._gap_s
            host.active += 1
            try:
                yield
            finally:
                host.active -= 1
                host.slots.release()
        finally:
            host.users -= 1

    async def _wait(self, host: _Host) -> None:
        """Take a slot and wait out the gap; on return both are the caller's."""
        async with host.door:
            await host.slots.acquire()
            try:
                # A redirect may postpone it meanwhile.
                while host.next_start_s > anyio.current_time():  # noqa: ASYNC110 - no polling
                    await anyio.sleep_until(host.next_start_s)
            except BaseException:
                host.slots.release()
                raise

    def _entered(self, name: str) -> _Host:
        if name not in self._hosts:
            self._forget()
            self._hosts[name] = _Host(anyio.Semaphore(self._in_flight))
        host = self._hosts[name]
        host.users += 1
        return host

    def _forget(self) -> None:
        if len(self._hosts) < _MAX_IDLE_HOSTS:
            return
        now_s = anyio.current_time()
        self._hosts = {
            name: host
            for name, host in self._hosts.items()
            if host.users or host.next_start_s > now_s
        }
