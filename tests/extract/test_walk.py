"""The walk over a tree: passages in reading order, what they are and what they stand in."""

from __future__ import annotations

import pytest

from extract.clues import Reader
from extract.passages import HIDDEN, NOSCRIPT, Passage, Walk
from extract.tree import parse
from extract.walk import walk


def page(html: str) -> Walk:
    return walk(parse(html), Reader({}))


def seen(html: str) -> list[tuple[str, str]]:
    return [(passage.kind, passage.text) for passage in page(html).passages]


def only(html: str) -> Passage:
    (passage,) = page(html).passages
    return passage


@pytest.mark.parametrize(
    ("html", "passages"),
    [
        ("a<p>b</p>c", [("div", "a"), ("p", "b"), ("div", "c")]),
        ("<p>a <b>b</b>\n c", [("p", "a b c")]),
        ("<li>a<p>b</p><ul><li>c</ul>", [("li", "a"), ("li", "b"), ("li", "c")]),
        ("<p>a<br>b<br> <br>c", [("p", "a b"), ("p", "c")]),
        ("<h2>a <i>b</i></h2>", [("h", "a b")]),
        ("<pre>a\n  b</pre>", [("code", "a\n  b")]),
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", [("table", "a b 1 2")]),
        ("<table role=none><tr><td>a<td>b</table>", [("td", "a"), ("td", "b")]),
        ("<p>a <x-y>b</x-y> c", [("p", "a b c")]),
        ("<x-y>a</x-y><x-y>b</x-y>", [("div", "a"), ("div", "b")]),
        ("<p>a<script>b</script><style>c</style><svg>d</svg>", [("p", "a")]),
        ("<div><template shadowrootmode=open><p>a</p></template></div>", [("p", "a")]),
        ("<template><p>a</p></template>", []),
        ("<a href=x><div>a</div><div>b</div></a>", [("div", "a"), ("div", "b")]),
        ("a<hr>b", [("div", "a"), ("hr", ""), ("div", "b")]),
    ],
    ids=["text-around", "inline", "items", "breaks", "heading", "code", "data", "layout",
         "unknown-inline", "unknown-block", "silent", "shadow", "template", "blocks-in-link",
         "rule"],
)  # fmt: skip
def test_passages_are_runs_of_text_and_know_what_they_are(
    html: str, passages: list[tuple[str, str]]
) -> None:
    assert seen(html) == passages


@pytest.mark.parametrize(
    "permalink",
    [
        '<a class="headerlink" href="#x">¶</a>',
        '<a href="#x">#</a>',
        '<a class="anchor" aria-hidden="true" href="#x"><svg></svg></a>',
        '<span class="mw-editsection">[<a href="/edit">edit this section</a>]</span>',
        '<a href="#x"></a>',
    ],
)
def test_a_heading_is_read_without_its_permalink(permalink: str) -> None:
    assert seen(f"<h2>Text{permalink}</h2>") == [("h", "Text")]


@pytest.mark.parametrize(
    "link", ['<a href="#x">see below</a>', '<a class="anchor" href="/y">the anchor of a ship</a>']
)
def test_a_link_with_words_is_no_permalink(link: str) -> None:
    assert only(f"<p>Text {link}</p>").text.startswith("Text ")
    assert only(f"<p>Text {link}</p>").link_chars > 5


@pytest.mark.parametrize(
    "html",
    ["<p hidden>a", "<div style='display:none'>a", "<div aria-hidden=true>a", "<dialog>a",
     "<div hidden><p>a"],
)  # fmt: skip
def test_blocks_that_are_not_shown_are_marked(html: str) -> None:
    assert only(html).flags & HIDDEN


@pytest.mark.parametrize(
    "html",
    ["<p>a", "<dialog open>a", "<div hidden id=S:1>a", "<div hidden=until-found>a",
     "<details><p>a</details>"],
)  # fmt: skip
def test_blocks_that_are_shown_or_unfold_are_not_marked(html: str) -> None:
    assert not only(html).flags & HIDDEN


def test_inline_text_that_is_not_shown_is_no_text_but_counted() -> None:
    walked = page("<p>a <span style='display:none'>hidden words</span> b")

    assert [passage.text for passage in walked.passages] == ["a b"]
    assert walked.unseen == len("hidden words")


def test_text_for_readers_without_script_is_marked() -> None:
    assert only("<noscript><p>a</p></noscript>").flags & NOSCRIPT


def test_pictures_stand_behind_sources_that_were_never_closed() -> None:
    (passage,) = page("<picture><source srcset=a><source srcset=b><img alt=c></picture>").passages

    assert [piece[0] for piece in passage.pieces if isinstance(piece, tuple)] == ["image"]


def test_a_formula_counts_as_its_source() -> None:
    assert only("<p>a <script type=math/tex>x^2</script> b").text == "a x^2 b"


@pytest.mark.parametrize("tag", ["div", "ul", "span", "b", "x-y"])
def test_text_below_any_depth_of_nesting_is_found(tag: str) -> None:
    walked = page(f"<{tag}>" * 5000 + "deep")

    assert "".join(passage.text for passage in walked.passages).endswith("deep")
