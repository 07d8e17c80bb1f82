"""Places in a page that links lead to, and the headings of its text that they stand below.

A text keeps headings and loses names: who rewrites `page#install` for the text needs to know which
heading `install` names, or stands under. Headings are told by their letters and digits, since the
text's lack permalinks and marks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extract.tree import raw_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extract.tree import Node

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SIGNS = re.compile(r"[\W_]+")
_MOST = 1000
_LONGEST = 200  # characters
_LOOK_AHEAD = 12
"""Headings of the text that one of the page may be behind: the text has lost some, and gained."""


def anchors(root: Node, headings: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """(name, index into `headings`) of each place in the page `root` that has a name.

    A name on a heading, in it, or on what begins with it means that heading; any other one means
    the heading above it. Names above the first heading mean none and are left out; each name
    counts once, and 1,000 at most are given, those of headings first.
    """
    keys = [_key(text) for text in headings]
    own: dict[str, int] = {}
    below: dict[str, int] = {}
    waiting: list[str] = []
    next_one, current = 0, -1
    for node in root.iter():
        if node.tag in _HEADINGS:
            place = _place(keys, _key(raw_text(node)), next_one)
            if place is not None:
                current, next_one = place, place + 1
                for name in (*_still(node, waiting), *_names(node), *_inner_names(node)):
                    own.setdefault(name, place)
            waiting = []
        else:
            names = tuple(_names(node))
            waiting = [*_still(node, waiting), *names] if not (node.text or "").strip() else []
            if current >= 0:
                for name in names:
                    below.setdefault(name, current)
    merged = own | {name: place for name, place in below.items() if name not in own}
    return tuple(merged.items())[:_MOST]


def _names(node: Node) -> Iterator[str]:
    for attribute in ("id", "name") if node.tag == "a" else ("id",):
        name = node.get(attribute)
        if name and len(name) <= _LONGEST:
            yield name


def _inner_names(heading: Node) -> Iterator[str]:
    for node in heading.iterdescendants():
        yield from _names(node)


def _still(node: Node, waiting: list[str]) -> list[str]:
    """The names that may still open with a heading: no text stands between them and `node`."""
    before = node.getprevious()
    return [] if before is not None and (before.tail or "").strip() else waiting


def _place(keys: Sequence[str], key: str, start: int) -> int | None:
    """Where the next heading of the text that says the same stands."""
    if not key:
        return None
    for place in range(start, min(len(keys), start + _LOOK_AHEAD)):
        if keys[place] == key:
            return place
    return None


def _key(text: str) -> str:
    return _SIGNS.sub("", text).casefold()
