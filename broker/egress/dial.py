"""Connections that go where the policy has looked: what was checked is what is connected to.

A name is resolved once for each connection, and every answer is checked; nothing is remembered
between two connections, so that a name that changes its mind is checked again. `Egress` holds the
policy, the operator's proxies and the resolver, and is what everything that opens connections for
a page shares.
"""

from __future__ import annotations

import os
import re
import socket
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

import anyio
import anyio.to_thread

from broker.deadline import bounded_close
from broker.egress.policy import EgressPolicy
from broker.egress.proxies import ProxyRules
from broker.egress.ranges import LOOPBACK
from broker.errors import BrokerError

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable, Sequence

    from anyio.abc import ByteStream

    from broker.egress.policy import Target
    from broker.egress.proxies import Upstream
    from broker.egress.ranges import Address
    from broker.settings import Settings

    Resolve = Callable[[str], Awaitable[Sequence[Address]]]

_NEXT_ADDRESS_S = 0.25
"""Head start of each address over the next one (RFC 8305)."""
_MAX_ADDRESSES = 8
_CLOSE_GRACE_S = 1.0
_MAX_ANSWER_BYTES = 16 << 10


class ConnectFailed(BrokerError):
    """No connection came about; `reason` is the operating system's word for it."""

    code = "unreachable"

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class NameUnknown(ConnectFailed):
    """The name has no address, or nobody could be asked for one."""

    code = "dns"


class ProxyFailed(ConnectFailed):
    """The operator's proxy cannot be reached, or did not let the connection through.

    `status` is the HTTP status it answered with, 0 for none.
    """

    code = "proxy"

    def __init__(self, message: str, *, reason: str, status: int = 0) -> None:
        super().__init__(message, reason=reason)
        self.status = status


async def system_resolve(name: str) -> Sequence[Address]:
    """Every address of `name`, in the order the system prefers.

    Raises:
        OSError: there is none.
    """
    found = await anyio.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(ip_address(sockaddr[0]) for *_, sockaddr in found))


class _Closable(Protocol):
    async def aclose(self) -> None: ...


S = TypeVar("S", bound=_Closable)


@dataclass(frozen=True, slots=True)
class Egress:
    """The way out for pages."""

    policy: EgressPolicy
    proxies: ProxyRules = field(default_factory=ProxyRules)
    resolve: Resolve = system_resolve

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """What the operator allows and by which proxies it goes."""
        return cls(EgressPolicy.from_settings(settings), ProxyRules.from_settings(settings.egress))

    async def addresses(self, target: Target) -> tuple[Address, ...]:
        """Where a connection to `target` may go: what its name stands for at this moment, checked.

        Raises:
            EgressRefused: the name stands for something forbidden.
            NameUnknown: it stands for nothing.
        """
        if target.host.address is not None:
            return (target.host.address,)
        if target.local:
            return self.policy.usable(target, LOOPBACK)
        try:
            answers = await self.resolve(target.host.name)
        except (OSError, UnicodeError) as error:
            message = f"the name {target.host} cannot be resolved"
            raise NameUnknown(message, reason=type(error).__name__) from error
        if not answers:
            raise NameUnknown(f"the name {target.host} has no address", reason="no answer")
        return self.policy.usable(target, answers)[:_MAX_ADDRESSES]

    async def connect(self, target: Target) -> ByteStream:
        """A connection to `target` itself, past every proxy.

        Raises:
            EgressRefused: the name stands for something forbidden.
            ConnectFailed: nobody answers there.
        """

        async def connect(address: Address) -> ByteStream:
            return await anyio.connect_tcp(str(address), target.port)

        return await first_connected(target, await self.addresses(target), connect)

    async def for_requests(self, target: Target) -> tuple[ByteStream, Upstream | None]:
        """A connection for plain requests to `target`, and the proxy that it leads to instead.

        Raises:
            EgressRefused: the name stands for something forbidden.
            ConnectFailed: nobody answers there.
            ProxyUnusable: the proxy is of a kind that cannot be used.
        """
        upstream = self.proxies.route(target, tls=False)
        if upstream is None:
            return await self.connect(target), None
        return await connect_upstream(upstream), upstream

    async def tunnel(self, target: Target) -> ByteStream:
        """A connection for TLS or WebSockets to `target`, through a proxy where one leads there.

        Raises:
            EgressRefused: the name stands for something forbidden.
            ConnectFailed: nobody answers there, or the proxy does not let it through.
            ProxyUnusable: the proxy is of a kind that cannot be used.
        """
        upstream = self.proxies.route(target, tls=True)
        if upstream is None:
            return await self.connect(target)
        stream = await connect_upstream(upstream)
        try:
            await _ask_for_tunnel(stream, target, upstream)
        except BaseException:
            await bounded_close(stream.aclose, _CLOSE_GRACE_S)
            raise
        return stream


