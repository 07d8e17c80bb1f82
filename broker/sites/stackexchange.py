"""Questions of Stack Overflow and the other sites of Stack Exchange, with all their answers.

Two requests of the interface (300 a day and address without a key), and a third for the comments of
all posts at once while many are left. What it says is HTML (`filter=withbody`): the form that its
own pages show. A site is named by its host.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from broker.errors import BrokerError, SiteFailed
from broker.providers.answers import number_of, record, text_of
from broker.redact import safe_url
from broker.sites import writing
from broker.sites.base import Get, Piece, got
from broker.sites.replies import AGENT, object_in, objects, waiting
from broker.sites.stackexchange_page import Asked, Items, document, key_of, name_of

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from datetime import datetime
    from typing import Any

    from broker.sites.base import Conversation, Reply, Step, Visit

_WHO = "Stack Exchange's interface"
_MOST = 100
"""Answers, and comments, that are asked for: one page of each."""
_PLENTY = 30
"""Requests that are left today, from which on comments are asked for."""
_THROTTLED = 502
_SECONDS = re.compile(r"\d+(?= seconds?)")
_USUAL_WAIT_S = 60.0
_NUMBER = re.compile(r"\d{1,12}", re.ASCII)


def converse(visit: Visit) -> Conversation | None:
    """How to read a question; None for any other page."""
    asked = _asked(visit)
    return None if asked is None else _read(visit, asked)


def _asked(visit: Visit) -> Asked | None:
    host = (visit.parts.hostname or "").removeprefix("www.")
    segments = [part for part in visit.parts.path.split("/") if part]
    match segments:
        case ["questions" | "q", question, *rest] if _NUMBER.fullmatch(question):
            answer = rest[1] if segments[0] == "questions" and len(rest) > 1 else ""
            return Asked(host, question, answer if _NUMBER.fullmatch(answer) else "")
        case ["a", answer, *_] if _NUMBER.fullmatch(answer):
            return Asked(host, "", answer)
    return None


def _read(visit: Visit, asked: Asked) -> Conversation:
    place = (
        f"/questions/{asked.question}" if asked.question else f"/answers/{asked.answer}/questions"
    )
    first = yield from _items(visit, asked, place)
    question = next(iter(first.items), None)
    if question is None:
        what = f"question {asked.question}" if asked.question else f"answer {asked.answer}"
        raise SiteFailed("not_found", f"{asked.host} has no {what}")
    key = key_of(question, "question_id") or asked.question
    warnings: list[str] = []
    answers = yield from _answers(visit, asked, key, warnings)
    comments = yield from _comments(
        visit, asked, [key, *(key_of(each, "answer_id") for each in answers.items)], answers
    )
    total = int(number_of(question, "answer_count") or 0)
    if answers.items and total > len(answers.items):
        warnings.append(f"{total - len(answers.items):,} answers of lower score are left out")
    if comments.more:
        warnings.append(f"only the first {_MOST} comments are here")
    posted = writing.iso(number_of(question, "creation_date"))
    backoff = max((each.backoff_s or 0.0 for each in (first, answers, comments)), default=0.0)
    title, markdown = document(asked, question, answers, comments)
    return Piece(
        url=f"https://{asked.host}/questions/{key}",
        title=title,
        markdown=markdown,
        byline=name_of(question) or None,
        published=posted or None,
        warnings=tuple(warnings),
        leave_alone_s=backoff or None,
    )


# --- requests ------------------------------------------------------------------------------------


def _answers(
    visit: Visit, asked: Asked, key: str, warnings: list[str]
) -> Generator[Step, Any, Items]:
    """The best answers; a warning where they cannot be had."""
    try:
        found = yield from _items(
            visit,
            asked,
            f"/questions/{key}/answers",
            sort="votes",
            order="desc",
            pagesize=str(_MOST),
        )
    except BrokerError as error:
        warnings.append(f"the answers are missing: {error.message}")
        return Items((), more=False, left=0, backoff_s=None)
    return found


def _comments(
    visit: Visit, asked: Asked, posts: Sequence[str], before: Items
) -> Generator[Step, Any, Items]:
    """Comments on all posts, while that is cheap and nobody asks to be left alone."""
    none = Items((), more=False, left=0, backoff_s=None)
    if before.left < _PLENTY or before.backoff_s:
        return none
    place = f"/posts/{';'.join(filter(None, posts[:_MOST]))}/comments"
    try:
        found = yield from _items(
            visit, asked, place, sort="creation", order="asc", pagesize=str(_MOST)
        )
    except BrokerError:
        return none
    return found


def _items(
    visit: Visit, asked: Asked, place: str, **parameters: str
) -> Generator[Step, Any, Items]:
    query = urlencode({"site": asked.host, "filter": "withbody", **parameters})
    base = visit.settings.sites.stackexchange_url.rstrip("/")
    reply = yield from got(Get(url=f"{base}/2.3{place}?{query}", headers=AGENT))
    _check(reply, visit.now)
    answer = object_in(reply, _WHO)
    items = answer.get("items")
    if not isinstance(items, list):
        raise SiteFailed("unparseable", f"{_WHO}'s answer has no list of items")
    return Items(
        objects(items),
        more=answer.get("has_more") is True,
        left=number_of(answer, "quota_remaining") or 0,
        backoff_s=number_of(answer, "backoff"),
    )


def _check(reply: Reply, now: datetime) -> None:
    """Let an answer pass that is not one of the interface's own errors.

    Raises:
        SiteFailed: it is one.
    """
    answer = record(reply.json())
    if number_of(answer, "error_id") == _THROTTLED:
        seconds = _SECONDS.search(text_of(answer, "error_message"))
        wait_s = float(seconds[0][:9]) if seconds else reply.retry_after_s or _USUAL_WAIT_S
        message = (
            f"too many requests came from this address; again {waiting(min(wait_s, 86_400), now)}"
        )
        raise SiteFailed("rate_limited", message, url=safe_url(reply.url), retry_after_s=wait_s)
    if "error_id" in answer:
        name = text_of(answer, "error_name") or "an error"
        raise SiteFailed("upstream", f"{_WHO} reports {name}")
