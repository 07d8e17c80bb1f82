"""Warm tabs, lent one task at a time, and the browser behind them.

One `TabPool` owns one browser at a time. It starts at the first lease or at `warm_up`, in the
pool's own task group, so that no request's end can interrupt it. A browser that has served
`max_uses` leases or has grown past `max_rss_mb` is replaced: the next one starts first, new leases
go to it, and the old one closes when its last tab has come back.

A lease ends at once; the tab is cleaned or closed after it. A tab whose lease ended with an
exception or a cancellation is closed, never lent again.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import anyio
import anyio.to_thread

from broker.browser import lazily
from broker.browser.generation import Generation
from broker.deadline import NEVER
from broker.errors import BrowserError, BrowserMissing, BrowserUnavailable, TabLost
from broker.models import BrowserStatus
from broker.trace import Event, safe_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path
    from types import TracebackType

    from anyio.abc import TaskGroup

    from broker.browser.engine import Engine
    from broker.browser.lazily import StartEngine
    from broker.browser.tab import Tab
    from broker.browser.watch import TabPolicy
    from broker.context import RequestContext
    from broker.deadline import Deadline
    from broker.settings import BrowserSettings
    from broker.trace import Trace

_WARM_TABS = 2
"""Tabs that are opened before anybody asks, when the browser was told to warm up."""
_USES_BETWEEN_SIZE_CHECKS = 25
_RETRY_START_S = 5.0
"""A start that failed is not tried again for this long: its error is the answer meanwhile."""
_SAVE_GRACE_S = 0.5
_TELL_S = 0.15
"""Kept of a deadline to say that the browser was not there in time."""


@dataclass(slots=True, eq=False)
class _Start:
    """A start that is under way, or how the last one failed."""

    done: anyio.Event = field(default_factory=anyio.Event)
    error: BrowserError | None = None
    retry_at_s: float = 0.0


class TabPool:
    """Lends tabs of one policy; an async context manager that owns everything it starts.

    Args:
        settings: the browser and when it is replaced.
        home: folder of the browsers' folders and the saved cookies.
        policy: what the tabs may do; called before the first one opens.
        trace: told of everything that happens to the browser.
        start_engine: starts a browser; None for the real one, loaded when it is first needed.
    """

    def __init__(
        self,
        settings: BrowserSettings,
        home: Path,
        policy: Callable[[], TabPolicy],
        trace: Trace,
        start_engine: StartEngine | None = None,
    ) -> None:
        self._settings = settings
        self._run_parent = home / "run"
        self._cookie_file = home / "cookies.json"
        self._policy = policy
        self._trace = trace
        self._start_engine = start_engine
        self._slots = anyio.Semaphore(settings.tabs)
        self._apart_slots = anyio.Semaphore(settings.tabs)
        self._current: Generation | None = None
        self._generations: list[Generation] = []
        self._start: _Start | None = None
        self._replacing = False
        self._replace_again_at_s = 0.0
        self._unsaved_cookies = False
        self._rss_mb: int | None = None
        self._tasks: TaskGroup

    async def __aenter__(self) -> Self:
        """Open the pool; no browser starts yet."""
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Save what must be kept and end every browser; bounded."""
        if self._unsaved_cookies and self._current is not None:
            with anyio.move_on_after(_SAVE_GRACE_S, shield=True):
                await self._save_cookies(self._current)
        # Taken out first, so that the tabs that come back meanwhile leave the ending to us.
        ending, self._generations = self._generations, []
        for generation in ending:
            generation.retired = True
            await generation.engine.close()
        self._tasks.cancel_scope.cancel()
        await self._tasks.__aexit__(exc_type, exc, traceback)

    # --- lending -------------------------------------------------------------------------------

    def warm_up(self, tabs: int = _WARM_TABS) -> None:
        """See in the background that the browser runs and has `tabs` tabs, lent or idle."""
        self._tasks.start_soon(self._warm_up, tabs)

    @asynccontextmanager
    async def lease(
        self,
        ctx: RequestContext,
        *,
        fresh: bool = False,
        policy: TabPolicy | None = None,
        site: str = "",
    ) -> AsyncIterator[Tab]:
        """Lend a tab for the length of the block; waits for a free one within the caller's scope.

        `fresh` asks for one that nobody has used before, `policy` for one with another policy than
        the pool's, which no page of another `site` has used, or none at all where that is empty.
        Those have slots of their own: as many, but no search waits for pages that are read.

        Raises:
            BrowserMissing: there is no browser to run.
            BrowserUnavailable: it does not start.
            TabLost: the browser went away while the tab was opened.
        """
        waited_from_s = anyio.current_time()
        slots = self._slots if policy is None else self._apart_slots
        await slots.acquire()
        generation: Generation | None = None
        tab: Tab | None = None
        try:
            generation = await self._ready(ctx.deadline)
            generation.lent += 1
            tab = await generation.take(fresh=fresh, policy=policy, site=site)
            waited_ms = round((anyio.current_time() - waited_from_s) * 1000)
            ctx.trace.event(Event.POOL_LEASE, waited_ms=waited_ms, uses=generation.uses)
            yield tab
        except BaseException:
            if tab is not None:
                tab.healthy = False
            raise
        finally:
            if generation is None:
                slots.release()
            elif policy is None:
                self._tasks.start_soon(self._give_back, generation, tab)
            else:
                if tab is not None:
                    generation.apart.offer(tab, site)
                slots.release()
                spare = policy if site else None
                self._tasks.start_soon(self._give_back_apart, generation, tab, spare)

    def warm_up_apart(self, policy: TabPolicy) -> None:
        """See in the background that tabs with this policy wait for pages."""
        self._tasks.start_soon(self._warm_up_apart, policy)

    async def _warm_up_apart(self, policy: TabPolicy) -> None:
        with suppress(BrowserError):  # whoever reads a page will be told
            await (await self._ready()).apart.refill(policy)

    async def ready(self, ctx: RequestContext) -> None:
        """Wait for the browser to run, or to fail; safe to cancel."""
        with suppress(BrowserError):
            await self._ready(ctx.deadline)

    async def _give_back(self, generation: Generation, tab: Tab | None) -> None:
        try:
            if tab is not None:
                kept = await generation.put_away(tab)
                event = Event.POOL_RETURN if kept else Event.POOL_DISCARD
                self._trace.event(event, healthy=tab.healthy, idle=len(generation.idle))
        finally:
            generation.lent -= 1
            self._slots.release()
        if self._unsaved_cookies:
            await self._save_cookies(generation)
        await self._after_use(generation)

    async def _give_back_apart(
        self, generation: Generation, tab: Tab | None, spare: TabPolicy | None
    ) -> None:
        try:
            if tab is not None:
                await generation.apart.put_away(tab)
                self._trace.event(Event.POOL_DISCARD, healthy=tab.healthy, spare=True)
        finally:
            generation.lent -= 1
        await self._after_use(generation)
        if spare is not None and not generation.retired:
            await generation.apart.refill(spare)

    # --- the browser ---------------------------------------------------------------------------

    async def _ready(self, deadline: Deadline = NEVER) -> Generation:
        while True:
            generation = self._current
            if generation is not None and not generation.engine.gone.is_set():
                return generation
            start = self._start
            if start is None or (start.error and anyio.current_time() >= start.retry_at_s):
                start = self._start = _Start()
                self._tasks.start_soon(self._run_start, start)
            with deadline.earlier_by(_TELL_S).scope():
                await start.done.wait()
            if not start.done.is_set():
                raise BrowserUnavailable(f"{self._name()} was not ready in time")
            if start.error is not None:
                raise start.error

    def _name(self) -> str:
        url = self._settings.cdp_url
        return "the browser" if url is None else f"{safe_url(url)} (PI_WEBAIO_CDP_URL)"

    async def _run_start(self, start: _Start) -> None:
        try:
            await self._start_generation()
        except BrowserError as error:
            start.error = error
            # A browser that was missing may be installed at any moment, and looking costs nothing.
            grace_s = 0.0 if isinstance(error, BrowserMissing) else _RETRY_START_S
            start.retry_at_s = anyio.current_time() + grace_s
        else:
            self._start = None
        finally:
            start.done.set()

    async def _start_generation(self) -> None:
        start_engine = self._start_engine
        if start_engine is None:
            start_engine = await anyio.to_thread.run_sync(lazily.engine_starter)
        try:
            engine = await start_engine(self._settings, self._run_parent, self._tasks, self._trace)
        except OSError as error:  # no folder, no process, no pipe
            raise BrowserUnavailable(f"the browser cannot be started: {error}") from error
        generation = Generation(engine, self._policy(), self._tasks)
        self._generations.append(generation)
        self._tasks.start_soon(self._watch, generation)
        try:
            await generation.warm(1)  # makes the context that the cookies are for
            await self._give_cookies(engine)
        except BrowserError as error:
            await engine.close()
            raise BrowserUnavailable(f"the browser opens no tab: {error}") from error
        previous, self._current = self._current, generation
        if previous is not None:
            self._tasks.start_soon(self._retire, previous)
        info = engine.info
        self._trace.event(Event.BROWSER_READY, product=info.product, sandbox=info.sandbox)

    async def _give_cookies(self, engine: Engine) -> None:
        if saved := await anyio.to_thread.run_sync(lazily.load_cookies, self._cookie_file):
            try:
                await engine.set_cookies(saved)
            except TabLost:
                raise
            except BrowserError:
                return  # whoever wrote that file was not us, or of another version

    async def _watch(self, generation: Generation) -> None:
        await generation.engine.gone.wait()
        if not generation.retired:
            self._trace.event(Event.BROWSER_LOST, uses=generation.uses)
            await self._end(generation)

    async def _end(self, generation: Generation) -> None:
        generation.retired = True
        if self._current is generation:
            self._current = None
        if generation in self._generations:
            self._generations.remove(generation)
            await generation.engine.close()

    async def _warm_up(self, tabs: int) -> None:
        try:
            generation = await self._ready()
            await generation.warm(tabs)
        except BrowserError as error:
            # Whoever searches will be told; nobody waits here.
            self._trace.event(Event.BROWSER_LOST, code=error.code)

    # --- replacement ---------------------------------------------------------------------------

    async def _after_use(self, generation: Generation) -> None:
        if generation.retired:
            if not generation.lent:
                self._trace.event(Event.BROWSER_CLOSE, uses=generation.uses)
                await self._end(generation)
            return
        if generation is not self._current or self._replacing:
            return
        self._replacing = True
        try:
            if await self._worn(generation):
                await self._replace(generation)
        finally:
            self._replacing = False

    async def _worn(self, generation: Generation) -> bool:
        if generation.frozen or generation.uses >= self._settings.max_uses:
            return True
        pid, uses = generation.engine.info.pid, generation.uses
        if pid is None or uses - generation.measured_at_uses < _USES_BETWEEN_SIZE_CHECKS:
            return False
        generation.measured_at_uses = uses
        self._rss_mb = await anyio.to_thread.run_sync(lazily.resident_mb, pid)
        return self._rss_mb > self._settings.max_rss_mb

    async def _replace(self, old: Generation) -> None:
        if anyio.current_time() < self._replace_again_at_s:
            return
        with self._trace.span(Event.BROWSER_REPLACE, uses=old.uses, rss_mb=self._rss_mb):
            try:
                await self._start_generation()
            except BrowserError:
                # The old one still works, and a later use will try again.
                self._replace_again_at_s = anyio.current_time() + _RETRY_START_S

    async def _retire(self, old: Generation) -> None:
        old.retired = True
        if old.lent:
            await old.close_idle()
        if not old.lent:
            await self._end(old)

    # --- what is kept and shown ----------------------------------------------------------------

    def keep_cookies(self) -> None:
        """Save the context's cookies when a tab comes back: a wall was passed that left one."""
        self._unsaved_cookies = True

    async def _save_cookies(self, generation: Generation) -> None:
        self._unsaved_cookies = False
        try:
            found = await generation.engine.cookies()
        except BrowserError:
            return
        await anyio.to_thread.run_sync(lazily.save_cookies, self._cookie_file, found)

    async def measured_status(self) -> BrowserStatus:
        """The browser as it is now, with its memory."""
        generation = self._current
        if generation is not None and (pid := generation.engine.info.pid) is not None:
            self._rss_mb = await anyio.to_thread.run_sync(lazily.resident_mb, pid)
        return self.status()

    def status(self) -> BrowserStatus:
        """The browser as it is now; starts nothing."""
        generation = self._current
        if generation is not None:
            info = generation.engine.info
            return BrowserStatus(
                state="ready",
                executable=str(info.executable) if info.executable else None,
                version=info.product,
                sandbox=info.sandbox,
                note=info.note,
                tabs=generation.tabs,
                uses=generation.uses,
                rss_mb=self._rss_mb,
            )
        if self._start is not None and not self._start.done.is_set():
            return BrowserStatus(state="starting")
        if self._start is not None and self._start.error is not None:
            missing = isinstance(self._start.error, BrowserMissing)
            state = "missing" if missing else "failed"
            return BrowserStatus(state=state, note=self._start.error.message)
        return BrowserStatus(state="idle")
