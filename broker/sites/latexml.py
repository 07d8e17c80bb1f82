"""The HTML of LaTeXML made plain: its classes say what its elements do not.

Works on the tree in place. Elements are made by `makeelement`, so that nothing here needs to know
which library the tree is of.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from extract.fragment import remove
from extract.tree import fold, has_class, query, raw_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extract.tree import Node

_FURNITURE = query(
    ".//button | .//nav | .//footer | .//*[contains(@class, 'sr-only')]"
    " | .//*[contains(@class, 'ltx_pagination')] | .//*[contains(@class, 'ltx_page_')]"
    " | .//*[contains(@class, 'ltx_ERROR')] | .//*[contains(@class, 'ltx_listing_data')]"
)
_EQUATIONS = query(
    ".//table[contains(@class, 'ltx_equation') or contains(@class, 'ltx_eqn_table')]"
)
_ROWS = query(".//tr")
_MATHS = query(".//math")
_NUMBERS = query(".//*[contains(@class, 'ltx_tag_equation')]")
_NOTES = query(".//span[contains(concat(' ', @class, ' '), ' ltx_role_footnote ')]")
_NOTE_CONTENT = query(".//span[contains(@class, 'ltx_note_content')]")
_NOTE_MARKS = query(
    "./sup[contains(@class, 'ltx_note_mark')] | ./span[contains(@class, 'ltx_tag_note')]"
    " | ./span[contains(@class, 'ltx_note_type')]"
)
_LISTINGS = query(".//div[contains(concat(' ', @class, ' '), ' ltx_listing ')]")
_LINES = query(".//div[contains(@class, 'ltx_listingline')]")
_LINE_NUMBERS = query(".//*[contains(@class, 'ltx_tag_listingline')]")
_TABULARS = query(".//*[contains(concat(' ', @class, ' '), ' ltx_tabular ')]")
_PICTURES = query(".//img")
_CAPTION_TAG = query("./figcaption//span[contains(concat(' ', @class, ' '), ' ltx_tag ')]")
_LINKS = query(".//a[@href]")
_CITES = query(".//cite")
_LABELS = query(".//*[contains(@class, 'ltx_tag_bibitem')]")
_HEADINGS = query(".//h6")
_PARTS = {
    "ltx_tr": "tr",
    "ltx_td": "td",
    "ltx_th": "th",
    "ltx_tbody": "tbody",
    "ltx_thead": "thead",
}
_STYLE = re.compile(r"^\\(?:displaystyle|textstyle|scriptstyle)\s*")
_NO_WORDS = "Refer to caption"
"""What LaTeXML says instead of a picture's alternative text."""


def mended(article: Node, url: str) -> None:
    """Make an article, read at `url`, what it shows."""
    for node in _FURNITURE(article):
        remove(node)
    _headings(article)
    _equations(article)
    _footnotes(article)
    _listings(article)
    _tables(article)
    _pictures(article)
    _links(article, url)


def _outermost(nodes: Sequence[Node]) -> list[Node]:
    """Those of `nodes`, in the order of the document, that stand in none of the others."""
    inside: set[Node] = set()
    found = []
    for node in nodes:
        if node not in inside:
            inside.update(node.iterdescendants())
            found.append(node)
    return found


def _headings(article: Node) -> None:
    """Headings of the lowest level begin what stands below them, such as a theorem."""
    for title in _HEADINGS(article):
        if has_class(title, "ltx_title_acknowledgements"):
            title.tag = "h2"
            continue
        strong = title.makeelement("b", {})
        strong.text, title.text = title.text, None
        strong.extend(list(title))
        title.append(strong)
        title.tag = "p"


