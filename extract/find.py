"""Finding text in a page: exactly, then whatever its case and punctuation, then about the same.

Time grows linearly with the page; the search for similar words looks at a limited number of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import accumulate, islice
from typing import TYPE_CHECKING, NamedTuple

from extract.markdown import render_with_spans
from extract.outline import outline, section_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extract.model import Block, Section

_NEIGHBOURS = 160
"""Characters shown on each side of a find."""
_LEAST_LIKENESS = 0.6
"""Share of the needle's words that a similar place must have, each weighed by its likeness."""
_LEAST_WORD_LIKENESS = 0.75
_MAX_NEEDLE_WORDS = 16
_MAX_NEEDLE_CHARS = 1000
_MAX_VOCABULARY = 20_000
_SLACK = 3
"""Words that may stand between the needle's words in a similar place."""
_EDITS = 2

_WORD = re.compile(
    "[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\\W_\u0e00-\u0eff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff]+"
)
"""A word, or one character of a script that has no spaces between words."""
_PIECE = re.compile(r"\s+|.", re.DOTALL)
_SAME = (
    '"\u201c\u201d\u201e\u00ab\u00bb\u2033',
    "'\u2018\u2019\u201a\u2032`\u00b4",
    "-\u2010\u2011\u2012\u2013\u2014\u2212",
)
"""Characters that are typed alike."""


class Match(StrEnum):
    """How near a find is to what was asked for."""

    EXACT = "exact"
    FOLDED = "folded"
    """The same but for case, white space, and the forms of quotes and dashes."""
    SIMILAR = "similar"
    """Most of its words, or words much like them, close together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """A place in a page."""

    match: Match
    block: int
    """Index of the block in which it begins."""
    offset: int
    """Where that block begins in the page's Markdown, in characters."""
    section: Section | None
    text: str
    """What stands there."""
    before: str
    """The text in front of it, at most 160 characters; other blocks' text on lines of its own."""
    after: str


class _Word(NamedTuple):
    number: int
    text: str
    start: int
    end: int


def find(blocks: Sequence[Block], needle: str, max_finds: int = 10) -> tuple[Find, ...]:
    """The first places in the text of `blocks` that match `needle` best, in reading order.

    Exact matches come alone; without any, what differs in case and punctuation does; without that,
    what is similar, the most similar `max_finds` of them. A match may reach over several blocks.
    """
    needle = needle.strip()[:_MAX_NEEDLE_CHARS]
    if not needle or max_finds <= 0:
        return ()
    text = "\n".join([block.text for block in blocks])
    for match, places in (
        (Match.EXACT, _exact(text, needle)),
        (Match.FOLDED, _folded(text, needle)),
    ):
        found = tuple(islice(places, max_finds))
        if found:
            return _finds(blocks, text, match, found)
    return _finds(blocks, text, Match.SIMILAR, _similar(blocks, needle, max_finds))


def _finds(
    blocks: Sequence[Block], text: str, match: Match, places: Sequence[tuple[int, int]]
) -> tuple[Find, ...]:
    """What is found at `places` of the text of all `blocks`, first to behind the last character."""
    if not places:
        return ()
    _, spans = render_with_spans(blocks)
    sections = outline(blocks)
    starts = list(accumulate((len(block.text) + 1 for block in blocks), initial=0))
    finds = []
    for start, end in places:
        index = bisect_right(starts, start) - 1
        finds.append(
            Find(
                match=match,
                block=index,
                offset=spans[index][0],
                section=section_of(sections, index),
                text=text[start:end],
                before=text[max(0, start - _NEIGHBOURS) : start],
                after=text[end : end + _NEIGHBOURS],
            )
        )
    return tuple(finds)


def _exact(text: str, needle: str) -> Iterator[tuple[int, int]]:
    at = text.find(needle)
    while at >= 0:
        yield at, at + len(needle)
        at = text.find(needle, at + len(needle))


def _folded(text: str, needle: str) -> Iterator[tuple[int, int]]:
    pattern = "".join(map(_any_form, _PIECE.findall(needle)))
    for found in re.finditer(pattern, text, re.IGNORECASE):
        yield found.span()


def _any_form(piece: str) -> str:
    if piece.isspace():
        return r"\s+"
    for forms in _SAME:
        if piece in forms:
            return f"[{re.escape(forms)}]"
    folded = piece.casefold()
    if folded != piece.lower():  # "ß" and the like
        return f"(?:{re.escape(piece)}|{re.escape(folded)})"
    return re.escape(piece)


def _similar(blocks: Sequence[Block], needle: str, max_finds: int) -> tuple[tuple[int, int], ...]:
    """Where most words of `needle` stand together in a block; the best places, in reading order."""
    wanted = list(dict.fromkeys(map(str.casefold, _WORD.findall(needle))))[:_MAX_NEEDLE_WORDS]
    if not wanted:
        return ()
    reach = len(wanted) + _SLACK
    words = _words(blocks, reach)
    likeness = _likenesses(wanted, {word.text for word in words})
    hits = [(word, *likeness[word.text]) for word in words if word.text in likeness]
    best: list[tuple[float, _Word, _Word]] = []
    for place, (first, _, _) in enumerate(hits):
        weights: dict[int, float] = {}
        last = first
        for word, term, weight in hits[place : place + reach]:
            if word.number - first.number >= reach:
                break
            if weight > weights.get(term, 0.0):
                weights[term] = weight
                last = word
        score = sum(weights.values()) / len(wanted)
        if score >= _LEAST_LIKENESS:
            _keep(best, (score, first, last))
    best.sort(key=lambda found: -found[0])
    return tuple(sorted((first.start, last.end) for _, first, last in best[:max_finds]))


def _words(blocks: Sequence[Block], gap: int) -> list[_Word]:
    """The words of all `blocks`, numbered with a `gap` between blocks."""
    words: list[_Word] = []
    number = offset = 0
    for block in blocks:
        for found in _WORD.finditer(block.text):
            start, end = found.span()
            words.append(_Word(number, found[0].casefold(), offset + start, offset + end))
            number += 1
        number += gap
        offset += len(block.text) + 1
    return words


def _keep(best: list[tuple[float, _Word, _Word]], found: tuple[float, _Word, _Word]) -> None:
    """Adds `found`; of two places that overlap the better one stays."""
    if best and best[-1][2].number >= found[1].number:
        if best[-1][0] >= found[0]:
            return
        best.pop()
    best.append(found)


def _likenesses(wanted: list[str], vocabulary: set[str]) -> dict[str, tuple[int, float]]:
    """For each word of the page that is like one of `wanted`: which, and how much, up to 1."""
    likeness: dict[str, tuple[int, float]] = {}
    for term, word in enumerate(wanted):
        if word in vocabulary:
            likeness[word] = (term, 1.0)
    others = sorted(vocabulary)[:_MAX_VOCABULARY]
    for term, word in enumerate(wanted):
        letters = set(word)
        matcher = SequenceMatcher(None, "", word, autojunk=False)
        for other in others:
            if other in likeness or abs(len(other) - len(word)) > _EDITS:
                continue
            if len(letters.difference(other)) > _EDITS:
                continue
            matcher.set_seq1(other)
            ratio = matcher.ratio()
            if ratio >= _LEAST_WORD_LIKENESS:
                likeness[other] = (term, ratio)
    return likeness
