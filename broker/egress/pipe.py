"""Bytes from one connection to another: whole tunnels, and one request with its answer.

Each direction waits for the other end to take what it was given before it reads more. An end that
has said all it has to say may still listen, and is let to.
"""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
from anyio.abc import SocketAttribute

from broker.egress.heads import MAX_HEAD_BYTES, HeadInvalid, parse_response, split_head

if TYPE_CHECKING:
    from anyio.abc import ByteStream

    from broker.egress.heads import ResponseHead

_CHUNK_BYTES = 64 << 10
_FAREWELL_S = 1.0
_HALF_CLOSED_S = 10.0
"""An end that is still open when the other has gone may be idle for as long as this."""
_SLACK = 0.1
"""Share of the idle time by which it may come out shorter; spares a timer for each chunk."""


class Gone(Exception):
    """One of the two ends closed or broke off."""


class NoAnswer(Exception):
    """A server that was asked did not answer, or not in HTTP; the words follow its name."""


class End:
    """One end: a stream of which a head may be read first."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._buffer = b""

    async def head(self) -> bytes | None:
        """The next head, or None where the end closed before it began one.

        Raises:
            HeadInvalid: it is too long, or it ends before its end.
            Gone: the connection broke.
        """
        while (found := split_head(self._buffer)) is None:
            if len(self._buffer) > MAX_HEAD_BYTES:
                raise HeadInvalid(431, "the head does not end")
            if not (data := await self._receive()):
                if self._buffer:
                    raise HeadInvalid(400, "the head breaks off")
                return None
            self._buffer += data
        head, self._buffer = found
        return head

    async def receive(self) -> bytes:
        """What comes next; nothing when the end has said all.

        Raises:
            Gone: the connection broke.
        """
        if self._buffer:
            data, self._buffer = self._buffer, b""
            return data
        return await self._receive()

    async def _receive(self) -> bytes:
        try:
            return await self._stream.receive(_CHUNK_BYTES)
        except anyio.EndOfStream:
            return b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise Gone from error

    async def send(self, data: bytes) -> None:
        """Hand `data` over; returns when it is on its way.

        Raises:
            Gone: the connection broke.
        """
        try:
            await self._stream.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise Gone from error

    async def finish(self) -> None:
        """Say that nothing more will be sent.

        Raises:
            Gone: that cannot be said, but by closing.
        """
        try:
            await self._stream.send_eof()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, NotImplementedError) as error:
            raise Gone from error  # over TLS there is no such word
        except OSError as error:
            raise Gone from error

    async def farewell(self, data: bytes) -> None:
        """Send an answer of our own, and wait a moment for it to be read.

        Closing at once, while the other end still sends, would take the answer back.
        """
        with anyio.move_on_after(_FAREWELL_S), suppress(Gone):
            await self.send(data)
            await self.finish()
            while await self._receive():
                pass

    def break_off(self) -> None:
        """See that closing tells the other end of a failure, and not of an ordinary end."""
        sock = self._stream.extra(SocketAttribute.raw_socket)  # noqa: S610 - no Django here
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class _IdleScope:
    """A cancel scope that expires when nothing has been heard of for a while."""

    def __init__(self, idle_s: float) -> None:
        self._idle_s = idle_s
        self.scope = anyio.CancelScope()
        self.heard()

    def heard(self) -> None:
        until_s = anyio.current_time() + self._idle_s
        if abs(until_s - self.scope.deadline) > self._idle_s * _SLACK:
            self.scope.deadline = until_s

    def shorten(self, idle_s: float) -> None:
        self._idle_s = min(self._idle_s, idle_s)
        self.heard()


async def relay(client: End, server: End, idle_s: float) -> None:
    """Pass bytes both ways until both ends have closed, one has broken, or both are silent."""
    idle = _IdleScope(idle_s)

    async def pump(source: End, sink: End) -> None:
        try:
            while data := await source.receive():
                idle.heard()
                await sink.send(data)
            await sink.finish()
            idle.shorten(_HALF_CLOSED_S)
        except Gone:
            idle.scope.cancel()

    with idle.scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pump, client, server)
            tasks.start_soon(pump, server, client)


async def exchange(
    client: End, server: End, request: bytes, body_bytes: int, idle_s: float
) -> None:
    """Send one request on, and its answer back, until the server closes or the client leaves.

    Args:
        client: has been read up to the end of its request's head.
        server: newly connected.
        request: the head to send.
        body_bytes: how much of the client's bytes is this request's.
        idle_s: how long both may be silent.

    Raises:
        NoAnswer: the server broke off before it answered, or said what cannot be passed on.
    """
    idle = _IdleScope(idle_s)

    async def upload() -> None:
        left = body_bytes
        with suppress(Gone):
            while data := await client.receive():
                idle.heard()
                # What comes behind the request is not looked at: the connection is for this one.
                if left:
                    with suppress(Gone):  # it may answer without having read everything
                        await server.send(data[:left])
                    left -= len(data[:left])
        idle.scope.cancel()

    failure = None
    with idle.scope:
        async with anyio.create_task_group() as tasks:
            try:
                await _ask(server, request)
                tasks.start_soon(upload)
                response = await _final_head(server)
            except NoAnswer as error:
                # Raised where no task group would wrap it.
                failure = error
            else:
                with suppress(Gone):
                    await client.send(response.onward())
                    await _pour(server, client, idle)
            tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def _ask(server: End, request: bytes) -> None:
    try:
        await server.send(request)
    except Gone as error:
        raise NoAnswer("broke off") from error


async def _final_head(server: End) -> ResponseHead:
    try:
        while (head := await server.head()) is not None:
            response = parse_response(head)
            if not response.interim:
                return response
    except HeadInvalid as error:
        raise NoAnswer(f"does not answer in HTTP ({error})") from error
    except Gone as error:
        raise NoAnswer("broke off") from error
    raise NoAnswer("closed without an answer")


async def _pour(server: End, client: End, idle: _IdleScope) -> None:
    while True:
        try:
            data = await server.receive()
        except Gone:
            client.break_off()
            return
        if not data:
            return
        idle.heard()
        await client.send(data)
