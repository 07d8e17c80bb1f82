"""A question with its answers and comments as parts of a document."""

from __future__ import annotations

from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from broker.providers.answers import number_of, record, text_of, texts_of
from broker.sites import writing
from broker.sites.replies import objects
from extract import fragment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Asked:
    """What an address asks for."""

    host: str
    question: str
    answer: str
    """The one that the address names; empty where it names none."""


@dataclass(frozen=True, slots=True)
class Items:
    """What an answer of the interface holds."""

    items: Sequence[Mapping[str, object]]
    more: bool
    """Whether there are others beside these."""
    left: float
    """Requests that are left today."""
    backoff_s: float | None
    """How long the interface asks to be left alone."""


def document(
    asked: Asked, question: Mapping[str, object], answers: Items, comments: Items
) -> tuple[str, str]:
    """The title, and all of it as Markdown."""
    key, host = key_of(question, "question_id"), asked.host
    title = unescape(text_of(question, "title")) or f"Question {key}"
    ordered = _ordered(answers.items, asked.answer)
    markdown = writing.joined(
        writing.heading(1, title),
        _facts(question, host),
        _closed(question, host),
        _body(question, host, 1),
        _said(comments, key, host),
        *(_answer(each, asked, comments) for each in ordered),
    )
    return title, markdown


def _facts(question: Mapping[str, object], host: str) -> str:
    edited = number_of(question, "last_edit_date")
    tags = texts_of(question, "tags")
    return writing.facts(
        f"question on {writing.line(host)}",
        _signed(number_of(question, "score")),
        writing.told("by", writing.line(name_of(question))),
        writing.told("asked", writing.day(writing.iso(number_of(question, "creation_date")))),
        writing.told("edited", writing.day(writing.iso(edited))),
        writing.counted(number_of(question, "view_count"), "view"),
        writing.counted(number_of(question, "answer_count"), "answer"),
        writing.told("tags:", writing.listed(tags)),
    )


def _closed(question: Mapping[str, object], host: str) -> str:
    """That and why it takes no answers, with what it is a duplicate of where that is said."""
    closed = number_of(question, "closed_date")
    if closed is None:
        return ""
    reason = unescape(text_of(question, "closed_reason")) or "for a reason that is not given"
    as_what = f": {writing.line(reason)}" if reason else ""
    details = record(question.get("closed_details"))
    originals = [
        writing.link(
            unescape(text_of(each, "title")) or f"question {key}", f"https://{host}/questions/{key}"
        )
        for each in objects(details.get("original_questions"))
        if (key := key_of(each, "question_id"))
    ]
    page = f"https://{host}/questions/{key_of(question, 'question_id')}?noredirect=1"
    where = ", ".join(originals) or f"[its page]({page}) names what it is closed for"
    when = writing.told("Closed", writing.day(writing.iso(closed))) or "Closed"
    return f"**{when}{as_what}** ({where})"


def _ordered(answers: Sequence[Mapping[str, object]], asked: str) -> Sequence[Mapping[str, object]]:
    """The one that was asked for first, then the accepted one, then by score."""

    def place(answer: Mapping[str, object]) -> tuple[bool, bool, float]:
        return (
            key_of(answer, "answer_id") != asked,
            answer.get("is_accepted") is not True,
            -(number_of(answer, "score") or 0),
        )

    return sorted(answers, key=place)


def _answer(answer: Mapping[str, object], asked: Asked, comments: Items) -> str:
    key = key_of(answer, "answer_id")
    who = name_of(answer)
    is_accepted, is_asked = answer.get("is_accepted") is True, key == asked.answer
    about = writing.facts(
        "the answer that was asked for" if is_asked else "",
        "accepted" if is_accepted else "",
        _signed(number_of(answer, "score")),
        writing.day(writing.iso(number_of(answer, "creation_date"))),
        writing.link("link", f"https://{asked.host}/a/{key}") if key else "",
    )
    return writing.joined(
        writing.heading(2, f"Answer by {who}"),
        about,
        _body(answer, asked.host, 2),
        _said(comments, key, asked.host),
    )


def _said(comments: Items, post: str, host: str) -> str:
    """The comments on one post."""
    rows = []
    for each in comments.items:
        if key_of(each, "post_id") != post:
            continue
        score = number_of(each, "score") or 0
        text = " ".join(_body(each, host, 6).split())
        about = writing.facts(
            writing.line(name_of(each)),
            writing.day(writing.iso(number_of(each, "creation_date"))),
            _signed(score) if score else "",
        )
        rows.append(f"{text} ({about})")
    return writing.joined("Comments:", writing.bullets(rows)) if rows else ""


def _body(post: Mapping[str, object], host: str, below: int) -> str:
    return fragment.markdown(text_of(post, "body"), f"https://{host}/", below=below)


def name_of(post: Mapping[str, object]) -> str:
    """Who wrote a post."""
    return unescape(text_of(record(post.get("owner")), "display_name")) or "someone"


def _signed(score: float | None) -> str:
    return "" if score is None else f"score {score:.0f}"


def key_of(fields: Mapping[str, object], name: str) -> str:
    """The digits of an id; empty where there is none."""
    number = number_of(fields, name)
    return "" if number is None or number < 0 else f"{number:.0f}"
