"""Chunks hold whole blocks of one section, and miss none."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from extract.chunks import chunks
from extract.markdown import render_with_spans
from extract.model import Block
from extract.outline import outline, section_of
from tests.extract.blocks import Seen, block_lists, code, heading, paragraph

Drawn = tuple[list[Block], list[Seen]]


@settings(deadline=None)
@given(block_lists(), st.integers(1, 200))
def test_every_block_with_text_is_in_a_chunk_of_its_section(drawn: Drawn, target: int) -> None:
    blocks = drawn[0]
    markdown, spans = render_with_spans(blocks)
    made = chunks(blocks, target)
    sections = outline(blocks)
    reached = 0
    for chunk in made:
        assert chunk.start >= reached
        reached = chunk.end
        assert chunk.text == markdown[chunk.start : chunk.end].strip("\n")
        inside = {section_of(sections, at) for at in range(chunk.start_block, chunk.end_block)}
        assert len(inside) == 1
    held = {at for chunk in made for at in range(chunk.start_block, chunk.end_block)}
    for index, (start, end) in enumerate(spans):
        section = section_of(sections, index)
        assert section is not None
        assert start == end or index in held or (section.words == 0 and section.level)


def test_small_blocks_share_a_chunk_and_a_section_does_not() -> None:
    page = [
        heading("Guide", 1),
        heading("A", 2),
        *[paragraph("word " * 10)] * 4,
        heading("B", 2),
        paragraph("b"),
    ]
    made = chunks(page, 120)
    assert [(c.headings, c.start_block, c.end_block) for c in made] == [
        (("Guide", "A"), 1, 4),
        (("Guide", "A"), 4, 6),
        (("Guide", "B"), 6, 8),
    ]
    assert made[2].text == "## B\n\nb"


def test_a_small_rest_joins_the_chunk_before() -> None:
    page = [paragraph("a" * 90), paragraph("b" * 90), paragraph("c")]
    assert [(c.start_block, c.end_block) for c in chunks(page, 100)] == [(0, 1), (1, 3)]
    assert [(c.start_block, c.end_block) for c in chunks(page[1:], 91)] == [(0, 2)]


def test_code_is_whole_unless_it_is_huge() -> None:
    page = [paragraph("a"), code("line\n" * 12), code("line\n" * 60)]
    made = chunks(page, 40)
    assert [(c.start_block, c.end_block) for c in made[:2]] == [(0, 1), (1, 2)]
    assert len(made) > 5
    assert all(c.end - c.start <= 40 and c.text.count("\n") for c in made[2:])
    assert {(c.start_block, c.end_block) for c in made[2:]} == {(2, 3)}


def test_a_heading_alone_is_kept_where_no_section_below_names_it() -> None:
    page = [heading("A", 1), heading("B", 2), heading("C", 2)]
    assert [(c.headings, c.text) for c in chunks(page)] == [
        (("A", "B"), "## B"),
        (("A", "C"), "## C"),
    ]
    assert chunks([]) == ()
