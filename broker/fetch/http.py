"""One HTTP client for all providers: no redirects followed, no timeouts, bodies bounded.

Time is the caller's scope. httpx and its certificates cost a tenth of a second to load, so the
client is made at the first request, in a worker thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import anyio
import anyio.to_thread

from broker.errors import BrokerError
from broker.providers.base import HttpResponse

if TYPE_CHECKING:
    from types import TracebackType

    import httpx

    from broker.providers.base import HttpRequest

MAX_BODY_BYTES = 10_000_000
"""A search answer that is larger, decompressed, is no search answer."""


class FetchFailed(BrokerError):
    """No answer came, or one that is too large; `reason` is the exception's type name."""

    code = "unreachable"

    def __init__(self, reason: str) -> None:
        super().__init__(f"it cannot be reached ({reason})")
        self.reason = reason


class HttpClient:
    """An async context manager; safe for any number of requests at once."""

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._making = anyio.Lock()

    async def __aenter__(self) -> Self:
        """Open nothing yet."""
        return self

    async def __aexit__(
        self,
        _exc_type: type[BaseException] | None,
        _exc: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Close the connections that are kept."""
        if self._client is not None:
            with anyio.move_on_after(1.0, shield=True):
                await self._client.aclose()

    async def prepare(self) -> None:
        """Have the client ready, so that the next request starts at once."""
        await self._made()

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Send `request`; ends with the caller's scope, and the connection with it.

        Raises:
            FetchFailed: no whole answer came, or it is larger than 10 MB.
        """
        client = await self._made()
        import httpx  # noqa: PLC0415 - loaded already, see _make

        try:
            async with client.stream(
                request.method, request.url, headers=list(request.headers), content=request.body
            ) as response:
                body = bytearray()
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > MAX_BODY_BYTES:
                        raise FetchFailed("BodyTooLarge")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise FetchFailed(type(error).__name__) from error
        return HttpResponse(
            status=response.status_code,
            url=request.url,
            headers={name.lower(): value for name, value in response.headers.items()},
            body=bytes(body),
        )

    async def _made(self) -> httpx.AsyncClient:
        if self._client is None:
            async with self._making:
                if self._client is None:
                    # Whoever has been answered otherwise need not wait for it.
                    self._client = await anyio.to_thread.run_sync(_make, abandon_on_cancel=True)
        return self._client


def _make() -> httpx.AsyncClient:
    import httpx  # noqa: PLC0415 - see the top

    return httpx.AsyncClient(
        timeout=None,  # noqa: S113 - every request runs in a scope of its caller
        follow_redirects=False,
        limits=httpx.Limits(max_connections=32, keepalive_expiry=30.0),
    )
