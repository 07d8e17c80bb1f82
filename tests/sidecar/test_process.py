"""`webaio serve` as a process: pipes, fifos and files, hostile input, signals, clients that leave.

The browser lane is off, or attached to an endpoint that accepts and never answers, so that a search
hangs until its deadline.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import IO, TYPE_CHECKING, Any

import anyio
import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from anyio.abc import ByteReceiveStream, Process

SERVE = [sys.executable, "-m", "broker", "serve"]
WAIT_S = 10.0
"""Longest wait; a process starts in 0.3 s on an idle machine."""

STATUS = b'{"jsonrpc":"2.0","id":%d,"method":"status"}\n'


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment with a home of its own and without a browser."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PI_WEBAIO_HOME": str(tmp_path / "webaio"),
        "PI_WEBAIO_CDP_BROKER": "0",
    }


@pytest.fixture
def hanging(environ: dict[str, str]) -> Iterator[dict[str, str]]:
    """An environment in which every search waits for a browser that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        yield environ | {"PI_WEBAIO_CDP_BROKER": "1", "PI_WEBAIO_CDP_URL": endpoint}


def call(request_id: object, method: str, **params: object) -> bytes:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def replies(output: bytes) -> list[dict[str, Any]]:
    """The lines of the wire, each of which must be one JSON object."""
    messages = [json.loads(line) for line in output.splitlines()]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    return messages


def finished(
    command: list[str], environ: dict[str, str], source: IO[bytes] | int | bytes
) -> subprocess.CompletedProcess[bytes]:
    """A command that was run to its end; `source` is its input, as bytes or as a file."""
    given: dict[str, Any] = {"input": source} if isinstance(source, bytes) else {"stdin": source}
    return subprocess.run(  # noqa: S603 - commands of our own
        command, env=environ, capture_output=True, timeout=WAIT_S, check=False, **given
    )


def serve(requests: IO[bytes] | int | bytes, environ: dict[str, str]) -> list[dict[str, Any]]:
    """What one run answers to an input that ends; it must end well and quietly."""
    done = finished(SERVE, environ, requests)
    assert (done.returncode, done.stderr) == (0, b"")
    return replies(done.stdout)


def ids(messages: list[dict[str, Any]]) -> list[object]:
    assert all("result" in message for message in messages)
    return sorted(message["id"] for message in messages)


@asynccontextmanager
async def running(environ: dict[str, str], stdout: int = subprocess.PIPE) -> AsyncIterator[Process]:
    """A sidecar that is talked to while it runs."""
    with anyio.fail_after(WAIT_S):
        async with await anyio.open_process(SERVE, env=environ, stdout=stdout) as process:
            try:
                yield process
            finally:
                if process.returncode is None:
                    process.kill()


async def line(stream: ByteReceiveStream | None) -> dict[str, Any]:
    assert stream is not None
    got = b""
    while not got.endswith(b"\n"):
        got += await stream.receive()
    (message,) = replies(got)
    return message


async def rest(stream: ByteReceiveStream | None) -> bytes:
    assert stream is not None
    return b"".join([chunk async for chunk in stream])


# Input that ends


THREE = STATUS % 1 + call(2, "search", query="cats") + STATUS % 3


def test_three_requests_in_a_pipe_get_three_answers(environ: dict[str, str]) -> None:
    assert ids(serve(THREE, environ)) == [1, 2, 3]


