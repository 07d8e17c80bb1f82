"""What reading owns while a broker lives: the page client, the guard, the store's documents.

Everything is opened at the first page that is read and closed with the broker. It is opened in a
task of its own, so that no request's end can close it.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.browser.render import Renderer
from broker.deadline import bounded_close
from broker.documents.converter import Converter
from broker.documents.tools import missing_parts
from broker.egress.dial import Egress
from broker.egress.guard import Guard
from broker.fetch.pages import PageClient
from broker.fetch.schedule import HostSchedule
from broker.lanes.cooldown import Cooldowns
from broker.lanes.pacing import Pacers
from broker.models import ReadingStatus
from broker.reading.archives import READER, WAYBACK
from broker.reading.conversion import Conversion
from broker.reading.doors import Doors
from broker.reading.flights import Flights
from broker.reading.privacy import Privacy
from broker.reading.reader import Reader, ReaderRules
from broker.reading.rescue import Archive, Rescue
from broker.reading.way import Way
from broker.store.documents import Documents
from broker.store.file import wall_clock_s

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from broker.browser.pool import TabPool
    from broker.egress.policy import EgressPolicy
    from broker.settings import Settings
    from broker.store import Store

_CLOSE_GRACE_S = 2.0
_BROWSER_OFF = "the browser is switched off (browser.enabled, PI_WEBAIO_CDP_BROKER)"


@dataclass(frozen=True, slots=True)
class Reading:
    """The parts that are open."""

    reader: Reader
    pages: PageClient
    guard: Guard
    settings: Settings
    site: Way
    """For walks over a site: asks no archive and compares no pages."""
    policy: EgressPolicy

    async def status(self) -> ReadingStatus:
        """How everything stands."""
        kept = await self.reader.statistics()
        done, guarded = self.pages.statistics(), self.guard.statistics()
        oldest_s = kept.oldest_age_s
        return ReadingStatus(
            documents=kept.documents,
            stored_bytes=kept.bytes,
            oldest_age_s=None if oldest_s is None else round(oldest_s),
            hot_documents=kept.hot_documents,
            waiting=kept.waiting,
            pages=done.pages,
            requests=done.requests,
            failed=done.failed,
            guarded=guarded.connections,
            refused=guarded.refused,
            archives=self.settings.reading.archives,
            missing=await anyio.to_thread.run_sync(missing_parts),
        )


@asynccontextmanager
async def open_reading(
    settings: Settings, *, store: Store, tabs: TabPool | None, warm: bool = False
) -> AsyncIterator[Reading]:
    """The reading part for these settings.

    Args:
        settings: what to go by.
        store: where refusals are remembered.
        tabs: the browser's; None where it is off.
        warm: have the browser ready before a page needs it.
    """
    egress = Egress.from_settings(settings)
    async with AsyncExitStack() as stack:
        documents = Documents(settings.home, settings.store)
        stack.push_async_callback(bounded_close, documents.close, _CLOSE_GRACE_S)
        schedule = HostSchedule(gap_s=settings.reading.host_gap_s)
        pages = await stack.enter_async_context(PageClient(egress, schedule=schedule))
        guard = await stack.enter_async_context(Guard(egress))
        renderer = None if tabs is None else Renderer(tabs, guard, egress)
        if renderer is not None and warm:
            renderer.warm_up()
        tasks = await stack.enter_async_context(anyio.create_task_group())
        stack.callback(tasks.cancel_scope.cancel)
        cooldowns = Cooldowns(store, settings.lanes)
        rescue = Rescue(pages, _archives(settings), Privacy(egress), cooldowns)
        no_browser = _BROWSER_OFF if tabs is None else ""
        convert = Conversion(Converter(settings.home / "run"))
        way = Way(pages, rescue, renderer, no_browser=no_browser, convert=convert)
        site = Way(pages, None, renderer, no_browser=no_browser, compare=False)
        reader = Reader(
            Doors(way, pages, cooldowns, settings, pacers=Pacers(store)),
            documents,
            egress.policy,
            Flights(tasks),
            rules=ReaderRules(
                answer_bytes=settings.reading.answer_kb * 1000,
                fresh_for_s=settings.reading.fresh_for_s,
            ),
            clock=wall_clock_s,
        )
        yield Reading(reader, pages, guard, settings, site, egress.policy)


def _archives(settings: Settings) -> tuple[Archive, ...]:
    if not settings.reading.archives:
        return ()
    return (
        Archive(READER, settings.providers.jina_url),
        Archive(WAYBACK, settings.providers.wayback_url),
    )
