"""Passages become blocks in the frames that the page put them in."""

from __future__ import annotations

import pytest

from extract.assemble import assemble
from extract.clues import Reader
from extract.markdown import render
from extract.model import Block, Kind
from extract.tree import parse
from extract.walk import walk

BASE = "https://a.example/d/"


def blocks(html: str) -> tuple[Block, ...]:
    passages = walk(parse(html), Reader({}), everything=True).passages
    return assemble([passage for passage in passages if passage.text], passages, BASE)[0]


def shown(html: str) -> str:
    return render(blocks(html))


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ol start=3><li>a<li value=7>b</ol>", "3. a\n7. b"),
        ("<ol><li><p>a<pre>b</pre><p>c</ol>", "1. a\n\n   ```\n   b\n   ```\n\n   c"),
        ("<ul><li><a href=x>a</a></ul>", "- [a](https://a.example/d/x)"),
        ("<ul><li><h3>a</h3><p>b</ul>", "### a\n\nb"),
        ("<ul><li>" + "a" * 4001 + "</ul>", "a" * 4001),
        ("<li>a", "- a"),
        ("<dl><dt>a<dt>b<dd>c<p>d</dl>", "**a**\n**b**\n: c\n\nd"),
        ("<dl><dt><div>a</div><div>b</div><dd>c</dl>", "**a b**\n: c"),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
        ("<details><summary>a</summary>b</details>", "**a**\n\nb"),
        ("<h2><div>a</div><div>b</div></h2>", "## a b"),
        ("<h2>a<br><br>b</h2><p>c", "## a b\n\nc"),
        ("<h4>¶</h4><p>a", "a"),
        ("<table><caption>a</caption><tr><th>b<th>c<tr><td>1<td>2</table>",
         "a\n\n| b | c |\n| --- | --- |\n| 1 | 2 |"),
        ("<p>a<hr><p>b", "a\n\n---\n\nb"),
        ("<p><script type='math/tex; mode=display'>x</script>", "$$\nx\n$$"),
    ],
    ids=["nested", "numbers", "blocks-in-item", "item-of-a-link", "section-in-item", "long-item",
         "stray-item", "definitions", "term-of-blocks", "quote", "details", "heading-of-blocks",
         "heading-with-breaks", "empty-heading", "caption", "rule", "displayed-formula"],
)  # fmt: skip
def test_structure_is_kept(html: str, markdown: str) -> None:
    assert shown(html) == markdown


def test_a_heading_that_was_never_closed_does_not_swallow_the_page() -> None:
    text = "Words of an ordinary sentence. " * 20

    read = blocks(f"<h2>Title<div>{text}</div><div>More</div>")

    assert [(block.kind, block.level) for block in read] == [
        (Kind.HEADING, 2),
        (Kind.PARAGRAPH, 0),
        (Kind.PARAGRAPH, 0),
    ]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('<div class="admonition note"><p class="admonition-title">Note</p><p>a</div>',
         "> [!NOTE]\n> a"),
        ('<div class="admonition tip"><p class="admonition-title">My own</p><p>a</div>',
         "> [!TIP]\n> My own\n>\n> a"),
        ('<div class="markdown-alert markdown-alert-warning"><p>Warning</p><p>a</div>',
         "> [!WARNING]\n> a"),
        ('<div class="theme-admonition theme-admonition-info alert"><div>info</div><p>a</div>',
         "> [!INFO]\n> a"),
        ('<details class="danger"><summary>Danger</summary><p>a</details>', "> [!DANGER]\n> a"),
        ('<div class="notebook">a</div>', "a"),
        (f'<div class="note">{"a" * 3001}</div>', "a" * 3001),
    ],
    ids=["sphinx", "own-title", "github", "docusaurus", "mkdocs-details", "other-name", "too-long"],
)  # fmt: skip
def test_callouts_are_told_by_their_names(html: str, markdown: str) -> None:
    assert shown(html) == markdown


NOTE = "An old book says so."


@pytest.mark.parametrize(
    "html",
    [
        (
            f'<p>a<sup><a href="#user-content-fn-1" data-footnote-ref>1</a></sup><ol><li '
            f'id="user-content-fn-1"><p>{NOTE} <a href="#user-content-fnref-1">↩</a></ol>'
        ),
        (
            f'<p>a<sup><a href="#cite_note-B-1">[1]</a></sup><ol><li id="cite_note-B-1">^ '
            '<a href="#cite_ref-B_1-0"><sup>a</sup></a> <a href="#cite_ref-B_1-1"><sup>b</sup></a>'
            f" <span>{NOTE}</span></ol>"
        ),
        (
            f'<p>a<a href="#fn1" class="footnote-ref" role="doc-noteref"><sup>1</sup></a><section>'
            f'<ol><li id="fn1"><p>{NOTE}<a href="#fnref1" role="doc-backlink">↩︎</a></ol></section>'
        ),
        (
            f'<p>a<a class="footnote-reference" href="#id2">1</a><dl><dt id="id2"><a href="#i">1'
            f"</a></dt><dd><p>{NOTE}</dl>"
        ),
        (
            f'<p>a<a class="footnote-reference" href="#f">1</a><aside id="f"><span>[<a href="#g">1'
            f"</a>]</span><p>{NOTE}</aside>"
        ),
        (
            f'<p>a<a href="#_ftn1" name="_ftnref1"><sup>[1]</sup></a><p><a href="#_ftnref1" '
            f'name="_ftn1">[1]</a> {NOTE}'
        ),
    ],
    ids=["github", "wiki", "pandoc", "old-sphinx", "sphinx", "word"],
)
def test_footnotes_are_known_by_their_marks(html: str) -> None:
    assert shown(html) == f"a[^1]\n\n[^1]: {NOTE}"


@pytest.mark.parametrize(
    "html",
    [
        "<p>a<sup><a href='#fn1'>1</a></sup>",
        "<p>a <a href='#note-1'>1</a><p id=note-1>b",
        "<p>a<sup><a href='#part'>1</a></sup><p id=part>b",
    ],
    ids=["not-there", "not-raised", "no-note"],
)
def test_other_links_to_a_place_are_no_footnotes(html: str) -> None:
    assert "[^" not in shown(html)


def test_pictures_come_along_between_chosen_text_only() -> None:
    html = "<img alt=a src=/a.png><p>x<figure><img alt=b src=/b.png></figure><p>y<img alt=c src=c>"

    passages = walk(parse(html), Reader({})).passages
    chosen = [passage for passage in passages if passage.text in {"x", "y"}]

    text = render(assemble(chosen, passages, BASE)[0])
    assert "![b](https://a.example/b.png)" in text
    assert "![a]" not in text


def test_links_are_collected_as_they_are_shown() -> None:
    passages = walk(parse("<p><a href=x>a <b>b</b></a><a href=#c>d</a>"), Reader({})).passages

    renderer = assemble(passages, passages, BASE)[1]

    assert renderer.targets == [("a b", "https://a.example/d/x")]
