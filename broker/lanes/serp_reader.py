"""Read one result page in one tab: whatever state it reaches first decides.

The tab reports what its document holds; the provider says what that is. Results and final walls
end the reading. A consent wall is refused once, by its own form, and the reading goes on. A page
that has nothing yet (a script that will load the results, a blank body) gets a moment to become
something. What can be read of an unfinished page is handed on at once, so that it survives
whatever happens to the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.browser.watch import LoadBroken, NavigationFailed, WatchPlan
from broker.errors import BrowserError, LaneFailed
from broker.models import SerpState
from broker.providers import google
from broker.trace import Event, safe_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.browser.tab import Tab
    from broker.browser.watch import Report
    from broker.context import RequestContext
    from broker.models import Serp

WATCH = WatchPlan(
    ready="#rso a[href] h3, #search a[href] h3, #rso a[href] [role=heading]",
    end="#pnnext, #botstuff a[href*='start=']",
    wall="#captcha-form, a[href*='emsg=SG_REL']",
    again="a[href*='/goto?']",
    essence="#search, #rso, form, #pnnext, #botstuff [role=navigation]",
    scripts="/goto?url",
)

LAST_READ_S = 0.25
"""Kept at the end of a page's time to read what an unfinished page holds."""

_TELL_S = 0.05
"""Kept at the very end to say how the page was when even that reading hung."""

_STALL_S = 0.8
"""A page that has begun and says nothing for this long is looked at unasked."""
_LOOK_S = 0.3
"""Bound of such a look."""
_TARGETS_S = 0.4
"""How long a page whose links hide their targets may take to bring the script that names them."""
_GRACE_S = {SerpState.JS_REQUIRED: 1.5, SerpState.BLANK: 0.6, SerpState.UNPARSEABLE: 0.6}
"""How long a page without results may take to become something else: a script page reloads
itself within half a second where it works at all, and an empty body is filled at once."""

_RELOADS = 4
"""A page that has been replaced more often than this is a script page that reloads for ever."""

_REFUSAL_S = 1.5
"""How long a refused cookie wall may take to give way."""

_REFUSALS = (
    "form:has(input[name='set_eom'][value='true'])",
    "#W0wltc",
    "button:has(~ #L2AGLb)",
)
"""The ways to refuse cookies, independent of language: the form that says so in its fields, the
overlay's button, and whatever button stands before the one that accepts."""

_CLIENT_ERROR = 400
_FORBIDDEN = 403
_TOO_MANY = 429
_SERVER_ERROR = 500
_TRANSIENT = frozenset(
    {"ERR_ABORTED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE"}
)
"""What a second try may well spare; aborted is a load whose renderer crashed."""
_UNFINISHED = frozenset({SerpState.BLANK, SerpState.UNPARSEABLE, SerpState.JS_REQUIRED})
"""What a page whose results have not come yet looks like as well: it has its script page's marks in
its head."""
_BARE = frozenset({SerpState.BLANK, SerpState.BLOCKED})
"""Pages that say nothing but their HTTP status."""
_FORBIDDEN_HOST = frozenset({"ERR_BLOCKED_BY_CLIENT", "ERR_PROXY_CONNECTION_FAILED"})
"""How the browser says that it was not let through: by us, or by the proxy that is not there."""
_ANSWERS = frozenset({SerpState.RESULTS, SerpState.NO_RESULTS})

