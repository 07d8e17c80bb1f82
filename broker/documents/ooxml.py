"""What Office files have in common: parts that refer to each other, and who made them."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from broker.documents.failures import Unconverted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broker.documents.archive import Archive
    from broker.documents.records import Converted

MOST_BYTES = 60_000_000
"""Of a part that is read as a whole."""
_CORE = "docProps/core.xml"


def tree(archive: Archive, part: str) -> ET.Element:
    """A part as a tree; of an archive that was checked for entities.

    Raises:
        Unconverted: it is missing or damaged.
    """
    try:
        return ET.fromstring(archive.read(part, MOST_BYTES))  # noqa: S314 - no entities
    except ET.ParseError as error:
        raise Unconverted("damaged", f"its part {part[:80]!r} is damaged or cut off") from error


def name(node: ET.Element) -> str:
    """Without the namespace, which has two forms in these files."""
    return node.tag.rpartition("}")[2]


def below(node: ET.Element, wanted: str) -> Iterator[ET.Element]:
    """The elements of that name in `node`, in order."""
    return (each for each in node.iter() if name(each) == wanted)


def attribute(node: ET.Element, wanted: str) -> str:
    """Of that name in any namespace; empty where there is none."""
    return next((text for key, text in node.items() if key.rpartition("}")[2] == wanted), "")


def related(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """What a part refers to: by identity the kind, and the name of a part or an address."""
    folder, _, file = part.rpartition("/")
    relations = f"{folder}/_rels/{file}.rels"
    if relations not in archive:
        return {}
    found = {}
    for each in below(tree(archive, relations), "Relationship"):
        target = each.get("Target", "")
        if each.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        found[each.get("Id", "")] = (each.get("Type", "").rpartition("/")[2], target)
    return found


def describe(archive: Archive, result: Converted) -> None:
    """Fill in title, author and date."""
    if _CORE not in archive:
        return
    facts = {name(each): (each.text or "").strip() for each in tree(archive, _CORE)}
    result.title = facts.get("title", "")
    result.byline = facts.get("creator") or None
    result.published = facts.get("created") or None
    result.lang = facts.get("language") or None
