"""Projects of PyPI: one request of its JSON interface, which has the README as it was written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.providers.answers import record, text_of, texts_of
from broker.sites import writing
from broker.sites.base import Get, got
from broker.sites.package_page import Package, Version, people_of, repository_bases, web
from broker.sites.replies import AGENT, object_in, objects
from broker.sites.rst import rst_to_markdown
from broker.sites.user_markdown import contained

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broker.sites.base import Conversation, Visit

_WHO = "PyPI's interface"
_NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]{0,118}[A-Za-z0-9])?", re.ASCII)
_VERSION = re.compile(r"\w[\w.!+-]{0,79}", re.ASCII)
_LICENCE_CHARS = 60
"""A longer licence is its whole text."""
_ADDRESS = re.compile(r"<[^<>]*>")


def converse(visit: Visit) -> Conversation | None:
    """How to read a project; None for any other page."""
    segments = [part for part in visit.parts.path.split("/") if part]
    match segments:
        case ["project", name] if _NAME.fullmatch(name):
            return _read(visit, name, "")
        case ["project", name, version] if _NAME.fullmatch(name) and _VERSION.fullmatch(version):
            return _read(visit, name, version)
    return None


def _read(visit: Visit, name: str, version: str) -> Conversation:
    base = visit.settings.sites.pypi_url.rstrip("/")
    place = f"{name}/{version}" if version else name
    reply = yield from got(Get(url=f"{base}/pypi/{place}/json", headers=AGENT))
    answer = object_in(reply, _WHO)
    info = record(answer.get("info"))
    urls = record(info.get("project_urls"))
    links = [(what, web(text_of(urls, what))) for what in urls]
    links += [("Home", web(text_of(info, "home_page")))]
    bases = repository_bases([url for _, url in links], visit.settings.sites.github_raw_url)
    files = objects(answer.get("urls"))
    name = text_of(info, "name") or name
    return Package(
        registry="PyPI",
        name=name,
        version=text_of(info, "version") or version,
        url=f"https://pypi.org/project/{place}/",
        summary=text_of(info, "summary"),
        published=_published(files),
        facts=_facts(info, files),
        notes=(*_yanked(info), *_vulnerable(answer)),
        people=people_of(
            text_of(info, "author") or _ADDRESS.sub("", text_of(info, "author_email")),
            text_of(info, "maintainer") or _ADDRESS.sub("", text_of(info, "maintainer_email")),
        ),
        links=tuple(links),
        keywords=tuple(filter(None, re.split(r"[,;]\s*|\s{2,}", text_of(info, "keywords")))),
        dependencies=tuple(texts_of(info, "requires_dist")),
        readme=_readme(info, bases),
        versions=_versions(answer),
    ).piece()


def _facts(info: Mapping[str, object], files: list[Mapping[str, object]]) -> tuple[str, ...]:
    licence = text_of(info, "license_expression") or text_of(info, "license")
    classifiers = texts_of(info, "classifiers")
    if not licence or len(licence) > _LICENCE_CHARS:
        named = [
            each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License ::")
        ]
        licence = named[0] if named else " ".join(licence.split())[:_LICENCE_CHARS]
    python = text_of(info, "requires_python")
    status = [each.rpartition(" - ")[2] for each in classifiers if "Status ::" in each]
    kinds = {text_of(each, "packagetype") for each in files}
    return tuple(
        filter(
            None,
            (
                licence and f"licence {licence}",
                python and f"requires Python {python}",
                next(iter(status), "").lower(),
                "source only" if kinds == {"sdist"} else "",
            ),
        )
    )


def _yanked(info: Mapping[str, object]) -> tuple[str, ...]:
    if info.get("yanked") is not True:
        return ()
    reason = text_of(info, "yanked_reason")
    return (f"This version was yanked{f': {reason}' if reason else ''}",)


def _vulnerable(answer: Mapping[str, object]) -> tuple[str, ...]:
    known = objects(answer.get("vulnerabilities"))
    names = [next(iter(texts_of(each, "aliases")), "") or text_of(each, "id") for each in known]
    if not names:
        return ()
    return (f"This version is known to be vulnerable: {', '.join(filter(None, names))}",)


def _readme(info: Mapping[str, object], bases: object) -> str:
    text = text_of(info, "description")
    kind = text_of(info, "description_content_type").partition(";")[0].strip().lower()
    if kind == "text/plain":
        return writing.fenced(text)
    if kind == "text/x-rst" or (not kind and text):
        text = rst_to_markdown(text)
    return contained(text, 2, bases)  # type: ignore[arg-type]


def _published(files: list[Mapping[str, object]]) -> str:
    return min(filter(None, (text_of(each, "upload_time_iso_8601") for each in files)), default="")


def _versions(answer: Mapping[str, object]) -> list[Version]:
    """All versions, the newest first; PyPI names them for a whole project only."""
    found = []
    for name, value in record(answer.get("releases")).items():
        files = objects(value)
        if not files:
            continue
        yanked = all(each.get("yanked") is True for each in files)
        reason = next(filter(None, (text_of(each, "yanked_reason") for each in files)), "")
        note = f"yanked{f': {reason}' if reason else ''}" if yanked else ""
        found.append(Version(name=name, published=_published(files), note=note))
    return sorted(found, key=lambda each: each.published, reverse=True)
