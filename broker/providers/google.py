"""Google's web search, read from the pages that a browser shows.

`parse` says what a page is and which results it holds; `search_url` and `compiled_query` say how
to ask. Results decide first: a good page carries the same "enable JavaScript" text as the wall.
Walls are known by their forms and links, never by the language they speak.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.models import Serp, SerpState
from broker.providers import google_links as links
from broker.providers.google_hits import NAME, read_hits
from broker.providers.google_links import is_own_host, page_identity, reachable_hosts
from broker.providers.google_plan import compiled_query, search_url
from extract.tree import is_hidden, query, visible_text
from extract.tree import parse as parse_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from extract.tree import Node

__all__ = [
    "NAME",
    "compiled_query",
    "is_own_host",
    "page_identity",
    "parse",
    "reachable_hosts",
    "search_url",
]

_CAPTCHA = query(
    "//form[@id='captcha-form' or @action='CaptchaRedirect' or contains(@action, '/sorry/')]"
    " | //*[@data-sitekey] | //img[contains(@src, '/sorry/image')]"
    " | //title[normalize-space()='Sorry...']"
)
_CONSENT_FORM = query(
    "//form[descendant::input[@name='set_eom']]"
    " | //form[contains(@action, '//consent.') and contains(@action, '/save')]"
)
_CONSENT_OVERLAY = query("//*[@id='L2AGLb' or @id='W0wltc']")
_BOOTSTRAP = query(
    "//*[contains(@content, '/httpservice/retry/enablejs')"
    " or contains(@href, '/httpservice/retry/enablejs') or contains(@href, 'emsg=SG_REL')]"
    " | //noscript[contains(., '/httpservice/retry/enablejs')]"
    # What that address shows: how to switch scripts on in each browser.
    " | //a[contains(@href, 'support.google.com/chrome/answer/114662')"
    " or contains(@href, '/javascript-settings-for-interactive-web-pages')]"
)
_LINKS = query("//a[@href]")
_FORMS = query("//form")
_ERROR_CODE = query("//b[following-sibling::ins]")
_COLUMN = query("//*[@id='search' or @id='rso']")
_COLUMN_LINKS = query("//*[@id='search' or @id='rso']//a[@href]")
_NO_MATCH = query(
    "//*[@id='topstuff' or @id='botstuff' or @id='center_col']"
    "//*[@role='heading'][descendant::em][following-sibling::ul]"
)
_PAGE_LINKS = query(
    "//a[contains(@href, 'start=')]["
    "ancestor::*[@role='navigation' or @id='nav' or @id='foot' or @id='botstuff' or self::footer]]"
)
_NEXT_ID = "pnnext"


def parse(html: str | bytes, url: str) -> Serp:
    """What the page `html` at `url` is, and its organic hits in page order.

    `url` makes relative links absolute and tells the walls that live at addresses of their own;
    an empty one stands for the search itself. Never raises.
    """
    base = url if links.is_absolute(url) else f"{links.HOME}/search"
    root = parse_tree(html)
    hits = read_hits(root, base)
    if not hits:
        return Serp(state=_state(root, base))
    next_url, page_urls = _pages(root, base)
    return Serp(state=SerpState.RESULTS, hits=hits, next_url=next_url, page_urls=page_urls)


def _state(root: Node, url: str) -> SerpState:
    """The state of a page without hits: the first sign that is found."""
    return next((state for state, shows in _SIGNS if shows(root, url)), SerpState.BLANK)


def _is_captcha(root: Node, url: str) -> bool:
    parts = links.split_url(url)
    return (
        parts.path.startswith("/sorry/")
        or (parts.hostname or "").startswith("sorry.")
        or bool(_CAPTCHA(root))
    )


def _is_consent_wall(root: Node, url: str) -> bool:
    host = links.split_url(url).hostname or ""
    return host.startswith("consent.") or bool(_CONSENT_FORM(root)) or _shows_overlay(root)


def _shows_overlay(root: Node) -> bool:
    return any(
        not any(is_hidden(node) for node in button.iterancestors())
        for button in _CONSENT_OVERLAY(root)
    )


def _is_bootstrap(root: Node, _url: str) -> bool:
    """The page that loads the results by script: a page with a result column is past that."""
    return bool(_BOOTSTRAP(root)) and not _COLUMN(root)


def _is_unsupported(root: Node, _url: str) -> bool:
    """The page that asks for a newer browser: it leads nowhere but to a help article."""
    targets = [links.split_url(link.get("href", "")) for link in _LINKS(root)]
    return (
        bool(targets)
        and not _FORMS(root)
        and all(t.hostname == "support.google.com" and "/answer/" in t.path for t in targets)
    )


def _is_blocked(root: Node, _url: str) -> bool:
    """Google's bare error page: a status code in bold and a remark inserted after it."""
    return any(re.fullmatch(r"\d{3}\.", visible_text(code)) for code in _ERROR_CODE(root))


def _is_empty(root: Node, url: str) -> bool:
    """The notice that nothing matched, or a result column from which no link leads away."""
    if _NO_MATCH(root):
        return True
    targets = [links.absolute(link.get("href", ""), url) for link in _COLUMN_LINKS(root)]
    return bool(_COLUMN(root)) and not any(
        links.leads_away(target, url) or links.goto_token(target, url) for target in targets
    )


def _has_unknown_results(root: Node, _url: str) -> bool:
    """A result column that is not empty, on a page on which no hit was found."""
    return bool(_COLUMN(root))


_SIGNS: tuple[tuple[SerpState, Callable[[Node, str], bool]], ...] = (
    (SerpState.CAPTCHA, _is_captcha),
    (SerpState.CONSENT_WALL, _is_consent_wall),
    (SerpState.NO_RESULTS, _is_empty),
    (SerpState.UNPARSEABLE, _has_unknown_results),
    (SerpState.JS_REQUIRED, _is_bootstrap),
    (SerpState.UNSUPPORTED, _is_unsupported),
    (SerpState.BLOCKED, _is_blocked),
)


def _pages(root: Node, url: str) -> tuple[str | None, tuple[tuple[int, str], ...]]:
    """The address of the next page, and the addresses of all linked pages by start offset."""
    next_url = None
    pages: dict[int, str] = {}
    for link in _PAGE_LINKS(root):
        target = links.absolute(link.get("href", ""), url)
        if links.is_result_page(target, url):
            pages[links.start_offset(target)] = target  # "More results" stands before the pager
            next_url = target if link.get("id") == _NEXT_ID else next_url
    here = links.start_offset(url)
    later = (target for start, target in sorted(pages.items()) if start > here)
    return next_url or next(later, None), tuple(sorted(pages.items()))
