"""OpenDocument texts: headings, paragraphs, lists, tables, code, notes, what stands in boxes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.documents import formulas
from broker.documents.odf import DRAW, OFFICE, SVG, TABLE, TEXT, XLINK, add_facts, part
from broker.documents.odf_styles import Styles
from broker.documents.records import Converted
from broker.documents.written import TITLE, Look, Run, Writer
from extract import xml
from extract.model import Frame, Holder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from broker.documents.archive import Archive
    from extract.tree import Node

_SPACES = re.compile(r"[ \t\r\n]+")
_UNREAD = frozenset(
    {
        f"{TEXT}table-of-content", f"{TEXT}sequence-decls", f"{TEXT}variable-decls",
        f"{TEXT}user-field-decls", f"{TEXT}note-citation", f"{OFFICE}forms", f"{OFFICE}scripts",
        f"{OFFICE}event-listeners", f"{TABLE}shapes",
    }
)  # fmt: skip
_TOLD = {
    f"{OFFICE}annotation": "comments",
    f"{TEXT}tracked-changes": "deleted texts",
    f"{TEXT}hidden-text": "hidden texts",
}
"""What is left out and told of."""
_MOST_REPEATED = 100
_QUOTES = frozenset({"Quotations", "Quote", "Block Text", "Intense Quote"})


def convert(archive: Archive) -> Converted:
    """The text of an archive that was checked.

    Raises:
        Unconverted: it is damaged.
    """
    content = part(archive, "content.xml")
    styles = [part(archive, "styles.xml")] if "styles.xml" in archive else []
    writer = Writer()
    reader = _Reader(archive, Styles([content, *styles]))
    for body in content.iter(f"{OFFICE}text"):
        reader.blocks(body, writer)
    result = Converted(markdown=writer.markdown(), notes=writer.told())
    add_facts(result, archive)
    return result


class _Reader:
    """Goes through the tree once and tells a writer what stands there."""

    def __init__(self, archive: Archive, styles: Styles) -> None:
        self._archive = archive
        self._styles = styles

    def blocks(self, nodes: Iterable[Node], to: Writer) -> None:
        """What stands in elements that hold paragraphs and the like."""
        for child in nodes:
            match child.tag:
                case kind if kind in _TOLD:
                    count = len(child) if kind == f"{TEXT}tracked-changes" else 1
                    to.dropped[_TOLD[kind]] += count
                case kind if kind in _UNREAD:
                    continue
                case kind if kind == f"{TEXT}h":
                    self._heading(child, to)
                case kind if kind == f"{TEXT}p":
                    self._paragraph(child, to)
                case kind if kind == f"{TEXT}list":
                    self._list(child, to)
                case kind if kind == f"{TABLE}table":
                    to.table(list(self._rows(child, to)))
                case kind if kind == f"{DRAW}frame":
                    self._frame(child, to)
                case _:
                    self.blocks(child, to)

    def _heading(self, node: Node, to: Writer) -> None:
        level = node.get(f"{TEXT}outline-level", "1")
        line = _Line(self, to)
        line.read(node, Look(), "")
        to.heading(int(level) if level.isdecimal() else 1, line.runs)
        line.finish()

    def _paragraph(self, node: Node, to: Writer) -> None:
        style = node.get(f"{TEXT}style-name", "")
        line = _Line(self, to)
        line.read(node, self._styles.paragraph_look(style), "")
        names = set(self._styles.names(style))
        if "Title" in names:
            to.heading(TITLE, line.runs)
        elif self._styles.is_code(style) and not any(run.is_markdown for run in line.runs):
            to.code("".join(run.text for run in line.runs))
        elif names & _QUOTES:
            to.quotation(line.runs)
        else:
            to.paragraph(line.runs)
        line.finish()

    def _list(self, node: Node, to: Writer, style: str = "", depth: int = 1) -> None:
        style = node.get(f"{TEXT}style-name", style)
        level, group, outer = self._styles.level(style, depth), object(), to.frames
        number = level.start
        for item in node:
            if item.tag == f"{TEXT}list-item":
                start = item.get(f"{TEXT}start-value", "")
                number = int(start) if start.isdecimal() else number
                shown = number if level.ordered else None
                to.frames = (*outer, Frame(Holder.ITEM, group, shown))
                number += 1
            for child in item:
                if child.tag == f"{TEXT}list":
                    self._list(child, to, style, depth + 1)
                else:
                    self.blocks([child], to)
            to.frames = outer

    def _rows(self, node: Node, to: Writer) -> Iterator[list[Writer]]:
        for row in node.iter(f"{TABLE}table-row"):
            if next(row.iterancestors(f"{TABLE}table"), None) is not node:
                continue  # of a table in a cell
            cells: list[Writer] = []
            for cell in row:
                made = to.cell()
                self.blocks(cell, made)
                times = cell.get(f"{TABLE}number-columns-repeated", "1")
                repeated = int(times) if times.isdecimal() else 1
                cells += [made] * min(repeated, _MOST_REPEATED if made.blocks else 1)
            yield cells

    def _frame(self, frame: Node, to: Writer) -> None:
        """A box: text, a table, a formula, or a picture, of which its description is read."""
        for child in frame:
            if child.tag == f"{DRAW}object" and (formula := self.formula(child)):
                to.paragraph([Run(f"${formula}$", is_markdown=True)])
        if described := frame.findtext(f"{SVG}desc"):
            to.paragraph([Run(f"[Picture: {described}]")])
        self.blocks([child for child in frame if child.tag != f"{SVG}desc"], to)

    def formula(self, node: Node) -> str:
        """The formula that an object is, as TeX; empty where it is none."""
        name = node.get(f"{XLINK}href", "").removeprefix("./").rstrip("/") + "/content.xml"
        inner = part(self._archive, name) if name in self._archive else node
        found = next((each for each in inner.iter() if xml.name(each) == "math"), None)
        return "" if found is None else formulas.tex(found).strip()

    def look(self, name: str, around: Look) -> Look:
        """How letters of a style are set."""
        return self._styles.look(name, around)


class _Line:
    """One paragraph's runs, and the boxes that are tied to it."""

    def __init__(self, reader: _Reader, to: Writer) -> None:
        self.runs: list[Run] = []
        self._reader = reader
        self._to = to
        self._boxes: list[Node] = []

    def read(self, node: Node, look: Look, url: str) -> None:
        """What stands in `node`, set in that look and leading there."""
        self._add(node.text, look, url)
        for child in node:
            self._child(child, look, url)
            self._add(child.tail, look, url)

    def finish(self) -> None:
        """Write what stands in the boxes, now that the paragraph is written."""
        self._reader.blocks(self._boxes, self._to)

    def _child(self, node: Node, look: Look, url: str) -> None:
        match node.tag:
            case kind if kind in _TOLD:
                self._to.dropped[_TOLD[kind]] += 1
            case kind if kind == f"{TEXT}span":
                self.read(node, self._reader.look(node.get(f"{TEXT}style-name", ""), look), url)
            case kind if kind == f"{TEXT}a":
                self.read(node, look, node.get(f"{XLINK}href", ""))
            case kind if kind == f"{TEXT}s":
                count = node.get(f"{TEXT}c", "1")
                spaces = min(int(count), _MOST_REPEATED) if count.isdecimal() else 1
                self.runs.append(Run(" " * spaces, look, url))
            case kind if kind == f"{TEXT}tab":
                self.runs.append(Run("\t", look, url))
            case kind if kind == f"{TEXT}line-break":
                self.runs.append(Run("\n", look, url))
            case kind if kind == f"{TEXT}note":
                bodies = node.findall(f"{TEXT}note-body")
                self.runs.append(self._to.note(lambda to: self._notes(bodies, to)))
            case kind if isinstance(kind, str) and kind.startswith(DRAW):
                self._drawn(node)
            case kind if kind not in _UNREAD:
                self.read(node, look, url)

    def _notes(self, bodies: list[Node], to: Writer) -> None:
        for body in bodies:
            self._reader.blocks(body, to)

    def _drawn(self, node: Node) -> None:
        held = node.find(f"{DRAW}object")
        formula = "" if held is None else self._reader.formula(held)
        if formula:
            self.runs.append(Run(f"${formula}$", is_markdown=True))
        else:
            self._boxes.append(node)

    def _add(self, text: str | None, look: Look, url: str) -> None:
        """Letters, spaces folded: those that count are elements of their own."""
        text = _SPACES.sub(" ", text or "")
        if text[:1] == " " and (not self.runs or self.runs[-1].text[-1:] in {" ", "\n"}):
            text = text[1:]
        if text:
            self.runs.append(Run(text, look, url))
