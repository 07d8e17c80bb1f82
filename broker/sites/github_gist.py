"""Gists: a few files and what was said about them. One request, and one more for comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.providers.answers import number_of, record, text_of
from broker.sites import writing
from broker.sites.base import Piece, got
from broker.sites.files import as_document
from broker.sites.github_posts import author, read_posts, shown, warnings
from broker.sites.user_markdown import Bases, contained

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broker.sites.base import Conversation
    from broker.sites.github_api import Hub

_GISTS = "https://gist.github.com"


def read_gist(hub: Hub, identity: str, revision: str = "") -> Conversation:
    """A gist, as it was at a revision where one is named."""
    path = f"/gists/{identity}"
    answer = hub.record((yield from got(hub.api(f"{path}/{revision}" if revision else path))))
    posts = yield from read_posts(hub, f"{path}/comments", number_of(answer, "comments"))
    files = [record(each) for each in record(answer.get("files")).values()]
    names = [text_of(each, "filename") for each in files]
    title = text_of(answer, "description") or next(filter(None, names), "") or f"Gist {identity}"
    who = author(answer, "owner")
    created, updated = text_of(answer, "created_at"), text_of(answer, "updated_at")
    url = "/".join(filter(None, (_GISTS, "" if who == "ghost" else who, identity, revision)))
    cut = [name for name, each in zip(names, files, strict=True) if each.get("truncated") is True]
    return Piece(
        url=url,
        title=title,
        markdown=writing.joined(
            writing.heading(1, title),
            writing.facts(
                f"gist by {writing.line(who)}",
                writing.told("created", writing.day(created)),
                writing.told("changed", writing.day(updated)),
                writing.counted(len(files), "file"),
                writing.counted(number_of(answer, "comments"), "comment"),
            ),
            *(_file(each, url) for each in files),
            shown([posts]),
        ),
        byline=who,
        published=created or None,
        warnings=(
            *(f"only the beginning of {name} is here" for name in cut),
            *warnings([posts]),
        ),
    )


def _file(file: Mapping[str, object], url: str) -> str:
    name = text_of(file, "filename") or "file"
    made = as_document(text_of(file, "content"), name, Bases(links=f"{url}/"))
    title = writing.heading(1, made.title) if made.title else ""
    size = writing.size(number_of(file, "size"))
    text = contained(writing.joined(title, made.markdown), 2) or "(empty)"
    return writing.joined(writing.heading(2, name), size, text)
