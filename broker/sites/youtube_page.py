"""A film as a document: what it is about, and what is said in it, minute by minute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.sites.blocks import clock, document, facts, heading, items, named, paragraph, prose
from broker.sites.writing import counted, day
from extract.inline import STRONG, escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.sites.youtube_film import Chapter, Film, Track
    from broker.sites.youtube_words import Line
    from extract.model import Block

_PARAGRAPH_S = 60.0


def film_markdown(film: Film, url: str, track: Track | None, lines: Sequence[Line]) -> str:
    """The document of a film at `url`; `lines` are what `track` says."""
    channel = named(film.channel, film.channel_url) if film.channel else ""
    blocks: list[Block] = [
        *facts(
            channel,
            day(film.published),
            clock(film.length_s) if film.length_s else "",
            counted(film.views, "view"),
            named("YouTube", url),
        )
    ]
    if film.description.strip():
        blocks += [heading("Description", 2), *prose(film.description)]
    if track is not None and lines:
        made = ", made automatically" if track.automatic and "auto" not in track.name else ""
        blocks.append(heading(f"Transcript ({track.name}{made})", 2))
        blocks += _transcript(lines, film.chapters)
    elif film.chapters:
        parts = (f"{clock(each.start_s)} {escape(each.title)}" for each in film.chapters)
        blocks += [heading("Chapters", 2), *items(parts)]
    return document(film.title, blocks)


def _transcript(lines: Sequence[Line], chapters: Sequence[Chapter]) -> list[Block]:
    """Paragraphs of a minute each, below the headings of their chapters."""
    blocks: list[Block] = []
    waiting = list(reversed(chapters))
    minute: list[Line] = []
    for line in lines:
        begins = bool(waiting) and line.start_s >= waiting[-1].start_s
        if minute and (begins or line.start_s >= minute[0].start_s + _PARAGRAPH_S):
            blocks.append(_minute(minute))
            minute = []
        while waiting and line.start_s >= waiting[-1].start_s:
            chapter = waiting.pop()
            blocks.append(heading(f"{clock(chapter.start_s)} {chapter.title}", 3))
        minute.append(line)
    return [*blocks, _minute(minute)] if minute else blocks


def _minute(lines: Sequence[Line]) -> Block:
    time = clock(lines[0].start_s)
    return paragraph(STRONG, time, STRONG, " ", escape(" ".join(line.text for line in lines)))
