"""Follow Google's opaque `/goto` links, one after another, as far as time and Google allow.

Only the answer's headers are read; the page behind a link is never requested. Google slows down
whoever follows many links at once, with a page that asks to wait: then the rest stay as they are,
and nobody follows any for ten minutes.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from broker.errors import BrowserError
from broker.providers import google_links
from broker.trace import Event

if TYPE_CHECKING:
    from broker.browser.pool import TabPool
    from broker.browser.tab import Tab
    from broker.context import RequestContext
    from broker.lanes.cooldown import Cooldowns
    from broker.lanes.lane import LaneRun

_COOLDOWN_NAME = "google.goto"
_PAUSE_S = 600.0
_REMEMBERED = 4096
_RESERVE_S = 0.05
_CAPTCHA_PATH = "/sorry/"


class GotoResolver:
    """Knows where links lead that were followed before; safe for several searches at once."""

    def __init__(self, tabs: TabPool, cooldowns: Cooldowns) -> None:
        self._tabs = tabs
        self._cooldowns = cooldowns
        self._known: OrderedDict[str, str] = OrderedDict()

    async def resolve(
        self, ctx: RequestContext, run: LaneRun, *, limit: int, referrer: str
    ) -> None:
        """Replace the stand-ins among the first `limit` hits of `run`, within `ctx.deadline`."""
        pending = [hit.url for hit in run.hits()[:limit] if not hit.resolved]
        for url in [url for url in pending if url in self._known]:
            run.put_target(url, self._known[url])
            pending.remove(url)
        if not pending:
            return
        pause = await self._cooldowns.find(ctx, _COOLDOWN_NAME)
        if pause is not None and pause.left_s > 0:
            left_s = round(pause.left_s)
            run.remark(f"{len(pending)} links not followed: left alone for {left_s} s")
            return
        run.tell("resolving", f"{len(pending)} links")
        with ctx.deadline.earlier_by(_RESERVE_S).scope() as scope:
            try:
                async with self._tabs.lease(ctx) as tab:
                    await self._follow_all(ctx, run, tab, pending, referrer)
            except BrowserError as error:
                run.remark(f"{len(pending)} links not followed: {error.message}")
        if scope.cancelled_caught and pending:
            run.remark(f"{len(pending)} links not followed: no time left")

    async def _follow_all(
        self, ctx: RequestContext, run: LaneRun, tab: Tab, pending: list[str], referrer: str
    ) -> None:
        while pending:
            url = pending[0]
            with ctx.trace.span(Event.GOTO_RESOLVE) as span:
                redirect = await tab.redirect_target(url, referrer=referrer)
                target = _target(redirect.location, url)
                span.set(status=redirect.status, resolved=target is not None)
            if target is None:
                code = f"goto_{redirect.status}"
                await self._cooldowns.start(ctx, _COOLDOWN_NAME, code, fixed_s=_PAUSE_S)
                run.remark(f"{len(pending)} links not followed: Google asks to wait")
                return
            run.put_target(url, target)
            self._remember(url, target)
            pending.pop(0)

    def _remember(self, url: str, target: str) -> None:
        self._known[url] = target
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)


def _target(location: str | None, url: str) -> str | None:
    """Where `location` leads, when that is away from the search itself."""
    if location is None:
        return None
    target = google_links.unwrapped(google_links.absolute(location, url), url)
    path = google_links.page_identity(target)[1]
    if path.startswith(_CAPTCHA_PATH) and google_links.is_own_host(target, url):
        return None
    return target if google_links.leads_away(target, url) else None
