"""Markdown that is written to break its reader: what it costs, and where it leads."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broker.sites.blocks import linked, prose
from broker.sites.fxtwitter_article import article_blocks
from broker.sites.hn_thread import thread_of
from broker.sites.latexml import mended
from broker.sites.markdown_blocks import Kind, rows_of
from broker.sites.rst import rst_to_markdown
from broker.sites.user_markdown import Bases, as_page, contained
from extract.tree import parse
from tests.broker.sites.talking import READER, no_heading_but_ours

if TYPE_CHECKING:
    from collections.abc import Callable

BASES = Bases("https://a.example/b/", "https://r.example/", "https://a.example/", "")
PIECES = (
    "y\n=\n", "- x\n", "> ", "- ", "- x\n  - y\n", "> x\n", "[a]: b\n", "[a\n", "[", "<div>\n",
    "<!-- ", "<!--\n", "-->", "```\n", "- ```\n", "> ```\n", "| a |\n", "1. a\n\n", "    x\n",
    "*a **b ", "# a\n", "#", "<pre>\n", " ", "\n", "\t", "<a\n", "](a", "](a(", "](javascript:a(",
    "[x](data:a) ", "`", "`` ` ", "<a href=", "\\", '"', "a``b`` ", "a_ ", ".. note::\n", "::\n\n",
    "`a <b", ":a:`b` ",
)  # fmt: skip


def cost_s(work: Callable[[Any], object], text: object) -> float:
    """Processor time, the least of two."""
    took = []
    for _ in range(2):
        begun = time.process_time()
        work(text)
        took.append(time.process_time() - begun)
    return min(took)


@pytest.mark.parametrize("before", ["", "- x\n"])
@pytest.mark.parametrize("piece", PIECES)
def test_the_time_grows_with_the_text_alone(piece: str, before: str) -> None:
    def text(size: int) -> str:
        return (before + piece * (size // len(piece) + 1))[:size]

    for work in (lambda t: contained(t, 1, BASES), rst_to_markdown):
        # Four times the text takes four times as long, and sixteen times in the square of it.
        small, large = cost_s(work, text(1 << 14)), cost_s(work, text(1 << 16))
        assert large < 10 * max(small, 0.005), (piece, small, large)


def _article(count: int) -> object:
    ranges = [{"offset": at, "length": 1, "style": "Bold"} for at in range(count)]
    block = {"type": "unstyled", "text": "a" * count, "inlineStyleRanges": ranges}
    code = {"type": "MARKDOWN", "data": {"markdown": "`" * count + "\n" + "   \n" * count}}
    whole = {"type": "atomic", "entityRanges": [{"key": 0}]}
    return article_blocks(
        {"content": {"blocks": [block, whole], "entityMap": [{"key": 0, "value": code}]}}, []
    )


OTHERS: dict[str, Callable[[int], object]] = {
    "an article": _article,
    "an address": lambda count: linked("http://a.example/" + ")" * count),
    "paragraphs": lambda count: prose("\n \n" * count),
    "comments": lambda count: thread_of(
        {"id": 1, "title": "T", "children": [{"id": 2, "author": "a", "text": "<p>x"}] * count}
    ),
    "equations": lambda count: mended(
        parse("<table class=ltx_equation><tr><td><math alttext=x></math>" * (count // 100)), ""
    ),
    "pictures": lambda count: mended(
        parse(f"<figure>{'<img>' * count}<figcaption>{'<span class=ltx_tag>F</span>' * count}"), ""
    ),
}


@pytest.mark.parametrize("what", OTHERS)
def test_so_does_that_of_other_readers(what: str) -> None:
    small, large = (cost_s(OTHERS[what], count) for count in (2_000, 8_000))
    assert large < 10 * max(small, 0.005), (small, large)


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("- ```bash\n  # c\n  ```\n\n# A", "- ```bash\n  # c\n  ```\n\n## A"),
        ("1. ```sh\n   # c\n   ```\n# A", "1. ```sh\n   # c\n   ```\n## A"),
        ("* ~~~\n  # c\n  ~~~\n# A", "* ~~~\n  # c\n  ~~~\n## A"),
        ("> ```\n> # c\n\n# A", "> ```\n> # c\n\n## A"),
        ("- a\n  ```\n  # c\n\n# A", "- a\n  ```\n  # c\n  ```\n\n## A"),
        ("```\n    ```\n# c\n```\n# A", "```\n    ```\n# c\n```\n## A"),
        ("<pre>\n# c\n\n# d\n</pre>\n\n# A", "<pre>\n# c\n\n# d\n</pre>\n\n## A"),
        ("<pre>\n# c", "<pre>\n# c\n</pre>"),
        ("- # h\n\n> # q\n\n## A", "- ## h\n\n> ## q\n\n## A"),
        ("> A\n> and\n> ===", "> ## A and"),
        ("---\ntitle: x\n---\n\ntext", "```yaml\ntitle: x\n```\n\ntext"),
        ("---\nno data\n---\n", "---\n## no data"),
        ("a \u202eb\u2066", "a b"),
    ],
)
def test_blocks_are_what_commonmark_says(given_text: str, expected: str) -> None:
    assert contained(given_text, 1, BASES) == expected


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("see [x](javascript:alert(1)) now", "see x now"),
        ("[x](JaVa&#115;cript:a)", "[x\\]"),
        ("see [x](\njavascript:a 'b') now", "see x now"),
        ("see ![x](data:image/png;base64,AA==)", "see x"),
        ("see [![x](data:a)](https://b.example)", "see [x](https://b.example)"),
        ("[x]\n\n[x]: javascript:a", "[x]"),
        ("> [x]: data:a\n> b", "> \n> b"),
        ('<a href="javascript:a">x</a>', '<a href="">x</a>'),
        ("<javascript:a>", "\\<javascript:a>"),
        ("`[x](javascript:a)`", "`[x](javascript:a)`"),
        ("```\n[x](javascript:a)\n```", "```\n[x](javascript:a)\n```"),
    ],
)
def test_links_to_programs_are_their_text(given_text: str, expected: str) -> None:
    assert contained(given_text, 1) == expected


LINES = st.lists(
    st.sampled_from(
        ["# a", "## b", "```", "```sh", "~~~", "===", "---", "-", "text", "", "- x", "1. x", "2. x",
         "10) y", "> y", "> # q", "> ```", "- ```", "1. ~~~", "- # h", "    code", "  # i", "\t# t",
         "- > x", "> - x", "- - x", "<pre>", "</pre>", "<div>", "<b>", "***", "-     z", "    ```"]
    ),
    max_size=7,
)  # fmt: skip


@settings(deadline=None, max_examples=400)
@given(LINES)
def test_headings_are_those_of_another_reader(lines: list[str]) -> None:
    text = "\n".join(lines)
    tokens = READER.parse(text)
    theirs = [
        (int(token.tag[1]), "".join(tokens[at + 1].content.split()))
        for at, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    ours = [
        (row.level, "".join(row.text.replace("\\#", "#").split()))
        for row in rows_of(text)
        if row.kind is Kind.HEADING
    ]
    assert ours == theirs


@settings(deadline=None)
@given(LINES)
def test_nothing_below_is_swallowed(lines: list[str]) -> None:
    assert no_heading_but_ours("# ours\n\n" + contained("\n".join(lines), 1, BASES))
    title, body = as_page("\n".join(lines))
    assert no_heading_but_ours(f"# {title or 'ours'}\n\n{body}")
