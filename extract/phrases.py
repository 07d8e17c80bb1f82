"""Phrases of many languages, and how they are found in a text.

Texts are compared in the form of `normal`, and so are phrases. A blank before or behind a phrase
stands for the edge of a word, none lets it go on: `" error "` is the word, `"nicht gefunden"` also
finds a longer one. Plain search for literals, because one pattern of all of them costs
microseconds a character.
"""

from __future__ import annotations

import re
from functools import cached_property

_NO_WORD = re.compile(r"[\W_]+")
_APOSTROPHES = re.compile("['\u2019\u02bc`]")


def normal(text: str) -> str:
    """Lower case, without apostrophes, every run of other marks one blank, a blank at each end."""
    return f" {_NO_WORD.sub(' ', _APOSTROPHES.sub('', text.lower())).strip()} "


class Phrases:
    """A set of phrases, compiled when it is first asked."""

    def __init__(self, *languages: str) -> None:
        """Take the phrases of each language, separated by `|`."""
        self._languages = languages

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The phrases as they are searched."""
        written = "|".join(self._languages).split("|")
        return tuple(dict.fromkeys(_literal(phrase) for phrase in written if phrase.strip()))

    def within(self, text: str) -> tuple[str, ...]:
        """The phrases that stand in `text`, which is in the form of `normal`."""
        return tuple(literal for literal in self.literals if literal in text)

    def opens(self, text: str) -> bool:
        """Whether `text`, in the form of `normal`, begins with one of the phrases."""
        return text.startswith(self._openings)

    @cached_property
    def _openings(self) -> tuple[str, ...]:
        return tuple(literal if literal[0] == " " else f" {literal}" for literal in self.literals)


def _literal(phrase: str) -> str:
    before = " " if phrase[0] == " " else ""
    behind = " " if phrase[-1] == " " else ""
    return f"{before}{normal(phrase).strip()}{behind}"
