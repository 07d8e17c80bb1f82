"""Words of a line in the order in which they are read, where some run from right to left.

PDFium gives the letters of a word in their order; the places of the words are what is seen. Hebrew
and Arabic words are turned back here, Latin ones and numbers among them stay from left to right.
"""

from __future__ import annotations

import unicodedata
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.documents.pdf.leaf import Word

_FIRST = "\u0590"
"""No letter before it runs to the left."""
_LEFTWARDS = frozenset({"R", "AL"})


def is_leftward(text: str) -> bool:
    """Whether most letters of `text` run from right to left."""
    if text.isascii() or max(text) < _FIRST:
        return False
    classes = [unicodedata.bidirectional(letter) for letter in text]
    return sum(name in _LEFTWARDS for name in classes) > classes.count("L")


def in_reading_order(words: Sequence[Word]) -> list[Word]:
    """The words of a line, which are given from left to right."""
    if not any(word.leftward for word in words):
        return list(words)
    base = leads_left(words)
    turned = list(reversed(words)) if base else list(words)
    ordered: list[Word] = []
    for against, run in groupby(_directions(turned, base=base), key=lambda pair: pair[0] != base):
        part = [word for _, word in run]
        ordered.extend(reversed(part) if against else part)
    return ordered


def leads_left(words: Sequence[Word]) -> bool:
    """Whether a line is one that is read from right to left."""
    leftward = [word for word in words if word.leftward]
    if not leftward:
        return False
    others = (word for word in words if not word.leftward and _has_letter(word))
    return sum(len(word.text) for word in leftward) > sum(len(word.text) for word in others)


def _directions(words: Sequence[Word], *, base: bool) -> list[tuple[bool, Word]]:
    """Each word and whether it runs to the left; numbers run as the words on both sides do."""
    strong = [word.leftward if word.leftward or _has_letter(word) else None for word in words]
    before = [base if each is None else each for each in _filled(strong)]
    after = [base if each is None else each for each in reversed(_filled(strong[::-1]))]
    return [
        (first if first == last else base, word)
        for first, last, word in zip(before, after, words, strict=True)
    ]


def _filled(strong: Sequence[bool | None]) -> list[bool | None]:
    """Directions, those that are open as the one before them."""
    filled: list[bool | None] = []
    for each in strong:
        filled.append(filled[-1] if each is None and filled else each)
    return filled


def _has_letter(word: Word) -> bool:
    return any(letter.isalpha() for letter in word.text)
