"""A service that does as its queries say, and a client in memory that talks to a sidecar."""

from __future__ import annotations

import json
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import anyio

from broker.errors import Refused
from broker.models import (
    Answer,
    BrowserStatus,
    Hit,
    LaneReport,
    LaneStatus,
    Progress,
    ProviderStatus,
    Status,
)
from broker.reading.failures import Unstored
from broker.reading.records import Failure, Page, Pooled, Quotation, Recalled
from broker.wire.mcp import Mcp
from broker.wire.native import Native
from broker.wire.sidecar import Sidecar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from signal import Signals

    from broker.models import SearchRequest
    from broker.reading.records import FetchRequest, ReadRequest, RecallRequest

WAIT_S = 5.0
"""No wait of a test is longer."""

T = TypeVar("T")

STEP = Progress(query_index=0, provider="google", step="page", detail="page 1: 10 hits", hits=10)

STATUS = Status(
    version="0.1.0",
    home="/home/a/.cache/webaio",
    browser=BrowserStatus(state="ready", version="Chromium 156", sandbox=False, rss_mb=80, tabs=1),
    providers=(
        ProviderStatus(name="google", configured=True, cooldown_s=280, cooldown_code="captcha"),
        ProviderStatus(name="exa", configured=False, lacks="EXA_API_KEY"),
    ),
)


PAGE = Page(
    source="https://river.example/",
    id="abc",
    final_url="https://river.example/",
    title="River",
    verdict="content",
    via="http",
    text="# River\n\nWords.",
    chars=15,
    ms=12,
)

PASSAGE = Quotation(
    id="abc",
    url="https://river.example/",
    title="River",
    section="River / Birds",
    offset=7,
    text="The heron stood at the weir.\n",
    score=3.14159,
    published="2025-03-01",
)

READING_STEP = Progress(query_index=0, provider="http", step="get", detail="river.example")


def failed_page(source: str, code: str = "refused") -> Page:
    failure = Failure(
        code=code, phase="connecting", category="network", layer="network", message="nobody listens"
    )
    return Page(source=source, error=failure, refused=code == "blocked_ssrf")


def make_hit(**facts: Any) -> Hit:  # noqa: ANN401 - the fields of a record
    defaults = {
        "title": "A title",
        "url": "https://example.com/",
        "snippet": "Words.",
        "provider": "google",
    }
    return Hit(**(defaults | facts))


def make_answer(query: str = "cats", *hits: Hit, lanes: tuple[LaneReport, ...] = ()) -> Answer:
    lane = LaneReport(provider="google", status=LaneStatus.OK, ms=1420, hits=len(hits), pages=1)
    return Answer(query=query, id="a1", complete=True, ms=1500, hits=hits, lanes=lanes or (lane,))


