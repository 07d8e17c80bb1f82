"""Parts of a page: whole blocks within a size, and windows that miss nothing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from extract.markdown import render, render_with_spans
from extract.model import Block, Kind
from extract.trim import border, trim, window
from tests.extract.blocks import Seen, block_lists, code, heading, paragraph, table

Drawn = tuple[list[Block], list[Seen]]

SENTENCES = "One sentence here. Another one there. A third, which is longer than both."


@settings(deadline=None)
@given(block_lists(), st.integers(0, 200), st.integers(0, 5))
def test_what_is_left_fits(drawn: Drawn, max_chars: int, start: int) -> None:
    blocks = drawn[0]
    trimmed = trim(blocks, max_chars, start)
    assert trimmed.chars == len(render(trimmed.blocks)) <= max_chars
    whole = trimmed.blocks[:-1] if trimmed.is_cut else trimmed.blocks
    assert whole == tuple(blocks[start : start + len(whole)])
    following = start + len(trimmed.blocks)
    assert trimmed.next_block == (following if following < len(blocks) else None)


def test_all_of_a_small_page_is_left() -> None:
    blocks = (heading("a", 1), paragraph("b"))
    trimmed = trim(blocks, 100)
    assert (trimmed.blocks, trimmed.next_block, trimmed.is_cut) == (blocks, None, False)


def test_blocks_stay_whole_and_no_heading_ends_the_text() -> None:
    blocks = [paragraph("a" * 40), paragraph("b" * 30), heading("c", 2), paragraph("d" * 80)]
    trimmed = trim(blocks, 100)
    assert trimmed.blocks == tuple(blocks[:2])
    assert trimmed.next_block == 2
    assert trim(blocks, 100, 2).blocks == tuple(blocks[2:])


def test_a_paragraph_too_long_is_cut_behind_a_sentence() -> None:
    trimmed = trim([heading("a", 1), paragraph(SENTENCES)], 50)
    assert trimmed.is_cut
    assert trimmed.next_block is None
    assert render(trimmed.blocks) == "# a\n\nOne sentence here. Another one there. …"


def test_code_is_cut_behind_a_line_and_a_table_behind_a_row() -> None:
    lines = code("first line\nsecond line\nthird line")
    assert render(trim([lines], 36).blocks) == "```\nfirst line\nsecond line\n```"
    rows = table(["a", "b"], ["c", "d"], ["e", "f"])
    cut = trim([rows], 36)
    assert render(cut.blocks) == "| a | b |\n| --- | --- |\n| c | d |"
    assert cut.blocks[0].text == "a\tb\nc\td"
    assert trim([rows], 20).blocks == ()


def test_what_cannot_be_cut_is_left_out() -> None:
    formula = Block(kind=Kind.MATH, text="x" * 90)
    trimmed = trim([formula, paragraph("a")], 50)
    assert (trimmed.blocks, trimmed.next_block, trimmed.chars) == ((), 0, 0)
    assert trim([paragraph("abc")], 0).blocks == ()


@settings(deadline=None)
@given(block_lists(), st.integers(1, 120))
def test_windows_in_a_row_show_every_block_once(drawn: Drawn, limit: int) -> None:
    markdown, spans = render_with_spans(drawn[0])
    shown = ""
    offset: int | None = 0
    while offset is not None:
        part = window(markdown, spans, offset, limit)
        assert part.end - part.start <= limit
        between = markdown[offset : part.start]
        assert not between.strip("\n >") or offset == 0
        shown += markdown[part.start : part.end]
        assert part.next_offset is None or part.next_offset > offset
        offset = part.next_offset
    kept = "".join(markdown[start:end] for start, end in spans)
    assert _letters(shown) == _letters(kept)


def _letters(text: str) -> str:
    return "".join(character for character in text if character not in "\n >")


def test_an_offset_inside_a_block_goes_back_to_its_beginning() -> None:
    markdown, spans = render_with_spans([paragraph("first"), paragraph("second"), paragraph("3")])
    part = window(markdown, spans, 9, 8)
    assert (markdown[part.start : part.end], part.next_offset) == ("second", 15)
    part = window(markdown, spans, 9, 9)
    assert (markdown[part.start : part.end], part.next_offset) == ("second\n\n3", None)


def test_nothing_is_behind_the_end() -> None:
    markdown, spans = render_with_spans([paragraph("a")])
    assert window(markdown, spans, 99, 10) == window(markdown, (), 0, 0)


def test_a_long_block_comes_in_parts() -> None:
    markdown, spans = render_with_spans([paragraph(SENTENCES)])
    first = window(markdown, spans, 0, 45)
    assert markdown[first.start : first.end] == "One sentence here. Another one there."
    assert first.next_offset == first.end
    rest = window(markdown, spans, first.end, 45)
    assert (rest.start, rest.end, rest.next_offset) == (first.end, len(markdown), None)


def test_text_ends_at_the_best_border() -> None:
    assert border("line one\nline") == 9
    assert border("One. Two. Thr") == 9
    assert border("you and m") == 8
    assert border("你好。世界") == 3
    assert border("abcdef") == 6
