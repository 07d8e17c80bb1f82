"""The parts of a search page that are always there, results or not."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from tests.emulators.google import filler
from tests.emulators.google.hits import PER_PAGE
from tests.emulators.google.sheet import Sheet, event_id

if TYPE_CHECKING:
    from tests.emulators.google.rules import Wish


def noscript(event: str) -> str:
    """The line for clients without scripts; good pages carry it as well as the wall."""
    return (
        "<noscript><style>table,div,span,p{display:none}</style>"
        f'<meta content="0;url=/httpservice/retry/enablejs?sei={event}" http-equiv="refresh">'
        f'<div style="display:block">Please click <a '
        f'href="/httpservice/retry/enablejs?sei={event}">here</a>'
        " if you are not redirected within a few seconds.</div></noscript>"
    )


def spelling(wish: Wish) -> str:
    """The line that says that other words were searched for."""
    query = quote_plus(wish.query)
    return (
        '<div id="oFNiHe"><div class="QRYxYe" id="fprs" role="heading" aria-level="2">'
        f'<span>Did you mean: </span><a class="gL9Hy" id="fprsl" '
        f'href="/search?q={query}&amp;spell=1">'
        f"<b><i>{escape(wish.text)}</i></b></a><br><span>Search instead for </span>"
        f'<a href="/search?q={query}&amp;nfpr=1">{escape(wish.text)}</a></div></div>'
    )


def shell(wish: Wish, body: str) -> str:
    """A search page that holds no results at all, only `body`."""
    event = event_id(Sheet(wish=wish, page=1, hits=()))
    return (
        '<!doctype html><html lang="en"><head><meta charset="UTF-8">'
        f"<title>{escape(wish.query)} - Google Search</title>{filler.scripts(20_000)}</head>"
        f'<body class="srp" id="gsr">{noscript(event)}<div id="main"></div>{body}</body></html>'
    )


def nothing_found(wish: Wish) -> str:
    return (
        '<div class="mnr-c"><div class="JPMJ2c"><p aria-level="3" role="heading">Your search - '
        f"<span><em>{escape(wish.query)}</em></span> - did not match any documents.</p>"
        "<p>Suggestions:</p><ul><li>Make sure that all words are spelled correctly.</li>"
        "<li>Try different keywords.</li><li>Try more general keywords.</li></ul></div></div>"
    )


def pager(sheet: Sheet) -> str:
    pages = -(-sheet.wish.total // PER_PAGE) if sheet.hits else 0
    cells = []
    for page in range(1, min(pages, 10) + 1):
        if page == sheet.page:
            cells.append(f'<td class="YyVfkd NKTSme"><span class="SJajHc"></span>{page}</td>')
        else:
            href = escape(_page_link(sheet, page))
            cells.append(
                f'<td class="NKTSme"><a aria-label="Page {page}" class="fl" href="{href}">'
                f'<span class="SJajHc NVbCr"></span>{page}</a></td>'
            )
    if sheet.page < pages:
        cells.append(
            f'<td aria-level="2" class="d6cvqb BBwThe" role="heading">'
            f'<a class="LLNLxf" id="pnnext" '
            f'href="{escape(_page_link(sheet, sheet.page + 1))}"><span class="oeN89d">'
            f"Next</span></a></td>"
        )
    return (
        '<div role="navigation"><h1 class="bNg8Rb">Page Navigation</h1>'
        '<table class="AaVjTc" role="presentation">'
        f'<tbody><tr jsname="TeSSVd" valign="top">{"".join(cells)}</tr></tbody></table></div>'
    )


def _page_link(sheet: Sheet, page: int) -> str:
    """The href of another page of the same search."""
    kept = "".join(f"&{name}={quote_plus(value)}" for name, value in sheet.keep)
    return (
        f"/search?q={quote_plus(sheet.wish.query)}{kept}&sca_esv=a23961d46812ec7b&ei={event_id(sheet)}"
        f"&start={(page - 1) * PER_PAGE}&sa=N&sstk=Af77f_e{page:02d}&ved=2ahUKEwi{page:02d}"
    )
