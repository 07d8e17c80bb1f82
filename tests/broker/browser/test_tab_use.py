"""What is done with a tab once it stands somewhere: read, press, resolve, refuse, leave, close."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.lowlevel
import pytest

from broker.browser.cdp import CdpError
from broker.browser.tab import Tab
from broker.browser.watch import NavigationFailed, Redirect, TabPolicy, WatchPlan
from broker.errors import TabLost
from tests.broker.browser.doubles import FakeSession
from tests.broker.browser.tabs import URL, evaluates_to, later, new_tab, next_report, report

pytestmark = pytest.mark.virtual_clock

# --- reading unasked ---------------------------------------------------------------------------


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
