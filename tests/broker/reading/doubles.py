"""Those who bring bytes, as tables: pages by address, a renderer, a clock that is set by hand."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.context import RequestContext
from broker.deadline import Deadline
from broker.egress.dial import Egress
from broker.egress.policy import EgressPolicy
from broker.errors import NotConnected
from broker.lanes.cooldown import Cooldowns
from broker.lanes.pacing import Pacers
from broker.reading.archives import READER, WAYBACK
from broker.reading.doors import Doors
from broker.reading.flights import Flights
from broker.reading.privacy import Privacy
from broker.reading.reader import Reader, ReaderRules
from broker.reading.records import FetchRequest, Page, Part, Render
from broker.reading.rescue import Archive, Rescue
from broker.reading.way import Way
from broker.settings import LaneSettings, Settings, StoreSettings
from broker.store import Store
from broker.store.documents import Documents
from broker.trace import OFF
from tests.emulators.web_reading import article, prose

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from ipaddress import IPv4Address
    from pathlib import Path

    from broker.errors import BrokerError
    from broker.models import Progress

READER_ORIGIN = "https://reader.example"
WAYBACK_ORIGIN = "https://wayback.example"
ARTICLE = article("The heron", prose(8, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What comes of asking for an address."""

    body: bytes = ARTICLE.encode()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "text/html; charset=utf-8"
    after_s: float = 0.0
    error: BrokerError | None = None
    etag: str | None = None
    last_modified: str | None = None
    final_url: str = ""
    truncated: bool = False
    broken_off: bool = False
    retry_after_s: float | None = None
    not_modified: bool = False
    notes: tuple[str, ...] = ()

    @property
    def media_type(self) -> str:
        return self.content_type.partition(";")[0]


class FakePages:
    """A web in memory. Addresses that it does not know cannot be reached."""

    def __init__(self, web: dict[str, Answer] | None = None) -> None:
        self.web = web or {}
        self.asked: list[tuple[str, str | None]] = []
        """(address, the etag that was sent)"""
        self.headers: dict[str, dict[str, str]] = {}
        """Those that were sent beside the usual ones, by address."""
        self.cancelled: list[str] = []
        self.once: list[str] = []
        """Addresses whose answers are not to be asked for again."""

    async def get(
        self,
        _ctx: RequestContext,
        url: str,
        *,
        accept: str = "",  # noqa: ARG002
        etag: str | None = None,
        last_modified: str | None = None,  # noqa: ARG002
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        self.asked.append((url, etag))
        if headers:
            self.headers[url] = dict(headers)
        answer = self.web.get(url)
        if answer is None:
            raise NotConnected("dns", f"no such host: {url}", url=url)
        try:
            await anyio.sleep(answer.after_s)
        except anyio.get_cancelled_exc_class():
            self.cancelled.append(url)
            raise
        if answer.error is not None:
            raise answer.error
        if etag is not None and etag == answer.etag:
            return Answer(status=304, not_modified=True, body=b"", final_url=url)
        return Answer(
            body=answer.body,
            status=answer.status,
            headers=answer.headers,
            content_type=answer.content_type,
            etag=answer.etag,
            final_url=answer.final_url or url,
            truncated=answer.truncated,
            broken_off=answer.broken_off,
            retry_after_s=answer.retry_after_s,
            notes=answer.notes,
        )

    async def get_once(
        self, ctx: RequestContext, url: str, *, accept: str, headers: Mapping[str, str]
    ) -> Answer:
        self.once.append(url)
        return await self.get(ctx, url, accept=accept, headers=headers)

    def count(self, url: str) -> int:
        return sum(asked == url for asked, _ in self.asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A page in the browser."""

    html: str = ARTICLE
    final_url: str = ""
    status: int = 200
    settled: bool = True
    notes: tuple[str, ...] = ()


class FakeRenderer:
    """Shows the same page for every address, or fails."""

    def __init__(self, view: View | None = None, error: BrokerError | None = None) -> None:
        self.view = view or View()
        self.error = error
        self.urls: list[str] = []

    async def render(self, _ctx: RequestContext, url: str) -> View:
        self.urls.append(url)
        if self.error is not None:
            raise self.error
        view = self.view
        return View(
            html=view.html,
            final_url=view.final_url or url,
            status=view.status,
            settled=view.settled,
            notes=view.notes,
        )


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s


async def everywhere_public(_name: str) -> Sequence[IPv4Address]:
    from ipaddress import IPv4Address  # noqa: PLC0415

    return [IPv4Address("93.184.216.34")]


@dataclass
class Bench:
    """A reader with its doubles."""

    reader: Reader
    pages: FakePages
    documents: Documents
    clock: Clock
    steps: list[Progress] = field(default_factory=list)

    async def fetch(
        self, *sources: str, deadline_s: float = 20.0, **options: object
    ) -> tuple[Page, ...]:
        request = FetchRequest(
            sources=sources,
            part=options.get("part", Part()),  # type: ignore[arg-type]
            render=options.get("render", Render.AUTO),  # type: ignore[arg-type]
            fresh=bool(options.get("fresh")),
            deadline_s=deadline_s,
        )
        return await self.reader.fetch(self.context(deadline_s), request)

    async def one(self, source: str, **options: object) -> Page:
        (page,) = await self.fetch(source, **options)  # type: ignore[arg-type]
        return page

    def context(self, deadline_s: float = 20.0) -> RequestContext:
        return RequestContext(
            request_id="r1",
            deadline=Deadline.after(deadline_s),
            trace=OFF,
            progress=self.steps.append,
        )


@asynccontextmanager
async def bench(
    home: Path,
    web: dict[str, Answer] | None = None,
    *,
    renderer: FakeRenderer | None = None,
    archives: bool = True,
    rules: ReaderRules = ReaderRules(),  # noqa: B008
    resolve: Callable[..., object] = everywhere_public,
) -> AsyncIterator[Bench]:
    """A reader over a web in memory; archives are at `READER_ORIGIN` and `WAYBACK_ORIGIN`."""
    pages, clock = FakePages(web), Clock()
    egress = Egress(EgressPolicy(), resolve=resolve)  # type: ignore[arg-type]
    documents = Documents(home, StoreSettings(), clock)
    # The virtual clock stands still only while these threads work.
    documents._threads = anyio.to_thread.current_default_thread_limiter()
    store = Store(home)
    listed = (Archive(READER, READER_ORIGIN), Archive(WAYBACK, WAYBACK_ORIGIN))
    async with anyio.create_task_group() as tasks:
        cooldowns = Cooldowns(store, LaneSettings())
        rescue = Rescue(pages, listed if archives else (), Privacy(egress), cooldowns)
        way = Way(pages, rescue, renderer)
        reader = Reader(
            Doors(way, pages, cooldowns, Settings(home=home), pacers=Pacers(store)),
            documents,
            egress.policy,
            Flights(tasks),
            rules=rules,
            clock=clock,
        )
        yield Bench(reader, pages, documents, clock)
        tasks.cancel_scope.cancel()
    await documents.close()
    store.close()
