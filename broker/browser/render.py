"""Pages that need a browser: one address, one clean tab, one document that has settled.

Everything a page asks for goes through the guard; its tab has a context of its own and is thrown
away after it. What a page does besides having text harms nobody: dialogs are dismissed, windows
closed, files not taken, permissions denied, endless scripts stopped. A page that is not finished
when the time is up is handed over as it is: whether it is worth anything is for others to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from broker.browser.blocked import PATTERNS
from broker.browser.cdp import CdpError
from broker.browser.settle import LAST_READ_S, Settling
from broker.browser.watch import DownloadInstead, Level, NavigationFailed, SettlePlan, TabPolicy
from broker.egress.dial import ConnectFailed
from broker.egress.locate import locate
from broker.egress.policy import EgressRefused
from broker.errors import (
    BrokenOff,
    BrokerError,
    BrowserError,
    Misdirected,
    NotConnected,
    Phase,
    RenderFailed,
    RequestInvalid,
    TabCrashed,
    TabLost,
    TlsFailed,
)
from broker.redact import safe_url

if TYPE_CHECKING:
    from broker.browser.pool import TabPool
    from broker.browser.settle import Settled
    from broker.browser.tab import Tab
    from broker.context import RequestContext
    from broker.egress.dial import Egress
    from broker.egress.guard import Guard

_TRIES = 2
"""A browser that went away under a page may have done so because of another one…"""
_AWAKE_S = 0.1
_TRY_S = 1.0
"""… and the page is loaded again while there is this much time."""
_TELL_S = 0.05
"""Kept of a deadline to say that there was no tab, or no page, in time."""
_ROUTES = ("/", "!")
"""What a fragment begins with that names a page, and not a place in one."""
_REFUSED = frozenset({403, 502})
"""How the guard answers a plain request that it does not pass on."""
_BROKEN_OFF = {
    "ERR_CONNECTION_RESET": ("reset", "broke the connection off"),
    "ERR_EMPTY_RESPONSE": ("closed", "closed the connection without an answer"),
    "ERR_INCOMPLETE": ("cut_off", "broke off in the middle of the page"),
    "ERR_INVALID_HTTP_RESPONSE": ("protocol", "does not answer in HTTP"),
    "ERR_HTTP2_PROTOCOL_ERROR": ("protocol", "answers against the rules of HTTP"),
}
_CERTIFICATES = {
    "ERR_CERT_AUTHORITY_INVALID": "tls_untrusted",
    "ERR_CERT_COMMON_NAME_INVALID": "tls_wrong_host",
    "ERR_CERT_DATE_INVALID": "tls_expired",
    "ERR_CERT_REVOKED": "tls_revoked",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPage:
    """A page as it stood in the browser."""

    url: str
    """What was asked for, in the form in which it was."""
    final_url: str
    """That of the document, after every redirect; scripts that only change what the address bar
    shows do not count."""
    status: int | None
    """HTTP status of the document; None where it has none."""
    html: str
    """The document: no styles, and of scripts only the data; shadow trees and frames of the same
    origin are part of it. At most ten million characters."""
    content_type: str
    settled: bool
    """False where the page had not stopped growing when it was read."""
    downloads: bool
    """Whether the page wanted to save a file; none was taken."""
    notes: tuple[str, ...]
    """What a person may want to know, in words that need no subject before them."""
    ms: float
    """From the call to the page, waiting for a tab included."""


class Renderer:
    """Renders pages in tabs of the pool; any number at once, as many as there are tabs.

    Args:
        pool: lends the tabs.
        guard: what they reach everything through; must be listening at the first page.
        egress: asked whether an address may be gone to at all.
        plan: when a page has settled.
    """

    def __init__(
        self, pool: TabPool, guard: Guard, egress: Egress, plan: SettlePlan | None = None
    ) -> None:
        self._pool = pool
        self._guard = guard
        self._egress = egress
        self._plan = plan or SettlePlan()
        self._made: TabPolicy | None = None

    def warm_up(self) -> None:
        """See in the background that the browser runs and a tab waits; tabs wait from then on."""
        self._pool.warm_up_apart(self._policy())

    async def render(self, ctx: RequestContext, url: str) -> RenderedPage:
        """The page at `url` once it has settled, or as it is shortly before `ctx.deadline`.

        Safe to cancel: the tab is closed with whatever its page was doing.

        Raises:
            AddressInvalid, EgressRefused: the address is none, or may not be gone to; a redirect's
                counts as well.
            NotConnected, TlsFailed, BrokenOff, Misdirected: no page came, as for any other way.
            RenderFailed: it is a file, or the tab or the time ended before there was a page.
            BrowserMissing, BrowserUnavailable: there is no browser.
        """
        begun_s = anyio.current_time()
        address = self._egress.policy.check_url(url).url + _route(url)
        settled, downloads = await self._tried(ctx, address)
        report = settled.report
        self._refuse_what_the_guard_wrote(report.url, report.status)
        if downloads and report.level == Level.NONE:
            raise _download(downloads[-1])
        return RenderedPage(
            url=address,
            final_url=report.url,
            status=report.status or None,
            html=report.html,
            content_type=report.content_type,
            settled=settled.settled,
            downloads=bool(downloads),
            notes=settled.notes,
            ms=(anyio.current_time() - begun_s) * 1000,
        )

    # --- in a tab --------------------------------------------------------------------------------

    async def _tried(self, ctx: RequestContext, address: str) -> tuple[Settled, list[str]]:
        where = locate(address)
        site = f"{where.scheme}://{where.host}"
        for tries_left in reversed(range(_TRIES)):
            try:
                with ctx.deadline.earlier_by(_TELL_S).scope():
                    fresh = tries_left < _TRIES - 1
                    policy = self._policy()
                    async with self._pool.lease(ctx, fresh=fresh, policy=policy, site=site) as tab:
                        await _see_that_it_answers(tab)
                        return await self._followed(ctx, tab, address)
            except (CdpError, TabLost) as error:
                again = tries_left and not isinstance(error, TabCrashed)
                if not again or ctx.deadline.remaining_s() < _TRY_S:
                    raise _lost(address, error) from error
            else:
                break
        raise _late(address)

    async def _followed(
        self, ctx: RequestContext, tab: Tab, address: str
    ) -> tuple[Settled, list[str]]:
        settling = Settling(ctx, tab)
        settled = None
        try:
            with ctx.deadline.earlier_by(LAST_READ_S).scope():
                settled = await settling.run(address)
        except DownloadInstead as error:
            raise _download(tab.traffic.address or address) from error
        except NavigationFailed as error:
            raise self._no_page(tab.traffic.address or address, error) from error
        except TabLost as error:
            # The tab knows whether it crashed; before there was a page, that was not its doing.
            if tab.lost is None or not tab.documents:
                raise TabLost(error.message) from error
            raise tab.lost from error
        if settled is None:
            # Its page may never end and its scripts may never stop: nobody else gets this tab.
            tab.healthy = False
            settled = await settling.last_look()
        if settled is None:
            raise _late(address)
        if not settled.settled or tab.dialogs or tab.traffic.downloads:
            tab.healthy = False
        return settled, list(tab.traffic.downloads)

    def _policy(self) -> TabPolicy:
        if self._made is None:
            self._made = TabPolicy(
                watch=self._plan,
                may_visit=self._may_visit,
                proxy=self._guard.url,
                apart=True,
                blocked=PATTERNS,
            )
        return self._made

    def _may_visit(self, url: str) -> bool:
        try:
            self._egress.policy.check_url(url)
        except (EgressRefused, RequestInvalid):
            return False
        return True

    # --- why there is no page --------------------------------------------------------------------

    def _refuse_what_the_guard_wrote(self, url: str, status: int) -> None:
        if status in _REFUSED and (error := self._refusal(url)) is not None:
            raise error

    def _refusal(self, url: str) -> BrokerError | None:
        refusal = self._guard.refusal_of(url)
        if refusal is None:
            return None
        if not isinstance(refusal.error, ConnectFailed):
            return refusal.error
        error, shown = refusal.error, safe_url(url)
        return NotConnected(error.code, error.message, url=shown)

    def _no_page(self, url: str, error: NavigationFailed) -> BrokerError:
        if (refused := self._refusal(url)) is not None:
            return refused
        return _as_page_failed(safe_url(url), error.net_error)


async def _see_that_it_answers(tab: Tab) -> None:
    """Whether the page that a tab was used for before leaves room for the next one.

    Raises:
        TabLost: it does not.
    """
    if tab.uses:
        with anyio.move_on_after(_AWAKE_S) as scope:
            await tab.answers()
        if scope.cancelled_caught:
            raise TabLost("the page before it does not give way")


def _route(url: str) -> str:
    fragment = url.strip().partition("#")[2]
    return f"#{fragment}" if fragment.startswith(_ROUTES) else ""


def _as_page_failed(shown: str, net_error: str) -> BrokerError:
    if net_error == "ERR_TOO_MANY_REDIRECTS":
        message = f"{shown} redirects too often"
        return Misdirected("too_many_redirects", message, url=shown)
    if net_error == "ERR_ABORTED":
        return RenderFailed("no_content", f"{shown} answers without a page", url=shown)
    if net_error in _BROKEN_OFF:
        code, words = _BROKEN_OFF[net_error]
        return BrokenOff(code, f"{shown} {words}", url=shown, phase=Phase.WAITING)
    if net_error.startswith(("ERR_CERT_", "ERR_SSL_")):
        code = _CERTIFICATES.get(net_error, "tls")
        return TlsFailed(code, f"{shown} cannot be trusted ({net_error})", url=shown)
    message = f"{shown} cannot be reached ({net_error})"
    return NotConnected("unreachable", message, url=shown)


def _download(url: str) -> RenderFailed:
    shown = safe_url(url)
    return RenderFailed("download", f"{shown} is a file and no page", url=shown, location=url)


def _lost(address: str, error: BrowserError) -> RenderFailed:
    code = error.code if isinstance(error, TabLost) else TabLost.code
    shown = safe_url(address)
    return RenderFailed(code, f"{shown} was not rendered: {error.message}", url=shown)


def _late(address: str) -> RenderFailed:
    shown = safe_url(address)
    message = f"{shown} had not become a page when the time was up"
    return RenderFailed("render_timeout", message, url=shown)
