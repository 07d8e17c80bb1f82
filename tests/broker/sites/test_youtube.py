"""YouTube: what the page's own data says of a film, and the transcript that it offers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.errors import SiteFailed
from broker.settings import SiteSettings
from broker.sites.youtube_film import Film, Track, film_of
from broker.sites.youtube_words import words_of
from tests.broker.sites.talking import Talk, conversation, no_heading_but_ours, spoken
from tests.emulators.saved_sites import FOLDER, SiteMode
from tests.emulators.site_doors import Door

FILM = "https://www.youtube.com/watch?v=heron-Film1"
WORDS = "https://www.youtube.com/api/timedtext?v=heron-Film1&lang=en-GB&fmt=json3"
SAVED = FOLDER / "youtube"


def read(door: Door | None = None, settings: SiteSettings | None = None) -> Talk:
    return spoken(FILM, door or Door("youtube"), settings)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/watch?v=heron-Film1&t=42s&list=PL1",
        "https://m.youtube.com/watch?app=desktop&v=heron-Film1",
        "https://youtu.be/heron-Film1?si=x",
        "https://youtube.com/shorts/heron-Film1",
        "https://www.youtube.com/live/heron-Film1?feature=share",
        "https://www.youtube.com/embed/heron-Film1",
    ],
)
def test_a_film_under_each_of_its_addresses(url: str) -> None:
    talk = spoken(url, Door("youtube"))
    assert talk.asked == [FILM, WORDS]
    assert talk.document.url == FILM


def test_the_document_of_a_film() -> None:
    piece = read().document
    assert (piece.title, piece.byline) == ('Reading a River; with "herons"', "River Films")
    assert (piece.published, piece.lang) == ("2026-05-04T03:00:00-07:00", "en-GB")
    assert piece.warnings == ()
    assert piece.markdown == (
        '# Reading a River; with "herons"\n\n'
        "[River Films](http://www.youtube.com/@riverfilms) · 2026-05-04 · 12:34 · 45,678 views"
        f" · [YouTube]({FILM})\n\n"
        "## Description\n\n"
        "A film on herons.\\\n"
        "Notes: [https://herons.example/film?a=1](https://herons.example/film?a=1)\n\n"
        "0:00 Reeds\\\n1:30 The strike\\\n10:02 # After\n\n\\`\\`\\`not code\n\n"
        "## Transcript (English (UK))\n\n"
        "### 0:00 Reeds\n\n"
        "**0:02** Line at 2, the heron waits. Line at 30, the heron waits. Line at 58, the heron"
        " waits.\n\n**1:05** Line at 65, the heron waits.\n\n"
        "### 1:30 The strike\n\n**1:31** Line at 91, it strikes. Line at 140, it strikes.\n\n"
        "**2:31** Line at 151, it strikes.\n\n"
        "### 10:02 # After\n\n**10:10** Line at 610, it strikes.\n\n"
        "**11:40** Line at 700, it strikes."
    )
    assert no_heading_but_ours(piece.markdown)


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        (SiteMode.MISSING, "its transcript is left out: YouTube answered 404"),
        (SiteMode.MALFORMED, "its transcript is left out: YouTube gave an empty one"),
        (SiteMode.RESETTING, "its transcript is left out: nobody answers"),
    ],
)
def test_a_film_whose_transcript_fails_is_there_without_it(mode: SiteMode, why: str) -> None:
    door = Door("youtube")
    door.mode, door.only = mode, "/api/timedtext"
    talk = read(door)
    assert talk.document.warnings == (why,)
    assert "## Chapters\n\n- 0:00 Reeds\n- 1:30 The strike\n- 10:02 # After" in talk.text
    assert talk.document.lang is None


@pytest.mark.parametrize(
    "base",
    [
        "https://evil.example/api/timedtext?v=x",
        "https://www.youtube.com.evil.example/api/timedtext",
        "//evil.example/api/timedtext",
        "https://www.youtube.com/redirect?q=https://evil.example/api/timedtext",
        "https://www.youtube.com@evil.example/api/timedtext",
        "file:///etc/passwd",
        "https://[/api/timedtext",
    ],
)
def test_a_transcript_is_asked_of_youtube_alone(base: str) -> None:
    door = Door("youtube")
    page = door.files["watch.html"].decode()
    door.files["watch.html"] = page.replace(
        "https://www.youtube.com/api/timedtext?v=heron-Film1&lang=en-GB&fmt=srv1", base
    ).encode()
    talk = read(door)
    assert talk.asked == [FILM]
    assert "no address of YouTube's" in talk.document.warnings[0]


def test_a_configured_origin_is_asked_for_page_and_transcript() -> None:
    talk = read(settings=SiteSettings(youtube_url="http://127.0.0.1:9/"))
    assert [url.partition("/watch")[0].partition("/api")[0] for url in talk.asked] == [
        "http://127.0.0.1:9",
        "http://127.0.0.1:9",
    ]
    assert talk.document.url == FILM


def test_a_film_that_is_gone_is_a_clear_end() -> None:
    talk = spoken("https://youtu.be/gone--Film1", Door("youtube"))
    assert isinstance(talk.error, SiteFailed)
    assert (talk.error.code, talk.error.conclusive) == ("not_found", True)
    assert "Video unavailable" in talk.error.message


def test_a_check_for_robots_leaves_the_page_to_the_ordinary_way() -> None:
    talk = spoken("https://youtu.be/bot---Check", Door("youtube"))
    assert isinstance(talk.error, SiteFailed)
    assert (talk.error.code, talk.error.conclusive) == ("blocked", False)
    assert "not a bot" in talk.error.message


def test_a_page_that_asks_for_consent_is_no_film() -> None:
    talk = conversation(FILM)
    assert talk is not None
    next(talk)
    from broker.sites.base import Reply  # noqa: PLC0415

    page = (SAVED / "watch.html").read_bytes()
    with pytest.raises(SiteFailed, match="asks for consent") as caught:
        talk.send(Reply(url="https://consent.youtube.com/m?continue=x", status=200, body=page))
    assert not caught.value.conclusive


@pytest.mark.parametrize(
    ("mode", "code"),
    [
        (SiteMode.MISSING, "not_found"),
        (SiteMode.RATE_LIMITED, "rate_limited"),
        (SiteMode.MALFORMED, "unparseable"),
        (SiteMode.BROKEN, "upstream"),
        (SiteMode.RESETTING, "dns"),
    ],
)
def test_what_goes_wrong(mode: SiteMode, code: str) -> None:
    door = Door("youtube")
    door.mode = mode
    talk = read(door)
    assert talk.error is not None
    assert talk.error.code == code


def track(language: str, *, automatic: bool = False) -> Track:
    return Track(url=f"/{language}/{automatic}", language=language, name="", automatic=automatic)


@pytest.mark.parametrize(
    ("page", "tracks", "chosen"),
    [
        ("de", [track("en"), track("de-DE"), track("de", automatic=True)], track("de-DE")),
        ("de", [track("fr"), track("en-US"), track("de", automatic=True)], track("en-US")),
        ("de", [track("fr"), track("it", automatic=True)], track("it", automatic=True)),
        ("en", [track("en"), track("no"), track("no", automatic=True)], track("en")),
        ("en", [track("fr"), track("no"), track("no", automatic=True)], track("no")),
        ("en", [track("fr"), track("ja")], track("fr")),
        ("en", [], None),
    ],
)
def test_the_transcript_that_is_chosen(
    page: str, tracks: list[Track], chosen: Track | None
) -> None:
    film = Film(title="t", tracks=tuple(tracks), page_language=page)
    assert film.best_track() == chosen


def test_transcripts_in_xml_are_read_too() -> None:
    first, second = words_of((SAVED / "words.xml").read_bytes())
    assert (first.start_s, first.text, second.start_s) == (0.5, "It's a heron & a net", 63.0)
    first, second = words_of((SAVED / "words-srv3.xml").read_bytes())
    assert (first.start_s, first.text, second.start_s) == (0.5, "It waits long", 64.0)


@pytest.mark.parametrize("answer", [b"", b"[]", b"null", b'{"events": 5}', b"<html>", b"\xff\x00"])
def test_what_is_no_transcript_has_no_lines(answer: bytes) -> None:
    assert words_of(answer) == ()


def test_without_chapters_in_its_data_those_in_the_description_count() -> None:
    page = (SAVED / "watch.html").read_text()
    film = film_of(page.partition("var ytInitialData")[0])
    assert film is not None
    assert [(chapter.start_s, chapter.title) for chapter in film.chapters] == [
        (0.0, "Reeds"),
        (90.0, "The strike"),
        (602.0, "# After"),
    ]
    assert replace(film, chapters=()).length_s == 754.0


@pytest.mark.parametrize(
    "page",
    [
        "",
        "<html>",
        "ytInitialPlayerResponse = {",
        "ytInitialPlayerResponse = {};",
        "ytInitialPlayerResponse = " + "[" * 100_000,
        "ytInitialPlayerResponse = " + '{"a":' * 100_000,
    ],
)
def test_a_page_without_data_is_none(page: str) -> None:
    assert film_of(page) is None


@pytest.mark.parametrize(
    "path", ["/", "/watch", "/watch?v=short", "/@riverfilms", "/playlist?list=PL1", "/shorts/"]
)
def test_other_pages_are_read_as_any_page_is(path: str) -> None:
    assert conversation(f"https://www.youtube.com{path}") is None
