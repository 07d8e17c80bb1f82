"""What people and bots write on GitHub: descriptions, comments, reviews, as parts of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.errors import BrokerError
from broker.providers.answers import number_of, record, text_of
from broker.sites import writing
from broker.sites.base import together
from broker.sites.github_api import PER_PAGE, WEB
from broker.sites.user_markdown import Bases, contained

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping
    from typing import Any

    from broker.sites.base import Step
    from broker.sites.github_api import Hub

_MOST_PAGES = 3
"""Of one list of comments that are asked for."""
_HUNK_LINES = 6
"""Lines of code shown above a comment on them."""
_MEMBERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR"})
_REVIEWS = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "asked for changes",
    "COMMENTED": "reviewed",
    "DISMISSED": "review dismissed",
}
_BASES = Bases(links_root=f"{WEB}/", pictures_root=f"{WEB}/")


@dataclass(frozen=True, slots=True)
class Post:
    """One comment."""

    key: int
    """Its id among its kind."""
    when: str
    """ISO 8601."""
    markdown: str
    """With a heading of level 3."""


@dataclass(frozen=True, slots=True)
class Posts:
    """Comments, and what is missing of them."""

    posts: tuple[Post, ...]
    left: int = 0
    """How many there are beside these."""
    why: str = ""
    """Why there are none, where a request failed."""


def author(fields: Mapping[str, object], name: str = "user") -> str:
    """Who wrote something; GitHub calls those who have left "ghost"."""
    return text_of(record(fields.get(name)), "login") or "ghost"


def body(fields: Mapping[str, object], below: int) -> str:
    """What somebody wrote."""
    return contained(text_of(fields, "body"), below, _BASES)


def post(fields: Mapping[str, object]) -> Post | None:
    """A comment, a review or a comment on code; None for a review that says nothing."""
    state = text_of(fields, "state").upper()
    text = body(fields, 3)
    if state == "PENDING" or (state == "COMMENTED" and not text):
        return None  # its comments on code are listed by themselves
    when = text_of(fields, "created_at", "submitted_at")
    who = author(fields)
    standing = text_of(fields, "author_association")
    path = text_of(fields, "path")
    row = number_of(fields, "line") or number_of(fields, "original_line")
    reactions = number_of(record(fields.get("reactions")), "total_count")
    about = writing.facts(
        _REVIEWS.get(state, ""),
        standing.lower() if standing in _MEMBERS else "",
        f"on {writing.code(path)}" + (f" line {row:.0f}" if row else "") if path else "",
        "in answer to another" if number_of(fields, "in_reply_to_id") else "",
        writing.counted(reactions, "reaction") if reactions else "",
    )
    hunk = "" if number_of(fields, "in_reply_to_id") else _hunk(text_of(fields, "diff_hunk"))
    title = f"{who}, {writing.minute(when)}" if when else who
    markdown = writing.joined(writing.heading(3, title), about, hunk, text)
    return Post(int(number_of(fields, "id") or 0), when, markdown)


def read_posts(
    hub: Hub, path: str, count: float | None, skip: int = 0
) -> Generator[Step, Any, Posts]:
    """The comments at `path` of which there are `count`; if many, the first and the last ones.

    One request for each hundred, three at most. The first `skip` pages are there already.
    """
    pages = -(-int(count or 0) // PER_PAGE)
    wanted = (1, 2, pages) if pages > _MOST_PAGES else tuple(range(1, pages + 1))
    wanted = wanted[skip:]
    if not wanted:
        return Posts(())
    came = yield from together(*(hub.api(path, per_page=PER_PAGE, page=page) for page in wanted))
    found: list[Post] = []
    seen, why = skip * PER_PAGE, ""
    for answer in came:
        try:
            items = hub.records(answer)
        except BrokerError as error:
            why = error.message
            continue
        seen += len(items)
        found += [each for item in items if (each := post(item)) is not None]
    return Posts(tuple(found), max(0, int(count or 0) - seen), why)


def shown(kinds: Iterable[Posts], title: str = "Comments") -> str:
    """Comments of several kinds in the order of time, below a heading of level 2."""
    kinds = tuple(kinds)
    posts = sorted((each for kind in kinds for each in kind.posts), key=lambda each: each.when)
    left = sum(kind.left for kind in kinds)
    more = f"Not shown here: {writing.counted(left, 'more comment')}."
    parts = [each.markdown for each in posts]
    return writing.section(2, title, writing.joined(*parts, more if left else ""))


def warnings(kinds: Iterable[Posts]) -> tuple[str, ...]:
    """What is to be said about comments that are missing."""
    kinds = tuple(kinds)
    left = sum(kind.left for kind in kinds)
    reasons = dict.fromkeys(kind.why for kind in kinds if kind.why)
    said = [f"comments are missing: {why}" for why in reasons]
    if left and not said:
        said.append(f"{left:,} of the comments are left out, between the first and the last ones")
    return tuple(said)


def _hunk(hunk: str) -> str:
    return writing.fenced("\n".join(hunk.split("\n")[-_HUNK_LINES:]), "diff")
