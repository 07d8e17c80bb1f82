"""Documents made by real programs, checked against what went into them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from broker.documents import worker
from broker.documents.failures import Unconverted
from broker.documents.formats import Format
from scripts.typesetting import texts
from scripts.typesetting.model import Items, Linked, Noted
from tests.broker.documents.reading import (
    DATA,
    LONG_S,
    all_words,
    code,
    convert,
    headings,
    rows,
    said_words,
    words,
)

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("kreuzberg", reason="the documents extra is not installed")

REPORTS = sorted(path.name for path in DATA.glob("report-*"))
SLIDES = sorted(path.name for path in DATA.glob("slides-*"))
SHEETS = sorted(path.name for path in DATA.glob("seasons-*"))


def test_there_are_documents_of_every_program() -> None:
    assert (len(REPORTS), len(SLIDES), len(SHEETS)) == (11, 3, 3)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_comes_back_whole(name: str, tmp_path: Path) -> None:
    text = texts.REPORT
    document = convert((DATA / name).read_bytes(), tmp_path)
    found = headings(document.markdown)
    assert [heading for heading in found if heading != text.title] == list(text.headings)
    assert rows(document.markdown) == list(text.rows)
    for paragraph in text.prose.split("\n"):
        assert paragraph in document.markdown
    items = next(block.texts for block in text.blocks if isinstance(block, Items))
    assert "\n".join(f"- {item}" for item in items) in document.markdown
    if not name.endswith(".doc"):  # whose typewriter's letters are not told from others
        assert code(document.markdown) == list(text.code)
    assert words(document.markdown) - {"python"} <= all_words(text)  # EPUB names the language
    assert said_words(text) <= words(document.markdown)


@pytest.mark.parametrize("name", [name for name in REPORTS if not name.endswith(".pdf")])
def test_links_and_notes_of_a_report_come_back(name: str, tmp_path: Path) -> None:
    markdown = convert((DATA / name).read_bytes(), tmp_path).markdown.replace("*", "")
    linked = next(block for block in texts.REPORT.blocks if isinstance(block, Linked))
    noted = next(block for block in texts.REPORT.blocks if isinstance(block, Noted))
    assert f"{linked.before} [{linked.words}]({linked.url}){linked.behind}" in markdown
    assert f"\n\n{noted.text}[^1]\n\n" in markdown
    assert markdown.endswith(f"\n\n[^1]: {noted.note}")


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_says_who_wrote_it(name: str, tmp_path: Path) -> None:
    document = convert((DATA / name).read_bytes(), tmp_path)
    without_title = {"report-pandoc.rtf"}
    without_author = {"report-pandoc.rtf", "report-chromium.pdf"}
    assert document.title == ("" if name in without_title else texts.REPORT.title)
    assert document.byline == (None if name in without_author else texts.REPORT.author)


@pytest.mark.parametrize("name", SLIDES)
def test_slides_are_headings_with_what_stands_below(name: str, tmp_path: Path) -> None:
    text = texts.SLIDES
    document = convert((DATA / name).read_bytes(), tmp_path)
    assert headings(document.markdown) == [text.title, *text.headings]
    assert rows(document.markdown) == list(text.rows)
    assert "- diesel and wages\n- repairs after every storm" in document.markdown
    assert document.title == text.title


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_is_a_table(name: str, tmp_path: Path) -> None:
    document = convert((DATA / name).read_bytes(), tmp_path)
    expected = [
        tuple(cell.replace(",", "") for cell in row) for row in texts.SHEETS["Seasons"].rows
    ]
    assert rows(document.markdown) == expected


@pytest.mark.parametrize("name", ["notes.rtf", "notes-libreoffice.doc"])
def test_notes_and_links_are_kept_and_what_is_deleted_or_hidden_is_not(
    name: str, tmp_path: Path
) -> None:
    document = convert((DATA / name).read_bytes(), tmp_path)
    linked = "[the list of gulls](https://ferry.example/gulls)"
    assert document.title == "Notes from the quay"
    assert document.byline == "Otto"
    assert document.markdown == (
        "# The quay\n\n"
        f"The gulls came back[^1] in May, see {linked} and \u26f5 hidden: end.\n\n"
        "Lost sheets are dry {again}[^2].\n\n"
        "| Bird | Count |\n| --- | --- |\n| Gull | 7 |\n\n"
        "After the table.\n\n"
        "[^1]: All \u201cseven\u201d of them.\n\n[^2]: On the engine."
    )


def test_an_old_word_file_says_what_is_left_out(tmp_path: Path) -> None:
    document = convert((DATA / "report-libreoffice.doc").read_bytes(), tmp_path)
    assert document.notes == ["an old Word file: its comments, headers and footers are left out"]


def test_an_old_word_file_with_a_password_is_encrypted(tmp_path: Path) -> None:
    body = bytearray((DATA / "notes-libreoffice.doc").read_bytes())
    begin = body.index(b"\xec\xa5")  # of the stream of the text
    body[begin + 11] |= 1
    (tmp_path / "input").write_bytes(body)
    result = worker.result(Format.OLE, bytes(body), tmp_path, time.monotonic() + LONG_S)
    assert isinstance(result, Unconverted)
    assert result.code == "encrypted"


@pytest.mark.parametrize("name", ["notes-libreoffice.doc", "report-libreoffice.doc"])
def test_a_damaged_old_word_file_is_read_or_a_clear_error(name: str, tmp_path: Path) -> None:
    whole = (DATA / name).read_bytes()
    for place in range(0, len(whole), 509):
        body = whole[:place] + bytes([whole[place] ^ 0xFF]) * 4 + whole[place + 4 :]
        result = worker.result(Format.OLE, body, tmp_path, time.monotonic() + LONG_S)
        if isinstance(result, Unconverted):
            assert result.code in {"damaged", "encrypted", "empty", "unsupported"}


def test_a_paper_of_two_columns_comes_back_to_the_word(tmp_path: Path) -> None:
    text = texts.paper()
    document = convert((DATA / "paper-latex.pdf").read_bytes(), tmp_path)
    assert headings(document.markdown) == [text.title, *text.headings]
    assert sorted(rows(document.markdown)) == sorted(text.rows)
    assert code(document.markdown) == list(text.code)
    # No word that was divided stayed so, none lost a hyphen of its own, no glyph is strange.
    assert words(document.markdown) - all_words(text) <= {"table"}
    assert not set("\ufffd\ufb01\ufb02\x02\ufffe") & set(document.markdown)
    # In the order in which it is read, column by column, tables beside it.
    place = 0
    for paragraph in text.prose.split("\n"):
        place = document.markdown.index(paragraph, place)
    assert document.title == text.title
    assert document.byline == text.author


def test_sections_stand_below_the_title_and_parts_below_sections(tmp_path: Path) -> None:
    document = convert((DATA / "paper-latex.pdf").read_bytes(), tmp_path)
    assert document.markdown.startswith(f"# {texts.paper().title}\n")
    assert "\n## 1 Introduction\n" in document.markdown
    assert "\n### 1.1 Motivation\n" in document.markdown
