"""What a page is called: one title out of those it gives itself.

The `<title>` names the site as well, in any order and behind any sign; `og:title` often does not;
a heading never does, but may be the site's logo or the name of a section. Two that agree are
believed. Nothing is cut from a title unless what is left, or what goes, is confirmed elsewhere.
"""

# ruff: noqa: RUF001 - dashes and full-width signs are meant

from __future__ import annotations

import re
from functools import lru_cache

_SEPARATOR = re.compile(
    r"\s+[-‐–—―|·•:/\\»«›‹>~<☆★]+\s+|\s*[|｜_]+\s*|\s*(?:--|——|－－)\s*|(?<=\S)[:：»·]\s+"
    r"|(?<=[\u3040-\u9fff》】）!！?？])\s*[-–—－]\s*|\s*[-–—－]\s*(?=[\u3040-\u9fff])"
)
_NO_TITLES = frozenset({"", "home", "homepage", "startseite", "index", "accueil", "untitled"})
_SLUG = re.compile(r"^[a-z0-9]+(?:[-_][a-z0-9]+){2,}$")
_EDGES = re.compile(r"^[\s|·»¶#§-]+(?=[^\s\d])|[\s|·«¶#§🔗-]+$")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
_MOST_CHARS = 1000
_SAME_WORDS = 0.6
_FEWEST_WORDS = 3
_MOSTLY = 0.65
_COVERS = 0.5
"""How much of another title a heading must make up to stand for it."""


@lru_cache(maxsize=256)  # a page's few titles are compared with each other over and over
def squeezed(text: str) -> str:
    """`text` as its letters and digits in lower case, to compare titles by."""
    return "".join(_WORD.findall(text.lower()))


def agree(one: str, other: str) -> bool:
    """Whether two titles speak of the same: one holds the other, or they share most words."""
    left, right = squeezed(one), squeezed(other)
    if not left or not right:
        return False
    if left in right or right in left:
        return min(len(left), len(right)) >= _COVERS * max(len(left), len(right))
    words, others = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    least = max(_FEWEST_WORDS, _SAME_WORDS * min(len(words), len(others)))
    return len(words & others) >= least


def choose(headings: list[str], stated: list[str], html_title: str, names: set[str]) -> str:
    """The title of a page, empty where it has none.

    Args:
        headings: Its visible h1s, in order.
        stated: What its metadata calls it (`og:title`, JSON-LD headline), the most binding first.
        html_title: Its `<title>`.
        names: What its site is called, as far as is known, `squeezed`.
    """
    html_title = _EDGES.sub("", html_title[:_MOST_CHARS])
    headings = [_EDGES.sub("", heading) for heading in headings]
    headings = [heading for heading in headings if squeezed(heading)]
    own = [heading for heading in headings if squeezed(heading) not in {*names, *_NO_TITLES}]
    stated = [
        without_site(title[:_MOST_CHARS], names, own)
        for title in stated
        if squeezed(title) not in {*names, *_NO_TITLES} and not _SLUG.match(title)
    ]
    bare = without_site(html_title, names, [*own, *stated])
    for title in (*stated, bare, html_title):
        agreeing = [heading for heading in own if agree(heading, title)]
        if agreeing:
            return max(agreeing, key=lambda heading: _likeness(heading, title))
    parts = [squeezed(part) for part in _SEPARATOR.split(html_title)]
    parts_named = [heading for heading in own if squeezed(heading) in parts and not stated]
    rest = [*parts_named, *(title for title in (*stated, bare) if squeezed(title))]
    return next(iter((*rest, *own, *headings, html_title)), "")


def without_site(title: str, names: set[str], confirmed: list[str]) -> str:
    """`title` less the parts at its ends that name the site.

    A part goes, with what follows it, if it is little more than one of the squeezed `names`, or if
    what is left is one of the `confirmed` titles.
    """
    cuts = list(_SEPARATOR.finditer(title))
    whole = {squeezed(text) for text in confirmed} if cuts else set()
    if not cuts or squeezed(title) in whole:
        return title
    for cut in cuts:
        for left in (title[: cut.start()], title[cut.end() :]):
            if squeezed(left) in whole:
                return left
    ends = [*(cut.start() for cut in cuts[1:]), len(title)]
    for cut, end in zip(cuts, ends, strict=True):
        if _names_site(title[cut.end() : end], names) and squeezed(title[: cut.start()]):
            return title[: cut.start()]
    if squeezed(title[: cuts[0].start()]) in names and squeezed(title[cuts[0].end() :]):
        return title[cuts[0].end() :]
    return title


def _names_site(part: str, names: set[str]) -> bool:
    bare = squeezed(part)
    return any(
        bare == name or (name in bare and len(name) >= _MOSTLY * len(bare)) for name in names
    )


def _likeness(heading: str, title: str) -> float:
    left, right = len(squeezed(heading)), len(squeezed(title))
    return min(left, right) / max(left, right)
