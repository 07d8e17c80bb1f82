"""Word files: headings, paragraphs, lists, tables, code, notes; changes count as accepted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.documents import formulas
from broker.documents.docx_parts import Numbers, Package, Styles, child, is_on, value
from broker.documents.records import Converted
from broker.documents.written import Look, Run, Writer
from extract.model import Frame, Holder
from extract.xml import name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from broker.documents.archive import Archive
    from broker.documents.docx_parts import Manner
    from extract.tree import Node

_UNREAD = frozenset(
    {
        "pPr", "rPr", "tblPr", "tblGrid", "tcPr", "trPr", "sectPr", "sdtPr", "sdtEndPr",
        "bookmarkStart", "bookmarkEnd", "proofErr", "lastRenderedPageBreak", "rt", "fldData",
        "delInstrText",
    }
)  # fmt: skip
_DROPPED = {"del": "deleted texts", "moveFrom": "deleted texts", "commentReference": "comments"}
"""What is left out and told of."""
_SIGNS = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_FIELD_LINK = re.compile(r'\s*HYPERLINK\s+"([^"]+)"')
_MOST_SPAN = 64


def convert(archive: Archive) -> Converted:
    """The text of an archive that was checked.

    Raises:
        Unconverted: it is damaged.
    """
    package = Package(archive)
    writer = Writer()
    reader = _Reader(package)
    root = package.text()
    reader.blocks(next((node for node in root if name(node) == "body"), root), writer)
    result = Converted(markdown=writer.markdown(), notes=writer.told())
    package.add_facts(result)
    return result


class _Reader:
    """Goes through the tree once and tells a writer what stands there."""

    def __init__(self, package: Package) -> None:
        self.links = package.links
        self.styles = Styles(package.beside("styles"))
        self._numbers = Numbers(package.beside("numbering"))
        self._notes: dict[tuple[str, str], Node] = {}
        for kind in ("footnote", "endnote"):
            notes = package.beside(f"{kind}s")
            for node in () if notes is None else notes:
                self._notes[f"{kind}Reference", value(node, "id")] = node

    def blocks(self, nodes: Iterable[Node], to: Writer) -> None:
        """What stands in elements that hold paragraphs and the like."""
        for node in nodes:
            kind = name(node)
            if kind in _DROPPED:
                to.dropped[_DROPPED[kind]] += 1
            elif kind == "p":
                self._paragraph(node, to)
            elif kind == "tbl":
                to.table([self._cells(row, to) for row in _below(node, "tr")])
            elif kind == "AlternateContent":
                self.blocks(_chosen(node), to)
            elif kind not in _UNREAD:
                self.blocks(node, to)

    def note(self, reference: Node, to: Writer) -> Run | None:
        """The footnote or endnote that is referred to."""
        key = (name(reference), value(reference, "id"))
        found = self._notes.pop(key, None)  # while it is told, so that none holds itself
        if found is None:
            return None
        mark = to.note(lambda inner: self.blocks(found, inner))
        self._notes[key] = found
        return mark

    def _paragraph(self, node: Node, to: Writer) -> None:
        properties = child(node, "pPr")
        manner = self.styles.manner(value(child(properties, "pStyle")))
        line = _Line(self, to)
        line.read(node, manner.look)
        outline = value(child(properties, "outlineLvl"))
        level = int(outline) + 1 if outline in set("012345678") else manner.level
        if manner.is_contents:
            pass
        elif level is not None:
            to.frames = _without_items(to.frames)
            to.heading(level, line.runs)
        elif manner.is_code and not any(run.is_markdown for run in line.runs):
            to.frames = _without_items(to.frames)
            to.code("".join(run.text for run in line.runs))
        else:
            if line.is_said():
                to.frames = self._frames(properties, manner, to.frames)
            (to.quotation if manner.is_quote else to.paragraph)(line.runs)
        self.blocks(line.boxes, to)

    def _frames(
        self, properties: Node | None, manner: Manner, before: tuple[Frame, ...]
    ) -> tuple[Frame, ...]:
        """What a paragraph stands in, which follows one that stands in `before`."""
        outer = _without_items(before)
        open_items = before[len(outer) :]
        listed = child(properties, "numPr")
        listed = manner.numbers if listed is None else listed
        number = value(child(listed, "numId")) or value(child(manner.numbers, "numId"))
        if listed is None or number in {"", "0"}:
            return outer
        at = value(child(listed, "ilvl"))
        depth = int(at) if at.isdecimal() else 0
        kind, is_shown = self._numbers.level(number, depth)
        if not is_shown:  # it goes on what is written in the item before
            return (*outer, *open_items[: depth + 1])
        above = open_items[:depth]
        beside = open_items[depth] if len(open_items) > depth else None
        shown = None if kind == "bullet" else self._numbers.next(number, depth)
        same = beside is not None and (beside.number is None) == (shown is None)
        group = beside.group if same and beside is not None else object()
        return (*outer, *above, Frame(Holder.ITEM, group, shown))

    def _cells(self, row: Node, to: Writer) -> list[Writer]:
        cells = [to.cell() for _ in range(_count(child(row, "trPr", "gridBefore"), 0))]
        for node in _below(row, "tc"):
            properties = child(node, "tcPr")
            made = to.cell()
            merged = child(properties, "vMerge")
            if merged is None or value(merged) == "restart":
                self.blocks(node, made)
            cells.append(made)
            cells += [to.cell() for _ in range(_count(child(properties, "gridSpan"), 1) - 1)]
        return cells


class _Line:
    """One paragraph's runs, and the boxes that are tied to it."""

    def __init__(self, reader: _Reader, to: Writer) -> None:
        self.runs: list[Run] = []
        self.boxes: list[Node] = []
        self._reader = reader
        self._to = to
        self._fields: list[str] = []
        """Addresses of the fields that are open; what is not shown of one is gathered first."""
        self._instruction: str | None = None

    def is_said(self) -> bool:
        """Whether there is a word in it."""
        return any(run.is_markdown or run.text.strip() for run in self.runs)

    def read(self, node: Node, around: Look, url: str = "") -> None:
        """The runs in `node`, which leads there."""
        for part in node:
            kind = name(part)
            if kind in _DROPPED:
                self._to.dropped[_DROPPED[kind]] += 1
            elif kind == "r":
                self._run(part, around, url)
            elif kind == "hyperlink":
                self.read(part, around, self._reader.links.get(value(part, "id"), url))
            elif kind in {"oMath", "oMathPara"}:
                formula = formulas.tex(part).strip()
                self.runs += [Run(f"${formula}$", is_markdown=True)] if formula else []
            elif kind == "AlternateContent":
                self.read(_chosen(part), around, url)
            elif kind not in _UNREAD:
                self.read(part, around, url)

    def _run(self, run: Node, around: Look, url: str) -> None:
        properties = child(run, "rPr")
        if is_on(child(properties, "vanish")):
            self._to.dropped["hidden texts"] += bool("".join(run.itertext()).strip())
            return
        look = self._reader.styles.look(properties, around)
        self._parts(run, look, url)

    def _parts(self, run: Iterable[Node], look: Look, url: str) -> None:
        for part in run:
            match name(part):
                case "t" | "br" | "tab" | "cr" | "noBreakHyphen" | "ptab":
                    self._add(_letters(part), look, url)
                case "footnoteReference" | "endnoteReference":
                    note = self._reader.note(part, self._to)
                    self.runs += [] if note is None else [note]
                case "fldChar":
                    self._field(value(part, "fldCharType"))
                case "instrText" if self._instruction is not None:
                    self._instruction += part.text or ""
                case "drawing" | "pict" | "object":
                    self._box(part)
                case "AlternateContent":
                    self._parts(_chosen(part), look, url)
                case "ruby":
                    self.read(part, look, url)
                case kind if kind in _DROPPED:
                    self._to.dropped[_DROPPED[kind]] += 1

    def _add(self, text: str, look: Look, url: str) -> None:
        if self._instruction is None and text:
            self.runs.append(Run(text, look, url or (self._fields[-1] if self._fields else "")))

    def _field(self, what: str) -> None:
        """Fields are marks between runs: begin, what it is, separate, what is shown, end."""
        if what == "begin":
            self._instruction = ""
        elif what == "separate":
            found = _FIELD_LINK.match(self._instruction or "")
            outer = self._fields[-1] if self._fields else ""
            self._fields.append(found[1] if found else outer)
            self._instruction = None
        elif what == "end":
            if self._instruction is not None:
                self._instruction = None  # one that shows nothing
            elif self._fields:
                self._fields.pop()

    def _box(self, node: Node) -> None:
        described = next((value(n, "descr") for n in node.iter() if name(n) == "docPr"), "")
        if described:
            self.runs.append(Run(f" [Picture: {described}] "))
        self.boxes += _boxes(node)


def _letters(part: Node) -> str:
    kind = name(part)
    if kind == "br":
        return "" if value(part, "type") == "page" else "\n"
    return _SIGNS.get(kind) or part.text or ""


def _chosen(node: Node) -> Node:
    """Of a thing that is said in several ways, the first."""
    return next(iter(node), node)


def _below(node: Node, wanted: str) -> Iterator[Node]:
    """The rows of a table or the cells of a row, which may be wrapped."""
    for each in node:
        if name(each) == wanted:
            yield each
        elif name(each) in {"sdt", "sdtContent", "ins", "moveTo", "customXml"}:
            yield from _below(each, wanted)


def _boxes(node: Node) -> Iterator[Node]:
    """The texts of boxes that are drawn; what stands in boxes in them is found with these."""
    for each in _chosen(node) if name(node) == "AlternateContent" else node:
        if name(each) == "txbxContent":
            yield each
        else:
            yield from _boxes(each)


def _without_items(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    return tuple(frame for frame in frames if frame.holder is not Holder.ITEM)


def _count(node: Node | None, usual: int) -> int:
    text = value(node)
    return min(int(text), _MOST_SPAN) if text.isdecimal() else usual
