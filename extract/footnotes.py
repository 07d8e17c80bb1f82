"""Footnotes: which links refer to one, where its text stands, and by which mark both are known.

What writes them differs (GFM, Pandoc, Sphinx, wikis, word processors); alike are a raised link to a
place on the same page, and that place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extract.passages import Box, Passage, Piece
    from extract.tree import Node

_ID = re.compile(
    r"(?:user-content-)?_?(?:fn|footnote|ftn|note|endnote|edn|cite_note|reference)s?"
    r"(?![-_:.]?ref)[-_:.]?[\w.:~-]{0,80}\Z",
    re.IGNORECASE,
)
_BACK_ID = re.compile(r"(?:user-content-)?_?(?:cite_|fn|footnote|ftn|note|edn)[-_:.]?ref")
_NAMED = re.compile(r"(?:^|\s)(?:footnote-?ref\S*|noteref)(?:\s|$)")
_TAGS = frozenset({"li", "p", "div", "aside", "dd", "td", "dt", "section"})
_EDGES = "[](){}.: "
_LONGEST_MARK = 12
_BACK_SIGNS = frozenset("↩↑^⏎↵▲⇧⤴↟")
_VARIANTS = dict.fromkeys([0xFE0E, 0xFE0F])  # whether a sign is drawn as a picture
_LONGEST_BACK = 3  # characters of a link that leads back: a letter where there are several


class Footnotes(NamedTuple):
    """The footnotes of a page that are both referred to and there."""

    marks: Mapping[str, str]
    """The mark of each by its id."""
    places: Mapping[Node, str]
    """The mark of each by the element that holds its text."""


def footnotes(passages: Sequence[Passage]) -> Footnotes:
    """The footnotes among `passages`."""
    marks: dict[str, str] = {}
    for passage in passages:
        for node in passage.links:
            identity = target(node)
            if identity and identity not in marks and _refers(node, identity):
                mark = fold("".join(node.itertext())).strip(_EDGES).replace(" ", "-")
                if mark and len(mark) <= _LONGEST_MARK:
                    marks[identity] = mark
    if not marks:
        return Footnotes({}, {})
    found: dict[str, Node] = {}
    leads = frozenset({"", *marks.values()})
    for passage in passages:
        _place(passage, marks, leads, found)
    present = {identity: marks[identity] for identity in found}
    return Footnotes(present, {node: marks[identity] for identity, node in found.items()})


def target(link: Node) -> str:
    """The id that a link leads to on its own page; empty where it leads elsewhere."""
    href = link.get("href") or ""
    return unquote(href[1:]) if href.startswith("#") else ""


def leads_back(link: Node) -> bool:
    """Whether a link only leads from a footnote back to where it is referred to."""
    identity = target(link)
    if not identity:
        return False
    words = fold("".join(link.itertext())).translate(_VARIANTS)
    if words in _BACK_SIGNS:
        return True
    return len(words) <= _LONGEST_BACK and _BACK_ID.match(identity) is not None


def unmarked(pieces: Sequence[Piece], mark: str) -> list[Piece]:
    """`pieces` of a footnote without the mark that they begin with."""
    begin = next(
        (
            index
            for index, piece in enumerate(pieces)
            if isinstance(piece, str) and fold(piece).strip(_EDGES + "^↑") not in {"", mark}
        ),
        len(pieces),
    )
    return [*(piece for piece in pieces[:begin] if not isinstance(piece, str)), *pieces[begin:]]


def _refers(link: Node, identity: str) -> bool:
    """Whether a link is a mark in the text: named so, or raised and leading to a note."""
    if (
        link.get("role") == "doc-noteref"
        or link.get("data-footnote-ref") is not None
        or _NAMED.search(link.get("class") or "") is not None
    ):
        return True
    if _ID.match(identity) is None:
        return False
    parent = link.getparent()
    return link.find("sup") is not None or (parent is not None and parent.tag == "sup")


def _place(
    passage: Passage, marks: Mapping[str, str], leads: frozenset[str], found: dict[str, Node]
) -> None:
    """Notes in `found` which footnote `passage` belongs to, if it does to one not yet found.

    `leads` are the texts that may stand before a footnote's anchor.
    """
    at: Box | None = passage.box
    while at is not None:
        identity = at.node.get("id") or ""
        if identity in marks and identity not in found and at.tag in _TAGS:
            found[identity] = _text_of(at.node)
        at = at.parent
    if passage.box.tag not in _TAGS:
        return
    for piece in passage.pieces:  # an anchor at its beginning
        if isinstance(piece, str):
            if fold(piece).strip(_EDGES + "^") not in leads:
                return
        elif piece[0] == "open":
            identity = piece[1].get("id") or piece[1].get("name") or ""
            if identity in marks and identity not in found:
                found[identity] = passage.box.node
                return


def _text_of(node: Node) -> Node:
    """What holds a footnote's text: of a term, what explains it."""
    behind = node.getnext()
    return behind if node.tag == "dt" and behind is not None and behind.tag == "dd" else node
