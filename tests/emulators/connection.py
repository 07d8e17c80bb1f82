"""One accepted socket: reads requests, sends responses, and breaks off as a response asks.

Works on a raw non-blocking socket because a real RST needs `SO_LINGER` and a plain `close`, which
stream objects do not give.
"""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import anyio

from tests.emulators.messages import FaultKind, Request, Response, parse_head

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

MAX_HEAD_BYTES = 1 << 20
SEND_BUFFER_BYTES = 4 << 20
"""Large enough that a SERP goes out in one system call."""
SPACE = b" " * 64 + b"\n"


class ClientGoneError(Exception):
    """The client closed or reset the connection."""


class BrokenOffError(Exception):
    """A fault was carried out; the connection is of no further use."""


class Connection:
    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._buffer = b""
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)

    def close(self) -> None:
        self._sock.close()

    def shut(self) -> None:
        """End both directions now; the task that serves it notices and closes."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    async def next_request(self) -> Request | None:
        """The next request, or None when the client has closed in between.

        Raises:
            ClientGoneError: it closed in the middle of one.
            ValueError: it does not speak HTTP.
        """
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > MAX_HEAD_BYTES:
                raise ValueError("the head does not end")
            if not await self._receive():
                if self._buffer:
                    raise ClientGoneError
                return None
        request = parse_head(self._buffer[:end])
        self._buffer = self._buffer[end + 4 :]
        length = int(request.headers.get("content-length", "0"))
        while len(self._buffer) < length:
            if not await self._receive():
                raise ClientGoneError
        body, self._buffer = self._buffer[:length], self._buffer[length:]
        return replace(request, body=body) if body else request

    async def answer(self, response: Response, *, head_only: bool = False) -> None:
        """Send a response in the way it asks for.

        Raises:
            ClientGoneError: the client went away while it was sent.
            BrokenOffError: the response's fault was carried out.
        """
        if response.latency_s:
            await self._while_connected(partial(anyio.sleep, response.latency_s))
        if response.gate is not None:
            await self._while_connected(response.gate.wait)
        if response.fault is not None and response.fault.after_bytes is None:
            await self._break_off(response.fault.kind)
        if head_only:
            await self._send(response.head())
        elif response.drip is None and response.fault is None:
            await self._send(response.head() + response.body)
        else:
            await self._send(response.head())
            await self._send_brokenly(response)

    async def _send_brokenly(self, response: Response) -> None:
        fault, drip, body = response.fault, response.drip, response.body
        if fault is not None:
            body = body[: fault.after_bytes]
        if fault is not None and fault.kind is FaultKind.TRUNCATE:
            await self._send(f"{len(body) + 1000:x}\r\n".encode() + body)
        elif drip is None:
            await self._send(body)
        else:
            frame = _chunk if drip.forever else bytes
            if drip.first_bytes:
                await self._send(frame(body[: drip.first_bytes]))
            pause = partial(anyio.sleep, drip.interval_s)
            for at in range(drip.first_bytes, len(body), drip.chunk_bytes):
                await self._while_connected(pause)
                await self._send(frame(body[at : at + drip.chunk_bytes]))
            while drip.forever and fault is None:
                await self._while_connected(pause)
                await self._send(frame(SPACE))
        if fault is not None:
            await self._break_off(fault.kind)

    async def _break_off(self, kind: FaultKind) -> None:
        if kind is FaultKind.HANG:
            await self._while_connected(anyio.sleep_forever)
        elif kind is FaultKind.RESET:
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise BrokenOffError

    async def _while_connected(self, wait: Callable[[], Awaitable[object]]) -> None:
        """Wait for something, but no longer than the client does."""
        gone = True
        async with anyio.create_task_group() as group:

            async def watch() -> None:
                while await self._receive():
                    pass
                group.cancel_scope.cancel()

            group.start_soon(watch)
            await wait()
            gone = False
            group.cancel_scope.cancel()
        if gone:
            raise ClientGoneError

    async def _receive(self) -> bool:
        """Add what the client sent to the buffer; False when it has closed."""
        while True:
            try:
                data = self._sock.recv(65536)
            except BlockingIOError:
                await anyio.wait_readable(self._sock)
                continue
            except OSError:
                return False
            self._buffer += data
            return bool(data)

    async def _send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._sock.send(rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self._sock)
            except OSError as error:
                raise ClientGoneError from error


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"
