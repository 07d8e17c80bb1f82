"""Formats that need no library: tables, messages, rich text; and pictures and sound."""

from __future__ import annotations

import shutil
import stat
import time
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

from broker.documents import mail, ocr, rtf, tabular, tools, worker
from broker.documents.failures import Unconverted
from broker.documents.formats import Format, format_of
from broker.documents.tabular import table_of
from broker.documents.vectors import is_vector, vector_markdown
from broker.reading.plain import draft_of, kind_of
from scripts.typesetting.__main__ import scanned
from tests.broker.documents.reading import DATA, convert, words

if TYPE_CHECKING:
    from pathlib import Path

SAID = words("Nobody knew how many people cross the harbour by ferry")


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [("a,b\n1,2\n", ""), ("a;b\n1;2\n", ""), ("a\tb\r\n1\t2\r\n", "\t"), ("a|b\n1|2", "")],
)
def test_values_are_a_table_whatever_separates_them(text: str, delimiter: str) -> None:
    assert table_of(text, delimiter).markdown == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_a_cell_may_hold_anything() -> None:
    text = 'name,said\n"Otto, the pilot","one | two\nthree \\ four"\nshort\n'
    assert table_of(text).markdown.split("\n")[2:] == [
        "| Otto, the pilot | one \\| two three \\\\ four |",
        "| short |  |",
    ]


def test_a_quotation_mark_in_tabbed_values_is_one() -> None:
    text = 'size\tof\n"5\tinch\n6\t"a ""tin"""\n'
    assert table_of(text, "\t").markdown.split("\n")[2:] == ['| "5 | inch |', '| 6 | a "tin" |']


def test_a_long_table_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabular, "MOST_ROWS", 10)
    table = table_of("n,square\n" + "".join(f"{n},{n * n}\n" for n in range(25)))
    assert table.markdown.count("\n") == 11
    assert table.notes == ("only the first 10 of 25 rows are shown",)


@pytest.mark.parametrize(
    "text", ["", "\n\n", "no table at all", 'a,b\n"never closed,1\n' + "x" * 200_000]
)
def test_what_is_no_table_gives_none(text: str) -> None:
    assert table_of(text).markdown == ""


def message(**fields: str) -> EmailMessage:
    made = EmailMessage()
    given = {"From": "Ada Fährmann <ada@ferry.example>", "To": "otto@ferry.example"}
    for name, value in {**given, "Subject": "Wet sheets", **fields}.items():
        made[name] = value
    return made


def test_a_message_shows_its_header_its_text_and_what_is_attached() -> None:
    made = message(Date="Sun, 17 May 2026 10:00:00 +0200")
    made.set_content("Three sheets fell into the water.\n\nThe tin is wet.\n")
    made.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="sheets.pdf")
    document = mail.convert(made.as_bytes())
    assert document.title == "Wet sheets"
    assert document.byline == "Ada Fährmann <ada@ferry.example>"
    assert document.published == "2026-05-17T10:00:00+02:00"
    assert document.markdown.startswith("# Wet sheets\n\n**From:** Ada Fährmann")
    assert "fell into the water.\n\nThe tin is wet." in document.markdown
    assert "- sheets.pdf (application/pdf, 5 bytes)" in document.markdown
    assert document.notes == ["1 attachments are named, not read"]


def test_a_message_in_markup_is_read_as_a_page() -> None:
    made = message()
    made.set_content("<h2>Sheets</h2><p>Three of them are <b>wet</b>.</p>", subtype="html")
    markdown = mail.convert(made.as_bytes()).markdown
    assert "## Sheets" in markdown
    assert "Three of them are **wet**." in markdown


def test_of_two_forms_of_a_text_one_is_read() -> None:
    made = message()
    made.set_content("The biscuit tin stays where it is.")
    made.add_alternative("<p>The biscuit tin stays where it is.</p>", subtype="html")
    assert mail.convert(made.as_bytes()).markdown.count("biscuit tin") == 1


def test_messages_in_messages_end_somewhere() -> None:
    inner = message(Subject="inmost")
    inner.set_content("inmost words")
    for depth in range(30):
        outer = message(Subject=f"around {depth}")
        outer.set_content(f"words {depth}")
        outer.add_attachment(inner)
        inner = outer
    document = mail.convert(inner.as_bytes())
    assert "words 29" in document.markdown
    assert "inmost words" not in document.markdown


