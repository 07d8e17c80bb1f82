"""A tab never takes one page for another, and says at once when it is lost."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import orjson
import pytest

from broker.browser.cdp import CdpError
from broker.browser.tab import Tab
from broker.browser.watch import (
    LoadBroken,
    NavigationFailed,
    Redirect,
    Report,
    TabPolicy,
    WatchPlan,
)
from broker.errors import TabLost
from tests.broker.browser.doubles import FRAME, POLICY, FakeSession

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

pytestmark = pytest.mark.virtual_clock

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


# --- which document a report belongs to --------------------------------------------------------


async def test_a_report_of_the_page_that_was_opened_is_handed_on() -> None:
    async with new_tab() as (tab, _, page):
        await tab.open(URL)
        page.commit("L1", 1)
        page.reports(1, report())
        assert await tab.next_report() == report()


async def test_the_page_before_is_never_read_as_the_one_that_is_awaited() -> None:
    async with new_tab() as (tab, session, page):
        await tab.open(URL)
        page.commit("L1", 1)
        page.reports(1, report("early"))
        await tab.open(f"{URL}&start=10")
        session.answers["Runtime.evaluate"] = evaluates_to(report("asked", html="page 1"))
        page.reports(1, report(html="page 1 once more"))
        assert await next_report(tab) is None
        assert await tab.read_now() is None
        page.commit("L2", 2)
        page.reports(1, report(html="page 1, late"))
        assert await next_report(tab) is None
        page.reports(2, report(html="page 2"))
        assert (await tab.next_report()).html == "page 2"


async def test_what_commits_before_the_page_does_not_stand_for_it() -> None:
    async with new_tab() as (tab, _, page):
        await tab.open(URL)
        page.commit("L0", 1)
        page.reports(1, report(url="about:blank"))
        assert await next_report(tab) is None
        page.commit("L1", 2)
        page.reports(2, report())
        assert await tab.next_report() == report()


async def test_a_document_that_follows_the_page_is_read_in_its_place() -> None:
    async with new_tab() as (tab, _, page):
        await tab.open(URL)
        page.commit("L1", 1)
        page.reports(1, report(html="a script page"))
        page.commit("L2", 2)
        page.reports(2, report(html="results"))
        assert (await tab.next_report()).html == "results"
        assert tab.documents == 2


async def test_a_frame_inside_the_page_changes_nothing() -> None:
    async with new_tab() as (tab, session, page):
        await tab.open(URL)
        page.commit("L1", 1)
        session.commit("L9", id="G", parentId=FRAME)
        page.context(9, frame="G")
        page.stops("G")
        page.reports(9, report(html="an advertisement"))
        page.reports(1, report())
        assert await tab.next_report() == report()
        assert tab.documents == 1


@pytest.mark.parametrize("name", ["other", "webaioReport2"])
async def test_only_our_own_channel_reports(name: str) -> None:
    async with new_tab() as (tab, _, page):
        await tab.open(URL)
        page.commit("L1", 1)
        page.reports(1, report(), name)
        assert await next_report(tab) is None


async def test_reports_come_in_order_and_once() -> None:
    async with new_tab() as (tab, _, page):
        await tab.open(URL)
        page.commit("L1", 1)
        page.reports(1, report("early"))
        page.reports(1, report("parsed"))
        assert [(await tab.next_report()).kind for _ in range(2)] == ["early", "parsed"]
        assert await next_report(tab) is None


# --- pages that do not come --------------------------------------------------------------------


async def test_a_page_that_cannot_be_reached_says_why() -> None:
    async with new_tab() as (tab, session, _):
        session.answers["Page.navigate"] = {"errorText": "net::ERR_CONNECTION_RESET"}
        with pytest.raises(NavigationFailed) as caught:
            await tab.open(URL)
        assert caught.value.net_error == "ERR_CONNECTION_RESET"


async def test_a_download_is_no_page() -> None:
    async with new_tab() as (tab, session, _):
        session.answers["Page.navigate"] = {"errorText": "net::ERR_ABORTED", "isDownload": True}
        with pytest.raises(NavigationFailed, match="download"):
            await tab.open(URL)


async def test_a_page_that_breaks_off_is_told() -> None:
    async with new_tab() as (tab, _, page):
        await tab.open(URL)
        page.commit("L1", 1)
        page.stops()
        with pytest.raises(LoadBroken):
            await tab.next_report()


async def test_a_page_that_was_parsed_did_not_break_off() -> None:
    async with new_tab() as (tab, _, page):
        await tab.open(URL)
        page.commit("L1", 1)
        page.is_parsed()
        page.stops()
        assert await next_report(tab) is None


async def test_what_a_page_said_before_it_ran_away_stands() -> None:
    async with new_tab() as (tab, _, page):
        await tab.open(URL)
        page.commit("L1", 1)
        page.reports(1, report("early"))
        page.commit("L2", 2, unreachableUrl="http://elsewhere.example/")
        assert (await tab.next_report()).kind == "early"
        with pytest.raises(NavigationFailed):
            await tab.next_report()


async def test_a_page_that_leads_nowhere_is_told() -> None:
    async with new_tab() as (tab, _, page):
        await tab.open(URL)
        page.commit("L1", 1)
        page.commit("L2", 2, unreachableUrl="http://elsewhere.example/")
        with pytest.raises(NavigationFailed):
            await tab.next_report()


@pytest.mark.parametrize(
    ("method", "says"),
    [("Inspector.targetCrashed", "crashed"), ("Inspector.detached", "closed")],
)
async def test_a_lost_tab_is_told_at_once_and_for_good(method: str, says: str) -> None:
    async with new_tab() as (tab, session, page):
        await tab.open(URL)
        page.commit("L1", 1)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(later, lambda: session.tell(method, {}))
            with pytest.raises(TabLost, match=says):
                await tab.next_report()
        assert not tab.healthy
        with pytest.raises(TabLost):
            await tab.open(URL)


async def later(happens: Callable[[], object]) -> None:
    await anyio.sleep(1)
    happens()


# --- reading unasked ---------------------------------------------------------------------------


def evaluates_to(said: Report) -> dict[str, Any]:
    return {"result": {"type": "string", "value": orjson.dumps(asdict(said)).decode()}}


async def test_what_stands_in_the_tab_can_be_read_at_any_time() -> None:
    async with new_tab() as (tab, session, page):
        await tab.open(URL)
        page.commit("L1", 7)
        session.answers["Runtime.evaluate"] = evaluates_to(report("asked"))
        assert await tab.read_now() == report("asked")
        assert session.sent[-1][1]["contextId"] == 7
        assert session.count("Runtime.terminateExecution") == 0


async def test_a_page_that_is_too_busy_to_be_read_is_stopped_first() -> None:
    async with new_tab() as (tab, session, page):
        await tab.open(URL)
        page.commit("L1", 1)
        session.answers["Runtime.evaluate"] = evaluates_to(report("asked"))
        session.busy = True
        assert await tab.read_now() == report("asked")
        assert session.count("Runtime.terminateExecution") == 1


async def test_a_document_that_goes_while_it_is_read_is_nothing() -> None:
    async with new_tab() as (tab, session, page):
        await tab.open(URL)
        page.commit("L1", 1)
        session.errors["Runtime.evaluate"] = CdpError("Cannot find context with specified id")
        assert await tab.read_now() is None
        assert await tab.press(("#yes",)) == ""


async def test_pressing_forgets_what_the_page_said_before() -> None:
    async with new_tab() as (tab, session, page):
        await tab.open(URL)
        page.commit("L1", 1)
        page.reports(1, report("parsed"))
        session.answers["Runtime.evaluate"] = {"result": {"value": "#no"}}
        assert await tab.press(("#yes", "#no")) == "#no"
        assert '["#yes","#no"]' in session.sent[-1][1]["expression"]
        assert await next_report(tab) is None


# --- where it may go ---------------------------------------------------------------------------


def paused(url: str, **facts: Any) -> dict[str, Any]:  # noqa: ANN401 - parts of a message
    return {"requestId": "R1", "request": {"url": url}, **facts}


@pytest.mark.parametrize(
    ("url", "answer"),
    [
        ("http://example.com/", ("Fetch.continueRequest", {"requestId": "R1"})),
        (
            "http://forbidden.example/",
            ("Fetch.failRequest", {"requestId": "R1", "errorReason": "BlockedByClient"}),
        ),
    ],
    ids=["own", "foreign"],
)
async def test_a_document_is_requested_only_where_the_policy_allows(
    url: str, answer: tuple[str, dict[str, str]]
) -> None:
    async with new_tab() as (_, session, _page):
        session.tell("Fetch.requestPaused", paused(url))
        await anyio.sleep(1)
        assert session.sent[-1] == answer


def patterns(session: FakeSession) -> list[tuple[str, str]]:
    return [
        (pattern["urlPattern"], pattern["requestStage"])
        for method, params in session.sent
        if method == "Fetch.enable"
        for pattern in params["patterns"]
    ]


@pytest.mark.parametrize(
    ("confined", "redirects", "expected"),
    [
        (False, "", [("*", "Request")]),
        (False, "http://g/goto?*", [("*", "Request"), ("http://g/goto?*", "Response")]),
        (True, "http://g/goto?*", [("http://g/goto?*", "Response")]),
        (True, "", []),
    ],
    ids=["asked", "asked and redirects", "confined and redirects", "confined"],
)
async def test_only_what_must_be_held_is_held(
    confined: bool, redirects: str, expected: list[tuple[str, str]]
) -> None:
    session = FakeSession()
    policy = TabPolicy(watch=WatchPlan(), may_visit=lambda _: True, redirects=redirects)
    async with anyio.create_task_group() as tasks:
        tab = Tab(session, policy, start_soon=tasks.start_soon, close=anyio.lowlevel.checkpoint)
        await tab.prepare(confined=confined)
    assert patterns(session) == expected


async def test_a_redirect_is_read_and_not_followed() -> None:
    async with new_tab() as (tab, session, _):
        session.answers["Page.navigate"] = {"errorText": "net::ERR_ABORTED"}
        headers = [{"name": "LOCATION", "value": "http://real.example/"}]
        answered = paused(URL, responseStatusCode=302, responseHeaders=headers)
        redirect = await redirect_of(tab, session, answered)
        assert redirect == Redirect(status=302, location="http://real.example/")
        await anyio.sleep(1)
        assert session.sent[-1] == (
            "Fetch.failRequest",
            {"requestId": "R1", "errorReason": "Aborted"},
        )


async def test_an_address_that_does_not_redirect_has_no_target() -> None:
    async with new_tab() as (tab, session, _):
        session.answers["Page.navigate"] = {"errorText": "net::ERR_ABORTED"}
        answered = paused(URL, responseStatusCode=200)
        assert await redirect_of(tab, session, answered) == Redirect(status=200, location=None)


async def redirect_of(tab: Tab, session: FakeSession, answered: dict[str, Any]) -> Redirect:
    async def answer() -> None:
        session.tell("Fetch.requestPaused", answered)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(answer)
        found = await tab.redirect_target(URL, referrer=URL)
        tasks.cancel_scope.cancel()
    return found


async def test_an_address_that_does_not_answer_is_told() -> None:
    async with new_tab() as (tab, session, _):
        session.answers["Page.navigate"] = {"errorText": "net::ERR_CONNECTION_REFUSED"}
        with pytest.raises(NavigationFailed, match="REFUSED"):
            await tab.redirect_target(URL, referrer=URL)


@pytest.mark.parametrize(
    ("kind", "accept"),
    [("alert", False), ("confirm", False), ("prompt", False), ("beforeunload", True)],
)
async def test_a_dialog_never_holds_the_page(kind: str, accept: bool) -> None:
    async with new_tab() as (_, session, _page):
        session.tell("Page.javascriptDialogOpening", {"type": kind, "message": ""})
        await anyio.sleep(1)
        assert session.sent[-1] == ("Page.handleJavaScriptDialog", {"accept": accept})


# --- the end of a use --------------------------------------------------------------------------


async def test_a_tab_is_blank_only_when_the_empty_page_stands_in_it() -> None:
    async with new_tab() as (tab, _, page):
        await tab.open(URL)
        page.commit("L1", 1)
        with anyio.move_on_after(10) as scope:
            await tab.blank()
        assert scope.cancelled_caught
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(later, lambda: page.commit("L3", 2))
            await tab.blank()


async def test_a_tab_that_is_lost_does_not_become_blank() -> None:
    async with new_tab() as (tab, session, _), anyio.create_task_group() as tasks:
        tasks.start_soon(later, lambda: session.tell("Inspector.detached", {}))
        with pytest.raises(TabLost):
            await tab.blank()


async def test_closing_says_whether_the_browser_answered() -> None:
    async with new_tab() as (tab, session, _):
        assert await tab.close()
        session.errors["Target.closeTarget"] = TabLost("it is gone already")
        assert await tab.close()
        session.hangs.add("Target.closeTarget")
        assert not await tab.close()
        assert not tab.healthy
