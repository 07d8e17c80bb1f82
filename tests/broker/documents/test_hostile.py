"""Hostile and broken files: each a clear error, nothing left on the disk."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from broker.deadline import Deadline
from broker.documents.converter import Converter
from broker.documents.failures import Unconverted
from tests.broker.documents.hostile import CASES, docx, zipped
from tests.broker.documents.reading import DATA, convert

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("kreuzberg", reason="the documents extra is not installed")

LONG_S = 30.0


def left_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.mark.parametrize("name", CASES)
async def test_a_hostile_file_is_a_clear_error(name: str, tmp_path: Path) -> None:
    body, code = CASES[name]
    with pytest.raises(Unconverted) as caught:
        await Converter(tmp_path).convert(body, Deadline.after(LONG_S))
    assert caught.value.code == code
    assert str(tmp_path) not in str(caught.value)
    assert left_in(tmp_path) == []


def test_macros_are_told_of_and_not_run(tmp_path: Path) -> None:
    with zipfile.ZipFile(DATA / "report-pandoc.docx") as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    document = convert(zipped({**parts, "word/vbaProject.bin": b"Sub AutoOpen()"}), tmp_path)
    assert "it has macros, which were not run" in document.notes
    assert "AutoOpen" not in document.markdown


def test_scripts_of_a_pdf_are_told_of_and_not_run(tmp_path: Path) -> None:
    body = (DATA / "report-libreoffice.pdf").read_bytes()
    document = convert(
        body + b"\n% /OpenAction << /S /JavaScript /JS (app.alert(1)) >>\n", tmp_path
    )
    assert "it has scripts, which were not run" in document.notes


def test_a_pdf_behind_other_bytes_is_a_pdf_still(tmp_path: Path) -> None:
    body = b"GIF89a" + b"\0" * 100 + (DATA / "report-libreoffice.pdf").read_bytes()
    assert "biscuit tin" in convert(body, tmp_path).markdown


def test_the_name_of_a_format_counts_for_nothing(tmp_path: Path) -> None:
    document = docx(
        b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        b"<w:body><w:p><w:r><w:t>Plain words.</w:t></w:r></w:p></w:body></w:document>"
    )
    assert convert(document, tmp_path).markdown == "Plain words."
