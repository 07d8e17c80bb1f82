"""The broker as the doors see it: it owns the browser, the store, the clients and the trace.

What only reading pages needs is opened when the first one is read (`reading.session`).
"""

from __future__ import annotations

import secrets
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.browser.pool import TabPool
from broker.context import RequestContext
from broker.deadline import Deadline
from broker.errors import BrowserMissing, Refused
from broker.fetch.http import HttpClient
from broker.lanes.cooldown import Cooldowns
from broker.models import (
    BrowserStatus,
    LaneStatus,
    ProviderStatus,
    ReadingStatus,
    SearchRequest,
    Status,
)
from broker.pipeline import SearchPlan, search_all
from broker.reading.records import missing_parts
from broker.store import Store
from broker.store.file import FILE_NAME
from broker.trace import Event, hashed, open_trace, safe_url
from broker.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from anyio.abc import TaskGroup, TaskStatus

    from broker.browser.watch import TabPolicy
    from broker.lanes.catalogue import Catalogue
    from broker.models import Answer, Hit, LaneReport, Progress
    from broker.reading.records import (
        FetchRequest,
        Page,
        Pooled,
        ReadRequest,
        Recalled,
        RecallRequest,
    )
    from broker.reading.session import Reading
    from broker.settings import BrowserSettings, ProviderSettings, Settings
    from broker.store import Outcome
    from broker.trace import Trace

_UNTRIED = frozenset({LaneStatus.SKIPPED, LaneStatus.COOLING, LaneStatus.CANCELLED})
"""Statuses that say nothing of how the provider does."""


def _unwatched(_progress: Progress) -> None:
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
        pages = await (await self._opened()).reader.fetch(ctx, request)
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
        pool = await (await self._opened()).reader.pool(ctx, request)
        failed = sum(page.error is not None for page in pool.pages)
        ctx.trace.event(
            Event.REQUEST_END, pages=len(pool.pages), failed=failed, passages=len(pool.passages)
        )
        return pool

    async def recall(self, request: RecallRequest) -> Recalled:
        """The passages of everything that was read, and is kept, that answer a query."""
        trace = self._trace.for_request(secrets.token_hex(4))
        trace.event(Event.REQUEST_START, query=hashed(request.query))
        recalled = await (await self._opened()).reader.recall(request)
        trace.event(Event.REQUEST_END, passages=len(recalled.passages), ms=recalled.ms)
        return recalled

    async def read(self, request: ReadRequest) -> Page:
        """A part of a document that was read before.

        Raises:
            Unstored: no document has that id.
        """
        return await (await self._opened()).reader.read(request)

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
        return await (await self._opened()).reader.text_of(ctx, hit.url)

    async def _opened(self) -> Reading:
        async with self._opening:
            if self._reading is None:
                # Imported in a thread: it brings httpx, lxml and every parser of pages.
                await anyio.to_thread.run_sync(_load_reading)
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
        browser = BrowserStatus(state="off") if self._tabs is None else self._tabs.status()
        if browser.state == "idle":
            browser = await anyio.to_thread.run_sync(_found_browser, self._settings.browser)
        if browser.state == "ready" and self._tabs is not None:
            browser = await self._tabs.measured_status()
        providers = await anyio.to_thread.run_sync(self._provider_statuses, browser)
        warnings = self._settings.warnings
        if self._store.warning is not None:
            warnings = (*warnings, self._store.warning)
        return Status(
            version=__version__,
            home=str(self._settings.home),
            browser=browser,
            providers=providers,
            reading=await self._reading_status(),
            warnings=warnings,
        )

    async def _reading_status(self) -> ReadingStatus:
        if self._reading is not None:
            return await self._reading.status()
        return await _kept_status(self._settings)

    def _provider_statuses(self, browser: BrowserStatus) -> tuple[ProviderStatus, ...]:
        from broker.providers import REGISTRY  # noqa: PLC0415 - see search

        cooling = {c.name: c for c in self._store.cooldowns() if c.left_s > 0}
        outcomes = self._store.outcomes()
        statuses = []
        for provider in REGISTRY:
            name, lacks = provider.name, provider.lacks(self._settings.providers)
            if name == "google":
                lacks = _lacking(browser)
            cooldown = cooling.get(name)
            statuses.append(
                ProviderStatus(
                    name=name,
                    configured=lacks is None,
                    lacks=lacks,
                    cooldown_s=None if cooldown is None else round(cooldown.left_s),
                    cooldown_code=None if cooldown is None else cooldown.code,
                    last=_last(outcomes.get(name)),
                    pace=provider.pace_for(self._settings.providers).words(),
                )
            )
        return tuple(statuses)


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


def _lacking(browser: BrowserStatus) -> str | None:
    if browser.state == "off":
        return "the browser lane is switched off"
    return "no browser" if browser.state == "missing" else None


def _outcome(lane: LaneReport) -> str:
    return f"{lane.status} ({lane.code})" if lane.code else str(lane.status)


def _last(outcome: Outcome | None) -> str | None:
    return None if outcome is None else f"{outcome.outcome}, {outcome.age_s:.0f} s ago"


def _found_browser(settings: BrowserSettings) -> BrowserStatus:
    """What would be started, were it needed."""
    from broker.browser.find import find_browser, product  # noqa: PLC0415 - see Broker.search

    if settings.cdp_url is not None:
        return BrowserStatus(state="idle", note=f"attaches to {safe_url(settings.cdp_url)}")
    try:
        found = find_browser(settings.executable)
    except BrowserMissing as error:
        return BrowserStatus(state="missing", note=error.message)
    return BrowserStatus(state="idle", executable=str(found.path), version=product(found))


def _load_reading() -> None:
    import broker.reading.session  # noqa: F401, PLC0415 - see Broker._opened


async def _kept_status(settings: Settings) -> ReadingStatus:
    """What the store holds, where there is one; opens nothing else."""
    status = ReadingStatus(archives=settings.reading.archives, missing=missing_parts())
    file = settings.home / FILE_NAME
    if not await anyio.to_thread.run_sync(file.exists):
        return status
    from broker.store.documents import Documents  # noqa: PLC0415 - see broker.store

    documents = Documents(settings.home, settings.store)
    kept = await documents.statistics()
    await documents.close()
    oldest_s = kept.oldest_age_s
    return replace(
        status,
        documents=kept.documents,
        stored_bytes=kept.bytes,
        oldest_age_s=None if oldest_s is None else round(oldest_s),
    )


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
