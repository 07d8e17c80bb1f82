"""A package as a document: what registries say of one, in the same order for all of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from broker.sites import writing
from broker.sites.base import Piece, is_plain
from broker.sites.user_markdown import Bases

if TYPE_CHECKING:
    from collections.abc import Sequence

_VERSIONS = 20
"""Of the newest ones that are listed."""
_LISTED = 200
"""Most dependencies that are listed."""
_GITHUB = re.compile(
    r"(?:git\+)?(?:https?|ssh|git)://(?:[^@/]+@)?(?:www\.)?github\.com[/:]"
    r"([\w.-]+)/([\w.-]+?)(?:\.git)?(?:[/#].*)?\Z|github:([\w.-]+)/([\w.-]+)\Z"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One that was published."""

    name: str
    published: str = ""
    """ISO 8601."""
    note: str = ""
    """Such as "yanked: broken wheels"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """What a registry says of a package; texts are plain, the README is Markdown."""

    registry: str
    name: str
    version: str
    url: str
    summary: str = ""
    published: str = ""
    """When this version was, ISO 8601."""
    facts: tuple[str, ...] = ()
    """Further ones, such as "requires Python >=3.11"."""
    notes: tuple[str, ...] = ()
    """What a user must know first: deprecated, yanked, vulnerable."""
    people: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    """(what it is, address)"""
    keywords: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    readme: str = ""
    """Its headings below level 2."""
    versions: Sequence[Version] = ()
    """All, newest first."""
    warnings: tuple[str, ...] = ()

    def piece(self) -> Piece:
        """The document."""
        title = f"{self.name} {self.version}".rstrip()
        links = [(what, url) for what, url in dict.fromkeys(self.links) if url]
        return Piece(
            url=self.url,
            title=title,
            markdown=writing.joined(
                writing.heading(1, title),
                writing.line(self.summary),
                writing.facts(
                    f"package on {self.registry}",
                    writing.told("published", writing.day(self.published)),
                    *map(writing.line, self.facts),
                ),
                *(f"**{writing.line(note)}**" for note in self.notes),
                writing.told("By", writing.listed(self.people)),
                writing.told("Keywords:", writing.listed(self.keywords)),
                writing.section(2, "Links", writing.bullets(writing.link(*each) for each in links)),
                writing.section(2, "Dependencies", self._dependencies()),
                writing.section(2, "README", self.readme),
                writing.section(2, "Versions", self._versions()),
            ),
            byline=", ".join(self.people) or None,
            published=self.published or None,
            warnings=self.warnings,
        )

    def _dependencies(self) -> str:
        left = len(self.dependencies) - _LISTED
        more = [f"{left:,} more that are not listed"] if left > 0 else []
        return writing.bullets([*map(writing.code, self.dependencies[:_LISTED]), *more])

    def _versions(self) -> str:
        shown = [
            writing.facts(
                writing.code(each.name), writing.day(each.published), writing.line(each.note)
            )
            for each in self.versions[:_VERSIONS]
        ]
        left = len(self.versions) - len(shown)
        more = [f"{writing.counted(left, 'older version')}"] if left > 0 else []
        return writing.bullets([*shown, *more])


def people_of(*names: str) -> tuple[str, ...]:
    """Names without repetition, empty ones left out."""
    return tuple(dict.fromkeys(name for each in names if (name := each.strip())))


def repository_of(urls: Sequence[str]) -> tuple[str, str] | None:
    """Owner and name of the first of `urls` that is a repository at GitHub."""
    for url in urls:
        if found := _GITHUB.match(url.strip()):
            owner, name = found[1] or found[3], found[2] or found[4]
            if is_plain(f"{owner}/{name}"):
                return owner, name
    return None


def repository_bases(urls: Sequence[str], raw_root: str, folder: str = "") -> Bases | None:
    """What relative addresses in a package's README mean: files of its repository, if known."""
    found = repository_of(urls)
    if found is None:
        return None
    name = f"{found[0]}/{found[1]}"
    links, raw = f"https://github.com/{name}/blob/HEAD/", f"{raw_root.rstrip('/')}/{name}/HEAD/"
    inner = f"{folder.strip('/')}/" if folder.strip("/") else ""
    return Bases(links + inner, raw + inner, links, raw)


def web(url: str) -> str:
    """An address of a repository as one that can be opened; empty for what is none."""
    url = url.strip()
    found = repository_of([url])
    if found is not None and (url.endswith(".git") or not url.startswith("http")):
        return f"https://github.com/{found[0]}/{found[1]}"
    url = re.sub(r"\Agit://", "https://", url.removeprefix("git+"))
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in {"http", "https"} and parts.netloc else ""