@pytest.mark.parametrize(
    "body",
    [
        b"From: a\nTo: b\nSubject: c\n\n",
        b"Subject: =?utf-8?q?=ff=fe?=\nFrom: \xff\nDate: never\n\nx",
    ],
)
def test_a_strange_message_is_read_all_the_same(body: bytes) -> None:
    assert format_of(body) is Format.MAIL
    mail.convert(body)


def test_prose_that_begins_like_a_header_is_no_message() -> None:
    assert format_of(b"Note: this is prose.\nTo: somebody\n\nMore of it.") is Format.OTHER


def test_a_header_may_have_lines_of_any_length() -> None:
    people = b", ".join(b'"P %d" <p%d@ferry.example>' % (n, n) for n in range(20_000))
    body = (
        b"From: a@b.example\r\nSubject: Long\r\nTo: "
        + people
        + b"\r\nDate: never\r\n\r\nHello.\r\n"
    )
    assert format_of(body) is Format.MAIL
    document = mail.convert(body)
    assert '**To:** "P 0" \\<p0@ferry.example>, "P 1"' in document.markdown
    assert len(document.markdown) < 2000


def test_a_forwarded_message_keeps_its_header() -> None:
    inner = message(Subject="Inner", From="Otto <otto@ferry.example>")
    inner.set_content("Inner words.")
    outer = message()
    outer.set_content("See below.")
    outer.add_attachment(inner)
    markdown = mail.convert(outer.as_bytes()).markdown
    assert "See below.\n\n## Inner\n\n**From:** Otto \\<otto@ferry.example>" in markdown
    assert markdown.index("**Subject:** Inner") < markdown.index("Inner words.")


def test_a_field_of_bytes_that_say_no_encoding_is_read() -> None:
    subject = "Объявление про мокрые листы".encode("koi8-r")
    body = b"From: a@b.example\nTo: c@d.example\nSubject: " + subject + b"\n\nx"
    assert mail.convert(body).title == "Объявление про мокрые листы"


def test_a_plain_message_reads_as_it_was_written() -> None:
    made = message()
    made.set_content("# no heading\n---\n> quoted *star*\n\n    code *star* # x\n<b>\n")
    assert mail.convert(made.as_bytes()).markdown.endswith(
        "\\# no heading\n\\---\n> quoted \\*star\\*\n\n    code *star* # x\n\\<b>"
    )


DRAWN = (
    "<!-- drawn by hand --><svg xmlns='http://www.w3.org/2000/svg'><title>The *quay*</title>"
    "<g><desc>From above.</desc><text>Wet <tspan>ti</tspan>n<tspan x='0'>lid</tspan></text>"
    "<switch><foreignObject><p>A</p>"
    "</foreignObject><text>B</text></switch></g><style>c</style><script>d</script></svg>"
)


@pytest.mark.parametrize("prolog", ["", "<?xml version='1.0'?>\n<!DOCTYPE svg PUBLIC 'x' 'y'>\n"])
def test_what_is_written_in_a_vector_picture_is_read(prolog: str) -> None:
    body = (prolog + DRAWN).encode()
    known = kind_of(body, "image/svg+xml", "a.svg")
    draft = draft_of(body, known.kind, media_type="image/svg+xml", name="a.svg")
    assert draft.body.markdown == "# The \\*quay\\*\n\nFrom above.\n\nWet tin lid\n\nA"


def test_a_page_that_holds_a_vector_picture_is_no_picture() -> None:
    assert not is_vector(f"<html><body>{DRAWN}")
    assert vector_markdown("<svg><path d='M0 0'/></svg>") == ""


def test_rich_text_keeps_what_its_words_say() -> None:
    body = (
        rb"{\rtf1\ansi\ansicpg1252{\stylesheet{\s1 heading 1;}}{\info{\title Tin}}"
        rb"{\pard\s1 First\par}{\pard caf\'e9 \u8364? \{x\}\par}"
        rb"{\pard{\listtext\'b7\tab}one\par}{\pard{\listtext\'b7\tab}two\par}{\*\unknown gone}}"
    )
    document = rtf.convert(body)
    assert document.markdown == "# First\n\ncafé € {x}\n\n- one\n- two"
    assert document.title == "Tin"


