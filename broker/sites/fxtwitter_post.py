"""Posts of X as FxTwitter gives them, in either of its forms. Nothing in an answer is relied on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from broker.providers.answers import address_of, number_of, record, text_of
from broker.sites.replies import objects
from broker.sites.writing import iso
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    Fields = Mapping[str, object]

_SHORT = re.compile(r"https?://t\.co/\w+", re.ASCII)
_HANDLE = re.compile(r"\w{1,20}", re.ASCII)
_NUMBER = re.compile(r"\d{1,20}", re.ASCII)
_MOST_QUOTES = 3
"""How far quotes in quotes are followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A post that was there."""

    reason: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Medium:
    """A picture or film of a post."""

    kind: str
    """As a person calls it."""
    url: str
    alt: str = ""
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One answer of a poll."""

    label: str
    votes: float | None
    percent: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """A question with its answers."""

    choices: tuple[Choice, ...]
    votes: float | None
    ends: str
    """ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One post."""

    id: str
    text: str
    """Whole, with its short links replaced by what they stand for."""
    name: str = ""
    handle: str = ""
    created: str = ""
    """ISO 8601."""
    lang: str | None = None
    likes: float | None = None
    reposts: float | None = None
    replies: float | None = None
    views: float | None = None
    answers: str = ""
    """The handle of whom it answers."""
    answers_id: str = ""
    note: str = ""
    """The community's."""
    media: tuple[Medium, ...] = ()
    poll: Poll | None = None
    quote: Post | Lost | None = None
    article: Fields | None = None

    @property
    def says_something(self) -> bool:
        """Whether there is anything to read or to see."""
        parts = (self.text, self.media, self.poll, self.quote, self.article)
        return any(map(bool, parts))

    @property
    def url(self) -> str:
        """Where it is."""
        return post_url(self.id, self.handle)


def post_url(number: str, handle: str = "") -> str:
    """The address of a post; empty where its number is none."""
    return f"https://x.com/{handle or 'i'}/status/{number}" if number else ""


def post_of(value: object, depth: int = 0) -> Post | Lost | None:
    """The post that a value is; None where it is none. Never raises."""
    fields = record(value)
    if text_of(fields, "type") == "tombstone":
        return Lost(reason=text_of(fields, "reason"), message=text_of(fields, "message"))
    number = number_in(fields, "id")
    if not number:
        return None
    author = record(fields.get("author"))
    handle, answers_id = _answered(fields)
    quote = fields.get("quote") if depth < _MOST_QUOTES else None
    post = Post(
        id=number,
        text=_text(fields),
        name=fold(text_of(author, "name")),
        handle=_handle(text_of(author, "screen_name")),
        created=iso(number_of(fields, "created_timestamp")),
        lang=_lang(text_of(fields, "lang")),
        likes=number_of(fields, "likes"),
        reposts=_first_number(fields, "reposts", "retweets"),
        replies=number_of(fields, "replies"),
        views=number_of(fields, "views"),
        answers=handle,
        answers_id=answers_id,
        note=_note(fields.get("community_note")),
        media=_media(record(fields.get("media"))),
        poll=_poll(record(fields.get("poll"))),
        quote=post_of(quote, depth + 1),
        article=record(fields.get("article")) or None,
    )
    return post if post.says_something else None


def number_in(fields: Fields, *names: str) -> str:
    """The first field that is the number of something, as its digits."""
    for name in names:
        value = fields.get(name)
        text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
        if _NUMBER.fullmatch(text):
            return text
    return ""


def _answered(fields: Fields) -> tuple[str, str]:
    """Whom a post answers, and with which number, in either form of the API."""
    newer = record(fields.get("replying_to"))
    if newer:
        number = number_in(newer, "status", "post", "id")
        return _handle(text_of(newer, "screen_name")), number
    return _handle(text_of(fields, "replying_to")), number_in(fields, "replying_to_status")


def _text(fields: Fields) -> str:
    """What the post says: its short links become what they stand for, those of its media go."""
    raw = record(fields.get("raw_text"))
    text = text_of(fields, "text") or unescape(text_of(raw, "text"))
    targets = {
        text_of(facet, "original"): "" if text_of(facet, "type") == "media" else target
        for facet in objects(raw.get("facets"))
        if (target := address_of(facet, "replacement")) or text_of(facet, "type") == "media"
    }
    return _SHORT.sub(lambda short: targets.get(short[0], short[0]), text).strip()


def _note(value: object) -> str:
    """A community note: a text by itself, or in an object with its facets."""
    return value if isinstance(value, str) else _text(record(value))


def _media(media: Fields) -> tuple[Medium, ...]:
    listed = objects(media.get("all")) or [
        *objects(media.get("photos")),
        *objects(media.get("videos")),
    ]
    external = record(media.get("external"))
    found = [medium for each in (*listed, external) if (medium := _medium(each)) is not None]
    return tuple({medium.url: medium for medium in found}.values())


def _medium(fields: Fields) -> Medium | None:
    url = address_of(fields, "url")
    if not url:
        return None
    kind = {"photo": "Picture", "gif": "Animation"}.get(text_of(fields, "type"), "Video")
    return Medium(
        kind=kind,
        url=url,
        alt=fold(text_of(fields, "altText", "alt_text", "alt")),
        seconds=number_of(fields, "duration"),
    )


def _poll(fields: Fields) -> Poll | None:
    choices = tuple(
        Choice(
            label=text_of(each, "label"),
            votes=number_of(each, "count"),
            percent=number_of(each, "percentage"),
        )
        for each in objects(fields.get("choices"))
    )
    if not choices:
        return None
    votes = number_of(fields, "total_votes")
    return Poll(choices=choices, votes=votes, ends=text_of(fields, "ends_at"))


def _first_number(fields: Fields, *names: str) -> float | None:
    numbers = (number_of(fields, name) for name in names)
    return next((number for number in numbers if number is not None), None)


def _handle(text: str) -> str:
    text = text.removeprefix("@")
    return text if _HANDLE.fullmatch(text) else ""


def _lang(text: str) -> str | None:
    """A language; X's own codes for posts without one begin with a q, or are `und` and `zxx`."""
    return None if not text or text in {"und", "zxx"} or text.startswith("q") else text
