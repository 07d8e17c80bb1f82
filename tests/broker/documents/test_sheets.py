"""Spreadsheets: values as their formats show them, and what is told of what is not shown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from broker.documents import tabular, worker
from broker.documents.failures import Unconverted
from broker.documents.formats import Format
from broker.documents.numbers import Shown, built_in, shown_by, text_of
from broker.documents.sheets import corrected
from tests.broker.documents.hostile import zipped
from tests.broker.documents.reading import LONG_S, convert

if TYPE_CHECKING:
    from pathlib import Path

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def workbook(*sheets: str, more: str = "", strings: str = "", formats: str = "") -> bytes:
    """A workbook of these rows; `more` are attributes of the last sheet."""
    listed = "".join(
        f'<sheet name="S{index}" sheetId="{index}" r:id="r{index}" '
        f"{more if index == len(sheets) else ''}/>"
        for index in range(1, len(sheets) + 1)
    )
    linked = "".join(
        f'<Relationship Id="r{index}" Type="{LINKS}/worksheet" Target="worksheets/s{index}.xml"/>'
        for index in range(1, len(sheets) + 1)
    )
    linked += f'<Relationship Id="rs" Type="{LINKS}/sharedStrings" Target="/xl/strings.xml"/>'
    linked += f'<Relationship Id="rf" Type="{LINKS}/styles" Target="styles.xml"/>'
    parts = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>{listed}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{linked}</Relationships>',
        "xl/strings.xml": f'<sst xmlns="{MAIN}">{strings}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}">{formats}</styleSheet>',
    }
    for index, rows in enumerate(sheets, 1):
        parts[f"xl/worksheets/s{index}.xml"] = (
            f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData>{rows}</x:sheetData></x:worksheet>'
        )
    return zipped({name: text.encode() for name, text in parts.items()})


def row(*cells: str) -> str:
    return f"<x:row>{''.join(cells)}</x:row>"


def value(value: str, about: str = "") -> str:
    return f"<x:c {about}><x:v>{value}</x:v></x:c>"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("General", Shown.NUMBER),
        ('#,##0.00 "days"', Shown.NUMBER),
        ("[Red]-0.0", Shown.NUMBER),
        ("0.0%", Shown.SHARE),
        ("yyyy\\-mm\\-dd", Shown.DATE),
        ("mmm", Shown.DATE),
        ("[$-409]d/m/yy h:mm AM/PM;@", Shown.MOMENT),
        ("mm:ss", Shown.TIME),
        ("[h]:mm:ss", Shown.LENGTH),
    ],
)
def test_a_format_tells_what_a_number_is(code: str, shown: Shown) -> None:
    assert shown_by(code) is shown


@pytest.mark.parametrize(
    ("number", "identity", "text"),
    [
        (45352, 14, "2024-03-01"),
        (45352.572916667, 22, "2024-03-01 13:45:00"),
        (0.395833333333, 20, "09:30:00"),
        (1.25, 46, "30:00:00"),
        (0.125, 10, "12.5%"),
        (0.1 + 0.2, 0, "0.3"),
        (12345678901234570, 0, "12345678901234570"),
        (1, 14, "1900-01-01"),
        (-1, 14, "-1"),
        (1e9, 14, "1000000000"),
    ],
)
def test_a_number_is_written_as_its_format_shows_it(
    number: float, identity: int, text: str
) -> None:
    assert text_of(number, built_in(identity)) == text


def test_days_may_be_counted_since_1904() -> None:
    assert text_of(0, Shown.DATE, since_1904=True) == "1904-01-01"


def test_a_workbook_shows_its_values(tmp_path: Path) -> None:
    body = workbook(
        row(value("0", 't="s"'), value("1", 't="s"'), "<x:c/>", value("when", 't="str"'))
        + row(value("true", 't="str"'), value("1", 't="b"'), "<x:c/>", value("0.5", 's="1"'))
        + row(value("#N/A", 't="e"'), "<x:c><x:f>A1*2</x:f></x:c>", "<x:c/>", value("9", 's="7"')),
        row('<x:c r="XFD9" t="inlineStr"><x:is><x:t>far</x:t></x:is></x:c>'),
        more='state="hidden"',
        strings="<si><t>wh</t><r><t>at</t></r><rPh><t>spoken</t></rPh></si>"
        "<si><t>so |_x000D_ so</t></si>",
        formats='<numFmts><numFmt numFmtId="170" formatCode="hh:mm"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs>',
    )
    document = convert(body, tmp_path)
    assert document.markdown == (
        "## S1\n\n| what | so \\| so | when |\n| --- | --- | --- |\n"
        "| true | true | 12:00:00 |\n| #N/A | =A1*2 | 9 |\n\n## S2\n\n| far |\n| --- |"
    )
    assert document.notes == [
        "hidden in the file, and shown here: 'S2'",
        "1 formulas stand there without their values, which nobody computed",
    ]


def test_a_very_large_sheet_is_cut_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tabular, "MOST_ROWS", 10)
    wide = row(*(value(str(number)) for number in range(300)))
    body = workbook(wide + "".join(row(value(str(number))) for number in range(1000)))
    document = convert(body, tmp_path)
    assert document.markdown.count("\n| ") == 12
    assert "| 199 |\n" in document.markdown
    assert document.notes == [
        "only the first 10 of 1000 rows are shown of the sheet 'S1'",
        "only the first 200 of 300 columns are shown of the sheet 'S1'",
    ]


def test_a_damaged_workbook_says_so(tmp_path: Path) -> None:
    body = workbook(row(value("1")) + "<x:row><x:c>")
    result = worker.result(Format.ZIP, body, tmp_path, time.monotonic() + LONG_S)
    assert isinstance(result, Unconverted)
    assert result.code == "damaged"


ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0">'
    '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
    "{}</office:document-content>"
)


def cell(kind: str, about: str, said: str) -> str:
    return (
        f'<table:table-cell office:value-type="{kind}" {about}>'
        f"<text:p>{said}</text:p></table:table-cell>"
    )


def test_an_open_sheet_shows_its_values(tmp_path: Path) -> None:
    cells = (
        cell("time", 'office:time-value="PT30H05M00S"', "30:05")
        + cell("date", 'office:date-value="2024-03-01T13:45:00"', "1.3.24")
        + cell("percentage", 'office:value="0.125"', "13 %")
        + cell("currency", 'office:value="1234.5" office:currency="EUR"', "1.234,50 €")
        + cell("float", 'office:value="0"', "#DIV/0!")
        + '<table:table-cell table:number-columns-repeated="16000"/>'
        + '<table:table-cell table:formula="of:=[.A1]*2"/>'
    )
    content = (
        f'<table:table table:name="One"><table:table-row>{cells}</table:table-row>'
        '<table:table-row table:number-rows-repeated="1048575"><table:table-cell/>'
        '</table:table-row></table:table><table:table table:name="Two" table:style-name="ta2">'
        f'<table:table-row table:number-rows-repeated="3">{cell("string", "", "x")}'
        "</table:table-row></table:table>"
    )
    body = zipped(
        {
            "mimetype": b"application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": ODS.format(content).encode(),
        }
    )
    document = convert(body, tmp_path)
    assert document.markdown == (
        "## One\n\n| 30:05:00 | 2024-03-01 13:45:00 | 12.5% | 1234.5 EUR | #DIV/0! | =[.A1]*2 |\n"
        "| --- | --- | --- | --- | --- | --- |\n\n## Two\n\n| x |\n| --- |\n| x |\n| x |"
    )
    assert document.notes == [
        "hidden in the file, and shown here: 'Two'",
        "1 formulas stand there without their values, which nobody computed",
    ]


def test_times_and_errors_of_an_old_workbook_are_set_right() -> None:
    table = "| 1899-12-31 09:30:00 | 1900-01-01 06:00:00 | 1950-01-01 06:00:00 | \\#ERR: Div0 |"
    assert corrected(table) == "| 09:30:00 | 30:00:00 | 1950-01-01 06:00:00 | #DIV/0! |"
