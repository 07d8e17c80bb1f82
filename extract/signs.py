"""What can be seen of a page without deciding anything: its text, forms, scripts and heads.

`look` takes a tree, `look_at_text` a text that is no markup. What costs time and is needed only on
pages without prose is worked out when it is asked for, once.
"""

from __future__ import annotations

import math
import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from extract import prose, vocab, walls
from extract.phrases import Phrases, normal
from extract.tree import Node, fold, is_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extract.prose import Line

SPOKEN_CHARS = 12_000
"""How much of a page's small text is searched for phrases."""

HEAD = 180
"""Most weight of a title or heading that can name a wall; longer ones are sentences of a text."""

LINKED_TITLE = 25
"""Least weight of a link that is a title of something rather than a menu's entry."""

_OUT_OF_SIGHT = prose.HIDDEN | prose.NOSCRIPT
_TITLE_MARKS = re.compile(
    r"\s+[|\-\u2013\u2014\u00b7\u2022\u30fb:~\u00bb\u00ab\u2039/]+\s+|[|\u00b7\u2022]"
)
_ASKING = (
    " how ", " why ", " wie ", " warum ", " comment ", " pourquoi ", " cómo ", " como ",
    " por qué ", " come ", " perché ", " hoe ", " waarom ", " jak ", " как ", " почему ",
    " 如何", " 怎么", " 为什么",
)  # fmt: skip
_APP_LINKS = frozenset({"stylesheet", "manifest", "modulepreload", "preload", "icon", "canonical"})
_WRITTEN_INPUTS = frozenset({"", "text", "email", "tel", "number", "password"})
_PRESSED_INPUTS = frozenset({"submit", "button"})


