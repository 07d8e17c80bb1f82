"""Whole pages become the documents that stand beside them, and no input is an exception."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extract.model import Block, Kind
from extract.page import extract, titled
from tests.extract.blocks import heading, paragraph

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = Path(__file__).parents[1] / "data" / "pages"
URL = "https://site.example/dir/page.html"
PROSE = (
    "The harbour was built in three stages, and each of them left a wall behind that still stands.",
    "Visitors reach the oldest part on foot, because the road ends at the gate, as it always has.",
)


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.html")), ids=lambda path: path.stem)
def test_a_page_reads_as_the_markdown_beside_it(page: Path) -> None:
    document = extract(page.read_bytes(), URL)

    assert document.markdown == page.with_suffix(".md").read_text(encoding="utf-8").rstrip("\n")


def article(*parts: str, head: str = "") -> str:
    first, last = (f"<p>{text}</p>" for text in PROSE)
    inner = "".join(parts)
    return f"<html><head>{head}</head><body><article>{first}{inner}{last}</article></body></html>"


def test_a_document_says_what_the_page_says_about_itself() -> None:
    document = extract((PAGES / "article--plain.html").read_bytes(), URL)

    assert document.title == "The three walls of the harbour"
    assert document.byline == "Ada Berg"
    assert (document.published or "").startswith("2025-03-04")
    assert document.language == "en"
    assert document.canonical == "https://notes.example/walls"
    assert [(section.level, section.text) for section in document.outline] == [
        (1, "The three walls of the harbour"),
        (2, "The first wall"),
        (2, "The second wall"),
    ]
    assert [(link.text, link.url) for link in document.links] == [
        ("given up by its people", "https://site.example/islands/north")
    ]
    assert document.notes == ()


def test_hidden_text_is_dropped_and_counted() -> None:
    document = extract((PAGES / "article--hidden-text.html").read_bytes(), URL)

    (note,) = document.notes
    count = int(note.split()[0])
    assert note == f"{count} characters of hidden text were dropped"
    assert 400 < count < 800


@pytest.mark.parametrize("source", ["script--json-ld", "script--next-data"])
def test_text_out_of_the_pages_data_is_noted(source: str) -> None:
    (note,) = extract((PAGES / f"{source}.html").read_bytes(), URL).notes

    assert note.startswith("the text stands only in the page's data (")


def test_bytes_that_are_no_text_are_noted() -> None:
    words = "今天上午在北京".encode()
    page = b"<p>" + words + b"\xe5\x8f... " + words

    assert extract(page, URL, content_type="text/html; charset=utf-8").notes == (
        "some bytes are no utf-8 and were replaced",
    )


def test_text_without_markup_is_its_paragraphs() -> None:
    document = extract("One *star*\nand more\n\n \n# Two, 3 < 4")

    assert document.markdown == "One \\*star\\* and more\n\n\\# Two, 3 < 4"
    assert [block.kind for block in document.blocks] == [Kind.PARAGRAPH] * 2


def test_links_are_resolved_against_the_base() -> None:
    page = article(
        '<p>See <a href="b">one</a>, <a href="/c?d#e">two</a>, <a href="//f.example">three</a>, '
        '<a href="#g">four</a>, <a href="javascript:h()">five</a>, <a href="http://[">six</a>.</p>',
        head='<base href="/base/">',
    )

    assert [link.url for link in extract(page, URL).links] == [
        "https://site.example/base/b",
        "https://site.example/c?d#e",
        "https://f.example",
    ]


# The title


def levels(blocks: tuple[Block, ...]) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in blocks]


@pytest.mark.parametrize(
    ("blocks", "title", "expected"),
    [
        ([paragraph("p")], "T", [(1, "T"), (0, "p")]),
        ([paragraph("p"), heading("H", 1)], "T", [(1, "H"), (0, "p")]),
        ([heading("A", 1), heading("B", 1)], "T", [(1, "A"), (2, "B")]),
        ([heading("t!", 3), paragraph("p")], "T", [(1, "t!"), (0, "p")]),
        ([heading("A", 1), heading("a", 2), heading("A", 3)], "T", [(1, "A"), (3, "A")]),
        ([heading("B", 3), paragraph("p")], "", [(3, "B"), (0, "p")]),
        ([], "T", []),
    ],
    ids=["added", "moved", "demoted", "promoted", "repeated", "none-known", "no-blocks"],
)
def test_a_document_has_one_title_and_begins_with_it(
    blocks: list[Block], title: str, expected: list[tuple[int, str]]
) -> None:
    assert levels(titled(blocks, title)) == expected


# Whatever comes


@pytest.mark.parametrize(
    "page",
    ["", b"", b"\0" * 99, "\ud800", "<", "<!doctype html>", "<!-- x", "<table>", "<table><td>x",
     "<![CDATA[x]]>", "<frameset><frame src=x></frameset>", "<title>x", "<?xml version='1.0'?><a/>",
     "<math>", "<script type=math/tex>", "<li>x", "<dd>x", "<img alt=x srcset=','>",
     "<a href='http://['>x</a>", "<base href='http://['><a href=x>y</a>",
     "<ol start=-9999999999><li>", "<ol start=\u0663><li value=\u00b2>x",
     "<td colspan=-1 rowspan=99999>x", "<p><\0p>a\0b</p>"],
    ids=repr,
)  # fmt: skip
def test_odd_input_gives_a_document(page: str | bytes) -> None:
    extract(page, URL)
    extract(page, "http://[")


@settings(deadline=None)  # the first one loads the table
@given(st.binary(), st.text())
def test_no_bytes_raise(page: bytes, url: str) -> None:
    extract(page, url)
    extract(b"<p>" + page, url)


@settings(deadline=None)
@given(st.text(st.characters()), st.text())
def test_no_text_raises(page: str, url: str) -> None:
    extract(page, url)
    extract(f"<div>{page}", url)


TAGS = (
    "a", "b", "code", "div", "p", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td",
    "th", "pre", "h1", "h2", "h6", "blockquote", "details", "summary", "sup", "span", "img",
    "br", "hr", "math", "script", "template", "noscript", "nav", "footer", "main",
    "article", "form", "button", "picture", "source", "section", "figure", "figcaption",
    "dialog", "svg", "iframe", "x-y", "mjx-container", "select", "textarea", "q",
)  # fmt: skip
ATTRIBUTES = (
    "", " hidden", " id=fn1", " href=#fn1", " href=/x", " class=footnote-ref", " class=katex",
    " class=MathJax", " class='admonition note'", " role=doc-noteref", " style=display:none",
    " aria-hidden=true", " id=S:0", " type=math/tex", " shadowrootmode=open", " alt=x src=y",
    " colspan=3", " start=4", " class=highlight", " class=mw-editsection",
)  # fmt: skip
PARTS = (
    st.builds("<{}{}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES))
    | st.builds("</{}>".format, st.sampled_from(TAGS))
    | st.sampled_from(["x", "[1]", " ", "Some words here, that go on. ", "^", "¶", "\n", "`|*_#"])
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PARTS, max_size=60).map("".join))
def test_no_tag_soup_raises(soup: str) -> None:
    extract(soup, URL)
    extract(article(soup), URL)


SHAPES: dict[str, Callable[[int], str]] = {
    "nested-div": lambda n: "<div>" * n + "<p>deep text</p>",
    "nested-span": lambda n: "<p>" + "<span>" * n + "text",
    "nested-list": lambda n: "<ul><li>x" * n,
    "nested-quote": lambda n: "<blockquote>x" * n,
    "nested-table": lambda n: "<table><tr><td>x" * n,
    "nested-link": lambda n: "<a href=/x>y" * n,
    "nested-math": lambda n: "<span class=MathJax>x" * n,
    "paragraphs": lambda n: "<p>Some words here, that go on for a while. </p>" * n,
    "headings": lambda n: "<h2>a</h2>" * n,
    "blocks-in-a-heading": lambda n: "<h2>" + "<div>a</div>" * n,
    "terms": lambda n: "<dl>" + "<dt>a<dd>b" * n,
    "breaks": lambda n: "x<br><br>" * n,
    "links": lambda n: "<p>" + "<a href=/x>y</a> " * n,
    "footnotes": lambda n: "".join(
        f"<p>x<sup><a href=#fn{i}>{i}</a></sup></p><p id=fn{i}>note" for i in range(n // 8)
    ),
    "sources": lambda n: "<picture>" + "<source srcset=x>" * n + "<img alt=a>",
    "attributes": lambda n: "<p " + " ".join(f"a{i}=1" for i in range(n)) + ">x",
    "classes": lambda n: '<div class="' + "a-b " * n + '">x</div>',
    "less-than": lambda n: "<p>" + "<" * n,
    "entities": lambda n: "<p>" + "&amp;" * n,
    "code": lambda n: "<pre>" + "<span class=line>x</span>\n" * n + "</pre>",
    "cells": lambda n: "<table>" + "<tr><th>a<td>b" * n + "</table>",
}


def seconds(page: str) -> float:
    gc.collect()
    start = time.process_time()
    extract(page, URL)
    return time.process_time() - start


@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_the_size_of_the_page(shape: str) -> None:
    make = SHAPES[shape]
    small = min(seconds(make(1500)) for _ in range(2))
    large = seconds(make(6000))

    # Four times as much takes four times as long; sixteen times would be quadratic.
    assert large < 9 * small + 0.05
