"""Presentations: each slide in the order in which it is shown, with all that it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.broker.documents.hostile import zipped
from tests.broker.documents.reading import convert

if TYPE_CHECKING:
    from pathlib import Path

LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
SPACES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    f'xmlns:r="{LINKS}"'
)


def related(*targets: tuple[str, str]) -> bytes:
    each = "".join(
        f'<Relationship Id="r{index}" Type="{LINKS}/{kind}" Target="{target}" '
        f"{'TargetMode=' + chr(34) + 'External' + chr(34) if '://' in target else ''}/>"
        for index, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}">{each}</Relationships>'.encode()


def slide(shapes: str, about: str = "") -> bytes:
    return (
        f"<p:sld {SPACES} {about}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>".encode()
    )


def shape(place: str, paragraphs: str) -> str:
    held = f"<p:nvSpPr><p:nvPr><p:ph {place}/></p:nvPr></p:nvSpPr>" if place else ""
    return f"<p:sp>{held}<p:txBody>{paragraphs}</p:txBody></p:sp>"


def said(text: str, about: str = "", run: str = "") -> str:
    return f"<a:p>{about}<a:r>{run}<a:t>{text}</a:t></a:r></a:p>"


def values(what: str, *texts: str) -> str:
    points = "".join(f'<c:pt idx="{n}"><c:v>{text}</c:v></c:pt>' for n, text in enumerate(texts))
    return f"<c:{what}>{points}</c:{what}>"


CHART = (
    f"<c:chartSpace {SPACES}><c:title><a:p><a:r><a:t>By year</a:t></a:r></a:p></c:title><c:ser>"
    f"{values('tx', 'Gulls')}{values('cat', '2024', '2025')}{values('val', '3', '7')}</c:ser>"
    "</c:chartSpace>"
)


def test_a_presentation_shows_all_that_its_slides_say(tmp_path: Path) -> None:
    first = slide(
        shape("", said("Beside", run='<a:rPr b="1"/>') + said("*star*"))
        + shape('type="title"', said("The quay"))
        + shape(
            'idx="1"',
            said("gulls", run='<a:rPr><a:hlinkClick r:id="r3"/></a:rPr>')
            + said("white", '<a:pPr lvl="1"><a:buAutoNum type="x"/></a:pPr>')
            + said("grey", '<a:pPr lvl="1"><a:buAutoNum type="x"/></a:pPr>')
            + said("plain", "<a:pPr><a:buNone/></a:pPr>"),
        )
        + "<p:grpSp>"
        + shape("", said("in a group"))
        + "</p:grpSp>"
        + '<p:graphicFrame><a:graphic><c:chart r:id="r1"/></a:graphic></p:graphicFrame>'
        + "<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>one</a:t></a:r><a:br/>"
        "<a:r><a:t>two</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>"
        + shape('type="sldNum"', said("1"))
    )
    notes = slide(shape('type="body"', said("Speak up.") + said("Slowly.")) + shape("", said("no")))
    body = zipped(
        {
            "[Content_Types].xml": b"<Types/>",
            "ppt/presentation.xml": f"<p:presentation {SPACES}><p:sldIdLst>"
            '<p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/>'
            "</p:sldIdLst></p:presentation>".encode(),
            "ppt/_rels/presentation.xml.rels": related(
                ("slide", "slides/slide1.xml"), ("slide", "slides/slide2.xml")
            ),
            "ppt/slides/slide1.xml": slide(shape('type="title"', said("Last")), 'show="0"'),
            "ppt/slides/slide2.xml": first,
            "ppt/slides/_rels/slide2.xml.rels": related(
                ("chart", "../charts/c.xml"),
                ("notesSlide", "../notesSlides/n.xml"),
                ("hyperlink", "https://ferry.example/gulls"),
            ),
            "ppt/charts/c.xml": CHART.encode(),
            "ppt/notesSlides/n.xml": notes,
        }
    )
    document = convert(body, tmp_path)
    assert document.markdown == (
        "## The quay\n\n**Beside**\n\n\\*star\\*\n\n"
        "- [gulls](https://ferry.example/gulls)\n    1. white\n    2. grey\n\nplain\n\n"
        "in a group\n\n**Chart:** By year\n\n"
        "|  | Gulls |\n| --- | --- |\n| 2024 | 3 |\n| 2025 | 7 |\n\n"
        "| one two |\n| --- |\n\n"
        "**Notes:** Speak up.\n\nSlowly.\n\n## Last"
    )
    assert document.notes == ["1 slides are hidden in the file, and shown here"]


def test_notes_of_an_open_presentation_have_no_page_numbers(tmp_path: Path) -> None:
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
        for name, full in (("draw", "drawing"), ("presentation",) * 2, ("text",) * 2)
    )
    content = (
        f"<x {spaces}><draw:page><draw:frame><text:p>Said</text:p></draw:frame>"
        "<presentation:notes><text:p>Speak up<text:page-number>&lt;number&gt;</text:page-number>"
        "</text:p></presentation:notes></draw:page></x>"
    )
    kind = b"application/vnd.oasis.opendocument.presentation"
    body = zipped({"mimetype": kind, "content.xml": content.encode()})
    assert convert(body, tmp_path).markdown == "Said\n\n**Notes:** Speak up"
