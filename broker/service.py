"""The broker as the doors see it: it owns the browser, the store, the clients and the trace.

What only reading pages needs is opened when the first one is read (`reading.session`).
"""

from __future__ import annotations

import secrets
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.browser.pool import TabPool
from broker.context import RequestContext
from broker.deadline import NEVER, Deadline
from broker.errors import Refused
from broker.fetch.http import HttpClient
from broker.lanes.cooldown import Cooldowns
from broker.models import (
    LaneStatus,
    SearchRequest,
    Status,
)
from broker.pipeline import SearchPlan, search_all
from broker.status import status_of
from broker.store import Store
from broker.trace import Event, hashed, open_trace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from anyio.abc import TaskGroup, TaskStatus

    from broker.browser.watch import TabPolicy
    from broker.lanes.catalogue import Catalogue
    from broker.models import Answer, Hit, LaneReport, Progress
    from broker.pull.records import PullReport, PullRequest, PullStep
    from broker.reading.records import (
        FetchRequest,
        Page,
        Pooled,
        ReadRequest,
        Recalled,
        RecallRequest,
    )
    from broker.reading.session import Reading
    from broker.settings import ProviderSettings, Settings
    from broker.trace import Trace

_UNTRIED = frozenset({LaneStatus.SKIPPED, LaneStatus.COOLING, LaneStatus.CANCELLED})
"""Statuses that say nothing of how the provider does."""


def _unwatched(_progress: object) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """What a broker works with, and `open_broker` opens and closes."""

    trace: Trace
    store: Store
    client: HttpClient
    tabs: TabPool | None
    tasks: TaskGroup
    """Ends after everything that was started in it."""
    warm: bool = False
    """Have things ready before they are needed."""


class Broker:
    """Answers searches and reads pages; made by `open_broker`."""

    def __init__(self, settings: Settings, owned: Owned) -> None:
        self._settings = settings
        self._trace = owned.trace
        self._store = owned.store
        self._client = owned.client
        self._tabs = owned.tabs
        self._tasks = owned.tasks
        self._warm = owned.warm
        self._loading = anyio.Lock()
        self._catalogue: Catalogue | None = None
        self._opening = anyio.Lock()
        self._reading: Reading | None = None
        self._closing = anyio.Event()

    async def search(
        self, request: SearchRequest, *, progress: Callable[[Progress], None] = _unwatched
    ) -> tuple[Answer, ...]:
        """Answer a request's queries, in their order, within its deadline.

        What goes wrong at a provider stands in the answer's lanes and raises nothing. `progress`
        is told of each step and must not block.

        Raises:
            Refused: a query looks as if it held a secret, and the request does not allow that.
        """
        ctx = self._context(request.deadline_s, progress)
        if not request.allow_secrets:
            _refuse_secrets(request, self._settings.providers)
        lanes, rules = (await self._loaded_catalogue()).chosen(request.providers)
        plan = SearchPlan(
            lanes=lanes,
            rules=rules,
            reserve_s=self._settings.lanes.reserve_s,
            chars=request.chars,
            read=self._read_hit,
        )
        answers = await search_all(ctx, request.queries, plan)
        self._tasks.start_soon(self._note_outcomes, answers)
        return answers

    async def fetch(
        self, request: FetchRequest, *, progress: Callable[[Progress], None] = _unwatched
    ) -> tuple[Page, ...]:
        """Read pages and files, in their order, within the request's deadline.

        What goes wrong stands in the page that it goes wrong with and raises nothing. `progress` is
        told of each step and must not block.
        """
        ctx = self._context(request.deadline_s, progress)
        ctx.trace.event(Event.REQUEST_START, sources=len(request.sources))
        pages = await (await self._opened(ctx.trace)).reader.fetch(ctx, request)
        failed = sum(page.error is not None for page in pages)
        ctx.trace.event(Event.REQUEST_END, pages=len(pages), failed=failed)
        return pages

    async def pool(
        self, request: FetchRequest, *, progress: Callable[[Progress], None] = _unwatched
    ) -> Pooled:
        """Read pages and files as `fetch` does; answer with what in them answers the query."""
        ctx = self._context(request.deadline_s, progress)
        query = hashed(request.query or "")
        ctx.trace.event(Event.REQUEST_START, sources=len(request.sources), query=query)
        pool = await (await self._opened(ctx.trace)).reader.pool(ctx, request)
        failed = sum(page.error is not None for page in pool.pages)
        ctx.trace.event(
            Event.REQUEST_END, pages=len(pool.pages), failed=failed, passages=len(pool.passages)
        )
        return pool

    async def recall(self, request: RecallRequest) -> Recalled:
        """The passages of everything that was read, and is kept, that answer a query."""
        trace = self._trace.for_request(secrets.token_hex(4))
        trace.event(Event.REQUEST_START, query=hashed(request.query))
        recalled = await (await self._opened(trace)).reader.recall(request)
        trace.event(Event.REQUEST_END, passages=len(recalled.passages), ms=recalled.ms)
        return recalled

    async def pull(
        self, request: PullRequest, *, progress: Callable[[PullStep], None] = _unwatched
    ) -> PullReport:
        """Read a documentation site into a folder of Markdown files, or go on with one.

        What goes wrong with a page stands in the report. Safe to cancel: the same request then
        goes on. `progress` is told of each step and must not block.

        Raises:
            RequestInvalid: it is no address of a page, or the folder is not for this pull.
            Refused: our policy forbids the address.
            Unwritable: the folder cannot be used.
        """
        request_id = secrets.token_hex(4)
        trace = self._trace.for_request(request_id)
        reading = await self._opened(trace)
        from broker.pull.pull import pull  # noqa: PLC0415 - what only a pull needs

        until = NEVER if request.deadline_s is None else Deadline.after(request.deadline_s)
        ctx = RequestContext(request_id=request_id, deadline=until, trace=trace)
        return await pull(ctx, request, reading, progress)

    async def read(self, request: ReadRequest) -> Page:
        """A part of a document that was read before.

        Raises:
            Unstored: no document has that id.
        """
        return await (await self._opened(self._trace)).reader.read(request)

    def close(self) -> None:
        """Let go of what reading has opened; the broker's own tasks wait for that."""
        self._closing.set()

    def _context(self, deadline_s: float, progress: Callable[[Progress], None]) -> RequestContext:
        request_id = secrets.token_hex(4)
        return RequestContext(
            request_id=request_id,
            deadline=Deadline.after(deadline_s),
            trace=self._trace.for_request(request_id),
            progress=progress,
        )

    async def _read_hit(self, ctx: RequestContext, hit: Hit) -> str:
        return await (await self._opened(ctx.trace)).reader.text_of(ctx, hit.url)

    async def _opened(self, trace: Trace) -> Reading:
        async with self._opening:
            if self._reading is None:
                # Imported in a thread: it brings httpx, lxml and every parser of pages.
                with trace.span(Event.READING_LOAD):
                    await anyio.to_thread.run_sync(_load_reading)
                with trace.span(Event.READING_OPEN):
                    self._reading = await self._tasks.start(self._hold_reading)
        return self._reading

    async def _hold_reading(self, *, task_status: TaskStatus[Reading]) -> None:
        from broker.reading.session import open_reading  # noqa: PLC0415 - loaded by _opened

        async with open_reading(
            self._settings, store=self._store, tabs=self._tabs, warm=self._warm
        ) as reading:
            task_status.started(reading)
            await self._closing.wait()

    async def _loaded_catalogue(self) -> Catalogue:
        async with self._loading:  # once: a provider's pace is kept by its one lane
            if self._catalogue is None:
                # In a thread, because it imports every parser, and with them lxml.
                self._catalogue = await anyio.to_thread.run_sync(self._load_catalogue)
        return self._catalogue

    def _load_catalogue(self) -> Catalogue:
        from broker.lanes.catalogue import make_catalogue  # noqa: PLC0415 - see search

        return make_catalogue(
            self._settings,
            tabs=self._tabs,
            client=self._client,
            store=self._store,
            cooldowns=Cooldowns(self._store, self._settings.lanes),
        )

    async def _note_outcomes(self, answers: Iterable[Answer]) -> None:
        """Remember how each provider did; after the answer, since nobody waits for it."""
        last = {lane.provider: lane for answer in answers for lane in answer.lanes}
        noted = {n: _outcome(lane) for n, lane in last.items() if lane.status not in _UNTRIED}
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._store.note_outcomes, noted)

    async def status(self) -> Status:
        """How everything stands; starts nothing, and asks a browser at most for its version."""
        return await status_of(self._settings, self._store, self._tabs, self._reading)


