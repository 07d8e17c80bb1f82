"""Markdown cut into passages that a search can cite. Pure.

A passage is a run of paragraphs under one heading, up to `TARGET_CHARS`, and a slice of the
Markdown. Headings start a new passage and name its section; fenced code hides the signs in it.
Headings with nothing below them go with the passage that follows: alone they say nothing, and being
so short they would be found first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.store.records import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET_CHARS = 1000
"""A passage ends before the line that would make it longer."""
_LONGEST_CHARS = 1500
"""A line longer than this is cut, at white space where there is some."""
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(?:(?:[-*+]|\d{1,9}[.)]) {1,4})*(`{3,}|~{3,})")
"""Also one that opens on the line of a list's item."""


def split_markdown(markdown: str) -> tuple[Excerpt, ...]:
    """The passages, in their order; together all of the text but white space."""
    passages: list[Excerpt] = []
    start = end = 0
    section = ""
    says_something = False
    for offset, line, headings, is_text in _lines(markdown):
        size = offset + len(line) - start
        is_new = headings != section and says_something
        if is_new or (size > TARGET_CHARS and end > start):
            _add(passages, markdown, start, end, section)
            start, says_something = offset, False
        section, end = headings, offset + len(line)
        says_something = says_something or is_text
    _add(passages, markdown, start, end, section)
    return tuple(passages)


def _add(passages: list[Excerpt], markdown: str, start: int, end: int, section: str) -> None:
    text = markdown[start:end]
    if text.strip():
        passages.append(Excerpt(text=text, offset=start, section=section))


def _lines(markdown: str) -> Iterator[tuple[int, str, str, bool]]:
    """Each line with its offset, the headings above it, and whether it says anything itself.

    Long ones come in pieces.
    """
    above: dict[int, str] = {}
    offset = 0
    fence = ""
    for line in markdown.splitlines(keepends=True):
        is_text = bool(line.strip())
        if fence:
            fence = "" if _closes(line.strip(), fence) else fence
        elif opened := _FENCE.match(line):
            fence = opened[1]
        elif heading := _HEADING.match(line.rstrip()):
            level = len(heading[1])
            above = {higher: text for higher, text in above.items() if higher < level}
            above[level] = _without_closing(heading[2])
            is_text = False
        headings = " / ".join(text for text in above.values() if text)
        for piece in _pieces(line):
            yield offset, piece, headings, is_text
            offset += len(piece)


def _closes(line: str, fence: str) -> bool:
    return line.startswith(fence) and not line.strip(fence[0])


def _without_closing(heading: str) -> str:
    """The text of a heading less the signs that may close it: `Title ##`, but `C#` stays."""
    text = heading.rstrip()
    bare = text.rstrip("#")
    return bare.strip() if not bare or bare[-1].isspace() else text


def _pieces(line: str) -> Iterator[str]:
    while len(line) > _LONGEST_CHARS:
        cut = line.rfind(" ", TARGET_CHARS // 2, TARGET_CHARS) + 1 or TARGET_CHARS
        yield line[:cut]
        line = line[cut:]
    yield line
