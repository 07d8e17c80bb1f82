"""A running browser, however it came to run: launched by us or attached to.

An engine opens tabs in one context of its own and goes away as a whole. Launched ones are the rule
and speak over our pipe; an endpoint named by `cdp_url` belongs to somebody else, so we only make a
context in it, through Playwright, and take that context away again.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import anyio
import anyio.to_thread

from broker.browser.process import LaunchPlan, first_answer, has_system_proxy, spawn
from broker.browser.tab import Tab
from broker.browser.targets import Targets
from broker.deadline import bounded_close
from broker.errors import BrowserError, BrowserUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from anyio.abc import TaskGroup

    from broker.browser.find import Executable
    from broker.browser.process import ChromiumProcess
    from broker.browser.watch import TabPolicy

_KILL_GRACE_S = 3.0
_NOWHERE = "http://127.0.0.1:9"
"""The discard port, where no proxy listens."""
ROOT_NOTE = "the sandbox is off: Chromium cannot use it as root"
PROBE_NOTE = "the sandbox is off: the browser does not start with it here"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineInfo:
    """What a person may want to know of a running browser."""

    product: str
    """For instance `HeadlessChrome/156.0.8078.114`."""
    executable: Path | None
    sandbox: bool | None
    """None when the browser is somebody else's."""
    note: str | None = None
    pid: int | None = None
    """The process group, when the browser is ours."""


