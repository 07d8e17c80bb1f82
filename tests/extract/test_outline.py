"""The outline holds every block once, with the words below each heading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from extract.outline import count_words, heading_paths, largest, outline, section_of
from tests.extract.blocks import Seen, block_lists, code, heading, paragraph

if TYPE_CHECKING:
    from extract.model import Block, Section

PAGE = [
    paragraph("Before it all."),
    heading("Guide", 1),
    heading("Install", 2),
    paragraph("one two three"),
    code("four five"),
    heading("", 2),
    heading("Linux", 3),
    paragraph("one"),
    heading("Use", 2),
]


def test_a_page_is_parted_at_its_headings() -> None:
    assert [(s.level, s.text, s.words, s.start, s.end) for s in outline(PAGE)] == [
        (0, "", 3, 0, 1),
        (1, "Guide", 0, 1, 2),
        (2, "Install", 5, 2, 6),
        (3, "Linux", 1, 6, 8),
        (2, "Use", 0, 8, 9),
    ]
    assert outline([]) == ()


def test_each_section_knows_the_headings_above_it() -> None:
    assert heading_paths(outline(PAGE)) == (
        (),
        ("Guide",),
        ("Guide", "Install"),
        ("Guide", "Install", "Linux"),
        ("Guide", "Use"),
    )


def test_the_largest_section_has_the_most_words_of_its_own() -> None:
    found = largest(outline(PAGE))
    assert found is not None
    assert found.text == "Install"
    assert largest(()) is None


def test_a_block_is_in_the_section_that_holds_it() -> None:
    sections = outline(PAGE)
    texts = [section_of(sections, index) for index in range(len(PAGE) + 1)]
    assert [section and section.text for section in texts] == (
        ["", "Guide", *["Install"] * 4, *["Linux"] * 2, "Use", None]
    )
    assert section_of((), 0) is None


@settings(deadline=None)
@given(block_lists())
def test_sections_hold_every_block_once(drawn: tuple[list[Block], list[Seen]]) -> None:
    sections: tuple[Section, ...] = outline(drawn[0])
    assert [i for s in sections for i in range(s.start, s.end)] == list(range(len(drawn[0])))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("one two", 2),
        ("déjà vu", 2),
        ("你好世界", 2),
        ("你好吗 ok", 3),
        ("สวัสดี", 3),
        ("한국어 말", 2),
    ],
)
def test_characters_of_scripts_without_spaces_are_half_a_word(text: str, words: int) -> None:
    assert count_words([text]) == words
