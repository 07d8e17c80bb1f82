"""Markup as a tree: anything goes in, and what a person sees comes out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.tree import has_class, is_hidden, parse, query, visible_text


@pytest.mark.parametrize(
    "html",
    ["", " ", "\0", "<!-- only a comment -->", "<?php", "\ud800", b"", b"\xff\xfe\x00", b"\0" * 9],
    ids=repr,
)
def test_what_holds_no_markup_is_an_empty_page(html: str | bytes) -> None:
    assert parse(html).tag == "html"


@given(st.one_of(st.text(), st.binary()))
def test_parsing_never_raises(html: str | bytes) -> None:
    visible_text(parse(html))


def test_a_page_may_nest_deeper_than_pythons_stack() -> None:
    depth = 1500
    root = parse("<div>" * depth + "down here" + "</div>" * depth)
    assert visible_text(root) == "down here"


@pytest.mark.parametrize(
    "tag",
    [
        "<div>",
        "<b>",
        "<font size=2>",
        "<table><tr><td>",
        "<ul><li>",
        "<blockquote>",
        "<span><div></span>",
    ],
)
def test_nesting_without_end_loses_no_text(tag: str) -> None:
    html = "<p>up here</p>" + tag * 30_000 + "<h2>down</h2> <p>here"
    assert visible_text(parse(html)) == "up here down here"


def test_what_stands_in_too_deep_a_nest_keeps_its_structure_and_its_borders() -> None:
    nest = "<DIV title='a > b'><!-- <div> --><script>'<div>'</script>" * 5000
    inner = "<h2>A</h2><div>one</div><div>two</div><table><tr><td>c<td>d</table>"
    root = parse(nest + inner + "</div>" * 5000 + "<p>behind</p>")
    assert visible_text(root) == "A one two c d behind"
    assert [node.text for node in query("//h2 | //td")(root)] == ["A", "c", "d"]


def test_what_follows_a_closed_nest_stands_outside_it() -> None:
    root = parse("<main>" + "<div>" * 5000 + "in" + "</div>" * 5000 + "<p>out</p></main>")
    (paragraph,) = query("//main/p[. = 'out']")(root)
    assert paragraph.getparent() is not None


@pytest.mark.parametrize(
    "html",
    [
        "<html><head></head></html><body><p>one</p><div>two</div>",
        "<html><body><p>one</p></body></html><div>two</div>",
        "<HTML><BODY><div><p>one</p></BODY></HTML></div><div>two</div></BODY></HTML>",
        "<body><p>one</p><html><body></body></html ><div>two</div></body>\n</html>",
    ],
)
def test_a_page_goes_on_behind_its_end(html: str) -> None:
    root = parse(html)
    assert visible_text(root) == "one two"
    assert [node.getparent().tag for node in query("//div[. = 'two']")(root)] == ["body"]  # type: ignore[union-attr]


@pytest.mark.parametrize("value", ["", '="1 > 0"', "='</p>'", "=1"])
def test_attributes_without_end_cost_no_more_than_their_bytes(value: str) -> None:
    many = " ".join(f"a{n}{value}" for n in range(200_000))
    root = parse(f"<p>before</p><div {many} hidden>in</div><p title='kept'>after</p>")
    assert visible_text(root) == "before in after"
    (div,) = query("//div")(root)
    assert len(div.attrib) == 512


def test_long_attributes_and_long_text_are_left_as_they_are() -> None:
    long = "x <y " * 60_000
    root = parse(f"<p title='{long}'>1</p><script>{long}</script><pre>{'z ' * 9000}</pre>")
    (paragraph,) = query("//p")(root)
    assert paragraph.get("title") == long
    assert [node.text for node in query("//script")(root)] == [long]
    assert visible_text(root).count("z") == 9000


@pytest.mark.parametrize(
    "html", ["a\0b<p>c\x01\x1f</p>", b"a\0b<p>c\x01\x1f</p>"], ids=["text", "bytes"]
)
def test_control_characters_are_left_out(html: str | bytes) -> None:
    assert visible_text(parse(html)) == "ab c"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("grüße €".encode(), "grüße €"),
        ("\ufeffgrüße".encode(), "grüße"),
        ('<meta charset="iso-8859-1">grüße'.encode("latin-1"), "grüße"),
        ('<meta charset="shift_jis">検索'.encode("shift_jis"), "検索"),
        ('<meta charset="iso-8859-1">grüße'.encode(), "grüße"),
        ("<p>検索</p>".encode("utf-16"), "検索"),
        ('<?xml version="1.0" encoding="latin-1"?><p>grüße', "grüße"),
    ],
    ids=["utf-8", "with a mark", "declared", "japanese", "wrongly declared", "utf-16", "text"],
)
def test_bytes_are_read_as_utf_8_or_as_they_declare(page: str | bytes, text: str) -> None:
    assert visible_text(parse(page)) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a <b>bold</b>er  word\n", "a bolder word"),
        ("one<br>two<p>three</p>four", "one two three four"),
        ("<ul><li>a<li>b</ul>", "a b"),
        ("<td>a</td><td>b</td>", "a b"),
        ("no&nbsp;break and&#8203;zero&shy;width", "no break andzerowidth"),
        ("\u200fright \u200e\u202bto\u202c left", "right to left"),
        ("क्\u200dष 👩\u200d💻 \u06cc\u200c\u062e", "क्\u200dष 👩\u200d💻 \u06cc\u200c\u062e"),
        ("a<!-- b -->c", "ac"),
        ("a<script>b</script>c<style>d</style>e<noscript>f</noscript>", "ace"),
        ("a<span hidden>b</span><i style='color:red; DISPLAY : none'>c</i>d", "ad"),
        ("<i style='background-display:none-such'>kept</i>", "kept"),
        ("1 &lt; 2 &amp;amp; 3", "1 < 2 &amp; 3"),
    ],
)
def test_visible_text_is_what_a_person_reads(html: str, text: str) -> None:
    assert visible_text(parse(html)) == text


def test_what_is_dropped_goes_with_all_it_holds_and_leaves_what_follows() -> None:
    root = parse("<p>a<s>b<i>c</i></s>d</p>")
    assert visible_text(root, lambda node: node.tag == "s") == "ad"


def test_a_query_finds_elements_in_the_order_of_the_page() -> None:
    found = query("//b | //i")(parse("<i>1</i><b>2</b><i>3</i>"))
    assert [node.text for node in found] == ["1", "2", "3"]


def test_a_class_is_a_word_of_its_attribute() -> None:
    (node,) = query("//p")(parse("<p class='one two\tthree'>"))
    assert has_class(node, "two")
    assert has_class(node, "no", "three")
    assert not has_class(node, "thr")
    assert not is_hidden(node)
