"""Pages of every kind, written for these tests: what vendors, frameworks and languages do.

They stand in `tests/data/walls`, a file a verdict, in this form:

    === its name
    page: the title          (or `site:` with menus around it, `article:` paragraphs, or `raw:`)
    head: more of <head>     (optional)
    came with: {"url", "status", "headers"}      (optional)
    ---
    the body, where {story} is a paragraph and {shell} what scripts would fill

None is a copy of a page; each has the bones of its kind and a few words of its own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from extract.verdict import VerdictKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = Path(__file__).resolve().parent.parent / "data" / "walls"

STORY = (
    "The ferry left the island at six, an hour before the wind turned. Nobody on the pier had "
    "expected the council to vote for a second boat, least of all the pilots. "
)
SHELL = "<div id=root></div><script type=module src=/assets/index-4f3a.js></script>"
MENU = ("Home", "News", "Sport", "Business", "Culture", "Weather", "Shop", "Log in")
FOOTER = ("About", "Press", "Jobs", "Privacy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A page and what it is."""

    name: str
    kind: VerdictKind
    html: str
    url: str | None = None
    status: int | None = None
    headers: Mapping[str, str] | None = None


def cases() -> Iterator[Case]:
    for kind in VerdictKind:
        text = (FOLDER / f"{kind}.txt").read_text(encoding="utf-8")
        for section in text.split("=== ")[1:]:
            yield _case(kind, section)


def page(title: str, body: str, head: str = "") -> str:
    head = f"<head><meta charset=utf-8><title>{title}</title>{head}</head>"
    return f"<!doctype html><html>{head}<body>{body}</body></html>"


def site(title: str, body: str, head: str = "") -> str:
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in MENU)
    footer = " ".join(f"<a href=/{name}>{name}</a>" for name in FOOTER)
    around = (
        f"<div class=top><ul>{menu}</ul></div><div id=content>{body}</div>"
        f"<div class=bottom>{footer}<p>© 2026 Harbour Media Ltd. All rights reserved.</div>"
        "<script src=/app.js></script>"
    )
    return page(title, around, head)


def article(body: str, paragraphs: int = 2, head: str = "") -> str:
    text = "".join(f"<p>{STORY}{number}</p>" for number in range(paragraphs))
    return site("A second boat for the island", f"<h1>A second boat</h1>{text}{body}", head)


def _case(kind: VerdictKind, section: str) -> Case:
    top, _, body = section.partition("\n---\n")
    name, *lines = top.split("\n")
    told = dict(line.split(":", 1) for line in lines)
    body = body.rstrip("\n").replace("{story}", STORY).replace("{shell}", SHELL)
    head = told.get("head", "")
    if "page" in told:
        body = page(told["page"].strip(), body, head)
    elif "site" in told:
        body = site(told["site"].strip(), body, head)
    elif "article" in told:
        body = article(body, int(told["article"]), head)
    came = json.loads(told.get("came with", "{}"))
    return Case(name=name, kind=kind, html=body, **came)
