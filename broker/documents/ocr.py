"""Pictures of text, through Tesseract.

All the languages that are installed for it read the first page; those of them that had something to
say about it read the others. A page that is read badly is read again, turned as it shows itself and
in all languages.
"""

from __future__ import annotations

import html
import os
import re
import subprocess
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted
from broker.documents.tools import OCR, tesseract

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from broker.documents.pdf.source import Source

MOST_PIXELS = 12_000_000
"""Of a page; A4 at 200 to the inch has four million."""
_AT_ONCE = 2
_NO_LANGUAGES = frozenset({"osd", "equ", "snum"})
_MOST_LANGUAGES = 8
"""Each takes its time on every line."""
_LEAST_SHARE = 0.1
"""Of a page's letters: a language that has fewer is not spoken there."""
_SURE = 70.0
"""Tesseract's confidence, of 100, below which a page is read again; turned ones have 40."""
_AS_IT_STANDS, _AS_IT_LIES = "3", "1"
"""Tesseract's ways to divide a page, the second of which finds out how it is turned."""
_HYPHEN = re.compile(r"([^\W\d_])-\n([^\W\d_A-Z])")
_PARAGRAPH = re.compile(r"<p class='ocr_par'[^>]*?lang='([\w/]+)'[^>]*>(.*?)</p>", re.DOTALL)
_LINE = re.compile(r"<span class='ocr_(?:line|caption|header|textfloat)'")
_WORD = re.compile(
    r"<span class='ocrx_word'[^>]*?x_wconf (\d+)[^>]*?(?:lang='([\w/]+)')?[^>]*>(.*?)</span>"
)
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Said:
    """What was read in a picture."""

    text: str
    sure: float
    """Tesseract's confidence, 0 to 100, over all letters."""
    languages: Counter[str]
    """Letters that were read in each."""


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
        self.languages, self._can_turn = _languages(program)
        self._narrowed = self.languages
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
        said = self._read(path)
        return None if said is None else said.text

    def pages(self, source: Source, numbers: list[int]) -> dict[int, str]:
        """The texts of pages of a PDF by their numbers, as many as there is time for."""
        texts: dict[int, str] = {}
        waiting: deque[tuple[int, Future[Said | None]]] = deque()
        cores = len(os.sched_getaffinity(0))
        with ThreadPoolExecutor(min(_AT_ONCE, cores)) as pool:
            for number in numbers:
                # The first page alone tells the languages of those that follow.
                while waiting and (len(waiting) > _AT_ONCE or number == numbers[1]):
                    self._keep(texts, *waiting.popleft())
                if time.monotonic() > self._until_s:
                    break
                picture = self._folder / f"page-{number}.pgm"
                grey = source.picture(number, MOST_PIXELS)
                picture.write_bytes(grey.pgm())
                waiting.append((number, pool.submit(self._read, picture, grey.to_inch)))
            for each in waiting:
                self._keep(texts, *each)
        return texts

    def _keep(self, texts: dict[int, str], number: int, reading: Future[Said | None]) -> None:
        said = reading.result()
        (self._folder / f"page-{number}.pgm").unlink()
        if said is None:
            return
        texts[number] = said.text
        if len(texts) == 1 and said.sure >= _SURE:
            least = _LEAST_SHARE * said.languages.total()
            names = self.languages.split("+")
            self._narrowed = "+".join(n for n in names if said.languages[n] >= least)

    def _read(self, path: Path, to_inch: int = 0) -> Said | None:
        """A picture; a second time where it is read badly, as far as there is time for it."""
        said = self._run(path, to_inch, self._narrowed, _AS_IT_STANDS)
        way = _AS_IT_LIES if self._can_turn else _AS_IT_STANDS
        is_all = way == _AS_IT_STANDS and self._narrowed == self.languages
        if said is None or said.sure >= _SURE or is_all:
            return said
        again = self._run(path, to_inch, self.languages, way)
        return said if again is None or again.sure < said.sure else again

    def _run(self, path: Path, to_inch: int, languages: str, way: str) -> Said | None:
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            return None
        command = [self._program, str(path), "-", "-l", languages, "--psm", way]
        if to_inch:  # what it takes for a gap between columns depends on it, and its guess is bad
            command += ["--dpi", str(to_inch)]
        try:
            done = subprocess.run(  # noqa: S603 - our own words
                [*command, "hocr"],
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
        return said_in(done.stdout.decode("utf-8", "replace"))


def said_in(hocr: str) -> Said:
    """What stands in Tesseract's hOCR."""
    paragraphs: list[str] = []
    languages: Counter[str] = Counter()
    sure = 0.0
    for language, body in _PARAGRAPH.findall(hocr):
        lines = []
        for line in _LINE.split(body)[1:]:
            words = []
            for confidence, own, inner in _WORD.findall(line):
                word = html.unescape(_TAG.sub("", inner)).strip()
                if word:
                    words.append(word)
                    languages[own or language] += len(word)
                    sure += int(confidence) * len(word)
            lines.append(" ".join(words))
        paragraphs.append("\n".join(lines))
    return Said(tidy("\n\n".join(paragraphs)), sure / max(languages.total(), 1), languages)


def tidy(text: str) -> str:
    """Lines of OCR as paragraphs."""
    parts = (part.strip() for part in re.split(r"\n\s*\n", text.replace("\f", "\n\n")))
    return "\n\n".join(" ".join(_HYPHEN.sub(r"\1\2", part).split()) for part in parts if part)


@cache
def _languages(program: str) -> tuple[str, bool]:
    """All that are installed, English last, as Tesseract takes them (deu+eng); whether it turns."""
    done = subprocess.run(  # noqa: S603
        [program, "--list-langs"], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    names = done.stdout.decode("utf-8", "replace").split("\n")[1:]
    known = {name.strip() for name in names if name.strip() and "/" not in name}
    found = sorted(known - _NO_LANGUAGES, key=lambda name: (name == "eng", name))
    return "+".join(found[-_MOST_LANGUAGES:]), "osd" in known