@contextmanager
def sane_answers() -> Iterator[None]:
    """A browser that answers what none would answer is unavailable, and that is all."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        message = f"its answers make no sense ({type(error).__name__})"
        raise BrowserUnavailable(message) from error


class Engine(Protocol):
    """A running browser with one context of ours."""

    info: EngineInfo
    gone: anyio.Event
    """Set when the browser has ended or its connection broke."""

    async def open_tab(self, policy: TabPolicy) -> Tab:
        """A new tab, ready for its first page; one that is cancelled leaves a tab behind."""
        ...

    async def cookies(self) -> list[dict[str, Any]]:
        """Every cookie of our context, as CDP describes them."""
        ...

    async def set_cookies(self, cookies: list[dict[str, Any]]) -> None:
        """Give our context these cookies."""
        ...

    async def close(self) -> None:
        """End it, or leave it if it is not ours; bounded, never raises."""
        ...


class LaunchedEngine:
    """A browser of our own, over a pipe."""

    def __init__(
        self, process: ChromiumProcess, tasks: TaskGroup, info: EngineInfo, version: dict[str, Any]
    ) -> None:
        self.info = info
        self.gone = process.connection.closed
        self._process = process
        self._browser = process.connection.browser
        self._tasks = tasks
        self._targets = Targets(self._browser, tasks)
        self._user_agent = _user_agent(version)
        self._making_context = anyio.Lock()
        self._contexts: dict[Confinement, str] = {}
        """Context ids by what their tabs may reach; the first holds the cookies."""

    async def prepare(self) -> None:
        """See that pages end when they are closed, and windows which pages open at once."""
        await self._targets.watch()

    async def _context(self, confinement: Confinement) -> str:
        async with self._making_context:
            if confinement not in self._contexts:
                self._contexts[confinement] = await self._new_context(confinement)
        return self._contexts[confinement]

    async def _new_context(self, confinement: Confinement) -> str:
        send = self._browser.send
        made = await send("Target.createBrowserContext", confinement.parameters())
        context_id = str(made["browserContextId"])
        deny = {"behavior": "deny", "browserContextId": context_id}
        await send("Browser.setDownloadBehavior", deny)
        return context_id

    async def open_tab(self, policy: TabPolicy) -> Tab:
        """A new tab, ready for its first page."""
        with sane_answers():
            return await self._open_tab(policy)

    async def _open_tab(self, policy: TabPolicy) -> Tab:
        confinement = Confinement.of(policy)
        if not policy.apart:
            return await self._open_in(await self._context(confinement), policy, confinement)
        context_id = await self._new_context(confinement)
        send, which = self._browser.send, {"browserContextId": context_id}
        dispose = partial(send, "Target.disposeBrowserContext", which)
        try:
            return await self._open_in(context_id, policy, confinement, close=dispose)
        except BaseException:
            self._tasks.start_soon(_quietly, dispose)
            raise

    async def _open_in(
        self,
        context_id: str,
        policy: TabPolicy,
        confinement: Confinement,
        *,
        close: partial[Any] | None = None,
    ) -> Tab:
        send = self._browser.send
        where = {"url": "about:blank", "browserContextId": context_id}
        target_id = (await send("Target.createTarget", where))["targetId"]
        close = close or partial(self._targets.close, target_id)
        try:
            attach = {"targetId": target_id, "flatten": True}
            session_id = (await send("Target.attachToTarget", attach))["sessionId"]
            session = self._process.connection.session(session_id)
            tab = Tab(session, policy, start_soon=self._tasks.start_soon, close=close)
            await tab.prepare(self._user_agent, confined=confinement.holds)
        except BaseException:
            self._tasks.start_soon(_quietly, close)  # not awaited: it may hang as well
            raise
        return tab

    async def cookies(self) -> list[dict[str, Any]]:
        """Every cookie of our first context, as CDP describes them."""
        where = {"browserContextId": next(iter(self._contexts.values()))}
        with sane_answers():
            return list((await self._browser.send("Storage.getCookies", where))["cookies"])

    async def set_cookies(self, cookies: list[dict[str, Any]]) -> None:
        """Give our first context these cookies."""
        what = {"cookies": cookies, "browserContextId": next(iter(self._contexts.values()))}
        await self._browser.send("Storage.setCookies", what)

    async def close(self) -> None:
        """Kill the browser and delete its folder."""
        await bounded_close(self._process.kill, _KILL_GRACE_S)


@dataclass(frozen=True, slots=True)
class Confinement:
    """What the tabs of a context reach, as far as the browser itself sees to it."""

    hosts: tuple[str, ...] = ()
    """Reached directly, and nothing else at all: everything else is sent to a proxy that is not
    there, and fails at once inside the browser."""
    proxy: str = ""
    """Everything goes through it."""

    @classmethod
    def of(cls, policy: TabPolicy) -> Confinement:
        """What a launched browser can see to of `policy`."""
        if policy.proxy:
            return cls(proxy=policy.proxy)
        return cls(hosts=() if has_system_proxy() else policy.hosts)

    @property
    def holds(self) -> bool:
        """Whether there is any."""
        return bool(self.hosts or self.proxy)

    def parameters(self) -> dict[str, str]:
        """Those of `Target.createBrowserContext`."""
        if not self.holds:
            return {}
        bypass = ";".join(("<-loopback>", *self.hosts))
        return {"proxyServer": self.proxy or _NOWHERE, "proxyBypassList": bypass}


async def _quietly(send: partial[Any]) -> None:
    with suppress(BrowserError):  # what was to be closed may be gone already
        await send()


def _user_agent(version: Mapping[str, Any]) -> dict[str, Any]:
    # The same browser with a window says the same of itself, less the word Headless.
    product_version = str(version["product"]).rpartition("/")[2]
    major = product_version.partition(".")[0]
    brands = [
        {"brand": "Chromium", "version": major},
        {"brand": "Not_A Brand", "version": "24"},
    ]
    return {
        "userAgent": str(version["userAgent"]).replace("HeadlessChrome", "Chrome"),
        "userAgentMetadata": {
            "brands": brands,
            "fullVersion": product_version,
            "platform": "Linux" if os.uname().sysname == "Linux" else "macOS",
            "platformVersion": "",
            "architecture": "arm" if os.uname().machine in {"arm64", "aarch64"} else "x86",
            "model": "",
            "mobile": False,
        },
    }


async def launch(executable: Executable, run_parent: Path, tasks: TaskGroup) -> LaunchedEngine:
    """Start a browser, with its sandbox if it can.

    Args:
        executable: what to run.
        run_parent: folder for the browser's own folder.
        tasks: runs the connection until the engine is closed.

    Raises:
        BrowserUnavailable: it does not start, with or without the sandbox.
    """
    refused: BrowserUnavailable | None = None
    for sandbox, note in _sandbox_choices():
        plan = LaunchPlan(executable=executable, run_parent=run_parent, sandbox=sandbox)
        process = await anyio.to_thread.run_sync(spawn, plan)
        tasks.start_soon(process.connection.run)
        try:
            version = await first_answer(process)
            with sane_answers():
                info = EngineInfo(
                    product=str(version["product"]),
                    executable=executable.path,
                    sandbox=sandbox,
                    note=note,
                    pid=process.pid,
                )
                engine = LaunchedEngine(process, tasks, info, version)
            await engine.prepare()
        except BrowserUnavailable as error:
            await bounded_close(process.kill, _KILL_GRACE_S)
            refused = error
        except BaseException:
            await bounded_close(process.kill, _KILL_GRACE_S)
            raise
        else:
            return engine
    raise BrowserUnavailable(f"{executable.path} does not start: {refused}")


def _sandbox_choices() -> Iterator[tuple[bool, str | None]]:
    if os.geteuid() == 0:
        yield False, ROOT_NOTE
        return
    yield True, None
    yield False, PROBE_NOTE
