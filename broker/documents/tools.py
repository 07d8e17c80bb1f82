"""The optional parts of documents: libraries and programs, where they are, and what adds them."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from broker.documents.failures import Unconverted

MODEL_GLOB = "ggml-*.bin"
_MODEL_FOLDERS = ("~/.local/share/whisper.cpp/models", "/usr/share/whisper.cpp/models")


@dataclass(frozen=True, slots=True)
class Part:
    """An optional part."""

    what: str
    """What is not read without it."""
    name: str
    command: str
    """The one command that adds it, where there is one."""

    @property
    def sentence(self) -> str:
        """What is told where it is missing."""
        return f"{self.what} not read: {self.name} is not here; {self.command} adds it"

    def missing(self) -> Unconverted:
        """The error about it."""
        message = f"reading this takes {self.name}, which is not here; {self.command} adds it"
        return Unconverted("missing_part", message)


LIBRARIES = Part(
    "PDF, old Excel and old PowerPoint files are",
    "the `documents` extra",
    f"{sys.executable} -m pip install 'webaio[documents]'",
)
OCR = Part("scans and pictures are", "Tesseract", "apt install tesseract-ocr")
SPEECH = Part(
    "sound is",
    "whisper.cpp (whisper-cli in PATH, a model in ~/.local/share/whisper.cpp/models)",
    "building it as its README tells",
)


def has_libraries() -> bool:
    """Whether the `documents` extra is installed."""
    return find_spec("pypdfium2") is not None and find_spec("kreuzberg") is not None


def tesseract() -> str | None:
    """The program that reads pictures."""
    return shutil.which("tesseract")


def whisper() -> tuple[str, Path] | None:
    """The program that writes down speech, and its largest model."""
    program = shutil.which("whisper-cli")
    models = [
        model
        for folder in _MODEL_FOLDERS
        for model in Path(folder).expanduser().glob(MODEL_GLOB)
        if model.is_file()
    ]
    if program is None or not models:
        return None
    return program, max(models, key=lambda model: model.stat().st_size)


def missing_parts() -> tuple[str, ...]:
    """The parts that are not there, a sentence each. Looks at the disk."""
    there = ((LIBRARIES, has_libraries()), (OCR, tesseract()), (SPEECH, whisper()))
    return tuple(part.sentence for part, found in there if not found)
