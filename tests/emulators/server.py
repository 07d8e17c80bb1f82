"""A small HTTP/1.1 server on 127.0.0.1 for tests, the demo and benchmarks.

    async with LoopbackServer(app) as server:
        ... server.origin ... server.log.count("/search")

An app is a function from `Request` to `Response` (or to an awaitable of one). Every server also
answers `GET /__log`, `POST /__reset` (forgets visits, resets the app) and `POST /__control` (a JSON
object for the app's `configure`); these are never logged. An app that raises gets a 500 on the
wire, and its error is raised again when the server is left.
"""

from __future__ import annotations

import inspect
import json
import socket
import traceback
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

import anyio

from tests.emulators.connection import BrokenOffError, ClientGoneError, Connection
from tests.emulators.log import Log, Outcome, Visit
from tests.emulators.messages import Request, Response, as_json, html

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType

    App = Callable[[Request], Response | Awaitable[Response]]

BACKLOG = 512


@runtime_checkable
class Configurable(Protocol):
    """An app that can be steered over HTTP."""

    def configure(self, settings: dict[str, object]) -> None: ...

    def reset(self) -> None: ...


class LoopbackServer:
    def __init__(self, app: App, *, port: int = 0) -> None:
        self.app = app
        self.log = Log()
        self.errors: list[Exception] = []
        self._listener = socket.create_server(("127.0.0.1", port), backlog=BACKLOG)
        self._listener.setblocking(False)
        self._connections: set[Connection] = set()

    def __repr__(self) -> str:
        return f"<LoopbackServer {self.origin} connections {len(self._connections)} {self.log!r}>"

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def connections(self) -> int:
        """Connections open now."""
        return len(self._connections)

    async def __aenter__(self) -> Self:
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._accept)
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._group.cancel_scope.cancel()
        try:
            # The body's error is not handed to the group: it would come back wrapped in a group.
            await self._group.__aexit__(None, None, None)
        finally:
            self._listener.close()
        if error is None and self.errors:
            raise ExceptionGroup("the emulator's app failed", self.errors)

    def drop_connections(self) -> None:
        """Close every open connection, as a server does that restarts."""
        for connection in list(self._connections):
            connection.shut()

    async def _accept(self) -> None:
        while True:
            await anyio.wait_readable(self._listener)
            try:
                sock, _ = self._listener.accept()
            except OSError:
                continue
            self._group.start_soon(self._serve, Connection(sock))

    async def _serve(self, connection: Connection) -> None:
        self._connections.add(connection)
        try:
            while (request := await connection.next_request()) is not None:
                if request.path.startswith("/__"):
                    await connection.answer(self._steer(request))
                else:
                    await self._answer(connection, request)
                if request.headers.get("connection", "").lower() == "close":
                    return
        except (ClientGoneError, BrokenOffError):
            return
        except ValueError:
            with anyio.move_on_after(1):
                await connection.answer(html("Bad request", 400))
        finally:
            self._connections.discard(connection)
            connection.close()

    async def _answer(self, connection: Connection, request: Request) -> None:
        visit = self.log.started(request)
        outcome = Outcome.SHUTDOWN
        try:
            response = await self._ask(visit)
            visit.status = response.status
            await connection.answer(response, head_only=request.method == "HEAD")
            outcome = Outcome.SENT
        except ClientGoneError:
            outcome = Outcome.CLIENT_GONE
            raise
        except BrokenOffError:
            outcome = Outcome.BROKEN
            raise
        finally:
            self.log.finished(visit, outcome)

    async def _ask(self, visit: Visit) -> Response:
        try:
            answer = self.app(visit.request)
            return await answer if inspect.isawaitable(answer) else answer
        except Exception as error:  # noqa: BLE001 (kept, and raised when the server is left)
            self.errors.append(error)
            return html("".join(traceback.format_exception(error)), 500)

    def _steer(self, request: Request) -> Response:
        handler: object = self.app
        app = handler if isinstance(handler, Configurable) else None
        match request.method, request.path:
            case "GET", "/__log":
                return as_json(self.log.as_json())
            case "POST", "/__reset":
                self.log.clear()
                if app is not None:
                    app.reset()
                return as_json({"ok": True})
            case "POST", "/__control" if app is not None:
                try:
                    app.configure(json.loads(request.body))
                except (ValueError, TypeError, KeyError) as error:
                    return as_json({"ok": False, "error": repr(error)}, 400)
                return as_json({"ok": True})
            case _:
                return as_json({"ok": False, "error": "no such thing"}, 404)