def test_requests_can_come_from_a_file(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "requests"
    file.write_bytes(THREE)
    with file.open("rb") as source:
        assert ids(serve(source, environ)) == [1, 2, 3]


def test_requests_can_come_from_a_fifo(environ: dict[str, str], tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    both = os.open(fifo, os.O_RDWR)  # so that neither of the next two waits
    source, client = os.open(fifo, os.O_RDONLY), os.open(fifo, os.O_WRONLY)
    os.write(client, THREE)
    os.close(both)
    os.close(client)
    assert ids(serve(source, environ)) == [1, 2, 3]
    os.close(source)


def test_no_input_at_all_is_a_good_end(environ: dict[str, str]) -> None:
    assert serve(subprocess.DEVNULL, environ) == []


def test_a_last_line_without_its_end_is_answered(environ: dict[str, str]) -> None:
    assert [message["id"] for message in serve((STATUS % 1).rstrip(), environ)] == [1]


def test_half_a_line_at_the_end_gets_an_error(environ: dict[str, str]) -> None:
    answered, broken = serve(STATUS % 1 + b'{"jsonrpc":"2.0","id":2,"meth', environ)

    assert {answered["id"], broken["id"]} == {1, None}
    assert next(m for m in (answered, broken) if m["id"] is None)["error"]["code"] == -32700


BAD_LINES = [
    (b"{]\n", None, -32700, "parse_error"),
    (b'{"jsonrpc":"2.0","id":NaN}\n', None, -32700, "parse_error"),
    (b"[" * 100_000 + b"\n", None, -32700, "parse_error"),
    (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', None, -32700, "invalid_utf8"),
    (b'{"x":"' + b"x" * 9_000_000 + b'"}\n', None, -32700, "line_too_long"),
    (b"[" + (STATUS % 1).strip() + b"]\n", None, -32600, "batch"),
    (b'{"jsonrpc":"2.0","id":{},"method":"status"}\n', None, -32600, "invalid_request"),
    (call(101, "fly"), 101, -32601, "method_not_found"),
    (call(102, "search", query="a", hue=1), 102, -32602, "invalid_request"),
    (call(103, "search", query=""), 103, -32602, "invalid_request"),
    (call(104, "search", query="x" * 1_000_000), 104, -32602, "invalid_request"),
    (call(105, "search", query="a", providers="gogle"), 105, -32602, "invalid_request"),
]


def test_bad_lines_get_errors_and_never_end_the_stream(environ: dict[str, str]) -> None:
    messages = serve(b"".join(bad + STATUS % n for n, (bad, *_) in enumerate(BAD_LINES)), environ)

    errors = [message for message in messages if "error" in message]
    found = [(m["id"], m["error"]["code"], m["error"]["data"]["code"]) for m in errors]
    assert sorted(found, key=str) == sorted((tuple(rest) for _, *rest in BAD_LINES), key=str)
    assert ids([m for m in messages if "result" in m]) == list(range(len(BAD_LINES)))


@pytest.mark.parametrize("locale", ["POSIX", "C.UTF-8", "de_DE.ISO-8859-1"])
def test_the_locale_does_not_matter(locale: str, environ: dict[str, str]) -> None:
    query = "Käse 猫 \U0001f408"
    environ |= {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    (message,) = serve(call("ä", "search", query=query), environ)

    assert message["id"] == "ä"
    assert message["result"]["answers"][0]["query"] == query


# The descriptors


CLAIM = """
import os, subprocess, sys
from broker.wire.stdio import claim
source, sink = claim()
print("from print", flush=True)
os.write(1, b"from descriptor 1\\n")
subprocess.run([sys.executable, "-c", "import sys; print('child read', sys.stdin.read() or None)"])
inherited = subprocess.run(["ls", "/proc/self/fd"], capture_output=True).stdout.split()
os.write(2, b"inherited " + b" ".join(inherited) + b"\\n")
os.write(sink, os.read(source, 100))
"""


def test_only_the_wire_reaches_standard_output(environ: dict[str, str]) -> None:
    done = finished([sys.executable, "-c", CLAIM], environ, b"from the wire\n")

    assert done.stdout == b"from the wire\n"
    assert done.stderr.splitlines() == [
        b"from print",
        b"from descriptor 1",
        b"child read None",
        b"inherited 0 1 2 3",  # 3 is the folder that ls reads
    ]


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_standard_stream_is_told(closed: str, environ: dict[str, str]) -> None:
    command = f'exec "{sys.executable}" -m broker serve {closed}'
    done = finished(["/bin/sh", "-c", command], environ, b"")

    assert done.returncode == 2
    assert done.stderr == b"webaio: standard input or output: it is closed\n"


def test_a_closed_standard_error_is_no_trouble(environ: dict[str, str]) -> None:
    command = f'exec "{sys.executable}" -m broker serve 2>&-'
    done = finished(["/bin/sh", "-c", command], environ, STATUS % 1)

    assert done.returncode == 0
    assert ids(replies(done.stdout)) == [1]


HEAVY = {"httpx", "playwright", "psutil"}


def test_the_first_answer_waits_for_no_heavy_import(environ: dict[str, str]) -> None:
    code = "import sys, broker.cli, broker.wire.serving; print(*sys.modules)"
    done = finished([sys.executable, "-c", code], environ, b"")

    assert done.returncode == 0
    assert not HEAVY & set(done.stdout.decode().split())


# While it runs


async def test_it_is_asked_and_answers_while_its_input_stays_open(environ: dict[str, str]) -> None:
    async with running(environ) as process:
        assert process.stdin is not None
        for number in (1, 2):
            await process.stdin.send(STATUS % number)
            assert (await line(process.stdout))["id"] == number
        await process.stdin.send(call(3, "shutdown"))
        assert (await line(process.stdout))["result"] is None
        assert await process.wait() == 0


async def test_a_hanging_search_is_cancelled_and_its_id_is_free(hanging: dict[str, str]) -> None:
    async with running(hanging) as process:
        assert process.stdin is not None
        await process.stdin.send(call(1, "search", query="cats", deadline_ms=60_000))
        await process.stdin.send(call(1, "status"))
        assert (await line(process.stdout))["error"]["data"]["code"] == "duplicate_id"
        await process.stdin.send(call(2, "status"))
        assert (await line(process.stdout))["id"] == 2
        await process.stdin.send(b'{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}\n')
        assert (await line(process.stdout))["error"]["data"]["code"] == "cancelled"
        await process.stdin.send(call(1, "status"))
        assert "result" in await line(process.stdout)
        await process.stdin.aclose()
        assert await process.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_an_idle_sidecar_leaves_at_a_signal(
    number: signal.Signals, environ: dict[str, str]
) -> None:
    async with running(environ) as process:
        assert process.stdin is not None
        await process.stdin.send(STATUS % 1)
        await line(process.stdout)
        process.send_signal(number)
        assert await process.wait() == 0
        assert await rest(process.stderr) == b""


async def test_a_running_search_is_answered_after_a_signal(hanging: dict[str, str]) -> None:
    async with running(hanging) as process:
        assert process.stdin is not None
        await process.stdin.send(call(1, "search", query="cats", deadline_ms=1500) + STATUS % 2)
        assert (await line(process.stdout))["id"] == 2
        process.terminate()
        message = await line(process.stdout)
        assert message["result"]["answers"][0]["lanes"][0]["status"] == "failed"
        assert await process.wait() == 0


async def test_the_second_signal_ends_a_running_search(hanging: dict[str, str]) -> None:
    async with running(hanging) as process:
        assert process.stdin is not None
        await process.stdin.send(call(1, "search", query="cats", deadline_ms=60_000) + STATUS % 2)
        assert (await line(process.stdout))["id"] == 2
        # Two of one kind can merge into one; two kinds can arrive the other way round.
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        assert await process.wait() in {130, 143}
        assert await rest(process.stdout) == b""
        assert await rest(process.stderr) == b""


def test_a_file_is_fetched_and_read_on(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nOn the river, by night.\n")
    (answer,) = serve(call(1, "fetch", source=str(tmp_path / "notes.md")), environ)
    (document,) = answer["result"]["documents"]
    assert (document["via"], document["error"]) == ("local", None)
    found = call(2, "read", id=document["id"], find="BY NIGHT")
    tool = call(3, "tools/call", name="read", arguments={"id": document["id"]})
    messages = {message["id"]: message["result"] for message in serve(found + tool, environ)}
    assert messages[2]["documents"][0]["finds"][0]["match"] == "folded"
    assert messages[3]["structuredContent"]["documents"][0]["title"] == "Notes"


async def test_a_client_that_closes_the_output_ends_it_quietly(hanging: dict[str, str]) -> None:
    reading, writing = os.pipe()
    async with running(hanging, stdout=writing) as process:
        os.close(writing)
        assert process.stdin is not None
        await process.stdin.send(call(1, "search", query="cats", deadline_ms=60_000) + STATUS % 2)
        await anyio.wait_readable(reading)
        os.close(reading)
        assert await process.wait() == 1
        assert await rest(process.stderr) == b""


# What was read


async def test_what_one_process_has_read_another_recalls(
    environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nThe heron stood at the weir.\n")
    async with running(environ) as first, running(environ) as second:
        assert first.stdin is not None
        assert second.stdin is not None
        await second.stdin.send(call(1, "recall", query="heron"))
        assert (await line(second.stdout))["result"]["passages"] == []
        await first.stdin.send(call(1, "fetch", source=str(tmp_path / "notes.md")))
        (document,) = (await line(first.stdout))["result"]["documents"]
        await second.stdin.send(call(2, "recall", query="where did the heron stand"))
        (passage,) = (await line(second.stdout))["result"]["passages"]
        assert passage["id"] == document["id"]
        read = call(3, "read", id=passage["id"], offset=passage["offset"])
        await second.stdin.send(read)
        assert "at the weir" in (await line(second.stdout))["result"]["documents"][0]["markdown"]


def test_a_fetch_with_a_query_answers_with_passages(
    environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nThe heron stood at the weir.\n")
    sources = [str(tmp_path / "notes.md"), str(tmp_path / "none.md")]
    (reply,) = serve(call(1, "fetch", sources=sources, query="heron"), environ)
    result = reply["result"]
    assert [passage["source"] for passage in result["passages"]] == sources[:1]
    assert result["documents"][1]["error"]["code"] == "not_found"
