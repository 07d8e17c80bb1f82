"""What stands around the organics: ads, boxes and carousels. None of it is a hit."""

from __future__ import annotations

from enum import StrEnum
from html import escape
from urllib.parse import quote_plus

from tests.emulators.google.filler import image


class Block(StrEnum):
    ADS = "ads"
    ADS_BELOW = "adsbelow"
    FEATURED = "featured"
    """The first organic is shown as a featured snippet."""
    PAA = "paa"
    SITELINKS = "sitelinks"
    STORIES = "stories"
    VIDEOS = "videos"
    SCHOLAR = "scholar"
    KNOWLEDGE = "knowledge"
    RELATED = "related"


ALL = frozenset(Block)


def choice(names: frozenset[str] | None, page: int, *, question: bool) -> frozenset[Block]:
    """The blocks of a page: those that were named (`all`, `none`, or a list), else a usual mix."""
    if names is not None:
        return ALL if "all" in names else frozenset(Block(name) for name in names - {"none"})
    if page > 1:
        return frozenset((Block.ADS_BELOW, Block.RELATED))
    return ALL if question else ALL - {Block.FEATURED}


def ads(where: str, text: str) -> str:
    """`tads` above or `tadsb` below the results."""
    cards = "".join(
        '<div class="uEierd"><div data-text-ad="1" data-ta-slot="0">'
        '<div class="vdQmEd fP1Qef xpd EtOod">'
        f'<div class="v5yQqb"><a class="sVXRqc" href="/aclk?sa=L&amp;ai={number}" '
        f'data-pcu="https://ads{number}.example/" data-rw="/aclk?sa=L&amp;ai={number}">'
        f'<div class="CCgQ5 vCa9Yd" role="heading" aria-level="3"><span>'
        f"Buy {escape(text)} {number}</span></div>"
        f'<h3 class="bNg8Rb">Buy {escape(text)} {number}</h3>'
        f'<cite class="x2VHCd">https://ads{number}.example</cite></a></div>'
        '<div class="Va3FIb"><div class="p4wth">Large choice, delivered '
        "tomorrow. Not an organic.</div></div>"
        "</div></div></div>"
        for number in (1, 2)
    )
    return (
        f'<div class="qGXjvb" id="{where}" role="region" aria-label="Ads">'
        f'<h1 class="bNg8Rb">Ads</h1><span role="heading" aria-level="2">'
        f"Sponsored results</span>{cards}</div>"
    )


def people_also_ask(text: str) -> str:
    """Questions with hidden answers, which carry the same links and headings as organics."""
    pairs = "".join(
        f'<div class="wQiwMc related-question-pair" data-q="{escape(question)}">'
        f'<div jsname="YrZdPb">'
        '<div class="dnXCYb" aria-expanded="false" role="button" tabindex="0"><span class="CSkcDe">'
        f'{escape(question)}</span></div><div class="bCOlv" style="display:none">'
        f'<div class="wDYxhc" data-md="61">'
        '<span class="hgKElc">An answer that nobody asked for yet.</span></div>'
        '<div class="tF2Cxc"><div class="yuRUbf"><div class="b8lM7"><span class="V9tjod">'
        f'<a jsname="UWckNb" class="zReHs" href="https://answers.example/{number}">'
        f'<h3 class="LC20lb MBeuO DKV0Md">Hidden answer {number}</h3><br><cite class="qLRx3b">'
        "https://answers.example</cite></a></span></div></div></div></div></div></div>"
        for number, question in enumerate(
            (f"What is {text} good for?", f"Is {text} hard?", f"Who made {text}?")
        )
    )
    return (
        '<div class="MjjYud"><div class="A6K0A"><div jsname="bq0EGf" class="cUnQKe">'
        '<span class="mgAbYb" role="heading" aria-level="2"><span>People also ask</span></span>'
        f'<div jsname="N760b" class="LQCGqc">{pairs}</div></div></div></div>'
    )


def sitelinks(host: str) -> str:
    """Expanded site links: headings and anchors in a table, without cite."""
    rows = "".join(
        f'<tr class="mslg"><td class="cIkxbf"><h3 class="QnNiCc"><a '
        f'class="l" href="https://{host}/{name}">'
        f'{name.title()}</a></h3><div class="zz3gNc">About {name}.</div></td></tr>'
        for name in ("pricing", "support", "careers")
    )
    return f'<table class="jmjoTe wHYlTd" role="group"><tbody>{rows}</tbody></table>'


def top_stories(text: str) -> str:
    cards = "".join(
        f'<div class="m7jPZ"><a jsname="YKoRaf" class="WlydOe" '
        f'href="https://news{number}.example/story">'
        f'<div class="MgUUmf"><span>News {number}</span></div><div '
        f'class="n0jPhd" role="heading" aria-level="3">'
        f'Story {number} about {escape(text)}</div><div class="OSrXXb"><span>'
        f"{number} hours ago</span></div>"
        f'<img alt="" src="{image(number)}"></a></div>'
        for number in (1, 2, 3)
    )
    return (
        '<div class="MjjYud"><div class="A6K0A"><g-section-with-header class="yG4QQe">'
        f'<span role="heading" aria-level="2">Top stories</span>{cards}</g-section-with-header>'
        f"</div></div>"
    )


def videos(text: str) -> str:
    cards = "".join(
        f'<div jsname="pKB8Bc" class="X4T0U"><div class="WVV5ke" '
        f'data-surl="https://tube.example/watch?v={number}">'
        f'<a class="rIRoqf" href="https://tube.example/watch?v={number}">'
        f'<div class="V5XKdd" role="heading" '
        f'aria-level="3"><span class="cHaqb">Clip {number}: {escape(text)}</span></div></a>'
        f"</div></div>"
        for number in (1, 2, 3)
    )
    return (
        '<div class="MjjYud"><div class="A6K0A"><div class="vtSz8d">'
        f'<span role="heading" aria-level="2">Videos</span>{cards}</div></div></div>'
    )


def scholar(text: str) -> str:
    return (
        '<div class="MjjYud"><div class="A6K0A"><div class="wHYlTd"><table><tbody><tr><td>'
        f'<h3 class="LC20lb"><a href="https://scholar.example/scholar?q={quote_plus(text)}">'
        f"Scholarly articles for <b>{escape(text)}</b></a></h3></td></tr><tr><td>"
        '<a href="https://scholar.example/1">Some paper</a> - Ochre - Cited by 12</td></tr>'
        "</tbody></table>"
        "</div></div></div>"
    )


def knowledge(text: str) -> str:
    return (
        '<div id="rhs" class="TQc1id"><div class="kp-wholepage"><div data-attrid="title">'
        f'<h2>{escape(text.title())}</h2></div><div data-attrid="description"><h3>Description</h3>'
        '<span>A thing that people look for.</span> <a href="https://wiki.fennel.example/thing">'
        "<h3>Fennel Wiki</h3><cite>https://wiki.fennel.example</cite></a></div></div></div>"
    )


def related(text: str) -> str:
    links = "".join(
        f'<a class="ngTNl ggLgoc" href="/search?q={quote_plus(f"{text} {word}")}&amp;sa=X">'
        f'<div class="mtv5bd"><span>{escape(text)} <b>{word}</b></span></div></a>'
        for word in ("tutorial", "examples", "alternatives", "for beginners")
    )
    return (
        '<div id="bres"><div class="MjjYud"><div class="oIk2Cb">'
        f'<span role="heading" aria-level="2">People also search for</span>{links}</div></div>'
        f"</div>"
    )
