"""The result pages of both endpoints, the page without hits, and the challenge."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from tests.emulators.google.hits import Organic

FIRST_PAGE = 10
LATER_PAGE = 15
_AD = "https://duckduckgo.com/y.js?ad_domain=ads.example&ad_provider=loopback&u3=x"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Everything that decides a result page."""

    query: str
    page: int
    hits: tuple[Organic, ...]
    wrapped: bool
    ads: bool
    vqd: str
    """Empty: no further page."""
    region: str


def href(url: str, *, wrapped: bool) -> str:
    """A hit's link: through the redirector, or as it is."""
    if not wrapped:
        return url
    mark = hashlib.sha256(url.encode()).hexdigest()
    return f"//duckduckgo.com/l/?uddg={quote(url, safe='')}&rut={mark}"


def shown_snippet(hit: Organic) -> str:
    """A hit's text as this provider shows it: the date stands elsewhere."""
    return hit.snippet.removeprefix(f"{hit.date_text} \u2014 ") if hit.date_text else hit.snippet


def html_page(sheet: Sheet) -> str:
    query = escape(sheet.query)
    rows = "".join(_html_row(hit, sheet) for hit in sheet.hits) or _no_results(query)
    ad = _html_ad(sheet) if sheet.ads else ""
    form = _next_form(sheet, "/html/") if sheet.vqd else ""
    return (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
        '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"><html><head>'
        f"<title>{query} at DuckDuckGo</title></head>"
        '<body class="body--html"><form action="/html/" method="post">'
        '<input type="text" name="state_hidden" id="state_hidden"></form><div class="header__form">'
        '<form id="search_form" class="search--header" name="x" action="/html/" method="post">'
        f'<input class="search__input" name="q" value="{query}"><input '
        f'name="b" type="submit" value="">'
        '<select name="kl"><option value="" selected>All Regions</option></select>'
        '<select name="df"><option value="" selected>Any Time</option></select></form></div>'
        "<!-- Web results are present -->"
        f'<div id="links" class="results">{ad}{rows}'
        f'<div class="nav-link">{form}</div><div class="feedback-btn">Feedback</div></div>'
        '<img src="//duckduckgo.com/t/sl_h"></body></html>'
    )


def lite_page(sheet: Sheet) -> str:
    query = escape(sheet.query)
    first = 1 if sheet.page == 1 else offset(sheet.page) + 1
    rows = "".join(_lite_row(hit, first + at, sheet) for at, hit in enumerate(sheet.hits))
    ad = _lite_ad() if sheet.ads else ""
    form = _next_form(sheet, "/lite/") if sheet.vqd else ""
    found = f'<table border="0">{ad}{rows}</table>' if sheet.hits else "<p>No results.</p>"
    return (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" '
        '"http://www.w3.org/TR/html4/loose.dtd"><html><head>'
        f"<title>{query} at DuckDuckGo</title></head><body>"
        f'<form action="/lite/" method="post"><input class="query" name="q" value="{query}"></form>'
        f'<table border="0"><tr><td>{form}</td></tr></table>{found}'
        f'<table border="0"><tr><td>{form}</td></tr></table><img src="//duckduckgo.com/t/sl_l">'
        "</body></html>"
    )


def challenge(kind: str) -> str:
    """The anomaly page; `kind` is `html` or `lite`."""
    key = hashlib.md5(b"loopback", usedforsecurity=False).hexdigest()
    tail = f"sv={kind}&amp;cc=botnet&amp;ti=1775054018&amp;gk={key}&amp;p=1-2-3"
    tiles = "".join(
        f'<div class="anomaly-modal__box" data-index="{number}">'
        f'<label data-testid="anomaly-modal-tile-{number}"><input type="checkbox" '
        f'class="anomaly-modal__check" name="image-check_{number}"></label></div>'
        for number in range(9)
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><title>DuckDuckGo</title></head><body><a name="top">'
        '</a><center id="lite_wrapper"><a class="header-url" href="/html/">'
        '<span class="header">DuckDuckGo</span></a>'
        f'<form id="img-form" action="//duckduckgo.com/anomaly.js?{tail}" method="POST"></form>'
        f'<form id="challenge-form" action="//duckduckgo.com/anomaly.js?{tail}" method="POST">'
        '<div class="anomaly-modal__mask"><div class="anomaly-modal__modal" '
        'data-testid="anomaly-modal"><div class="anomaly-modal__title">'
        "Unfortunately, bots use DuckDuckGo too.</div>"
        '<div class="anomaly-modal__instructions">Select all squares containing a duck:</div>'
        f'<div class="anomaly-modal__puzzle">{tiles}</div><button name="challenge-submit" '
        f'form="challenge-form" value="{key}">Submit</button></div></div></form></center></body>'
        f"</html>"
    )


def error() -> str:
    """The page for a client that is not wanted: it says so, and whom to write to."""
    return (
        "<!DOCTYPE html><html><head><title>DuckDuckGo</title></head><body><p>If this error "
        'persists, please let us know: <a href="mailto:error-lite@duckduckgo.com?subject=Error">'
        "error-lite@duckduckgo.com</a></p></body></html>"
    )


