"""The parts beside a Word file's text: relations, styles, numbers of lists, what it says of itself.

Elements and attributes are known by their local names: the strict form of the format has other
namespaces than the one that everybody writes.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted
from broker.documents.fonts import is_monospace
from broker.documents.written import PLAIN, TITLE, Look, is_code_style
from extract import xml
from extract.xml import name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broker.documents.archive import Archive
    from broker.documents.records import Converted
    from extract.tree import Node

_MOST_BYTES = 60_000_000
_DEEPEST = 20
"""Styles that build on each other."""
_BODY_LEVEL = 9
_OFF = frozenset({"0", "false", "off", "none"})
_QUOTES = frozenset({"quote", "intense quote", "block text", "quotations"})


def child(node: Node | None, *path: str) -> Node | None:
    """The first element of these names, one in another."""
    for wanted in path:
        if node is None:
            return None
        node = next((each for each in node if name(each) == wanted), None)
    return node


def value(node: Node | None, attribute: str = "val") -> str:
    """An attribute by its local name; empty where it is not there."""
    if node is not None:
        for key, found in node.items():
            if key.rpartition("}")[2] == attribute:
                return found
    return ""


def is_on(node: Node | None) -> bool | None:
    """Whether a switch is on; None where it is not there."""
    return None if node is None else value(node) not in _OFF


class Package:
    """The parts of a file."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        main = next(iter(self._related("", "officeDocument")), "")
        self.main = main if main in archive else "word/document.xml"
        self.links = {key: target for key, (_, target) in self._relations(self.main).items()}

    def text(self) -> Node:
        """The part that holds the text.

        Raises:
            Unconverted: it is missing or no XML.
        """
        root = xml.parse(self._archive.read(self.main, _MOST_BYTES))
        if root is None:
            raise Unconverted("damaged", f"its part {self.main[:80]!r} is no XML")
        return root

    def beside(self, kind: str) -> Node | None:
        """The part of that kind that belongs to the text."""
        parts = map(self._part, self._related(self.main, kind))
        return next((part for part in parts if part is not None), None)

    def add_facts(self, result: Converted) -> None:
        """Add to `result` what the file says of itself: title, author, date, language."""
        facts: dict[str, str] = {}
        for part in ("docProps/core.xml", "docProps/custom.xml"):
            root = self._part(part)
            for node in () if root is None else root:
                key = node.get("name", "").lower() or name(node)
                facts.setdefault(key, xml.text(node))
        result.title = facts.get("title", "")
        result.byline = facts.get("creator") or None
        result.published = facts.get("date") or facts.get("created") or None
        result.lang = facts.get("language") or None

    def _part(self, path: str) -> Node | None:
        return xml.parse(self._archive.read(path, _MOST_BYTES)) if path in self._archive else None

    def _related(self, part: str, kind: str) -> Iterator[str]:
        for found, target in self._relations(part).values():
            if found == kind:
                yield posixpath.normpath(
                    posixpath.join("/", posixpath.dirname(part), target)
                ).lstrip("/")

    def _relations(self, part: str) -> dict[str, tuple[str, str]]:
        """(kind, target) of what a part leads to, by the name that it has there."""
        folder, file = posixpath.split(part)
        root = self._part(posixpath.join(folder, "_rels", f"{file}.rels"))
        return {
            node.get("Id", ""): (node.get("Type", "").rpartition("/")[2], node.get("Target", ""))
            for node in (() if root is None else root)
        }


@dataclass(frozen=True, slots=True)
class Manner:
    """What a paragraph's style makes of it."""

    level: int | None = None
    """Of a heading."""
    is_code: bool = False
    is_quote: bool = False
    is_contents: bool = False
    """Whether it is a line of the table of contents."""
    look: Look = PLAIN
    numbers: Node | None = None
    """Its list."""


