"""One page in one tab: walls end the reading at once, or give way once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.broker.lanes.doubles import ScriptedTab, Step
from tests.broker.lanes.pages import ORIGIN, URL, report, results, saved
from tests.broker.lanes.reading import near, reading, wall

if TYPE_CHECKING:
    from broker.browser.watch import Report

pytestmark = pytest.mark.virtual_clock

SORRY = f"{ORIGIN}/sorry/index?continue={URL}"
CONSENT = "https://consent.google.com/ml?continue=x"

AT_ONCE = {
    "captcha": (wall(saved("sorry"), url=SORRY, status=429), "captcha"),
    "plain captcha": (wall(saved("sorry-plain"), status=503), "captcha"),
    "unsupported": (wall(saved("unsupported")), "unsupported"),
    "blocked": (wall(saved("blocked"), status=403), "blocked"),
    "server error": (wall(saved("blocked"), status=500), "upstream"),
    "too many": (wall(saved("blocked"), status=429), "rate_limited"),
    "bad request": (wall(saved("blocked"), status=400), "bad_request"),
    "empty error": (wall("", status=502), "upstream"),
    "script page in trouble": (wall(saved("bootstrap-failed"), visible=True), "js_required"),
}


@pytest.mark.parametrize(("page", "code"), AT_ONCE.values(), ids=AT_ONCE)
async def test_a_wall_ends_the_reading_at_once_with_its_code(page: Report, code: str) -> None:
    tab = ScriptedTab(Step(at_s=0.1, says=page))
    found = await reading(tab)
    assert (found.code, found.took_s) == (code, near(0.1))
    assert found.error is not None
    assert "403" not in found.error.message or code == "blocked"


async def test_a_wall_that_can_be_seen_needs_no_more_of_its_page() -> None:
    page = replace(wall(saved("sorry"), url=SORRY, visible=True), parsed=False, kind="early")
    found = await reading(ScriptedTab(Step(at_s=0.1, says=page)))
    assert (found.code, found.took_s) == ("captcha", near(0.1))


@pytest.mark.parametrize(
    ("page", "code", "grace_s"),
    [
        (wall(saved("bootstrap")), "js_required", 1.5),
        (wall("<html><body></body></html>"), "blank", 0.6),
        (wall(saved("unreadable")), "unparseable", 0.6),
    ],
    ids=["script page", "blank", "unknown markup"],
)
async def test_a_page_without_results_gets_a_moment_to_become_something(
    page: Report, code: str, grace_s: float
) -> None:
    found = await reading(ScriptedTab(Step(at_s=0.1, says=page)))
    assert (found.code, found.took_s) == (code, near(0.1 + grace_s))
    late = Step(at_s=grace_s, says=report(results(1, 10), kind="changed"))
    assert (await reading(ScriptedTab(Step(at_s=0.1, says=page), late))).count == 10


async def test_a_script_page_that_loads_the_results_leaves_a_cookie_worth_keeping() -> None:
    tab = ScriptedTab(
        Step(at_s=0.1, says=wall(saved("bootstrap"))),
        Step(at_s=0.4, commits=True),
        Step(at_s=0.5, says=report(results(1, 10))),
    )
    found = await reading(tab)
    assert found.read is not None
    assert found.read.cookies_changed
    assert (found.count, found.took_s) == (10, near(0.5))


@pytest.mark.parametrize("says", [wall(saved("bootstrap")), None], ids=["read", "never read"])
async def test_a_script_page_that_reloads_for_ever_is_named_by_the_deadline(
    says: Report | None,
) -> None:
    script = [
        step
        for n in range(20)
        for step in (
            Step(at_s=0.2 * n, commits=True),
            Step(at_s=0.2 * n + 0.1, says=says),
        )
    ]
    assert (await reading(ScriptedTab(*script))).code == "js_required"


# --- consent -----------------------------------------------------------------------------------

CONSENT_PAGE = wall(saved("consent-page"), url=CONSENT)


async def test_cookies_are_refused_once_and_the_reading_goes_on() -> None:
    tab = ScriptedTab(
        Step(at_s=0.1, says=CONSENT_PAGE),
        pressed="form",
        after_press=(
            Step(at_s=0.2, commits=True),
            Step(at_s=0.3, says=report(results(1, 10))),
        ),
    )
    found = await reading(tab)
    assert found.read is not None
    assert (found.count, found.took_s) == (10, near(0.4))
    assert found.read.cookies_changed
    assert tab.presses == 1


async def test_a_cookie_wall_that_comes_back_is_one() -> None:
    tab = ScriptedTab(
        Step(at_s=0.1, says=CONSENT_PAGE),
        pressed="form",
        after_press=(Step(at_s=0.2, commits=True), Step(at_s=0.3, says=CONSENT_PAGE)),
    )
    found = await reading(tab)
    assert (found.code, found.took_s) == ("consent_wall", near(0.4))
    assert tab.presses == 1


async def test_a_cookie_wall_that_cannot_be_refused_ends_the_reading() -> None:
    found = await reading(ScriptedTab(Step(at_s=0.1, says=CONSENT_PAGE)))
    assert (found.code, found.took_s) == ("consent_wall", near(0.1))


async def test_a_cookie_wall_that_does_not_give_way_ends_the_reading() -> None:
    tab = ScriptedTab(Step(at_s=0.1, says=CONSENT_PAGE), pressed="#W0wltc")
    found = await reading(tab)
    assert (found.code, found.took_s) == ("consent_wall", near(1.6))


async def test_an_overlay_that_gives_way_in_place_leaves_the_results() -> None:
    tab = ScriptedTab(
        Step(at_s=0.1, says=wall(saved("consent-overlay"))),
        pressed="#W0wltc",
        after_press=(Step(at_s=0.2, says=report(results(1, 10), kind="changed")),),
    )
    assert (await reading(tab)).count == 10


async def test_an_overlay_over_results_hides_nothing_from_us() -> None:
    tab = ScriptedTab(Step(at_s=0.1, says=report(saved("consent-overlay-results"))))
    found = await reading(tab)
    assert (found.count, tab.presses) == (1, 0)


AFTER_A_WALL = {
    "stalled": (
        Step(at_s=0.3, shows=report(results(1, 10), kind="asked")),
        "was still loading",
    ),
    "hidden links": (
        Step(at_s=0.3, says=report(results(1, 10, hidden=True), kind="early")),
        None,
    ),
}


@pytest.mark.parametrize(("page", "flaw"), AFTER_A_WALL.values(), ids=AFTER_A_WALL)
async def test_results_behind_a_refused_wall_are_not_taken_for_the_wall(
    page: Step, flaw: str | None
) -> None:
    tab = ScriptedTab(
        Step(at_s=0.1, says=CONSENT_PAGE),
        pressed="form",
        after_press=(Step(at_s=0.2, commits=True), page),
    )
    found = await reading(tab, budget_s=6)
    assert (found.code, found.count) == (None, 10)
    assert found.read is not None
    assert found.read.flaw == flaw
