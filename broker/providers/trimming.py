"""Cutting a query down to a length: between words, and never inside what belongs together.

A query is a row of parts: words, quoted phrases, operators (`site:a.example`, `-word`), and
alternatives (`a OR b OR c`), which are one part. Operators stay before phrases and these before
words, because whoever writes them means them; of the words the first ones stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from broker.providers.answers import shortened

MAX_SHOWN_CHARS = 120
"""Longest part of what was left out that a sentence repeats."""

_TOKEN = re.compile(r'(?:"[^"]*"|[^\s"])+')
_OPERATOR = re.compile(r'\(?-?(?:site|lang|after|before):\S|-(?=[\w"])', re.IGNORECASE)
_OR = "OR"

# Scripts that put no space between words: there, every character may end one.
_UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED_HEAD = re.compile(rf".*[{_UNSPACED}](?=[{_UNSPACED}])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Part:
    """What is kept or dropped as a whole."""

    text: str
    is_operator: bool

    @property
    def is_word(self) -> bool:
        """Whether it is a single word, as opposed to a phrase, alternatives or an operator."""
        return not self.is_operator and not re.search(r'[\s"]', self.text)

    @property
    def rank(self) -> int:
        """In which order parts are given room."""
        return 0 if self.is_operator else 2 if self.is_word else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Trimmed:
    """A query that fits."""

    text: str
    words: str
    """The part of `text` that is no operator."""
    dropped: str = ""
    """What was left out, in its order; empty when nothing was."""


def parts(text: str) -> list[Part]:
    """`text` taken apart.

    A quote without its partner is left out, and an OR that joins nothing is a word.
    """
    if text.count('"') % 2:
        head, _, tail = text.rpartition('"')
        text = f"{head} {tail}"
    tokens = _TOKEN.findall(text)
    rows: list[list[str]] = []
    for place, token in enumerate(tokens):
        joins = token == _OR and bool(rows) and place + 1 < len(tokens)
        # In lower case it joins nothing, whatever comes to stand beside it.
        word = "or" if token == _OR and not joins else token
        if joins or (rows and rows[-1][-1] == _OR):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [Part(" ".join(row), any(_OPERATOR.match(token) for token in row)) for row in rows]


def trim(text: str, limit: int) -> Trimmed:
    """`text` within `limit` characters (Unicode code points, at least 0)."""
    row = parts(text)
    kept: dict[int, str] = {}
    room = limit + 1  # each part takes a space with it, the first one does not
    places = sorted(range(len(row)), key=lambda place: row[place].rank)
    ended = False
    for place in places:
        part = row[place]
        if ended:
            break
        piece = part.text
        if len(piece) >= room:
            piece = _head(piece, room - 1) if part.is_word else ""
            ended = part.is_word  # a later word would not stand where it was written
        if piece:
            kept[place] = piece
            room -= len(piece) + 1
    return Trimmed(
        text=" ".join(kept[place] for place in sorted(kept)),
        words=" ".join(kept[place] for place in sorted(kept) if not row[place].is_operator),
        dropped=" ".join(
            rest
            for place, part in enumerate(row)
            if (rest := part.text.removeprefix(kept.get(place, "")))
        ),
    )


def cut_sentence(dropped: str, limit: int) -> str | None:
    """What a person is told about the `dropped` part of a query; None when there is none."""
    shown = shortened(dropped, MAX_SHOWN_CHARS)
    return f'left out to fit {limit} characters: "{shown}"' if dropped else None


def _head(word: str, limit: int) -> str:
    """The beginning of a word that is too long, where its script lets it be cut; else nothing."""
    match = _UNSPACED_HEAD.match(word[: limit + 1])
    return match[0] if match else ""
