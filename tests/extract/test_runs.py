"""Pieces become a line of inline Markdown, its text and its links."""

from __future__ import annotations

import pytest
from hypothesis import given

from extract.clues import Reader
from extract.runs import Renderer, pieces_of
from extract.tree import parse
from extract.walk import walk
from tests.extract.blocks import TEXT

BASE = "https://a.example/d/"


def line(html: str) -> str:
    (passage,) = walk(parse(f"<p>{html}"), Reader({})).passages
    return Renderer(BASE).run(passage.pieces).inline


def cell(html: str) -> str:
    return Renderer(BASE).of_node(next(parse(f"<div>{html}</div>").iter("div"))).inline


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("a <b>b</b> <i>c</i> <s>d</s>", "a **b** *c* ~~d~~"),
        ("a<b> b </b>c", "a **b** c"),
        ("a <code>b</code>", "a `b`"),
        ("<code><span>a</span> <span>b</span></code>", "`a b`"),
        ("<code>a(<a href=x>b</a>)</code>", "`a(`[`b`](https://a.example/d/x)`)`"),
        ("<a href=x><code>a</code> b</a>", "[`a` b](https://a.example/d/x)"),
        ("a<code> b </code>c", "a `b` c"),
        ("<code>`</code>", "`` ` ``"),
        ("<kbd>Ctrl</kbd>+<kbd>C</kbd>", "`Ctrl`+`C`"),
        ("a<br>b", "a\\\nb"),
        ("<q>a</q>", "\u201ca\u201d"),
        ("a <a href=x> b </a> c", "a [b](https://a.example/d/x) c"),
        ("<a href=#x>a</a> <a href=mailto:b>b</a> <a>c</a>", "a b c"),
        ("*a* _b_ `c` <!-- d -->[e](f)", "\\*a\\* \\_b\\_ \\`c\\` [e\\](f)"),
        ("a\u200bb\u00ad c\u202e \U000e0041d", "ab c d"),
        ("<span>a</span><span>b</span>", "ab"),
        ("a <img alt=b src=c.png> d", "a ![b](https://a.example/d/c.png) d"),
        ("a <img src=c.png>", "a"),
        ("a <a href=#fnref1>↩</a>", "a"),
    ],
    ids=["emphasis", "spaces", "code", "highlighted-code", "link-in-code", "code-in-link",
         "spaced-code", "tick", "keys", "break", "quotation", "spaced-link", "no-target", "escaped",
         "inkless", "spans", "image", "no-alt", "back-link"],
)  # fmt: skip
def test_inline_elements_become_markdown(html: str, markdown: str) -> None:
    assert line(html) == markdown


@pytest.mark.parametrize(
    "image",
    [
        "<img alt=x src=/p.png>",
        "<img alt=x src=data:image/gif;base64,R0 data-src=/p.png>",
        "<img alt=x data-original=/p.png src=/spacer.gif>",
        "<img alt=x srcset='/p.png 1x, /q.png 2x'>",
        "<picture><source srcset='/p.png 480w'><img alt=x></picture>",
    ],
    ids=["src", "lazy", "original", "srcset", "source"],
)
def test_a_picture_is_shown_by_its_real_address(image: str) -> None:
    (passage,) = walk(parse(image), Reader({})).passages
    assert Renderer(BASE).run(passage.pieces).inline == "![x](https://a.example/p.png)"


def test_a_heading_has_no_emphasis_no_pictures_and_no_breaks() -> None:
    (passage,) = walk(
        parse("<h2>a <b>b</b><br>c <img alt=d src=e> <code>f</code>"), Reader({})
    ).passages
    run = Renderer(BASE).run(passage.pieces, heading=True)

    assert (run.inline, run.text) == ("a b c `f`", "a b c f")


def test_a_cell_keeps_its_blocks_apart_and_hides_what_is_hidden() -> None:
    html = "<p>a</p><ul><li>b<li>c</ul><script>d</script><span hidden>e</span><p>$<b>f</b>"

    assert cell(html) == "a\\\nb\\\nc\\\n$**f**"


def test_a_formula_is_shown_once() -> None:
    source = "<annotation encoding=application/x-tex>x_1</annotation>"
    inline = line(f"a <span class=katex><math>{source}</math><span>x1</span></span> b")

    assert inline == "a $x_1$ b"


@given(TEXT)
def test_pieces_of_text_are_the_text(text: str) -> None:
    node = parse("<p></p>").find(".//p")
    assert node is not None
    node.text = "".join(char for char in text if char.isprintable())

    run = Renderer(BASE).run(pieces_of(node))

    assert "".join(run.text.split()) in "".join(node.text.split())
