"""What MediaWiki's parser makes of an article, as Markdown.

Left out is what is no part of the article: navigation boxes, notices about the article, links to
edit it, pictures of maps. Infoboxes become tables, formulas TeX; references stay, as footnotes with
their sources, since they are what a reader goes on with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.sites import writing
from extract import fragment
from extract.markdown import render
from extract.tree import has_class, parse, query, visible_text

if TYPE_CHECKING:
    from extract.model import Block
    from extract.tree import Node

_DROPPED = (
    "navbox", "navbox-container", "vertical-navbox", "navbar", "sistersitebox", "metadata", "ambox",
    "bandeau-container", "stub", "noprint", "mw-editsection", "mw-cite-backlink", "mw-jump-link",
    "mw-indicators", "mw-empty-elt", "mw-kartographer-maplink", "toc", "authority-control",
    "catlinks", "printfooter", "shortdescription", "portalbox", "portal-bar",
)  # fmt: skip
_FURNITURE = query("//style | //script | //link | //*[@role='navigation'] | //*[@class]")
_ANCHORS = query("//a[@href]")
_INFOBOXES = query("//table[@class]")
_PICTURES = query(".//figure | .//img | .//*[contains(@class, 'mw-default-size')]")
_GEO = query("//*[contains(concat(' ', @class, ' '), ' geo-dec ') or "
             "contains(concat(' ', @class, ' '), ' geo ')]")  # fmt: skip
_AMBIGUOUS = query("//*[@id='disambigbox' or contains(@class, 'disambigbox') or "
                   "contains(@class, 'dmbox-disambig')] | //meta[@property='mw:PageProp/disambiguation']")  # fmt: skip  # noqa: E501
_META = query("//meta[@property and @content]")
_BASE = query("//base[@href]")
_BODIES = query("//body")
_COORDINATES = 60
"""Characters; what is longer is something else."""
_INFOBOX = re.compile(
    r"(?:^|[\s_-])(?:infobox|taxobox|sidebar-facts|sinottico|infocaseta)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Article:
    """An article."""

    title: str
    url: str
    language: str
    namespace: int
    changed: str
    """When, in ISO 8601; empty if unknown."""
    coordinates: str
    ambiguous: bool
    """Whether it only lists what its title may mean."""
    blocks: tuple[Block, ...]

    def markdown(
        self, what: str, *, changed: str, redirected: str, section: str, revision: str
    ) -> str:
        """The whole document."""
        return writing.joined(
            writing.heading(1, self.title),
            writing.facts(
                what,
                "disambiguation page" if self.ambiguous else "",
                writing.told("of" if what else "last changed", writing.day(changed)),
                f"revision {revision}" if revision else "",
                f"redirected from {writing.line(redirected)}" if redirected else "",
                f"coordinates {writing.line(self.coordinates)}" if self.coordinates else "",
                f"asked for: section {writing.line(section)}" if section else "",
            ),
            render(self.blocks),
        )


def article(html: str, title: str, url: str) -> Article:
    """The article in the HTML of MediaWiki's parser. Never raises."""
    root = parse(html)
    meta = {each.get("property"): each.get("content") or "" for each in _META(root)}
    base = next((each.get("href") or "" for each in _BASE(root)), "")
    body = next(iter(_BODIES(root)), root)
    coordinates = next((visible_text(each) for each in _GEO(root)), "")
    ambiguous = bool(_AMBIGUOUS(root))
    _clean(root)
    _localise(root)
    _plain_infoboxes(root)
    blocks = fragment.blocks(
        root, f"https:{base}" if base.startswith("//") else base or url, below=1
    )
    namespace = meta.get("mw:pageNamespace", "")
    return Article(
        title=title,
        url=url,
        language=body.get("lang") or root.get("lang") or "",
        namespace=int(namespace) if re.fullmatch(r"-?\d{1,4}", namespace) else 0,
        changed=meta.get("dc:modified", ""),
        coordinates=coordinates.replace(";", ",") if len(coordinates) < _COORDINATES else "",
        ambiguous=ambiguous,
        blocks=blocks,
    )


def _clean(root: Node) -> None:
    """Take out what is no part of the article."""
    for node in _FURNITURE(root):
        if node.tag in {"style", "script", "link"} or node.get("role") == "navigation":
            if not (node.get("type") or "").startswith("math/"):
                fragment.remove(node)
        elif has_class(node, *_DROPPED):
            fragment.remove(node)


def _localise(root: Node) -> None:
    """Links within the page as such: the parser writes the page's name before the fragment."""
    for node in _ANCHORS(root):
        href = node.get("href") or ""
        name, mark, place = href.partition("#")
        if mark and place.startswith(("cite_note", "cite_ref")) and name.startswith("./"):
            node.set("href", f"#{place}")


def _plain_infoboxes(root: Node) -> None:
    """Infoboxes as tables of values, without pictures."""
    for table in _INFOBOXES(root):
        if not _INFOBOX.search(table.get("class") or ""):
            continue
        for picture in _PICTURES(table):
            fragment.remove(picture)
