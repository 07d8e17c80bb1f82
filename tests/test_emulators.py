"""The loopback server: what it counts, how it breaks, how it is steered."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import anyio
import httpx
import pytest

from tests.emulators.client import plain_client
from tests.emulators.log import Outcome
from tests.emulators.messages import (
    Drip,
    Request,
    Response,
    hang,
    html,
    redirect,
    reset,
    truncate,
)
from tests.emulators.outside import in_process, in_thread
from tests.emulators.server import LoopbackServer
from tests.emulators.sites import Web

if TYPE_CHECKING:
    from collections.abc import Callable

BODY = b"0123456789" * 1000


def always(response: Response) -> Callable[[Request], Response]:
    return lambda _: response


async def test_requests_are_counted_with_path_query_and_headers() -> None:
    async with LoopbackServer(always(html("hello"))) as server, plain_client() as client:
        for word in ("a", "b c"):
            await client.get(f"{server.origin}/x", params={"q": word}, headers={"X-Mark": word})
        await client.get(f"{server.origin}/y%20z")
        visits = server.log.of("/x")
        assert [visit.request.query["q"] for visit in visits] == ["a", "b c"]
        assert [visit.request.headers["x-mark"] for visit in visits] == ["a", "b c"]
        assert server.log.count("/y z") == 1
        assert (server.log.min_gap_s("/x") or -1) >= 0
        assert server.log.min_gap_s("/y z") is None
        assert all(visit.outcome is Outcome.SENT for visit in server.log.visits)


async def test_one_connection_serves_many_requests() -> None:
    async with LoopbackServer(always(Response(body=BODY))) as server, plain_client() as client:
        for _ in range(3):
            assert (await client.get(server.origin)).content == BODY
        assert server.connections == 1


async def test_the_most_requests_in_flight_are_known() -> None:
    gate = anyio.Event()
    app = always(Response(body=BODY, gate=gate))
    with anyio.fail_after(5):
        async with LoopbackServer(app) as server, plain_client() as client:
            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(client.get, f"{server.origin}/p")
                await server.log.until(lambda log: log.in_flight("/p") == 3)
                gate.set()
            await server.log.idle()
            assert server.log.max_in_flight("/p") == 3


async def test_an_app_may_be_asynchronous() -> None:
    async def app(request: Request) -> Response:
        await anyio.lowlevel.checkpoint()
        return html(request.form["name"])

    async with LoopbackServer(app) as server, plain_client() as client:
        answer = await client.post(server.origin, data={"name": "Zoë & co"})
        assert answer.text == "Zoë & co"


async def test_head_gets_no_body() -> None:
    app = always(redirect("https://target.example/"))
    async with LoopbackServer(app) as server, plain_client() as client:
        answer = await client.head(server.origin)
        assert (answer.status_code, answer.content) == (302, b"")
        assert (await client.head(server.origin)).headers["location"] == "https://target.example/"


async def test_latency_comes_before_the_headers() -> None:
    app = always(Response(body=BODY, latency_s=0.01))
    with anyio.fail_after(5):
        async with LoopbackServer(app) as server, plain_client() as client:
            assert (await client.get(server.origin)).content == BODY


async def test_a_hanging_request_ends_when_its_client_leaves() -> None:
    with anyio.fail_after(5):
        async with LoopbackServer(always(Response(fault=hang()))) as server:
            async with plain_client() as client, anyio.create_task_group() as group:
                group.start_soon(client.get, server.origin)
                await server.log.arrivals("/")
                group.cancel_scope.cancel()
            await server.log.idle()
            assert server.log.visits[0].outcome is Outcome.CLIENT_GONE


async def test_a_body_can_hang_in_the_middle() -> None:
    app = always(Response(body=BODY, fault=hang(4000)))
    got = b""
    with anyio.fail_after(5):
        async with (
            LoopbackServer(app) as server,
            plain_client() as client,
            client.stream("GET", server.origin) as answer,
        ):
            async for piece in answer.aiter_raw():
                got += piece
                if len(got) >= 4000:
                    break
    assert got == BODY[:4000]


@pytest.mark.parametrize(
    ("response", "error"),
    [
        pytest.param(Response(fault=reset()), httpx.ReadError, id="reset-before-headers"),
        pytest.param(Response(body=BODY, fault=reset(500)), httpx.ReadError, id="reset-in-body"),
        pytest.param(
            Response(body=BODY, fault=truncate(500)), httpx.RemoteProtocolError, id="truncated"
        ),
    ],
)
async def test_connections_break_as_asked(response: Response, error: type[Exception]) -> None:
    with anyio.fail_after(5):
        async with LoopbackServer(always(response)) as server, plain_client() as client:
            with pytest.raises(error):
                await client.get(server.origin)
            await server.log.idle()
            assert server.log.visits[0].outcome is Outcome.BROKEN
            assert server.connections == 0


async def test_a_dripping_body_arrives_whole_and_in_pieces() -> None:
    drip = Drip(first_bytes=100, chunk_bytes=4000, interval_s=0.001)
    with anyio.fail_after(5):
        async with (
            LoopbackServer(always(Response(body=BODY, drip=drip))) as server,
            plain_client() as client,
            client.stream("GET", server.origin) as answer,
        ):
            pieces = [piece async for piece in answer.aiter_raw()]
    assert b"".join(pieces) == BODY
    assert len(pieces) > 1


async def test_an_endless_drip_goes_on_after_the_body() -> None:
    drip = Drip(first_bytes=100, chunk_bytes=5000, interval_s=0.001, forever=True)
    got = b""
    with anyio.fail_after(5):
        async with (
            LoopbackServer(always(Response(body=BODY, drip=drip))) as server,
            plain_client() as client,
            client.stream("GET", server.origin) as answer,
        ):
            async for piece in answer.aiter_raw():
                got += piece
                if len(got) > len(BODY) + 100:
                    break
    assert got.startswith(BODY)
    assert got.strip() == BODY


async def test_leaving_the_server_ends_what_hangs() -> None:
    with anyio.fail_after(5):
        async with plain_client() as client, anyio.create_task_group() as group:

            async def ask(url: str) -> None:
                with pytest.raises(httpx.TransportError):
                    await client.get(url)

            async with LoopbackServer(always(Response(fault=hang()))) as server:
                group.start_soon(ask, server.origin)
                await server.log.arrivals("/")
        assert server.log.visits[0].outcome is Outcome.SHUTDOWN


async def test_all_connections_can_be_dropped_at_once() -> None:
    with anyio.fail_after(5):
        async with LoopbackServer(always(Response(fault=hang()))) as server:
            async with plain_client() as client, anyio.create_task_group() as group:

                async def ask() -> None:
                    with pytest.raises(httpx.TransportError):
                        await client.get(server.origin)

                group.start_soon(ask)
                await server.log.arrivals("/")
                server.drop_connections()
            assert server.connections == 0


async def test_an_app_that_fails_is_not_overlooked() -> None:
    def app(_request: Request) -> Response:
        raise LookupError("broken app")

    with pytest.raises(ExceptionGroup) as caught:
        async with LoopbackServer(app) as server, plain_client() as client:
            assert (await client.get(server.origin)).status_code == 500
    assert caught.group_contains(LookupError)


async def test_an_error_of_the_test_comes_out_as_it_is() -> None:
    with pytest.raises(KeyError):
        async with LoopbackServer(always(html("")), port=0):
            raise KeyError("mine")


async def test_what_is_not_http_gets_400() -> None:
    with anyio.fail_after(5):
        async with (
            LoopbackServer(always(html(""))) as server,
            await anyio.connect_tcp("127.0.0.1", server.port) as stream,
        ):
            await stream.send(b"nonsense\r\n\r\n")
            assert (await stream.receive()).startswith(b"HTTP/1.1 400 ")


async def test_a_server_is_steered_and_read_over_http() -> None:
    with anyio.fail_after(5):
        async with LoopbackServer(Web()) as server, plain_client() as client:
            rules = {"rules": [{"mode": "blocked", "query": "cat"}], "total": 12}
            answer = await client.post(f"{server.origin}/__control", json=rules)
            assert answer.json() == {"ok": True}
            for query, status in (("cats", 403), ("dogs", 200)):
                answer = await client.get(f"{server.origin}/search", params={"q": query})
                assert answer.status_code == status
            log = (await client.get(f"{server.origin}/__log")).json()
            assert log["counts"] == {"/search": 2}
            assert [visit["query"]["q"] for visit in log["visits"]] == ["cats", "dogs"]
            await client.post(f"{server.origin}/__reset")
            answer = await client.get(f"{server.origin}/search", params={"q": "cats"})
            assert answer.status_code == 200
            assert server.log.count("/search") == 1


@pytest.mark.parametrize(
    "settings", [{"rules": [{"mode": "nonsense"}]}, {"size": 3}, {"ddg": 1}, {"ddg": {"x": 1}}]
)
async def test_settings_that_are_not_understood_are_refused(settings: dict[str, object]) -> None:
    async with LoopbackServer(Web()) as server, plain_client() as client:
        answer = await client.post(f"{server.origin}/__control", json=settings)
        assert answer.status_code == 400


def test_a_server_can_run_in_a_process_of_its_own() -> None:
    with in_process() as origin, httpx.Client(base_url=origin) as client:
        assert client.get("/search", params={"q": "cats"}).status_code == 200
        assert json.loads(client.get("/__log").content)["counts"] == {"/search": 1}


def test_a_server_can_run_in_a_thread() -> None:
    with in_thread(Web()) as server, httpx.Client(base_url=server.origin) as client:
        assert client.get("/search", params={"q": "cats"}).status_code == 200
        assert server.log.count("/search") == 1
