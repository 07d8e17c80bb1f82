"""The wire on real descriptors: pipes, fifos, sockets and files, slow and dead clients."""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.wire.stdio import QUEUE_BYTES, open_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WAIT_S = 5.0


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe: its reading and its writing end."""
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


async def read_bytes(descriptor: int, size: int) -> bytes:
    """Exactly so many bytes from a client's end."""
    got = bytearray()
    while len(got) < size:
        await anyio.wait_readable(descriptor)
        got += os.read(descriptor, size - len(got))
    return bytes(got)


def open_pipe(_folder: Path) -> tuple[int, int]:
    return os.pipe()


def open_fifo(folder: Path) -> tuple[int, int]:
    os.mkfifo(folder / "fifo")
    both = os.open(folder / "fifo", os.O_RDWR)  # so that neither of the next two waits
    ends = os.open(folder / "fifo", os.O_RDONLY), os.open(folder / "fifo", os.O_WRONLY)
    os.close(both)
    return ends


def open_socket(_folder: Path) -> tuple[int, int]:
    ours, theirs = socket.socketpair()
    return ours.detach(), theirs.detach()


STREAMS = pytest.mark.parametrize("open_ends", [open_pipe, open_fifo, open_socket])


@STREAMS
async def test_a_stream_is_read_to_its_end(
    open_ends: Callable[[Path], tuple[int, int]], tmp_path: Path
) -> None:
    ours, theirs = open_ends(tmp_path)
    with pipe() as (_, sink), anyio.fail_after(WAIT_S):
        async with open_wire(ours, sink) as wire:
            os.write(theirs, b"one\ntwo")
            assert await wire.receive() == b"one\ntwo"
            os.close(theirs)
            assert await wire.receive() == b""
    os.close(ours)


@pytest.mark.parametrize("content", [b"", b"one\n" * 50_000], ids=["empty", "200 kB"])
async def test_a_file_is_read_to_its_end(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "requests"
    file.write_bytes(content)
    source = os.open(file, os.O_RDONLY)
    with pipe() as (_, sink), anyio.fail_after(WAIT_S):
        async with open_wire(source, sink) as wire:
            got = b""
            while chunk := await wire.receive():
                got += chunk
    os.close(source)

    assert got == content


async def test_reading_can_be_given_up_at_any_time() -> None:
    with pipe() as (source, client), pipe() as (_, sink), anyio.fail_after(WAIT_S):
        async with open_wire(source, sink) as wire:
            with anyio.move_on_after(0) as scope:
                await wire.receive()
            assert scope.cancelled_caught
            os.write(client, b"later")
            assert await wire.receive() == b"later"


@STREAMS
async def test_lines_are_written_whole_and_in_order(
    open_ends: Callable[[Path], tuple[int, int]], tmp_path: Path
) -> None:
    theirs, sink = open_ends(tmp_path)
    lines = [b"a" * 3_000_000 + b"\n", b"b\n", b"c" * 70_000 + b"\n"]
    with pipe() as (source, _), anyio.fail_after(WAIT_S):
        async with open_wire(source, sink) as wire:
            for line in lines:
                wire.send(line)
            assert await read_bytes(theirs, sum(map(len, lines))) == b"".join(lines)
            await wire.flush()
    os.close(theirs)
    os.close(sink)


async def test_answers_can_go_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "answers"
    sink = os.open(file, os.O_WRONLY | os.O_CREAT)
    with pipe() as (source, _), anyio.fail_after(WAIT_S):
        async with open_wire(source, sink) as wire:
            wire.send(b"a" * 1_000_000)
            await wire.flush()
    os.close(sink)

    assert file.stat().st_size == 1_000_000


@pytest.mark.parametrize("blocking", [True, False])
async def test_the_shared_descriptors_keep_their_mode(*, blocking: bool) -> None:
    with pipe() as (source, client), pipe() as (theirs, sink), anyio.fail_after(WAIT_S):
        os.set_blocking(source, blocking)
        os.set_blocking(sink, blocking)
        async with open_wire(source, sink) as wire:
            os.write(client, b"in")
            assert await wire.receive() == b"in"
            wire.send(b"x" * 300_000)
            await read_bytes(theirs, 300_000)
            await wire.flush()

        assert os.get_blocking(source) is blocking
        assert os.get_blocking(sink) is blocking


async def test_a_client_that_does_not_read_stops_nobody_else() -> None:
    with pipe() as (source, client), pipe() as (_, sink), anyio.fail_after(WAIT_S):
        async with open_wire(source, sink) as wire:
            wire.send(b"x" * 10_000_000)
            os.write(client, b"still read")
            assert await wire.receive() == b"still read"
            await wire.room()


async def test_too_much_that_is_unread_makes_no_room_until_it_is_read() -> None:
    with pipe() as (source, _), pipe() as (theirs, sink), anyio.fail_after(WAIT_S):
        async with open_wire(source, sink) as wire:
            wire.send(bytes(QUEUE_BYTES + 1_000_000))
            with anyio.move_on_after(0) as scope:
                await wire.room()
            assert scope.cancelled_caught
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read_bytes, theirs, 2_000_000)
                await wire.room()


async def test_the_last_answers_do_not_wait_for_ever() -> None:
    with pipe() as (source, _), pipe() as (_theirs, sink), anyio.fail_after(WAIT_S):
        async with open_wire(source, sink, stall_s=0.01) as wire:
            wire.send(b"x" * 1_000_000)
            await wire.flush()


async def test_a_client_that_reads_slowly_gets_all_of_the_last_answers() -> None:
    with pipe() as (source, _), pipe() as (theirs, sink), anyio.fail_after(WAIT_S):
        async with open_wire(source, sink) as wire, anyio.create_task_group() as tasks:
            wire.send(b"x" * 1_000_000)
            tasks.start_soon(wire.flush)
            for _ in range(100):
                assert len(await read_bytes(theirs, 10_000)) == 10_000


@STREAMS
async def test_a_client_that_leaves_is_noticed_while_nothing_is_written(
    open_ends: Callable[[Path], tuple[int, int]], tmp_path: Path
) -> None:
    theirs, sink = open_ends(tmp_path)
    with pipe() as (source, _), anyio.fail_after(WAIT_S):
        async with open_wire(source, sink) as wire:
            os.close(theirs)
            await wire.gone()
            await wire.flush()
    os.close(sink)


async def test_a_client_that_leaves_is_noticed_while_it_is_written_to() -> None:
    theirs, sink = os.pipe()
    with pipe() as (source, _), anyio.fail_after(WAIT_S):
        async with open_wire(source, sink) as wire:
            wire.send(b"x" * 1_000_000)
            await read_bytes(theirs, 100_000)
            os.close(theirs)
            await wire.gone()
            await wire.flush()
    os.close(sink)


async def test_a_client_that_breaks_off_is_the_end_of_the_input() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, pipe() as (_, sink), anyio.fail_after(WAIT_S):
        ours.send(b"never read")
        async with open_wire(ours.fileno(), sink) as wire:
            theirs.close()  # with unread data: a reset, not an end
            assert await wire.receive() == b""
