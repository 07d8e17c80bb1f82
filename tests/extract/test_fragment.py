"""Pieces of markup that are content as they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extract import fragment
from extract.model import Kind
from extract.tree import parse, query

POST = (
    "<p>Turn <b>it</b> by <code>hand|x</code>, see <a href='/q/1'>this</a>.</p><h1>Why</h1>"
    "<h3>Because</h3><nav>Also <a href='b'>that</a></nav><footer>and this</footer>"
    "<pre class='lang-py'><code>x = 1\n# no heading</code></pre>"
    "<p style='display:none'>secret</p><p># no heading</p>"
)


def test_everything_that_is_shown_is_kept_and_nothing_is_judged() -> None:
    assert fragment.markdown(POST, "https://mill.example/a/") == (
        "Turn **it** by `hand|x`, see [this](https://mill.example/q/1).\n\n# Why\n\n### Because\n\n"
        "Also [that](https://mill.example/a/b)\n\nand this\n\n```python\nx = 1\n# no heading\n```"
        "\n\n\\# no heading"
    )


def test_headings_go_below_the_one_that_the_piece_stands_under() -> None:
    levels = [each.level for each in fragment.blocks(POST, below=2) if each.kind is Kind.HEADING]
    assert levels == [3, 5]
    deep = [each.level for each in fragment.blocks(POST, below=5) if each.kind is Kind.HEADING]
    assert deep == [6, 6], "no heading has a deeper level"
    high = fragment.blocks("<h4>Low</h4>", below=2)
    assert high[0].level == 4, "what is low enough stays"


def test_a_tree_is_left_as_it_is() -> None:
    root = parse(POST)
    assert fragment.markdown(root) == fragment.markdown(root) == fragment.markdown(POST)


def test_an_element_is_removed_and_what_follows_it_stays() -> None:
    root = parse("<p>one <i>two</i> three <i>four</i> five</p>")
    for node in query("//i")(root):
        fragment.remove(node)
    assert fragment.markdown(root) == "one three five"
    fragment.remove(root)  # the root itself stands in nothing
    assert fragment.markdown(root) == "one three five"


@given(st.text(), st.integers(0, 6))
def test_nothing_makes_it_fail(html: str, below: int) -> None:
    for block in fragment.blocks(html, below=below):
        assert block.kind is not Kind.HEADING or block.level >= min(below + 1, 6)
