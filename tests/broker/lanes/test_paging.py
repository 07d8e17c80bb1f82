"""Which pages are asked for, as tables: what page 1 and its successors hold, and what follows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from broker.lanes.paging import Arrival, PagePlan
from broker.models import Serp, SerpState
from tests.broker.lanes.pages import hits

EMPTY = Serp(state=SerpState.NO_RESULTS)


def link(start: int) -> str:
    return f"https://www.google.com/search?q=cats&start={start}"


def serp(first: int, last: int, *, after: bool = True) -> Serp:
    """A page with these hits, and a link to the next where there is one `after` it."""
    return Serp(
        state=SerpState.RESULTS,
        hits=hits(first, last),
        next_url=link(last) if after else None,
        page_urls=tuple((start, link(start)) for start in range(0, 50, 10)) if after else (),
    )


def full(number: int) -> Serp:
    return serp(10 * number - 9, 10 * number)


LOST, WALLED = "lost", "walled"
"""Pages that fail, and those whose failure is a wall."""


def asked(max_hits: int, pages: dict[int, Serp | str], in_flight: int = 2) -> list[int]:
    """The pages that are asked for, when they arrive in order and those not given are full."""
    plan = PagePlan(max_hits)
    numbers, under_way = [1], [1]
    while under_way:
        number = under_way.pop(0)
        page = pages.get(number, full(number))
        if isinstance(page, Serp):
            plan.arrive(number, page)
        else:
            plan.fail(walled=page == WALLED)
        while len(under_way) < (plan.in_flight_limit or in_flight):
            following = plan.start_next()
            if following is None:
                break
            numbers.append(following)
            under_way.append(following)
    return numbers


@dataclass(frozen=True, kw_only=True)
class Case:
    name: str
    wanted: int
    pages: dict[int, Serp | str]
    asked: list[int]


CASES = [
    Case(name="ten are one page", wanted=10, pages={}, asked=[1]),
    Case(name="one is one page", wanted=1, pages={}, asked=[1]),
    Case(name="eleven are one page: it is nine tenths", wanted=11, pages={}, asked=[1]),
    Case(name="twelve are two pages", wanted=12, pages={}, asked=[1, 2]),
    Case(name="twenty are two pages", wanted=20, pages={}, asked=[1, 2]),
    Case(name="thirty are three pages", wanted=30, pages={}, asked=[1, 2, 3]),
    Case(name="nine of ten are enough", wanted=10, pages={1: serp(1, 9)}, asked=[1]),
    Case(name="eight of ten are not", wanted=10, pages={1: serp(1, 8)}, asked=[1, 2]),
    Case(
        name="pages of nine are three for thirty",
        wanted=30,
        pages={1: serp(1, 9), 2: serp(10, 18), 3: serp(19, 27)},
        asked=[1, 2, 3],
    ),
    Case(
        name="a short page is made up for by a fourth",
        wanted=30,
        pages={2: serp(11, 13)},
        asked=[1, 2, 3, 4],
    ),
    Case(name="a hundred are ten pages", wanted=100, pages={}, asked=list(range(1, 10))),
    Case(
        name="no more than twelve pages",
        wanted=100,
        pages={n: serp(3 * n - 2, 3 * n) for n in range(1, 20)},
        asked=list(range(1, 13)),
    ),
    Case(name="nothing on page 1", wanted=30, pages={1: EMPTY}, asked=[1]),
    Case(
        name="few on page 1 and no link", wanted=30, pages={1: serp(1, 6, after=False)}, asked=[1]
    ),
    Case(name="few on page 1 and a link", wanted=30, pages={1: serp(1, 6)}, asked=[1, 2, 3, 4]),
    Case(
        name="page 2 is the last",
        wanted=50,
        pages={2: serp(11, 15, after=False)},
        asked=[1, 2, 3],
    ),
    Case(name="page 2 is empty", wanted=50, pages={2: EMPTY}, asked=[1, 2, 3]),
    Case(name="page 2 repeats page 1", wanted=50, pages={2: full(1)}, asked=[1, 2, 3]),
    Case(
        name="page 2 repeats half of page 1",
        wanted=30,
        pages={2: serp(6, 15), 3: serp(16, 25), 4: serp(26, 35)},
        asked=[1, 2, 3, 4],
    ),
    Case(name="a lost page is not replaced", wanted=30, pages={2: LOST}, asked=[1, 2, 3]),
    Case(name="a lost page ends nothing", wanted=50, pages={2: LOST}, asked=[1, 2, 3, 4, 5]),
    Case(name="a wall ends it", wanted=50, pages={2: WALLED}, asked=[1, 2, 3]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_pages_are_asked_for_as_long_as_they_may_bring_what_is_missing(case: Case) -> None:
    assert asked(case.wanted, case.pages) == case.asked


def test_without_links_on_page_1_the_second_is_tried_alone() -> None:
    first = serp(1, 10, after=False)
    plan = PagePlan(50)
    assert plan.arrive(1, first) is Arrival.NEW
    assert plan.in_flight_limit == 1
    assert asked(50, {1: first, 2: EMPTY}) == [1, 2]
    assert asked(50, {1: first, 2: full(2)}) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("count", [6, 7])
def test_seven_hits_without_a_link_may_have_a_successor_and_six_have_none(count: int) -> None:
    plan = PagePlan(50)
    arrival = plan.arrive(1, serp(1, count, after=False))
    assert arrival is (Arrival.NEW if count == 7 else Arrival.LAST)
    assert plan.ended == (count == 6)


def test_pages_are_reached_by_the_links_of_page_1() -> None:
    plan = PagePlan(50)
    plan.arrive(1, full(1))
    assert [plan.link(number) for number in (2, 3, 5, 6)] == [link(10), link(20), link(40), None]


def test_the_next_link_stands_for_page_2_where_it_is_the_only_one() -> None:
    plan = PagePlan(50)
    plan.arrive(1, Serp(state=SerpState.RESULTS, hits=hits(1, 10), next_url=link(10)))
    assert (plan.link(2), plan.link(3)) == (link(10), None)


@pytest.mark.parametrize(
    ("number", "page", "arrival"),
    [
        (1, full(1), Arrival.NEW),
        (2, full(2), Arrival.NEW),
        (2, full(1), Arrival.REPEAT),
        (2, serp(1, 3), Arrival.REPEAT),
        (2, serp(10, 11), Arrival.NEW),
        (2, EMPTY, Arrival.LAST),
        (2, serp(11, 12, after=False), Arrival.LAST),
    ],
    ids=["first", "new", "same", "part", "one new", "empty", "no successor"],
)
def test_what_a_page_does_to_the_paging(number: int, page: Serp, arrival: Arrival) -> None:
    plan = PagePlan(50)
    if number > 1:
        plan.arrive(1, full(1))
        plan.start_next()
    assert plan.arrive(number, page) is arrival
    assert plan.ended == (arrival is not Arrival.NEW)


@pytest.mark.parametrize("page", [EMPTY, serp(11, 12, after=False)], ids=["empty", "no successor"])
def test_a_page_that_is_not_whole_says_nothing_of_its_successors(page: Serp) -> None:
    plan = PagePlan(50)
    plan.arrive(1, full(1))
    plan.start_next()
    assert plan.arrive(2, page, whole=False) is Arrival.NEW
    assert not plan.ended


def test_page_1_twice_is_no_repetition_of_itself() -> None:
    assert PagePlan(50).arrive(1, full(1)) is Arrival.NEW


def test_pages_that_differ_only_in_tracking_are_repetitions() -> None:
    tracked = tuple(replace(hit, url=f"{hit.url}?utm_source=g") for hit in hits(1, 10))
    plan = PagePlan(50)
    plan.arrive(1, full(1))
    plan.start_next()
    assert plan.arrive(2, Serp(state=SerpState.RESULTS, hits=tracked)) is Arrival.REPEAT
