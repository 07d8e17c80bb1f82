"""OpenDocument presentations, which no library here reads: their texts and tables, by slide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.documents.odf import DRAW, TABLE, TEXT, add_facts, part
from broker.documents.records import Converted
from broker.documents.tabular import markdown
from extract import xml

if TYPE_CHECKING:
    from broker.documents.archive import Archive
    from extract.tree import Node

_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_TITLES = frozenset({"title", "subtitle"})


def convert(archive: Archive) -> Converted:
    """The slides of an archive that was checked.

    Raises:
        Unconverted: it is damaged.
    """
    pages = part(archive, "content.xml").iter(f"{DRAW}page")
    result = Converted(markdown="\n\n".join(each for page in pages for each in _slide(page)))
    add_facts(result, archive)
    return result


def _slide(page: Node) -> list[str]:
    parts: list[str] = []
    for frame in page:
        if frame.tag == f"{_PRESENTATION}notes":
            said = [text for text in map(_note, frame.iter(f"{TEXT}p")) if text]
            parts += ["**Notes:** " + " ".join(said)] if said else []
            continue
        kind = frame.get(f"{_PRESENTATION}class", "")
        table = next(frame.iter(f"{TABLE}table"), None)
        if table is not None:
            rows = [_cells(row) for row in table.iter(f"{TABLE}table-row")]
            parts += [markdown(rows)] if any(map(any, rows)) else []
            continue
        items = {text for item in frame.iter(f"{TEXT}list-item") for text in item.iter(f"{TEXT}p")}
        lines = [
            f"- {text}" if line in items and kind not in _TITLES else text
            for line in frame.iter(f"{TEXT}p")
            if (text := xml.text(line))
        ]
        if kind == "title" and lines:
            parts.append("## " + " ".join(lines))
        elif lines:
            parts.append(("\n" if lines[0].startswith("- ") else "\n\n").join(lines))
    return parts


def _note(line: Node) -> str:
    """A line of the speaker's notes, without the number of the page they are printed on."""
    for each in line.iter(f"{TEXT}page-number"):
        each.text = ""
    return xml.text(line)


def _cells(row: Node) -> list[str]:
    return [xml.text(cell) for cell in row.iter(f"{TABLE}table-cell")]
