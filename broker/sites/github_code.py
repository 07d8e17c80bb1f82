"""Files and directories of a GitHub repository.

A file costs one request for its raw form; where there is none of that name, two more to the
interface say how many parts of the path are the branch, and one brings the file. A directory costs
one to the interface, and one for the raw README if it has one; three more as above.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.errors import BrokerError, SiteFailed
from broker.providers.answers import number_of, text_of
from broker.sites import writing
from broker.sites.base import Piece, got, read, together
from broker.sites.files import as_document, body_of, is_binary
from broker.sites.github_api import RAW, Hub, Repo, decoded, encoded
from broker.sites.replies import NOT_FOUND
from broker.sites.user_markdown import Bases, contained

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from typing import Any

    from broker.sites.base import Conversation, Reply, Step

_README = re.compile(r"readme(?:\.(?:md|markdown|mdx|rst|txt|org|adoc))?", re.IGNORECASE)
_LINES = re.compile(r"L(\d{1,9})(?:C\d+)?(?:-L?(\d{1,9})(?:C\d+)?)?")
_FOLDERS = frozenset({"dir", "tree"})
_SUBMODULES = frozenset({"commit", "submodule"})
_MOST_ENTRIES = 1000
"""Of a directory that are listed."""


@dataclass(frozen=True, slots=True)
class Place:
    """A ref and a path, where nobody knows yet which is which: branches may have slashes."""

    repo: Repo
    segments: tuple[str, ...]
    """Percent-encoded."""
    ref_segments: int = 1
    """How many of them are taken for the ref."""

    @property
    def ref(self) -> str:
        """The ref."""
        return decoded(self.segments[: self.ref_segments])

    @property
    def path(self) -> str:
        """The path, empty for the top."""
        return decoded(self.segments[self.ref_segments :])

    def web(self, kind: str) -> str:
        """Its page: `kind` is blob or tree."""
        path = f"/{encoded(self.path)}" if self.path else ""
        return f"{self.repo.web}/{kind}/{encoded(self.ref)}{path}"


def bases(hub: Hub, repo: Repo, ref: str, folder: str) -> Bases:
    """What relative addresses mean in a file of `folder`."""
    links_root = f"{repo.web}/blob/{encoded(ref)}/"
    raw_root = f"{hub.raw_root}/{repo}/{encoded(ref)}/"
    inner = f"{encoded(folder)}/" if folder else ""
    return Bases(links_root + inner, raw_root + inner, links_root, raw_root)


def readme_among(names: Sequence[str]) -> str:
    """The file that says what its folder is for; empty where there is none."""
    found = [name for name in names if _README.fullmatch(name)]
    return min(
        found, key=lambda name: (not name.lower().endswith(("md", "markdown")), name), default=""
    )


def read_file(hub: Hub, place: Place, fragment: str) -> Conversation:
    """A file: Markdown as it is, code in a block, the lines of the fragment first."""
    place, reply = yield from _file(hub, place)
    repo, path = place.repo, place.path
    name = path.rpartition("/")[2]
    size = writing.size(len(reply.body))
    where = writing.facts(
        f"{writing.code(path)} in {writing.link(str(repo), repo.web)}",
        f"at {writing.code(place.ref)}",
        f"more than {size}" if reply.truncated else size,
    )
    warnings = (f"only the first {size} of the file are here",) if reply.truncated else ()
    lines = _LINES.fullmatch(fragment)
    anchor = f"#{fragment}" if lines else ""
    if is_binary(reply):
        raw = f"{hub.raw_root}/{repo}/{'/'.join(place.segments)}"
        return (yield from _binary(place, raw, where))
    document = as_document(
        body_of(reply), name, bases(hub, repo, place.ref, path.rpartition("/")[0])
    )
    excerpt = _excerpt(body_of(reply), lines, name) if lines else ""
    whole = (
        writing.section(2, "The whole file", document.markdown) if excerpt else document.markdown
    )
    title = document.title or name
    return Piece(
        url=place.web("blob") + anchor,
        title=title,
        markdown=writing.joined(writing.heading(1, title), where, excerpt, whole),
        warnings=warnings,
    )


def read_directory(hub: Hub, place: Place) -> Conversation:
    """A directory: what is in it with sizes, and its README."""
    reply = yield from got(hub.contents(place.repo, place.ref, place.path))
    if reply.status == NOT_FOUND:
        place = yield from _placed(hub, place)
        reply = yield from got(hub.contents(place.repo, place.ref, place.path))
    if isinstance(reply.json(), dict) and reply.status < NOT_FOUND:
        return (yield from read_file(hub, place, ""))
    entries = hub.records(reply)
    repo = place.repo
    title = f"{place.path or repo.name} ({repo} at {place.ref})"
    readme = readme_among([text_of(each, "name") for each in entries])
    text = yield from readme_text(hub, place, readme) if readme else _nothing()
    return Piece(
        url=place.web("tree"),
        title=title,
        markdown=writing.joined(
            writing.heading(1, title),
            writing.facts(
                f"directory of {writing.link(str(repo), repo.web)}",
                writing.counted(len(entries), "entry", "entries"),
            ),
            writing.section(2, "Files", listing(repo, place.ref, entries)),
            writing.section(2, readme, text),
        ),
    )


def readme_text(hub: Hub, place: Place, name: str) -> Generator[Step, Any, str]:
    """The README `name` of a directory, to stand below a heading of level 2; empty without one."""
    path = f"{place.path}/{name}" if place.path else name
    try:
        reply = yield from got(hub.file(place.repo, place.ref, path))
    except BrokerError:
        return ""
    if reply.status >= NOT_FOUND or is_binary(reply):
        return ""
    made = as_document(body_of(reply), name, bases(hub, place.repo, place.ref, place.path))
    return contained(
        writing.joined(writing.heading(1, made.title) if made.title else "", made.markdown), 2
    )


def listing(repo: Repo, ref: str, entries: Sequence[Mapping[str, object]]) -> str:
    """The entries of a directory: directories first, each with its address and size."""
    first = sorted(entries, key=lambda each: text_of(each, "type") not in _FOLDERS)
    rows = [_entry(repo, ref, each) for each in first]
    left = len(rows) - _MOST_ENTRIES
    more = [f"{left:,} more that are not listed"] if left > 0 else []
    return writing.bullets([*rows[:_MOST_ENTRIES], *more])


# --- parts of these ------------------------------------------------------------------------------


def _nothing() -> Generator[Step, Any, str]:
    return ""
    yield


def _file(hub: Hub, place: Place) -> Generator[Step, Any, tuple[Place, Reply]]:
    """The bytes of a file, and where it is.

    Raises:
        BrokerError: there is none.
    """
    if hub.token is None:
        reply = yield from got(hub.raw(place.repo, "/".join(place.segments)))
    else:
        reply = yield from got(hub.file(place.repo, place.ref, place.path))
    if reply.status == NOT_FOUND:
        place = yield from _placed(hub, place)
        reply = yield from got(hub.contents(place.repo, place.ref, place.path, RAW))
    return place, hub.accepted(reply)


def _placed(hub: Hub, place: Place) -> Generator[Step, Any, Place]:
    """The place with the longest ref that its segments begin with.

    Raises:
        BrokerError: there is none but the shortest, or nobody says.
    """
    first = encoded(decoded(place.segments[:1]))
    whole = decoded(place.segments)
    came = yield from together(
        *(
            hub.api(f"/repos/{place.repo}/git/matching-refs/{kind}/{first}")
            for kind in ("heads", "tags")
        )
    )
    best = 1
    for each in (item for answer in came for item in hub.records(answer)):
        name = text_of(each, "ref").removeprefix("refs/").partition("/")[2]
        if f"{whole}/".startswith(f"{name}/"):
            best = max(best, name.count("/") + 1)
    if best == 1:
        message = f"{place.repo} has no {whole}"
        raise SiteFailed("not_found", message)
    return Place(place.repo, place.segments, best)


def _binary(place: Place, raw: str, where: str) -> Conversation:
    """A file that is no text: as any file is read, else what is known of it."""
    name = place.path.rpartition("/")[2]
    try:
        text = yield from read(raw)
        title, body, warnings = text.title or name, contained(text.markdown, 1), text.warnings
    except BrokerError as error:
        title, body = name, f"[The file itself]({raw}) is no text."
        warnings = (error.message,)
    markdown = writing.joined(writing.heading(1, title), where, body)
    return Piece(url=place.web("blob"), title=title, markdown=markdown, warnings=warnings)


def _excerpt(text: str, lines: re.Match[str], name: str) -> str:
    first = int(lines[1])
    last = int(lines[2] or first)
    first, last = min(first, last), max(first, last)
    shown = text.splitlines()[max(first, 1) - 1 : last]
    said = f"Line {first}" if first == last else f"Lines {first} to {last}"
    body = writing.fenced("\n".join(shown), writing.language_of(name))
    return writing.section(2, said, body or "There is nothing in these lines.")


def _entry(repo: Repo, ref: str, entry: Mapping[str, object]) -> str:
    path, what = text_of(entry, "path", "name"), text_of(entry, "type")
    kind = "tree" if what in _FOLDERS | _SUBMODULES else "blob"
    name = path.rpartition("/")[2] + ("/" if kind == "tree" else "")
    size = writing.size(number_of(entry, "size")) if kind == "blob" else ""
    size = "submodule" if what in _SUBMODULES else size
    return (
        f"{writing.link(name, f'{repo.web}/{kind}/{encoded(ref)}/{encoded(path)}')} {size}".rstrip()
    )
