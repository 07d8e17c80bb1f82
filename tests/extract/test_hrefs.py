"""Every address of a page, and the headings that its places stand below."""

from __future__ import annotations

import pytest

from extract.anchors import anchors
from extract.hrefs import hrefs
from extract.tree import parse

URL = "https://docs.example/guide/one"


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("<nav><a href='two'>2</a></nav><a href='/x?y#z'>x</a>", ("/guide/two", "/x?y#z")),
        ("<base href='/other/'><a href='two'>2</a>", ("/other/two",)),
        ("<base href='http://['><base href='../'><a href='two'>2</a>", ("/two",)),
        ("<a href=' t\nwo '>2</a><a href='two'>again</a>", ("/guide/two",)),
        ("<map><area href='two'></map>", ("/guide/two",)),
        (
            "<a href='#a'>a</a><a href=''>b</a><a>c</a><a href='#/route'>d</a>",
            ("/guide/one#/route",),
        ),
        (
            "<a href='mailto:a@b.example'>a</a><a href='javascript:0'>b</a><a href='http://['>c</a>",
            (),
        ),
        ("<link href='a.css'><img src='b.png'>", ()),
    ],
)
def test_the_addresses_of_a_page(markup: str, found: tuple[str, ...]) -> None:
    assert hrefs(parse(markup), URL) == tuple(f"https://docs.example{path}" for path in found)


def test_a_page_of_links_has_a_bound() -> None:
    markup = "".join(f"<a href='/{number}'>x</a>" for number in range(6000))
    assert len(hrefs(parse(markup), URL)) == 5000


@pytest.mark.parametrize(
    ("markup", "named"),
    [
        ("<h2 id=a>One</h2>", {"a": 0}),
        ("<h2>One<a class=headerlink id=a href='#a'>¶</a></h2>", {"a": 0}),
        ("<a name=a></a><h2>One</h2>", {"a": 0}),
        (
            "<section id=a><div id=b><h2 id=c>One</h2></div><p>text</p></section>",
            dict.fromkeys("cab", 0),
        ),
        ("<h2>One</h2><p>text</p><section id=a><h2>Two</h2></section>", {"a": 1}),
        ("<h2>One</h2><p id=a>text</p><h2>Two</h2>", {"a": 0}),
        (
            "<h2>One</h2><p id=a><b>text</b></p><section id=b><h2>Two</h2></section>",
            {"b": 1, "a": 0},
        ),
        ("<h2>One</h2><div id=a></div>text<h2>Two</h2>", {"a": 0}),
        ("<p id=a>text</p><h2>One</h2>", {}),
        ("<h2 id=a>Not of the text</h2><h2 id=b>One</h2>", {"b": 0}),
        ("<h2 id=a>One</h2><h2 id=b>One</h2>", {"a": 0}),
        ("<h2 id=a> TWO: &amp; more </h2>", {"a": 2}),
        ("<h2 id=a>One</h2><p id=a>again</p>", {"a": 0}),
    ],
)
def test_places_mean_their_headings(markup: str, named: dict[str, int]) -> None:
    assert dict(anchors(parse(markup), ["One", "Two", "Two & more"])) == named


def test_names_of_headings_come_first_where_there_are_too_many() -> None:
    markup = (
        "<h2>One</h2>" + "".join(f"<p id=p{n}>x</p>" for n in range(3000)) + "<h2 id=z>Two</h2>"
    )
    found = dict(anchors(parse(markup), ["One", "Two"]))
    assert (len(found), found["z"]) == (1000, 1)
