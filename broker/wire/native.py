"""The broker's own methods: search, status, cancel and shutdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from broker.wire import replies, schema
from broker.wire.sidecar import Call, Method

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from broker.models import Answer, Progress, SearchRequest, Status


class Service(Protocol):
    """The broker as the doors use it; `broker.service.Broker` is the real one."""

    async def search(
        self, request: SearchRequest, *, progress: Callable[[Progress], None] = ...
    ) -> tuple[Answer, ...]:
        """The answers, in the order of the queries.

        Trouble with a provider stands in the answer; a `BrokerError` is a refusal.
        """
        ...

    async def status(self) -> Status:
        """What works and what does not; never waits for the browser."""
        ...


class Native:
    """The method table for a service; `deadline_s` holds for searches that name no deadline."""

    def __init__(self, service: Service, *, deadline_s: float) -> None:
        self._service = service
        self._deadline_s = deadline_s

    def table(self) -> Mapping[str, Method]:
        """The methods by name."""
        return {
            "search": Method(self.search),
            "status": Method(self.status, cheap=True),
            "cancel": Method(self.cancel, cheap=True),
            "shutdown": Method(self.shutdown, cheap=True),
        }

    async def search(self, call: Call) -> object:
        """Answer up to six queries; `progress: true` brings `progress` notifications before."""
        params = call.request.params
        request = schema.parse_search(params, deadline_s=self._deadline_s)
        if not schema.parse_progress(params):
            return replies.dump_answers(await self._service.search(request))

        def tell(progress: Progress) -> None:
            if call.request.id is not None:
                call.notify("progress", replies.dump_progress(call.request.id, progress))

        return replies.dump_answers(await self._service.search(request, progress=tell))

    async def status(self, call: Call) -> object:
        """What works and what does not."""
        schema.known_params(call.request.params, ())
        return replies.dump_status(await self._service.status())

    async def cancel(self, call: Call) -> object:
        """Cancel a running request; say whether it was running."""
        return {"cancelled": call.sidecar.cancel(schema.parse_cancel(call.request.params))}

    async def shutdown(self, call: Call) -> object:
        """Finish what runs, answer it, leave."""
        schema.known_params(call.request.params, ())
        call.sidecar.stop()
        return None
