"""The same page asked for twice at once is fetched once.

A flight runs in a task group of its owner, so that whoever asked first may leave without taking it
from the others; when nobody is left who waits for it, it ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from anyio.abc import TaskGroup

T = TypeVar("T")


class _Flight(Generic[T]):
    def __init__(self) -> None:
        self.scope = anyio.CancelScope()
        self.landed = anyio.Event()
        self.waiting = 0
        self.results: list[T] = []
        self.error: Exception | None = None


class Flights(Generic[T]):
    """Work under way, by key; for one event loop."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._flights: dict[str, _Flight[T]] = {}

    def __len__(self) -> int:
        return len(self._flights)

    async def result(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` comes to, or what is under way for `key` already. Safe to cancel."""
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight()
            self._tasks.start_soon(self._fly, key, flight, work)
        flight.waiting += 1
        try:
            await flight.landed.wait()
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.landed.is_set():
                flight.scope.cancel()
                self._forget(key, flight)
        if flight.error is not None:
            raise flight.error
        return flight.results[0]

    async def _fly(self, key: str, flight: _Flight[T], work: Callable[[], Awaitable[T]]) -> None:
        try:
            with flight.scope:
                flight.results.append(await work())
        except Exception as error:  # noqa: BLE001 - handed to those who wait, as what it is
            flight.error = error
        finally:
            self._forget(key, flight)
            flight.landed.set()

    def _forget(self, key: str, flight: _Flight[T]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
