"""A film as the data in YouTube's page describes it. Nothing in it is relied on."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from broker.providers.answers import address_of, number_of, record, text_of
from broker.sites.replies import objects
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Fields = Mapping[str, object]

_PLAYER = re.compile(r"\bytInitialPlayerResponse\s*=\s*(?=\{)")
_DATA = re.compile(r"\bytInitialData[\"'\]]*\s*=\s*(?=\{)")
_PAGE_LANGUAGE = re.compile(r"<html[^>]*\slang=[\"']?([\w-]+)")
_CHAPTER = re.compile(
    r"^[ \t\-\u2013\u2014*\u2022(\[]*"
    r"((?:\d{1,2}:)?\d{1,3}:[0-5]\d)[)\]]?[\s:\-\u2013\u2014|]*(\S.*)$",
    re.MULTILINE,
)
_DIGITS = re.compile(r"[0-9]{1,15}")
_LEAST_CHAPTERS = 3
"""As many times in a description as make them chapters; YouTube's own rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One transcript that the page offers."""

    url: str
    language: str
    name: str
    automatic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One part of a film."""

    start_s: float
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """What is known of a film."""

    title: str
    """Empty where the page does not show the film."""
    status: str = ""
    """`OK`, or why it cannot be played: `LOGIN_REQUIRED`, `UNPLAYABLE`, `ERROR`."""
    reason: str = ""
    """The same for a person."""
    channel: str = ""
    channel_url: str = ""
    published: str = ""
    """ISO 8601."""
    length_s: float = 0.0
    views: float | None = None
    description: str = ""
    chapters: tuple[Chapter, ...] = ()
    tracks: tuple[Track, ...] = ()
    page_language: str = ""

    def best_track(self) -> Track | None:
        """The transcript to read: one that a person has written, if it can be understood."""
        spoken = next((track.language for track in self.tracks if track.automatic), "")
        for language in filter(None, (self.page_language, "en", spoken)):
            for track in self.tracks:
                if not track.automatic and _is(track.language, language):
                    return track
        automatic = (track for track in self.tracks if track.automatic)
        return next(automatic, self.tracks[0] if self.tracks else None)


def film_of(page: str) -> Film | None:
    """The film that a page is about; None where it has no data of one. Never raises."""
    player = _value(_PLAYER, page)
    if not player:
        return None
    details = record(player.get("videoDetails"))
    more = record(record(player.get("microformat")).get("playerMicroformatRenderer"))
    playable = record(player.get("playabilityStatus"))
    description = text_of(details, "shortDescription") or _said(more.get("description"))
    language = _PAGE_LANGUAGE.search(page)
    return Film(
        title=fold(text_of(details, "title") or _said(more.get("title"))),
        status=text_of(playable, "status"),
        reason=fold(text_of(playable, "reason") or _reason(playable)),
        channel=fold(text_of(details, "author") or text_of(more, "ownerChannelName")),
        channel_url=_channel_url(details, more),
        published=text_of(more, "publishDate", "uploadDate"),
        length_s=_number(details, "lengthSeconds") or _number(more, "lengthSeconds") or 0.0,
        views=_number(details, "viewCount") or _number(more, "viewCount"),
        description=description,
        chapters=_chapters(_value(_DATA, page)) or _written_chapters(description),
        tracks=tuple(_tracks(player)),
        page_language=language[1] if language else "",
    )


def _value(name: re.Pattern[str], page: str) -> Fields:
    """The object that a script of the page assigns to a name."""
    decoder = json.JSONDecoder()
    for found in name.finditer(page):
        try:
            value, _ = decoder.raw_decode(page, found.end())
        except (ValueError, RecursionError):
            continue
        if value:
            return record(value)
    return {}


def _tracks(player: Fields) -> Iterator[Track]:
    captions = record(record(player.get("captions")).get("playerCaptionsTracklistRenderer"))
    for each in objects(captions.get("captionTracks")):
        url, language = text_of(each, "baseUrl"), text_of(each, "languageCode")
        if url and language:
            automatic = text_of(each, "kind") == "asr"
            name = fold(_said(each.get("name"))) or language
            yield Track(url=url, language=language, name=name, automatic=automatic)


def _chapters(data: Fields) -> tuple[Chapter, ...]:
    """The chapters that the page's player shows."""
    at: Fields = record(record(data.get("playerOverlays")).get("playerOverlayRenderer"))
    for name in ("decoratedPlayerBarRenderer", "decoratedPlayerBarRenderer", "playerBar"):
        at = record(at.get(name))
    bars = record(at.get("multiMarkersPlayerBarRenderer"))
    for marks in objects(bars.get("markersMap")):
        found = []
        for each in objects(record(marks.get("value")).get("chapters")):
            chapter = record(each.get("chapterRenderer"))
            start_ms, title = (
                number_of(chapter, "timeRangeStartMillis"),
                _said(chapter.get("title")),
            )
            if start_ms is not None and title:
                found.append(Chapter(start_s=start_ms / 1000, title=fold(title)))
        if found:
            return tuple(sorted(found, key=lambda chapter: chapter.start_s))
    return ()


def _written_chapters(description: str) -> tuple[Chapter, ...]:
    """The chapters that a description lists: times from 0:00 on, each later than the one before."""
    found = [
        Chapter(start_s=_seconds(time), title=fold(title))
        for time, title in _CHAPTER.findall(description)
    ]
    starts = [chapter.start_s for chapter in found]
    rises = all(one < other for one, other in pairwise(starts))
    return tuple(found) if len(found) >= _LEAST_CHAPTERS and starts[0] == 0 and rises else ()


def _seconds(time: str) -> float:
    seconds = 0
    for part in time.split(":"):
        seconds = 60 * seconds + int(part)
    return float(seconds)


def _channel_url(details: Fields, more: Fields) -> str:
    number = text_of(details, "channelId") or text_of(more, "externalChannelId")
    named = address_of(more, "ownerProfileUrl")
    return named or (f"https://www.youtube.com/channel/{number}" if number else "")


def _reason(playable: Fields) -> str:
    screen = record(record(playable.get("errorScreen")).get("playerErrorMessageRenderer"))
    return _said(screen.get("reason"))


def _said(value: object) -> str:
    """A text, in either of the two forms that the data has for one."""
    fields = record(value)
    runs = "".join(text_of(run, "text") for run in objects(fields.get("runs")))
    return text_of(fields, "simpleText") or runs


def _number(fields: Fields, name: str) -> float | None:
    """A number, which mostly stands there as its digits."""
    text = text_of(fields, name)
    return float(text) if _DIGITS.fullmatch(text) else number_of(fields, name)


def _is(language: str, wanted: str) -> bool:
    return language.partition("-")[0].lower() == wanted.partition("-")[0].lower()
