"""Hacker News's search answers: stories and comments, as Algolia's JSON has them.

A story is reported as what it links to, and its snippet says where it is discussed. A comment is
reported as the thread that it stands in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.models import Hit
from broker.providers.answers import address_of, number_of, read_json, record, text_of
from extract.tree import fold, parse, visible_text

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "hn"
SITE = "Hacker News"
HOST = "news.ycombinator.com"

_NUMBER = re.compile(r"\d{1,18}", re.ASCII)

SNIPPET_CHARS = 300
"""Characters kept of a comment, or of a story's own text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What stands in an answer."""

    hits: tuple[Hit, ...] = ()
    total: int | None = None
    """Items that match; None when the answer does not say."""
    pages: int = 0
    """Pages that can be asked for, this one included."""
    message: str = ""
    """What the service has to say, such as that only 1000 hits can be had."""
    refused: bool = False
    """The message is all there is."""


def read_page(text: str, *, threads: bool = False) -> Page | None:
    """The page that `text` is; None when it is none. Never raises.

    `threads` has every story reported as its thread instead of what it links to.
    """
    answer = record(read_json(text))
    message = fold(text_of(answer, "message", "error"))
    items = answer.get("hits")
    if not isinstance(items, list):
        return Page(message=message, refused=True) if message else None
    hits: dict[str, Hit] = {}
    for item in map(record, items):
        hit = _comment(item) if text_of(item, "comment_text") else _story(item, threads=threads)
        if hit is not None:
            hits.setdefault(hit.url, hit)  # of a thread's comments, the first stands for all
    return Page(
        hits=tuple(hits.values()),
        total=_count(answer, "nbHits"),
        pages=_count(answer, "nbPages") or 0,
        message=message,
    )


def _story(item: Mapping[str, object], *, threads: bool) -> Hit | None:
    thread = thread_url(_key(item, "objectID", "story_id"))
    title = fold(text_of(item, "title"))
    if not title or not thread:
        return None
    target = "" if threads else address_of(item, "url")
    author = text_of(item, "author")
    points, comments = _count(item, "points"), _count(item, "num_comments")
    facts = [
        _counted(points, "point"),
        f"by {author}" if author else "",
        _counted(comments, "comment"),
    ]
    discussed = f"{', '.join(filter(None, facts)) or 'discussed'}: {thread}" if target else ""
    return Hit(
        title=title,
        url=target or thread,
        snippet=_excerpt(text_of(item, "story_text")) or discussed,
        provider=NAME,
        published=text_of(item, "created_at") or None,
        authors=(author,) if author else (),
        site=SITE,
        points=points,
        comments=comments,
    )


def _comment(item: Mapping[str, object]) -> Hit | None:
    thread = thread_url(_key(item, "story_id", "parent_id", "objectID"))
    if not thread:
        return None
    author = text_of(item, "author")
    return Hit(
        title=fold(text_of(item, "story_title")) or f"Comment by {author or 'someone'}",
        url=thread,
        snippet=_excerpt(text_of(item, "comment_text")),
        provider=NAME,
        published=text_of(item, "created_at") or None,
        authors=(author,) if author else (),
        site=SITE,
    )


def thread_url(key: str) -> str:
    """Where an item is discussed; empty for no key."""
    return f"https://{HOST}/item?id={key}" if key else ""


def _key(item: Mapping[str, object], *names: str) -> str:
    """The first of the ids that is there: some are numbers, others the digits of one."""
    ids = (text_of(item, name) or str(_count(item, name) or "") for name in names)
    return next((key for key in ids if _NUMBER.fullmatch(key)), "")


def _excerpt(html: str) -> str:
    return visible_text(parse(html))[:SNIPPET_CHARS].rstrip() if html else ""


def _counted(number: int | None, thing: str) -> str:
    if number is None:
        return ""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _count(fields: Mapping[str, object], name: str) -> int | None:
    number = number_of(fields, name)
    return None if number is None else int(number)
