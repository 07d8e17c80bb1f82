"""Packages of npm: two requests of the registry at once, three where its record is too large.

The record of a whole package (dates, README, all versions) may have tens of megabytes; it is read
as far as any text is, 10 MB, and beyond that gives nothing. The record of one version is small and
has all but dates and README, which then comes from the package's repository.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from broker.errors import BrokerError
from broker.providers.answers import record, text_of, texts_of
from broker.sites import writing
from broker.sites.base import Get, got, is_plain, together
from broker.sites.package_page import (
    Package,
    Version,
    people_of,
    repository_bases,
    repository_of,
    web,
)
from broker.sites.replies import AGENT, OK, object_in, objects, reply_in
from broker.sites.user_markdown import contained

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from typing import Any

    from broker.sites.base import Conversation, Reply, Step, Text, Visit

_WHO = "npm's registry"
_NAME = re.compile(r"(?:@[\w~-][\w.~-]{0,99}/)?[\w~-][\w.~-]{0,213}", re.ASCII)
_VERSION = re.compile(r"\w[\w.+-]{0,99}", re.ASCII)
_OTHER_TIMES = frozenset({"created", "modified", "unpublished"})
_NO_README = "ERROR: No README data found!"


def converse(visit: Visit) -> Conversation | None:
    """How to read a package; None for any other page."""
    path = unquote(visit.parts.path).strip("/")
    found = re.fullmatch(rf"package/({_NAME.pattern})(?:/v/({_VERSION.pattern}))?", path)
    return None if found is None else _read(visit, found[1], found[2] or "")


def _read(visit: Visit, name: str, version: str) -> Conversation:
    base = f"{visit.settings.sites.npm_url.rstrip('/')}/{quote(name, safe='@')}"
    one, all_of_them = yield from together(
        Get(url=f"{base}/{version or 'latest'}", headers=AGENT), Get(url=base, headers=AGENT)
    )
    manifest = object_in(reply_in(one), _WHO)
    whole, warnings = _whole(all_of_them)
    version = text_of(manifest, "version") or version
    folder = text_of(record(manifest.get("repository")), "directory")
    links = _links(manifest)
    urls = [text_of(record(manifest.get("repository")), "url"), text_of(manifest, "repository")]
    raw_root = visit.settings.sites.github_raw_url
    readme = text_of(manifest, "readme") or text_of(whole, "readme")
    if not whole and not readme:
        readme = yield from _from_repository(raw_root, urls, folder)
    times = record(whole.get("time"))
    place = f"{name}/v/{version}"
    latest = text_of(record(whole.get("dist-tags")), "latest")
    if latest and latest != version:
        warnings += (f"the README is that of the latest version, {latest}",)
    package = Package(
        registry="npm",
        name=text_of(manifest, "name") or name,
        version=version,
        url=f"https://www.npmjs.com/package/{place if visit.parts.path.count('/v/') else name}",
        summary=text_of(manifest, "description"),
        published=text_of(times, version),
        facts=_facts(manifest, latest, version),
        notes=_notes(manifest),
        people=people_of(
            _person(manifest.get("author")), *map(_person, objects(manifest.get("maintainers")))
        ),
        links=links,
        keywords=tuple(texts_of(manifest, "keywords")),
        dependencies=_dependencies(manifest),
        versions=_versions(whole),
        warnings=warnings,
    )
    if readme and readme != _NO_README:
        text = contained(readme, 2, repository_bases(urls, raw_root, folder))
        package = replace(package, readme=text)
    return package.piece()


def _whole(came: Reply | Text | BrokerError) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """The record of the whole package, and a warning where there is none."""
    try:
        return object_in(reply_in(came), _WHO), ()
    except BrokerError as error:
        return {}, (f"dates and other versions are missing: {error.message}",)


def _from_repository(raw_root: str, urls: list[str], folder: str) -> Generator[Step, Any, str]:
    """The README in the package's repository; empty where that is not at GitHub or has none."""
    found = repository_of(urls)
    if found is None or (folder.strip("/") and not is_plain(folder.strip("/"))):
        return ""
    inner = f"{quote(folder.strip('/'))}/" if folder else ""
    place = f"{raw_root.rstrip('/')}/{found[0]}/{found[1]}/HEAD/{inner}README.md"
    try:
        reply = yield from got(Get(url=place, accept="*/*", headers=AGENT))
    except BrokerError:
        return ""
    return reply.text if reply.status == OK else ""


def _facts(manifest: Mapping[str, object], latest: str, version: str) -> tuple[str, ...]:
    engines = record(manifest.get("engines"))
    licence = text_of(manifest, "license") or text_of(record(manifest.get("license")), "type")
    size = writing.size(_number(record(manifest.get("dist")), "unpackedSize"))
    kinds = ("types" in manifest or "typings" in manifest) and "has types"
    return tuple(
        filter(
            None,
            (
                licence and f"licence {licence}",
                *(writing.told(f"requires {each}", text_of(engines, each)) for each in engines),
                size and f"{size} unpacked",
                kinds or "",
                f"latest is {latest}" if latest and latest != version else "",
            ),
        )
    )


def _number(fields: Mapping[str, object], name: str) -> float | None:
    value = fields.get(name)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _notes(manifest: Mapping[str, object]) -> tuple[str, ...]:
    said = manifest.get("deprecated")
    if not said:
        return ()
    return (f"This version is deprecated: {said}" if isinstance(said, str) else "It is deprecated",)


def _links(manifest: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    repository, bugs = record(manifest.get("repository")), record(manifest.get("bugs"))
    return (
        ("Home", web(text_of(manifest, "homepage"))),
        ("Repository", web(text_of(repository, "url") or text_of(manifest, "repository"))),
        ("Issues", web(text_of(bugs, "url"))),
    )


def _dependencies(manifest: Mapping[str, object]) -> tuple[str, ...]:
    kinds = (
        ("dependencies", ""),
        ("peerDependencies", " (peer)"),
        ("optionalDependencies", " (optional)"),
    )
    found: dict[str, str] = {}
    for field, remark in kinds:
        for name, version in record(manifest.get(field)).items():
            found[name] = f"{name} {version}{remark}"
    return tuple(found.values())


def _person(value: object) -> str:
    person = record(value)
    return value if isinstance(value, str) else text_of(person, "name", "username")


def _versions(whole: Mapping[str, object]) -> list[Version]:
    """All versions, the newest first."""
    times, known = record(whole.get("time")), record(whole.get("versions"))
    found = []
    for name in times:
        if name in _OTHER_TIMES or name not in known:
            continue
        note = "deprecated" if record(known[name]).get("deprecated") else ""
        found.append(Version(name=name, published=text_of(times, name), note=note))
    return sorted(found, key=lambda each: each.published, reverse=True)
