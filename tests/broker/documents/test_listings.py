"""Lines of a column that are code, told from prose that a name stands in; and their spaces."""

from __future__ import annotations

import pytest

from broker.documents.fonts import is_monospace
from broker.documents.pdf.leaf import Leaf, Word
from broker.documents.pdf.listings import code_lines, forget_fixed, listing

SIZE, WIDE, LEADING = 10.0, 6.0, 12.0


def row(text: str, y: float, *, fixed: bool = True, bold: bool = False) -> list[Word]:
    """A line at that height; each letter, spaces too, as wide as the others."""
    words: list[Word] = []
    place = 0
    for part in text.split(" "):
        if part:
            x0 = 50 + WIDE * place
            x1 = x0 + WIDE * len(part)
            words.append(Word(part, x0, x1, y, SIZE, bold, "", bool(words), fixed))
        place += len(part) + 1
    return words


def prose(y: float) -> list[Word]:
    return row("Words of a paragraph", y, fixed=False)


def test_indents_gaps_and_empty_lines_are_those_of_the_page() -> None:
    lines = ["def dam(h):", "    if h > 3:", "", "", "        return   h  # wide"]
    rows = [row(text, 100 + LEADING * at) for at, text in enumerate(lines) if text]
    assert code_lines(rows, 0) == 3
    assert listing(rows) == "\n".join(lines)


@pytest.mark.parametrize(
    ("gap_above", "gap_below", "count"),
    [(18, 18, 1), (12, 18, 0), (18, 12, 0), (12, 12, 0)],
)
def test_a_single_line_is_code_where_it_stands_apart(
    gap_above: float, gap_below: float, count: int
) -> None:
    rows = [prose(100), row("fare(way)", 100 + gap_above)]
    rows.append(prose(100 + gap_above + gap_below))
    assert code_lines(rows, 1) == count


def test_names_at_a_paragraphs_end_and_beginning_are_no_lines_of_the_code_between() -> None:
    code = [row(f"line {number}", 130 + LEADING * number) for number in range(3)]
    rows = [prose(100), row("code()", 112), *code, row("code()", 184), prose(196)]
    assert code_lines(rows, 1) == 0
    assert code_lines(rows, 2) == 3


def test_a_bold_name_that_stands_alone_is_a_heading() -> None:
    rows = [prose(100), row("fare", 130, bold=True), prose(160)]
    assert code_lines(rows, 1) == 0


def test_a_document_set_in_a_typewriters_letters_is_no_code() -> None:
    leaf = Leaf(0, 595, 842, [*row("all of it", 100), *row("and this", 112), *prose(124)[:1]])
    forget_fixed([leaf])
    assert not any(word.fixed for word in leaf.words)


@pytest.mark.parametrize(
    ("name", "fixed"),
    [
        ("LMMono10-Regular", True),
        ("CMTT10", True),
        ("ABCDEF+SFTT1000", True),
        ("DejaVuSansMono", True),
        ("CourierNewPSMT", True),
        ("Consolas", True),
        ("LMMonoProp10-Regular", False),
        ("MonotypeCorsiva", False),
        ("CMR10", False),
        ("DejaVuSerif", False),
    ],
)
def test_typewriters_letters_are_known_by_their_names(name: str, fixed: bool) -> None:
    assert is_monospace(name) is fixed
