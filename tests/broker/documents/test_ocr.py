"""What is done with pictures of text; a program that says what it is told stands for Tesseract."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from broker.documents import ocr, pictures, worker
from broker.documents.failures import Unconverted
from broker.documents.formats import Format, format_of
from scripts.typesetting.__main__ import scanned
from tests.broker.documents.reading import DATA, convert
from tests.broker.documents.test_pdf import in_order, made, page_of

if TYPE_CHECKING:
    from pathlib import Path

SCAN = (DATA / "scan.jpg").read_bytes()
OUTLINES = " ".join(f"{60 + 5 * index} 400 3 8 re f" for index in range(80)).encode()
"""A page of shapes, as letters are that were turned into outlines."""

PROGRAM = """#!/bin/sh
if [ "$1" = --list-langs ]; then printf 'List of (3):\\ndeu\\neng\\nosd\\n'; exit; fi
echo "$(basename "$1") $*" >> "{log}"
sure={sure} said="said of $(basename "$1")"
case "$*" in *"--psm 1"*) sure=90 said="turned right";; esac
printf "<p class='ocr_par' id='par_1_1' lang='eng' title=\\"bbox\\">\\n"
printf "<span class='ocr_line' id='line_1_1' title=\\"bbox\\">\\n"
for word in $said; do
  printf "<span class='ocrx_word' id='w' title='bbox 1 2 3 4; x_wconf $sure'>$word</span> "
