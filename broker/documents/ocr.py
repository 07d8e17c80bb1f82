"""Pictures of text, through Tesseract with all the languages that are installed for it."""

from __future__ import annotations

import re
import subprocess
import time
from functools import cache
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted
from broker.documents.tools import OCR, tesseract

if TYPE_CHECKING:
    from pathlib import Path

    from broker.documents.pdf.source import Source

MOST_PIXELS = 12_000_000
"""Of a page; A4 at 200 to the inch has four million."""
_NO_LANGUAGES = frozenset({"osd", "equ", "snum"})
_MOST_LANGUAGES = 8
"""Each takes its time on every line."""
_HYPHEN = re.compile(r"([^\W\d_])-\n([^\W\d_A-Z])")


class Ocr:
    """What reads pictures until `until_s` on the monotonic clock.

    Raises:
        Unconverted: Tesseract or its languages are missing.
    """

    def __init__(self, folder: Path, until_s: float) -> None:
        program = tesseract()
        if program is None:
            raise OCR.missing()
        self._program = program
        self._folder = folder
        self._until_s = until_s
        self.languages = _languages(program)
        if not self.languages:
            raise Unconverted(
                "missing_part",
                "Tesseract has no language; apt install tesseract-ocr-eng adds one",
            )

    @property
    def note(self) -> str:
        """How the text was read."""
        return f"read by OCR ({self.languages}): words may be wrong"

    def file(self, path: Path) -> str | None:
        """The text of a picture; None where the time is up.

        Raises:
            Unconverted: it cannot be read as a picture.
        """
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            return None
        command = [self._program, str(path), "-", "-l", self.languages, "--psm", "3"]
        try:
            done = subprocess.run(  # noqa: S603 - our own words
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=left_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        if done.returncode:
            raise Unconverted(
                "damaged", "the picture is damaged, or of a kind Tesseract cannot read"
            )
        return tidy(done.stdout.decode("utf-8", "replace"))

    def pages(self, source: Source, numbers: list[int]) -> list[str]:
        """The texts of pages of a PDF, as many as there is time for."""
        texts: list[str] = []
        picture = self._folder / "page.pgm"
        for number in numbers:
            width, height, grey = source.picture(number, MOST_PIXELS)
            picture.write_bytes(b"P5 %d %d 255\n" % (width, height) + grey)
            text = self.file(picture)
            if text is None:
                break
            texts.append(text)
        return texts


def tidy(text: str) -> str:
    """Lines of OCR as paragraphs."""
    parts = (part.strip() for part in re.split(r"\n\s*\n", text.replace("\f", "\n\n")))
    return "\n\n".join(" ".join(_HYPHEN.sub(r"\1\2", part).split()) for part in parts if part)


@cache
def _languages(program: str) -> str:
    """All that are installed, English last, as Tesseract takes them: deu+eng."""
    done = subprocess.run(  # noqa: S603
        [program, "--list-langs"], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    names = done.stdout.decode("utf-8", "replace").split("\n")[1:]
    known = [name.strip() for name in names if name.strip() and "/" not in name]
    found = sorted(set(known) - _NO_LANGUAGES, key=lambda name: (name == "eng", name))
    return "+".join(found[-_MOST_LANGUAGES:])
