"""Somebody else's browser: a CDP endpoint that is already running, here or far away.

Playwright speaks to it, since endpoints differ in their greetings and Playwright knows them; its
CDP sessions then serve the same `Tab` as our own pipe does. Only our context is closed at the end.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.to_thread

from broker.browser.cdp import CdpError
from broker.browser.engine import EngineInfo
from broker.browser.tab import Tab
from broker.deadline import bounded_close
from broker.errors import BrowserError, BrowserUnavailable, TabLost
from broker.redact import redact, safe_url
from broker.rundir import RunDir

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping
    from pathlib import Path

    from anyio.abc import TaskGroup
    from playwright.async_api import (
        Browser,
        BrowserContext,
        CDPSession,
        Playwright,
        ProxySettings,
    )

    from broker.browser.cdp import EventHandler
    from broker.browser.watch import TabPolicy

_ATTACH_GRACE_S = 10.0
_CLOSE_GRACE_S = 2.0


class PlaywrightSession:
    """A tab's channel that Playwright keeps."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session

    async def send(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Run a command and return its result; raises `CdpError` or `TabLost`."""
        with _converted(method):
            return dict(await self._session.send(method, dict(params or {})) or {})

    def subscribe(self, methods: tuple[str, ...], handler: EventHandler) -> None:
        """Hand every event with one of these methods to `handler`."""
        for method in methods:
            self._session.on(method, partial(handler, method))


class AttachedEngine:
    """A browser that is not ours, with one context that is."""

    def __init__(
        self, driver: _Driver, browser: Browser, context: BrowserContext, tasks: TaskGroup
    ) -> None:
        self.info = EngineInfo(
            product=f"Chrome/{browser.version}",
            executable=None,
            sandbox=None,
            note="attached to a browser that is not ours",
        )
        self.gone = anyio.Event()
        self._driver = driver
        self._browser = browser
        self._context = context
        self._tasks = tasks
        browser.on("disconnected", lambda _browser: self.gone.set())

    async def open_tab(self, policy: TabPolicy) -> Tab:
        """A new tab, ready for its first page.

        One with a proxy of ours reaches nothing where the browser runs on another machine.
        """
        if not policy.proxy:
            return await self._open_in(self._context, policy)
        proxy: ProxySettings = {"server": policy.proxy, "bypass": "<-loopback>"}
        with _converted("a new tab"):
            context = await self._browser.new_context(accept_downloads=False, proxy=proxy)
        close = partial(_quietly, context.close)
        try:
            return await self._open_in(context, policy, close=close)
        except BaseException:
            self._tasks.start_soon(close)
            raise

    async def _open_in(
        self, context: BrowserContext, policy: TabPolicy, *, close: partial[Any] | None = None
    ) -> Tab:
        with _converted("a new tab"):
            page = await context.new_page()
        close = close or partial(_quietly, page.close)
        try:
            with _converted("a new tab"):
                session = PlaywrightSession(await context.new_cdp_session(page))
            page.on("popup", lambda popup: self._tasks.start_soon(_quietly, popup.close))
            tab = Tab(session, policy, start_soon=self._tasks.start_soon, close=close)
            await tab.prepare(confined=bool(policy.proxy))
        except BaseException:
            self._tasks.start_soon(close)  # not awaited: it may hang as well
            raise
        return tab

    async def cookies(self) -> list[dict[str, Any]]:
        """Every cookie of our context, as CDP describes them."""
        with _converted("cookies"):
            found = await self._context.cookies()
        return [{**cookie, "session": cookie.get("expires") == -1} for cookie in found]

    async def set_cookies(self, cookies: list[dict[str, Any]]) -> None:
        """Give our context these cookies."""
        with _converted("cookies"):
            await self._context.add_cookies(cast("Any", cookies))

    async def close(self) -> None:
        """Take our context away and let go of the endpoint."""
        self.gone.set()
        await bounded_close(partial(_quietly, self._context.close), _CLOSE_GRACE_S)
        await self._driver.stop()


@contextmanager
def _converted(what: str) -> Iterator[None]:
    """Playwright's errors as ours, told apart by type."""
    from playwright.async_api import Error  # noqa: PLC0415 - loaded already, see attach

    try:
        yield
    except Error as error:
        if type(error).__name__ == "TargetClosedError":
            raise TabLost("the tab or its browser has gone away") from error
        raise CdpError(f"{what}: {error.message}") from error


async def _quietly(close: Callable[[], Awaitable[object]]) -> None:
    with suppress(BrowserError), _converted("closing"):  # it may be gone already
        await close()


class _Driver:
    """Playwright's driver, with a temp folder of its own: it leaves things there."""

    def __init__(self, playwright: Playwright, run_dir: RunDir) -> None:
        self.playwright = playwright
        self._run_dir = run_dir

    @classmethod
    async def start(cls, run_parent: Path) -> _Driver:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - see attach

        run_dir = await anyio.to_thread.run_sync(RunDir.create, run_parent)
        try:
            with _temp_folder(run_dir.path):
                return cls(await async_playwright().start(), run_dir)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(run_dir.remove)
            raise

    async def stop(self) -> None:
        """End the driver and delete its folder; bounded."""
        await bounded_close(self.playwright.stop, _CLOSE_GRACE_S)
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._run_dir.remove)


@contextmanager
def _temp_folder(folder: Path) -> Iterator[None]:
    """Name `folder` as the temp folder to whatever is started meanwhile."""
    # Playwright hands the process's environment to its driver and takes no other.
    before = os.environ.get("TMPDIR")  # noqa: TID251
    os.environ["TMPDIR"] = str(folder)  # noqa: TID251
    try:
        yield
    finally:
        if before is None:
            del os.environ["TMPDIR"]  # noqa: TID251
        else:
            os.environ["TMPDIR"] = before  # noqa: TID251


async def attach(cdp_url: str, run_parent: Path, tasks: TaskGroup) -> AttachedEngine:
    """Attach to a running browser.

    Args:
        cdp_url: its endpoint.
        run_parent: folder for the folder of Playwright's driver.
        tasks: closes what pages open.

    Raises:
        BrowserUnavailable: nothing answers at `cdp_url`, or not within ten seconds.
    """
    # Half a second of import and driver start, which only this door pays.
    from playwright.async_api import Error  # noqa: PLC0415

    where = safe_url(cdp_url)
    driver = await _Driver.start(run_parent)
    try:
        with anyio.fail_after(_ATTACH_GRACE_S):
            browser = await driver.playwright.chromium.connect_over_cdp(cdp_url, timeout=0)
            context = await browser.new_context(accept_downloads=False)
    except Error as error:
        await driver.stop()
        reason = redact(error.message.splitlines()[0])
        message = f"no browser answers at {where} (PI_WEBAIO_CDP_URL): {reason}"
        raise BrowserUnavailable(message) from error
    except TimeoutError:
        await driver.stop()
        message = (
            f"{where} (PI_WEBAIO_CDP_URL) accepts but says nothing for {_ATTACH_GRACE_S:.0f} s"
        )
        raise BrowserUnavailable(message) from None
    except BaseException:
        await driver.stop()
        raise
    return AttachedEngine(driver, browser, context, tasks)
