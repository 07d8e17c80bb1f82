"""OpenDocument presentations, which no library here reads: their texts and tables, by slide."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from broker.documents.failures import Unconverted
from broker.documents.records import Converted
from broker.documents.tabular import markdown

if TYPE_CHECKING:
    from broker.documents.archive import Archive

_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_TITLES = frozenset({"title", "subtitle"})
_MOST_BYTES = 60_000_000


def convert(archive: Archive) -> Converted:
    """The slides of an archive that was checked.

    Raises:
        Unconverted: it is damaged.
    """
    try:
        content = ET.fromstring(archive.read("content.xml", _MOST_BYTES))  # noqa: S314 - no entities
        about = ET.fromstring(archive.read("meta.xml")) if "meta.xml" in archive else None  # noqa: S314
    except ET.ParseError as error:
        raise Unconverted("damaged", "the document is damaged or cut off") from error
    parts = [part for page in content.iter(f"{_DRAW}page") for part in _slide(page)]
    result = Converted(markdown="\n\n".join(parts))
    if about is not None:
        result.title = about.findtext(f".//{_DC}title") or ""
        creators = (
            about.findtext(f".//{_META}initial-creator"),
            about.findtext(f".//{_DC}creator"),
        )
        result.byline = next(filter(None, creators), None)
        result.published = about.findtext(f".//{_META}creation-date")
    return result


def _slide(page: ET.Element) -> list[str]:
    parts: list[str] = []
    for frame in page:
        if frame.tag == f"{_PRESENTATION}notes":
            said = [text for text in map(_said, frame.iter(f"{_TEXT}p")) if text]
            parts += ["**Notes:** " + " ".join(said)] if said else []
            continue
        kind = frame.get(f"{_PRESENTATION}class", "")
        table = next(frame.iter(f"{_TABLE}table"), None)
        if table is not None:
            rows = [_cells(row) for row in table.iter(f"{_TABLE}table-row")]
            parts += [markdown(rows)] if any(map(any, rows)) else []
            continue
        items = {
            text for item in frame.iter(f"{_TEXT}list-item") for text in item.iter(f"{_TEXT}p")
        }
        lines = [
            f"- {text}" if line in items and kind not in _TITLES else text
            for line in frame.iter(f"{_TEXT}p")
            if (text := _said(line))
        ]
        if kind == "title" and lines:
            parts.append("## " + " ".join(lines))
        elif lines:
            parts.append(("\n" if lines[0].startswith("- ") else "\n\n").join(lines))
    return parts


def _cells(row: ET.Element) -> list[str]:
    return [_said(cell) for cell in row.iter(f"{_TABLE}table-cell")]


def _said(node: ET.Element) -> str:
    return " ".join("".join(node.itertext()).split())
