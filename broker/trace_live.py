"""A trace that writes: it times, and hands records to a sink.

Each request has its own `LiveTrace` on the same sink and clock. Nothing here formats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from broker.errors import BrokerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from broker.trace import Event, Field


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One event or one ended span, as a sink is handed it."""

    name: str
    request_id: str
    """Empty for what belongs to no request."""
    at_s: float
    """When it happened or ended: offset from the start of the request, else of the trace."""
    start_s: float
    """When it happened or began: offset from the start of the trace."""
    duration_s: float | None
    """None for an event."""
    fields: Mapping[str, Field]


class Sink(Protocol):
    """Takes records, in order."""

    def write(self, record: Record) -> None:
        """Write one record; never raises, never waits."""
        ...

    def close(self) -> None:
        """Write what is outstanding; the sink is not used afterwards."""
        ...


class LiveTrace:
    """A trace that writes to a sink."""

    enabled = True

    def __init__(self, sink: Sink, clock: Callable[[], float], request_id: str = "") -> None:
        self._sink = sink
        self._clock = clock
        self._request_id = request_id
        self._trace_start_s = self._request_start_s = clock()

    def event(self, name: Event, /, **fields: Field) -> None:
        """Note one fact."""
        self.note(name, fields, start_s=self._clock())

    def span(self, name: Event, /, **fields: Field) -> _LiveSpan:
        """Measure a block."""
        return _LiveSpan(self, name, fields)

    def for_request(self, request_id: str, /) -> LiveTrace:
        """The same trace for one request."""
        child = LiveTrace(self._sink, self._clock, request_id)
        child._trace_start_s = self._trace_start_s
        return child

    def close(self) -> None:
        """Write what is outstanding."""
        self._sink.close()

    def now_s(self) -> float:
        """The trace's clock, which is monotonic and has no particular origin."""
        return self._clock()

    def note(
        self, name: Event, fields: dict[str, Field], *, start_s: float, end_s: float | None = None
    ) -> None:
        """Hand one record to the sink; without `end_s` it is an event."""
        at_s = start_s if end_s is None else end_s
        self._sink.write(
            Record(
                name=name.value,
                request_id=self._request_id,
                at_s=at_s - self._request_start_s,
                start_s=start_s - self._trace_start_s,
                duration_s=None if end_s is None else end_s - start_s,
                fields=fields,
            )
        )


class _LiveSpan:
    __slots__ = ("_fields", "_name", "_start_s", "_trace")

    def __init__(self, trace: LiveTrace, name: Event, fields: dict[str, Field]) -> None:
        self._trace = trace
        self._name = name
        self._fields = fields
        self._start_s = 0.0

    def set(self, **fields: Field) -> None:
        self._fields.update(fields)

    def __enter__(self) -> Self:
        self._start_s = self._trace.now_s()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self._fields["failed"] = _cause(error)
        self._trace.note(self._name, self._fields, start_s=self._start_s, end_s=self._trace.now_s())


def _cause(error: BaseException) -> str:
    """The error by code or type, never by its message, which may quote a query."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error.code if isinstance(error, BrokerError) else type(error).__name__
