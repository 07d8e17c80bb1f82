"""The markup of organic results, as desktop pages of 2026 write it."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from tests.emulators.google.filler import drawing, image
from tests.emulators.google.hits import CRUMB_ARROW

if TYPE_CHECKING:
    from tests.emulators.google.hits import Organic
    from tests.emulators.google.links import Linker


def result(hit: Organic, number: int, linker: Linker, words: str) -> str:
    """One result block."""
    if hit.featured:
        return _featured(hit, number, linker)
    return _video(hit, number, linker, words) if hit.video else _plain(hit, number, linker, words)


def title_link(hit: Organic, number: int, linker: Linker) -> str:
    """The anchor with its h3 and cite, and the twin of the cite that stands beside it."""
    href = escape(linker.href(hit.url))
    site = _site(hit, number)
    return (
        '<div class="yuRUbf"><div class="b8lM7"><span class="V9tjod">'
        f'<a jsname="UWckNb" class="zReHs" href="{href}" data-ved="2ahUKE{number}" '
        f'ping="/url?sa=t&amp;source=web&amp;rct=j&amp;ved=2ahUKE{number}">'
        f'<h3 class="LC20lb MBeuO DKV0Md" id="_t_{number}">{escape(hit.title)}</h3><br>'
        f"{site}</a></span>"
        f'<div class="B6fmyf byrV5b Mg1HEd">{site}<div class="csDOgf BCF2pd L48a4c">'
        f'<div class="MJ8UF iTPLzd" aria-describedby="_t_{number}" aria-label="About this result" '
        f'role="button" tabindex="0"><span class="D6lY4c">{drawing()}</span></div></div></div>'
        f"</div></div>"
    )


def _site(hit: Organic, number: int) -> str:
    address, arrow, path = hit.crumb.partition(CRUMB_ARROW)
    tail = (
        f'<span class="ylgVCe ob9lvb" role="text">{CRUMB_ARROW}{escape(path)}</span>'
        if arrow
        else ""
    )
    return (
        '<div class="notranslate ESMNde HGLrXd ojE3Fb"><div class="q0vns"><span class="DDKf1c">'
        '<div class="eqA2re UnOTSe Vwoesf" aria-hidden="true">'
        f'<img class="XNo5Ab" src="{image(number % 8)}" style="height:26px;width:26px" alt="">'
        f"</div></span>"
        f'<div class="CA5RN"><div><span class="VuuXrf">{escape(hit.site)}</span></div>'
        '<div class="byrV5b"><cite class="qLRx3b tjvcx GvPZzd cHaqb" role="text">'
        f"{escape(address)}{tail}</cite></div></div></div></div>"
    )


def _plain(hit: Organic, number: int, linker: Linker, words: str) -> str:
    heading = '<h2 class="bNg8Rb">Web results</h2>' if number == 1 else ""
    return (
        f'<div class="MjjYud"><div class="A6K0A" data-rpos="{number}">'
        '<div class="wHYlTd Ww4FFb tF2Cxc asEBEc vt6azd" lang="en" '
        'style="max-width:100%;width:inherit" '
        f'data-hveid="C{number}QAA">{heading}<div class="N54PNb BToiNc" data-snc="s{number}">'
        '<div class="kb0PBd A9Y9g jGGQ5e" data-snf="x5WNvb" data-snhf="0">'
        f"{title_link(hit, number, linker)}</div>"
        f'<div class="kb0PBd A9Y9g" data-snf="nke7rc" data-sncf="1">'
        f"{_snippet(hit, number, linker, words)}</div>"
        f"{_missing(hit)}</div></div></div></div>"
    )


def _snippet(hit: Organic, number: int, linker: Linker, words: str) -> str:
    date = f'<span class="YrbPuc"><span>{hit.date_text}</span> — </span>' if hit.date_text else ""
    text = hit.snippet.removeprefix(f"{hit.date_text} — ") if date else hit.snippet
    more = ""
    if hit.read_more:
        href = escape(linker.href(f"{hit.url.partition('#')[0]}#:~:text=Read%20how,purpose."))
        more = (
            f'<a class="vzmbzf" aria-describedby="_t_{number}" href="{href}">'
            "<span>Read more</span></a>"
        )
    return (
        '<div class="VwiC3b yXK7lf p4wth r025kc Hdw6tb" style="-webkit-line-clamp:2">'
        f"{date}<span>{_marked(text, words)}</span>{more}</div>"
    )


def _missing(hit: Organic) -> str:
    if not hit.missing:
        return ""
    return (
        '<div class="kb0PBd A9Y9g" data-snf="oyZ5Hb" data-sncf="2"><div class="TXwUJf p4wth">'
        "<span>Missing:</span> <s>hedgehog</s> \u200e| Show results with: "
        '<a href="/search?q=%22hedgehog%22&amp;sa=X"><span>hedgehog</span></a></div></div>'
    )


def _video(hit: Organic, number: int, linker: Linker, words: str) -> str:
    real = escape(hit.url)
    return (
        f'<div class="MjjYud"><div class="A6K0A" data-rpos="{number}"><div>'
        '<div jsname="pKB8Bc" class="PmEWq wHYlTd vt6azd Ww4FFb"><div>'
        f'<div class="WVV5ke" data-curl="{real}" data-surl="{real}" data-vid="v{number}"><div>'
        f'<div class="xe8e1b"><div>{title_link(hit, number, linker)}</div></div>'
        '<div class="iHxmLe"><div class="rIRoqf hXY9cf" role="button" tabindex="0">'
        f'<div class="gY2b2c"><img alt="" src="{image(number % 8)}"><span>12:34</span></div></div>'
        f'<div class="ITZIwc p4wth"><span>{_marked(hit.snippet, words)}</span></div>'
        "</div></div></div></div></div></div></div></div>"
    )


def _featured(hit: Organic, number: int, linker: Linker) -> str:
    return (
        f'<div class="ULSxyf"><div class="MjjYud"><div class="A6K0A" data-rpos="{number}">'
        '<block-component class="qDoh6b"><div class="wHYlTd Ww4FFb vt6azd wF4fFd g-blk" lang="en">'
        '<h2 class="bNg8Rb">Featured snippet from the web</h2><div class="nGydZ">'
        '<div class="xpdopen">'
        '<div class="ifM9O"><div><div class="wDYxhc" data-md="61">'
        '<div class="LGOjhe" data-attrid="wa:/description" role="heading" aria-level="3">'
        f'<span class="BxUVEf ILfuVd" lang="en"><span class="hgKElc pOOWX">'
        f"{escape(hit.snippet)}</span>"
        f'</span></div></div><div class="tF2Cxc">{title_link(hit, number, linker)}</div></div>'
        f"</div></div>"
        "</div></div></block-component></div></div></div>"
    )


def _marked(text: str, words: str) -> str:
    """Escaped text with the query's words emphasised; the visible text stays the same."""
    shown = escape(text)
    needle = escape(words)
    if not needle:
        return shown
    return re.sub(re.escape(needle), lambda match: f"<em>{match[0]}</em>", shown)
