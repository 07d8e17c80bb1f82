"""Where the trace is written: human lines, NDJSON, or a Chrome trace file.

A sink is handed finished records and never raises: a debugging aid that cannot be written must
not fail the search it watches. It also never waits: a line that a full pipe on stderr would make
us wait for is dropped and counted. Every text passes `shown`, the net under the callers' care.
"""

from __future__ import annotations

import fcntl
import os
import select
import threading
from io import FileIO
from typing import TYPE_CHECKING

import anyio
import orjson

from broker.errors import SettingsInvalid
from broker.redact import redact
from broker.settings import TraceMode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import TextIO

    from broker.settings import TraceSettings
    from broker.trace import Field
    from broker.trace_live import Record, Sink

MAX_TEXT_CHARS = 200
"""Longest text in a field. Page text never belongs into a trace; a message may go on and on."""

PROCESS = "-"
"""Stands where the request id would, for what belongs to no request."""


def open_sink(settings: TraceSettings, stream: TextIO) -> Sink:
    """The sink for a mode that is not off; lines go to `stream`.

    Raises:
        SettingsInvalid: The trace file cannot be written.
    """
    if settings.mode is not TraceMode.CHROME:
        return LineSink(stream, as_json=settings.mode is TraceMode.JSON)
    if settings.path is None:
        raise SettingsInvalid("a chrome trace needs a file", where="trace.path")
    return ChromeSink(settings.path)


class LineSink:
    """One line per record on a text stream, usually stderr, in one of the two line forms."""

    def __init__(self, stream: TextIO, *, as_json: bool) -> None:
        self._stream = stream
        self._format = json_line if as_json else human_line
        self._poll = _poll_of(stream)
        self._dropped = 0

    def write(self, record: Record) -> None:
        """Write one line, unless nobody reads the stream just now."""
        if self._poll is not None and not self._poll.poll(0):
            self._dropped += 1
            return
        fields = record.fields
        if self._dropped:
            fields = {**fields, "dropped_before": self._dropped}
            self._dropped = 0
        try:
            self._stream.write(self._format(record, fields) + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # the reader is gone, or the stream is closed
            return

    def close(self) -> None:
        """Nothing is outstanding, and the stream is not ours to close."""


class ChromeSink:
    """A trace file in Chrome's JSON array form, which Perfetto opens.

    Each event is written at once and the separator goes in front of it, so that what a killed
    process leaves lacks only the closing bracket, which the format declares optional.
    Rows (`tid`) are tasks within requests: the spans of one task nest, as the viewer demands,
    while lanes and pages that run at the same time get rows of their own.
    """

    def __init__(self, path: Path) -> None:
        self._file = _open_exclusively(path)
        self._rows: dict[tuple[str, int], int] = {}
        self._names: dict[int, Field] = {}
        self._pid = os.getpid()
        self._emit(b"[", self._metadata("process_name", 0, f"webaio {self._pid}"))

    def write(self, record: Record) -> None:
        """Append one slice or one instant."""
        event: dict[str, object] = {
            "name": record.name,
            "cat": record.name.partition(".")[0],
            "pid": self._pid,
            "tid": self._row(record),
            "ts": round(record.start_s * 1e6),
            "args": {"request": record.request_id or PROCESS, **shown_fields(record.fields)},
        }
        if record.duration_s is None:
            event |= {"ph": "i", "s": "t"}
        else:
            event |= {"ph": "X", "dur": round(record.duration_s * 1e6)}
        self._emit(b",", event)

    def close(self) -> None:
        """Close the array and the file."""
        try:
            with self._file:
                self._file.write(b"\n]\n")
        except (OSError, ValueError):
            return

    def _row(self, record: Record) -> int:
        """The row of the running task, named after its lane as soon as a record tells it."""
        key = (record.request_id, _task_id())
        row = self._rows.setdefault(key, len(self._rows) + 1)
        name = record.fields.get("lane") or record.fields.get("provider")
        if row not in self._names or (name and self._names[row] is None):
            self._names[row] = name
            title = f"{record.request_id or PROCESS} {name or record.name}"
            self._emit(b",", self._metadata("thread_name", row, title))
        return row

    def _metadata(self, name: str, row: int, value: str) -> dict[str, object]:
        args = {"name": shown(value)}
        return {"name": name, "ph": "M", "pid": self._pid, "tid": row, "args": args}

    def _emit(self, separator: bytes, event: dict[str, object]) -> None:
        try:
            self._file.write(separator + b"\n" + orjson.dumps(event))
        except (OSError, ValueError):  # disk full, or closed
            return


def human_line(record: Record, fields: Mapping[str, Field]) -> str:
    """The line for a person: `+0.123 s  [req 1a2b] page.state  state=results hits=10`."""
    who = f"[req {shown(record.request_id)}]" if record.request_id else f"[{PROCESS}]"
    parts = [f"{key}={_human_value(value)}" for key, value in fields.items()]
    if record.duration_s is not None:
        parts.append(f"took={record.duration_s:.3f}s")
    return f"+{record.at_s:.3f} s  {who} {record.name}  {' '.join(parts)}".rstrip()


def json_line(record: Record, fields: Mapping[str, Field]) -> str:
    """The same as one JSON object; the record's own keys win over fields of the same name."""
    row: dict[str, object] = {
        "at_s": round(record.at_s, 6),
        "request": record.request_id or None,
        "event": record.name,
    }
    if record.duration_s is not None:
        row["duration_s"] = round(record.duration_s, 6)
    return orjson.dumps({**row, **shown_fields(fields), **row}).decode()


def shown_fields(fields: Mapping[str, Field]) -> dict[str, Field]:
    """The fields with every text made safe."""
    return {key: shown(value) if isinstance(value, str) else value for key, value in fields.items()}


def shown(text: str) -> str:
    """`text` without secrets, on one line, printable, and cut to `MAX_TEXT_CHARS`."""
    # A margin is kept before the cut, so that a secret on the border is still seen whole.
    text = redact(text[: 4 * MAX_TEXT_CHARS])
    if len(text) > MAX_TEXT_CHARS:
        text = f"{text[:MAX_TEXT_CHARS]}…"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _human_value(value: Field) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if not isinstance(value, str):
        return str(value).lower()
    text = shown(value)
    return '"' + text.replace('"', r"\"") + '"' if not text or " " in text else text


def _poll_of(stream: TextIO) -> select.poll | None:
    """A check whether a write would be taken at once; None for a stream without a descriptor."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return None
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return poll


def _task_id() -> int:
    """What runs just now: a task, or the thread where there is none."""
    try:
        return anyio.get_current_task().id
    except (RuntimeError, AttributeError):
        # RuntimeError: no event loop in this thread. AttributeError: a callback of the loop
        # outside any task, where anyio 4.16 trips over asyncio's None.
        return threading.get_ident()


def _open_exclusively(path: Path) -> FileIO:
    """Open and empty `path`; a file that another process is tracing to gets a sibling instead.

    Raises:
        SettingsInvalid: The file cannot be written.
    """
    try:
        file = _open(path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            file = _open(path.with_name(f"{path.stem}.{os.getpid()}{path.suffix}"))
        file.truncate(0)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        message = f"the trace file {path} cannot be written: {reason}"
        raise SettingsInvalid(message, where="trace.path (PI_WEBAIO_DEBUG)") from error
    return file


def _open(path: Path) -> FileIO:
    return FileIO(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "w")
