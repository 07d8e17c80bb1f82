"""Standard input and output as the wire.

- Descriptors 0 and 1 are claimed: the wire has private duplicates that no child inherits, 0 reads
  from the null device and 1 goes to stderr, so that a stray `print` or a child cannot tear a line.
- Descriptors are never made non-blocking: that flag belongs to the open file, which is shared with
  whoever started us. Instead nothing is read or written before the kernel says it will not block.
- Reading is never done in a worker thread that could wait: such a thread keeps the process alive
  until its input ends.
- Nobody waits for a slow reader but the writer itself; lines queue, and no more requests are read
  while too many bytes do (`room`).
"""

from __future__ import annotations

import fcntl
import os
import select
import sys
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

READ_BYTES = 64 * 1024
"""Most bytes taken at once."""

QUEUE_BYTES = 64 * 1024 * 1024
"""Bytes of unread answers above which no further requests are read."""

STALL_S = 5.0
"""How long the last answers wait for a client that reads nothing, before we leave."""

_TURN_BYTES = 256 * 1024
"""Bytes written before other tasks get their turn."""


def claim() -> tuple[int, int]:
    """Take standard input and output for the wire; return their private descriptors.

    From now on the process and its children read an empty standard input, and what they print
    goes to stderr.
    """
    source, sink = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in (0, 1))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    if null != 2:  # noqa: PLR2004 - it is 2 when stderr was closed, and then stays in its place
        os.close(null)
    return source, sink


@asynccontextmanager
async def open_wire(
    source: int, sink: int, *, stall_s: float = STALL_S
) -> AsyncIterator[StdioWire]:
    """The wire on two descriptors, which stay open and belong to the caller."""
    wire = StdioWire(source, sink, stall_s)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wire.pump)
        tasks.start_soon(wire.watch)
        yield wire
        tasks.cancel_scope.cancel()


class StdioWire:
    """Bytes in and whole lines out; `open_wire` makes one."""

    def __init__(self, source: int, sink: int, stall_s: float) -> None:
        self._source = source
        self._sink = sink
        self._stall_s = stall_s
        self._lines: deque[bytes] = deque()
        self._queued_bytes = 0
        self._turn_bytes = 0
        self._poll = select.poll()
        self._poll.register(sink, select.POLLOUT)
        self._queued = anyio.Event()
        self._moved = anyio.Event()
        self._gone = anyio.Event()

    async def receive(self) -> bytes:
        """The next bytes of the client; empty at their end."""
        while True:
            try:
                await anyio.wait_readable(self._source)
            except PermissionError:
                # A regular file or the null device: epoll takes neither, and neither ever waits.
                return await anyio.to_thread.run_sync(os.read, self._source, READ_BYTES)
            try:
                return os.read(self._source, READ_BYTES)
            except BlockingIOError:
                # Another holder of the open file has set O_NONBLOCK and was faster.
                continue
            except ConnectionError:
                return b""

    def send(self, line: bytes) -> None:
        """Queue a line; it is written whole, after those before it."""
        self._lines.append(line)
        self._queued_bytes += len(line)
        self._queued.set()

    async def room(self) -> None:
        """Wait until the client has read enough of what it was sent."""
        while self._queued_bytes > QUEUE_BYTES and not self._gone.is_set():
            await self._moved.wait()

    async def flush(self) -> None:
        """Wait until everything is written, or the client has gone or stopped reading."""
        while self._queued_bytes and not self._gone.is_set():
            with anyio.move_on_after(self._stall_s) as stalled:
                await self._moved.wait()
            if stalled.cancelled_caught:
                return

    async def gone(self) -> None:
        """Wait until the client will never read again."""
        await self._gone.wait()

    async def pump(self) -> None:
        """Write what is queued, until cancelled or nobody reads it any more."""
        try:
            while True:
                await self._queued.wait()
                while self._lines:
                    await self._write(memoryview(self._lines.popleft()))
                self._queued = anyio.Event()
        except OSError:
            self._lose_client()

    async def watch(self) -> None:
        """Notice a client that closes its end while nothing is written to it."""
        if sys.platform != "linux":  # elsewhere the next write finds out
            return
        with select.epoll() as hangups:
            try:
                hangups.register(self._sink, 0)  # errors and hang-ups are reported unasked
            except PermissionError:  # a regular file has no other end
                return
            await anyio.wait_readable(hangups.fileno())
        self._lose_client()

    def _lose_client(self) -> None:
        self._gone.set()
        self._moved.set()  # for a flush that waits

    async def _write(self, left: memoryview) -> None:
        while left:
            turn = left[:_TURN_BYTES]
            written = self._write_now(turn)
            left = left[written:]
            self._queued_bytes -= written
            self._moved.set()
            self._moved = anyio.Event()
            if written < len(turn):
                await anyio.wait_writable(self._sink)
            else:
                await self._take_turns(written)

    def _write_now(self, data: memoryview) -> int:
        """Write as much as goes without waiting; return how many bytes that was."""
        written = 0
        while written < len(data) and self._poll.poll(0):
            try:
                # A pipe or socket that polls as writable takes this many bytes without blocking.
                written += os.write(self._sink, data[written : written + select.PIPE_BUF])
            except BlockingIOError:  # the open file is non-blocking, by someone else's wish
                break
        return written

    async def _take_turns(self, written: int) -> None:
        """Let other tasks run once in a while."""
        self._turn_bytes += written
        if self._turn_bytes >= _TURN_BYTES:
            self._turn_bytes = 0
            await anyio.lowlevel.checkpoint()
