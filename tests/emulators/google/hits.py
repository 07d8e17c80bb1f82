"""The truth: which organics the loopback Google shows for a query and page.

Everything follows from the query's text, so a test can ask for the expected list. Hosts and texts
are invented; all hosts end in `.example`.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import quote

PER_PAGE = 10
CRUMB_ARROW = " \u203a "

_HOSTS = (
    ("docs.alder.example", "Alder Docs"),
    ("www.quarry.example", "Quarry"),
    ("learn.meadow.example", "Meadow Learning"),
    ("blog.tallow.example", "The Tallow Blog"),
    ("wiki.fennel.example", "Fennel Wiki"),
    ("www.harbour-news.example", "Harbour News"),
    ("code.lantern.example", "Lantern Code"),
    ("kestrel.example", "Kestrel"),
    ("papers.ochre.example", "Ochre Papers"),
    ("shop.bramble.example", "Bramble & Co"),
    ("www.wren.example", "Wren"),
    ("data.saltmarsh.example", "Saltmarsh Data"),
)
_TITLES = (
    "{q}: a practical guide",
    "What is {q}? - {site}",
    "{q} — an overview",
    '"{q}" explained & compared',
    "Getting started with {q} | {site}",
    "{q} in 2026: what has changed?",
    "Notes on {q} <draft>",
    "The complete reference for {q} ...",
    "Ten mistakes with {q} \u2013 {site}",
    "{q} · {site}",
)
_SENTENCES = (
    "This page collects the essentials of {q} with short examples.",
    "A patient walk through {q}, from first steps to the corner cases.",
    "We measured {q} on three machines & wrote down what we found.",
    "Most people meet {q} by accident; here is how to begin on purpose.",
    "Read how others use {q}, and where it is the wrong tool.",
    "The reference covers every option of {q}, with defaults and limits.",
    "Über {q} und andere Dinge \u2013 auch 日本語 and emoji 🦊 survive here.",
    "Questions about {q} are answered below; if x < y, see the notes.",
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_QUESTION = re.compile(r"(?i)^(what|who|why|how|when|where|define)\b|\?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Organic:
    title: str
    """Visible text."""
    url: str
    snippet: str
    """Visible text, with its date prefix."""
    host: str
    site: str
    crumb: str
    """Visible text of the cite element; not always an address."""
    published: str | None = None
    """ISO date behind the date prefix."""
    date_text: str = ""
    featured: bool = False
    video: bool = False
    read_more: bool = False
    missing: bool = False


def is_question(text: str) -> bool:
    """Whether page 1 opens with a featured snippet when nobody says otherwise."""
    return bool(_QUESTION.search(text))


@lru_cache(maxsize=4096)
def organic(text: str, rank: int) -> Organic:
    """The hit at a rank (from 1) of the endless list behind a query."""
    rng = random.Random(f"{text}\n{rank}")  # noqa: S311 (a seed, not a secret)
    host, site = rng.choice(_HOSTS)
    wanted = re.search(r"(?<!\S)site:([\w.-]+)", text)
    if wanted:
        host, site = wanted[1], wanted[1]
    words = " ".join(w for w in text.split() if ":" not in w) or "everything"
    slug = quote("-".join(re.findall(r"\w+", words.lower()))[:60], safe="-") or "page"
    section = rng.choice(("guides", "articles", "reference", "2026/03", "a/b/c"))
    tail = rng.choice(("", "/", ".html", "?id=7&lang=en", "#usage", "/caf%C3%A9"))
    title = rng.choice(_TITLES).format(q=words, site=site)
    snippet = " ".join(rng.sample(_SENTENCES, 2)).format(q=words)
    hit = Organic(
        title=" ".join(title.split()),
        url=f"https://{host}/{section}/{slug}-{rank}{tail}",
        snippet=snippet,
        host=host,
        site=site,
        crumb=CRUMB_ARROW.join((f"https://{host}", *section.split("/"), f"{slug[:20]}-{rank}")),
        read_more=rank % 4 == 1,
        missing=rank % 7 == 3,
    )
    return _kind(hit, rank, rng)


def organics(text: str, page: int, total: int, *, featured: bool = False) -> tuple[Organic, ...]:
    """The hits of a page, in page order."""
    first = (page - 1) * PER_PAGE + 1
    last = min(page * PER_PAGE, total)
    hits = [organic(text, rank) for rank in range(first, last + 1)]
    if featured and page == 1 and hits:
        hits[0] = replace(
            hits[0],
            featured=True,
            snippet=hits[0].snippet.removeprefix(f"{hits[0].date_text} — "),
            published=None,
            date_text="",
            video=False,
        )
    return tuple(hits)


def _kind(hit: Organic, rank: int, rng: random.Random) -> Organic:
    """Give some hits a date, a forum's cite without an address, or a video's form."""
    if rank % 6 == 5:
        return replace(
            hit, crumb=f"{rng.randrange(20, 900)}+ comments · {rng.randrange(2, 9)} years ago"
        )
    if rank % 15 == 8:
        return replace(hit, video=True, crumb=f"{rng.randrange(2, 90)}K+ views · 3 years ago")
    if rank % 3 == 0:
        year, month, day = rng.randrange(2018, 2027), rng.randrange(1, 10), rng.randrange(1, 29)
        shown = f"{_MONTHS[month - 1]} {day}, {year}"
        return replace(
            hit,
            date_text=shown,
            published=f"{year}-{month:02}-{day:02}",
            snippet=f"{shown} — {hit.snippet}",
        )
    return hit
