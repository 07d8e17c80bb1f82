"""Blocks become Markdown that another reader takes apart into the same blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from extract.markdown import plain, render, render_with_spans
from extract.model import Block, Frame, Holder, Kind
from tests.extract.blocks import (
    Seen,
    block_lists,
    bullets,
    code,
    heading,
    numbers,
    paragraph,
    read,
    rule,
    table,
    term,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Drawn = tuple[list[Block], list[Seen]]


@settings(deadline=None)
@given(block_lists())
def test_a_reader_sees_the_blocks_that_were_written(drawn: Drawn) -> None:
    blocks, seen = drawn
    assert read(render(blocks)) == seen


@settings(deadline=None)
@given(block_lists())
def test_spans_follow_each_other_and_hold_all_that_is_not_between_blocks(drawn: Drawn) -> None:
    markdown, spans = render_with_spans(drawn[0])
    before = 0
    for start, end in spans:
        assert before <= start <= end <= len(markdown)
        assert start == end or set(markdown[before:start]) <= set("\n >")
        before = max(before, end)
    assert markdown[before:] == ""


@settings(deadline=None)
@given(block_lists())
def test_plain_text_holds_the_text_of_every_block(drawn: Drawn) -> None:
    text = "".join(plain(drawn[0]).split())
    for block in drawn[0]:
        assert block.kind is Kind.RULE or "".join(block.text.split()) in text


def nested_lists() -> list[Block]:
    outer, inner = bullets(3), numbers(1, 2)
    return [
        paragraph("a", outer[0]),
        paragraph("b", outer[1]),
        paragraph("1", outer[1], inner[0]),
        paragraph("2", outer[1], inner[1]),
        paragraph("c", outer[2]),
    ]


def loose_list() -> list[Block]:
    first, second = numbers(9, 2)
    return [
        paragraph("nine", first),
        code("x\n\n  y", first, language="c"),
        code("z", second),
    ]


def neighbours() -> list[Block]:
    (one,), (two,), (three,), (four,), (five,) = (
        bullets(1), bullets(1), bullets(1), numbers(1, 1), numbers(1, 1)
    )  # fmt: skip
    return [paragraph("x", frame) for frame in (one, two, three, four, five)]


def lists_in_quotes() -> list[Block]:
    quote, (item,) = Frame(Holder.QUOTE), bullets(1)
    inner = Frame(Holder.QUOTE)
    return [
        paragraph("a", quote),
        heading("h", 3, quote, item),
        paragraph("b", quote, item, inner),
        code("c\n\nd", quote, item, inner),
    ]


def callouts() -> list[Block]:
    note, danger = Frame(Holder.CALLOUT, label="note"), Frame(Holder.CALLOUT, label="danger zone")
    return [paragraph("a", note), paragraph("b", note), code("c", danger)]


def definitions() -> list[Block]:
    first, second = Frame(Holder.DEFINITION), Frame(Holder.DEFINITION)
    return [
        term("t"),
        term("u"),
        paragraph("a", first),
        paragraph("b", first),
        term("v"),
        code("c", second),
    ]


def footnotes() -> list[Block]:
    one, two, three = (Frame(Holder.FOOTNOTE, label=label) for label in ("1", "a b", "3"))
    return [paragraph("See there.", one), paragraph("Ibid.", two), code("c", three)]


def rules() -> list[Block]:
    (item,) = bullets(1)
    return [rule(), paragraph("a"), rule(), rule(item)]


def starts_late() -> list[Block]:
    (item,), (inner,) = bullets(1), numbers(3, 1)
    return [paragraph("a", item), paragraph("b", item, inner)]


def empties() -> list[Block]:
    (item,) = bullets(1)
    return [heading("", 1), paragraph(""), paragraph("", item), code(""), table()]


@pytest.mark.parametrize(
    ("blocks", "markdown"),
    [
        (nested_lists, "- a\n- b\n  1. 1\n  2. 2\n- c"),
        (loose_list, "9. nine\n\n   ```c\n   x\n\n     y\n   ```\n\n10. ```\n    z\n    ```"),
        (neighbours, "- x\n\n* x\n\n- x\n\n1. x\n\n1) x"),
        (
            lists_in_quotes,
            "> a\n>\n> - ### h\n>\n>   > b\n>   >\n>   > ```\n>   > c\n>   >\n>   > d\n>   > ```",
        ),
        (callouts, "> [!NOTE]\n> a\n>\n> b\n\n> [!DANGER-ZONE]\n>\n> ```\n> c\n> ```"),
        (definitions, "**t**\n**u**\n: a\n\nb\n\n**v**\n\n```\nc\n```"),
        (footnotes, "[^1]: See there.\n\n\\[^a-b]: Ibid.\n\n[^3]:\n\n```\nc\n```"),
        (rules, "___\n\na\n\n---\n\n- ___"),
        (starts_late, "- a\n\n  3. b"),
        (empties, "```\n```"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_what_stands_in_what_shows(blocks: Callable[[], list[Block]], markdown: str) -> None:
    assert render(blocks()) == markdown


@pytest.mark.parametrize(
    ("block", "markdown"),
    [
        (heading("C #", 2), "## C \\#"),
        (heading("a", 9), "###### a"),
        (code("a\n```\nb", language="c++"), "````c++\na\n```\nb\n````"),
        (table(["a", "b"], ["c|d", ""]), "| a | b |\n| --- | --- |\n| c\\|d |  |"),
        (table(["a"], ["b"], header=False), "|  |\n| --- |\n| a |\n| b |"),
        (term("*a*"), "**\\*a\\***"),
        (Block(kind=Kind.TERM, text="a", inline="**a** *b*"), "**a b**"),
        (Block(kind=Kind.MATH, text="x_1\n\n= y"), "$$\nx_1\n= y\n$$"),
        (Block(kind=Kind.MATH, text="x\n- y"), "$$ x - y $$"),
        (Block(kind=Kind.MATH, text=" "), ""),
        (Block(kind=Kind.HEADING, text="a b", inline="a\\\nb", level=1), "# a b"),
    ],
    ids=lambda value: value.kind if isinstance(value, Block) else repr(value),
)
def test_a_block_by_itself(block: Block, markdown: str) -> None:
    assert render([block]) == markdown


def test_lists_deeper_than_readers_follow_keep_their_text() -> None:
    frames = tuple(bullets(1)[0] for _ in range(40))
    blocks = [paragraph(f"at {depth}", *frames[:depth]) for depth in range(1, 41)]
    seen = read(render(blocks))
    assert [leaf.text for leaf in seen] == [block.text for block in blocks]
    assert {leaf.kind for leaf in seen} == {"p"}


def test_a_block_that_shows_nothing_has_an_empty_span() -> None:
    blocks = [paragraph("a"), heading("", 2), paragraph("b")]
    assert render_with_spans(blocks) == ("a\n\nb", ((0, 1), (1, 1), (3, 4)))
    assert render_with_spans([]) == ("", ())


def test_plain_text_marks_items_and_nothing_else() -> None:
    assert plain(nested_lists()) == "- a\n- b\n  1. 1\n  2. 2\n- c"
    assert plain(loose_list()) == "9. nine\n\n  x\n\n    y\n10. z"
    assert plain([paragraph("*"), rule(), table(["a", "b"], ["c", "d"])]) == "*\n\na\tb\nc\td"