def offset(page: int) -> int:
    """The `s` of a page: hits before it."""
    return 0 if page == 1 else FIRST_PAGE + (page - 2) * LATER_PAGE


def _html_row(hit: Organic, sheet: Sheet) -> str:
    link = escape(href(hit.url, wrapped=sheet.wrapped))
    return (
        '<div class="result results_links results_links_deep web-result ">'
        '<div class="links_main links_deep result__body"><h2 class="result__title">'
        f'<a rel="nofollow" class="result__a" href="{link}">{_bold(hit.title, sheet.query)}</a>'
        f"</h2>"
        '<div class="result__extras"><div class="result__extras__url"><span class="result__icon">'
        f'<a rel="nofollow" href="{link}"><img class="result__icon__img" alt="" src=""></a></span>'
        f'<a class="result__url" href="{link}"> {escape(_address(hit.url))} </a>'
        f"{_date(hit)}</div></div>"
        f'<a class="result__snippet" href="{link}">{_bold(shown_snippet(hit), sheet.query)}</a>'
        '<div class="clear"></div></div></div>'
    )


def _html_ad(sheet: Sheet) -> str:
    link = escape(href(_AD, wrapped=sheet.wrapped))
    return (
        '<div class="result results_links results_links_deep result--ad result--ad--small">'
        '<div class="links_main links_deep result__body"><h2 class="result__title">'
        f'<a rel="nofollow" class="result__a" href="{link}">Buy now</a></h2>'
        '<button class="badge--ad">Ad</button>'
        f'<a class="result__snippet" href="{link}">Not a result.</a></div></div>'
    )


def _no_results(query: str) -> str:
    return (
        '<div class="result results_links results_links_deep web-result result--no-result">'
        '<div class="links_main links_deep result__body"><div class="no-results__container '
        'result__title"><span class="no-results"><div class="no-results__message">'
        f"<h1>No results found for <strong>{query}</strong></h1><ul><li>Check the spelling.</li>"
        f"</ul>"
        "</div></span></div></div></div>"
    )


def _lite_row(hit: Organic, number: int, sheet: Sheet) -> str:
    link = escape(href(hit.url, wrapped=sheet.wrapped))
    date = f"<span class='timestamp'>{hit.published}T00:00:00.0000000</span>"
    return (
        f'<tr><td valign="top">{number}.&nbsp;</td><td>'
        f'<a rel="nofollow" href="{link}" class=\'result-link\'>{escape(hit.title)}</a></td></tr>'
        "<tr><td>&nbsp;&nbsp;&nbsp;</td><td class='result-snippet'>"
        f"{_bold(shown_snippet(hit), sheet.query)}</td></tr><tr><td>&nbsp;&nbsp;&nbsp;</td><td>"
        f"<span class='link-text'>{escape(_address(hit.url))}</span> &nbsp;&nbsp;&nbsp; "
        f"{date if hit.published else ''}</td></tr><tr><td>&nbsp;</td><td>&nbsp;</td></tr>"
    )


def _lite_ad() -> str:
    help_page = "https://duckduckgo.com/duckduckgo-help-pages/ads"
    return (
        '<tr class="result-sponsored"><td valign="top">1.&nbsp;</td><td>'
        f'<a rel="nofollow" href="{escape(_AD)}" class=\'result-link\'>Buy now</a> '
        f'<a rel="nofollow" href="{help_page}" class=\'result-link\'>more info</a></td></tr>'
        '<tr class="result-sponsored"><td></td>'
        "<td class='result-snippet'>Not a result.</td></tr>"
    )


def _next_form(sheet: Sheet, action: str) -> str:
    start = offset(sheet.page + 1)
    hidden = {
        "q": sheet.query,
        "s": str(start),
        "nextParams": "",
        "v": "l",
        "o": "json",
        "dc": str(start + 1),
        "api": "d.js",
        "vqd": sheet.vqd,
        "kl": sheet.region or "wt-wt",
    }
    inputs = "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}"/>'
        for name, value in hidden.items()
    )
    if action == "/lite/":
        button = '<input type="submit" class=\'navbutton\' value="Next Page &gt;">'
        return f'<form class="next_form" action="{action}" method="post">{button}{inputs}</form>'
    button = '<input type="submit" class="btn btn--alt" value="Next"/>'
    return f'<form action="{action}" method="post">{button}{inputs}</form>'


def _date(hit: Organic) -> str:
    if not hit.published:
        return ""
    return f"<span>&nbsp; &nbsp; {hit.published}T00:00:00.0000000</span>"


def _address(url: str) -> str:
    parts = urlsplit(url)
    return parts.netloc + parts.path


def _bold(text: str, query: str) -> str:
    needle = escape(query.split(" ", 1)[0])
    return escape(text).replace(needle, f"<b>{needle}</b>") if needle else escape(text)
