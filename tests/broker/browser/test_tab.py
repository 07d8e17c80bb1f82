"""A tab never takes one page for another, and says at once when it is lost."""

from __future__ import annotations

import anyio
import pytest

from broker.browser.watch import LoadBroken, NavigationFailed
from broker.errors import TabLost
from tests.broker.browser.doubles import FRAME
from tests.broker.browser.tabs import URL, evaluates_to, later, new_tab, next_report, report

pytestmark = pytest.mark.virtual_clock

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


async def test_a_tab_that_says_what_cannot_be_read_is_lost() -> None:
    async with new_tab() as (tab, session, page):
        await tab.open(URL)
        page.commit("L1", 1)
        half = {"name": "webaioReport", "executionContextId": 1, "payload": '{"html": "\\ud800"}'}
        session.tell("Runtime.bindingCalled", half)
        with pytest.raises(TabLost):
            await tab.next_report()


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
