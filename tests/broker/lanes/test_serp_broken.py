"""One page in one tab: pages that break off, never come, or lose their tab."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from broker.browser.watch import LoadBroken, NavigationFailed
from broker.errors import TabLost
from broker.lanes.serp_reader import LAST_READ_S, read_serp
from tests.broker.lanes.doubles import ScriptedTab, Step, request
from tests.broker.lanes.pages import URL, report, results, saved
from tests.broker.lanes.reading import BUDGET_S, near, reading, wall

pytestmark = pytest.mark.virtual_clock

CONSENT_PAGE = wall(saved("consent-page"), url="https://consent.google.com/ml?continue=x")


async def test_a_page_that_never_answers_is_late_by_the_deadline() -> None:
    tab = ScriptedTab(opens=60)
    found = await reading(tab)
    assert found.code == "timeout"
    assert found.error is not None
    assert "did not answer" in found.error.message
    assert found.took_s == near(BUDGET_S - LAST_READ_S)
    assert not tab.healthy


async def test_a_page_that_begins_and_brings_nothing_is_late() -> None:
    found = await reading(ScriptedTab())
    assert found.code == "timeout"
    assert found.error is not None
    assert "did not finish" in found.error.message


async def test_the_last_look_saves_what_stands_there_at_the_end() -> None:
    tab = ScriptedTab(Step(at_s=2.55, shows=report(results(1, 5), kind="asked")))
    found = await reading(tab)
    assert (found.count, found.took_s) == (5, near(BUDGET_S - LAST_READ_S))
    assert found.read is not None
    assert found.read.flaw == "was still loading"
    assert not tab.healthy


@pytest.mark.parametrize("commits", [True, False])
async def test_a_tab_that_cannot_even_be_read_still_says_how_it_was(commits: bool) -> None:
    tab = ScriptedTab(opens=0 if commits else 60)
    tab.unreadable = True
    with anyio.fail_after(BUDGET_S):
        found = await reading(tab)
    assert found.error is not None
    assert found.code == "timeout"
    assert ("did not finish" if commits else "did not answer") in found.error.message


async def test_what_was_in_hand_is_the_answer_of_a_tab_that_cannot_be_read() -> None:
    tab = ScriptedTab(Step(at_s=2.4, says=report(results(1, 4, hidden=True), kind="early")))
    tab.unreadable = True
    with anyio.fail_after(BUDGET_S):
        found = await reading(tab)
    assert found.read is not None
    assert (found.count, found.read.flaw) == (4, "was still loading")


async def test_a_wall_that_is_seen_last_is_named() -> None:
    tab = ScriptedTab(Step(at_s=2.55, shows=replace(CONSENT_PAGE, kind="asked")))
    assert (await reading(tab)).code == "consent_wall"


async def test_an_empty_page_that_still_loads_is_late_and_not_blank() -> None:
    tab = ScriptedTab(Step(at_s=0.1, shows=report("<html><head></head>", kind="asked")))
    assert (await reading(tab)).code == "timeout"


async def test_a_page_that_breaks_off_keeps_what_has_arrived() -> None:
    tab = ScriptedTab(
        Step(at_s=0.1, shows=report(results(1, 6), kind="asked")),
        Step(at_s=0.3, says=LoadBroken()),
    )
    found = await reading(tab)
    assert found.read is not None
    assert (found.count, found.read.flaw) == (6, "broke off")
    assert found.took_s == near(0.3)
    assert not tab.healthy


async def test_a_page_that_breaks_off_with_nothing_may_be_tried_again() -> None:
    found = await reading(ScriptedTab(Step(at_s=0.1, says=LoadBroken())))
    assert found.error is not None
    assert (found.code, found.error.transient) == ("unreachable", True)


@pytest.mark.parametrize("parsed", [True, False])
async def test_a_head_that_breaks_off_is_no_script_page(parsed: bool) -> None:
    head = replace(wall(saved("bootstrap-failed")), kind="asked", parsed=parsed)
    said = Step(at_s=0.1, says=replace(head, kind="parsed", parsed=True))
    shown = Step(at_s=0.1, shows=head)
    tab = ScriptedTab(said if parsed else shown, Step(at_s=0.3, says=LoadBroken()))
    found = await reading(tab)
    assert found.error is not None
    assert (found.code, found.error.transient) == ("unreachable", True)


@pytest.mark.parametrize(
    ("net_error", "code", "transient"),
    [
        ("ERR_CONNECTION_RESET", "unreachable", True),
        ("ERR_EMPTY_RESPONSE", "unreachable", True),
        ("ERR_ABORTED", "unreachable", True),
        ("ERR_CONNECTION_REFUSED", "unreachable", False),
        ("ERR_NAME_NOT_RESOLVED", "unreachable", False),
        ("ERR_TOO_MANY_REDIRECTS", "unreachable", False),
        ("ERR_BLOCKED_BY_CLIENT", "redirected", False),
        ("ERR_PROXY_CONNECTION_FAILED", "redirected", False),
    ],
)
async def test_a_page_that_cannot_be_reached_says_whether_to_try_again(
    net_error: str, code: str, transient: bool
) -> None:
    found = await reading(ScriptedTab(opens=NavigationFailed(net_error)))
    assert found.error is not None
    assert (found.code, found.error.transient, found.took_s) == (code, transient, 0)


@pytest.mark.parametrize("moment_s", [0.5, 2.0])
async def test_a_tab_that_is_lost_is_told_at_once(moment_s: float) -> None:
    tab = ScriptedTab(Step(at_s=moment_s, says=TabLost("the tab crashed")))
    started_s = anyio.current_time()
    with pytest.raises(TabLost):
        await read_serp(request(BUDGET_S), tab, URL, in_hand=lambda _: None)
    assert anyio.current_time() - started_s == near(moment_s)


async def test_a_reading_that_is_cancelled_ends_at_once() -> None:
    tab = ScriptedTab()
    with anyio.move_on_after(0.7) as scope:
        await read_serp(request(60), tab, URL, in_hand=lambda _: None)
    assert scope.cancelled_caught
    assert anyio.current_time() == near(scope.deadline)
