"""Numbers of passages: sums over boxes, prose, and as many as they have names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract import features
from extract.clues import Reader
from extract.tree import parse
from extract.walk import walk

if TYPE_CHECKING:
    from extract.passages import Walk

SENTENCE = "A sentence of an article that goes on for quite some time, and then a little more. "
READER = Reader({"content": 1.0, "nav": -1.0})


def measured(html: str) -> Walk:
    page = walk(parse(html), READER)
    features.measure(page)
    return page


@pytest.mark.parametrize(
    ("html", "is_prose"),
    [
        (f"<p>{SENTENCE}", True),
        (f"<p>{SENTENCE.replace('.', '')}", False),
        (f"<p>{SENTENCE.replace('.', '') * 2}", True),
        ("<p>Short. Text.", False),
        (f"<p><a href=x>{SENTENCE}</a>", False),
        (f"<p><a href=x>{SENTENCE[:20]}</a>{SENTENCE}", True),
        (f"<h2>{SENTENCE}", False),
        (f"<pre>{SENTENCE}", False),
        (
            "<p>港口分三个阶段建成每个阶段都留下了一道至今仍然屹立的墙今天也是这样没有人想改变。",
            True,
        ),
    ],
    ids=["sentence", "no-stop", "long", "short", "link", "some-link", "heading", "code", "chinese"],
)
def test_prose_is_told_from_labels_and_links(html: str, is_prose: bool) -> None:
    (passage,) = walk(parse(html), READER).passages

    assert (features.weigh(passage) > 0) is is_prose


def test_boxes_hold_the_sums_of_what_is_in_them() -> None:
    page = measured(f"<div><p>{SENTENCE}<p>ab <a href=x>cd</a></div><p>ef")

    body, div = page.boxes[0], page.boxes[1]
    assert (body.passages, div.passages) == (3, 2)
    assert div.chars == sum(len(passage.text) for passage in page.passages[:2])
    assert body.chars == div.chars + 2
    assert (body.link_chars, div.link_chars) == (2, 2)
    assert body.prose == div.prose == page.passages[0].prose > 0


def test_boxes_that_look_alike_are_counted() -> None:
    page = measured("<ul><li class=a>1<li class=a>2<li>3</ul>")

    assert [box.kin for box in page.boxes if box.tag == "li"] == [2, 2, 1]


def test_entries_of_a_menu_are_looked_at_once() -> None:
    page = measured("<div><ul>" + "<li><a href=x>entry</a>" * 5 + f"</ul><p>{SENTENCE}</div>")

    numbers = list(features.own_numbers(page, READER, ""))
    every = list(features.own_numbers(page, READER, "", every=True))

    assert [own is None for own in numbers] == [False, True, True, True, True, False]
    assert None not in every
    assert numbers[-1] == every[-1]


SOUP = st.lists(
    st.sampled_from(["<p>", "<div class=content>", "</div>", "<li>", "<a href=/x>", "</a>", "<h2>",
                     "<nav>", "</nav>", "<article>", "x", SENTENCE, "<pre>", "</pre>", "<table>"]),
    max_size=40,
).map("".join)  # fmt: skip


@given(SOUP)
def test_every_number_is_finite_and_has_a_name(soup: str) -> None:
    page = measured(soup)
    places = features.Places(page)

    of_page = features.page_numbers(page)
    assert len(of_page) == len(features.PAGE)
    for passage, own in zip(
        page.passages, features.own_numbers(page, READER, "", every=True), strict=True
    ):
        assert own is not None
        place = places.of(passage.box)
        assert (len(own), len(place)) == (len(features.OWN), len(features.PLACE))
        assert all(map(math.isfinite, (*own, *place, *of_page)))
