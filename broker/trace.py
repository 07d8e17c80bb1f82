"""What the broker decides, as events and timed spans, for a person who debugs it.

`Event` is the closed list of names; fields are numbers, flags and short texts. Queries and page
texts never go in as they are: pass them through `hashed`, and addresses through `safe_url`. The
request's id and the offset from its start are added here. Switched off, which is the ordinary
case, everything is a null object that formats nothing: guard only fields that cost something to
compute with `if trace.enabled`. The forms on file and terminal are `broker.trace_sinks`.
"""

from __future__ import annotations

import sys
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

from broker.redact import hashed, redact, safe_url
from broker.settings import TraceMode

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import TextIO

    from broker.settings import TraceSettings

__all__ = ["OFF", "Event", "Field", "Span", "Trace", "hashed", "open_trace", "redact", "safe_url"]

Field: TypeAlias = int | float | bool | str | None


class Event(StrEnum):
    """Everything that can stand in a trace, as `<module>.<verb>`."""

    REQUEST_START = "request.start"
    REQUEST_END = "request.end"

    LANE_START = "lane.start"
    LANE_END = "lane.end"
    LANE_PACED = "lane.paced"
    RACE_HEDGE = "race.hedge"

    BROWSER_LAUNCH = "browser.launch"
    BROWSER_ATTACH = "browser.attach"
    BROWSER_READY = "browser.ready"
    BROWSER_REPLACE = "browser.replace"
    BROWSER_LOST = "browser.lost"
    BROWSER_CLOSE = "browser.close"

    POOL_LEASE = "pool.lease"
    POOL_RETURN = "pool.return"
    POOL_DISCARD = "pool.discard"

    PAGE_NAVIGATE = "page.navigate"
    PAGE_STATE = "page.state"
    GOTO_RESOLVE = "goto.resolve"
    CONSENT_REFUSE = "consent.refuse"

    COOLDOWN_START = "cooldown.start"
    COOLDOWN_ACTIVE = "cooldown.active"
    COOLDOWN_CLEAR = "cooldown.clear"

    HTTP_LOAD = "http.load"
    HTTP_REQUEST = "http.request"

    READING_LOAD = "reading.load"
    READING_OPEN = "reading.open"
    READING_HOT = "reading.hot"
    READING_FILE = "reading.file"
    READING_JUDGE = "reading.judge"
    READING_ARCHIVE = "reading.archive"
    READING_CONVERT = "reading.convert"
    READING_SITE = "reading.site"
    READING_STORE = "reading.store"
    READING_FAILED = "reading.failed"


class Span(Protocol):
    """A stretch of time that is being measured."""

    def set(self, **fields: Field) -> None:
        """Add what became known on the way."""
        ...


class Trace(Protocol):
    """Takes what happens; carried in the request's context."""

    @property
    def enabled(self) -> bool:
        """Whether anything is written."""
        ...

    def event(self, name: Event, /, **fields: Field) -> None:
        """Note one fact."""
        ...

    def span(self, name: Event, /, **fields: Field) -> AbstractContextManager[Span]:
        """Measure a block; it is noted at its end, with `failed` when an exception leaves it."""
        ...

    def for_request(self, request_id: str, /) -> Trace:
        """The same trace for one request, whose offsets count from now."""
        ...

    def close(self) -> None:
        """Write what is outstanding. Only the owner of the trace closes it, once."""
        ...


def open_trace(
    settings: TraceSettings,
    *,
    stream: TextIO | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Trace:
    """The trace that `settings` ask for; lines go to `stream`, by default stderr.

    Raises:
        SettingsInvalid: The trace file cannot be written.
    """
    stream = stream or sys.stderr
    if settings.mode is TraceMode.OFF or (stream is None and settings.mode is not TraceMode.CHROME):
        return OFF  # also when standard error is closed: there is nobody to tell
    from broker.trace_live import LiveTrace  # noqa: PLC0415 - nothing is loaded while it is off
    from broker.trace_sinks import open_sink  # noqa: PLC0415 - as above

    return LiveTrace(open_sink(settings, stream), clock)


class _Off:
    """The null trace, and its own null span."""

    enabled = False

    def event(self, _name: Event, /, **_fields: Field) -> None:
        """Nothing."""

    def span(self, _name: Event, /, **_fields: Field) -> Self:
        return self

    def for_request(self, _request_id: str, /) -> Self:
        return self

    def close(self) -> None:
        """Nothing."""

    def set(self, **_fields: Field) -> None:
        """Nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Nothing."""


OFF: Trace = _Off()
"""Writes nothing."""
