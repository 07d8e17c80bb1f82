"""Word, OpenDocument and EPUB files set by hand: what programs write beside plain paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.documents import tools
from scripts.typesetting.texts import REPORT
from tests.broker.documents.hostile import docx, odt, zipped
from tests.broker.documents.reading import DATA, convert

if TYPE_CHECKING:
    from pathlib import Path

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"


def word(body: str, link: str = "", **parts: str) -> bytes:
    """A Word file with that body and these parts beside it; `link` is where its one link leads."""
    spaces = f'xmlns:w="{_W}" xmlns:r="{_RELATIONS}" xmlns:m="m" xmlns:mc="mc" xmlns:wp="wp"'
    targets = {"hyperlink": link, **{name: f"{name}.xml" for name in parts}}
    relations = "".join(
        f'<Relationship Id="{kind}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for kind, target in targets.items()
    )
    more = {
        f"word/{name}.xml": f'<w:part xmlns:w="{_W}">{text}</w:part>'.encode()
        for name, text in parts.items()
    }
    more["word/_rels/document.xml.rels"] = f"<Relationships>{relations}</Relationships>".encode()
    document = f"<w:document {spaces}><w:body>{body}</w:body></w:document>"
    return docx(document.encode(), **more)


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(inner: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def text_document(body: str, styles: str = "") -> bytes:
    """An OpenDocument text with that body and these automatic styles."""
    spaces = "".join(
        f' xmlns:{name}="{_ODF}{long}:1.0"'
        for name, long in (
            ("office", "office"),
            ("text", "text"),
            ("table", "table"),
            ("draw", "drawing"),
            ("style", "style"),
            ("fo", "xsl-fo-compatible"),
            ("svg", "svg-compatible"),
        )
    )
    return odt(
        **{
            "content.xml": (
                f'<office:document-content xmlns:xlink="http://www.w3.org/1999/xlink"{spaces}>'
                f"<office:automatic-styles>{styles}</office:automatic-styles>"
                f"<office:body><office:text>{body}</office:text></office:body>"
                "</office:document-content>"
            ).encode()
        }
    )


# --- Word -----------------------------------------------------------------------------------------


def test_changes_count_as_accepted_and_what_went_is_told(tmp_path: Path) -> None:
    body = paragraph(
        run("The tin ")
        + f"<w:ins>{run('stays')}</w:ins><w:del><w:r><w:delText>goes</w:delText></w:r></w:del>"
        + '<w:r><w:commentReference w:id="0"/></w:r>'
        + run("secretly", "<w:vanish/>")
        + run(" dry.")
    )
    document = convert(word(body), tmp_path)
    assert document.markdown == "The tin stays dry."
    assert document.notes == [
        "comments are left out (1)",
        "deleted texts are left out (1)",
        "hidden texts are left out (1)",
    ]


def test_links_are_kept_however_word_writes_them(tmp_path: Path) -> None:
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in _FIELD]
    told = '<w:r><w:instrText> HYPERLINK "https://b.example/" </w:instrText></w:r>'
    field = f"{marks[0]}{told}{marks[1]}{run('field')}{marks[2]}"
    linked = f'<w:hyperlink r:id="hyperlink">{run("dam ")}{run("page", "<w:i/>")}</w:hyperlink>'
    body = word(paragraph(f"{linked}{run(', ')}{field}{run('.')}"), link="https://a.example/")
    expected = "[dam *page*](https://a.example/), [field](https://b.example/)."
    assert convert(body, tmp_path).markdown == expected


_FIELD = ("begin", "separate", "end")


def test_code_is_fenced_with_its_lines_whether_by_style_or_by_font(tmp_path: Path) -> None:
    font = '<w:rFonts w:ascii="Courier New"/>'
    lines = run("if x &lt; 1:") + "<w:r><w:br/></w:r>" + run('    "a &amp; b"')
    body = [
        paragraph(lines, '<w:pStyle w:val="S"/>'),
        paragraph(run("Prose with ") + run("x = 1", font) + run(" in it.")),
        paragraph(run("a  b", font)),
        paragraph(run("", font)),
        paragraph(run("  c", font)),
    ]
    style = '<w:style w:type="paragraph" w:styleId="S"><w:name w:val="Source Code"/></w:style>'
    assert convert(word("".join(body), styles=style), tmp_path).markdown == (
        '```\nif x < 1:\n    "a & b"\n```\n\nProse with `x = 1` in it.\n\n```\na  b\n\n  c\n```'
    )


def test_lists_are_nested_counted_and_go_on_behind_text(tmp_path: Path) -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{mark}"/></w:lvl>'
        for depth, (kind, mark) in enumerate((("decimal", "%1."), ("bullet", "-")))
    )
    numbering = (
        f'<w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
    )

    def item(text: str, depth: int) -> str:
        numbers = f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr>'
        return paragraph(run(text), numbers)

    body = item("one", 0) + item("inner", 1) + item("two", 0) + paragraph(run("Between."))
    markdown = convert(word(body + item("three", 0), numbering=numbering), tmp_path).markdown
    assert markdown == "1. one\n   - inner\n2. two\n\nBetween.\n\n3. three"


def test_cells_keep_all_their_paragraphs_and_merged_ones_their_place(tmp_path: Path) -> None:
    def cell(text: str, properties: str = "") -> str:
        parts = "".join(paragraph(run(part)) for part in text.split("/"))
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{parts}</w:tc>"

    rows = (
        cell("A") + cell("B", '<w:gridSpan w:val="2"/>'),
        cell("x/y", '<w:vMerge w:val="restart"/>') + cell("1") + cell("2"),
        cell("", "<w:vMerge/>") + cell("3") + cell("a|b"),
    )
    table = "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    assert convert(word(table), tmp_path).markdown == (
        "| A | B |  |\n| --- | --- | --- |\n| x<br>y | 1 | 2 |\n|  | 3 | a\\|b |"
    )


def test_boxes_notes_and_formulas_lose_no_word(tmp_path: Path) -> None:
    inner = f"<w:txbxContent>{paragraph(run('Boxed words.'))}</w:txbxContent>"
    box = (
        f'<w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:docPr descr="A red tin"/>{inner}'
        f"</w:drawing></mc:Choice><mc:Fallback><w:pict>{inner}</w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    fraction = (
        "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num>"
        "<m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>"
    )
    note = f'<w:footnote w:id="2">{paragraph(run("Of the note."))}</w:footnote>'
    mark = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    body = paragraph(run("Before ") + fraction + run(".") + mark + box)
    markdown = convert(word(body, footnotes=note), tmp_path).markdown
    assert markdown == (
        "Before $\\frac{a}{b}$.[^1] [Picture: A red tin]\n\nBoxed words.\n\n[^1]: Of the note."
    )


# --- OpenDocument ---------------------------------------------------------------------------------


def test_a_link_whose_words_stand_in_a_span_is_kept(tmp_path: Path) -> None:
    link = '<text:a xlink:href="https://dam.example/"><text:span>dam page</text:span></text:a>'
    document = convert(text_document(f"<text:p>See {link}.</text:p>"), tmp_path)
    assert document.markdown == "See [dam page](https://dam.example/)."


def test_what_stands_beside_paragraphs_of_a_text_is_kept(tmp_path: Path) -> None:
    note = (
        "<text:note><text:note-citation>i</text:note-citation><text:note-body><text:p>Of the "
        "note.</text:p></text:note-body></text:note>"
    )
    box = "<draw:frame><draw:text-box><text:p>Boxed words.</text:p></draw:text-box></draw:frame>"
    items = (
        "<text:list><text:list-item><text:p>one</text:p><text:p>more</text:p><text:list>"
        "<text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item>"
        "</text:list>"
    )
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p>"
        "</text:deletion></text:changed-region></text:tracked-changes>"
        f"<text:p>First{note}{box} page <text:page-number>7</text:page-number>.</text:p>{items}"
        "<text:p>a<text:line-break/>b<office:annotation><text:p>why?</text:p></office:annotation>"
        "</text:p>"
    )
    document = convert(text_document(body), tmp_path)
    assert document.markdown == (
        "First[^1] page 7.\n\nBoxed words.\n\n- one\n\n  more\n\n  - inner\n\na\\\nb\n\n"
        "[^1]: Of the note."
    )
    assert document.notes == ["comments are left out (1)", "deleted texts are left out (1)"]


def test_spaces_of_code_count_and_those_of_prose_do_not(tmp_path: Path) -> None:
    styles = (
        '<style:style style:name="P1" style:family="paragraph" '
        'style:parent-style-name="Preformatted_20_Text"/>'
    )
    body = (
        "<text:p>two\n   words</text:p>"
        '<text:p text:style-name="P1">if x:</text:p><text:p text:style-name="P1"/>'
        '<text:p text:style-name="P1"><text:s text:c="4"/>y<text:tab/>z</text:p>'
    )
    markdown = convert(text_document(body, styles), tmp_path).markdown
    assert markdown == "two words\n\n```\nif x:\n\n    y\tz\n```"


# --- EPUB -----------------------------------------------------------------------------------------


def book(**pages: str) -> bytes:
    """A book of these pages, of which `nav` lists the others."""
    items = "".join(
        f'<item id="{name}" href="t/{name}.xhtml" media-type="application/xhtml+xml" '
        f'properties="{"nav" if name == "nav" else ""}"/>'
        for name in pages
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in reversed(pages))
    package = (
        '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Tin</dc:title>'
        f"<dc:creator>Ada</dc:creator><dc:creator>Otto</dc:creator></metadata>"
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = '<container><rootfile full-path="o/c.opf"/></container>'
    parts = {"META-INF/container.xml": container, "o/c.opf": package}
    for name, body in pages.items():
        parts[f"o/t/{name}.xhtml"] = f"<html><head><title/></head><body>{body}</body></html>"
    return zipped({name: text.encode() for name, text in parts.items()})


def test_a_book_is_read_in_the_order_of_its_spine_without_its_contents(tmp_path: Path) -> None:
    body = book(
        nav="<p>Contents</p>",
        second='<h1>Second</h1><p>See <a id="x"/><a href="first.xhtml#y">there</a>.</p>',
        first='<h1>First</h1><pre><code><a href="#l1"></a>def dam(h):\n<a href="#l2"></a>  h</code>'
        '</pre><p><img src="a.png" alt="A red tin"/>&mdash; <a href="https://a.example">out</a></p>',
    )
    document = convert(body, tmp_path)
    assert document.markdown == (
        "# First\n\n```\ndef dam(h):\n  h\n```\n\n[Picture: A red tin]\u2014 [out](https://a.example)"
        "\n\n# Second\n\nSee there."
    )
    assert (document.title, document.byline) == ("Tin", "Ada, Otto")


@pytest.mark.parametrize("ending", ["docx", "odt", "epub"])
def test_no_library_is_needed(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find_spec", lambda _: None)
    document = convert((DATA / f"report-pandoc.{ending}").read_bytes(), tmp_path)
    assert document.title == REPORT.title
