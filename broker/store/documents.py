"""The documents that were read: kept, found again by id or key, and searched.

The file is at work in worker threads only, one at a time to read and one to write. A document is
in this process's memory the moment it is put, and gets to the file even if its caller is cancelled;
puts that wait for each other are written together. What another process keeps from being written
waits in memory and goes along with the next write.

Memory is asked first, so that within a session a page is what this process last read of it; a
search that meets a younger one in the file makes memory forget its own.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from broker.store import recall, schema, shelf
from broker.store.batch import Batch
from broker.store.cleaning import cleaned, cleaned_document
from broker.store.file import Database, Locked, wall_clock_s
from broker.store.hot import HotDocuments
from broker.store.ids import make_id, typed_id
from broker.store.records import StoreStatistics

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from broker.settings import StoreSettings
    from broker.store.records import Excerpt, Passage, StoredDocument

MAX_INDEXED_CHARS = 2_000_000
"""Most text of one document that a search finds; more would hold the file too long (0.2 s)."""
_NOT_ALL_INDEXED = f"only the first {MAX_INDEXED_CHARS:,} characters are found by recall"
_USES_WAIT_S = 3600.0
"""Uses are noted in the file with the next write, or before the first read after so long."""
_DAY_S = 86_400
_MIB = 1 << 20
_HOLDS = "what is read lives in memory"

Result = TypeVar("Result")


class Documents:
    """What was read, by this process and others; nothing is touched before the first use."""

    def __init__(
        self, home: Path, settings: StoreSettings, clock: Callable[[], float] = wall_clock_s
    ) -> None:
        self._limits = shelf.Limits(
            max_age_s=settings.max_age_days * _DAY_S,
            max_documents=settings.max_documents,
            max_bytes=settings.max_mb * _MIB,
        )
        self._clock = clock
        self._hot = HotDocuments(settings.hot_documents, self._limits.max_age_s)
        self._reader = Database(home, tables=schema.DOCUMENTS, holds=_HOLDS)
        self._writer = Database(home, tables=schema.DOCUMENTS, holds=_HOLDS)
        # Who waits for these can be cancelled and costs no thread.
        self._reading = anyio.Lock()
        self._writing = anyio.Lock()
        self._threads = anyio.CapacityLimiter(2)
        self._salt: bytes | None = None
        self._own_salt = secrets.token_bytes(16)
        self._batch = Batch()
        self._locked = False
        self._unsearched = False

    @property
    def warning(self) -> str | None:
        """Why documents are kept in memory only, or were not searched, when that is so."""
        if self._writer.reason is None and self._unsearched:
            return f"the store {self._writer.path} is locked by another process: not searched"
        if self._writer.reason is None and self._locked:
            return (
                f"the store {self._writer.path} is locked by another process; "
                f"{len(self._batch.documents)} documents wait in memory"
            )
        return self._writer.warning

    async def id_of(self, key: str) -> str:
        """The id that a document with that key has, or would have: the same in all processes."""
        if self._salt is None:
            # Without the file's salt ids hold for this process; the file goes by keys then.
            self._salt = await self._read(shelf.salt) or self._own_salt
        return make_id(cleaned(key), self._salt)

    async def put(
        self, document: StoredDocument, excerpts: Sequence[Excerpt] = ()
    ) -> StoredDocument:
        """Keep a document, and the excerpts of it that a search is to find.

        It replaces what has the same key, unless that was fetched later. Once this returns the
        document is on disk, or `warning` says why not. Cancellation waits for that: a few
        milliseconds, half a second at most. Who will not wait starts this in the background and
        takes the id from `id_of`.

        Returns:
            The document with its id, and with a warning if only its beginning will be found.
        """
        with anyio.CancelScope(shield=True):
            # In a thread: a text of megabytes would hold the event loop for a tenth of a second.
            document, indexed, left_out = await anyio.to_thread.run_sync(
                _prepared, document, excerpts, limiter=self._threads
            )
            if left_out and _NOT_ALL_INDEXED not in document.warnings:
                document = replace(document, warnings=(*document.warnings, _NOT_ALL_INDEXED))
            document = replace(document, id=await self.id_of(document.key))
            self._hot.put(document, self._clock())
            self._batch.documents.pop(document.id, None)
            self._batch.documents[document.id] = (document, indexed)
            await self._flush()
        return document

    async def get(self, document_id: str) -> StoredDocument | None:
        """The document with that id, however it was typed. This is a use of it."""
        document_id = typed_id(document_id)
        found = self._hot.get(document_id, self._clock())
        return self._used(found or await self._find("id", document_id))

    async def by_key(self, key: str) -> StoredDocument | None:
        """The freshest document with that key. This is a use of it."""
        key = cleaned(key)
        found = self._hot.by_key(key, self._clock())
        return self._used(found or await self._find("key", key))

    async def touch(self, document_id: str, *, confirmed: bool = False) -> None:
        """Note a use of a document.

        `confirmed` says that its origin was asked and that it has not changed (304): it is as
        fresh as if it had been fetched now.
        """
        document_id, now_s = typed_id(document_id), self._clock()
        self._batch.note_use(document_id, now_s)
        if confirmed:
            self._hot.confirm(document_id, now_s)
            self._batch.confirmed[document_id] = now_s
            with anyio.CancelScope(shield=True):
                await self._flush()

    async def search(
        self, query: str, *, max_passages: int = 10, in_ids: Sequence[str] | None = None
    ) -> list[Passage]:
        """The passages that answer a person's words best, best first.

        Words are compared by their stems; what stands in quotation marks must be there word for
        word, unless it is nowhere. Nothing else in the query is an operator.

        Args:
            query: the words; an empty one finds nothing.
            max_passages: at most so many.
            in_ids: search only these documents; None for all.
        """
        if self._locked:
            await self._flush()  # what waits may be what is looked for
        ids = None if in_ids is None else [typed_id(document_id) for document_id in in_ids]
        job = partial(
            recall.search,
            query=query,
            max_passages=max_passages,
            in_ids=ids,
            used_since_s=self._oldest_s(),
        )
        found = await self._read(job)
        self._unsearched = found is None
        for passage, fetched_at_s in found or ():
            self._hot.drop_older(passage.document_id, fetched_at_s)
        return [passage for passage, _ in found or ()]

    async def statistics(self) -> StoreStatistics:
        """How full the store is, and this process's memory."""
        count, size, oldest_s = await self._read(shelf.totals) or (0, 0, None)
        return StoreStatistics(
            documents=count,
            bytes=size,
            oldest_age_s=None if oldest_s is None else max(0.0, self._clock() - oldest_s),
            hot_documents=len(self._hot),
            hot_chars=self._hot.chars,
            waiting=len(self._batch.documents),
        )

    async def close(self) -> None:
        """Write what waits and close the file; half a second at most, cancelled or not."""
        with anyio.CancelScope(shield=True):
            await self._flush()
            await anyio.to_thread.run_sync(self._reader.close, limiter=self._threads)
            await anyio.to_thread.run_sync(self._writer.close, limiter=self._threads)

    def _oldest_s(self) -> float:
        """Documents that were last used before this are gone, whether removed yet or not."""
        return self._clock() - self._limits.max_age_s

    def _used(self, document: StoredDocument | None) -> StoredDocument | None:
        if document is not None:
            self._batch.note_use(document.id, self._clock())
        return document

    async def _find(self, column: str, value: str) -> StoredDocument | None:
        if (waiting := self._batch.find(column, value)) is not None:
            return waiting
        job = partial(shelf.find, column=column, value=value, used_since_s=self._oldest_s())
        found = await self._read(job)
        if found is not None:
            self._hot.put(found, self._clock())
        return found

    async def _flush(self) -> None:
        """Write everything that waits; what cannot be written goes on waiting."""
        async with self._writing:
            batch, self._batch = self._batch, Batch()
            if not batch:
                return  # somebody else's write took it along
            job = partial(batch.write, limits=self._limits, now_s=self._clock())
            try:
                await anyio.to_thread.run_sync(self._writer.write, job, limiter=self._threads)
            except Locked:
                self._batch = batch.followed_by(self._batch)
                self._locked = True
            else:
                self._locked = False

    async def _read(self, job: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """What a job finds; None when another process holds the file."""
        if self._batch.uses_since_s < self._clock() - _USES_WAIT_S:
            await self._flush()
        if self._writer.reason is None:
            async with self._reading:
                found = await self._in_thread(self._reader, job)
            if self._reader.reason is None:
                return found
        # One of the two found that the file cannot be used; from now on both are in one memory.
        async with self._writing:
            reason = self._reader.reason or ""
            await anyio.to_thread.run_sync(self._writer.abandon, reason, limiter=self._threads)
            return await self._in_thread(self._writer, job)

    async def _in_thread(
        self, database: Database, job: Callable[[sqlite3.Connection], Result]
    ) -> Result | None:
        try:
            return await anyio.to_thread.run_sync(database.read, job, limiter=self._threads)
        except Locked:
            return None


def _prepared(
    document: StoredDocument, excerpts: Sequence[Excerpt]
) -> tuple[StoredDocument, tuple[Excerpt, ...], bool]:
    return cleaned_document(document), *_searchable(excerpts)


def _searchable(excerpts: Sequence[Excerpt]) -> tuple[tuple[Excerpt, ...], bool]:
    """Those that the index takes, and whether others are left out."""
    chars = 0
    for place, excerpt in enumerate(excerpts):
        chars += len(excerpt.text)
        if chars > MAX_INDEXED_CHARS:
            return tuple(excerpts[:place]), True
    return tuple(excerpts), False
