"""In which order pages are read, and where a walk ends that has no end."""

from __future__ import annotations

import pytest

from broker.pull.frontier import (
    LISTED,
    MAX_COUNTED,
    MAX_QUERIES,
    MAX_SERIES,
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


def chain(walk: Frontier, form: str, *, says: str = "the same") -> int:
    """How far one leads that always leads to the next; `says` is what each says."""
    spot = walk.offer(SITE + form.format(1), 1)
    count = 0
    while spot is not None and count < 10_000:
        count += 1
        heard = walk.heard(spot, says.format(count))
        spot = walk.offer(SITE + form.format(count + 1), spot.depth + 1, after=heard)
    return count


@pytest.mark.parametrize("form", ["/calendar/{}", "/events?month={}&day=1", "/a/2024-{}/b"])
def test_a_chain_that_only_counts_on_ends(form: str) -> None:
    walk = frontier()
    assert chain(walk, form) == MAX_STEPS + 2
    assert walk.trapped == 1
    (trap,) = walk.traps()
    last = SITE + form.format(MAX_STEPS + 3)
    assert trap[:2] == ("what leads there only counts on and says nothing new", 1)
    assert set(trap[2].split("?")[-1].split("&")) == set(last.split("?")[-1].split("&"))


def test_a_chain_of_chapters_goes_on_as_long_as_they_say_something_new() -> None:
    assert chain(frontier(), "/chapter-{}", says="{}") == MAX_SERIES + 1


def tree(walk: Frontier, says: str) -> int:
    """How many pages are known of which each leads to forty others of its series."""
    first = walk.offer(f"{SITE}/day/0", 1)
    spots = [first]
    for spot in spots:
        assert spot is not None
        heard = walk.heard(spot, says.format(spot.place.key))
        for number in range(40):
            after = walk.offer(f"{SITE}/day/{len(spots)}{number}", 2, after=heard)
            if after is not None:
                spots.append(after)
    return len(spots)


def test_pages_that_only_lead_to_numbers_among_themselves_end() -> None:
    walk = frontier()
    assert tree(walk, "the same") == MAX_COUNTED + 40 + 1  # the first page has said something new
    assert walk.trapped == 40
    walk = frontier()
    assert tree(walk, "{}") == MAX_SERIES + 1
    assert walk.traps()[0][0] == f"more than {MAX_SERIES:,} addresses count on from one another"


def test_what_was_left_out_is_counted_once_and_not_when_it_is_read_after_all() -> None:
    walk = frontier()
    for path in ("/x/x/x", "/x/x/x/", "/y/y/y", "/a/b?c", "/" + "z" * 2000):
        walk.offer(SITE + path, 1)
    assert sorted(walk.traps()) == [
        ("the path is too long", 1, f"{SITE}/{'z' * 2000}"),
        ("the path repeats itself", 2, f"{SITE}/x/x/x"),
    ]
    walk.offer(f"{SITE}/x/x/x", LISTED)
    assert (walk.trapped, walk.traps()[0][2]) == (2, f"{SITE}/y/y/y")


def test_what_says_nothing_new_comes_last() -> None:
    walk = frontier()
    spot = walk.offer(f"{SITE}/day/1", 1)
    assert spot is not None
    walk.heard(spot, "nothing")
    walk.offer(f"{SITE}/day/2", 2, after=walk.heard(spot, "nothing"))
    walk.offer(f"{SITE}/deep", 9)
    assert taken(walk) == ["/day/1", "/deep", "/day/2"]


def test_what_is_put_back_is_taken_again() -> None:
    walk = frontier()
    walk.offer(f"{SITE}/a", 1)
    spot = walk.take()
    assert spot is not None
    walk.put_back(spot)
    assert (len(walk), taken(walk)) == (1, ["/a"])


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
    before = Spot(place, 1, steps=MAX_STEPS + 1)
    assert walk.offer(f"{SITE}/day/2", 2, after=before) is None
    assert walk.offer(f"{SITE}/day/2", LISTED) is not None
