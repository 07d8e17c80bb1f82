"""The Chrome DevTools Protocol over a pipe: one connection, many sessions.

Messages are JSON objects, each ended by a NUL byte. Commands carry an id and are answered once;
events carry a method. Both may belong to a session (an attached tab) or to the browser itself.
When the pipe closes, every command that still waits fails at once with `TabLost`.

This module knows nothing of pages. It is our own, and not Playwright's, because of what starting
Playwright's driver costs on the way to the first answer; ARCHITECTURE.md has the figures.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import anyio
import anyio.lowlevel
import orjson

from broker.errors import BrowserError, TabLost

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    EventHandler = Callable[[str, Mapping[str, Any]], None]

_READ_BYTES = 1 << 20
_WRITE_GRACE_S = 1.0
"""A browser that has taken a part of a message takes the rest within this, or is given up."""


class CdpError(BrowserError):
    """The browser refused a command; the message names it and repeats the browser's words."""

    code = "cdp"


class Session(Protocol):
    """A channel to one tab. Events arrive in order, synchronously, and must be taken quickly."""

    async def send(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Run a command and return its result; raises `CdpError` or `TabLost`."""
        ...

    def subscribe(self, methods: tuple[str, ...], handler: EventHandler) -> None:
        """Hand every event with one of these methods to `handler`."""
        ...


class _Reply:
    """The answer to one command, which may still be on its way."""

    __slots__ = ("_arrived", "_error", "_result", "method", "session_id")

    def __init__(self, method: str, session_id: str) -> None:
        self.method = method
        self.session_id = session_id
        self._arrived = anyio.Event()
        self._result: dict[str, Any] = {}
        self._error: BrowserError | None = None

    def resolve(self, message: Mapping[str, Any]) -> None:
        if (error := message.get("error")) is not None:
            self._error = CdpError(f"{self.method}: {error.get('message', error)}")
        self._result = message.get("result") or {}
        self._arrived.set()

    def fail(self, error: BrowserError) -> None:
        self._error = error
        self._arrived.set()

    async def wait(self) -> dict[str, Any]:
        await self._arrived.wait()
        if self._error is not None:
            raise self._error
        return self._result


class PipeSession:
    """A tab's channel on a pipe connection."""

    def __init__(self, connection: PipeConnection, session_id: str) -> None:
        self.id = session_id
        self._connection = connection
        self._handlers: dict[str, EventHandler] = {}

    async def send(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Run a command in this session."""
        return await self._connection.send(method, params, session_id=self.id)

    def subscribe(self, methods: tuple[str, ...], handler: EventHandler) -> None:
        """Hand every event with one of these methods to `handler`."""
        self._handlers.update(dict.fromkeys(methods, handler))

    def dispatch(self, method: str, params: Mapping[str, Any]) -> None:
        """Take an event from the connection."""
        if (handler := self._handlers.get(method)) is not None:
            handler(method, params)


class PipeConnection:
    """The browser's end of a pair of pipes.

    Owns both descriptors, which must be non-blocking. `run` reads until the browser goes away;
    `send` may be called by any number of tasks and is safe to cancel: a late answer is dropped.
    """

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._write_lock = anyio.Lock()
        self._last_id = 0
        self._replies: dict[int, _Reply] = {}
        self._sessions: dict[str, PipeSession] = {}
        self.browser = self.session("")
        """The channel of the browser itself."""
        self.closed = anyio.Event()
        """Set when the browser has gone away or `close` was called."""

    async def run(self) -> None:
        """Read and hand out messages until the pipe closes."""
        pending = bytearray()
        try:
            while chunk := await self._read():
                scanned = len(pending)
                pending += chunk
                # Only new bytes can hold a terminator: a long message is scanned once.
                if (end := pending.rfind(0, scanned)) >= 0:
                    for message in bytes(pending[:end]).split(b"\0"):
                        if not self._dispatch(message):
                            return
                    del pending[: end + 1]
                # A browser that talks without pause must not keep everybody else from running.
                await anyio.lowlevel.checkpoint()
        finally:
            self.close()

    async def _read(self) -> bytes:
        while not self.closed.is_set():
            try:
                return os.read(self._read_fd, _READ_BYTES)
            except BlockingIOError:
                try:
                    await anyio.wait_readable(self._read_fd)
                except anyio.ClosedResourceError:
                    break
            except OSError:
                break
        return b""

    def _dispatch(self, data: bytes) -> bool:
        """Hand out a message, and return whether it could be understood.

        What comes after one that could not be cannot be trusted: the browser is given up, and
        with it goes no more than what it was working on.
        """
        try:
            self._hand_out(orjson.loads(data))
        except (AttributeError, LookupError, TypeError, ValueError):
            return False
        return True

    def _hand_out(self, message: dict[str, Any]) -> None:
        if (message_id := message.get("id")) is not None:
            if (reply := self._replies.pop(message_id, None)) is not None:
                reply.resolve(message)
            return
        method, params = message.get("method", ""), message.get("params", {})
        if method == "Target.detachedFromTarget":
            self._drop_session(params["sessionId"])
        elif (session := self._sessions.get(message.get("sessionId", ""))) is not None:
            session.dispatch(method, params)
            if method == "Inspector.targetCrashed":
                self._fail_replies(session.id)

    def _drop_session(self, session_id: str) -> None:
        if (session := self._sessions.pop(session_id, None)) is not None:
            session.dispatch("Inspector.detached", {"reason": "target closed"})
            self._fail_replies(session_id)

    def _fail_replies(self, session_id: str) -> None:
        # The browser answers nothing that a tab was asked before it went.
        for reply in list(self._replies.values()):
            if reply.session_id == session_id:
                reply.fail(TabLost(f"the tab has gone away during {reply.method}"))

    def session(self, session_id: str) -> PipeSession:
        """The channel of an attached target."""
        session = PipeSession(self, session_id)
        self._sessions[session_id] = session
        return session

    async def send(
        self, method: str, params: Mapping[str, Any] | None = None, *, session_id: str = ""
    ) -> dict[str, Any]:
        """Run a command and return its result.

        Raises:
            CdpError: the browser refused it.
            TabLost: the browser went away before it answered.
        """
        self._last_id += 1
        message_id = self._last_id
        message: dict[str, Any] = {"id": message_id, "method": method, "params": params or {}}
        if session_id:
            message["sessionId"] = session_id
        reply = _Reply(method, session_id)
        self._replies[message_id] = reply
        try:
            await self._write(orjson.dumps(message) + b"\0")
            return await reply.wait()
        finally:
            self._replies.pop(message_id, None)

    async def _write(self, data: bytes) -> None:
        # A half-written message would garble the stream, so a write that began is finished even
        # when its task is cancelled. The browser drains its pipe in microseconds, or has frozen.
        async with self._write_lock:
            view = memoryview(data)
            with anyio.CancelScope() as scope:
                while view:
                    if self.closed.is_set():
                        raise TabLost("the browser has gone away")
                    try:
                        view = view[os.write(self._write_fd, view) :]
                    except BlockingIOError:
                        with suppress(anyio.ClosedResourceError):
                            await anyio.wait_writable(self._write_fd)
                    except OSError as error:
                        raise TabLost("the browser has gone away") from error
                    else:
                        scope.shield = True
                        scope.deadline = anyio.current_time() + _WRITE_GRACE_S
            if view:
                self.close()
                raise TabLost("the browser has frozen")

    def close(self) -> None:
        """Close the pipe, which ends the browser, and fail everything that waits."""
        if self.closed.is_set():
            return
        self.closed.set()
        for fd in (self._read_fd, self._write_fd):
            anyio.notify_closing(fd)
            os.close(fd)
        for reply in list(self._replies.values()):
            reply.fail(TabLost(f"the browser has gone away during {reply.method}"))
        for session_id in list(self._sessions):
            self._drop_session(session_id)
