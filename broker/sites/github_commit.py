"""Commits of GitHub, and what a change changes. A commit costs one request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.providers.answers import number_of, record, text_of
from broker.sites import writing
from broker.sites.base import Piece, got
from broker.sites.replies import objects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broker.sites.base import Conversation
    from broker.sites.github_api import Hub, Repo

_PATCH_CHARS = 20_000
"""Of one file's changes that are shown."""
_PATCHES_CHARS = 100_000
"""The same of a commit's."""


def read_commit(hub: Hub, repo: Repo, sha: str) -> Conversation:
    """A commit: its message, the files it changes, and how, as far as that is bearable."""
    answer = hub.record((yield from got(hub.api(f"/repos/{repo}/commits/{sha}"))))
    commit, stats = record(answer.get("commit")), record(answer.get("stats"))
    author = record(commit.get("author"))
    sha = text_of(answer, "sha") or sha
    title, _, message = text_of(commit, "message").partition("\n")
    title = title.strip() or sha
    login = text_of(record(answer.get("author")), "login")
    name = text_of(author, "name")
    by = writing.line(f"{name} ({login})" if name and login else name or login)
    files = objects(answer.get("files"))
    parents = [text_of(each, "sha")[:10] for each in objects(answer.get("parents"))]
    return Piece(
        url=f"{repo.web}/commit/{sha}",
        title=title,
        markdown=writing.joined(
            writing.heading(1, title),
            writing.facts(
                f"commit {writing.code(sha)} of {writing.link(str(repo), repo.web)}",
                by and f"by {by}",
                writing.minute(text_of(author, "date")),
                changed(stats, len(files)),
                f"parent {', '.join(map(writing.code, parents))}" if parents else "",
            ),
            writing.fenced(message),
            writing.section(2, "Files", writing.bullets(map(changed_file, files))),
            writing.section(2, "Changes", _patches(files)),
        ),
        byline=name or login or None,
        published=text_of(author, "date") or None,
    )


def changed(counts: Mapping[str, object], files: float | None) -> str:
    """How much a change changes."""
    added, deleted = number_of(counts, "additions"), number_of(counts, "deletions")
    lines = f" +{added:.0f} −{deleted:.0f}" if added is not None and deleted is not None else ""  # noqa: RUF001
    return (
        f"{writing.counted(files, 'file')} changed{lines}" if files is not None else lines.strip()
    )


def changed_file(file: Mapping[str, object]) -> str:
    """A file that a change touches, on one line."""
    status, before = text_of(file, "status"), text_of(file, "previous_filename")
    how = "" if status in {"", "modified", "changed"} else f" ({writing.line(status)})"
    if before:
        how = f" (renamed from {writing.code(before)})"
    return f"{writing.code(text_of(file, 'filename') or '?')} {changed(file, None)}{how}"


def _patches(files: Sequence[Mapping[str, object]]) -> str:
    parts: list[str] = []
    room = _PATCHES_CHARS
    for file in files:
        patch = text_of(file, "patch")
        if not patch:
            continue
        if room <= 0:
            parts.append("The changes of the other files are left out.")
            break
        shown = patch[: min(_PATCH_CHARS, room)]
        room -= len(shown)
        cut = (
            f"{len(patch) - len(shown):,} more characters of it are left out."
            if len(shown) < len(patch)
            else ""
        )
        name = text_of(file, "filename")
        parts.append(writing.joined(writing.heading(3, name), writing.fenced(shown, "diff"), cut))
    return writing.joined(*parts)
