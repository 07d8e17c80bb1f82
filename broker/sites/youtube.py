"""YouTube: what a film's page says of it, its whole description, and what is said in it.

All stands in the data of the page itself; the transcript is asked for where the page names one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, parse_qsl, urlencode, urljoin, urlsplit

from broker.errors import BrokerError, SiteFailed
from broker.sites.base import Get, Piece, got
from broker.sites.replies import OK, check
from broker.sites.youtube_film import Film, Track, film_of
from broker.sites.youtube_page import film_markdown
from broker.sites.youtube_words import words_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from broker.sites.base import Conversation, Reply, Step, Visit
    from broker.sites.youtube_words import Line

_ID = re.compile(r"[\w-]{11}", re.ASCII)
_PATH = re.compile(r"/(?:shorts|live|embed|v)/([\w-]{11})(?:/.*)?", re.ASCII)
_SHORT_HOST = "youtu.be"
_HOSTS = frozenset({"www.youtube.com", "youtube.com", "m.youtube.com"})
_WORDS_PATH = "/api/timedtext"
_HTML = "text/html,application/xhtml+xml,*/*;q=0.8"
_GONE = {"ERROR": "not_found", "UNPLAYABLE": "private"}


def converse(visit: Visit) -> Conversation | None:
    """How to read a film's page; None for every other page of its hosts."""
    number = _film_id(visit)
    return _read(visit, number) if number else None


def _film_id(visit: Visit) -> str:
    parts = visit.parts
    if (parts.hostname or "").endswith(_SHORT_HOST):
        found = parts.path.strip("/").partition("/")[0]
    elif parts.path.rstrip("/") == "/watch":
        found = parse_qs(parts.query).get("v", [""])[0]
    else:
        match = _PATH.fullmatch(parts.path)
        found = match[1] if match else ""
    return found if _ID.fullmatch(found) else ""


def _read(visit: Visit, number: str) -> Conversation:
    origin = visit.settings.sites.youtube_url.rstrip("/")
    reply = yield from got(Get(url=f"{origin}/watch?v={number}", accept=_HTML))
    film = _film(reply, origin)
    lines: tuple[Line, ...] = ()
    warnings: tuple[str, ...] = ()
    track = film.best_track()
    if track is not None:
        lines, why = yield from _words(track, origin)
        warnings = (why,) if why else ()
    url = f"https://www.youtube.com/watch?v={number}"
    return Piece(
        url=url,
        title=film.title,
        markdown=film_markdown(film, url, track, lines),
        byline=film.channel or None,
        published=film.published or None,
        lang=track.language if track is not None and lines else None,
        warnings=warnings,
    )


def _film(reply: Reply, origin: str) -> Film:
    """The film that the page is about.

    Raises:
        SiteFailed: the page is about none.
    """
    if urlsplit(reply.url).hostname not in {*_HOSTS, urlsplit(origin).hostname}:
        raise SiteFailed("blocked", "YouTube asks for consent before it shows anything")
    check(reply, "YouTube")
    film = film_of(reply.text)
    if film is None:
        raise SiteFailed("unparseable", "YouTube's page has no data of a film")
    if film.title:
        return film
    why = f": {film.reason}" if film.reason else ""
    if film.status in _GONE:
        message = f"YouTube says that there is no such film{why}"
        raise SiteFailed(_GONE[film.status], message, conclusive=True)
    raise SiteFailed("blocked", f"YouTube does not show the film{why}")


def _words(track: Track, origin: str) -> Generator[Step, Reply, tuple[tuple[Line, ...], str]]:
    """What is said in the film, and why it is missing where it is."""
    url = _words_url(track.url, origin)
    if not url:
        return (), "its transcript is left out: the page names no address of YouTube's for it"
    try:
        reply = yield from got(Get(url=url, accept="*/*"))
    except BrokerError as error:
        return (), f"its transcript is left out: {error.message}"
    if reply.status != OK:
        return (), f"its transcript is left out: YouTube answered {reply.status}"
    lines = words_of(reply.body)
    return lines, "" if lines else "its transcript is left out: YouTube gave an empty one"


def _words_url(named: str, origin: str) -> str:
    """The address of a transcript, as JSON; empty where it would lead to anybody else."""
    try:
        parts = urlsplit(urljoin(f"{origin}/", named))
    except ValueError:
        return ""
    if parts.hostname not in {*_HOSTS, urlsplit(origin).hostname} or parts.path != _WORDS_PATH:
        return ""
    query = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != "fmt"]
    return f"{origin}{parts.path}?{urlencode([*query, ('fmt', 'json3')])}"
