"""A site that is spoken to over TLS, by HTTP/1.1 or HTTP/2, with certificates made on the spot.

`Authority` signs for any host; `served` is the site. Nothing is written but the one file that a
client is pointed at to trust the authority (`SSL_CERT_FILE`).
"""

from __future__ import annotations

import ssl
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import anyio
import h2.config
import h2.connection
import h2.events
import trustme
from anyio.streams.tls import TLSAttribute, TLSListener

from tests.emulators.web_faults import ARTICLE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from anyio.abc import AnyByteStream, ByteStream
    from anyio.streams.tls import TLSStream

_GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, ssl.SSLError)


class Authority:
    """Signs certificates; trusted by whoever is given its file."""

    def __init__(self) -> None:
        self._ca = trustme.CA()

    def trust(self, folder: Path) -> str:
        """A file with its own certificate."""
        path = folder / "authority.pem"
        self._ca.cert_pem.write_to_path(str(path))
        return str(path)

    def server(
        self, host: str, *, expired: bool = False, alpn: tuple[str, ...] = ("http/1.1",)
    ) -> ssl.SSLContext:
        """What a server for `host` needs."""
        ended = datetime.now(UTC) - timedelta(days=1) if expired else None
        begun = datetime.now(UTC) - timedelta(days=30)
        certificate = self._ca.issue_cert(host, not_before=begun, not_after=ended)
        return _context(certificate, alpn)


def self_signed(host: str) -> ssl.SSLContext:
    """What a server needs whose certificate vouches for itself."""
    authority = trustme.CA(organization_name=host)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with authority.private_key_pem.tempfile() as key, authority.cert_pem.tempfile() as own:
        context.load_cert_chain(own, key)
    return context


class Site:
    """What the server has seen."""

    def __init__(self) -> None:
        self.port = 0
        self.protocols: list[str] = []
        """Of each connection."""
        self.paths: list[str] = []


@asynccontextmanager
async def served(context: ssl.SSLContext) -> AsyncIterator[Site]:
    """A site: `/endless` never ends, `/gone` resets its stream, all else is an article."""
    site = Site()
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    site.port = int(listener.extra_attributes[anyio.abc.SocketAttribute.local_port]())

    async def one(stream: TLSStream) -> None:
        protocol = stream.extra(TLSAttribute.alpn_protocol) or "http/1.1"  # noqa: S610 - no Django
        site.protocols.append(protocol)
        try:
            with suppress(*_GONE):
                await (_speak_h2 if protocol == "h2" else _speak_h1)(stream, site)
        finally:
            await anyio.aclose_forcefully(stream)

    async def refused(_error: BaseException, stream: AnyByteStream) -> None:
        """The client did not trust it."""
        await anyio.aclose_forcefully(stream)

    tls = TLSListener(listener, context, standard_compatible=False)
    tls.handle_handshake_error = refused  # type: ignore[method-assign, assignment]
    async with tls, anyio.create_task_group() as tasks:
        tasks.start_soon(tls.serve, one)
        yield site
        tasks.cancel_scope.cancel()


def _context(certificate: trustme.LeafCert, alpn: tuple[str, ...]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    context.set_alpn_protocols(list(alpn))
    return context


async def _speak_h1(stream: ByteStream, site: Site) -> None:
    buffer = b""
    while True:
        while b"\r\n\r\n" not in buffer:
            buffer += await stream.receive()
        head, _, buffer = buffer.partition(b"\r\n\r\n")
        site.paths.append(head.split(b" ")[1].decode())
        length = f"Content-Length: {len(ARTICLE)}\r\n\r\n".encode()
        await stream.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + length + ARTICLE)


async def _speak_h2(stream: ByteStream, site: Site) -> None:
    connection = h2.connection.H2Connection(
        h2.config.H2Configuration(client_side=False, header_encoding=None)
    )
    connection.initiate_connection()
    await stream.send(connection.data_to_send())
    endless: set[int] = set()
    while True:
        for event in connection.receive_data(await stream.receive()):
            if isinstance(event, h2.events.RequestReceived):
                path = dict(event.headers)[b":path"].decode()
                site.paths.append(path)
                _answer_h2(connection, event.stream_id, path, endless)
            elif isinstance(event, h2.events.ConnectionTerminated):
                return
        for number in endless:
            while (room := connection.local_flow_control_window(number)) > 0:
                size = min(room, connection.max_outbound_frame_size, 16384)
                connection.send_data(number, (ARTICLE * 10)[:size])
        await stream.send(connection.data_to_send())


def _answer_h2(
    connection: h2.connection.H2Connection, number: int, path: str, endless: set[int]
) -> None:
    if path == "/gone":
        connection.reset_stream(number, 2)
        return
    connection.send_headers(number, [(":status", "200"), ("content-type", "text/html")])
    if path == "/endless":
        endless.add(number)
    else:
        connection.send_data(number, ARTICLE, end_stream=True)
