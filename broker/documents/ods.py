"""OpenDocument spreadsheets: their sheets, with the values that the file keeps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from broker.documents.failures import Unconverted
from broker.documents.odf import OFFICE, STYLE, TABLE, TEXT, add_facts
from broker.documents.records import Converted
from broker.documents.sheets import MOST_COLUMNS, Sheet, clock, number, percentage, written

if TYPE_CHECKING:
    from broker.documents.archive import Archive

_LENGTH = re.compile(r"(-?)PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?\Z")
_MOST_BYTES = 60_000_000
_MOST_SHEETS = 200


def convert(archive: Archive) -> Converted:
    """The sheets of an archive that was checked.

    Raises:
        Unconverted: it is damaged.
    """
    try:
        content = ET.fromstring(archive.read("content.xml", _MOST_BYTES))  # noqa: S314 - no entities
    except ET.ParseError as error:
        raise Unconverted("damaged", "the document is damaged or cut off") from error
    hidden = {
        style.get(f"{STYLE}name")
        for style in content.iter(f"{STYLE}style")
        for properties in style.iter(f"{STYLE}table-properties")
        if properties.get(f"{TABLE}display") == "false"
    }
    sheets = []
    formulas = 0
    for table in list(content.iter(f"{TABLE}table"))[:_MOST_SHEETS]:
        is_hidden = table.get(f"{TABLE}style-name") in hidden
        sheet = Sheet(table.get(f"{TABLE}name", ""), is_hidden)
        for row in table.iter(f"{TABLE}table-row"):
            cells, unknown = _cells(row)
            formulas += unknown
            sheet.add(cells, _times(row, "rows"))
        sheets.append(sheet)
    markdown, notes = written(sheets, formulas)
    result = Converted(markdown=markdown, notes=notes)
    add_facts(result, archive)
    return result


def _cells(row: ET.Element) -> tuple[dict[int, str], int]:
    """Those in which something stands, by column; and how many formulas have no value."""
    cells: dict[int, str] = {}
    place = unknown = 0
    for cell in row:
        if not cell.tag.endswith("table-cell"):
            continue
        times = _times(cell, "columns")
        text = _value(cell)
        formula = cell.get(f"{TABLE}formula", "")
        if not text and formula and f"{OFFICE}value-type" not in cell.keys():  # noqa: SIM118
            unknown += 1
            text = formula.partition(":")[2] or formula
        if text:
            cells.update(dict.fromkeys(range(place, place + min(times, MOST_COLUMNS)), text))
        place += times
    return cells, unknown


def _times(node: ET.Element, what: str) -> int:
    """How often a row or a cell stands there."""
    times = node.get(f"{TABLE}number-{what}-repeated", "1")
    return int(times) if times.isdecimal() and len(times) < 8 else 1  # noqa: PLR2004


def _value(cell: ET.Element) -> str:
    said = " ".join("".join(each.itertext()) for each in cell.findall(f"{TEXT}p"))
    kind = cell.get(f"{OFFICE}value-type", "")
    if said.startswith(("#", "Err:")) and kind in {"float", "percentage", "currency"}:
        return said  # an error, whose value is 0
    match kind:
        case "float" | "percentage" | "currency":
            return _number(cell, kind) or said
        case "date":
            return cell.get(f"{OFFICE}date-value", said).replace("T", " ")
        case "time":
            return _time(cell.get(f"{OFFICE}time-value", "")) or said
        case "boolean":
            return cell.get(f"{OFFICE}boolean-value", said)
        case _:
            return said


def _number(cell: ET.Element, kind: str) -> str:
    try:
        value = float(cell.get(f"{OFFICE}value", ""))
        if kind == "percentage":
            return percentage(value)
        return f"{number(value)} {cell.get(f'{OFFICE}currency', '')}".strip()
    except (ValueError, OverflowError):
        return ""


def _time(length: str) -> str:
    found = _LENGTH.match(length)
    if found is None:
        return ""
    hours, minutes, seconds = (int(each or 0) for each in found.groups()[1:])
    return found[1] + clock(hours * 3600 + minutes * 60 + seconds)
