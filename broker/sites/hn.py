"""Hacker News: a story, a poll, a job or a comment with all its answers, by Algolia's API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from broker.errors import SiteFailed
from broker.providers.hn_answer import SITE, thread_url
from broker.sites.base import Get, Piece, got
from broker.sites.hn_thread import thread_of
from broker.sites.replies import object_in

if TYPE_CHECKING:
    from broker.sites.base import Conversation, Visit

_API = f"{SITE}'s search"
_ITEM = re.compile(r"[1-9]\d{0,11}", re.ASCII)


def converse(visit: Visit) -> Conversation | None:
    """How to read `item?id=…`; None for every other page of its host."""
    if visit.parts.path.rstrip("/") != "/item":
        return None
    number = parse_qs(visit.parts.query).get("id", [""])[0]
    return _read(visit, number) if _ITEM.fullmatch(number) else None


def _read(visit: Visit, number: str) -> Conversation:
    origin = visit.settings.providers.hn_url.rstrip("/")
    reply = yield from got(Get(url=f"{origin}/api/v1/items/{number}"))
    thread = thread_of(object_in(reply, _API))
    if thread is None:
        raise SiteFailed("unparseable", f"{_API} gave no item")
    return Piece(
        url=thread_url(number),
        title=thread.title,
        markdown=thread.markdown,
        byline=thread.author or None,
        published=thread.published,
        lang="en",
        warnings=thread.warnings,
    )
