"""A resolver whose names a test decides, and servers that count who comes."""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING

import anyio

from broker.egress.dial import Egress
from broker.egress.policy import EgressPolicy
from broker.egress.proxies import ProxyRules
from broker.settings import EgressSettings, ProviderSettings, Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from anyio.abc import SocketStream

    from broker.egress.ranges import Address


class Names:
    """A resolver: each name has answers, one tuple for each time it is asked, the last for ever."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self.asked: list[str] = []
        self.default: Sequence[str] = ()
        """What every name is that is not known; nothing: it does not exist."""
        self._answers = {name.replace("_", "."): list(rounds) for name, rounds in answers.items()}

    async def __call__(self, name: str) -> Sequence[Address]:
        self.asked.append(name)
        rounds = self._answers.get(name) or [self.default]
        found = rounds.pop(0) if len(rounds) > 1 else rounds[0]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return tuple(map(ip_address, found))


def egress_for(
    *,
    open_origin: str | None = None,
    allow: tuple[str, ...] = (),
    proxy: str | None = None,
    no_proxy: tuple[str, ...] = (),
    names: Names | None = None,
) -> Egress:
    """A way out whose policy has one configured origin."""
    providers = ProviderSettings() if open_origin is None else ProviderSettings(hn_url=open_origin)
    egress = EgressSettings(
        allow_ranges=allow, http_proxy=proxy, https_proxy=proxy, no_proxy=no_proxy
    )
    settings = Settings(providers=providers, egress=egress)
    return Egress(
        EgressPolicy.from_settings(settings),
        ProxyRules.from_settings(egress),
        names or Names(),
    )


class Tripwire:
    """A listener that nobody may reach; it counts who does."""

    def __init__(self, family: socket.AddressFamily = socket.AF_INET, port: int = 0) -> None:
        host = "127.0.0.1" if family == socket.AF_INET else "::1"
        self._listener = socket.create_server((host, port), family=family, backlog=128)
        self._listener.setblocking(False)
        self.port = int(self._listener.getsockname()[1])

    def reached(self) -> int:
        """How many connections were made; the kernel has them whether anybody asks or not."""
        count = 0
        while True:
            try:
                sock, _ = self._listener.accept()
            except BlockingIOError:
                return count
            sock.close()
            count += 1

    def close(self) -> None:
        self._listener.close()


@asynccontextmanager
async def server(handle: Callable[[SocketStream], Awaitable[object]]) -> AsyncIterator[int]:
    """A TCP server on 127.0.0.1; yields its port."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = int(listener.extra_attributes[anyio.abc.SocketAttribute.local_port]())

    async def one(stream: SocketStream) -> None:
        try:
            await handle(stream)
        except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.ClosedResourceError):
            pass
        finally:
            with anyio.CancelScope(shield=True):
                await stream.aclose()

    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, one)
        yield port
        tasks.cancel_scope.cancel()


async def read_head(stream: SocketStream) -> bytes:
    """Everything up to and with the first empty line."""
    head = b""
    while b"\r\n\r\n" not in head:
        head += await stream.receive()
    return head


async def read_all(stream: SocketStream) -> bytes:
    data = b""
    while True:
        try:
            data += await stream.receive()
        except anyio.EndOfStream:
            return data
