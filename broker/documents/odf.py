"""What OpenDocument files have in common: their parts as trees, and what they say of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted
from extract import xml

if TYPE_CHECKING:
    from broker.documents.archive import Archive
    from broker.documents.records import Converted
    from extract.tree import Node

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
XLINK = "{http://www.w3.org/1999/xlink}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_MOST_BYTES = 60_000_000


def part(archive: Archive, name: str) -> Node:
    """A part as a tree.

    Raises:
        Unconverted: it is missing or no XML.
    """
    root = xml.parse(archive.read(name, _MOST_BYTES))
    if root is None:
        raise Unconverted("damaged", f"its part {name[:80]!r} is no XML")
    return root


def add_facts(result: Converted, archive: Archive) -> None:
    """Add to `result` what the file says of itself: title, author, date, language."""
    if "meta.xml" not in archive:
        return
    about = part(archive, "meta.xml")
    result.title = about.findtext(f".//{_DC}title") or ""
    creators = (about.findtext(f".//{_META}initial-creator"), about.findtext(f".//{_DC}creator"))
    result.byline = next(filter(None, creators), None)
    said = (
        node.text
        for node in about.iter(f"{_META}user-defined")
        if node.get(f"{_META}name") == "date"
    )
    dates = (*said, about.findtext(f".//{_META}creation-date"), about.findtext(f".//{_DC}date"))
    result.published = next(filter(None, dates), None)
    result.lang = about.findtext(f".//{_DC}language")
