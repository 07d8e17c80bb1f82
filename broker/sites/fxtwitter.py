"""X (Twitter): posts, their threads and long Articles, by FxTwitter's API.

X itself shows nothing without a login. Of the API's two forms the second has threads and is asked
first; the first is asked where that gives no post.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.errors import BrokerError, SiteFailed
from broker.providers.answers import number_of, record, shortened, text_of
from broker.sites.base import Get, got
from broker.sites.fxtwitter_page import thread_piece
from broker.sites.fxtwitter_post import Lost, Post, post_of
from broker.sites.replies import AGENT, OK, check, objects

if TYPE_CHECKING:
    from collections.abc import Generator

    from broker.sites.base import Conversation, Reply, Step, Visit

_POST = re.compile(
    r"/(?:i/web|i|(?P<user>\w{1,20}))/(?:status|statuses|article)/(?P<id>\d{1,20})(?:/.*)?",
    re.ASCII,
)
_ARTICLE = re.compile(r"/i/article/\d{1,20}/?", re.ASCII)

_LOST = {401: "private", 404: "not_found", 410: "gone"}
_WHY = {
    "private": "the post is from a protected account, or for a login only",
    "not_found": "there is no such post: it was deleted, or its account was suspended",
    "gone": "the post is gone",
}
_REASONS = {"deleted": "gone", "suspended": "gone", "private": "private", "blocked": "private"}


def converse(visit: Visit) -> Conversation | None:
    """How to read a post; None for every other page of its hosts."""
    path = visit.parts.path
    if _ARTICLE.fullmatch(path):
        return _elsewhere(visit.url)
    found = _POST.fullmatch(path)
    return None if found is None else _read(visit, found["user"] or "i", found["id"])


def _elsewhere(url: str) -> Conversation:
    message = (
        "an Article is read by the post that carries it, and this address does not name that post: "
        "fetch https://x.com/<author>/status/<number of the post>"
    )
    raise SiteFailed("elsewhere", message, url=url, conclusive=True)
    yield  # a generator, as every conversation is


def _read(visit: Visit, user: str, number: str) -> Conversation:
    origin = visit.settings.sites.fxtwitter_url.rstrip("/")
    try:
        thread = yield from _asked(f"{origin}/2/thread/{number}")
    except BrokerError as error:
        if isinstance(error, SiteFailed) and (error.conclusive or error.code == "rate_limited"):
            raise
        thread = None
    if thread is None:
        thread = yield from _asked(f"{origin}/{user}/status/{number}", is_last=True)
    if thread is None:
        raise SiteFailed("unparseable", "FxTwitter's answer has no post")
    return thread_piece(*thread)


def _asked(
    url: str, *, is_last: bool = False
) -> Generator[Step, Reply, tuple[Post, tuple[Post, ...]] | None]:
    """The post and its thread; None where the answer shows none.

    Raises:
        SiteFailed: the answer says why there is none. That there is no such post counts only from
            the last form that is asked: one that the API does not know looks the same.
    """
    reply = yield from got(Get(url=url, headers=AGENT))
    answer = record(reply.json())
    status = number_of(answer, "code")
    status = reply.status if status is None or reply.status != OK else int(status)
    found = post_of(answer.get("status")) or post_of(answer.get("tweet"))
    if isinstance(found, Lost):
        code = _REASONS.get(found.reason, "not_found")
        raise _conclusive(code, found.message)
    if found is not None and status == OK:
        others = (post_of(each) for each in objects(answer.get("thread")))
        return found, tuple(each for each in others if isinstance(each, Post))
    if status == 401 or (status in _LOST and is_last):  # noqa: PLR2004 - HTTP's Unauthorized
        if "identify" in text_of(answer, "error"):
            raise SiteFailed("blocked", "FxTwitter asks who we are")
        if not answer:
            check(reply, "FxTwitter")
        raise _conclusive(_LOST[status], "")
    if status == OK or status in _LOST:
        return None
    check(reply, "FxTwitter")
    return None


def _conclusive(code: str, said: str) -> SiteFailed:
    message = _WHY[code] + (f" ({shortened(said, 160)})" if said else "")
    return SiteFailed(code, message, conclusive=True)
