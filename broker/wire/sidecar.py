"""The sidecar: requests from a stream of lines, run concurrently, each answered once.

It knows ids, cancelling, overload, shutting down and crashes, but no method: those come as a
table; `native.Native` is the broker's own, `mcp.Mcp` another protocol's on the same stream.

- A request is in `_running` from the moment its line is read until it is answered; whoever takes it
  out answers it. A cancelled request is answered at once and cleans up afterwards.
- A bad line, an unknown method or a crash costs that one request an error and nobody else anything.
- The end of the input, `shutdown` and the first SIGTERM or SIGINT mean the same: read no further,
  finish what runs inside its own deadline, answer it, leave. The second signal leaves at once, and
  so does a client that has stopped reading.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import anyio

from broker.errors import BrokerError
from broker.wire import codec
from broker.wire.codec import ErrorNumber, Rejected, Request, RpcError
from broker.wire.crash import describe
from broker.wire.replies import error_of
from broker.wire.values import shown

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from signal import Signals

    from anyio.abc import TaskGroup

    from broker.wire.codec import Id, LineTooLong

MAX_RUNNING = 64
"""Requests that run at the same time; further ones are refused, save those that cost nothing."""

_CANCELLED = RpcError(ErrorNumber.CANCELLED, "the request was cancelled", "cancelled")
_DUPLICATE = RpcError(
    ErrorNumber.INVALID_REQUEST, "a request with this id is still running", "duplicate_id", "id"
)
_OVERLOADED = RpcError(
    ErrorNumber.OVERLOADED, f"{MAX_RUNNING} requests are running already", "overloaded"
)


class Wire(Protocol):
    """The stream, as `stdio.StdioWire` and the tests provide it."""

    async def receive(self) -> bytes:
        """The next bytes of the client; empty at their end."""
        ...

    def send(self, line: bytes) -> None:
        """Queue a line for the client; never waits."""
        ...

    async def room(self) -> None:
        """Wait until the client has read enough of what it was sent."""
        ...

    async def flush(self) -> None:
        """Wait until all that was sent is written, as far as that can be."""
        ...

    async def gone(self) -> None:
        """Wait until the client will never read again."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """A request as its method sees it."""

    request: Request
    sidecar: Sidecar
    notify: Callable[[str, Mapping[str, object]], None]
    """Send a notification about this request: method and params. Mute once it is answered."""


@dataclass(frozen=True, slots=True)
class Method:
    """One entry of the method table."""

    run: Callable[[Call], Awaitable[object]]
    """Returns the result as JSON; a `BrokerError` becomes the error it stands for."""
    cheap: bool = False
    """True when it is run even if too many requests are running."""


class Sidecar:
    """One client's session."""

    def __init__(self, wire: Wire, methods: Mapping[str, Method]) -> None:
        self._wire = wire
        self._methods = methods
        self._running: dict[Id | None, anyio.CancelScope] = {}
        self._busy = 0
        self._reading = anyio.CancelScope()
        self._working = anyio.CancelScope()
        self._exit_code = 0

    def __repr__(self) -> str:
        return f"<Sidecar busy={self._busy} unanswered={len(self._running)}>"

    async def run(self, signals: AsyncIterator[Signals]) -> int:
        """Serve until the client or a signal ends it; return the process's exit code."""
        async with anyio.create_task_group() as watchers:
            watchers.start_soon(self._obey, signals)
            watchers.start_soon(self._leave_with_client)
            with self._working:
                async with anyio.create_task_group() as calls:
                    with self._reading:
                        await self._read(calls)
                await self._wire.flush()
            watchers.cancel_scope.cancel()
        return self._exit_code

    def stop(self) -> None:
        """Read no further requests; those that run are finished and answered."""
        self._reading.cancel()

    def cancel(self, request_id: Id, *, answered: bool = True) -> bool:
        """Cancel a request and answer it; return False when none with this id is running.

        `answered` is False where the protocol wants no answer to what was cancelled.
        """
        scope = self._running.pop(request_id, None)
        if scope is None:
            return False
        scope.cancel()
        if answered:
            self._wire.send(codec.encode_error(request_id, _CANCELLED))
        return True

    async def _read(self, calls: TaskGroup) -> None:
        splitter = codec.LineSplitter()
        while chunk := await self._wire.receive():
            for line in splitter.feed(chunk):
                self._take(line, calls)
            await self._wire.room()
        for line in splitter.finish():
            self._take(line, calls)

    def _take(self, line: bytes | LineTooLong, calls: TaskGroup) -> None:
        request = codec.decode_request(line)
        if request is None:
            return
        if isinstance(request, Rejected):
            self._wire.send(codec.encode_error(request.id, request.error))
            return
        refusal = self._refusal(request)
        if refusal is None:
            scope = anyio.CancelScope()
            if request.id is not None:
                self._running[request.id] = scope
            self._busy += 1
            calls.start_soon(self._run, request, scope)
        elif request.id is not None:
            self._wire.send(codec.encode_error(request.id, refusal))

    def _refusal(self, request: Request) -> RpcError | None:
        method = self._methods.get(request.method)
        if method is None:
            known = ", ".join(name for name in self._methods if "/" not in name)
            message = f"unknown method {shown(request.method)}; known are {known}"
            return RpcError(ErrorNumber.METHOD_NOT_FOUND, message, "method_not_found", "method")
        if request.id in self._running:
            return _DUPLICATE
        if self._busy >= MAX_RUNNING and not method.cheap:
            return _OVERLOADED
        return None

    async def _run(self, request: Request, scope: anyio.CancelScope) -> None:
        def is_unanswered() -> bool:
            return self._running.get(request.id) is scope

        def notify(method: str, params: Mapping[str, object]) -> None:
            if is_unanswered():
                self._wire.send(codec.encode_notification(method, params))

        try:
            with scope:
                reply = await self._reply(Call(request, self, notify))
                if is_unanswered():
                    del self._running[request.id]
                    self._wire.send(reply)
        finally:
            self._busy -= 1

    async def _reply(self, call: Call) -> bytes:
        request = call.request
        try:
            result = await self._methods[request.method].run(call)
            return codec.encode_result(request.id, result)
        except BrokerError as error:
            return codec.encode_error(request.id, error_of(error))
        except Exception as error:  # noqa: BLE001 - a crash costs one request, not the session
            what = describe(error)
            _note(f"internal error in {request.method}, request {request.id!r}: {what}")
            internal = RpcError(ErrorNumber.INTERNAL, f"internal error: {what}", "internal")
            return codec.encode_error(request.id, internal)

    async def _obey(self, signals: AsyncIterator[Signals]) -> None:
        stopping = False
        async for signal in signals:
            if stopping:
                self._leave(128 + signal)
            stopping = True
            self.stop()

    async def _leave_with_client(self) -> None:
        await self._wire.gone()
        self._leave(1 if self._running else 0)

    def _leave(self, exit_code: int) -> None:
        self._exit_code = exit_code
        self._working.cancel()


def _note(text: str) -> None:
    """Tell a person; a closed stderr is no reason to fail."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"webaio: {text}\n")
