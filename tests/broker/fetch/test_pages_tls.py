"""TLS and HTTP/2 over real sockets: whom nobody vouches for is named, and streams do no harm."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.errors import PageFailed, TlsFailed
from tests.broker.egress.doubles import Names, egress_for, server
from tests.broker.fetch.pages import client, context
from tests.emulators.secure import Authority, self_signed, served
from tests.emulators.web_faults import ARTICLE

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator
    from pathlib import Path

    from broker.fetch.pages import FetchedPage, PageClient
    from tests.emulators.secure import Site

HOST = "secure.example"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def _trusted(authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", authority.trust(tmp_path))


class Reader:
    """A client, and the one site there is."""

    def __init__(self, pages: PageClient, site: Site) -> None:
        self.pages = pages
        self.site = site

    async def get(self, path: str, budget_s: float = 10.0) -> FetchedPage:
        return await self.pages.get(context(budget_s), f"https://{HOST}:{self.site.port}/{path}")


@asynccontextmanager
async def reading(identity: ssl.SSLContext) -> AsyncIterator[Reader]:
    egress = egress_for(allow=("127.0.0.0/8",), names=Names(secure_example=[["127.0.0.1"]]))
    async with served(identity) as site, client(egress) as pages:
        yield Reader(pages, site)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("expired", "tls_expired"),
        ("wrong host", "tls_wrong_host"),
        ("self-signed", "tls_self_signed"),
        ("unknown", "tls_untrusted"),
    ],
)
@pytest.mark.usefixtures("_trusted")
async def test_a_certificate_that_nobody_can_trust_is_named(
    authority: Authority, fault: str, code: str
) -> None:
    identity = {
        "expired": lambda: authority.server(HOST, expired=True),
        "wrong host": lambda: authority.server("other.example"),
        "self-signed": lambda: self_signed(HOST),
        "unknown": lambda: Authority().server(HOST),
    }[fault]()
    async with reading(identity) as reader:
        with anyio.fail_after(5), pytest.raises(TlsFailed) as raised:
            await reader.get("page")
        data = raised.value.as_data()
        assert (data["code"], data["phase"], data["layer"]) == (code, "tls", "site")
        assert not data["retryable"]
        assert reader.pages.statistics().requests == 1


async def test_a_port_that_speaks_no_tls_is_told_apart() -> None:
    async def speak(stream: anyio.abc.SocketStream) -> None:
        await stream.receive()
        await stream.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with server(speak) as port, client(egress_for(allow=("127.0.0.0/8",))) as pages:
        with pytest.raises(TlsFailed) as raised:
            await pages.get(context(5), f"https://127.0.0.1:{port}/")
    assert raised.value.code == "tls"


async def test_a_port_that_hangs_up_in_the_handshake_is_told_apart() -> None:
    async def speak(stream: anyio.abc.SocketStream) -> None:
        await stream.receive()

    async def mute(_stream: anyio.abc.SocketStream) -> None:
        await anyio.sleep_forever()

    for handle, code, layer in ((speak, "closed", "site"), (mute, "timeout", "network")):
        async with server(handle) as port, client(egress_for(allow=("127.0.0.0/8",))) as pages:
            with pytest.raises(PageFailed) as raised:
                await pages.get(context(1), f"https://127.0.0.1:{port}/")
        data = raised.value.as_data()
        assert (data["code"], data["phase"], data["layer"]) == (code, "tls", layer)


@pytest.mark.usefixtures("_trusted")
@pytest.mark.parametrize("protocol", ["http/1.1", "h2"])
async def test_pages_come_over_either_protocol(authority: Authority, protocol: str) -> None:
    async with reading(authority.server(HOST, alpn=(protocol,))) as reader:
        for _ in range(3):
            page = await reader.get("page")
            assert page.body == ARTICLE
            assert not page.truncated
        assert reader.site.protocols == [protocol]


@pytest.mark.usefixtures("_trusted")
async def test_many_pages_share_a_connection(authority: Authority) -> None:
    async with reading(authority.server(HOST, alpn=("h2",))) as reader:
        await reader.get("page")
        async with anyio.create_task_group() as tasks:
            for number in range(12):
                tasks.start_soon(reader.get, f"page?{number}")
        assert reader.site.protocols == ["h2"]


@pytest.mark.usefixtures("_trusted")
async def test_a_stream_that_is_left_does_not_stop_the_others(authority: Authority) -> None:
    async with reading(authority.server(HOST, alpn=("h2",))) as reader:
        for _ in range(3):  # each of which would take up the room of a connection
            page = await reader.get("endless")
            assert page.truncated
            assert len(page.body) == 10_000_000
            assert (await reader.get("page", 3.0)).body == ARTICLE


@pytest.mark.usefixtures("_trusted")
async def test_a_stream_that_the_server_resets_is_tried_again(authority: Authority) -> None:
    async with reading(authority.server(HOST, alpn=("h2",))) as reader:
        with pytest.raises(PageFailed) as raised:
            await reader.get("gone")
        assert (raised.value.code, raised.value.phase) == ("closed", "waiting")
        assert reader.site.paths == ["/gone"] * 4  # once at once, the connection being a kept one
        assert (await reader.get("page")).body == ARTICLE
