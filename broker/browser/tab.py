"""One tab: go somewhere, hear what is there, and never mistake one page for another.

A document is known by the loader id of its commit and by the execution context its watcher runs
in; a report that belongs to any other document is dropped. Reports are pushed by `watcher.js`;
nothing here polls.

A tab that timed out, crashed or was left in the middle of something is not reused: its owner
closes it.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import anyio
import orjson

from broker.browser.cdp import CdpError
from broker.browser.traffic import EVENTS, Traffic, following
from broker.browser.watch import (
    DownloadInstead,
    LoadBroken,
    NavigationFailed,
    Redirect,
    Report,
    SettlePlan,
)
from broker.deadline import bounded_close
from broker.errors import BrowserError, TabCrashed, TabLost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from broker.browser.cdp import Session
    from broker.browser.watch import TabPolicy, WatchPlan

_WORLD = "webaio"
_BINDING = "webaioReport"
_BUSY_AFTER_S = 0.1
"""A page whose scripts keep a read waiting for longer than this is busy, and they are stopped."""
_CLOSE_GRACE_S = 1.0

_EVENTS = (
    "Fetch.requestPaused",
    "Inspector.detached",
    "Inspector.targetCrashed",
    "Page.domContentEventFired",
    "Page.frameNavigated",
    "Page.frameStoppedLoading",
    "Page.javascriptDialogOpening",
    "Runtime.bindingCalled",
    "Runtime.executionContextCreated",
)


@cache
def _watcher_source(plan: WatchPlan | SettlePlan) -> str:
    source = resources.files("broker.browser").joinpath(plan.script).read_text("utf-8")
    return source.replace("__PLAN__", orjson.dumps(plan).decode()).replace("__BINDING__", _BINDING)


class Tab:
    """A tab in use by one task at a time."""

    def __init__(
        self,
        session: Session,
        policy: TabPolicy,
        *,
        start_soon: Callable[..., object],
        close: Callable[[], Awaitable[object]],
    ) -> None:
        self.session = session
        """The tab's own channel, for commands this class has no name for."""
        self.policy = policy
        self._start_soon = start_soon
        self._close = close
        self._main_frame = ""
        self._context_id = 0
        self._expected_loader = ""
        self._commits: list[str] = []
        self._parsed = False
        self._reports: deque[Report | BrowserError] = deque()
        self._redirect: Redirect | None = None
        self._changed = anyio.Event()
        self.traffic = Traffic(self._wake)
        """Followed in tabs that read pages."""
        self.lost: TabLost | None = None
        """How the tab ended, once it has."""
        self.dialogs = 0
        """How many its pages have opened."""
        self.uses = 0
        """How often it was lent before, where it has a context of its own."""
        self.healthy = True
        """False once the tab must not be used again."""

    async def prepare(
        self, user_agent: Mapping[str, Any] | None = None, *, confined: bool = False
    ) -> None:
        """Set the tab up; called once, before its first page.

        Args:
            user_agent: what `Emulation.setUserAgentOverride` takes; None leaves the browser's own.
            confined: the browser itself keeps the tab to the policy's hosts. Otherwise each
                document is held until `may_visit` was asked, which costs 10 ms a page.
        """
        session, policy = self.session, self.policy
        session.subscribe(_EVENTS, self._on_event)
        commands: list[tuple[str, dict[str, Any]]] = [
            ("Page.enable", {}),
            ("Runtime.enable", {}),
            ("Runtime.addBinding", {"name": _BINDING, "executionContextName": _WORLD}),
            (
                "Page.addScriptToEvaluateOnNewDocument",
                {"source": _watcher_source(policy.watch), "worldName": _WORLD},
            ),
        ]
        if isinstance(policy.watch, SettlePlan):
            session.subscribe(EVENTS, self._on_traffic)
            commands += following(policy.blocked)
        if patterns := policy.paused(confined=confined):
            commands.append(("Fetch.enable", {"patterns": patterns}))
        if user_agent is not None:
            commands.append(("Emulation.setUserAgentOverride", dict(user_agent)))
        for method, params in commands:
            await session.send(method, params)
        frame_tree = await session.send("Page.getFrameTree")
        self._main_frame = frame_tree["frameTree"]["frame"]["id"]

    # --- going somewhere -----------------------------------------------------------------------

    async def open(self, url: str, *, referrer: str | None = None) -> None:
        """Go to `url`; returns when its headers have arrived.

        Raises:
            NavigationFailed: no page came, or the tab may not visit it.
            TabLost: the tab crashed or closed.
        """
        if self.policy.proxy and not self.policy.may_visit(url):
            # What needs no connection, a proxy does not see: file:, chrome:, data:.
            raise NavigationFailed("ERR_BLOCKED_BY_CLIENT")
        self._expected_loader = ""
        self._commits.clear()
        self._reports.clear()
        self.traffic.begin()
        params = {"url": url} | ({"referrer": referrer} if referrer else {})
        answer = await self._send("Page.navigate", params)
        if not answer.keys() & {"loaderId", "errorText"}:
            # Only the fragment is another than before, and the document stays.
            await self.blank()
            answer = await self._send("Page.navigate", params)
        if answer.get("isDownload"):
            raise DownloadInstead
        if error := answer.get("errorText"):
            raise NavigationFailed(str(error).removeprefix("net::"))
        self._expected_loader = answer.get("loaderId", "")
        self._wake()

    async def next_report(self) -> Report:
        """The next report of the document that `open` went to, or of one that followed it.

        Waits as long as the caller's scope allows; safe to cancel.

        Raises:
            LoadBroken: the connection ended before the document did.
            NavigationFailed: a later navigation of the page itself led nowhere.
            TabLost: the tab crashed or closed.
        """
        while True:
            if self.lost is not None:
                raise self.lost
            if self._expected_loader in self._commits and self._reports:
                report = self._reports.popleft()
                if isinstance(report, BrowserError):
                    raise report
                return report
            await self._changed.wait()

    @property
    def has_news(self) -> bool:
        """Whether `next_report` would end at once."""
        return bool(self._reports) or self.lost is not None

    async def calm(self) -> None:
        """Wait until the page says something new, or waits for nothing any more; cancellable."""
        while self.traffic.busy and not self.has_news:
            await self._changed.wait()

    async def answers(self) -> bool:
        """Whether the page's scripts leave room for anything else; waits until they do."""
        return await self._call("1") is not None

    async def still(self, quiet_ms: int) -> Report | None:
        """What stands in the tab once nothing was added for so long, by the page's own clock."""
        self._reports.clear()
        value = await self._call(f"__webaio.still({quiet_ms})")
        return _report(value) if isinstance(value, str) else None

    async def read_now(self) -> Report | None:
        """What stands in the tab at this moment, or None when nothing of the page has arrived.

        A page whose scripts run without end is freed first by stopping them. The caller's scope
        bounds the rest.
        """
        if self._expected_loader not in self._commits:
            return None
        with anyio.move_on_after(_BUSY_AFTER_S):
            return await self._read()
        with suppress(CdpError):  # the document may be going away meanwhile
            await self._send("Runtime.terminateExecution")
        return await self._read()

    async def _read(self) -> Report | None:
        value = await self._call("__webaio.read('asked')")
        return _report(value) if isinstance(value, str) else None

    @property
    def documents(self) -> int:
        """How many documents have stood in the tab since `open`."""
        return len(self._commits)

    async def press(self, selectors: tuple[str, ...]) -> str:
        """Click the first of these elements, or submit it if it is a form.

        Returns the selector that matched, or an empty string.
        """
        self._reports.clear()
        expression = f"__webaio.press({orjson.dumps(selectors).decode()})"
        value = await self._call(expression, gesture=True)
        return value if isinstance(value, str) else ""

    async def redirect_target(self, url: str, *, referrer: str) -> Redirect:
        """Ask for `url` without following where it leads.

        The address must match the policy's `redirects` pattern; the page it stands for is never
        requested.

        Raises:
            NavigationFailed: the address did not answer.
            TabLost: the tab crashed or closed.
        """
        self._redirect = None
        answer = await self._send("Page.navigate", {"url": url, "referrer": referrer})
        if self._redirect is None:
            error = str(answer.get("errorText") or "no answer")
            raise NavigationFailed(error.removeprefix("net::"))
        return self._redirect

    # --- the end of a use ----------------------------------------------------------------------

    async def blank(self) -> None:
        """Leave the page, so that it costs nothing until the next use.

        Returns when the empty one stands in its place: the answer to the command comes before
        that, and a page with a dialog or a busy script may never give way.
        """
        self._expected_loader = ""
        self._commits.clear()
        answer = await self._send("Page.navigate", {"url": "about:blank"})
        while answer.get("loaderId") not in self._commits:
            await self._changed.wait()
            if self.lost is not None:
                raise self.lost

    async def close(self) -> bool:
        """Close the tab; bounded, and never raises for a tab that is gone already.

        Returns whether the browser answered.
        """
        self.healthy = False
        with suppress(BrowserError):
            return await bounded_close(self._close, _CLOSE_GRACE_S)
        return True

    # --- what the browser tells ----------------------------------------------------------------

    def _on_event(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "Runtime.bindingCalled":
            self._on_report(params)
        elif method == "Page.frameNavigated":
            self._on_commit(params["frame"])
        elif method == "Page.domContentEventFired":
            self._parsed = True
        elif method == "Page.frameStoppedLoading":
            self._on_stopped(params["frameId"])
        elif method == "Runtime.executionContextCreated":
            self._on_context(params["context"])
        elif method == "Fetch.requestPaused":
            self._on_paused(params)
        elif method == "Page.javascriptDialogOpening":
            # A dialog would hold the page until somebody answers; leaving is always allowed.
            accept = params.get("type") == "beforeunload"
            self.dialogs += 1
            self._post("Page.handleJavaScriptDialog", {"accept": accept})
        else:
            crashed = method == "Inspector.targetCrashed"
            self._lose(TabCrashed("the tab crashed") if crashed else TabLost("the tab was closed"))

    def _on_traffic(self, method: str, params: Mapping[str, Any]) -> None:
        self.traffic.on_event(method, params, self._main_frame)

    def _on_commit(self, frame: Mapping[str, Any]) -> None:
        if frame.get("parentId"):
            return
        self._commits.append(frame["loaderId"])
        self.traffic.committed(frame["loaderId"])
        self._parsed = False
        if frame.get("unreachableUrl"):
            # The page has left for where it may not go; what it said before that stands.
            self._reports.append(NavigationFailed("ERR_FAILED"))
        else:
            self._reports.clear()
        self._wake()

    def _on_stopped(self, frame_id: str) -> None:
        if frame_id == self._main_frame and self._commits and not self._parsed:
            self._reports.append(LoadBroken())
            self._wake()

    def _on_context(self, context: Mapping[str, Any]) -> None:
        frame_id = context.get("auxData", {}).get("frameId")
        if context.get("name") == _WORLD and frame_id == self._main_frame:
            self._context_id = context["id"]

    def _on_report(self, params: Mapping[str, Any]) -> None:
        if params["name"] != _BINDING or params["executionContextId"] != self._context_id:
            return
        if (report := _report(params["payload"])) is None:
            self._lose(TabLost("the tab said something that cannot be read"))
        else:
            self._reports.append(report)
            self._wake()

    def _on_paused(self, params: Mapping[str, Any]) -> None:
        request_id = params["requestId"]
        if "responseStatusCode" in params:
            self._redirect = _redirect(params)
            self._post("Fetch.failRequest", {"requestId": request_id, "errorReason": "Aborted"})
        elif "responseErrorReason" in params or self.policy.may_visit(params["request"]["url"]):
            self._post("Fetch.continueRequest", {"requestId": request_id})
        else:
            refusal = {"requestId": request_id, "errorReason": "BlockedByClient"}
            self._post("Fetch.failRequest", refusal)

    # --- talking to the browser ----------------------------------------------------------------

    async def _send(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        if self.lost is not None:
            raise self.lost
        return await self.session.send(method, params)

    def _post(self, method: str, params: Mapping[str, Any]) -> None:
        async def run() -> None:
            with suppress(BrowserError):  # the request or dialog may be gone by now
                await self.session.send(method, params)

        self._start_soon(run)

    async def _call(self, expression: str, *, gesture: bool = False) -> object:
        params = {
            "expression": expression,
            "contextId": self._context_id,
            "returnByValue": True,
            "awaitPromise": True,
            "userGesture": gesture,
        }
        try:
            answer = await self._send("Runtime.evaluate", params)
        except CdpError:
            return None  # the document went away meanwhile; the next one will report
        return answer.get("result", {}).get("value")

    def _lose(self, how: TabLost) -> None:
        self.healthy = False
        self.lost = self.lost or how
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


def _redirect(params: Mapping[str, Any]) -> Redirect:
    headers = params.get("responseHeaders") or ()
    location = next((h["value"] for h in headers if h["name"].lower() == "location"), None)
    return Redirect(status=int(params.get("responseStatusCode", 0)), location=location)


def _report(payload: str) -> Report | None:
    try:
        return Report(**orjson.loads(payload))
    except orjson.JSONDecodeError:
        return None
