"""Pages of PDFs set by hand: to the left, on their sides, with forms, with what follows a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.documents.pdf.bidi import in_reading_order, is_leftward
from broker.documents.pdf.leaf import Word
from scripts.typesetting.__main__ import pdf
from tests.broker.documents.reading import convert, headings, rows
from tests.broker.documents.test_pdf import WIDE, made, page_of, prose

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytest.importorskip("pypdfium2", reason="the documents extra is not installed")

HEBREW = "הספינה יוצאת מן הנמל בבוקר", "והיא שבה אליו בערב"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
ARABIC = "السفينة في الميناء"


# --- to the left ----------------------------------------------------------------------------------


def letters_of(lines: Sequence[str]) -> bytes:
    """A PDF of lines that end at the same place, whose letters are set as they are seen."""
    known = sorted(set("".join(lines)))
    names = {letter: chr(65 + index) for index, letter in enumerate(known)}
    shown = "\n".join(
        f"BT /F 10 Tf 1 0 0 1 {500 - 6 * len(line)} {700 - 12 * index} Tm "
        f"({''.join(names[letter] for letter in reversed(line))}) Tj ET"
        for index, line in enumerate(lines)
    ).encode()
    told = "\n".join(f"<{ord(name):02x}> <{ord(letter):04x}>" for letter, name in names.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def\n"
        f"1 begincodespacerange <00> <ff> endcodespacerange {len(names)} beginbfchar\n{told}\n"
        "endbfchar endcmap end end"
    ).encode()
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /ToUnicode 6 0 R >>",
            PAGE + b"/Contents 5 0 R /Resources << /Font << /F 3 0 R >> >> >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap),
        ]
    )


def test_a_paragraph_in_hebrew_is_read_from_right_to_left(tmp_path: Path) -> None:
    assert convert(letters_of(HEBREW), tmp_path).markdown == " ".join(HEBREW)


def test_a_line_in_arabic_is_read_from_right_to_left(tmp_path: Path) -> None:
    assert convert(letters_of([ARABIC]), tmp_path).markdown == ARABIC


@pytest.mark.parametrize(
    ("seen", "read"),
    [
        ("one two 3", "one two 3"),
        ("ג ב א", "א ב ג"),
        ("ד 123 ב א", "א ב 123 ד"),
        ("בערב the old tin יוצאת הספינה", "הספינה יוצאת the old tin בערב"),
        ("the tin ב א holds", "the tin א ב holds"),
        ("בערב page 12 of it הספינה", "הספינה page 12 of it בערב"),
    ],
)
def test_words_are_read_as_their_letters_run(seen: str, read: str) -> None:
    words = [
        Word(text, 10.0 * place, 10.0 * place + 8, 0, 10, bold=False, font="F")
        for place, text in enumerate(seen.split())
    ]
    for word in words:
        word.leftward = is_leftward(word.text)
    assert " ".join(word.text for word in in_reading_order(words)) == read


# --- on their sides -------------------------------------------------------------------------------


def test_upright_lines_come_before_those_on_their_side_which_are_more(tmp_path: Path) -> None:
    aside = "\n".join(
        f"BT /F 10 Tf 0 1 -1 0 {200 + 12 * index} 100 Tm (aside{index} {WIDE}) Tj ET"
        for index in range(6)
    )
    text = convert(made(page_of([(100, 750, "An upright line")], aside)), tmp_path).markdown
    expected = " ".join(f"aside{index} {WIDE}" for index in range(6))
    assert text == f"An upright line\n\n{expected}"


def test_a_few_words_on_their_side_follow_the_text_of_the_page(tmp_path: Path) -> None:
    aside = "BT /F 10 Tf 0 1 -1 0 200 300 Tm (crossings in a year) Tj ET"
    text = convert(made(page_of(prose(50, 700, "line"), aside)), tmp_path).markdown
    assert text.endswith("\n\ncrossings in a year")


# --- forms ----------------------------------------------------------------------------------------


def test_what_was_filled_into_a_form_follows_its_page(tmp_path: Path) -> None:
    page = page_of([(72, 720, "Application")])
    notes = b"/Annots [6 0 R 7 0 R 8 0 R 9 0 R 10 0 R]"
    widget = b"<< /Type /Annot /Subtype /Widget /Rect [150 690 350 710] /P 3 0 R "
    body = pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R 7 0 R 8 0 R 9 0 R] >> >>",
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            PAGE + notes + b" /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            widget + b"/FT /Tx /T (who) /TU (Name) /V (Ada Quay) >>",
            widget + b"/FT /Tx /T (empty) >>",
            widget + b"/FT /Btn /T (agreed) /V /Yes /AS /Yes /AP << /N << /Yes 4 0 R >> >> >>",
            widget + b"/FT /Tx /Ff 8192 /T (key) /V (rope and tar) >>",
            b"<< /Type /Annot /Subtype /FreeText /Rect [72 500 300 550] /Contents (Seen by me) >>",
        ]
    )
    text = convert(body, tmp_path).markdown
    assert text == "Application\n\nSeen by me\n\nForm fields:\n\n- Name: Ada Quay\n- agreed: yes"


# --- where a table ends ---------------------------------------------------------------------------

CELLS = [("Item", "Euro", "Days"), ("Diesel", "46", "3"), ("Wages", "112", "5"), ("Tin", "9", "1")]


def cells(left: float = 65) -> bytes:
    return page_of(
        [
            (left + 90 * column, 600.0 - 14 * row, cell)
            for row, line in enumerate(CELLS)
            for column, cell in enumerate(line)
        ]
    )


def test_a_heading_behind_a_table_is_no_row_of_it(tmp_path: Path) -> None:
    head = page_of([(50, 532, "1.1"), (80, 532, "Below")], size=12)
    page = b"\n".join([page_of(prose(50, 760, "above")), cells(), head])
    text = convert(made(page + b"\n" + page_of(prose(50, 500, "below"))), tmp_path).markdown
    assert rows(text) == CELLS
    assert headings(text) == ["Below"]


def test_a_table_ends_where_the_distance_grows(tmp_path: Path) -> None:
    page = page_of(prose(50, 760, "above")) + b"\n" + cells()
    page += b"\n" + page_of([(50, 528, "1"), (155, 528, "7")])
    assert rows(convert(made(page), tmp_path).markdown) == CELLS


def test_a_line_above_footnotes_is_no_end_of_a_table(tmp_path: Path) -> None:
    rules = b"0.5 w 60 596 m 300 596 l S 60 300 m 300 300 l S"
    places = (60, "Then the"), (155, "rate"), (245, "falls"), (297, "considerably for the")
    text = page_of([*((x, 528, word) for x, word in places), (60, 280, "1 Or so.")])
    page = b"\n".join([page_of(prose(50, 760, "above")), cells(), text, rules])
    found = convert(made(page), tmp_path).markdown
    assert rows(found) == CELLS
    assert "\n\nThen the rate falls considerably for the" in found
