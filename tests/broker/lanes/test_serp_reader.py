"""One page in one tab: results end the reading, and another page is never taken for them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.broker.lanes.doubles import ScriptedTab, Step
from tests.broker.lanes.pages import ORIGIN, PAGE_2, URL, hits, report, results, saved
from tests.broker.lanes.reading import near, reading

pytestmark = pytest.mark.virtual_clock


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
