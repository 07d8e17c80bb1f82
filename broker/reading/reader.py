"""The door to reading: what was read is kept, and asked of its origin only when it is stale.

One `Reader` serves a whole session. It owns the memory of it: documents in the store, their blocks
ready for windows and finds, and the flights that are under way.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.errors import BrokerError
from broker.models import Progress
from broker.reading import answers, kept, recalling
from broker.reading.failures import Unread, Unstored, crashed, failure_of, is_refusal
from broker.reading.files import read_file, stamp_of
from broker.reading.judging import Material
from broker.reading.records import Form, Page, Part, Render
from broker.reading.seen import Errand, Got, unsupported
from broker.reading.sources import Source, understood
from broker.reading.wanted import LOCAL, Wanted, host_group
from broker.store.split import split_markdown
from broker.trace import Event, safe_url

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from broker.context import RequestContext
    from broker.egress.policy import EgressPolicy
    from broker.reading.answers import Shelved
    from broker.reading.doors import Doors
    from broker.reading.flights import Flights
    from broker.reading.records import (
        FetchRequest,
        Pooled,
        ReadRequest,
        Recalled,
        RecallRequest,
    )
    from broker.store.documents import Documents
    from broker.store.records import StoredDocument, StoreStatistics

HOSTS_AT_ONCE = 6
RESERVE_S = 0.05
"""Kept at the end of a fetch to hand over; who brings pages keeps more to read them."""
_NOT_RENDERED = "files of this machine are read without a browser (render is ignored)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderRules:
    """How a reader keeps and answers."""

    answer_bytes: int = 20_000
    """Of an answer that names no size."""
    fresh_for_s: float = 900.0
    """How long a page counts as what its origin would give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What became of one source."""

    shelved: Shelved | None = None
    page: Page | None = None
    """Where there is no document: what there is instead."""
    ms: int = 0


class Reader:
    """Reads pages and files, and pages through what was read.

    Args:
        way: from an address to a page, or from a file to a document.
        documents: what keeps them.
        policy: says which addresses may be read, and their one form.
        flights: joins those who ask for the same.
        clock: the wall clock in seconds.
    """

    def __init__(
        self,
        way: Doors,
        documents: Documents,
        policy: EgressPolicy,
        flights: Flights[StoredDocument],
        *,
        rules: ReaderRules = ReaderRules(),
        clock: Callable[[], float],
    ) -> None:
        self._way = way
        self._documents = documents
        self._policy = policy
        self._flights = flights
        self._rules = rules
        self._clock = clock
        self._shelf = kept.Shelf()

    async def fetch(self, ctx: RequestContext, request: FetchRequest) -> tuple[Page, ...]:
        """A page for each source, in their order, by `ctx.deadline`; failures stand in them."""
        results = await self._results(ctx.until(ctx.deadline.earlier_by(RESERVE_S)), request)
        return await self._pages(results, request)

    async def pool(self, ctx: RequestContext, request: FetchRequest) -> Pooled:
        """The passages of all sources that answer `request.query`, by `ctx.deadline`.

        Failures stand in the sources' pages.
        """
        until = ctx.deadline.earlier_by(recalling.reserve_s(ctx.deadline.remaining_s()))
        results = await self._results(ctx.until(until), request)
        read = [result.shelved.document if result.shelved else result.page for result in results]
        search = partial(
            recalling.pooled,
            [each for each in read if each is not None],
            request.query or "",
            room=self._rules.answer_bytes,
            left_s=ctx.deadline.remaining_s() - RESERVE_S,
        )
        pool = await anyio.to_thread.run_sync(search)
        timed = zip(pool.pages, results, strict=True)
        return replace(pool, pages=tuple(replace(page, ms=result.ms) for page, result in timed))

    async def recall(self, request: RecallRequest) -> Recalled:
        """The passages of everything that is kept that answer a query."""
        return await recalling.recall(self._documents, request, self._rules.answer_bytes)

    async def _results(self, ctx: RequestContext, request: FetchRequest) -> list[_Result]:
        """What became of each source, in their order."""
        results: dict[int, _Result] = {}
        hosts: dict[str, list[int]] = defaultdict(list)
        sources = await self._sources(request.sources, results)
        for index, source in sources.items():
            hosts[host_group(source)].append(index)
        slots = anyio.Semaphore(HOSTS_AT_ONCE)

        async def one(index: int) -> None:
            results[index] = await self._one(ctx, index, sources[index], request)

        async def host(indices: Sequence[int]) -> None:
            async with slots, anyio.create_task_group() as tasks:
                for index in indices:
                    tasks.start_soon(one, index)

        if len(sources) == 1:
            await one(next(iter(sources)))
        else:
            async with anyio.create_task_group() as tasks:
                for indices in hosts.values():
                    tasks.start_soon(host, indices)
        return [results[index] for index in range(len(request.sources))]

    async def read(self, request: ReadRequest) -> Page:
        """A part of a document that was read before.

        Raises:
            Unstored: no document has that id.
        """
        started_s = anyio.current_time()
        document = await self._documents.get(request.id)
        if document is None:
            raise Unstored(request.id)
        part = request.part
        if part.form is Form.MARKDOWN and part.find is None and part.offset is None:
            part = replace(part, offset=0)
        shelved = await self._shelved(document)
        page = await self._page(shelved, part, self._rules.answer_bytes)
        return replace(page, ms=_since(started_s))

    async def text_of(self, ctx: RequestContext, url: str) -> str:
        """The whole Markdown of a page, for those who need no answer made of it.

        Raises:
            BrokerError: it cannot be read.
        """
        document = await self._document(ctx, Wanted(source=Source(url, url=url)))
        return document.markdown

    async def statistics(self) -> StoreStatistics:
        """How full the store is."""
        return await self._documents.statistics()

    @property
    def warning(self) -> str | None:
        """Why documents are kept in memory only, when they are."""
        return self._documents.warning

    # --- one source ----------------------------------------------------------------------------

    async def _sources(
        self, given: Sequence[str], results: dict[int, _Result]
    ) -> dict[int, Source]:
        """The sources that mean something; the others have their results at once."""
        found: dict[int, Source] = {}
        for index, each in enumerate(given):
            try:
                if each.startswith(("http://", "https://")):
                    found[index] = Source(each, url=each)  # a look at the disk takes a thread
                else:
                    found[index] = await anyio.to_thread.run_sync(understood, each)
            except BrokerError as error:
                results[index] = _failed(each, error, "", 0)
        return found

    async def _one(
        self, ctx: RequestContext, index: int, source: Source, request: FetchRequest
    ) -> _Result:
        started_s = anyio.current_time()
        wanted = Wanted(
            source=source,
            index=index,
            render=request.render,
            form=request.part.form,
            fresh=request.fresh,
        )
        try:
            document = await self._document(ctx, wanted)
            shelved = await self._shelved(replace(document, source=source.given))
        except BrokerError as error:
            _trace_failure(ctx, source, error.code)
            return _failed(source.given, error, source.url, _since(started_s))
        except Exception as error:  # noqa: BLE001 - a mistake of ours costs one document
            _trace_failure(ctx, source, "internal")
            failure = crashed(_origin(error), source.url)
            page = Page(source=source.given, error=failure, ms=_since(started_s))
            return _Result(page=page, ms=page.ms)
        return _Result(shelved=shelved, ms=_since(started_s))

    async def _document(self, ctx: RequestContext, wanted: Wanted) -> StoredDocument:
        if wanted.source.path is not None:
            key = wanted.key(f"file:{wanted.source.path}")
            work = partial(self._file, ctx, wanted, wanted.source.path, key)
            return await self._flights.result(wanted.flight(key), work)
        url = self._policy.check_url(wanted.source.url).url + wanted.source.route
        key = wanted.key(url)
        known = await self._documents.by_key(key)
        if known is not None and not wanted.fresh and self._is_fresh(known):
            ctx.trace.event(Event.READING_HOT, url=safe_url(known.final_url))
            return known
        errand = Errand(
            url=url,
            index=wanted.index,
            render=wanted.render,
            markup=wanted.form is Form.HTML,
            etag=None if known is None or wanted.fresh else known.etag,
            last_modified=None if known is None or wanted.fresh else known.last_modified,
        )
        work = partial(self._fetched, ctx, errand, key, known)
        return await self._flights.result(wanted.flight(key), work)

    def _is_fresh(self, document: StoredDocument) -> bool:
        # One from the future was stored before the clock was set back.
        return 0 <= self._clock() - document.fetched_at_s <= self._rules.fresh_for_s

    async def _fetched(
        self, ctx: RequestContext, errand: Errand, key: str, known: StoredDocument | None
    ) -> StoredDocument:
        got = await self._way.read(ctx, errand)
        if got is None and known is not None:
            await self._documents.touch(known.id, confirmed=True)
            return replace(known, fetched_at_s=self._clock())
        if got is None:
            anew = replace(errand, etag=None, last_modified=None)
            return await self._fetched(ctx, anew, key, None)
        return await self._kept(ctx, got, key, errand.url, errand.index)

    async def _file(
        self, ctx: RequestContext, wanted: Wanted, path: Path, key: str
    ) -> StoredDocument:
        known = await self._documents.by_key(key)
        if known is not None and not wanted.fresh:
            stamp = await anyio.to_thread.run_sync(stamp_of, path)
            if stamp is not None and stamp == known.etag:
                return known
        index = wanted.index
        ctx.progress(Progress(query_index=index, provider=LOCAL, step="get", detail=path.name))
        with ctx.trace.span(Event.READING_FILE):
            file = await anyio.to_thread.run_sync(read_file, path, abandon_on_cancel=True)
        material = Material(
            body=file.body,
            url=str(path),
            media_type=file.media_type,
            content_type=file.media_type,
            markup=wanted.form is Form.HTML,
        )
        page = await self._way.judged(ctx, material)
        if page.kind == "unsupported":
            raise unsupported(page, "")
        if page.draft is None:
            raise Unread("empty", f"{path} has no text", url="")
        got = Got(
            draft=page.draft, kind="content", via=LOCAL, final_url=path.as_uri(), etag=file.stamp
        )
        if wanted.render is Render.ALWAYS:
            got = replace(got, warnings=(_NOT_RENDERED,))
        return await self._kept(ctx, got, key, wanted.source.given, index)

    # --- keeping and showing -------------------------------------------------------------------

    async def _kept(
        self, ctx: RequestContext, got: Got, key: str, source: str, index: int
    ) -> StoredDocument:
        now_s = self._clock()
        with ctx.trace.span(Event.READING_STORE) as span:
            made = await anyio.to_thread.run_sync(kept.stored, got, key, source, now_s)
            excerpts = await anyio.to_thread.run_sync(split_markdown, made.markdown)
            document = await self._documents.put(made, excerpts)
            span.set(id=document.id, chars=len(document.markdown))
        self._shelf.put(document, got.draft.body)
        ctx.progress(
            Progress(
                query_index=index,
                provider=got.via,
                step="stored",
                detail=f"{len(document.markdown)} characters",
            )
        )
        return document

    async def _shelved(self, document: StoredDocument) -> Shelved:
        """The document ready for answers."""
        known = self._shelf.find(document)
        if known is not None:
            return known
        body = await anyio.to_thread.run_sync(kept.body_in, document)
        return self._shelf.put(document, body)

    async def _pages(self, results: Sequence[_Result], request: FetchRequest) -> tuple[Page, ...]:
        shelved = [result.shelved for result in results if result.shelved is not None]
        room = self._rules.answer_bytes
        if len(shelved) == 1 and len(results) == 1:
            made = [await self._page(shelved[0], request.part, room)]
        else:
            failures = 700 * (len(results) - len(shelved))
            room = max(room // 2, room - failures)
            made = await anyio.to_thread.run_sync(answers.pages, shelved, request.part, room)
        pages = iter(made)
        told = () if self.warning is None else (self.warning,)
        return tuple(
            replace(page := next(pages), ms=result.ms, warnings=(*page.warnings, *told))
            if result.page is None
            else result.page
            for result in results
        )

    async def _page(self, shelved: Shelved, part: Part, room: int) -> Page:
        known = shelved.pages.get((part, room))
        if known is not None:
            return known
        return await anyio.to_thread.run_sync(answers.page_of, shelved, part, room)


def _since(started_s: float) -> int:
    return round((anyio.current_time() - started_s) * 1000)


def _failed(given: str, error: BrokerError, url: str, ms: int) -> _Result:
    teaser = error.teaser if isinstance(error, Unread) else None
    page = Page(source=given, error=failure_of(error, url), ms=ms, refused=is_refusal(error))
    if isinstance(error, Unread):
        page = replace(page, verdict=error.verdict)
    if teaser is not None:
        page = answers.with_teaser(page, teaser)
    return _Result(page=page, ms=ms)


def _origin(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error).__name__


def _trace_failure(ctx: RequestContext, source: Source, code: str) -> None:
    where = safe_url(source.url) if source.url else LOCAL
    ctx.trace.event(Event.READING_FAILED, url=where, code=code)
