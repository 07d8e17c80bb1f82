"""Markdown of others as a part of a document of ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.sites.user_markdown import Bases, as_page, contained
from broker.sites.writing import heading, joined
from tests.broker.sites.talking import no_heading_but_ours

BASES = Bases(
    "https://web.example/o/r/blob/main/docs/",
    "https://raw.example/o/r/main/docs/",
    "https://web.example/o/r/blob/main/",
    "https://raw.example/o/r/main/",
)


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("# A\n\n## B", "### A\n\n#### B"),
        ("#### A", "#### A"),
        ("###### A\n# B", "###### A\n### B"),
        ("A\n===\n\nB\n---", "### A\n\n#### B"),
        ("A and\nmore\n===", "### A and more"),
        ("A\n\n---\n\nB", "A\n\n---\n\nB"),
        ("- item\n---", "- item\n---"),
        ("| a |\n---", "| a |\n---"),
        ("# A ##\n#B", "### A\n#B"),
        ("```\n# code\n```\n# A", "```\n# code\n```\n### A"),
        ("    # code", "    # code"),
        ("    ```\n# A", "    ```\n### A"),
        ("```py\nnever closed", "```py\nnever closed\n```"),
        ("~~~\n```\n# code", "~~~\n```\n# code\n~~~"),
        ("````\n```\n````\n# A", "````\n```\n````\n### A"),
        ("> ```\n> # quoted\n\n# A", "> ```\n> # quoted\n\n### A"),
        ("a <!-- gone --> b", "a  b"),
        ("a\n<!--\ngone\n-->\nb", "a\nb"),
        ("<!-- gone -->\na", "a"),
        ("a <!--\ngone --> b <!-- gone", "a \n b \\<!-- gone"),
        ("# A ##\n# #\n# C#", "### A\n###\n### C#"),
        ("`<!--` is how", "`<!--` is how"),
        ("```\n<!-- stays -->\n```", "```\n<!-- stays -->\n```"),
        ("<!-- never closed\n# A", "\\<!-- never closed\n### A"),
        ("a\r\n\r\n# B\r\n", "a\n\n### B"),
        ("", ""),
    ],
)
def test_what_would_reach_beyond_it_does_not(given_text: str, expected: str) -> None:
    assert contained(given_text, 2) == expected


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("[a](b.md)", "[a](https://web.example/o/r/blob/main/docs/b.md)"),
        ("[a](../b.md#c 'title')", "[a](https://web.example/o/r/blob/main/b.md#c 'title')"),
        ("[a](/b)", "[a](https://web.example/o/r/blob/main/b)"),
        ("[a](b_(c).md)", "[a](https://web.example/o/r/blob/main/docs/b_(c).md)"),
        ("![a](b.png)", "![a](https://raw.example/o/r/main/docs/b.png)"),
        ("[big](/b.svg?raw=1)", "[big](https://raw.example/o/r/main/b.svg?raw=1)"),
        (
            "[![a](b.png)](c)",
            "[![a](https://raw.example/o/r/main/docs/b.png)](https://web.example/o/r/blob/main/docs/c)",
        ),
        ("[a](<b.md>)", "[a](<https://web.example/o/r/blob/main/docs/b.md>)"),
        ("[a]: b.md", "[a]: https://web.example/o/r/blob/main/docs/b.md"),
        ('<img src="b.png">', '<img src="https://raw.example/o/r/main/docs/b.png">'),
        ("<a href='b'>", "<a href='https://web.example/o/r/blob/main/docs/b'>"),
        ("[a](https://x.example/b)", "[a](https://x.example/b)"),
        ("[a](//x.example/b)", "[a](https://x.example/b)"),
        ("[a](mailto:a@x.example) [b](#c)", "[a](mailto:a@x.example) [b](#c)"),
        ("`[a](b)`", "`[a](b)`"),
        ("``` \n[a](b)\n```", "``` \n[a](b)\n```"),
    ],
)
def test_relative_addresses_become_absolute(given_text: str, expected: str) -> None:
    assert contained(given_text, 1, BASES) == expected


def test_a_file_has_its_own_title_or_none() -> None:
    assert as_page("# T\n\na\n\n# B\n\n## C") == ("T", "a\n\n## B\n\n### C")
    assert as_page("a\n\n## C") == ("", "a\n\n## C")
    assert as_page("intro\n\n# T") == ("T", "intro")


LINES = st.lists(
    st.sampled_from(
        ["# a", "## b", "```", "````py", "~~~", "===", "---", "text", "", "- x", "> y", "> ```",
         "<!--", "-->", "a <!-- b", "    code", "    ```", "\t# tab", "| t |", "`<!--`", "[a](b)"]
    )
)  # fmt: skip


@given(LINES)
def test_no_text_has_a_heading_or_a_fence_that_leaves_it(lines: list[str]) -> None:
    text = contained("\n".join(lines), 1, BASES)
    assert no_heading_but_ours(joined(heading(1, "ours"), text))
    title, body = as_page("\n".join(lines))
    assert no_heading_but_ours(joined(heading(1, title or "ours"), body))


@given(st.text(alphabet="#`~<!->=\n ax[]()|"))
def test_nothing_makes_it_fail(text: str) -> None:
    assert no_heading_but_ours(joined(heading(1, "ours"), contained(text, 1, BASES)))
