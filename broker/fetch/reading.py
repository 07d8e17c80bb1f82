"""The HTTP client that reads pages: every connection it opens has passed the egress policy.

The check sits where httpcore opens a connection, below redirects, retries and everything else that
may lead to one, and a connection goes to the address that was checked. Where one of the operator's
proxies leads to the page, that proxy is connected to instead, and only the page's name, port and
written-out address are checked. Providers' endpoints have a client of their own (`http.py`).

Loading this module loads httpx, which takes a tenth of a second: do that in a worker thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import httpcore
import httpx

from broker.egress.dial import first_connected

if TYPE_CHECKING:
    from collections.abc import Iterable

    from httpcore import AsyncNetworkStream

    from broker.egress.dial import Egress
    from broker.egress.proxies import Upstream
    from broker.egress.ranges import Address

    SocketOption = (
        tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
    )

MAX_CONNECTIONS = 64
KEEPALIVE_S = 30.0


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections to addresses that the policy has let through."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress
        self._plain = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> AsyncNetworkStream:
        """Resolve `host`, check what it stands for, and connect to that.

        Raises:
            EgressRefused: the policy forbids it.
            ConnectFailed: nobody answers.
        """
        target = self._egress.policy.check_host(host, port)

        async def connect(address: Address) -> AsyncNetworkStream:
            try:
                return await self._plain.connect_tcp(
                    str(address), port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                raise OSError(*error.args) from error.__cause__ or error

        return await first_connected(target, await self._egress.addresses(target), connect)

    async def sleep(self, seconds: float) -> None:
        """Wait, between two tries of httpcore's own."""
        await anyio.sleep(seconds)


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends requests where the policy lets them go, directly or by the operator's proxies.

    Besides httpx's own exceptions it raises `EgressRefused`, `ConnectFailed` and `ProxyUnusable`.

    Args:
        egress: the way out.
        http2: whether to offer HTTP/2; needs the package `h2`.
    """

    def __init__(self, egress: Egress, *, http2: bool = False) -> None:
        self._egress = egress
        self._http2 = http2
        self._tls = httpx.create_ssl_context()
        pool = httpcore.AsyncConnectionPool(
            ssl_context=self._tls,
            network_backend=GuardedBackend(egress),
            max_connections=MAX_CONNECTIONS,
            keepalive_expiry=KEEPALIVE_S,
            http2=http2,
        )
        self._direct = _Pooled(pool)
        self._by_proxy: dict[Upstream, _Pooled] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; its redirects, if any, are others.

        Raises:
            EgressRefused: the policy forbids it.
            ConnectFailed: nobody answers.
            ProxyUnusable: the proxy that leads there cannot be used.
            httpx.TransportError: the connection broke, or what came over it is no HTTP.
        """
        url = request.url
        tls = url.scheme == "https"
        port = url.port or (443 if tls else 80)
        target = self._egress.policy.check_host(
            url.raw_host.decode("ascii"), port, scheme=url.scheme
        )
        upstream = self._egress.proxies.route(target, tls=tls)
        pooled = self._direct if upstream is None else self._through(upstream)
        return await pooled.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections that are kept."""
        for pooled in (self._direct, *self._by_proxy.values()):
            await pooled.aclose()

    def _through(self, upstream: Upstream) -> _Pooled:
        if upstream not in self._by_proxy:
            login = (upstream.user.encode(), upstream.password.encode())
            pool = httpcore.AsyncHTTPProxy(
                upstream.url,
                proxy_auth=login if any(login) else None,
                proxy_ssl_context=self._tls if upstream.scheme == "https" else None,
                ssl_context=self._tls,
                network_backend=httpcore.AnyIOBackend(),
                max_connections=MAX_CONNECTIONS,
                keepalive_expiry=KEEPALIVE_S,
                http2=self._http2,
            )
            self._by_proxy[upstream] = _Pooled(pool)
        return self._by_proxy[upstream]


class _Pooled(httpx.AsyncHTTPTransport):
    """httpx's own transport around a pool of ours: it offers no way to hand in a backend."""

    def __init__(self, pool: httpcore.AsyncConnectionPool) -> None:
        self._pool = pool


def reading_client(egress: Egress, *, http2: bool = False) -> httpx.AsyncClient:
    """A client for pages: no redirects followed, no timeouts, no proxies but the settings' own.

    Whoever follows a redirect asks `egress.policy.check_url` first. Blocks for the tenth of a
    second that certificates take: make it in a worker thread.

    Args:
        egress: the way out.
        http2: whether to offer HTTP/2; needs the package `h2`.
    """
    return httpx.AsyncClient(
        transport=GuardedTransport(egress, http2=http2),
        timeout=None,  # noqa: S113 - every request runs in a scope of its caller
        follow_redirects=False,
        trust_env=False,
    )
