"""The broker as the doors see it: it owns the browser, the store and the trace."""

from __future__ import annotations

import secrets
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from broker.browser.pool import TabPool
from broker.context import RequestContext
from broker.deadline import Deadline
from broker.errors import BrowserMissing
from broker.lanes.cooldown import Cooldowns
from broker.models import BrowserStatus, ProviderStatus, SearchQuery, SearchRequest, Status
from broker.pipeline import SearchPlan, search_all
from broker.store import Store
from broker.trace import open_trace, safe_url
from broker.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from broker.browser.watch import TabPolicy
    from broker.lanes.lane import Lane
    from broker.models import Answer, Progress
    from broker.settings import BrowserSettings, Settings
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
        self._cooldowns = Cooldowns(store, settings.lanes)
        self._known_lanes: tuple[Lane, ...] | None = None

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
        plan = SearchPlan(
            lanes=await self._chosen(request.providers),
            reserve_s=self._settings.lanes.reserve_s,
            chars=request.chars,
        )
        return await search_all(ctx, request.queries, plan)

    async def _lanes(self) -> tuple[Lane, ...]:
        if self._known_lanes is None:
            # In a thread, because it imports every parser, and with them lxml.
            self._known_lanes = await anyio.to_thread.run_sync(
                _make_lanes, self._settings, self._tabs, self._cooldowns
            )
        return self._known_lanes

    async def _chosen(self, providers: tuple[str, ...]) -> list[Lane]:
        from broker.lanes.off import LaneOff  # noqa: PLC0415 - see _lanes

        lanes = await self._lanes()
        if providers in {("auto",), ("all",)}:
            return list(lanes)
        by_name: dict[str, Lane] = {lane.name: lane for lane in lanes}
        return [
            by_name.get(name) or LaneOff(name, "it reads saved pages only, so far")
            for name in providers
        ]

    def _known_providers(self) -> list[tuple[str, str | None]]:
        # Not asked of the lanes, which `status` must not load.
        return [("google", _OFF if self._tabs is None else None)]

    async def status(self) -> Status:
        """How everything stands; starts nothing, and asks a browser at most for its version."""
        cooldowns = {c.name: c for c in await anyio.to_thread.run_sync(self._store.cooldowns)}
        providers = []
        for name, lacks in self._known_providers():
            cooldown = cooldowns.get(name)
            cooling = cooldown is not None and cooldown.left_s > 0
            providers.append(
                ProviderStatus(
                    name=name,
                    configured=lacks is None,
                    lacks=lacks,
                    cooldown_s=round(cooldown.left_s) if cooldown and cooling else None,
                    cooldown_code=cooldown.code if cooldown and cooling else None,
                )
            )
        browser = BrowserStatus(state="off") if self._tabs is None else self._tabs.status()
        if browser.state == "idle":
            browser = await anyio.to_thread.run_sync(_found_browser, self._settings.browser)
        warnings = self._settings.warnings
        if self._store.warning is not None:
            warnings = (*warnings, self._store.warning)
        return Status(
            version=__version__,
            home=str(self._settings.home),
            browser=browser,
            providers=tuple(providers),
            warnings=warnings,
        )


def _make_lanes(settings: Settings, tabs: TabPool | None, cooldowns: Cooldowns) -> tuple[Lane, ...]:
    from broker.lanes.google import GoogleLane  # noqa: PLC0415 - see Broker._lanes
    from broker.lanes.off import LaneOff  # noqa: PLC0415

    if tabs is None:
        return (LaneOff("google", _OFF),)
    return (GoogleLane(settings, tabs, cooldowns),)


def _found_browser(settings: BrowserSettings) -> BrowserStatus:
    """What would be started, were it needed."""
    from broker.browser.find import find_browser, product  # noqa: PLC0415 - see Broker._lanes

    if settings.cdp_url is not None:
        return BrowserStatus(state="idle", note=f"attaches to {safe_url(settings.cdp_url)}")
    try:
        found = find_browser(settings.executable)
    except BrowserMissing as error:
        return BrowserStatus(state="missing", note=error.message)
    return BrowserStatus(state="idle", executable=str(found.path), version=product(found))


def _tab_policy(origin: str) -> TabPolicy:
    from broker.lanes.google import tab_policy  # noqa: PLC0415 - see Broker._lanes

    return tab_policy(origin)


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
            policy = partial(_tab_policy, settings.providers.google_url)
            tabs = TabPool(settings.browser, settings.home, policy, trace)
            await stack.enter_async_context(tabs)
            if warm:
                tabs.warm_up()
        yield Broker(settings, trace, store, tabs)


__all__ = ["Broker", "SearchQuery", "SearchRequest", "open_broker"]
