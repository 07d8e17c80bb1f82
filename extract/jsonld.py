"""What a page says about itself in JSON-LD: which of its items is the page, and its fields.

Follows schema.org as pages write it: one object, a list, or an `@graph`; authors as strings,
objects, lists or references by `@id`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extract.json_data import Json, loads, objects, string
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from extract.tree import Node

_ARTICLES = frozenset(
    {
        "advertisercontentarticle", "analysisnewsarticle", "article", "askpublicnewsarticle",
        "backgroundnewsarticle", "blogposting", "creativework", "discussionforumposting", "howto",
        "liveblogposting", "medicalscholarlyarticle", "newsarticle", "opinionnewsarticle",
        "recipe", "report", "reportagenewsarticle", "reviewnewsarticle", "satiricalarticle",
        "scholarlyarticle", "socialmediaposting", "techarticle", "techniquearticle",
    }
)  # fmt: skip
_THINGS = frozenset(
    {
        "book", "course", "dataset", "event", "jobposting", "movie", "podcastepisode", "product",
        "question", "review", "softwareapplication", "softwaresourcecode", "videoobject",
    }
)  # fmt: skip
_PAGES = frozenset({"aboutpage", "collectionpage", "faqpage", "itempage", "qapage", "webpage"})
_SITES = frozenset({"website"})
_RANKS = (_ARTICLES, _THINGS, _PAGES)
_MOST_NAMES = 6
_MOST_CANDIDATES = 60
_NAME_CHARS = 500


def items(scripts: Iterable[Node]) -> list[dict[str, Json]]:
    """Every object of the JSON-LD `scripts` that has a type, outer ones first."""
    values = (loads(script.text or "") for script in scripts)
    return [item for value in values for item in objects(value) if item.get("@type")]


def page_item(
    found: list[dict[str, Json]], agrees: Callable[[str], bool]
) -> dict[str, Json] | None:
    """The item that is the page: an article before a thing before a page.

    Where there are several of a kind (a list of posts), the first whose headline `agrees` with
    what the page is called, else none of that kind.
    """
    for rank in _RANKS:
        candidates = [item for item in found if not rank.isdisjoint(_types(item))]
        if len(candidates) == 1:
            return candidates[0]
        for item in candidates[:_MOST_CANDIDATES]:
            if agrees(headline(item)):
                return item
    return None


def headline(item: dict[str, Json]) -> str:
    """What `item` is called; may be empty."""
    return fold((string(item.get("headline")) or string(item.get("name")))[:_NAME_CHARS])


def site_name(found: list[dict[str, Json]]) -> list[str]:
    """The names of the web site, then of the publishers."""
    known = _by_id(found)
    sites = [item.get("name") for item in found if not _SITES.isdisjoint(_types(item))]
    publishers = [item.get("publisher") for item in found if item.get("publisher")]
    return list(_names([*sites, *publishers], known))


def authors(item: dict[str, Json], found: list[dict[str, Json]]) -> list[str]:
    """The names of whoever wrote `item`, as they are written; no more than six."""
    names = _names(item.get("author") or item.get("creator"), _by_id(found))
    return list(dict.fromkeys(names))[:_MOST_NAMES]


def _types(item: dict[str, Json]) -> set[str]:
    kind = item.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return {string(name).rpartition("/")[2].lower() for name in kinds}


def _by_id(found: list[dict[str, Json]]) -> dict[str, dict[str, Json]]:
    return {string(item.get("@id")): item for item in reversed(found) if item.get("@id")}


def _names(value: Json, known: dict[str, dict[str, Json]]) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            name = string(known[one].get("name")) if one in known else one
        elif isinstance(one, dict):
            name = string(one.get("name"))
            name = name or string(known.get(string(one.get("@id")), {}).get("name"))
        else:
            continue
        name = name[:_NAME_CHARS]
        if name.strip() and not name.startswith(("http:", "https:", "#")):
            yield fold(name)