def _equations(article: Node) -> None:
    """Tables that arrange equations become formulas, one a row, with the row's number."""
    for table in _outermost(_EQUATIONS(article)):
        made = []
        for row in _outermost(_ROWS(table)):
            maths = _MATHS(row)
            if not maths:
                continue
            parts = [_STYLE.sub("", math.get("alttext") or "") for math in maths]
            tex = fold(" ".join(filter(None, parts)))
            number = next((fold(raw_text(tag)).strip("()") for tag in _NUMBERS(row)), "")
            if number:
                tex += f" \\tag{{{number}}}"
            line = table.makeelement("div", {})
            line.append(table.makeelement("math", {"alttext": tex, "display": "block"}))
            made.append(line)
        parent = table.getparent()
        if parent is None or not made:
            continue
        group = table.makeelement("div", {})
        group.extend(made)
        group.tail = table.tail
        parent.replace(table, group)


def _footnotes(article: Node) -> None:
    """Notes in the text become marks there, and footnotes at the article's end."""
    for count, note in enumerate(_NOTES(article), 1):
        content = next(iter(_NOTE_CONTENT(note)), None)
        parent = note.getparent()
        if content is None or parent is None:
            continue
        for mark in _NOTE_MARKS(content):
            remove(mark)
        link = note.makeelement("a", {"href": f"#fn{count}", "role": "doc-noteref"})
        link.text = str(count)
        link.tail = note.tail
        parent.replace(note, link)
        text = note.makeelement("p", {"id": f"fn{count}"})
        content.tag, content.tail = "span", None
        text.append(content)
        article.append(text)


def _listings(article: Node) -> None:
    """Programs and algorithms become code, without the numbers of their lines."""
    for listing in _outermost(_LISTINGS(article)):
        lines = _outermost(_LINES(listing))
        parent = listing.getparent()
        if not lines or parent is None:
            continue
        for line in lines:
            for number in _LINE_NUMBERS(line):
                remove(number)
            for math in _MATHS(line):
                shown = math.makeelement("span", {})
                shown.text, shown.tail = f"${math.get('alttext') or ''}$", math.tail
                above = math.getparent()
                if above is not None:
                    above.replace(math, shown)
        code = listing.makeelement("pre", {})
        texts = (raw_text(line).replace("\u00a0", " ").strip("\n").rstrip() for line in lines)
        code.text = "\n".join(texts)
        code.tail = listing.tail
        parent.replace(listing, code)


def _tables(article: Node) -> None:
    """Tables of values, of whatever elements, become `table`s that say so."""
    tables = _TABULARS(article)
    for table in _outermost([each for each in tables if each.tag != "table"]):
        for node in table.iterdescendants():
            if isinstance(node.tag, str):
                for name in (node.get("class") or "").split():
                    node.tag = _PARTS.get(name, node.tag)
    for table in tables:
        table.tag = "table"
        table.set("role", "table")


def _pictures(article: Node) -> None:
    """A figure's picture is called by the figure's own name."""
    tags: dict[Node | None, str] = {}
    for picture in _PICTURES(article):
        if fold(picture.get("alt") or "") in {"", _NO_WORDS}:
            figure = next(picture.iterancestors("figure"), None)
            if figure not in tags:
                named = () if figure is None else _CAPTION_TAG(figure)
                tags[figure] = next((fold(raw_text(node)) for node in named), "")
            picture.set("alt", tags[figure].rstrip(": .") or "Figure")


def _links(article: Node, url: str) -> None:
    """Links to places of the paper itself lead nowhere: they are read as their text."""
    here = url.partition("://")[2]
    for link in _LINKS(article):
        target = urldefrag(link.get("href", "").strip())
        if not target.fragment or has_class(link, "doc-noteref") or link.get("role"):
            continue
        same = target.url.partition("://")[2].rstrip("/")
        if not same or here.startswith(same) or same.startswith(here):
            link.tag = "span"
    for cite in _CITES(article):  # not the title of a work, but a mark
        cite.tag = "span"
    for label in _LABELS(article):  # stands before the entry without a space
        label.tail = f" {(label.tail or '').lstrip()}"