class FakeService:
    """Does what the first word of the first query says.

    `hang` waits for ever, `wait` until `gate` is set, `refuse` and `crash` raise, `big` answers
    with five megabytes, anything else is answered with one hit.
    """

    def __init__(self) -> None:
        self.gate = anyio.Event()
        self.started: dict[str, anyio.Event] = {}
        self.ended: dict[str, anyio.Event] = {}
        self.requests: list[SearchRequest] = []
        self.fetched: list[FetchRequest] = []
        self.read_parts: list[ReadRequest] = []
        self.recalls: list[RecallRequest] = []

    async def search(
        self, request: SearchRequest, *, progress: Callable[[Progress], None] = lambda _: None
    ) -> tuple[Answer, ...]:
        text = request.queries[0].text
        self.requests.append(request)
        self.started.setdefault(text, anyio.Event()).set()
        try:
            progress(STEP)
            return await self._answer(text, request)
        finally:
            self.ended.setdefault(text, anyio.Event()).set()

    async def fetch(
        self, request: FetchRequest, *, progress: Callable[[Progress], None] = lambda _: None
    ) -> tuple[Page, ...]:
        """A source that begins with `bad:` fails with what follows; `hang` waits for ever."""
        self.fetched.append(request)
        progress(READING_STEP)
        if "hang" in request.sources:
            self.started.setdefault("hang", anyio.Event()).set()
            await anyio.sleep_forever()
        return tuple(
            failed_page(source, source[4:]) if source.startswith("bad:") else PAGE
            for source in request.sources
        )

    async def pool(
        self, request: FetchRequest, *, progress: Callable[[Progress], None] = lambda _: None
    ) -> Pooled:
        """A query with `nothing` in it finds nothing; sources are as in `fetch`."""
        pages = await self.fetch(request, progress=progress)
        query = request.query or ""
        passages = () if "nothing" in query else (PASSAGE,)
        heads = [
            page if page.error else replace(page, text="", passages=len(passages)) for page in pages
        ]
        return Pooled(query=query, pages=tuple(heads), passages=passages)

    async def recall(self, request: RecallRequest) -> Recalled:
        """A query with `nothing` in it finds nothing; one with `memory` warns."""
        self.recalls.append(request)
        passages = () if "nothing" in request.query else (PASSAGE,)
        warnings = ("the store cannot be used",) if "memory" in request.query else ()
        note = "" if passages else "nothing answers this"
        return Recalled(query=request.query, passages=passages, note=note, warnings=warnings, ms=3)

    async def read(self, request: ReadRequest) -> Page:
        self.read_parts.append(request)
        if request.id != PAGE.id:
            raise Unstored(request.id)
        return PAGE

    async def status(self) -> Status:
        return STATUS

    async def until_started(self, text: str) -> None:
        await self.started.setdefault(text, anyio.Event()).wait()

    async def until_ended(self, text: str) -> None:
        await self.ended.setdefault(text, anyio.Event()).wait()

    async def _answer(self, text: str, request: SearchRequest) -> tuple[Answer, ...]:
        match text.split(maxsplit=1)[0]:
            case "hang":
                await anyio.sleep_forever()
            case "wait":
                await self.gate.wait()
            case "refuse":
                raise Refused("secret", "the query holds a secret")
            case "crash":
                raise LookupError(text)
            case "big":
                return (make_answer(text, make_hit(snippet="ä" * 2_500_000)),)
        return tuple(make_answer(query.text, make_hit()) for query in request.queries)


class Queue(Generic[T]):
    """An unbounded queue that ends when it is closed."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._changed = anyio.Event()
        self._closed = False

    def put(self, item: T) -> None:
        self._items.append(item)
        self._changed.set()

    def close(self) -> None:
        self._closed = True
        self._changed.set()

    def __aiter__(self) -> Queue[T]:
        return self

    async def __anext__(self) -> T:
        while not self._items:
            if self._closed:
                raise StopAsyncIteration
            self._changed = anyio.Event()
            await self._changed.wait()
        return self._items.popleft()

    def __len__(self) -> int:
        return len(self._items)


class Client:
    """The other end of a sidecar's wire, in memory; it is also that wire."""

    def __init__(self) -> None:
        self.signals: Queue[Signals] = Queue()
        self.left = anyio.Event()
        self.finished = anyio.Event()
        self.exit_code: int | None = None
        self._input: Queue[bytes] = Queue()
        self._output: Queue[bytes] = Queue()

    # The wire

    async def receive(self) -> bytes:
        async for chunk in self._input:
            return chunk
        return b""

    def send(self, line: bytes) -> None:
        self._output.put(line)

    async def room(self) -> None:
        await anyio.lowlevel.checkpoint()

    async def flush(self) -> None:
        await anyio.lowlevel.checkpoint()

    async def gone(self) -> None:
        await self.left.wait()

    # The client

    def write(self, data: bytes) -> None:
        self._input.put(data)

    def call(self, request_id: object, method: str, **params: object) -> None:
        """Send a request; without an id (None) a notification."""
        message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
        if request_id is not None:
            message["id"] = request_id
        self.write(json.dumps(message).encode() + b"\n")

    def close_input(self) -> None:
        self._input.close()

    async def message(self) -> dict[str, Any]:
        """The next line, which must be one whole JSON object."""
        line = await anext(self._output)
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        message = json.loads(line)
        assert isinstance(message, dict)
        assert message["jsonrpc"] == "2.0"
        return message

    async def ended(self) -> int:
        """Wait for the sidecar's end; return its exit code."""
        await self.finished.wait()
        assert self.exit_code is not None
        return self.exit_code

    def unread(self) -> int:
        return len(self._output)


@asynccontextmanager
async def session(service: FakeService) -> AsyncIterator[Client]:
    """A client and a running sidecar; what still runs in the end is told to leave at once."""
    client = Client()

    async def run() -> None:
        native = Native(service, deadline_s=7.0)
        sidecar = Sidecar(client, {**native.table(), **Mcp(native).table()})
        client.exit_code = await sidecar.run(client.signals)
        client.finished.set()

    with anyio.fail_after(WAIT_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            yield client
            tasks.cancel_scope.cancel()
