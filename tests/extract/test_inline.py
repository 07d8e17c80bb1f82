"""Inline Markdown reads as the text it was made of, and looks like prose where it can."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.inline import (
    BREAK,
    EMPHASIS,
    MARKS,
    STRIKE,
    STRONG,
    cell,
    code_span,
    escape,
    image,
    join,
    link,
    without_stars,
)
from extract.leaves import line_start
from tests.extract.blocks import LIVELY, READER, TEXT, fold, read, targets

URL = "http://example.org/"


def shown(markdown: str) -> str:
    seen = read(markdown)
    assert all(leaf.kind == "p" and not leaf.path for leaf in seen)
    return " ".join(leaf.text for leaf in seen)


@given(TEXT | LIVELY)
def test_escaped_text_reads_as_itself(text: str) -> None:
    text = fold(text)
    assert shown(line_start(escape(text))) == text


@given(st.lists(TEXT | LIVELY))
def test_lines_of_a_paragraph_read_as_themselves(lines: list[str]) -> None:
    lines = [fold(line) for line in lines]
    pieces = [piece for line in lines for piece in (escape(line), BREAK)]
    assert shown(line_start(join(pieces))) == fold(" ".join(lines))


@given(TEXT | LIVELY)
def test_a_code_span_reads_as_its_text(text: str) -> None:
    tokens = READER.parseInline(code_span(text))[0].children or []
    assert "".join(token.content for token in tokens) == text.replace("\n", " ")
    assert all(token.type == "code_inline" for token in tokens)


KINDS = ("text", "text", "spaced", "code", "link", *sorted(MARKS))


@given(st.lists(st.tuples(st.sampled_from(KINDS), LIVELY), max_size=8))
def test_joined_pieces_read_as_their_texts(drawn: list[tuple[str, str]]) -> None:
    texts: list[str] = []
    pieces: list[str] = []
    for kind, raw in drawn:
        text = fold(raw)
        made = {
            "text": (text, escape(text)),
            "spaced": (f" {text} ", escape(f" {text} ")),
            "code": (f" {text} ", f" {code_span(text)} "),
            "link": (text, link(escape(text), URL)),
        }
        shown_text, piece = made.get(kind, ("", kind))
        texts.append(shown_text)
        pieces.append(piece)
    assert shown(line_start(join(pieces))) == fold("".join(texts))


@pytest.mark.parametrize(
    "text",
    [
        "It costs 5 * 3 = 15, or 3 < 4; a_b_c and snake_case stay.",
        "AT&T, R&D, [1] and [see below]: (yes) ~5 #1 C# 100%",
        'C:\\Windows\\new "quoted" text | with a bar!',
        "你好, 世界。#标签",
    ],
    ids=["sums", "names", "paths", "chinese"],
)
def test_prose_is_not_escaped(text: str) -> None:
    assert line_start(escape(text)) == text


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("# no heading", "\\# no heading"),
        ("1. no item", "1\\. no item"),
        ("2024) no item", "2024\\) no item"),
        ("- no item", "\\- no item"),
        ("> no quote", "\\> no quote"),
        ("---", "\\---"),
        ("===", "\\==="),
        ("|-|-|", "\\|-|-|"),
        ("[a]: b", "\\[a]: b"),
        ("<b>", "\\<b>"),
        ("&lt;", "\\&lt;"),
        ("[a](b)", "[a\\](b)"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("~~", "\\~\\~"),
        ("1.5 and -1", "1.5 and -1"),
    ],
)
def test_what_would_be_markup_is_escaped(text: str, markdown: str) -> None:
    assert line_start(escape(text)) == markdown


@pytest.mark.parametrize(
    ("pieces", "markdown"),
    [
        (["a", STRONG, " b ", STRONG, "c"], "a **b** c"),
        (["a ", STRONG, STRONG, "b"], "a b"),
        (["a ", STRONG, "b", STRONG, STRONG, "c", STRONG], "a **bc**"),
        ([STRONG, EMPHASIS, "b", EMPHASIS, STRONG], "***b***"),
        (["注意", STRONG, "你好。", STRONG, "世界"], "注意你好。世界"),
        ([STRONG, "Note:", STRONG, " text"], "**Note:** text"),
        ([STRIKE, "old", STRIKE, " new"], "~~old~~ new"),
        ([STRONG, "never closed"], "never closed"),
        (["see ", "!", "[a](b)"], "see \\![a](b)"),
        (["[1]", "(2)"], "[1]\\(2)"),
        (["`a`", "`b`"], "`ab`"),
        (["x", " `a`", "``b`c``"], "x `a` ``b`c``"),
        (["&", "amp;"], "\\&amp;"),
        ([" a ", " b ", BREAK, " c", BREAK], "a b\\\nc"),
        ([BREAK, STRONG, BREAK, "a", BREAK, STRONG, "b"], "**a**\\\nb"),
        ([], ""),
    ],
    ids=lambda value: repr(value) if isinstance(value, list) else "",
)
def test_pieces_are_joined_so_that_each_keeps_its_meaning(pieces: list[str], markdown: str) -> None:
    assert join(pieces) == markdown


@pytest.mark.parametrize(
    ("url", "markdown"),
    [
        (URL + "a b", "[t](http://example.org/a%20b)"),
        (URL + "a_(b)", "[t](http://example.org/a_(b))"),
        (URL + "a)b(", "[t](http://example.org/a%29b%28)"),
        (URL + "<a>", "[t](http://example.org/%3Ca%3E)"),
        (URL + "?a=1&lt=2&lt;", "[t](http://example.org/?a=1&lt=2\\&lt;)"),
        ("  /a\n/b ", "[t](/a/b)"),
        ("", "t"),
    ],
)
def test_an_address_of_any_kind_can_be_linked(url: str, markdown: str) -> None:
    assert link("t", url) == markdown


@given(TEXT | LIVELY, st.text(st.characters(codec="ascii"), min_size=1))
def test_a_link_leads_where_it_should(text: str, url: str) -> None:
    text = fold(text)
    markdown = link(escape(text), "x" + url)
    assert shown(line_start(markdown)) == text
    assert len(targets(markdown)) == bool(text)


def test_what_is_linked_may_hold_anything_but_a_lonely_bracket() -> None:
    assert link("a]b", URL) == f"[a\\]b]({URL})"
    assert link("[a] `]`", URL) == f"[[a] `]`]({URL})"
    assert link(image("a", "b"), URL, 'say "x"') == f'[![a](b)]({URL} "say \\"x\\"")'
    assert link(f" a{BREAK}b ", URL) == f" [a b]({URL}) "
    assert link(" ", URL) == " "


def test_a_cell_is_one_line_without_bars() -> None:
    assert cell(f"a|b{BREAK}`c|d` ") == "a\\|b<br>`c\\|d`"


def test_stars_that_are_no_marks_stay() -> None:
    assert without_stars("a **b** *c* 2 * 3 `**d**` \\*e\\* [f](*g*)") == (
        "a b c 2 * 3 `**d**` \\*e\\* [f](*g*)"
    )
