"""Pages of PDFs set by hand: columns, tables, running heads, sideways pages, divided words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.documents.pdf.hyphens import Words
from scripts.typesetting.__main__ import pdf
from tests.broker.documents.reading import convert, headings, rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytest.importorskip("pypdfium2", reason="the documents extra is not installed")

Placed = tuple[float, float, str]
"""x, y from below, and a line of text."""

WIDE = "the ferry crosses the harbour"


def page_of(lines: Sequence[Placed], more: str = "", *, size: int = 10) -> bytes:
    """The commands that set these lines."""
    parts = [f"BT /F {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET" for x, y, text in lines]
    return "\n".join([*parts, more]).encode("latin-1")


def made(*pages: bytes, box: str = "0 0 595 842") -> bytes:
    """A PDF of pages with these commands."""
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for index, page in enumerate(pages):
        parts += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Contents {5 + 2 * index} 0 R "
            "/Resources << /Font << /F 3 0 R >> >> >>".encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page),
        ]
    return pdf(parts)


def prose(x: float, top: float, name: str, count: int = 8) -> list[Placed]:
    """Lines below each other, each with a name of its own."""
    return [(x, top - 12 * index, f"{name}{index} {WIDE}") for index in range(count)]


def in_order(text: str, *names: str) -> bool:
    places = [text.index(name) for name in names]
    return places == sorted(places)


def test_columns_are_read_one_after_another_however_the_file_has_them(tmp_path: Path) -> None:
    left, right = prose(50, 700, "left"), prose(320, 700, "right")
    by_rows = [line for pair in zip(left, right, strict=True) for line in pair]
    title = [(50.0, 760.0, f"Across both columns {WIDE} and {WIDE} and {WIDE} again")]
    text = convert(made(page_of([*by_rows, *title])), tmp_path).markdown
    assert in_order(text, "Across", "left0", "left7", "right0", "right7")


def test_a_wide_line_divides_the_columns_above_from_those_below(tmp_path: Path) -> None:
    lines = [
        *prose(50, 700, "aa"),
        *prose(320, 700, "bb"),
        (50.0, 560.0, f"Across both columns {WIDE} and {WIDE} and {WIDE} again"),
        *prose(50, 520, "cc"),
        *prose(320, 520, "dd"),
    ]
    text = convert(made(page_of(lines)), tmp_path).markdown
    assert in_order(text, "aa0", "aa7", "bb0", "bb7", "Across", "cc0", "cc7", "dd0", "dd7")


def test_a_table_without_lines_is_known_by_its_columns(tmp_path: Path) -> None:
    cells = [
        ("Item", "Euro", "Days"),
        ("Diesel", "46", "3"),
        ("Wages", "112", "5"),
        ("Tin", "9", "1"),
    ]
    lines = [
        (50.0 + 90 * column, 600.0 - 14 * row, cell)
        for row, line in enumerate(cells)
        for column, cell in enumerate(line)
    ]
    document = convert(made(page_of([*prose(50, 760, "above"), *lines])), tmp_path)
    assert rows(document.markdown) == cells


def test_a_table_between_three_lines_keeps_cells_of_several_words(tmp_path: Path) -> None:
    cells = [("What it is", "Cost"), ("Diesel for a day", "46"), ("Wages of two", "112")]
    lines = [
        (50.0 + 160 * column, 600.0 - 14 * row, cell)
        for row, line in enumerate(cells)
        for column, cell in enumerate(line)
    ]
    rules = "0.5 w 50 612 m 260 612 l S 50 596 m 260 596 l S 50 566 m 260 566 l S"
    document = convert(made(page_of([*prose(50, 760, "above"), *lines], rules)), tmp_path)
    assert rows(document.markdown) == cells


def test_what_stands_on_every_page_is_left_out(tmp_path: Path) -> None:
    pages = [
        page_of(
            [
                (200, 810, "The Harbour Times"),
                *prose(50, 700, f"p{number}x"),
                (290, 30, f"{number}"),
            ]
        )
        for number in range(1, 5)
    ]
    text = convert(made(*pages), tmp_path).markdown
    assert "Harbour Times" not in text
    assert in_order(text, "p1x0", "p2x0", "p3x0", "p4x7")
    assert not any(line.isdigit() for line in text.splitlines())


def test_a_paragraph_goes_on_over_a_page(tmp_path: Path) -> None:
    pages = page_of(prose(50, 700, "one")), page_of([(50, 700, "and two ends here.")])
    text = convert(made(*pages), tmp_path).markdown
    assert f"one7 {WIDE} and two ends here." in text


@pytest.mark.parametrize("turn", ["0 1 -1 0", "-1 0 0 -1", "0 -1 1 0"])
def test_a_page_that_lies_on_its_side_is_read_as_if_it_stood(turn: str, tmp_path: Path) -> None:
    places = {"0 1 -1 0": (120, 50), "-1 0 0 -1": (500, 100), "0 -1 1 0": (400, 700)}
    steps = {"0 1 -1 0": (12, 0), "-1 0 0 -1": (0, 12), "0 -1 1 0": (-12, 0)}
    (x, y), (across, up) = places[turn], steps[turn]
    page = "\n".join(
        f"BT /F 10 Tf {turn} {x + across * index} {y + up * index} Tm (line{index} {WIDE}) Tj ET"
        for index in range(6)
    )
    text = convert(made(page.encode()), tmp_path).markdown
    assert text == " ".join(f"line{index} {WIDE}" for index in range(6))


def test_a_stamp_at_the_edge_is_no_text_of_the_page(tmp_path: Path) -> None:
    stamp = "BT /F 14 Tf 0 1 -1 0 20 300 Tm (preprint 0000) Tj ET"
    text = convert(made(page_of(prose(50, 700, "line"), stamp)), tmp_path).markdown
    assert "preprint" not in text


def test_larger_lines_are_headings_by_their_size(tmp_path: Path) -> None:
    heads = (
        page_of([(50, 780, "The Whole")], size=20) + b"\n" + page_of([(50, 730, "A Part")], size=14)
    )
    document = convert(made(heads + b"\n" + page_of(prose(50, 700, "line"))), tmp_path)
    assert headings(document.markdown) == ["The Whole", "A Part"]
    assert document.markdown.startswith("# The Whole\n\n## A Part\n\n")
    assert document.title == "The Whole"


@pytest.mark.parametrize(
    ("known", "lines", "whole"),
    [
        ("counting counts", ("more count-", "ing here"), "more counting here"),
        ("a well-worn tin", ("a well-", "worn tin"), "a well-worn tin"),
        ("", ("state-of-", "the-art"), "state-of-the-art"),
        ("", ("in-", "heritance"), "inheritance"),
        ("", ("cross-", "ing"), "crossing"),
        ("", ("self-", "taught"), "self-taught"),
        ("", ("Jean-", "Pierre"), "Jean-Pierre"),
        ("", ("pages 12-", "14"), "pages 12-14"),
        ("", ("a dash -", "and more"), "a dash - and more"),
        ("", ("港の", "渡し船"), "港の渡し船"),
    ],
)
def test_a_divided_word_becomes_whole(known: str, lines: tuple[str, str], whole: str) -> None:
    assert Words([known, *lines]).joined(lines) == whole
