"""Whole result pages, and where in their bytes the results end.

Pages are kept once rendered: the same request gets the same bytes, but for new tokens.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from html import escape
from urllib.parse import quote_plus

from tests.emulators.google import blocks, filler
from tests.emulators.google.blocks import Block
from tests.emulators.google.furniture import noscript, nothing_found, pager
from tests.emulators.google.hits import PER_PAGE, is_question
from tests.emulators.google.links import Linker, stamp
from tests.emulators.google.results import result
from tests.emulators.google.rules import Links
from tests.emulators.google.sheet import Serp, Sheet, event_id

_SMALL_BYTES = 1_000_000
_EARLY_HITS = 3


def render(sheet: Sheet, impression: int) -> Serp:
    """The page's bytes; quick for a page that was rendered before."""
    kept = (_cached if sheet.wish.size_bytes <= _SMALL_BYTES else _cached_huge)(sheet)
    if sheet.wish.links in (Links.GOTO, Links.GOTO_BARE):
        return replace(kept, body=stamp(kept.body, impression))
    return kept


def _render(sheet: Sheet) -> Serp:
    linker = Linker(
        links=sheet.wish.links,
        resolve=sheet.wish.resolve,
        resolve_after=sheet.wish.resolve_after,
    )
    shown = blocks.choice(sheet.wish.blocks, sheet.page, question=is_question(sheet.wish.text))
    early, late = _results(sheet, shown, linker)
    bottom = _bottom(sheet, shown, filler.script(linker.script_array(sheet.hits)))
    weight = sheet.wish.size_bytes - sum(map(len, (early, late, bottom))) - 9_000
    head = _head(sheet, weight).encode()
    opening = (_top(sheet) + early).encode()
    rest = late.encode()
    closing = (
        sheet.extras.after + bottom + filler.scripts(weight - _style_bytes(weight) - weight // 5)
    ).encode()
    closing += f"{sheet.extras.end}</body></html>".encode()
    return Serp(
        body=b"".join((head, opening, rest, closing)),
        head_bytes=len(head),
        early_bytes=len(head) + len(opening),
        results_bytes=len(head) + len(opening) + len(rest),
    )


_cached = lru_cache(maxsize=64)(_render)
_cached_huge = lru_cache(maxsize=2)(_render)


def _style_bytes(weight: int) -> int:
    return max(0, min(weight // 10, 60_000))


def _head(sheet: Sheet, weight: int) -> str:
    return (
        '<!doctype html><html itemscope="" itemtype="http://schema.org/SearchResultsPage" '
        'lang="en"><head>'
        '<meta charset="UTF-8"><meta content="origin" name="referrer">'
        f"<title>{escape(sheet.wish.query)} - Google Search</title>"
        + filler.script(f"window.google={{kEI:'{event_id(sheet)}',c:{{cap:0}}}};")
        + filler.styles(_style_bytes(weight))
        + filler.scripts(weight // 5)
        + f"{sheet.extras.head}</head>"
    )


def _top(sheet: Sheet) -> str:
    """From the body's start to the results' container."""
    query = escape(sheet.wish.query)
    ad = blocks.ads("tads", sheet.wish.text) if Block.ADS in _shown(sheet) else ""
    return (
        f'<body class="srp" id="gsr" jsmodel="hspDDf">{noscript(event_id(sheet))}'
        '<h1 class="bNg8Rb">Accessibility Links</h1><div class="S6VXfe">'
        '<a class="gyPpGe" role="link" tabindex="0">'
        'Skip to main content</a></div><div class="CvDJxb" id="searchform">'
        '<form class="tsf" action="/search" id="tsf" autocomplete="off" method="GET" role="search">'
        f'<textarea class="gLFyf" name="q" aria-label="Search" rows="1">{query}</textarea>'
        f'<button class="HZVG1b" aria-label="Search" type="submit">{filler.drawing()}</button>'
        f"</form></div>"
        f'{sheet.extras.before}<div class="main" id="main"><div class="e9EfHf" id="cnt">'
        f'<div id="hdtb">'
        f'<a class="C6AK7c" href="/search?udm=2&amp;q={quote_plus(sheet.wish.query)}">Images</a>'
        f"</div>"
        '<div id="rcnt"><div id="center_col">'
        f'<div id="taw">{sheet.extras.notice}<div id="tvcap">{ad}</div></div>'
        '<div class="eqAnXb" id="res" role="main"><div id="topstuff"></div><div id="search"><div>'
        f'<h1 class="bNg8Rb">Search Results</h1><div class="dURPMd" '
        f'id="rso" eid="{event_id(sheet)}">'
        if sheet.hits
        else ""
    )


def _results(sheet: Sheet, shown: frozenset[Block], linker: Linker) -> tuple[str, str]:
    """The results' container: up to the third hit, and the rest with its end."""
    text = sheet.wish.text
    if not sheet.hits:
        return "", "</div></div></div>"
    first = (sheet.page - 1) * PER_PAGE + 1
    written = [result(hit, first + at, linker, text) for at, hit in enumerate(sheet.hits)]
    between = {
        0: blocks.top_stories(text) if Block.STORIES in shown else "",
        1: blocks.sitelinks(sheet.hits[0].host) if Block.SITELINKS in shown and sheet.hits else "",
        4: blocks.people_also_ask(text) if Block.PAA in shown else "",
        6: blocks.videos(text) if Block.VIDEOS in shown else "",
        7: blocks.scholar(text) if Block.SCHOLAR in shown else "",
    }
    parts = [between.get(at, "") + block for at, block in enumerate(written)]
    return "".join(parts[:_EARLY_HITS]), "".join(parts[_EARLY_HITS:]) + "</div></div></div></div>"


def _bottom(sheet: Sheet, shown: frozenset[Block], array: str) -> str:
    text = sheet.wish.text
    below = blocks.ads("tadsb", text) if Block.ADS_BELOW in shown else ""
    nothing = "" if sheet.hits else nothing_found(sheet.wish)
    more = blocks.related(text) if Block.RELATED in shown else '<div id="bres"></div>'
    side = blocks.knowledge(text) if Block.KNOWLEDGE in shown else ""
    return (
        f'<div id="bottomads">{below}</div><div id="botstuff">'
        f"{nothing}{more}{pager(sheet)}</div></div>{side}"
        '</div></div></div><div id="footcnt"><div class="fbar">Loopback '
        "- Help Privacy Terms</div></div>"
        f"{array}"
    )


def _shown(sheet: Sheet) -> frozenset[Block]:
    return blocks.choice(sheet.wish.blocks, sheet.page, question=is_question(sheet.wish.text))