WALLS = {
    SerpState.CAPTCHA: "Google asks for a captcha",
    SerpState.CONSENT_WALL: "Google's cookie wall came back after it was refused",
    SerpState.JS_REQUIRED: "Google's script page did not become a result page",
    SerpState.UNSUPPORTED: "Google says that this browser is too old",
    SerpState.BLOCKED: "Google refuses to answer (403)",
    SerpState.BLANK: "Google sent an empty page",
    SerpState.UNPARSEABLE: "Google's results are in a markup that this version cannot read",
    SerpState.CHALLENGE: "Google asks for a challenge to be solved",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRead:
    """A result page as it was read."""

    serp: Serp
    flaw: str | None = None
    """Why this is less than the whole page, in words that follow "page 2": None when it is not."""
    cookies_changed: bool = False
    """The way to the page led over another one, which may have left a cookie worth keeping."""


async def read_serp(
    ctx: RequestContext,
    tab: Tab,
    url: str,
    *,
    referrer: str | None = None,
    in_hand: Callable[[Serp], None],
) -> PageRead:
    """Read the result page at `url` in `tab` by `ctx.deadline`.

    `in_hand` is given what an unfinished page holds so far.

    Raises:
        LaneFailed: the page is a wall, or there was nothing to read in time.
        TabLost: the tab crashed or closed.
    """
    reading = _Reading(ctx, tab, url, in_hand)
    with ctx.deadline.earlier_by(LAST_READ_S).scope():
        try:
            return await reading.run(referrer)
        except LoadBroken as error:
            reading.broke_off = error
        except NavigationFailed as error:
            raise _unreachable(error) from error
    # Its page may never end and its scripts may never stop: nobody else gets this tab.
    tab.healthy = False
    return await reading.last_look()


def _unreachable(error: NavigationFailed) -> LaneFailed:
    if error.net_error in _FORBIDDEN_HOST:
        return LaneFailed("redirected", "Google's page led to a host that is not Google's")
    return LaneFailed(
        "unreachable",
        f"Google cannot be reached: {error.net_error}",
        transient=error.net_error in _TRANSIENT,
    )


def _refusal(status: int) -> LaneFailed:
    if status == _FORBIDDEN:
        return LaneFailed(SerpState.BLOCKED, WALLS[SerpState.BLOCKED])
    if status == _TOO_MANY:
        return LaneFailed("rate_limited", "Google says that there were too many requests (429)")
    code = "upstream" if status >= _SERVER_ERROR else "bad_request"
    return LaneFailed(code, f"Google answered with an error ({status})")


class _Reading:
    """One page on its way."""

    def __init__(
        self, ctx: RequestContext, tab: Tab, url: str, in_hand: Callable[[Serp], None]
    ) -> None:
        self._ctx = ctx
        self._tab = tab
        self._url = url
        self._in_hand = in_hand
        self._partial: Serp | None = None
        """Results of the page before it was complete."""
        self._pending: SerpState | None = None
        """A wall that may still turn into something else…"""
        self._pending_in = 0
        """… and in which of the tab's documents it stood."""
        self._hits_seen = 0
        self._ended = False
        """All results have arrived; only what hides behind their links is awaited."""
        self._refused = False
        self.broke_off: LoadBroken | None = None
        """The page ended before it was complete."""
        self._patience_s = _STALL_S
        """How long silence is borne before the page is looked at unasked."""

    async def run(self, referrer: str | None) -> PageRead:
        """Go to the page and follow it until it is something."""
        with self._ctx.trace.span(Event.PAGE_NAVIGATE, url=safe_url(self._url)):
            await self._tab.open(self._url, referrer=referrer)
        while True:
            report = await self._next_report()
            if report is None:
                if (wall := self._standing_wall()) is not None:
                    raise LaneFailed(wall, WALLS[wall])
                report = await self._look()
            if report is None:
                continue
            serp = await self._parse(report)
            if serp.state not in _ANSWERS:
                await self._meet_wall(serp.state, report)
            elif (read := self._judge(report, serp)) is not None:
                return read

    async def _next_report(self) -> Report | None:
        with anyio.move_on_after(self._patience_s):
            return await self._tab.next_report()
        return None

    async def _look(self) -> Report | None:
        self._patience_s = _STALL_S
        with anyio.move_on_after(_LOOK_S):
            return await self._tab.read_now()
        return None

    async def _parse(self, report: Report) -> Serp:
        serp = await anyio.to_thread.run_sync(
            google.parse, report.html, report.url, abandon_on_cancel=True
        )
        if serp.state in _ANSWERS and not self._is_asked_page(report.url):
            raise LaneFailed("wrong_page", "Google answered with another page than was asked for")
        self._ctx.trace.event(
            Event.PAGE_STATE,
            state=serp.state,
            kind=report.kind,
            status=report.status,
            hits=len(serp.hits),
            chars=len(report.html),
            url=safe_url(report.url),
        )
        return serp

    def _is_asked_page(self, url: str) -> bool:
        # Google may answer from a country's host; the tab goes to none that is not Google's.
        _host, *asked = google.page_identity(self._url)
        _host, *shown = google.page_identity(url)
        return asked == shown

    def _judge(self, report: Report, serp: Serp) -> PageRead | None:
        """The reading's end, or None when more of the page may come and is worth the wait."""
        if report.parsed:
            return self._done(serp)
        if serp.state is SerpState.NO_RESULTS:
            return None
        if report.kind == "early" and all(hit.resolved for hit in serp.hits):
            return self._done(serp)
        stalled = report.kind == "asked" and len(serp.hits) == self._hits_seen
        if stalled:
            return self._done(serp, whole=self._ended)
        self._ended = self._ended or report.kind == "early"
        self._patience_s = _TARGETS_S if self._ended else _STALL_S
        self._partial, self._hits_seen = serp, len(serp.hits)
        self._in_hand(serp)
        return None

    async def _meet_wall(self, state: SerpState, report: Report) -> None:
        if state is SerpState.CONSENT_WALL and not self._refused:
            self._refused = True
            pressed = await self._tab.press(_REFUSALS)
            self._ctx.trace.event(Event.CONSENT_REFUSE, pressed=pressed)
            if pressed:
                self._wait_for_change(state)
                return
        if state in _BARE and report.status >= _CLIENT_ERROR:
            raise _refusal(report.status)
        if report.walled or state not in _GRACE_S:
            raise LaneFailed(state, WALLS[state])
        if report.parsed:
            self._wait_for_change(state)

    def _wait_for_change(self, state: SerpState) -> None:
        self._pending, self._pending_in = state, self._tab.documents
        self._patience_s = _GRACE_S.get(state, _REFUSAL_S)

    def _standing_wall(self) -> SerpState | None:
        """The wall that was met, unless another page has taken its place since."""
        return self._pending if self._tab.documents == self._pending_in else None

    def _done(self, serp: Serp, *, whole: bool = True) -> PageRead:
        flaw = None
        if not whole:
            flaw = "broke off" if self.broke_off else "was still loading"
        return PageRead(serp=serp, flaw=flaw, cookies_changed=self._tab.documents > 1)

    async def last_look(self) -> PageRead:
        """What the page holds now that its time is up.

        Raises:
            LaneFailed: it is a wall, or there is nothing to read.
        """
        # Less than all of the time, or else the scope around us would end what follows as well.
        with self._ctx.deadline.earlier_by(_TELL_S).scope():
            try:
                report = await self._tab.read_now()
            except BrowserError:
                report = None
            if report is not None:
                serp = await self._parse(report)
                if serp.hits:
                    return self._done(serp, whole=report.parsed)
                is_whole = report.parsed and self.broke_off is None
                if serp.state in WALLS and (is_whole or serp.state not in _UNFINISHED):
                    raise LaneFailed(serp.state, WALLS[serp.state])
        if self._partial is not None:
            return self._done(self._partial, whole=False)
        raise self._nothing()

    def _nothing(self) -> LaneFailed:
        """Why the page gave nothing."""
        wall = self._standing_wall()
        if self._tab.documents > _RELOADS:
            wall = SerpState.JS_REQUIRED
        elif self.broke_off is not None:
            return _unreachable(self.broke_off)
        elif self._pending is SerpState.JS_REQUIRED:
            wall = SerpState.JS_REQUIRED
        if wall is not None:
            return LaneFailed(wall, WALLS[wall])
        if not self._tab.documents:
            return LaneFailed("timeout", "Google did not answer in time")
        return LaneFailed("timeout", "Google's page did not finish in time and held no results")