class Styles:
    """The styles of a file."""

    def __init__(self, root: Node | None) -> None:
        styles = [] if root is None else [node for node in root if name(node) == "style"]
        self._styles = {value(node, "styleId"): node for node in styles}
        self._usual = next(
            (
                value(node, "styleId")
                for node in styles
                if value(node, "default") in {"1", "true"} and value(node, "type") == "paragraph"
            ),
            "",
        )
        self._manners: dict[str, Manner] = {}
        self._looks: dict[tuple[str, Look], Look] = {}

    def manner(self, style: str) -> Manner:
        """What the paragraph style of that id means; the usual one where there is none."""
        known = self._manners.get(style)
        if known is None:
            known = self._manners[style] = self._manner(style or self._usual)
        return known

    def look(self, properties: Node | None, around: Look) -> Look:
        """How a run with these properties is set, in a paragraph set like `around`."""
        style = value(child(properties, "rStyle"))
        if style:
            key = (style, around)
            if key not in self._looks:
                look = around
                for node in reversed(list(self._chain(style))):
                    look = changed(look, child(node, "rPr"))
                    if is_code_style(value(child(node, "name"))):
                        look = replace(look, code=True)
                self._looks[key] = look
            around = self._looks[key]
        return changed(around, properties)

    def _manner(self, style: str) -> Manner:
        made = Manner()
        for node in reversed(list(self._chain(style))):
            called = value(child(node, "name")).lower() or style.lower()
            outline = value(child(node, "pPr", "outlineLvl"))
            if outline.isdecimal():
                level = int(outline) + 1
                made = replace(made, level=level if level <= _BODY_LEVEL else None)
            if called.startswith("heading ") and called[8:].isdecimal():
                made = replace(made, level=int(called[8:]))
            numbers = child(node, "pPr", "numPr")
            look = changed(made.look, child(node, "rPr"))
            made = replace(
                made,
                level=TITLE if called == "title" else made.level,
                is_code=made.is_code or is_code_style(called),
                is_quote=made.is_quote or called in _QUOTES,
                is_contents=called.startswith(("toc ", "contents ")) and called[-1:].isdecimal(),
                look=Look(code=look.code),  # a whole paragraph of bold says nothing
                numbers=made.numbers if numbers is None else numbers,
            )
        return made

    def _chain(self, style: str) -> Iterator[Node]:
        for _ in range(_DEEPEST):
            node = self._styles.get(style)
            if node is None:
                return
            yield node
            style = value(child(node, "basedOn"))


def changed(look: Look, properties: Node | None) -> Look:
    """A look with what a run's properties set in it."""
    if properties is None or not len(properties):
        return look
    found = {name(node): node for node in properties}
    bold, italic = is_on(found.get("b")), is_on(found.get("i"))
    struck = is_on(found.get("strike"))
    font = value(found.get("rFonts"), "ascii")
    place = value(found.get("vertAlign"))
    return replace(
        look,
        bold=look.bold if bold is None else bold,
        italic=look.italic if italic is None else italic,
        struck=look.struck if struck is None else struck,
        code=is_monospace(font) if font else look.code,
        raised={"superscript": "sup", "subscript": "sub"}.get(place, "" if place else look.raised),
    )


class Numbers:
    """The lists of a file, and how far each has counted."""

    def __init__(self, root: Node | None) -> None:
        parts = [] if root is None else list(root)
        self._kinds = {value(n, "abstractNumId"): n for n in parts if name(n) == "abstractNum"}
        self._lists = {value(node, "numId"): node for node in parts if name(node) == "num"}
        self._counts: dict[tuple[str, int], int] = {}
        self._begun: defaultdict[str, set[int]] = defaultdict(set)

    def level(self, number: str, depth: int) -> tuple[str, bool]:
        """(format, whether a mark is shown) of a list's level, counted from 0."""
        node = self._level(number, depth)
        if node is None:
            return "bullet", True
        kind = value(child(node, "numFmt")) or "decimal"
        return kind, kind != "none" and bool(value(child(node, "lvlText")).strip())

    def next(self, number: str, depth: int) -> int:
        """The number of the next item."""
        kind = value(child(self._lists.get(number), "abstractNumId")) or number
        override = self._override(number, depth)
        start = value(child(override, "startOverride")) or value(
            child(self._level(number, depth), "start")
        )
        first = int(start) if start.isdecimal() else 1
        key = (kind, depth)
        fresh = override is not None and depth not in self._begun[number]
        self._begun[number].add(depth)
        count = first if fresh or key not in self._counts else self._counts[key] + 1
        self._counts[key] = count
        for deeper in [each for each in self._counts if each[0] == kind and each[1] > depth]:
            del self._counts[deeper]
        return count

    def _level(self, number: str, depth: int) -> Node | None:
        override = child(self._override(number, depth), "lvl")
        if override is not None:
            return override
        kind = self._kinds.get(value(child(self._lists.get(number), "abstractNumId")))
        return _of_level(kind, "lvl", depth)

    def _override(self, number: str, depth: int) -> Node | None:
        return _of_level(self._lists.get(number), "lvlOverride", depth)


def _of_level(node: Node | None, wanted: str, depth: int) -> Node | None:
    for each in () if node is None else node:
        if name(each) == wanted and value(each, "ilvl") == str(depth):
            return each
    return None
