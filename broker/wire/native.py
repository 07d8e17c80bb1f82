"""The broker's own methods: search, fetch, read, recall, status, cancel and shutdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from broker.wire import replies, replies_passages, replies_reading, schema, schema_reading
from broker.wire.sidecar import Call, Method

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from broker.models import Answer, Progress, SearchRequest, Status
    from broker.reading.records import (
        FetchRequest,
        Page,
        Pooled,
        ReadRequest,
        Recalled,
        RecallRequest,
    )


class Service(Protocol):
    """The broker as the doors use it; `broker.service.Broker` is the real one."""

    async def search(
        self, request: SearchRequest, *, progress: Callable[[Progress], None] = ...
    ) -> tuple[Answer, ...]:
        """The answers, in the order of the queries.

        Trouble with a provider stands in the answer; a `BrokerError` is a refusal.
        """
        ...

    async def fetch(
        self, request: FetchRequest, *, progress: Callable[[Progress], None] = ...
    ) -> tuple[Page, ...]:
        """A page for each source, in their order; what goes wrong stands in it."""
        ...

    async def pool(
        self, request: FetchRequest, *, progress: Callable[[Progress], None] = ...
    ) -> Pooled:
        """The passages of all sources that answer the request's query."""
        ...

    async def read(self, request: ReadRequest) -> Page:
        """A part of a document that was read; a `BrokerError` says that there is none."""
        ...

    async def recall(self, request: RecallRequest) -> Recalled:
        """The passages of everything that was read that answer a query."""
        ...

    async def status(self) -> Status:
        """What works and what does not; never waits for the browser."""
        ...


class Native:
    """The method table for a service; the deadlines hold for requests that name none."""

    def __init__(
        self, service: Service, *, deadline_s: float, fetch_deadline_s: float = 20.0
    ) -> None:
        self.service = service
        self.deadline_s = deadline_s
        self.fetch_deadline_s = fetch_deadline_s

    def table(self) -> Mapping[str, Method]:
        """The methods by name."""
        return {
            "search": Method(self.search),
            "fetch": Method(self.fetch),
            "read": Method(self.read),
            "recall": Method(self.recall),
            "status": Method(self.status, cheap=True),
            "cancel": Method(self.cancel, cheap=True),
            "shutdown": Method(self.shutdown, cheap=True),
        }

    async def search(self, call: Call) -> object:
        """Answer up to six queries; `progress: true` brings `progress` notifications before."""
        params = call.request.params
        request = schema.parse_search(params, deadline_s=self.deadline_s)
        if not schema.parse_progress(params):
            return replies.dump_answers(await self.service.search(request))

        def tell(progress: Progress) -> None:
            if call.request.id is not None:
                call.notify("progress", replies.dump_progress(call.request.id, progress))

        return replies.dump_answers(await self.service.search(request, progress=tell))

    async def fetch(self, call: Call) -> object:
        """Read up to twenty pages or files; `progress: true` brings notifications before."""
        params = call.request.params
        request = schema_reading.parse_fetch(params, deadline_s=self.fetch_deadline_s)
        wanted = schema_reading.parse_fetch_progress(params)

        def tell(progress: Progress) -> None:
            if wanted and call.request.id is not None:
                call.notify("progress", replies_reading.dump_step(call.request.id, progress))

        if request.query is not None:
            return replies_passages.dump_pooled(await self.service.pool(request, progress=tell))
        return replies_reading.dump_pages(await self.service.fetch(request, progress=tell))

    async def read(self, call: Call) -> object:
        """Page through a document, or search in it."""
        request = schema_reading.parse_read(call.request.params)
        return replies_reading.dump_pages([await self.service.read(request)])

    async def recall(self, call: Call) -> object:
        """Search in everything that was read."""
        request = schema_reading.parse_recall(call.request.params)
        return replies_passages.dump_recalled(await self.service.recall(request))

    async def status(self, call: Call) -> object:
        """What works and what does not."""
        schema.known_params(call.request.params, ())
        return replies.dump_status(await self.service.status())

    async def cancel(self, call: Call) -> object:
        """Cancel a running request; say whether it was running."""
        return {"cancelled": call.sidecar.cancel(schema.parse_cancel(call.request.params))}

    async def shutdown(self, call: Call) -> object:
        """Finish what runs, answer it, leave."""
        schema.known_params(call.request.params, ())
        call.sidecar.stop()
        return None