class Page:
    """A page as it was served."""

    def __init__(self, root: Node | None, lines: list[Line]) -> None:
        self.root = root
        """None for a text that is no markup."""
        self.lines = lines
        """All lines, in reading order."""
        self.main = [line for line in lines if line.is_main]
        """Visible lines of the main text."""
        self.prose = [line for line in self.main if line.is_prose]
        """Sentences of the main text."""
        self.main_weight = prose.total(self.main)
        """What the main text weighs outside its links."""
        self._present: dict[tuple[str, Phrases], tuple[str, ...]] = {}

    @cached_property
    def titles(self) -> list[str]:
        """The parts of the title between its marks and the whole, as the vocabulary is written."""
        if self.root is None:
            return []
        node = next((node for node in self.root.iter("title") if not _in_picture(node)), None)
        title = "" if node is None else fold("".join(node.itertext()))[: 2 * HEAD]
        parts = (normal(part) for part in (*_TITLE_MARKS.split(title), title))
        return [part for part in dict.fromkeys(parts) if part.strip()]

    @cached_property
    def headings(self) -> list[str]:
        """The first headings outside dialogs, those in menus last, as the vocabulary is written."""
        outside = prose.BESIDE & ~prose.FURNITURE
        heads = [
            line
            for line in self.lines
            if line.zone & prose.HEADING and not line.zone & outside and line.weight <= HEAD
        ]
        heads.sort(key=lambda line: bool(line.zone & prose.FURNITURE))
        if not heads and self.main and self.main[0].weight <= HEAD / 3:
            heads = self.main[:1]  # what stands first and is short serves as one
        return [normal(line.text) for line in heads[:6]]

    @cached_property
    def heads(self) -> list[str]:
        """Titles and headings that are short enough to name a wall."""
        return [head for head in (*self.titles, *self.headings) if _is_name(head)]

    @cached_property
    def spoken(self) -> list[tuple[Line, str]]:
        """The visible lines that are more than a link, and their form in the vocabulary."""
        unseen = _OUT_OF_SIGHT | prose.PLACEHOLDER
        found = []
        left = SPOKEN_CHARS
        for line in self.lines:
            if not line.zone & unseen and line.own > line.weight / 4:
                found.append((line, normal(line.text)))
                left -= len(line.text)
                if left < 0:
                    break
        return found

    @cached_property
    def said(self) -> str:
        """All spoken lines, as the vocabulary is written."""
        return "\n".join(words for _, words in self.spoken)

    @cached_property
    def unseen(self) -> str:
        """What stands in `<noscript>` and in hidden nodes, as the vocabulary is written."""
        texts = (line.text for line in self.lines if line.zone & _OUT_OF_SIGHT)
        return normal(" . ".join(texts)[: SPOKEN_CHARS // 2])

    @cached_property
    def latent(self) -> float:
        """Weight of the prose in `<noscript>`, hidden nodes and dialogs that no wall would say."""
        lines = [
            line
            for line in self.lines
            if line.zone & (_OUT_OF_SIGHT | prose.DIALOG)
            and not line.zone & prose.BANNER
            and line.is_prose
        ]
        said = [normal(line.text[:2000]) for line in lines]
        joined = "\n".join(said)[:SPOKEN_CHARS]
        walls_say = (vocab.SCRIPT, vocab.ROBOT, vocab.COOKIES, vocab.FAULT, vocab.LOGIN)
        present = [literal for phrases in walls_say for literal in phrases.within(joined)]
        return prose.total(
            line
            for line, words in zip(lines, said, strict=True)
            if not any(literal in words for literal in present)
        )

    @cached_property
    def hidden_main(self) -> float:
        """Weight of all text in hidden parts of the main element."""
        hidden_main = prose.HIDDEN | prose.MAIN
        return prose.total(line for line in self.lines if line.zone & hidden_main == hidden_main)

    @cached_property
    def misplaced(self) -> float:
        """Weight of the prose in menus and controls."""
        unseen = _OUT_OF_SIGHT | prose.BANNER
        return prose.total(
            line
            for line in self.lines
            if line.zone & (prose.FURNITURE | prose.CONTROL)
            and not line.zone & unseen
            and line.is_prose
        )

    @cached_property
    def linked_titles(self) -> float:
        """Weight of the main text's links that are long enough to be titles of something."""
        return sum(line.linked for line in self.main if line.linked >= LINKED_TITLE)

    @cached_property
    def machinery(self) -> str:
        """Scripts, addresses and names; see `walls.machinery`."""
        return "" if self.root is None else walls.machinery(self.root)

    @cached_property
    def scripts(self) -> int:
        """How many scripts the page runs; data blocks do not count."""
        nodes = () if self.root is None else self.root.iter("script")
        return sum(1 for node in nodes if _runs(node))

    @property
    def is_announced(self) -> bool:
        """Whether the head speaks of a page that the body does not show."""
        if self.root is None or not self.titles:
            return False
        return any(node.get("rel", "") in _APP_LINKS for node in self.root.iter("link"))

    @cached_property
    def passwords(self) -> int:
        """How many visible password fields there are."""
        return sum(1 for node in self._inputs if _kind(node) == "password")

    @cached_property
    def fields(self) -> int:
        """How many visible fields one can write into."""
        return sum(1 for node in self._inputs if _kind(node) in _WRITTEN_INPUTS)

    @cached_property
    def labels(self) -> list[str]:
        """What stands on buttons and in fields, as the vocabulary is written."""
        unpressed = _OUT_OF_SIGHT | prose.BANNER
        texts = [
            line.text
            for line in self.lines
            if line.zone & prose.CONTROL and not line.zone & unpressed
        ]
        for node in self._inputs:
            pressed = _kind(node) in _PRESSED_INPUTS
            texts.append(node.get("value" if pressed else "placeholder", ""))
        return [normal(text) for text in texts if text][:60]

    @cached_property
    def _inputs(self) -> list[Node]:
        nodes = () if self.root is None else islice(self.root.iter("input"), 200)
        return [node for node in nodes if _kind(node) != "hidden" and not _is_out_of_sight(node)]

    def in_heads(self, phrases: Phrases, heads: Sequence[str] | None = None) -> str:
        """The first title or heading, or the first of `heads`, that holds one of the phrases."""
        present = self.present("heads", phrases)
        wanted = self.heads if heads is None else [head for head in heads if _is_name(head)]
        return _first(wanted, present)

    def in_labels(self, phrases: Phrases) -> str:
        """The first button or field that holds one of the phrases."""
        return _first(self.labels, self.present("labels", phrases))

    def told(self, phrases: Phrases) -> list[tuple[Line, str]]:
        """The spoken lines that hold one of the phrases, and the phrase."""
        present = self.present("said", phrases)
        return [
            (line, literal.strip())
            for line, words in self.spoken
            if (literal := next((one for one in present if one in words), None)) is not None
        ]

    def left(self, *explained: Phrases, least: float = 0.0, most: float = math.inf) -> float:
        """Weight of the main text that holds none of the phrases, outside of links.

        Lines lighter than `least` do not count; lines heavier than `most` always do.
        """
        present = [literal for phrases in explained for literal in self.present("said", phrases)]
        return prose.total(
            line
            for line, words in self.spoken
            if line.is_main
            and line.own >= least
            and (line.own > most or not any(literal in words for literal in present))
        )

    def present(self, place: str, phrases: Phrases) -> tuple[str, ...]:
        """The phrases that stand anywhere in `place`: "said", "heads" or "labels"."""
        key = (place, phrases)
        if key not in self._present:
            texts = {"heads": self.heads, "labels": self.labels}.get(place)
            text = self.said if texts is None else "\n".join(texts)
            self._present[key] = phrases.within(text)
        return self._present[key]


def look(root: Node) -> Page:
    """The page in a tree."""
    return Page(root, prose.read_lines(root))


def look_at_text(text: str) -> Page:
    """A text that is no markup, as a page."""
    return Page(None, prose.plain_lines(text))


def _first(texts: Iterable[str], present: tuple[str, ...]) -> str:
    if not present:
        return ""
    return next((text for text in texts if any(one in text for one in present)), "")


def _is_name(head: str) -> bool:
    """Whether a title or heading may name what a page is; one that asks how or why does not."""
    return len(head) <= HEAD and not head.startswith(_ASKING)


def _kind(node: Node) -> str:
    return (node.get("type") or "").lower()


def _in_picture(node: Node) -> bool:
    parent = node.getparent()
    return parent is not None and parent.tag in {"svg", "symbol", "g"}


def _is_out_of_sight(node: Node) -> bool:
    if is_hidden(node):
        return True
    holders = islice(node.iterancestors(), 64)
    return any(holder.tag == "noscript" or is_hidden(holder) for holder in holders)


def _runs(node: Node) -> bool:
    kind = _kind(node)
    return not kind or "javascript" in kind or kind == "module"
