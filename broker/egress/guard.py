"""The proxy on this machine that a browser's reading tabs reach everything through.

It asks the policy for every connection, pages' own and those of everything in them, and connects
to the address that was checked. Plain requests come in absolute form and get a connection each;
everything else, https and every WebSocket, is a `CONNECT`, whose bytes are passed on unread. A
refusal is a 403 that says why, and is kept for whoever asked the browser for the page.

It listens on a loopback port, for as long as its block runs. Whoever else on this machine finds it
gains nothing: it leads to less than they can reach themselves.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, cast

import anyio
from anyio.abc import SocketAttribute

from broker.deadline import bounded_close
from broker.egress.dial import ConnectFailed
from broker.egress.heads import HeadInvalid, answer, parse_request
from broker.egress.locate import AddressInvalid, locate
from broker.egress.pipe import End, Gone, NoAnswer, exchange, relay
from broker.egress.policy import EgressRefused
from broker.errors import BrokerError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from anyio.abc import ByteStream, SocketListener, SocketStream, TaskGroup

    from broker.egress.dial import Egress
    from broker.egress.heads import RequestHead
    from broker.egress.policy import Target
    from broker.egress.proxies import Upstream

MAX_CONNECTIONS = 400
"""Each holds two descriptors, and most systems give a process 1024."""
HEAD_GRACE_S = 30.0
"""The browser opens connections before it needs them; one that has not said for this long what it
wants is closed."""
CONNECT_GRACE_S = 20.0
IDLE_S = 90.0
"""A connection over which nothing goes either way for this long is closed."""

_CLOSE_GRACE_S = 1.0
_REMEMBERED = 256
_ACCEPT_AGAIN_S = 0.1
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A connection that did not come about, by policy or for another reason."""

    host: str
    """As it stands in an address: an IPv6 one in brackets."""
    port: int
    error: BrokerError
    """`EgressRefused`, `ConnectFailed` or `ProxyUnusable`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardStatistics:
    """What has passed so far."""

    connections: int
    open: int
    refused: int
    """By policy."""
    failed: int
    """For any other reason."""


class Guard:
    """An async context manager; `url` is where it listens while it is open.

    Args:
        egress: the way out.
        on_refusal: told of each connection that did not come about; must not block.
    """

    def __init__(
        self, egress: Egress, *, on_refusal: Callable[[Refusal], None] = lambda _: None
    ) -> None:
        self._egress = egress
        self._on_refusal = on_refusal
        self._refusals: OrderedDict[tuple[str, int], Refusal] = OrderedDict()
        self._connections = self._open = self._refused = self._failed = 0
        self._tasks: TaskGroup
        self.url = ""

    async def __aenter__(self) -> Self:
        """Listen."""
        multi = await anyio.create_tcp_listener(local_host="127.0.0.1", backlog=1024)
        self._listener = cast("SocketListener", multi.listeners[0])
        port = self._listener.extra(SocketAttribute.local_port)  # noqa: S610 - no Django here
        self.url = f"http://127.0.0.1:{port}"
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._accept)
        return self

    async def __aexit__(
        self,
        _exc_type: type[BaseException] | None,
        _exc: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Break every connection off."""
        self._tasks.cancel_scope.cancel()
        try:
            # Not handed the block's error, which would come back wrapped in a group.
            await self._tasks.__aexit__(None, None, None)
        finally:
            await bounded_close(self._listener.aclose, _CLOSE_GRACE_S)

    def refusal_of(self, url: str) -> Refusal | None:
        """How the last connection for `url` was refused or failed; None where it was not."""
        try:
            where = locate(url)
        except AddressInvalid:
            return None
        return self._refusals.get((str(where.host), where.port))

    def statistics(self) -> GuardStatistics:
        """What has passed so far."""
        return GuardStatistics(
            connections=self._connections,
            open=self._open,
            refused=self._refused,
            failed=self._failed,
        )

    # --- connections ---------------------------------------------------------------------------

    async def _accept(self) -> None:
        while True:
            try:
                stream = await self._listener.accept()
            except OSError:  # out of descriptors, for the moment
                await anyio.sleep(_ACCEPT_AGAIN_S)
                continue
            self._connections += 1
            if self._open >= MAX_CONNECTIONS:
                await bounded_close(stream.aclose, _CLOSE_GRACE_S)
            else:
                self._open += 1
                self._tasks.start_soon(self._serve, stream)

    async def _serve(self, stream: SocketStream) -> None:
        client = End(stream)
        try:
            with suppress(Gone):
                await self._answer(client)
        finally:
            self._open -= 1
            await bounded_close(stream.aclose, _CLOSE_GRACE_S)

    async def _answer(self, client: End) -> None:
        request = None
        try:
            with anyio.move_on_after(HEAD_GRACE_S):
                request = await _request(client)
            if request is not None:
                await self._pass_on(client, request)
        except HeadInvalid as error:
            await client.farewell(answer(error.status, "bad_request", str(error)))
        except BrokerError as error:
            if request is not None:
                self._note(request, error)
            status = 403 if isinstance(error, EgressRefused) else 502
            await client.farewell(answer(status, error.code, error.message))

    async def _pass_on(self, client: End, request: RequestHead) -> None:
        target = self._egress.policy.check_host(request.host, request.port, scheme=request.scheme)
        stream, upstream = await self._connected(target, request)
        self._refusals.pop((str(request.host), request.port), None)
        server = End(stream)
        try:
            if request.tunnel:
                await client.send(_ESTABLISHED)
                await relay(client, server, IDLE_S)
            else:
                auth = None if upstream is None else upstream.authorization
                head = request.onward(target, absolute=upstream is not None, authorization=auth)
                await exchange(client, server, head, request.body_bytes, IDLE_S)
        except NoAnswer as error:
            raise ConnectFailed(f"{target} {error}", reason="no answer") from error
        finally:
            await bounded_close(stream.aclose, _CLOSE_GRACE_S)

    async def _connected(
        self, target: Target, request: RequestHead
    ) -> tuple[ByteStream, Upstream | None]:
        try:
            with anyio.fail_after(CONNECT_GRACE_S):
                if request.tunnel:
                    return await self._egress.tunnel(target), None
                return await self._egress.for_requests(target)
        except TimeoutError:
            message = f"{target} does not answer within {CONNECT_GRACE_S:.0f} s"
            raise ConnectFailed(message, reason="timeout") from None

    def _note(self, request: RequestHead, error: BrokerError) -> None:
        if isinstance(error, EgressRefused):
            self._refused += 1
        else:
            self._failed += 1
        refusal = Refusal(host=str(request.host), port=request.port, error=error)
        key = (refusal.host, refusal.port)
        self._refusals[key] = refusal
        self._refusals.move_to_end(key)
        if len(self._refusals) > _REMEMBERED:
            self._refusals.popitem(last=False)
        self._on_refusal(refusal)


async def _request(client: End) -> RequestHead | None:
    head = await client.head()
    return None if head is None else parse_request(head)
