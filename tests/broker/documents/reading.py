"""Documents read in this process, and what stands in them as the tests compare it."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from broker.documents import worker
from broker.documents.formats import format_of
from broker.documents.records import Converted

if TYPE_CHECKING:
    from scripts.typesetting.model import Text

DATA = Path(__file__).resolve().parent.parent.parent / "data" / "documents"
LONG_S = 60.0


def convert(body: bytes, folder: Path) -> Converted:
    """The document in `body`, without the process around it."""
    (folder / "input").write_bytes(body)
    result = worker.result(format_of(body), body, folder, time.monotonic() + LONG_S)
    assert isinstance(result, Converted), result
    return result


def headings(markdown: str) -> list[str]:
    """Their texts, without the numbers of sections."""
    found = re.findall(r"^#+ (.*)$", markdown, re.MULTILINE)
    return [re.sub(r"^\d+(?:\.\d+)* ", "", text) for text in found]


def rows(markdown: str) -> list[tuple[str, ...]]:
    """The rows of all pipe tables, without the lines below their headers."""
    lines = re.findall(r"^\|(.*)\|$", markdown, re.MULTILINE)
    cells = [tuple(cell.strip() for cell in line.split("|")) for line in lines]
    return [row for row in cells if set("".join(row)) - set("- ")]


def words(text: str) -> set[str]:
    """Its words, in lower case; what has hyphens is one."""
    return {word.lower() for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text)}


def code(markdown: str) -> list[str]:
    """What stands in fenced blocks, to the letter."""
    return re.findall(r"^```\w*\n(.*?)\n```$", markdown, re.MULTILINE | re.DOTALL)


def said_words(text: Text) -> set[str]:
    """Every word that a reader sees, whatever has set the text: some leave out captions."""
    parts = [cell for row in text.rows for cell in row]
    for block in text.blocks:
        named = ("before", "words", "behind", "text", "note")
        parts += [str(getattr(block, name, "")) for name in named]
        parts += getattr(block, "texts", ())
    return words(" ".join(parts))


def all_words(text: Text) -> set[str]:
    """Every word that a text has, those of addresses too."""
    parts = [text.title, text.author]
    for block in text.blocks:
        parts += [getattr(block, "caption", ""), getattr(block, "url", "")]
    return said_words(text) | words(" ".join(parts))
