"""From the passages a search found to those an answer quotes. Pure.

A search ranks passages one by one. An answer wants them together: what stands there twice (the same
page rendered, as markup, by http and by https, on a mirror) is quoted once, neighbours are joined,
and a long document does not crowd out the short ones that answer as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from broker.fusion import url_identity
from broker.reading import injection
from broker.reading.records import Quotation
from broker.reading.windows import weight
from broker.store.words import compared
from extract.trim import border

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from broker.store.records import Passage

_FOUND_PER_QUOTED = 3
_LEAST_FOUND = 30
_NEXT_OF_SAME = 0.8
"""Each passage quoted from a document leaves its others this share of their scores.

Swept on 120 pools of one long page and four short ones, a query of four words from each of two
passages: how often both are among the first three (five). At 1.0, 0.9, 0.8 and 0.6: one of the long
page and one of a short one 75 (86), 78 (91), 82 (91) and 83 (93) %; both of the long page 58 (79),
58 (75), 57 (73) and 50 (66) %.
"""
_LEAST_OF_BEST = 0.1
"""A passage with less than this share of the best score only happens to have a common word."""
_NEIGHBOUR = 0.5
"""A neighbour joins a passage if its score is at least this share of that one's."""
_LONGEST_CHARS = 3000
"""Of neighbours that are joined."""
_RUN_WORDS = 4
_SAME_PAGE = 0.5
"""Two readings of one address say the same where they share so much of the shorter one's runs."""
_SAME_TEXT = 0.9
"""The same of two addresses, or within a document: what differs in a word may be the point."""
_ENVELOPE = 230
"""Bytes of a quotation's fields without their contents, and of the fence."""
_LONGEST_CITED = 300
"""Characters of a title or section; pages have made up longer ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """What an answer quotes, the best first, and how much it leaves out."""

    passages: tuple[Quotation, ...] = ()
    copies: int = 0
    """Passages that say what one that is quoted says."""
    unfit: int = 0
    """Those that were wanted and did not fit."""

    @property
    def note(self) -> str:
        """What was left out, in words."""
        told = []
        if self.unfit:
            told.append(f"{_counted(self.unfit, 'more passage')} did not fit into the answer")
        if self.copies:
            told.append(f"{_counted(self.copies, 'near copy', 'near copies')} left out")
        return "; ".join(told)


def wanted(most: int) -> int:
    """How many passages to search for where `most` are quoted: some will be the same."""
    return max(most * _FOUND_PER_QUOTED, _LEAST_FOUND)


def quoted(found: Sequence[Passage], most: int, room: int) -> Quoted:
    """The passages to quote: at most `most`, in about `room` bytes of JSON.

    Args:
        found: what a search found, the best first.
        most: at most so many.
        room: the first one is quoted even where it must be cut to fit.
    """
    if not found:
        return Quoted()
    least = found[0].score * _LEAST_OF_BEST
    ranked = _ranked(_joined(each for each in found if each.score >= least))
    known: list[_Known] = []
    kept: list[Quotation] = []
    copies = 0
    for passage in ranked:
        if len(known) == most:
            break
        new = _Known(passage)
        if any(new.repeats(other) for other in known):
            copies += 1
            continue
        quotation = _quotation(passage)
        if not known:
            quotation = _cut(quotation, room)
        known.append(new)
        if not kept or _size(quotation) <= room:
            kept.append(quotation)
            room -= _size(quotation)
    return Quoted(passages=tuple(kept), copies=copies, unfit=len(known) - len(kept))


class _Known:
    """A passage that is wanted, as others are compared with it."""

    def __init__(self, passage: Passage) -> None:
        self._id = passage.document_id
        self._page = url_identity(passage.url)
        self._runs = _runs(passage.text)

    def repeats(self, other: _Known) -> bool:
        """Whether it says nothing that the other one does not say."""
        is_reading = self._page == other._page and self._id != other._id
        shared = len(self._runs & other._runs) / min(len(self._runs), len(other._runs))
        return shared >= (_SAME_PAGE if is_reading else _SAME_TEXT)


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """Each run of words that the text has; a short text is one run."""
    words = compared(text)
    if len(words) < _RUN_WORDS:
        return frozenset({tuple(words)})
    return frozenset(zip(*(words[at:] for at in range(_RUN_WORDS)), strict=False))


def _joined(found: Iterable[Passage]) -> list[Passage]:
    """The passages, those that follow each other in one section as one. The best stays first."""
    joined: list[Passage] = []
    for passage in found:
        for place, other in enumerate(joined):
            if _are_neighbours(passage, other) and passage.score >= other.score * _NEIGHBOUR:
                first, second = sorted((passage, other), key=lambda each: each.offset)
                text = first.text + second.text
                joined[place] = replace(other, offset=first.offset, text=text)
                break
        else:
            joined.append(passage)
    return joined


def _are_neighbours(one: Passage, other: Passage) -> bool:
    return (
        one.document_id == other.document_id
        and one.section == other.section
        and (_end(one) == other.offset or _end(other) == one.offset)
        and len(one.text) + len(other.text) <= _LONGEST_CHARS
    )


def _end(passage: Passage) -> int:
    return passage.offset + len(passage.text)


def _ranked(found: Sequence[Passage]) -> list[Passage]:
    """The passages in the order of their scores, less what their documents have had already."""
    left, ranked = list(found), []
    had: dict[str, int] = {}
    while left:
        best = max(
            left, key=lambda each: each.score * _NEXT_OF_SAME ** had.get(each.document_id, 0)
        )
        left.remove(best)
        ranked.append(best)
        had[best.document_id] = had.get(best.document_id, 0) + 1
    return ranked


def _quotation(passage: Passage) -> Quotation:
    return Quotation(
        id=passage.document_id,
        url=passage.url,
        title=passage.title[:_LONGEST_CITED],
        section=passage.section[:_LONGEST_CITED],
        offset=passage.offset,
        text=passage.text,
        score=passage.score,
        published=passage.published,
        warnings=injection.passage_warnings(passage.text),
    )


def _cut(quotation: Quotation, room: int) -> Quotation:
    """The quotation, less of its end if it does not fit."""
    text = quotation.text
    left = max(1, room - _size(replace(quotation, text="")))
    while (size := weight(text)) > left and len(text) > 1:
        text = text[: border(text[: max(1, len(text) * left // size)])]
    return replace(quotation, text=text)


def _size(quotation: Quotation) -> int:
    # The address counts twice: of several sources, each passage names its own besides.
    told = (quotation.url, quotation.url, quotation.title, quotation.section, quotation.text)
    return _ENVELOPE + sum(map(weight, (*told, *quotation.warnings)))


def _counted(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"
