"""Issues and pull requests of GitHub, with what was said about them.

All requests go to the interface. An issue costs two at once, and one for each further hundred of
comments, two at most. A pull request costs one, then one for files and one for reviews, and one for
each hundred of comments of both kinds where there are any, three at most of each. A permalink of a
comment costs one more where the comment is not among those.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.errors import BrokerError
from broker.providers.answers import number_of, record, text_of
from broker.sites import writing
from broker.sites.base import Piece, got, together
from broker.sites.github_api import PER_PAGE
from broker.sites.github_commit import changed, changed_file
from broker.sites.github_posts import Posts, author, body, post, read_posts, shown, warnings
from broker.sites.replies import objects

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping
    from typing import Any

    from broker.sites.base import Conversation, Reply, Step, Text
    from broker.sites.github_api import Hub, Repo

_PERMALINK = re.compile(r"(issuecomment-|discussion_r)(\d{1,18})")
_COMMENTS = {"issuecomment-": "issues", "discussion_r": "pulls"}


def read_issue(hub: Hub, repo: Repo, number: int, fragment: str) -> Conversation:
    """An issue with its comments."""
    path = f"/repos/{repo}/issues/{number}"
    about, first = yield from together(
        hub.api(path), hub.api(f"{path}/comments", per_page=PER_PAGE)
    )
    issue = hub.record(about)
    if "pull_request" in issue:
        return (yield from read_pull(hub, repo, number, fragment))
    posts = yield from _all_posts(hub, f"{path}/comments", number_of(issue, "comments"), first)
    asked = yield from _asked(hub, repo, fragment, posts.posts)
    title = text_of(issue, "title") or f"Issue {number}"
    reason = text_of(issue, "state_reason").replace("_", " ")
    state = text_of(issue, "state")
    if state == "closed" and reason:
        state = f"closed as {reason}"
    return Piece(
        url=f"{repo.web}/issues/{number}",
        title=title,
        markdown=writing.joined(
            writing.heading(1, title),
            writing.facts(
                f"issue {number} of {writing.link(str(repo), repo.web)}",
                writing.line(state),
                *_common(issue),
            ),
            body(issue, 1) or "(no description)",
            asked,
            shown([posts]),
        ),
        byline=author(issue),
        published=text_of(issue, "created_at") or None,
        warnings=warnings([posts]),
    )


def read_pull(hub: Hub, repo: Repo, number: int, fragment: str) -> Conversation:
    """A pull request: what it is, the files it changes, reviews and comments."""
    path = f"/repos/{repo}/pulls/{number}"
    pull = hub.record((yield from got(hub.api(path))))
    files, reviews = yield from together(
        hub.api(f"{path}/files", per_page=PER_PAGE), hub.api(f"{path}/reviews", per_page=PER_PAGE)
    )
    count, on_code = number_of(pull, "comments"), number_of(pull, "review_comments")
    kinds = [
        _posts(hub, reviews),
        (yield from read_posts(hub, f"/repos/{repo}/issues/{number}/comments", count)),
        (yield from read_posts(hub, f"{path}/comments", on_code)),
    ]
    asked = yield from _asked(hub, repo, fragment, [each for kind in kinds for each in kind.posts])
    changes, missing = _changes(hub, pull, files)
    title = text_of(pull, "title") or f"Pull request {number}"
    return Piece(
        url=f"{repo.web}/pull/{number}",
        title=title,
        markdown=writing.joined(
            writing.heading(1, title),
            writing.facts(
                f"pull request {number} of {writing.link(str(repo), repo.web)}",
                _state(pull),
                *_common(pull),
            ),
            writing.facts(
                f"{writing.code(_branch(pull, 'head'))} into {writing.code(_branch(pull, 'base'))}",
                writing.counted(number_of(pull, "commits"), "commit"),
                changed(pull, number_of(pull, "changed_files")),
            ),
            body(pull, 1) or "(no description)",
            asked,
            writing.section(2, "Changed files", changes),
            shown(kinds, "Comments and reviews"),
        ),
        byline=author(pull),
        published=text_of(pull, "created_at") or None,
        warnings=(*missing, *warnings(kinds)),
    )


# --- parts of these ------------------------------------------------------------------------------


def _common(item: Mapping[str, object]) -> Iterable[str]:
    """What issues and pull requests have in common, a fact each."""
    labels = [text_of(each, "name") for each in objects(item.get("labels"))]
    assigned = [text_of(each, "login") for each in objects(item.get("assignees"))]
    milestone = text_of(record(item.get("milestone")), "title")
    closed, merged = text_of(item, "closed_at"), text_of(item, "merged_at")
    opened = writing.told(" on", writing.day(text_of(item, "created_at")))
    return (
        f"opened by {writing.line(author(item))}{opened}",
        writing.told("merged" if merged else "closed", writing.day(merged or closed)),
        writing.told("labels:", writing.listed(labels)),
        writing.told("assigned to", writing.listed(assigned)),
        writing.told("milestone", writing.line(milestone)),
        writing.counted(number_of(item, "comments"), "comment"),
        "locked" if item.get("locked") is True else "",
    )


def _state(pull: Mapping[str, object]) -> str:
    if pull.get("merged") is True or text_of(pull, "merged_at"):
        return "merged"
    draft = "draft, " if pull.get("draft") is True else ""
    return f"{draft}{writing.line(text_of(pull, 'state'))}"


def _branch(pull: Mapping[str, object], side: str) -> str:
    return text_of(record(pull.get(side)), "label", "ref") or "unknown"


def _changes(
    hub: Hub, pull: Mapping[str, object], came: Reply | Text | BrokerError
) -> tuple[str, tuple[str, ...]]:
    """The list of files that are changed, and a warning where it is missing."""
    try:
        files = hub.records(came)
    except BrokerError as error:
        return "", (f"the list of changed files is missing: {error.message}",)
    left = int(number_of(pull, "changed_files") or 0) - len(files)
    more = [f"{writing.counted(left, 'file')} more that are not listed here"] if left > 0 else []
    return writing.bullets([*map(changed_file, files), *more]), ()


def _posts(hub: Hub, came: Reply | Text | BrokerError) -> Posts:
    """A list that nobody has counted before."""
    try:
        items = hub.records(came)
    except BrokerError as error:
        return Posts((), why=error.message)
    return Posts(tuple(each for item in items if (each := post(item)) is not None))


def _all_posts(
    hub: Hub, path: str, count: float | None, first: Reply | Text | BrokerError
) -> Generator[Step, Any, Posts]:
    """Comments whose first page has come."""
    begun = _posts(hub, first)
    total = int(count or 0)
    if begun.why or total <= PER_PAGE:
        return begun
    rest = yield from read_posts(hub, path, total, skip=1)
    return Posts((*begun.posts, *rest.posts), rest.left, rest.why)


def _asked(hub: Hub, repo: Repo, fragment: str, posts: Iterable[Any]) -> Generator[Step, Any, str]:
    """The comment that the address names; empty where it names none."""
    found = _PERMALINK.fullmatch(fragment)
    if found is None:
        return ""
    key = int(found[2])
    asked = next((each for each in posts if each.key == key), None)
    if asked is None:
        try:
            path = f"/repos/{repo}/{_COMMENTS[found[1]]}/comments/{key}"
            asked = post(hub.record((yield from got(hub.api(path)))))
        except BrokerError:
            return ""
    return writing.section(2, "The comment that was asked for", asked.markdown if asked else "")
