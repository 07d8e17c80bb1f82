"""A paper's own page: what LaTeXML has made of its source, and arXiv put furniture around.

The article's tree is mended where LaTeXML says more by its classes than by its elements, and is
then made blocks of as any other content is: equations become formulas with their numbers, notes
that stand in the text become footnotes, listings code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.sites.arxiv_authors import authors_in
from broker.sites.arxiv_page import ORIGIN, affiliated, names
from broker.sites.base import Piece
from broker.sites.blocks import document, facts, heading, named
from broker.sites.latexml import mended
from broker.sites.replies import OK
from broker.sites.writing import day
from extract import extract, fragment, judge
from extract.inline import escape
from extract.model import Kind
from extract.tree import fold, parse, query, raw_text
from extract.verdict import VerdictKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.providers.arxiv_feed import Author
    from broker.providers.arxiv_id import PaperId
    from extract.model import Block
    from extract.tree import Node

_ARTICLE = query("//*[contains(concat(' ', @class, ' '), ' ltx_document ')]")
_TITLE = query(".//h1[contains(@class, 'ltx_title_document')]")
_AUTHORS = query(".//div[contains(@class, 'ltx_authors')]")
_DATES = query("./div[contains(@class, 'ltx_dates')]")
_ABSTRACT = query(".//*[contains(concat(' ', @class, ' '), ' ltx_abstract ')]")
_ABSTRACT_TITLE = query(".//*[contains(@class, 'ltx_title_abstract')]")
_WATERMARK = query("//*[@id = 'watermark-tr']")
_STAMP = re.compile(r"arXiv:\S*?(v\d+)?\s+\[([\w.-]+)\]\s+(\d{1,2}) ([A-Z][a-z]{2})[a-z]* (\d{4})")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LEAST_WORDS = 5
"""A page with fewer is one on which the conversion has failed."""


def piece_of_html(page: str, url: str, paper: PaperId) -> Piece | None:
    """The document of a paper's page, read at `url`; None where there is no paper in it."""
    tree = parse(page)
    article = next(iter(_ARTICLE(tree)), None)
    if article is None:
        return _any_page(page, url, paper)
    version, category, published = _stamp(tree)
    mended(article, url)
    title = fold(_taken(article, _TITLE))
    authors = _authors(article)
    for dates in _DATES(article):
        fragment.remove(dates)
    abstract = _abstract(article, url)
    body = fragment.blocks(article, url, below=1)
    if not title or sum(len(block.text.split()) for block in body) < _LEAST_WORDS:
        return None
    name = f"{paper.paper}{paper.version or version}"
    blocks = [
        *facts(
            escape(names(authors)),
            day(published),
            named(f"arXiv:{name}", f"{ORIGIN}/abs/{name}"),
            escape(category),
            named("PDF", f"{ORIGIN}/pdf/{name}"),
        ),
        *affiliated(authors),
        *abstract,
        *body,
    ]
    return Piece(
        url=f"{ORIGIN}/abs/{paper}",
        title=title,
        markdown=document(title, blocks),
        byline=names(authors) or None,
        published=published or None,
        lang=tree.get("lang"),
    )


def _any_page(page: str, url: str, paper: PaperId) -> Piece | None:
    """A page that LaTeXML has not made, read as any page is; None where it is no content."""
    if judge(page, url, OK).kind is not VerdictKind.CONTENT:
        return None
    found = extract(page, url)
    return Piece(
        url=f"{ORIGIN}/abs/{paper}",
        title=found.title,
        markdown=found.markdown,
        byline=found.byline,
        published=found.published,
        lang=found.language,
    )


def _taken(article: Node, find: Callable[[Node], list[Node]]) -> str:
    """The text of what is found, which is then gone from the article."""
    texts = []
    for node in find(article):
        texts.append(raw_text(node))
        fragment.remove(node)
    return next(iter(texts), "")


def _authors(article: Node) -> tuple[Author, ...]:
    found: list[Author] = []
    for node in _AUTHORS(article):
        found += authors_in(node)
        fragment.remove(node)
    return tuple({author.name: author for author in found}.values())


def _abstract(article: Node, url: str) -> tuple[Block, ...]:
    """The abstract below a heading of level 2, which LaTeXML gives the lowest one."""
    blocks: list[Block] = []
    for node in _ABSTRACT(article):
        for title in _ABSTRACT_TITLE(node):
            fragment.remove(title)
        blocks += fragment.blocks(node, url)
        fragment.remove(node)
    if not any(block.kind is Kind.PARAGRAPH for block in blocks):
        return ()
    return (heading("Abstract", 2), *blocks)


def _stamp(tree: Node) -> tuple[str, str, str]:
    """Version, category and day, from the mark at the page's edge; empty where there is none."""
    mark = next((_STAMP.search(fold(raw_text(node))) for node in _WATERMARK(tree)), None)
    if mark is None or mark[4] not in _MONTHS:
        return "", "", ""
    month = _MONTHS.index(mark[4]) + 1
    return mark[1] or "", mark[2], f"{mark[5]}-{month:02}-{int(mark[3]):02}"