done
printf '</span></p>\\n'
"""


@pytest.fixture
def calls(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the program is called with, line by line; it is as sure as the test's parameter says."""
    log, folder = tmp_path / "calls", tmp_path / "programs"
    folder.mkdir()
    program = folder / "tesseract"
    program.write_text(
        PROGRAM.format(log=log, sure=getattr(request, "param", 95)), encoding="ascii"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return log


def test_scans_come_between_the_pages_where_they_stand(calls: Path, tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    body = made(OUTLINES, page_of([(72, 700, "Written words stand here.")]), OUTLINES)
    document = convert(body, tmp_path)
    said = "said of page-0.pgm", "Written words stand here.", "said of page-2.pgm"
    assert in_order(document.markdown, *said)
    assert document.notes == ["pages read by OCR (deu+eng): words may be wrong"]
    assert len(calls.read_text().splitlines()) == 2


def test_the_first_page_tells_in_which_languages_the_others_are_read(
    calls: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pypdfium2")
    convert(made(OUTLINES, OUTLINES, OUTLINES), tmp_path)
    first, *others = calls.read_text().splitlines()
    assert " -l deu+eng " in first
    assert [line.partition(" -l ")[2].split()[0] for line in others] == ["eng", "eng"]


@pytest.mark.parametrize("calls", [40], indirect=True)
def test_what_is_read_badly_is_read_again_as_it_lies(calls: Path, tmp_path: Path) -> None:
    assert convert(SCAN, tmp_path).markdown == "turned right"
    assert ["--psm 3" in line for line in calls.read_text().splitlines()] == [True, False]


@pytest.mark.parametrize("body", [SCAN, scanned(SCAN)], ids=["picture", "PDF"])
def test_a_picture_that_is_not_read_in_time_says_so(
    body: bytes, tmp_path: Path, calls: Path
) -> None:
    pytest.importorskip("pypdfium2")
    (tmp_path / "input").write_bytes(body)
    found = worker.result(format_of(body), body, tmp_path, time.monotonic() - 1)
    assert isinstance(found, Unconverted)
    assert (found.code, "OCR" in found.message) == ("timeout", True)
    assert not calls.exists()


def test_a_page_is_read_with_the_pixels_that_its_picture_has() -> None:
    pytest.importorskip("pypdfium2")
    from broker.documents.pdf.source import Source  # noqa: PLC0415 - what it imports may be missing

    grey = Source(scanned(SCAN)).picture(0, ocr.MOST_PIXELS)
    assert grey.width * grey.height == len(grey.pixels)
    assert 1_400_000 < len(grey.pixels) < 1_600_000  # it has 768,800, which is enlarged
    assert 200 < grey.to_inch < 220


# --- photographs ----------------------------------------------------------------------------------


def turned(orientation: int) -> bytes:
    """The scan with an EXIF header that says how it lies."""
    tags = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01" + bytes([0, orientation]) + bytes(6)
    exif = b"Exif\0\0" + tags
    return SCAN[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + SCAN[2:]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photograph_is_turned_as_its_header_says(orientation: int) -> None:
    pytest.importorskip("pypdfium2")
    from broker.documents.pdf.raster import upright  # noqa: PLC0415

    body = turned(orientation)
    assert pictures.orientation(body) == orientation
    wide, high = pictures.check(body)
    plain, shown = upright(body, (wide, high), 1), upright(body, (wide, high), orientation)
    stored = [plain.pixels[row * wide : (row + 1) * wide] for row in range(high)]
    if orientation > 4:
        stored = [bytes(column) for column in zip(*stored, strict=True)]
    if orientation in {2, 3, 6, 7}:
        stored = [row[::-1] for row in stored]
    if orientation in {3, 4, 7, 8}:
        stored = stored[::-1]
    assert (shown.width, shown.height) == (len(stored[0]), len(stored))
    off = sum(abs(a - b) > 40 for a, b in zip(shown.pixels, b"".join(stored), strict=True))
    assert off < 0.01 * len(shown.pixels)


@pytest.mark.parametrize(("orientation", "name"), [(1, "input"), (6, "upright.pgm")])
def test_what_is_read_is_the_photograph_as_it_is_seen(
    orientation: int, name: str, calls: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pypdfium2")
    assert convert(turned(orientation), tmp_path).markdown == f"said of {name}"
    assert calls.exists()


def gif(frames: int) -> bytes:
    """One pixel, so many times."""
    frame = b"\x21\xf9\x04\0\x0a\0\0\0" + b"\x2c\0\0\0\0\1\0\1\0\0" + b"\x02\x02\x44\x01\0"
    return b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" + frames * frame + b"\x3b"


@pytest.mark.parametrize("frames", [1, 2])
def test_of_an_animation_the_first_frame_is_read_which_is_told(
    frames: int, calls: Path, tmp_path: Path
) -> None:
    notes = convert(gif(frames), tmp_path).notes
    assert ("it is animated: only its first frame was read" in notes) is (frames > 1)
    assert calls.exists()


BMP = b"BM" + bytes(8) + b"\x36\0\0\0\x28\0\0\0" + b"\x05\0\0\0\xfd\xff\xff\xff" + bytes(30)
JP2 = b"\0\0\0\x0cjP  \r\n\x87\n" + b"\0\0\0\x16ihdr\0\0\0\x03\0\0\0\x05" + bytes(20)


@pytest.mark.parametrize(
    "body", [BMP, JP2, b"\xff\x4f\xff\x51\0\x29\0\0\0\0\0\x05\0\0\0\x03" + bytes(30)]
)
def test_a_picture_tells_its_size(body: bytes) -> None:
    assert format_of(body) is Format.IMAGE
    assert pictures.check(body) == (5, 3)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\0\0\0\x20ftypavif" + bytes(20), "AVIF"),
        (b"\0\0\0\x20ftypheic" + bytes(20), "HEIC"),
        (b"8BPS\0\1" + bytes(20), "Photoshop"),
        (b"\xff\x0a" + bytes(20), "JPEG XL"),
        (b"\0\0\1\0\1\0" + bytes(20), "icon"),
    ],
)
def test_pictures_that_are_not_read_are_named(body: bytes, kind: str, tmp_path: Path) -> None:
    found = worker.result(format_of(body), body, tmp_path, time.monotonic() + 60)
    assert isinstance(found, Unconverted)
    assert found.code == "unsupported"
    assert kind in found.message


def test_words_that_begin_like_a_bitmap_are_none() -> None:
    assert format_of(b"BMP is a format; BMW is none. " * 3) is Format.OTHER
