"""Styles of an OpenDocument text: what they mean, through those that they build on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from broker.documents.fonts import is_monospace
from broker.documents.odf import FO, STYLE, SVG, TEXT
from broker.documents.written import Look, is_code_style

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extract.tree import Node

_DEEPEST = 20
"""Styles that build on each other."""
_BOLD = frozenset({"bold", "600", "700", "800", "900"})
_ITALIC = frozenset({"italic", "oblique"})
_PARAGRAPH, _LETTERS = "paragraph", "text"


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a list."""

    ordered: bool
    start: int = 1


class Styles:
    """The styles of a file.

    Args:
        roots: the parts that define them, the one that counts more first.
    """

    def __init__(self, roots: Iterable[Node]) -> None:
        self._styles: dict[tuple[str, str], Node] = {}
        self._lists: dict[str, Node] = {}
        self._faces: dict[str, str] = {}
        self._looks: dict[tuple[str, Look], Look] = {}
        for root in roots:
            for style in root.iter(f"{STYLE}style"):
                key = (style.get(f"{STYLE}family", ""), style.get(f"{STYLE}name", ""))
                self._styles.setdefault(key, style)
            for kind in root.iter(f"{TEXT}list-style"):
                self._lists.setdefault(kind.get(f"{STYLE}name", ""), kind)
            for face in root.iter(f"{STYLE}font-face"):
                name = face.get(f"{STYLE}name", "")
                family = face.get(f"{SVG}font-family")
                fixed = " mono" if face.get(f"{STYLE}font-pitch") == "fixed" else ""
                self._faces.setdefault(name, f"{name} {family or ''}{fixed}")

    def names(self, name: str, family: str = _PARAGRAPH) -> Iterator[str]:
        """The name of a style and of those that it builds on, as people see them."""
        for style_name, style in self._chain(name, family):
            shown = style.get(f"{STYLE}display-name") if style is not None else None
            yield (shown or style_name).replace("_20_", " ")

    def is_code(self, name: str) -> bool:
        """Whether paragraphs of that style are code."""
        return any(map(is_code_style, self.names(name)))

    def paragraph_look(self, name: str) -> Look:
        """What a paragraph's style says of its letters: only whether they are a typewriter's."""
        for _, style in self._chain(name, _PARAGRAPH):
            fixed = _fixed(style, self._faces)
            if fixed is not None:
                return Look(code=fixed)
        return Look()

    def look(self, name: str, around: Look) -> Look:
        """How letters of a style are set, in letters set like `around`."""
        known = self._looks.get((name, around))
        if known is None:
            known = around
            for style_name, style in reversed(list(self._chain(name, _LETTERS))):
                known = _changed(known, style, self._faces)
                if is_code_style(style_name):
                    known = replace(known, code=True)
            self._looks[name, around] = known
        return known

    def level(self, name: str, depth: int) -> Level:
        """A level of a list style, counted from 1."""
        for level in self._lists.get(name, ()):
            if level.get(f"{TEXT}level") == str(depth):
                ordered = level.tag == f"{TEXT}list-level-style-number"
                start = level.get(f"{TEXT}start-value", "1")
                numbered = ordered and bool(level.get(f"{STYLE}num-format"))
                return Level(numbered, int(start) if start.isdecimal() else 1)
        return Level(ordered=False)

    def _chain(self, name: str, family: str) -> Iterator[tuple[str, Node | None]]:
        for _ in range(_DEEPEST):
            if not name:
                return
            style = self._styles.get((family, name))
            yield name, style
            name = "" if style is None else style.get(f"{STYLE}parent-style-name", "")


def _properties(style: Node | None) -> Node | None:
    return None if style is None else style.find(f"{STYLE}text-properties")


def _fixed(style: Node | None, faces: dict[str, str]) -> bool | None:
    """Whether a style sets a typewriter's letters; None where it names no font."""
    found = _properties(style)
    if found is None:
        return None
    name = found.get(f"{STYLE}font-name")
    family = found.get(f"{FO}font-family")
    if name is None and family is None:
        return None
    return is_monospace(f"{faces.get(name or '', name or '')} {family or ''}")


def _changed(look: Look, style: Node | None, faces: dict[str, str]) -> Look:
    found = _properties(style)
    if found is None:
        return look
    weight, slant = found.get(f"{FO}font-weight"), found.get(f"{FO}font-style")
    through, fixed = found.get(f"{STYLE}text-line-through-style"), _fixed(style, faces)
    place = found.get(f"{STYLE}text-position", "").split(" ")[0]
    if place:
        up = place == "super" or (place.rstrip("%").isdecimal() and place.rstrip("%") != "0")
        down = place == "sub" or place.startswith("-")
        look = replace(look, raised="sup" if up else "sub" if down else "")
    return replace(
        look,
        bold=look.bold if weight is None else weight in _BOLD,
        italic=look.italic if slant is None else slant in _ITALIC,
        struck=look.struck if through is None else through != "none",
        code=look.code if fixed is None else fixed,
    )
