"""The broker as the doors see it: it owns the browser, the store and the trace."""

from __future__ import annotations

import secrets
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

import anyio.to_thread

from broker.browser.pool import TabPool
from broker.context import RequestContext
from broker.deadline import Deadline
from broker.lanes.cooldown import Cooldowns
from broker.lanes.google import GoogleLane, tab_policy
from broker.lanes.off import LaneOff
from broker.models import BrowserStatus, ProviderStatus, SearchQuery, SearchRequest, Status
from broker.pipeline import search_all
from broker.store import Store
from broker.trace import open_trace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from broker.lanes.lane import Lane
    from broker.models import Answer, Progress
    from broker.settings import Settings
    from broker.trace import Trace

_OFF = "the browser lane is switched off (browser.enabled, PI_WEBAIO_CDP_BROKER)"


def _unwatched(_progress: Progress) -> None:
    return None


class Broker:
    """Answers searches; made by `open_broker`."""

    def __init__(
        self, settings: Settings, trace: Trace, store: Store, tabs: TabPool | None
    ) -> None:
        self._settings = settings
        self._trace = trace
        self._store = store
        self._tabs = tabs
        cooldowns = Cooldowns(store, settings.lanes)
        google: Lane = (
            LaneOff("google", _OFF) if tabs is None else GoogleLane(settings, tabs, cooldowns)
        )
        self._lanes = (google,)

    async def search(
        self, request: SearchRequest, *, progress: Callable[[Progress], None] = _unwatched
    ) -> tuple[Answer, ...]:
        """Answer a request's queries, in their order, within its deadline.

        What goes wrong at a provider stands in the answer's lanes and raises nothing. `progress`
        is told of each step and must not block.
        """
        request_id = secrets.token_hex(4)
        ctx = RequestContext(
            request_id=request_id,
            deadline=Deadline.after(request.deadline_s),
            trace=self._trace.for_request(request_id),
            progress=progress,
        )
        lanes = self._chosen(request.providers)
        return await search_all(ctx, request.queries, lanes, self._settings.lanes.reserve_s)

    def _chosen(self, providers: tuple[str, ...]) -> list[Lane]:
        if providers in {("auto",), ("all",)}:
            return list(self._lanes)
        by_name: dict[str, Lane] = {lane.name: lane for lane in self._lanes}
        return [
            by_name.get(name) or LaneOff(name, "it reads saved pages only, so far")
            for name in providers
        ]

    async def status(self) -> Status:
        """How everything stands; waits for nothing and starts nothing."""
        cooldowns = {c.name: c for c in await anyio.to_thread.run_sync(self._store.cooldowns)}
        providers = []
        for lane in self._lanes:
            cooldown = cooldowns.get(lane.name)
            cooling = cooldown is not None and cooldown.left_s > 0
            providers.append(
                ProviderStatus(
                    name=lane.name,
                    configured=lane.lacks is None,
                    lacks=lane.lacks,
                    cooldown_s=round(cooldown.left_s) if cooldown and cooling else None,
                    cooldown_code=cooldown.code if cooldown and cooling else None,
                )
            )
        warnings = self._settings.warnings
        if self._store.warning is not None:
            warnings = (*warnings, self._store.warning)
        return Status(
            version=version("webaio"),
            home=str(self._settings.home),
            browser=BrowserStatus(state="off") if self._tabs is None else self._tabs.status(),
            providers=tuple(providers),
            warnings=warnings,
        )


@asynccontextmanager
async def open_broker(settings: Settings, *, warm: bool = False) -> AsyncIterator[Broker]:
    """A broker that is ready at once; `warm` starts its browser in the background.

    On the way out every browser is ended and everything on disk is closed.

    Raises:
        SettingsInvalid: the trace file cannot be written.
    """
    async with AsyncExitStack() as stack:
        trace = open_trace(settings.trace)
        stack.callback(trace.close)
        store = Store(settings.home)
        stack.callback(store.close)
        tabs = None
        if settings.browser.enabled:
            policy = tab_policy(settings.providers.google_url)
            tabs = TabPool(settings.browser, settings.home, policy, trace)
            await stack.enter_async_context(tabs)
            if warm:
                tabs.warm_up()
        yield Broker(settings, trace, store, tabs)


__all__ = ["Broker", "SearchQuery", "SearchRequest", "open_broker"]