def _refuse_secrets(request: SearchRequest, own: ProviderSettings) -> None:
    from broker.providers import REGISTRY  # noqa: PLC0415 - see Broker.search
    from broker.secrets import find_secret  # noqa: PLC0415 - patterns that `status` can do without

    keys = [key for provider in REGISTRY if (key := provider.key_in(own))]
    for query in request.queries:
        kind = find_secret(query.text)
        if any(key in query.text for key in keys):
            kind = "one of the configured API keys"
        if kind is not None:
            message = (
                f"the query seems to hold {kind}, and would be sent to search engines; "
                f"leave it out, or say --allow-secrets (allow_secrets)"
            )
            raise Refused("secret", message)


def _outcome(lane: LaneReport) -> str:
    return f"{lane.status} ({lane.code})" if lane.code else str(lane.status)


def _load_reading() -> None:
    import broker.reading.session  # noqa: F401, PLC0415 - see Broker._opened


def _tab_policy(origin: str) -> TabPolicy:
    from broker.lanes.google import tab_policy  # noqa: PLC0415 - see Broker.search

    return tab_policy(origin)


@asynccontextmanager
async def open_broker(settings: Settings, *, warm: bool = False) -> AsyncIterator[Broker]:
    """A broker that is ready at once; `warm` starts its browser in the background.

    On the way out every browser is ended and everything on disk is closed.

    Raises:
        SettingsInvalid: the trace file cannot be written.
    """
    theirs: Exception | None = None
    async with AsyncExitStack() as stack:
        trace = open_trace(settings.trace)
        stack.callback(trace.close)
        store = Store(settings.home)
        stack.callback(store.close)
        client = await stack.enter_async_context(HttpClient())
        tabs = None
        if settings.browser.enabled:
            policy = partial(_tab_policy, settings.providers.google_url)
            tabs = TabPool(settings.browser, settings.home, policy, trace)
            await stack.enter_async_context(tabs)
            if warm:
                tabs.warm_up()
        tasks = await stack.enter_async_context(anyio.create_task_group())
        try:
            owned = Owned(
                trace=trace, store=store, client=client, tabs=tabs, tasks=tasks, warm=warm
            )
            broker = Broker(settings, owned)
            stack.callback(broker.close)
            yield broker
        except Exception as error:  # noqa: BLE001 - handed on below, as what it is
            theirs = error
    if theirs is not None:
        # Raised where no task group of ours would wrap it: it belongs to the caller's block.
        raise theirs
