"""A tab on a fake session, and what the browser tells of the document in it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import anyio
import orjson

from broker.browser.tab import Tab
from broker.browser.watch import Report
from tests.broker.browser.doubles import FRAME, POLICY, FakeSession

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from broker.browser.watch import TabPolicy

URL = "http://example.com/search?q=cats"


def report(kind: str = "parsed", **facts: Any) -> Report:  # noqa: ANN401 - the fields of a record
    usual: dict[str, Any] = {"url": URL, "status": 200, "html": "<p>"}
    usual |= {"parsed": True, "walled": False}
    return Report(kind=kind, **(usual | facts))


class Page:
    """What the browser tells of the document in a tab."""

    def __init__(self, session: FakeSession) -> None:
        self._session = session
        self._context = 0

    def context(self, number: int, *, frame: str = FRAME, name: str = "webaio") -> None:
        aux = {"frameId": frame}
        context = {"id": number, "name": name, "auxData": aux}
        self._session.tell("Runtime.executionContextCreated", {"context": context})

    def commit(self, loader: str, context: int, **frame: str) -> None:
        self._session.commit(loader, **frame)
        self.context(context)

    def reports(self, context: int, said: Report, name: str = "webaioReport") -> None:
        payload = orjson.dumps(asdict(said)).decode()
        params = {"name": name, "executionContextId": context, "payload": payload}
        self._session.tell("Runtime.bindingCalled", params)

    def stops(self, frame: str = FRAME) -> None:
        self._session.tell("Page.frameStoppedLoading", {"frameId": frame})

    def is_parsed(self) -> None:
        self._session.tell("Page.domContentEventFired", {})


@asynccontextmanager
async def new_tab(policy: TabPolicy = POLICY) -> AsyncIterator[tuple[Tab, FakeSession, Page]]:
    session = FakeSession()
    session.commits = False
    async with anyio.create_task_group() as tasks:

        async def close() -> None:
            await session.send("Target.closeTarget")

        tab = Tab(session, policy, start_soon=tasks.start_soon, close=close)
        await tab.prepare()
        with anyio.fail_after(60):
            yield tab, session, Page(session)
        tasks.cancel_scope.cancel()


async def next_report(tab: Tab) -> Report | None:
    """The next report, or None when there is none."""
    with anyio.move_on_after(1):
        return await tab.next_report()
    return None


async def later(happens: Callable[[], object]) -> None:
    await anyio.sleep(1)
    happens()


def evaluates_to(said: Report) -> dict[str, Any]:
    """What evaluating a reading of the page answers."""
    return {"result": {"type": "string", "value": orjson.dumps(asdict(said)).decode()}}