async def first_connected(
    target: Target, addresses: Sequence[Address], connect: Callable[[Address], Awaitable[S]]
) -> S:
    """Try the addresses, each a little after the one before, and keep the first that answers.

    Args:
        target: named where none does.
        addresses: tried in this order, but the families take turns.
        connect: raises `OSError` where nobody answers.

    Raises:
        ConnectFailed: none did.
    """
    won: list[S] = []
    errors: list[OSError] = []

    async def attempt(address: Address, failed: anyio.Event) -> None:
        try:
            stream = await connect(address)
        except OSError as error:
            errors.append(error)
            failed.set()
            return
        won.append(stream)
        tasks.cancel_scope.cancel()

    try:
        async with anyio.create_task_group() as tasks:
            for address in _alternating(addresses):
                failed = anyio.Event()
                tasks.start_soon(attempt, address, failed)
                with anyio.move_on_after(_NEXT_ADDRESS_S):
                    await failed.wait()
        if won:
            return won.pop(0)
    finally:
        for late in won:
            await bounded_close(late.aclose, _CLOSE_GRACE_S)
    reason = _reason(errors[-1])
    raise ConnectFailed(f"{target} cannot be connected to ({reason})", reason=reason)


def _alternating(addresses: Sequence[Address]) -> list[Address]:
    first = isinstance(addresses[0], IPv6Address)
    same = [each for each in addresses if isinstance(each, IPv6Address) is first]
    other = [each for each in addresses if isinstance(each, IPv6Address) is not first]
    return [each for each in chain(*zip_longest(same, other)) if each is not None]


def _reason(error: BaseException) -> str:
    # What the operating system said stands behind what libraries made of it.
    behind = error.__cause__
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno)
    return type(error).__name__ if behind is None else _reason(behind)


async def connect_upstream(upstream: Upstream) -> ByteStream:
    """A connection to the operator's proxy.

    Raises:
        ProxyFailed: it cannot be reached.
    """
    try:
        stream: ByteStream = await anyio.connect_tcp(upstream.host, upstream.port)
        if upstream.scheme == "https":
            stream = await _over_tls(stream, upstream.host)
    except (OSError, anyio.BrokenResourceError, anyio.EndOfStream) as error:
        reason = _reason(error)
        message = f"the proxy {upstream.url} cannot be reached ({reason})"
        raise ProxyFailed(message, reason=reason) from error
    return stream


async def _over_tls(stream: ByteStream, host: str) -> ByteStream:
    from anyio.streams.tls import TLSStream  # noqa: PLC0415 - few proxies are spoken to over TLS

    context = await anyio.to_thread.run_sync(_tls_context)
    # It closes the stream where the handshake fails. Plain closing is all that a tunnel's end is.
    return await TLSStream.wrap(
        stream, hostname=host, ssl_context=context, standard_compatible=False
    )


def _tls_context() -> ssl.SSLContext:
    import ssl  # noqa: PLC0415 - see _over_tls

    return ssl.create_default_context()


async def _ask_for_tunnel(stream: ByteStream, target: Target, upstream: Upstream) -> None:
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if upstream.authorization is not None:
        lines.append(f"Proxy-Authorization: {upstream.authorization}")
    try:
        await stream.send("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        answer = b""
        # Nothing can follow it: neither in TLS nor to a WebSocket does a server speak first.
        while b"\r\n\r\n" not in answer and len(answer) < _MAX_ANSWER_BYTES:
            answer += await stream.receive()
    except (anyio.BrokenResourceError, anyio.EndOfStream) as error:
        reason = type(error).__name__
        message = f"the proxy {upstream.url} broke off"
        raise ProxyFailed(message, reason=reason) from error
    status = _status(answer)
    if status != 200:  # noqa: PLR2004 - the one status that opens a tunnel
        words = "wants another user or password" if status == 407 else f"answered {status}"  # noqa: PLR2004
        message = f"the proxy {upstream.url} {words} for {target}"
        raise ProxyFailed(message, reason=f"status {status}", status=status)


def _status(answer: bytes) -> int:
    found = re.match(rb"HTTP/1\.[01] ([1-5][0-9]{2})[ \r]", answer)
    return 0 if found is None else int(found[1])
