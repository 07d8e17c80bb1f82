"""Crates of crates.io: one request of its interface, then one each for README and dependencies.

It asks for no more than one request a second; these come one after another and then no more.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.errors import BrokerError, SiteFailed
from broker.providers.answers import address_of, number_of, record, text_of, texts_of
from broker.sites import writing
from broker.sites.base import Get, got
from broker.sites.package_page import Package, Version, people_of, repository_bases
from broker.sites.replies import AGENT, OK, object_in, objects
from extract import fragment

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from typing import Any

    from broker.sites.base import Conversation, Step, Visit

_WHO = "crates.io's interface"
_NAME = re.compile(r"[A-Za-z][\w-]{0,63}", re.ASCII)
_VERSION = re.compile(r"\d[\w.+-]{0,80}", re.ASCII)
_KINDS = {"dev": " (dev)", "build": " (build)"}


def converse(visit: Visit) -> Conversation | None:
    """How to read a crate; None for any other page."""
    segments = [part for part in visit.parts.path.split("/") if part]
    match segments:
        case ["crates", name] if _NAME.fullmatch(name):
            return _read(visit, name, "")
        case ["crates", name, version] if _NAME.fullmatch(name) and _VERSION.fullmatch(version):
            return _read(visit, name, version)
    return None


def _read(visit: Visit, name: str, asked: str) -> Conversation:
    base = f"{visit.settings.sites.crates_url.rstrip('/')}/api/v1/crates/{name}"
    answer = object_in((yield from got(Get(url=base, headers=AGENT))), _WHO)
    crate = record(answer.get("crate"))
    newest = text_of(crate, "max_stable_version", "max_version", "newest_version")
    version = asked or text_of(crate, "default_version") or newest
    if version and not _VERSION.fullmatch(version):
        raise SiteFailed("unparseable", f"{_WHO} names no version of {name}")
    versions = objects(answer.get("versions"))
    one = next((each for each in versions if text_of(each, "num") == version), None)
    if one is None and asked:
        raise SiteFailed("not_found", f"{name} has no version {asked}")
    one = one or {}
    repository = address_of(crate, "repository")
    readme, missing = yield from _readme(f"{base}/{version}", repository, visit)
    dependencies = yield from _dependencies(f"{base}/{version}")
    return Package(
        registry="crates.io",
        name=text_of(crate, "name") or name,
        version=version,
        url=f"https://crates.io/crates/{name}" + (f"/{asked}" if asked else ""),
        summary=text_of(one, "description") or text_of(crate, "description"),
        published=text_of(one, "created_at"),
        facts=_facts(crate, one, newest if newest != version else ""),
        notes=_yanked(one),
        people=people_of(
            text_of(record(one.get("published_by")), "name")
            or text_of(record(one.get("published_by")), "login")
        ),
        links=tuple(
            (what.capitalize(), address_of(crate, what))
            for what in ("homepage", "documentation", "repository")
        ),
        keywords=tuple(texts_of(crate, "keywords")),
        dependencies=dependencies,
        readme=readme,
        versions=[
            Version(
                name=text_of(each, "num"),
                published=text_of(each, "created_at"),
                note="yanked" if each.get("yanked") is True else "",
            )
            for each in versions
        ],
        warnings=missing,
    ).piece()


def _readme(
    place: str, repository: str, visit: Visit
) -> Generator[Step, Any, tuple[str, tuple[str, ...]]]:
    """The README of a version, which comes as HTML, and a warning where it does not come."""
    try:
        reply = yield from got(Get(url=f"{place}/readme", accept="text/html", headers=AGENT))
    except BrokerError as error:
        return "", (f"the README is missing: {error.message}",)
    if reply.status != OK:
        return "", ()  # there is none
    bases = repository_bases([repository], visit.settings.sites.github_raw_url)
    base = bases.links if bases is not None else repository
    return fragment.markdown(reply.text, base, below=2), ()


def _dependencies(place: str) -> Generator[Step, Any, tuple[str, ...]]:
    """What a version needs; nothing where nobody says."""
    try:
        answer = object_in((yield from got(Get(url=f"{place}/dependencies", headers=AGENT))), _WHO)
    except BrokerError:
        return ()
    found = objects(answer.get("dependencies"))
    usual = [each for each in found if text_of(each, "kind") != "dev"]
    return tuple(
        f"{text_of(each, 'crate_id')} {text_of(each, 'req')}"
        + ("" if each.get("optional") is not True else " (optional)")
        + _KINDS.get(text_of(each, "kind"), "")
        for each in usual
        if text_of(each, "crate_id")
    )


def _facts(crate: Mapping[str, object], one: Mapping[str, object], newest: str) -> tuple[str, ...]:
    licence, rust = text_of(one, "license"), text_of(one, "rust_version")
    edition = text_of(one, "edition")
    return tuple(
        filter(
            None,
            (
                licence and f"licence {licence}",
                rust and f"requires Rust {rust}",
                edition and f"edition {edition}",
                writing.counted(number_of(crate, "downloads"), "download"),
                writing.counted(number_of(crate, "recent_downloads"), "recent download"),
                newest and f"newest is {newest}",
            ),
        )
    )


def _yanked(one: Mapping[str, object]) -> tuple[str, ...]:
    if one.get("yanked") is not True:
        return ()
    reason = text_of(one, "yank_message")
    return (f"This version was yanked{f': {reason}' if reason else ''}",)
