"""The guard between real sockets: what it passes on, what it refuses, and what it leaves behind."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio
import pytest

from broker.egress import guard as guard_module
from broker.egress.dial import ConnectFailed, NameUnknown, ProxyFailed
from broker.egress.guard import Guard, Refusal
from broker.egress.heads import MAX_HEAD_BYTES
from broker.egress.policy import EgressRefused
from broker.egress.proxies import ProxyUnusable
from tests.broker.egress.doubles import Names, Tripwire, egress_for, read_all, read_head, server
from tests.emulators.messages import Fault, FaultKind, Request, Response, html
from tests.emulators.server import LoopbackServer
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from anyio.abc import SocketStream


@pytest.fixture
def tripwire() -> Iterator[Tripwire]:
    wire = Tripwire()
    yield wire
    assert wire.reached() == 0
    wire.close()


async def dial(guard: Guard) -> SocketStream:
    return await anyio.connect_tcp("127.0.0.1", urlsplit(guard.url).port or 0)


async def say(guard: Guard, text: str | bytes) -> bytes:
    """Everything that the guard answers to `text`."""
    stream = await dial(guard)
    async with stream:
        await stream.send(text.encode() if isinstance(text, str) else text)
        return await read_all(stream)


async def get(guard: Guard, url: str, *headers: str) -> bytes:
    lines = "".join(f"{header}\r\n" for header in headers)
    return await say(guard, f"GET {url} HTTP/1.1\r\nHost: x\r\n{lines}\r\n")


def echo(request: Request) -> Response:
    headers = "\n".join(f"{name}: {value}" for name, value in request.headers.items())
    body = request.body.decode("latin-1")
    return html(f"{request.method} {request.target}\n{headers}\n[{body}]")


@asynccontextmanager
async def site() -> AsyncIterator[tuple[LoopbackServer, Guard]]:
    """A server at a configured origin, and a guard that leads to it and to the public internet."""
    async with LoopbackServer(echo) as web:
        names = Names(name_example=[["127.0.0.1"]], nobody_example=[[]])
        egress = egress_for(open_origin=web.origin, names=names)
        async with Guard(egress) as guard:
            yield web, guard


async def test_a_plain_request_reaches_the_server_once_and_is_told_to_close() -> None:
    async with site() as (web, guard):
        answer = await get(
            guard, f"{web.origin}/a?b", "Proxy-Connection: keep-alive", "Accept: */*"
        )
        await until(lambda: guard.statistics().open == 0)
        port = web.port
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Connection: close\r\n" in answer
    assert b"GET /a?b\n" in answer
    assert f"host: 127.0.0.1:{port}\n".encode() in answer
    assert b"connection: close" in answer
    assert b"proxy-connection" not in answer
    assert web.connections == 0


async def test_a_body_is_passed_on_and_nothing_that_follows_it() -> None:
    async with site() as (web, guard):
        answer = await say(
            guard,
            f"POST {web.origin}/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
            f"GET {web.origin}/second HTTP/1.1\r\n\r\n",
        )
    assert b"[hello]" in answer
    assert b"second" not in answer
    assert web.log.count("/second") == 0


async def test_a_large_answer_waits_for_a_slow_reader() -> None:
    body = os.urandom(1 << 20) * 16

    async with (
        LoopbackServer(lambda _: Response(body=body)) as web,
        Guard(egress_for(open_origin=web.origin)) as guard,
        await dial(guard) as stream,
    ):
        await stream.send(f"GET {web.origin}/ HTTP/1.1\r\n\r\n".encode())
        head = await read_head(stream)
        # Nothing is read for a while; the guard cannot take it all meanwhile.
        await anyio.wait_all_tasks_blocked()
        answer = head + await read_all(stream)
    assert answer.partition(b"\r\n\r\n")[2] == body


async def test_an_answer_that_breaks_off_breaks_off_for_the_browser_as_well() -> None:
    fault = Fault(kind=FaultKind.RESET, after_bytes=10)
    async with (
        LoopbackServer(lambda _: Response(body=b"x" * 99, fault=fault)) as web,
        Guard(egress_for(open_origin=web.origin)) as guard,
    ):
        with pytest.raises(anyio.BrokenResourceError):
            await get(guard, f"{web.origin}/")


async def test_interim_answers_are_left_out() -> None:
    async def early(stream: SocketStream) -> None:
        await read_head(stream)
        await stream.send(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 20")
        await stream.send(b"0 OK\r\n\r\nbody")

    async with server(early) as port:
        origin = f"http://127.0.0.1:{port}"
        async with Guard(egress_for(open_origin=origin)) as guard:
            answer = await get(guard, origin)
    assert answer == b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbody"


@pytest.mark.parametrize(
    "said", [b"", b"SSH-2.0-x\r\n\r\n", b"HTTP/1.1 200 OK\r\nx", b"HTTP/1.1 101 S\r\n\r\n"]
)
async def test_a_server_that_speaks_no_http_is_told_from_a_refusal(said: bytes) -> None:
    async def strange(stream: SocketStream) -> None:
        await read_head(stream)
        await stream.send(said)

    async with server(strange) as port:
        origin = f"http://127.0.0.1:{port}"
        async with Guard(egress_for(open_origin=origin)) as guard:
            answer = await get(guard, origin)
    assert answer.startswith(b"HTTP/1.1 502 Bad Gateway\r\nX-Webaio-Refused: unreachable\r\n")


async def test_a_tunnel_carries_both_ways_and_may_be_closed_by_halves() -> None:
    async def answers_at_the_end(stream: SocketStream) -> None:
        await stream.send(b"last: " + await read_all(stream))

    async with (
        server(answers_at_the_end) as port,
        Guard(egress_for(open_origin=f"http://127.0.0.1:{port}")) as guard,
    ):
        async with await dial(guard) as stream:
            await stream.send(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nearly ".encode())
            assert await read_head(stream) == b"HTTP/1.1 200 Connection established\r\n\r\n"
            await stream.send(b"late")
            await stream.send_eof()
            assert await read_all(stream) == b"last: early late"
        await until(lambda: guard.statistics().open == 0)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "LOCALHOST.", "x.localhost", "127.1", "2130706433", "0x7f.1"),
        *("[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "0", "10.0.0.1", "169.254.169.254"),
        *("metadata.google.internal", "name.example", "two.example", "[fd00:ec2::254]"),
    ],
)
@pytest.mark.parametrize("form", ["GET http://{0}:{1}/ HTTP/1.1", "CONNECT {0}:{1} HTTP/1.1"])
async def test_nothing_forbidden_is_reached(tripwire: Tripwire, host: str, form: str) -> None:
    told: list[Refusal] = []
    names = Names(name_example=[["127.0.0.1"]], two_example=[["93.184.216.34", "127.0.0.1"]])
    async with (
        LoopbackServer(echo) as web,
        Guard(egress_for(open_origin=web.origin, names=names), on_refusal=told.append) as guard,
    ):
        answer = await say(guard, f"{form.format(host, tripwire.port)}\r\n\r\n")
        (refusal,) = told
        assert guard.refusal_of(f"http://{host}:{tripwire.port}/any") == refusal
    assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\nX-Webaio-Refused: blocked_ssrf\r\n")
    assert isinstance(refusal.error, EgressRefused)
    assert refusal.error.message.encode() in answer
    assert guard.statistics().refused == 1


async def test_what_the_host_header_says_changes_nothing(tripwire: Tripwire) -> None:
    async with site() as (web, guard):
        answer = await get(guard, f"http://127.0.0.1:{tripwire.port}/", f"Host: {web.origin}")
    assert b"blocked_ssrf" in answer


async def test_the_guard_leads_to_no_guard(tripwire: Tripwire) -> None:
    async with Guard(egress_for()) as guard:
        port = urlsplit(guard.url).port
        assert b"blocked_ssrf" in await get(guard, guard.url)
        assert b"blocked_ssrf" in await say(guard, f"CONNECT localhost:{port} HTTP/1.1\r\n\r\n")
    assert tripwire.port


async def test_a_name_that_changes_between_two_connections_is_refused(tripwire: Tripwire) -> None:
    async with LoopbackServer(echo) as web:
        # The page came from the public address, which is not there; the second look is at home.
        names = Names(rebound_example=[["127.0.0.1"]])
        async with Guard(egress_for(open_origin=web.origin, names=names)) as guard:
            url = f"http://rebound.example:{tripwire.port}/"
            assert b"403 Forbidden" in await get(guard, url)
            assert b"403 Forbidden" in await get(guard, f"http://rebound.example:{web.port}/")
    assert web.log.count("/") == 0


async def test_a_range_that_is_open_is_reached_by_its_names() -> None:
    async with LoopbackServer(echo) as web:
        names = Names(intranet_example=[["127.0.0.1"]])
        async with Guard(egress_for(allow=("127.0.0.0/8",), names=names)) as guard:
            for host in ("127.0.0.1", "localhost", "intranet.example", "127.1"):
                assert b"200 OK" in await get(guard, f"http://{host}:{web.port}/")
            url = f"http://intranet.example:{web.port}/"
            assert guard.refusal_of(url) is None


async def test_failures_are_told_from_refusals() -> None:
    closed = Tripwire()
    closed.close()
    origin = f"http://127.0.0.1:{closed.port}"
    async with Guard(egress_for(open_origin=origin)) as guard:
        assert b"502 Bad Gateway\r\nX-Webaio-Refused: unreachable" in await get(guard, origin)
        assert b"X-Webaio-Refused: dns" in await get(guard, "http://nobody.example/")
        refused, unknown = guard.refusal_of(origin), guard.refusal_of("http://nobody.example")
        assert guard.refusal_of("http://nobody.example:81") is None
        assert guard.refusal_of("nonsense") is None
        assert (guard.statistics().refused, guard.statistics().failed) == (0, 2)
    assert refused is not None
    assert unknown is not None
    assert isinstance(refused.error, ConnectFailed)
    assert isinstance(unknown.error, NameUnknown)


async def test_only_the_last_refusals_are_kept() -> None:
    async with Guard(egress_for()) as guard:
        for number in range(300):
            await get(guard, f"http://10.0.{number // 200}.{number % 200}/")
        assert guard.refusal_of("http://10.0.0.0/") is None
        assert guard.refusal_of("http://10.0.1.99/") is not None
        assert len(guard._refusals) == 256


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (b"nonsense\r\n\r\n", b"HTTP/1.1 400"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 400"),
        (b"GET http://x/ HTTP/1.1\r\nA: " + b"b" * MAX_HEAD_BYTES + b"\r\n", b"HTTP/1.1 431"),
    ],
)
async def test_what_is_no_request_is_told_so(said: bytes, answer: bytes) -> None:
    async with Guard(egress_for()) as guard:
        assert (await say(guard, said)).startswith(answer)


async def test_a_client_that_says_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "HEAD_GRACE_S", 0.05)
    async with Guard(egress_for()) as guard:
        assert await say(guard, b"GET http://exam") == b""
        await until(lambda: guard.statistics().open == 0)


async def test_a_silent_connection_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "IDLE_S", 0.05)

    async def silent(stream: SocketStream) -> None:
        await read_all(stream)

    async with server(silent) as port:
        origin = f"http://127.0.0.1:{port}"
        async with Guard(egress_for(open_origin=origin)) as guard:
            tunnel = await say(guard, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")
            assert tunnel == b"HTTP/1.1 200 Connection established\r\n\r\n"
            assert await get(guard, origin) == b""


async def test_no_answer_to_a_connection_is_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard_module, "CONNECT_GRACE_S", 0.05)

    class Never(Names):
        async def __call__(self, name: str) -> list[object]:  # type: ignore[override]
            await anyio.sleep_forever()
            return [name]

    async with Guard(egress_for(names=Never())) as guard:
        answer = await get(guard, "http://slow.example/")
    assert b"slow.example:80 does not answer within" in answer


async def test_too_many_connections_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "MAX_CONNECTIONS", 1)
    async with Guard(egress_for()) as guard:
        async with await dial(guard):
            await until(lambda: guard.statistics().open)
            async with await dial(guard) as second:
                with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                    await second.receive()
        await until(lambda: guard.statistics().open == 0)


async def test_the_operators_proxy_gets_plain_requests_whole_and_tunnels_as_such() -> None:
    heads: list[str] = []

    async def proxy(stream: SocketStream) -> None:
        heads.append((await read_head(stream)).decode())
        await stream.send(b"HTTP/1.1 200 OK\r\n\r\n")
        if heads[-1].startswith("CONNECT"):
            await stream.send(b"echo " + await stream.receive())

    async with server(proxy) as port:
        upstream = f"http://me:pw@127.0.0.1:{port}"
        names = Names(direct_example=[["10.0.0.1"]])
        egress = egress_for(proxy=upstream, no_proxy=("direct.example",), names=names)
        async with Guard(egress) as guard:
            assert b"200 OK" in await get(guard, "http://Public.example/x?y", "A: b")
            tunnel = await dial(guard)
            async with tunnel:
                await tunnel.send(b"CONNECT public.example:443 HTTP/1.1\r\n\r\n")
                await read_head(tunnel)
                await tunnel.send(b"hello")
                assert await tunnel.receive() == b"echo hello"
            assert b"blocked_ssrf" in await get(guard, "http://direct.example/")
            assert b"blocked_ssrf" in await get(guard, f"http://127.0.0.1:{port}/")
    plain, connect = heads
    assert plain.startswith("GET http://public.example/x?y HTTP/1.1\r\nHost: public.example\r\n")
    assert connect.startswith("CONNECT public.example:443 HTTP/1.1\r\n")
    for head in heads:
        assert "Proxy-Authorization: Basic bWU6cHc=\r\n" in head
    assert "A: b\r\n" in plain


async def test_proxies_that_fail_are_told_from_sites_that_do() -> None:
    async def grumpy(stream: SocketStream) -> None:
        await read_head(stream)
        await stream.send(b"HTTP/1.1 407 Who are you\r\n\r\n")

    async with (
        server(grumpy) as port,
        Guard(egress_for(proxy=f"http://127.0.0.1:{port}")) as guard,
    ):
        await say(guard, "CONNECT public.example:443 HTTP/1.1\r\n\r\n")
        refusal = guard.refusal_of("https://public.example/")
    assert refusal is not None
    assert isinstance(refusal.error, ProxyFailed)
    async with Guard(egress_for(proxy="socks5://127.0.0.1:1")) as guard:
        assert b"X-Webaio-Refused: proxy" in await get(guard, "http://public.example/")
        refusal = guard.refusal_of("http://public.example/")
    assert refusal is not None
    assert isinstance(refusal.error, ProxyUnusable)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_a_thousand_connections_leave_nothing_behind() -> None:
    async with site() as (web, guard):
        requests = [
            f"GET {web.origin}/ HTTP/1.1\r\n\r\n",
            (
                f"CONNECT 127.0.0.1:{web.port} HTTP/1.1\r\n\r\n"
                "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"
            ),
            "GET http://10.0.0.1/ HTTP/1.1\r\n\r\n",
            "CONNECT nobody.example:443 HTTP/1.1\r\n\r\n",
        ]
        before = descriptors()
        limiter = anyio.CapacityLimiter(16)

        async def one(text: str) -> None:
            async with limiter:
                await say(guard, text)

        async def leaves(text: str) -> None:
            async with limiter, await dial(guard) as stream:
                await stream.send(text[: len(text) // 2].encode())

        async with anyio.create_task_group() as tasks:
            for number in range(1000):
                act = leaves if number % 5 == 4 else one
                tasks.start_soon(act, requests[number % 4])
        await until(lambda: guard.statistics().open == 0 and web.connections == 0)
        assert guard.statistics().connections == 1000
        assert descriptors() <= before


async def test_its_end_ends_every_connection() -> None:
    async def silent(stream: SocketStream) -> None:
        await read_all(stream)

    before = descriptors()
    async with server(silent) as port:
        async with Guard(egress_for(open_origin=f"http://127.0.0.1:{port}")) as guard:
            tunnels = [await dial(guard) for _ in range(20)]
            for stream in tunnels:
                await stream.send(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
                await read_head(stream)
        for stream in tunnels:
            with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                await stream.receive()
            await stream.aclose()
    await until(lambda: descriptors() <= before)
