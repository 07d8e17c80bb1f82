"""One page in one tab, from its address to the moment when its text has stopped growing.

The page's own side (settler.js) tells when nothing was added for a while; here stands what that is
worth. While calls for data or scripts are on their way, more may come, and how long that is waited
for depends on how much there is already. A page that is about to give way to another is not read.
What stands in the tab when the time is up is read then, whatever it is.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from broker.browser.watch import Level, LoadBroken, NavigationFailed
from broker.errors import BrowserError, Misdirected, Phase
from broker.trace import Event, safe_url

if TYPE_CHECKING:
    from broker.browser.tab import Tab
    from broker.browser.watch import Report
    from broker.context import RequestContext

LAST_READ_S = 0.4
"""Kept at the end of a page's time to read what stands there."""
_TELL_S = 0.1
"""Kept at the very end to say how it was."""
MAX_DOCUMENTS = 20
"""A page that has been replaced more often than this leads round in a circle."""

_PATIENCE_S = {Level.NONE: 8.0, Level.SOME: 1.5, Level.RICH: 0.4}
"""How long calls that are on their way are waited for after the text has stopped growing."""
_LEAVING_S = {Level.NONE: math.inf, Level.SOME: 5.0, Level.RICH: 1.0}
"""How long a page that has asked for another is given to be replaced by it."""
_STILL_MS = {Level.NONE: 400, Level.SOME: 60, Level.RICH: 40}
"""Silence that is enough once the last call has been answered…"""
_CALM_S = {Level.NONE: 0.4, Level.SOME: 0.05, Level.RICH: 0.02}
"""… and how long ago that has to be for a report to speak of the time after it."""
_GROWN = 1.01
_SILENCE_S = 1.0
"""A page that has not reported for so long may be one whose scripts never end…"""
_BUSY_S = 4.0
_BUSY_SHARE = 1 / 3
"""… which is what they are taken for when they leave no room for anything for so long, or for this
share of the time that is left."""
_UNFINISHED = frozenset({"growing", "huge"})


@dataclass(frozen=True, slots=True)
class Settled:
    """What a page came to."""

    report: Report
    settled: bool
    """False where it was still growing, or where time was up."""
    notes: tuple[str, ...]


class Settling:
    """Follows one page; made for one use."""

    def __init__(self, ctx: RequestContext, tab: Tab) -> None:
        self._ctx = ctx
        self._tab = tab
        self._notes: list[str] = []
        self._last: Report | None = None
        """The newest report of the document that stands in the tab."""
        self._seen_in = 0
        """How many documents had stood there when it came."""
        self._grown_s = 0.0
        """When a report came that said more than the one before."""

    async def run(self, url: str) -> Settled:
        """Go to `url` and follow it until it has settled; the caller's scope is the cap.

        Raises:
            Misdirected: scripts lead from page to page without end.
            NavigationFailed: no page came.
            TabLost: the tab crashed or closed.
        """
        with self._ctx.trace.span(Event.PAGE_NAVIGATE, url=safe_url(url)):
            await self._tab.open(url)
        while self._tab.documents <= MAX_DOCUMENTS:
            report = await self._next()
            if report is not None and (settled := await self._judge(report)) is not None:
                return settled
        shown = safe_url(url)
        message = f"{shown} leads from page to page without end"
        raise Misdirected("redirect_loop", message, url=shown, phase=Phase.RENDERING)

    async def last_look(self) -> Settled | None:
        """What stands in the tab now that time is up; None where nothing does."""
        # Less than all of the time, or else the scope around us would end what follows as well.
        with self._ctx.deadline.earlier_by(_TELL_S).scope(), suppress(BrowserError):
            if (report := await self._tab.read_now()) is not None:
                return self._done(report, settled=False)
        return self._before()

    # --- reports -------------------------------------------------------------------------------

    async def _next(self) -> Report | None:
        with anyio.move_on_after(_SILENCE_S):
            return await self._reported()
        busy_s = min(_BUSY_S, self._ctx.deadline.remaining_s() * _BUSY_SHARE)
        with anyio.move_on_after(busy_s) as scope:
            if not self._tab.traffic.leaving:
                await self._tab.answers()
        if not scope.cancelled_caught:
            return None
        self._note("scripts that did not end were stopped")
        self._tab.healthy = False
        return await self._tab.read_now()

    async def _reported(self) -> Report | None:
        try:
            return await self._tab.next_report()
        except LoadBroken:
            if self._tab.traffic.leaving:
                return None
            self._note("the page broke off before it was complete")
            self._tab.healthy = False
            return await self._tab.read_now()
        except NavigationFailed:
            if self._last is None or self._last.level == Level.NONE:
                raise
            self._note("the page left for another that could not be loaded")
            self._tab.healthy = False
            return self._last

    def _take(self, report: Report) -> None:
        last = None if self._replaced() else self._last
        if last is None or len(report.html) > len(last.html) * _GROWN:
            self._grown_s = anyio.current_time()
        self._last, self._seen_in = report, self._tab.documents

    def _replaced(self) -> bool:
        return self._tab.documents != self._seen_in

    # --- what they are worth ---------------------------------------------------------------------

    async def _judge(self, report: Report) -> Settled | None:
        """The page's end, or None when more of it is to come."""
        self._take(report)
        if report.kind in _UNFINISHED or not self._tab.healthy:
            return self._done(report, settled=False)
        while self._tab.traffic.calm_s < _CALM_S[Level(report.level)]:
            calm = await self._calmed(Level(report.level))
            if self._replaced() or self._tab.has_news:
                return None
            if not calm:
                self._note("calls that the page had made were still unanswered")
                break
            still = await self._tab.still(_STILL_MS[Level(report.level)])
            if still is None or self._replaced():
                return None
            report = still
            self._take(report)
        return self._done(report)

    async def _calmed(self, level: Level) -> bool:
        """Whether nothing is on its way any more; False where patience is at an end."""
        until_s = self._grown_s + _PATIENCE_S[level]
        if self._tab.traffic.leaving:
            until_s = max(until_s, anyio.current_time() + _LEAVING_S[level])
        with anyio.CancelScope(deadline=until_s):
            await self._tab.calm()
            return True
        return False

    def _before(self) -> Settled | None:
        if self._last is None or self._replaced():
            return None
        return self._done(self._last, settled=False)

    def _done(self, report: Report, *, settled: bool = True) -> Settled:
        if report.cut:
            self._note("the page is larger than what was taken of it")
        self._ctx.trace.event(
            Event.PAGE_STATE,
            state="settled" if settled else "unsettled",
            kind=report.kind,
            status=report.status,
            level=report.level,
            chars=len(report.html),
            url=safe_url(report.url),
        )
        return Settled(report, settled, tuple(self._notes))

    def _note(self, words: str) -> None:
        if words not in self._notes:
            self._notes.append(words)
