"""The other end of the pipes: a browser that says what a test tells it to."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import orjson

from broker.browser.cdp import PipeConnection

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import TaskGroup

WAIT_S = 5.0
"""No wait of a test is longer."""

Message = dict[str, Any]


class FakeBrowser:
    """Reads commands and writes whatever it is given, as it is given."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._pending = b""

    async def command(self) -> Message:
        """The next command that was sent."""
        while b"\0" not in self._pending:
            await anyio.wait_readable(self._read_fd)
            self._pending += os.read(self._read_fd, 1 << 16)
        message, _, self._pending = self._pending.partition(b"\0")
        command: Message = orjson.loads(message)
        return command

    async def commands(self, count: int) -> list[Message]:
        return [await self.command() for _ in range(count)]

    async def write(self, data: bytes) -> None:
        """Send bytes, waiting where the pipe is full."""
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._write_fd, view) :]
            except BlockingIOError:
                await anyio.wait_writable(self._write_fd)

    async def say(self, *messages: Message) -> None:
        await self.write(b"".join(orjson.dumps(message) + b"\0" for message in messages))

    async def answer(self, command: Message, **result: object) -> None:
        await self.say({"id": command["id"], "result": result})

    def hang_up(self) -> None:
        """Close both pipes, as the end of the process does."""
        for fd in (self._read_fd, self._write_fd):
            if fd >= 0:
                anyio.notify_closing(fd)
                os.close(fd)
        self._read_fd = self._write_fd = -1


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[PipeConnection, FakeBrowser, TaskGroup]]:
    """A running connection and the browser at its other end."""
    commands_out, commands_in = os.pipe()
    messages_out, messages_in = os.pipe()
    for fd in (commands_out, commands_in, messages_out, messages_in):
        os.set_blocking(fd, False)
    connection = PipeConnection(messages_out, commands_in)
    browser = FakeBrowser(commands_out, messages_in)
    with anyio.fail_after(WAIT_S):
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(connection.run)
                yield connection, browser, tasks
                connection.close()
        finally:
            connection.close()
            browser.hang_up()
