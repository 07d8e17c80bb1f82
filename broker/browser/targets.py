"""The pages of a browser of ours, and that they end when they are told to.

A close that meets a page between two documents is answered with success and forgotten: seen with
Chromium 156 on a busy machine, once in some hundred closes. Only the event tells that a page has
ended, so it is waited for, in the background, and the page is closed again where it stays away.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio

from broker.errors import BrowserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyio.abc import TaskGroup

    from broker.browser.cdp import Session

_PAUSES_S = (0.5, 1.0, 2.0, 4.0)
"""How long a page may take to end before it is told again; unload handlers and busy scripts may
take a second."""


class Targets:
    """Watches and closes the pages of one browser.

    Args:
        browser: its session.
        tasks: where pages are seen to their end.
    """

    def __init__(self, browser: Session, tasks: TaskGroup) -> None:
        self._browser = browser
        self._tasks = tasks
        self._ends: dict[str, anyio.Event] = {}
        """Set when a page that was told to close has ended."""

    async def watch(self) -> None:
        """Be told of pages from now on, and close the windows that pages open.

        Raises:
            BrowserError: the browser does not answer.
        """
        self._browser.subscribe(("Target.targetCreated",), self._on_created)
        self._browser.subscribe(("Target.targetDestroyed",), self._on_destroyed)
        pages_only = {"discover": True, "filter": [{"type": "page"}]}
        await self._browser.send("Target.setDiscoverTargets", pages_only)

    async def close(self, target_id: str) -> None:
        """Close a page; returns when the browser has answered.

        Raises:
            BrowserError: it does not, or has no such page.
        """
        ended = self._ends.setdefault(target_id, anyio.Event())
        await self._told(target_id)
        if not ended.is_set():
            self._tasks.start_soon(self._seen_to_its_end, target_id, ended)

    async def close_quietly(self, target_id: str) -> None:
        """Close a page that may be gone already."""
        with suppress(BrowserError):
            await self.close(target_id)

    async def _told(self, target_id: str) -> None:
        try:
            await self._browser.send("Target.closeTarget", {"targetId": target_id})
        except BaseException:
            self._ends.pop(target_id, None)
            raise

    async def _seen_to_its_end(self, target_id: str, ended: anyio.Event) -> None:
        for pause_s in _PAUSES_S:
            with anyio.move_on_after(pause_s):
                await ended.wait()
                return
            with suppress(BrowserError):
                await self._told(target_id)
        self._ends.pop(target_id, None)

    def _on_created(self, _method: str, params: Mapping[str, Any]) -> None:
        # A page that opens windows gains nothing by it.
        info = params["targetInfo"]
        if info.get("openerId"):
            self._tasks.start_soon(partial(self.close_quietly, info["targetId"]))

    def _on_destroyed(self, _method: str, params: Mapping[str, Any]) -> None:
        if (ended := self._ends.pop(params["targetId"], None)) is not None:
            ended.set()
