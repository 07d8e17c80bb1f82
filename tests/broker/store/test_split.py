"""Markdown is cut into passages at headings and paragraphs, and nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.store.split import split_markdown

PIECES = st.sampled_from(
    [
        "# One\n",
        "## Two ##\n",
        "### \n",
        "```\n# no\n",
        "word ",
        "\n",
        "\n\n",
        "x" * 700,
        "東" * 1600,
    ]
)


@given(st.lists(PIECES | st.text(max_size=30)).map("".join))
def test_passages_are_slices_that_leave_out_white_space_only(markdown: str) -> None:
    end = 0
    for passage in split_markdown(markdown):
        assert markdown[passage.offset :].startswith(passage.text)
        assert not markdown[end : passage.offset].strip()
        assert len(passage.text) <= 2500
        end = passage.offset + len(passage.text)
    assert not markdown[end:].strip()


SECTIONS = [
    ("text", [""]),
    ("# A\ntext", ["A"]),
    ("before\n# A\ntext", ["", "A"]),
    ("# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne", ["A", "A / B", "A / B / C", "A / D", "E"]),
    ("# A\n\n## B\n\n### C\nc\n## D\n# E\ne", ["A / B / C", "E"]),
    ("# A\n## B\n", ["A / B"]),
    ("# A\n```\n```\n## B\nb", ["A", "A / B"]),
    ("# A ##\na", ["A"]),
    ("# C#\na", ["C#"]),
    ("#no heading\na", [""]),
    ("# A\n```\n# no\n~~~\n# no\n```\nb\n# B\nb", ["A", "B"]),
    ("# A\n10. ```sh\n    # no\n    ```\n\n# B\nb", ["A", "B"]),
    ("", []),
    (" \n\n", []),
]


@pytest.mark.parametrize(("markdown", "sections"), SECTIONS)
def test_a_passage_names_the_headings_above_it(markdown: str, sections: list[str]) -> None:
    assert [passage.section for passage in split_markdown(markdown)] == sections


def test_a_long_text_is_cut_between_its_lines() -> None:
    passages = split_markdown("A line of some forty characters or so.\n" * 100)
    assert all(passage.text.endswith("so.\n") for passage in passages)
    assert all(800 <= len(passage.text) <= 1000 for passage in passages[:-1])


def test_an_endless_line_is_cut_between_words() -> None:
    passages = split_markdown("word " * 2000)
    assert all(len(passage.text) <= 2500 for passage in passages)
    assert all(passage.text.endswith("word ") for passage in passages)


def test_signs_without_end_take_no_time() -> None:
    assert split_markdown("# " + " " * 1_000_000 + "#")
    assert split_markdown("#" * 1_000_000)
