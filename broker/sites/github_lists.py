"""Releases, and lists of issues and pull requests. One request each.

Lists are asked of GitHub's search, as its own pages do: it takes the same words, and its limit of
ten a minute is counted by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from broker.providers.answers import address_of, number_of, record, text_of
from broker.sites import writing
from broker.sites.base import Piece, got
from broker.sites.github_api import encoded
from broker.sites.github_posts import author, body
from broker.sites.replies import objects

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broker.sites.base import Conversation
    from broker.sites.github_api import Hub, Repo

_RELEASES = 30
_ITEMS = 50
_KINDS = {"issues": ("is:issue", "issue"), "pulls": ("is:pr", "pull request")}
_LAST_PAGE = 20
"""Search gives the first thousand."""


def read_releases(hub: Hub, repo: Repo) -> Conversation:
    """The newest releases with their notes."""
    path = f"/repos/{repo}/releases"
    releases = hub.records((yield from got(hub.api(path, per_page=_RELEASES))))
    title = f"Releases of {repo}"
    full = f"only the newest {_RELEASES} releases are here"
    newest = next((text_of(each, "published_at") for each in releases), "")
    return Piece(
        url=f"{repo.web}/releases",
        title=title,
        markdown=writing.joined(
            writing.heading(1, title),
            writing.facts(writing.counted(len(releases), "release") + " here"),
            *(
                writing.joined(writing.heading(2, _name(each)), *_release(each, 2))
                for each in releases
            ),
        ),
        published=newest or None,
        warnings=(full,) if len(releases) == _RELEASES else (),
    )


def read_release(hub: Hub, repo: Repo, tag: str) -> Conversation:
    """One release; the latest one without a tag."""
    path = f"tags/{encoded(tag)}" if tag else "latest"
    release = hub.record((yield from got(hub.api(f"/repos/{repo}/releases/{path}"))))
    title = f"{repo} {_name(release)}"
    tag = text_of(release, "tag_name") or tag
    return Piece(
        url=f"{repo.web}/releases/tag/{encoded(tag)}",
        title=title,
        markdown=writing.joined(writing.heading(1, title), *_release(release, 1)),
        byline=author(release, "author"),
        published=text_of(release, "published_at") or None,
    )


def read_list(hub: Hub, repo: Repo, kind: str, words: str, page: str) -> Conversation:
    """A page of a list, by the words that stand in its search field."""
    sign, thing = _KINDS[kind]
    asked = words or f"{sign} is:open"
    number = min(max(int(page), 1), _LAST_PAGE) if page.isdecimal() and len(page) < 9 else 1  # noqa: PLR2004 - digits
    query = asked if sign in asked.split() else f"{sign} {asked}"
    request = hub.api("/search/issues", q=f"repo:{repo} {query}", per_page=_ITEMS, page=number)
    answer = hub.record((yield from got(request)))
    items = objects(answer.get("items"))
    total = number_of(answer, "total_count")
    title = f"{'Issues' if kind == 'issues' else 'Pull requests'} of {repo}"
    left = int(total or 0) - len(items) - (number - 1) * _ITEMS
    parameters = urlencode({"q": asked, "page": number}, quote_via=quote)
    return Piece(
        url=f"{repo.web}/{kind}?{parameters}" if words or number > 1 else f"{repo.web}/{kind}",
        title=title,
        markdown=writing.joined(
            writing.heading(1, title),
            writing.facts(
                writing.counted(total, thing),
                f"search {writing.code(asked)}",
                f"page {number}" if number > 1 else "",
            ),
            writing.bullets(map(_item, items)) or "Nothing was found.",
        ),
        warnings=(f"{left:,} more are on the pages that follow",) if left > 0 else (),
    )


def _name(release: Mapping[str, object]) -> str:
    return text_of(release, "name", "tag_name") or "Release"


def _release(release: Mapping[str, object], level: int) -> tuple[str, str, str]:
    """Facts, notes and files of a release that stands below a heading of `level`."""
    tag, page = text_of(release, "tag_name"), address_of(release, "html_url")
    files = objects(release.get("assets"))
    rows = [
        writing.facts(
            writing.link(text_of(each, "name"), address_of(each, "browser_download_url")),
            writing.size(number_of(each, "size")),
            writing.counted(number_of(each, "download_count"), "download"),
        )
        for each in files
    ]
    return (
        writing.facts(
            f"tag {writing.link(tag, page)}" if tag else "",
            f"by {writing.line(author(release, 'author'))}",
            writing.minute(text_of(release, "published_at", "created_at")),
            "pre-release" if release.get("prerelease") is True else "",
            "draft" if release.get("draft") is True else "",
        ),
        body(release, level) or "(no notes)",
        writing.section(level + 1, "Files", writing.bullets(rows)),
    )


def _item(item: Mapping[str, object]) -> str:
    number = number_of(item, "number")
    labels = [text_of(each, "name") for each in objects(item.get("labels"))]
    merged = text_of(record(item.get("pull_request")), "merged_at")
    shown = f"#{number:.0f} {text_of(item, 'title')}" if number else text_of(item, "title")
    return writing.facts(
        writing.link(shown, address_of(item, "html_url")),
        "merged" if merged else writing.line(text_of(item, "state")),
        f"by {writing.line(author(item))}",
        writing.day(text_of(item, "created_at")),
        writing.counted(number_of(item, "comments"), "comment"),
        writing.listed(labels),
    )