def test_rich_text_tells_what_its_author_shows_and_no_more() -> None:
    body = (
        rb"{\rtf1{\info{\title Tin}{\subject S}{\company C}{\doccomm D}}One"
        rb"{\*\footnote\chftn{\b  Wet}"
        rb" note.\par More.} more\page two{\deleted gone}{\v hidden}\deleted gone\plain  three"
        rb"\par{\xe index}end}"
    )
    document = rtf.convert(body)
    assert document.markdown == "One[^1] more\n\ntwo three\n\nend\n\n[^1]: Wet note. More."


def test_a_note_in_which_a_file_is_cut_off_is_kept() -> None:
    assert rtf.convert(rb"{\rtf1 One{\footnote Half a").markdown == "One[^1]\n\n[^1]: Half a"


def test_a_ragged_table_is_not_filled_up_to_its_longest_row() -> None:
    body = (
        rb"{\rtf1 " + rb"\intbl a\cell\row " * 3000 + rb"\intbl " + rb"a\cell " * 3000 + rb"\row}"
    )
    assert len(rtf.convert(body).markdown) < 2 * len(body)


# --- pictures and sound ---------------------------------------------------------------------------


@pytest.fixture
def tesseract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")  # as the broker has it
    if shutil.which("tesseract") is None:
        pytest.skip("Tesseract is not installed")


@pytest.mark.usefixtures("tesseract")
def test_a_picture_is_read_by_ocr_which_says_so(tmp_path: Path) -> None:
    document = convert((DATA / "scan.jpg").read_bytes(), tmp_path)
    assert words(document.markdown) >= SAID
    (note,) = document.notes
    assert note.startswith("read by OCR (")
    assert "eng" in note


@pytest.mark.usefixtures("tesseract")
def test_a_scanned_pdf_goes_to_ocr_by_itself(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    document = convert(scanned((DATA / "scan.jpg").read_bytes()), tmp_path)
    assert words(document.markdown) >= SAID
    assert [note for note in document.notes if note.startswith("pages read by OCR (")]


@pytest.mark.usefixtures("tesseract")
def test_ocr_hands_over_what_it_has_when_the_time_is_up(tmp_path: Path) -> None:
    reader = ocr.Ocr(tmp_path, time.monotonic() - 1)
    assert reader.file(DATA / "scan.jpg") is None


@pytest.mark.parametrize("name", ["scan.jpg", "scan.pdf"])
def test_without_tesseract_the_error_names_the_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pypdfium2")
    monkeypatch.setenv("PATH", str(tmp_path))
    jpeg = (DATA / "scan.jpg").read_bytes()
    body = scanned(jpeg) if name == "scan.pdf" else jpeg
    (tmp_path / "input").write_bytes(body)
    result = worker.result(format_of(body), body, tmp_path, time.monotonic() + 60)
    assert isinstance(result, Unconverted)
    assert result.code == "missing_part"
    assert "apt install tesseract-ocr" in str(result)


WAVE = b"RIFF\x24\0\0\0WAVEfmt " + b"\0" * 28
WHISPER = """#!/bin/sh
[ "$1 $3 $5" = "-m -f -l" ] && [ -s "$2" ] && [ -s "$4" ] && echo " The tin is wet. "
"""


def test_sound_is_written_down_by_a_program_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "whisper-cli"
    program.write_text(WHISPER, encoding="ascii")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "ggml-tiny.bin").write_bytes(b"model")
    monkeypatch.setattr(tools, "_MODEL_FOLDERS", (str(tmp_path),))
    monkeypatch.setenv("PATH", str(tmp_path))
    document = convert(WAVE, tmp_path)
    assert document.markdown == "The tin is wet."
    assert document.notes == ["written down by whisper.cpp (tiny): may be wrong"]


def test_each_part_that_is_missing_is_told_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tools, "_MODEL_FOLDERS", ())
    monkeypatch.setattr(tools, "find_spec", lambda _: None)
    told = tools.missing_parts()
    for sentence, command in zip(
        told,
        (
            "-m pip install 'webaio[documents]'",
            "apt install tesseract-ocr",
            "building it as its README tells",
        ),
        strict=True,
    ):
        assert sentence.endswith(f"{command} adds it")


@pytest.mark.parametrize("name", ["seasons-libreoffice.xls", "report-libreoffice.pdf"])
def test_without_the_extra_the_error_names_the_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "find_spec", lambda _: None)
    body = (DATA / name).read_bytes()
    result = worker.result(format_of(body), body, tmp_path, time.monotonic() + 60)
    assert isinstance(result, Unconverted)
    assert result.code == "missing_part"
    assert "-m pip install 'webaio[documents]'" in str(result)
