"""In which order pages are read, and where a walk ends that has no end."""

from __future__ import annotations

import pytest

from broker.pull.frontier import (
    LISTED,
    MAX_COUNTED,
    MAX_QUERIES,
    MAX_STEPS,
    Frontier,
    Spot,
)
from broker.pull.scope import Scope

SITE = "https://docs.example"


def frontier(forbidden: str = "/private") -> Frontier:
    return Frontier(Scope.of(SITE), lambda url: not url.startswith(SITE + forbidden))


def taken(walk: Frontier) -> list[str]:
    keys = []
    while (spot := walk.take()) is not None:
        keys.append(spot.place.key)
    return keys


def test_pages_near_the_beginning_come_before_listed_ones_and_those_before_deep_ones() -> None:
    walk = frontier()
    for path, depth in [("/deep", 3), ("/listed", LISTED), ("/near", 2), ("/first", 0)]:
        walk.offer(SITE + path, depth)
    assert len(walk) == 4
    assert taken(walk) == ["/first", "/near", "/listed", "/deep"]


def test_a_listed_page_that_a_near_one_leads_to_is_near() -> None:
    walk = frontier()
    walk.offer(f"{SITE}/a", LISTED)
    walk.offer(f"{SITE}/b", LISTED)
    assert walk.offer(f"{SITE}/b", 1) is None
    assert taken(walk) == ["/b", "/a"]


def test_a_page_is_known_once_however_it_is_written() -> None:
    walk = frontier()
    forms = ("/a", "/a/", "/a/index.html", "/a?utm_source=x", "/a#top", "/./a")
    assert [walk.offer(SITE + form, 1) is not None for form in forms] == [True, *[False] * 5]
    assert taken(walk) == ["/a"]
    assert not walk.claim("/a")


def test_a_page_that_a_redirect_leads_to_loses_its_turn() -> None:
    walk = frontier()
    walk.offer(f"{SITE}/a", 1)
    assert walk.claim("/a")
    assert walk.claim("/b")
    assert not walk.claim("/b")
    assert taken(walk) == []


def test_what_robots_txt_forbids_is_known_and_not_read() -> None:
    walk = frontier()
    assert walk.offer(f"{SITE}/private/a", 1) is not None
    assert (taken(walk), list(walk.refused)) == ([], ["/private/a"])


@pytest.mark.parametrize(
    "path",
    ["/a.pdf", "/a.PNG", "/app.js", "/feed.xml", "/a.tar.gz", "/llms-full.txt", "/_static/a.html"],
)
def test_what_is_no_page_by_its_name_is_not_read(path: str) -> None:
    assert frontier().offer(SITE + path, 1) is None


@pytest.mark.parametrize("path", ["/v1.2", "/a.b.c", "/notes.txt", "/node.js/intro", "/a.php?b"])
def test_what_may_be_a_page_is_read(path: str) -> None:
    assert frontier().offer(SITE + path, 1) is not None


def chain(walk: Frontier, form: str) -> int:
    """How far one leads that always leads to the next."""
    spot = walk.offer(SITE + form.format(1), 1)
    count = 0
    while spot is not None and count < 10_000:
        count += 1
        spot = walk.offer(SITE + form.format(count + 1), spot.depth + 1, after=spot)
    return count


@pytest.mark.parametrize("form", ["/calendar/{}", "/events?month={}&day=1", "/a/2024-{}/b"])
def test_a_chain_that_only_counts_on_ends(form: str) -> None:
    walk = frontier()
    assert chain(walk, form) == MAX_STEPS + 1
    assert walk.trapped == 1


def test_pages_that_only_lead_to_numbers_among_themselves_end() -> None:
    walk, known = frontier(), 0
    spots = [walk.offer(f"{SITE}/day/0", 1)]
    for spot in spots:
        for number in range(40):
            after = walk.offer(f"{SITE}/day/{len(spots)}{number}", 2, after=spot)
            if after is not None:
                spots.append(after)
    known = len(spots)
    assert known == MAX_COUNTED + 1


def test_numbered_pages_that_a_menu_leads_to_have_no_bound() -> None:
    walk = frontier()
    menu = walk.offer(f"{SITE}/", 0)
    for number in range(3 * MAX_COUNTED):
        assert walk.offer(f"{SITE}/chapter-{number}", 1, after=menu) is not None


def test_a_path_has_so_many_queries() -> None:
    walk = frontier()
    words = [f"{a}{b}" for a in "abcdefghijklmnop" for b in "abcdefghijklmnop"]
    found = [walk.offer(f"{SITE}/list?sort={word}", 1) for word in words]
    assert sum(spot is not None for spot in found) == MAX_QUERIES


@pytest.mark.parametrize(
    "path", ["/a/b" * 3, "/x" * 3, "/" + "/".join("abcdefghijklmnopqrstuvw"), "/" + "a" * 1600]
)
def test_a_path_that_repeats_itself_or_is_too_long_is_left_out(path: str) -> None:
    walk = frontier()
    assert walk.offer(SITE + path, 1) is None
    assert walk.trapped == 1


def test_what_the_site_lists_is_no_trap() -> None:
    walk = frontier()
    place = walk.scope.place(f"{SITE}/day/1")
    assert place is not None
    before = Spot(place, 1, steps=MAX_STEPS)
    assert walk.offer(f"{SITE}/day/2", 2, after=before) is None
    assert walk.offer(f"{SITE}/day/2", LISTED) is not None
