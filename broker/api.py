"""The broker for Python programs.

Settings are read as the command line reads them, unless they are handed in. The doors on pipes and
command lines validate JSON and flags; this one takes keyword arguments of the same names and raises
the same errors.
"""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, overload

from broker.service import open_broker
from broker.settings_load import load
from broker.wire.schema import parse_search
from broker.wire.schema_reading import parse_fetch, parse_read, parse_recall

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from broker.models import Answer, Status
    from broker.reading.records import Page, Pooled, Recalled
    from broker.service import Broker
    from broker.settings import Settings


class Client:
    """A broker in this process; made by `open`."""

    def __init__(self, broker: Broker, settings: Settings) -> None:
        self._broker = broker
        self._deadline_s = settings.lanes.search_deadline_s
        self._fetch_deadline_s = settings.reading.fetch_deadline_s

    async def search(self, query: str, **options: object) -> Answer:
        """Answer one query.

        Args:
            query: the words.
            options: `max`, `providers`, `sites`, `not_sites`, `since`, `until`, `lang`, `region`,
                `content`, `chars`, `allow_secrets` and `deadline_ms`, as in the sidecar's `search`.

        Raises:
            RequestInvalid: an option is unknown or has no valid value.
            Refused: the query seems to hold a secret.
        """
        request = parse_search({"query": query, **options}, deadline_s=self._deadline_s)
        (answer,) = await self._broker.search(request)
        return answer

    @overload
    async def fetch(self, source: str, *, query: None = None, **options: object) -> Page: ...

    @overload
    async def fetch(
        self, source: list[str] | tuple[str, ...], *, query: None = None, **options: object
    ) -> tuple[Page, ...]: ...

    @overload
    async def fetch(
        self, source: str | list[str] | tuple[str, ...], *, query: str, **options: object
    ) -> Pooled: ...

    async def fetch(
        self,
        source: str | list[str] | tuple[str, ...],
        *,
        query: str | None = None,
        **options: object,
    ) -> Page | tuple[Page, ...] | Pooled:
        """Read a page or file, or several: a page for each, with what went wrong in it.

        The `text` of a page is as the page says it, and not to be trusted; no fence is around it.

        Args:
            source: an address or local path, or a list of them.
            query: show the passages of all of them that answer this, and no text beside these.
            options: `render`, `format`, `find`, `offset`, `limit`, `fresh` and `deadline_ms`, as in
                the sidecar's `fetch`.

        Raises:
            RequestInvalid: an option is unknown or has no valid value.
        """
        sources = [source] if isinstance(source, str) else list(source)
        request = parse_fetch(
            {"sources": sources, "query": query, **options}, deadline_s=self._fetch_deadline_s
        )
        if request.query is not None:
            return await self._broker.pool(request)
        pages = await self._broker.fetch(request)
        return pages[0] if isinstance(source, str) else pages

    async def read(self, document_id: str, **options: object) -> Page:
        """A part of a document that was read before.

        Args:
            document_id: its `id`.
            options: `format`, `find`, `offset` and `limit`, as in the sidecar's `read`.

        Raises:
            RequestInvalid: an option is unknown or has no valid value.
            Unstored: no document has that id.
        """
        return await self._broker.read(parse_read({"id": document_id, **options}))

    async def recall(self, query: str, **options: object) -> Recalled:
        """The passages that answer a query, of everything that was read and is kept.

        Args:
            query: a person's words; what stands in quotation marks must be there word for word.
            options: `max`, as in the sidecar's `recall`.

        Raises:
            RequestInvalid: an option is unknown or has no valid value.
        """
        return await self._broker.recall(parse_recall({"query": query, **options}))

    async def status(self) -> Status:
        """How everything stands; waits for nothing."""
        return await self._broker.status()


@asynccontextmanager
async def open(  # noqa: A001 - `broker.open`, as files are opened
    settings: Settings | None = None,
) -> AsyncIterator[Client]:
    """A broker whose browser starts in the background and ends with the block.

    Args:
        settings: what to go by; None reads the configuration file and the environment.

    Raises:
        SettingsInvalid: the file or the environment is wrong, or the trace cannot be written.
    """
    chosen = load(os.environ) if settings is None else settings
    async with open_broker(chosen, warm=True) as broker:
        yield Client(broker, chosen)
