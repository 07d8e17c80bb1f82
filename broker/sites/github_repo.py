"""The front of a GitHub repository: what it is, its README, what is in it.

Two requests to the interface at once with one for the raw README, which most call README.md; one
more raw request where it is called otherwise. With a token, the latest release is asked for too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.errors import BrokerError
from broker.providers.answers import address_of, number_of, record, text_of, texts_of
from broker.sites import writing
from broker.sites.base import Piece, Reply, together
from broker.sites.files import as_document, body_of
from broker.sites.github_api import Repo, encoded
from broker.sites.github_code import Place, bases, listing, readme_among, readme_text
from broker.sites.replies import OK, objects
from broker.sites.user_markdown import contained

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from typing import Any

    from broker.sites.base import Conversation, Step, Text
    from broker.sites.github_api import Hub

_USUAL = "README.md"


def read_repository(hub: Hub, repo: Repo) -> Conversation:
    """A repository."""
    steps = [
        hub.api(f"/repos/{repo}"),
        hub.api(f"/repos/{repo}/git/trees/HEAD"),
        hub.file(repo, "HEAD", _USUAL),
    ]
    if hub.token is not None:
        steps.append(hub.api(f"/repos/{repo}/releases/latest"))
    about, tree, readme, *release = yield from together(*steps)
    answer = hub.record(about)
    owner, _, name = text_of(answer, "full_name").partition("/")
    repo = Repo(owner, name) if name else repo  # it may have been renamed
    branch = text_of(answer, "default_branch") or "HEAD"
    place = Place(repo, tuple(encoded(branch).split("/")), branch.count("/") + 1)
    entries, missing = _entries(hub, tree)
    text = yield from _readme(hub, place, readme, entries)
    title = str(repo)
    return Piece(
        url=repo.web,
        title=title,
        markdown=writing.joined(
            writing.heading(1, title),
            writing.line(text_of(answer, "description")),
            *_facts(answer),
            _latest(hub, release),
            writing.section(2, "README", text),
            writing.section(2, "Files", listing(repo, branch, entries)),
        ),
        byline=owner or None,
        published=text_of(answer, "created_at") or None,
        warnings=missing,
    )


def _entries(
    hub: Hub, came: Reply | Text | BrokerError
) -> tuple[Sequence[Mapping[str, object]], tuple[str, ...]]:
    """What is at the top, and a warning where nobody says."""
    if isinstance(came, Reply) and came.status == 409:  # noqa: PLR2004 - it is empty
        return (), ()
    try:
        return objects(hub.record(came).get("tree")), ()
    except BrokerError as error:
        return (), (f"the list of files is missing: {error.message}",)


def _readme(
    hub: Hub,
    place: Place,
    came: Reply | Text | BrokerError,
    entries: Sequence[Mapping[str, object]],
) -> Generator[Step, Any, str]:
    """The README, below a heading of level 2; empty where there is none."""
    if isinstance(came, Reply) and came.status == OK:
        made = as_document(body_of(came), _USUAL, bases(hub, place.repo, place.ref, ""))
        title = writing.heading(1, made.title) if made.title else ""
        return contained(writing.joined(title, made.markdown), 2)
    name = readme_among([text_of(each, "path") for each in entries])
    if not name:
        return ""
    text = yield from readme_text(hub, place, name)
    return text


def _facts(answer: Mapping[str, object]) -> tuple[str, str, str]:
    def count(name: str, thing: str) -> str:
        return writing.counted(number_of(answer, name), thing)

    licence = record(answer.get("license"))
    said = text_of(licence, "spdx_id")
    licence_name = text_of(licence, "name") if said in {"", "NOASSERTION"} else said
    origin = text_of(record(answer.get("parent")), "full_name")
    states = ("archived", "disabled", "private", "is_template", "fork")
    state = [name.removeprefix("is_") for name in states if answer.get(name) is True]
    branch = text_of(answer, "default_branch")
    page = address_of(answer, "homepage")
    return (
        writing.facts(
            count("stargazers_count", "star"),
            count("forks_count", "fork"),
            writing.line(text_of(answer, "language")),
            licence_name and f"licence {writing.line(licence_name)}",
            branch and f"default branch {writing.code(branch)}",
            writing.counted(
                number_of(answer, "open_issues_count"),
                "open issue or pull request",
                "open issues and pull requests",
            ),
        ),
        writing.facts(
            writing.told("created", writing.day(text_of(answer, "created_at"))),
            writing.told("last push", writing.day(text_of(answer, "pushed_at"))),
            page and f"home {writing.link(page, page)}",
            ", ".join(state),
            origin and f"forked from {writing.link(origin, f'https://github.com/{origin}')}",
        ),
        writing.told("topics:", writing.listed(texts_of(answer, "topics"))),
    )


def _latest(hub: Hub, came: Sequence[Reply | Text | BrokerError]) -> str:
    try:
        answer = hub.record(came[0])
    except (BrokerError, IndexError):
        return ""  # most have none
    tag, page = text_of(answer, "tag_name"), address_of(answer, "html_url")
    when = writing.day(text_of(answer, "published_at"))
    return writing.facts(f"latest release {writing.link(tag, page)}", when) if tag else ""
