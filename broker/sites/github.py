"""GitHub: which page of it an address is, and who reads that.

Repositories, files, directories, issues, pull requests, lists of those, releases, commits and
gists are read by the interface and raw files; discussions, wikis, comparisons, people and
everything else as any page. Each reader says how many requests it costs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote

from broker.sites.base import is_plain
from broker.sites.github_api import Hub, Repo
from broker.sites.github_code import Place, read_directory, read_file
from broker.sites.github_commit import read_commit
from broker.sites.github_gist import read_gist
from broker.sites.github_lists import read_list, read_release, read_releases
from broker.sites.github_repo import read_repository
from broker.sites.github_talk import read_issue, read_pull

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.sites.base import Conversation, Visit

_NO_OWNERS = frozenset(
    {
        "about", "account", "apps", "codespaces", "collections", "contact", "copilot",
        "customer-stories", "dashboard", "enterprise", "events", "explore", "features", "gist",
        "issues", "join", "login", "logout", "marketplace", "mobile", "new", "notifications",
        "organizations", "orgs", "pricing", "pulls", "readme", "search", "security", "sessions",
        "settings", "signup", "site", "solutions", "sponsors", "stars", "team", "topics",
        "trending", "users", "watching",
    }
)  # fmt: skip
"""First parts of paths that name no owner of repositories."""
_OWNER = re.compile(r"[A-Za-z0-9][\w-]{0,99}", re.ASCII)
_NAME = re.compile(r"[\w.-]{1,100}", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_SHA = re.compile(r"[0-9a-f]{7,64}")
_GIST = re.compile(r"[0-9a-f]{5,64}")
_LISTED = frozenset({"q", "page"})
_VIEWS = frozenset({"files", "changes", "commits", "checks"})
"""Parts of a pull request's page."""


def converse(visit: Visit) -> Conversation | None:
    """How to read a page of GitHub; None where it is read as any page is."""
    hub = Hub(visit.settings.sites, visit.now)
    segments = visit.parts.path.strip("/").split("/")
    if visit.parts.hostname == "gist.github.com":
        return _gist(hub, segments)
    repo = _repo(segments)
    if repo is None:
        return None
    rest = segments[2:]
    if not rest:
        return read_repository(hub, repo)
    for reader in (_code, _talk, _list):
        talk = reader(hub, repo, rest, visit)
        if talk is not None:
            return talk
    return None


def _repo(segments: Sequence[str]) -> Repo | None:
    """The repository that a path is in; None where it is in none, or leads elsewhere."""
    if len(segments) < 2 or segments[0].lower() in _NO_OWNERS:  # noqa: PLR2004 - owner, name
        return None
    owner, name = segments[0], segments[1].removesuffix(".git")
    fits = _OWNER.fullmatch(owner) and _NAME.fullmatch(name)
    return Repo(owner, name) if fits and is_plain("/".join((name, *segments))) else None


def _gist(hub: Hub, segments: Sequence[str]) -> Conversation | None:
    match segments:
        case [identity] | [_, identity] if _GIST.fullmatch(identity):
            return read_gist(hub, identity)
        case [_, identity, revision] if _GIST.fullmatch(identity) and _SHA.fullmatch(revision):
            return read_gist(hub, identity, revision)
    return None


def _code(hub: Hub, repo: Repo, rest: Sequence[str], visit: Visit) -> Conversation | None:
    match rest:
        case ["blob", _, _, *_]:
            return read_file(hub, Place(repo, tuple(rest[1:])), visit.parts.fragment)
        case ["tree", _, *_]:
            return read_directory(hub, Place(repo, tuple(rest[1:])))
        case ["commit", sha] | ["pull", _, "commits", sha] if _SHA.fullmatch(sha):
            return read_commit(hub, repo, sha)
    return None


def _talk(hub: Hub, repo: Repo, rest: Sequence[str], visit: Visit) -> Conversation | None:
    match rest:
        case ["issues", number] if _NUMBER.fullmatch(number):
            return read_issue(hub, repo, int(number), visit.parts.fragment)
        case ["pull", number] if _NUMBER.fullmatch(number):
            return read_pull(hub, repo, int(number), visit.parts.fragment)
        case ["pull", number, view] if _NUMBER.fullmatch(number) and view in _VIEWS:
            return read_pull(hub, repo, int(number), visit.parts.fragment)
    return None


def _list(hub: Hub, repo: Repo, rest: Sequence[str], visit: Visit) -> Conversation | None:
    match rest:
        case ["issues" | "pulls" as kind]:
            asked = parse_qs(visit.parts.query)
            if not asked.keys() <= _LISTED:
                return None
            words = " ".join(asked.get("q", []))
            return read_list(hub, repo, kind, words, asked.get("page", ["1"])[0])
        case ["releases"]:
            return read_releases(hub, repo)
        case ["releases", "latest"]:
            return read_release(hub, repo, "")
        case ["releases", "tag", *tag] if tag:
            return read_release(hub, repo, unquote("/".join(tag)))
    return None
