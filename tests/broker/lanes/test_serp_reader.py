"""One page in one tab: the first state that decides ends the reading, and nothing is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from broker.browser.watch import LoadBroken, NavigationFailed
from broker.errors import LaneFailed, TabLost
from broker.lanes.serp_reader import LAST_READ_S, read_serp
from tests.broker.lanes.doubles import ScriptedTab, Step, request
from tests.broker.lanes.pages import ORIGIN, PAGE_2, URL, hits, report, results, saved

if TYPE_CHECKING:
    from broker.browser.watch import Report
    from broker.lanes.serp_reader import PageRead
    from broker.models import Serp

pytestmark = pytest.mark.virtual_clock

BUDGET_S = 2.85
SORRY = f"{ORIGIN}/sorry/index?continue={URL}"
CONSENT = "https://consent.google.com/ml?continue=x"


@dataclass(kw_only=True)
class Reading:
    """How a page was read, or why it was not, and when."""

    took_s: float
    in_hand: list[Serp]
    read: PageRead | None = None
    error: LaneFailed | None = None

    @property
    def code(self) -> str | None:
        return None if self.error is None else str(self.error.code)

    @property
    def count(self) -> int:
        return len(self.read.serp.hits) if self.read else 0


async def reading(tab: ScriptedTab, url: str = URL, budget_s: float = BUDGET_S) -> Reading:
    in_hand: list[Serp] = []
    started_s = anyio.current_time()
    read, error = None, None
    try:
        read = await read_serp(request(budget_s), tab, url, in_hand=in_hand.append)
    except LaneFailed as failed:
        error = failed
    took_s = anyio.current_time() - started_s
    assert took_s <= budget_s + 1e-6
    return Reading(took_s=took_s, in_hand=in_hand, read=read, error=error)


def near(seconds: float) -> Any:  # noqa: ANN401 - it compares with everything
    return pytest.approx(seconds)


def wall(html: str, *, url: str = URL, status: int = 200, visible: bool = False) -> Report:
    return replace(report(html, url=url, status=status), walled=visible)


# --- results -----------------------------------------------------------------------------------


async def test_a_complete_page_is_read_at_once() -> None:
    tab = ScriptedTab(Step(at_s=0.1, says=report(results(1, 10))))
    found = await reading(tab)
    assert found.read is not None
    assert found.read.serp.hits == tuple(replace(h, site=f"site{n}.example") for n, h in NUMBERED)
    assert (found.read.flaw, found.read.cookies_changed) == (None, False)
    assert found.took_s == near(0.1)
    assert tab.healthy
    assert tab.opened == [(URL, None)]


NUMBERED = list(enumerate(hits(1, 10), 1))


async def test_results_that_are_all_there_are_not_kept_waiting_by_the_rest_of_the_page() -> None:
    tab = ScriptedTab(Step(at_s=0.1, says=report(results(1, 10), kind="early")))
    found = await reading(tab)
    assert (found.count, found.took_s) == (10, near(0.1))
    assert found.read is not None
    assert found.read.flaw is None


async def test_hidden_links_wait_for_the_script_that_names_their_targets() -> None:
    tab = ScriptedTab(
        Step(at_s=0.1, says=report(results(1, 10, hidden=True), kind="early")),
        Step(at_s=0.4, says=report(results(1, 10, hidden=True, named=True))),
    )
    found = await reading(tab)
    assert found.read is not None
    assert found.took_s == near(0.4)
    assert all(hit.resolved for hit in found.read.serp.hits)
    assert [len(serp.hits) for serp in found.in_hand] == [10]


async def test_hidden_links_do_not_wait_for_longer_than_their_script_may_take() -> None:
    tab = ScriptedTab(Step(at_s=0.1, says=report(results(1, 10, hidden=True), kind="early")))
    found = await reading(tab)
    assert found.read is not None
    assert found.took_s == near(0.5)
    assert not any(hit.resolved for hit in found.read.serp.hits)
    assert found.read.flaw is None, "every hit is there"


async def test_a_page_that_stalls_is_looked_at_and_what_it_holds_is_taken() -> None:
    tab = ScriptedTab(Step(at_s=0.1, shows=report(results(1, 7), kind="asked")))
    found = await reading(tab)
    assert tab.looks == [near(0.8), near(1.6)]
    assert (found.count, found.took_s) == (7, near(1.6))
    assert found.read is not None
    assert found.read.flaw == "was still loading"
    assert [len(serp.hits) for serp in found.in_hand] == [7]


async def test_a_page_that_still_grows_is_waited_for() -> None:
    tab = ScriptedTab(
        Step(at_s=0.1, shows=report(results(1, 3), kind="asked")),
        Step(at_s=1.0, shows=report(results(1, 6), kind="asked")),
        Step(at_s=2.0, says=report(results(1, 10))),
    )
    found = await reading(tab)
    assert (found.count, found.took_s) == (10, near(2.0))
    assert [len(serp.hits) for serp in found.in_hand] == [3, 6]


async def test_no_results_are_believed_only_of_a_complete_page() -> None:
    nothing = saved("no-results")
    tab = ScriptedTab(
        Step(at_s=0.1, says=report(nothing, kind="asked")),
        Step(at_s=0.3, says=report(results(1, 10))),
    )
    assert (await reading(tab)).count == 10
    found = await reading(ScriptedTab(Step(at_s=0.1, says=report(nothing))))
    assert found.read is not None
    assert (found.count, found.took_s) == (0, near(0.1))


async def test_a_country_host_may_answer() -> None:
    tab = ScriptedTab(
        Step(at_s=0.1, says=report(results(1, 3), url="https://www.google.de/search?q=cats"))
    )
    assert (await reading(tab)).count == 3


# --- the wrong page ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        (PAGE_2, URL),
        (URL, PAGE_2),
        (PAGE_2, f"{URL}&start=20"),
        (URL, f"{ORIGIN}/search?q=dogs"),
        (URL, f"{ORIGIN}/webhp?q=cats"),
    ],
    ids=["page 1 for 2", "page 2 for 1", "page 3 for 2", "other words", "other path"],
)
async def test_another_page_is_never_read_as_the_one_that_was_asked_for(
    asked: str, shown: str
) -> None:
    tab = ScriptedTab(Step(at_s=0.1, says=report(results(1, 10), url=shown)))
    found = await reading(tab, asked)
    assert (found.code, found.took_s) == ("wrong_page", near(0.1))


@pytest.mark.parametrize("shown", [f"{PAGE_2}&sei=x&ved=y", f"{ORIGIN}/search?start=10&q=+cats+"])
async def test_what_google_adds_to_the_address_does_not_matter(shown: str) -> None:
    tab = ScriptedTab(Step(at_s=0.1, says=report(results(11, 20), url=shown)))
    assert (await reading(tab, PAGE_2)).count == 10


async def test_the_last_look_does_not_read_another_page_either() -> None:
    tab = ScriptedTab(Step(at_s=2.5, shows=report(results(1, 10), kind="asked", url=URL)))
    assert (await reading(tab, PAGE_2)).code == "wrong_page"


# --- walls -------------------------------------------------------------------------------------

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


# --- pages that break or never come ------------------------------------------------------------


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
