"""The client that reads pages, over real sockets: it goes nowhere that is not allowed."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio.to_thread
import httpx
import pytest

from broker.egress.dial import ConnectFailed, Egress, NameUnknown
from broker.egress.policy import EgressRefused
from broker.egress.proxies import ProxyUnusable
from broker.fetch.reading import reading_client
from tests.broker.egress.doubles import Names, Tripwire, egress_for, read_head, server
from tests.broker.egress.test_policy import FORBIDDEN
from tests.emulators.messages import Request, Response, html, redirect
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from anyio.abc import SocketStream


@pytest.fixture
def tripwire() -> Iterator[Tripwire]:
    wire = Tripwire()
    yield wire
    assert wire.reached() == 0
    wire.close()


@asynccontextmanager
async def client_for(egress: Egress) -> AsyncIterator[httpx.AsyncClient]:
    client = await anyio.to_thread.run_sync(reading_client, egress)
    async with client:
        yield client


async def test_a_configured_origin_is_read_and_its_connection_kept() -> None:
    async with (
        LoopbackServer(lambda _: html("hello")) as web,
        client_for(egress_for(open_origin=web.origin)) as client,
    ):
        for _ in range(3):
            assert (await client.get(f"{web.origin}/")).text == "hello"
        assert web.connections == 1


@pytest.mark.parametrize("host", [case[0] for case in FORBIDDEN])
async def test_nothing_forbidden_is_reached(tripwire: Tripwire, host: str) -> None:
    async with client_for(egress_for()) as client:
        url = f"http://{host}:{tripwire.port}/" if "\\" not in host else f"http://{host}/"
        # What httpx itself takes for no address is as good as refused.
        with pytest.raises((EgressRefused, httpx.InvalidURL, NameUnknown)):
            await client.get(url)


@pytest.mark.parametrize("host", ["one.example", "two.example", "mapped.example", "nat.example"])
async def test_names_are_looked_behind(tripwire: Tripwire, host: str) -> None:
    names = Names(
        one_example=[["127.0.0.1"]],
        two_example=[["93.184.216.34", "127.0.0.1"]],
        mapped_example=[["::ffff:127.0.0.1"]],
        nat_example=[["64:ff9b::7f00:1"]],
    )
    async with client_for(egress_for(names=names)) as client:
        for scheme in ("http", "https"):
            with pytest.raises(EgressRefused, match=host):
                await client.get(f"{scheme}://{host}:{tripwire.port}/")


@pytest.mark.parametrize("followed", [True, False])
@pytest.mark.parametrize(
    "where", ["http://127.0.0.1:{}/", "http://0x7f.1:{}/", "//localhost:{}/", "http://[::1]:{}/"]
)
async def test_a_redirect_leads_nowhere_else(
    tripwire: Tripwire, where: str, *, followed: bool
) -> None:
    async with LoopbackServer(lambda _: redirect(where.format(tripwire.port))) as web:
        egress = egress_for(open_origin=web.origin)
        async with client_for(egress) as client:
            if followed:
                with pytest.raises(EgressRefused):
                    await client.get(web.origin, follow_redirects=True)
            else:
                answer = await client.get(web.origin)
                location = answer.url.join(answer.headers["location"])
                with pytest.raises(EgressRefused):
                    egress.policy.check_url(str(location))


async def test_a_name_is_resolved_for_each_connection_and_keeps_its_name() -> None:
    hosts: list[str] = []

    def app(request: Request) -> Response:
        hosts.append(request.headers["host"])
        return html("closing", 200, ("Connection", "close"))

    async with LoopbackServer(app) as web:
        names = Names(site_example=[["127.0.0.1"], ["10.0.0.1"]])
        egress = egress_for(allow=("127.0.0.0/8",), names=names)
        async with client_for(egress) as client:
            url = f"http://site.example:{web.port}/"
            assert (await client.get(url)).status_code == 200
            assert names.asked == ["site.example"]
        async with client_for(egress) as client:
            with pytest.raises(EgressRefused, match=r"site\.example is 10\.0\.0\.1"):
                await client.get(url)
    assert hosts == [url.removeprefix("http://").removesuffix("/")]


async def test_failures_have_their_codes() -> None:
    closed = Tripwire()
    closed.close()
    origin = f"http://127.0.0.1:{closed.port}"
    async with client_for(egress_for(open_origin=origin)) as client:
        with pytest.raises(ConnectFailed, match="Connection refused"):
            await client.get(origin)
        with pytest.raises(NameUnknown):
            await client.get("https://nobody.example/")
    async with client_for(egress_for(proxy="socks5h://127.0.0.1:1")) as client:
        with pytest.raises(ProxyUnusable):
            await client.get("https://public.example/")


async def test_the_environments_proxies_are_the_settings_business(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    async with (
        LoopbackServer(lambda _: html("direct")) as web,
        client_for(egress_for(open_origin=web.origin)) as client,
    ):
        assert (await client.get(web.origin)).text == "direct"


async def test_a_page_is_read_through_the_operators_proxy() -> None:
    heads: list[str] = []

    async def proxy(stream: SocketStream) -> None:
        heads.append((await read_head(stream)).decode())
        status = b"403 No" if heads[-1].startswith("CONNECT") else b"200 OK"
        await stream.send(b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\nhi")

    names = Names()
    async with server(proxy) as port:
        egress = egress_for(proxy=f"http://me:p%40ss@127.0.0.1:{port}", names=names)
        async with client_for(egress) as client:
            assert (await client.get("http://public.example/x")).text == "hi"
            with pytest.raises(httpx.ProxyError):
                await client.get("https://public.example/x")
            for forbidden in ("http://10.0.0.1/", f"http://127.0.0.1:{port}/", "http://localhost"):
                with pytest.raises(EgressRefused):
                    await client.get(forbidden)
    plain, connect = heads
    assert plain.startswith("GET http://public.example/x HTTP/1.1\r\n")
    assert connect.startswith("CONNECT public.example:443 HTTP/1.1\r\n")
    for head in heads:
        assert "Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in head
    assert names.asked == []
