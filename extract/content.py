"""Which passages of a page are its main content.

A table of weighted questions, learned over pages of all kinds (`scripts/learn` makes it and says
how well it does on sites it has not seen), gives each passage the odds that it is content. The page
as a whole then decides how sure is sure enough.
"""

from __future__ import annotations

import json
from functools import cache
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from extract import features
from extract.forest import Forest
from extract.passages import HIDDEN, NOSCRIPT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extract.clues import Reader
    from extract.forest import Steps
    from extract.passages import Passage, Walk

_LEAST_NOSCRIPT = 200.0  # weight of prose, see `features.weigh`
_LEAST_HIDDEN = 400.0
_NOSCRIPT_WINS = 0.5
_HIDDEN_WINS = 0.25
"""What is shown without a script counts when it has this share of what is not shown, or less."""

_SURE_FROM, _SURE_AT, _SURE_LINE = 0.85, 0.97, 0.55
_WORD_CHARS = 5.5
_DENSE_WORD_CHARS = 1.25


class Asked(NamedTuple):
    """What the table asks about a passage itself, its place and its page."""

    own: Steps
    place: Steps
    page: Steps


class Table(NamedTuple):
    """What was learned."""

    weights: Mapping[str, float]
    """Of the words of names, see `clues`."""
    forest: Forest
    asked: Asked


@cache
def table() -> Table:
    """The table that is shipped; read once.

    Raises:
        ValueError: It was learned for other features than those of this version.
    """
    learned = json.loads(Path(__file__).with_name("content.json").read_bytes())
    if learned["features"] != list(features.FEATURES):
        raise ValueError("content.json was learned for other features: run scripts/learn")
    forest = Forest(learned["trees"])
    sizes = (len(features.OWN), len(features.PLACE), len(features.PAGE))
    asked = Asked(*(forest.steps(sum(sizes[:part]), sizes[part]) for part in range(3)))
    return Table(learned["weights"], forest, asked)


def see(page: Walk) -> int:
    """Drop from `page` what is not shown, unless nearly all its prose stands there.

    Pages that show nothing until their script runs often hide the text they have, or repeat it in
    `noscript`. Gives the characters of hidden text that was dropped.
    """
    shown = unscripted = concealed = 0.0
    for passage in page.passages:
        weight = features.weigh(passage)
        if passage.flags & NOSCRIPT:
            unscripted += weight
        elif passage.flags & HIDDEN:
            concealed += weight
        else:
            shown += weight
    dropped = 0
    if unscripted < _LEAST_NOSCRIPT or shown > _NOSCRIPT_WINS * unscripted:
        dropped |= NOSCRIPT
    if concealed < _LEAST_HIDDEN or shown > _HIDDEN_WINS * concealed:
        dropped |= HIDDEN
    hidden = sum(len(passage.text) for passage in page.passages if passage.flags & dropped & HIDDEN)
    page.passages = [passage for passage in page.passages if not passage.flags & dropped]
    return hidden


def choose(page: Walk, reader: Reader, host: str) -> list[Passage]:
    """The passages of `page` that are its content, in order; their scores are filled in."""
    features.measure(page)
    rate(page, reader, host)
    line = threshold(page.passages)
    return [passage for passage in page.passages if passage.score >= line]


def rate(page: Walk, reader: Reader, host: str) -> None:
    """Give every passage of a measured `page` the probability that it is content."""
    forest, asked = table().forest, table().asked
    of_page = forest.narrowed(forest.all, features.page_numbers(page), asked.page)
    places = features.Places(page)
    of_box: dict[int, int] = {}
    scores: dict[tuple[int, str] | None, float] = {}
    numbers = features.own_numbers(page, reader, host)
    for passage, own in zip(page.passages, numbers, strict=True):
        like = features.alike(passage)
        if own is None:
            passage.score = scores[like]
            continue
        box = passage.box
        mask = of_box.get(id(box))
        if mask is None:
            mask = of_box[id(box)] = forest.narrowed(of_page, places.of(box), asked.place)
        odds = forest.value(forest.narrowed(mask, own, asked.own))
        passage.score = scores[like] = 1.0 / (1.0 + exp(-odds))


def threshold(passages: Sequence[Passage]) -> float:
    """The probability from which passages are taken.

    Taking all from half the best expected F1 on maximises the expected F1 (Lipton et al. 2014).
    Where the page is clear, a little more is asked for: readers miss a caption less than they mind
    an advertisement.
    """
    best = expected_f1(passages)
    if best <= _SURE_FROM:
        return best / 2
    share = (min(best, _SURE_AT) - _SURE_FROM) / (_SURE_AT - _SURE_FROM)
    return best / 2 + share * (_SURE_LINE - best / 2)


def expected_f1(passages: Sequence[Passage]) -> float:
    """The F1 over words that the best choice among rated passages can expect; 0 to 1."""
    ranked = sorted(((p.score, _size(p.text)) for p in passages), reverse=True)
    wanted = sum(score * size for score, size in ranked)
    taken = right = best = 0.0
    for score, size in ranked:
        right += score * size
        taken += size
        if taken + wanted:
            best = max(best, 2 * right / (taken + wanted))
    return best


def _size(text: str) -> float:
    """About how many words `text` has."""
    if text.isascii() or features.DENSE.search(text) is None:
        return len(text) / _WORD_CHARS
    return len(text) / _DENSE_WORD_CHARS
