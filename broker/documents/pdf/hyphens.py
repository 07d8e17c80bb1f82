"""Lines put together to running text; words that were divided at a line's end become whole.

Whether a hyphen there divides a word or belongs to it, the document itself knows best: it uses most
of its words more than once.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_TAIL = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*-\Z")
_HEAD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LONGEST = 80
"""Characters of a word; a search from the beginning of the text would cost its square."""
_STAYS = frozenset(
    {"cross", "four", "half", "high", "long", "low", "self", "short", "three", "two", "well"}
)
"""What stands before a hyphen of its own more often than it begins a divided word."""
_LINKS = frozenset({"and", "by", "in", "of", "on", "the", "to", "up"})
"""The same within a word that has a hyphen already: state-of-the-art."""
_LEAST_AFTER = 4
"""Characters behind it; fewer are an ending: crossing, lower."""
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
"""Scripts that put no space between words; Korean does, but not at every line's end."""
_KOREAN = re.compile("[\u1100-\u11ff\uac00-\ud7af]")


class Words:
    """The words of a document that stand whole in a line."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._known: Counter[str] = Counter()
        was_cut = False
        for line in lines:
            words = [word.lower() for word in _WORD.findall(line)]
            first = 1 if was_cut else 0
            was_cut = line.endswith("-")
            self._known.update(words[first : -1 if was_cut else None])

    def joined(self, lines: Sequence[str]) -> str:
        """The lines as one text."""
        text = ""
        for line in lines:
            text = self._added(text, line) if text else line
        return text

    def _added(self, text: str, line: str) -> str:
        tail, head = _TAIL.search(text[-_LONGEST:]), _HEAD.match(line)
        if tail is None or head is None:
            if text.endswith("-") and line[:1].isalnum() and len(text) > 1 and text[-2].isalnum():
                return text + line  # a number or a name goes on
            is_wide = _WIDE.match(text[-1]) and _WIDE.match(line[:1])
            if is_wide and not _KOREAN.match(line[:1]):
                return text + line
            return f"{text} {line}"
        return (text[:-1] if self._divides(tail[0][:-1], head[0]) else text) + line

    def _divides(self, before: str, after: str) -> bool:
        """Whether the hyphen between the two was put there to divide a word."""
        if after[0].isupper() and not before.isupper():
            return False
        whole = self._known[(before + after).lower()]
        linked = self._known[f"{before}-{after}".lower()]
        if whole or linked:
            return whole >= linked
        link, last = before.lower().rpartition("-")[::2]
        if link and last in _LINKS:
            return False
        return last not in _STAYS or len(after) < _LEAST_AFTER
