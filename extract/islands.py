"""Text that stands only in a page's data: what to read when the page itself holds no prose.

Pages that scripts fill carry their text along: as JSON-LD, as the state of a framework, in
attributes, in templates. Each place gives islands of markup that can be extracted like a page.
The module does not judge whether the page needs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from extract import hydration, json_prose, jsonld, richtext
from extract.json_data import MOST_CHARS, Json, loads, objects, string
from extract.tree import fold, inner_html, query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extract.tree import Node

_MOST_ISLANDS = 8
_MOST_TEMPLATES = 100
_MOST_TOTAL_CHARS = 24_000_000
_LEAST_ATTRIBUTE_CHARS = 800
_SURE, _RENDERED, _LIKELY, _PERHAPS = 3.0, 2.0, 1.0, 0.6
"""How much the places are trusted: an `articleBody` is the article, a template may be any part."""

_SCRIPTS = query("//script[not(@src)]")
_WITH_DATA = query("//*[@*[starts-with(., '{') or starts-with(., '[')]]")
_TEMPLATE_TYPES = (
    "text/template",
    "text/x-template",
    "text/html",
    "text/x-handlebars-template",
    "text/ng-template",
)


@dataclass(frozen=True, slots=True)
class Island:
    """One piece of a page's data that is prose."""

    source: str
    """Where it stood: "json-ld", "json", "flight", "preloaded", "template"."""
    html: str
    """As markup; relative links are those of the page."""


def islands(root: Node) -> list[Island]:
    """The prose in the data of the page `root`, the likeliest first; eight at most. Never raises.

    No JSON text above eight million characters is read, nor more than three times as much in all.
    """
    found: list[tuple[float, Island]] = []
    texts: set[str] = set()
    for trust, island in _all(root):
        weight = json_prose.weigh(island.html)
        key = fold(island.html)[:500]
        if weight >= json_prose.LEAST_CHARS and key not in texts:
            texts.add(key)
            found.append((trust, island))
    found.sort(key=lambda pair: -pair[0])
    return [island for _, island in found[:_MOST_ISLANDS]]


def _all(root: Node) -> Iterator[tuple[float, Island]]:
    """Every island with its rank: its text's length times the trust in its place."""
    left = _MOST_TOTAL_CHARS
    scripts: list[Node] = []
    for script in _SCRIPTS(root):
        left -= len(script.text or "")
        if left >= 0 and len(script.text or "") <= MOST_CHARS:
            scripts.append(script)
    by_type: dict[str, list[Node]] = {}
    for script in scripts:
        by_type.setdefault(_type(script), []).append(script)
    yield from _of_json_ld(jsonld.items(by_type.pop("ld", [])))
    for script in by_type.pop("json", []):
        value = loads(script.text or "")
        value = hydration.indexed(value) if script.get("id") == "__NUXT_DATA__" else value
        yield from _of_json("json", value)
    for script in by_type.pop("template", []):
        yield from _of_markup(script.text or "")
    yield from _of_scripts([script.text or "" for script in by_type.pop("script", [])])
    yield from _of_attributes(root, left)
    for node in islice(_templates(root), _MOST_TEMPLATES):
        yield from _of_markup(_inner_markup(node))


def _type(script: Node) -> str:
    kind = (script.get("type") or "").lower()
    if "ld+json" in kind:
        return "ld"
    if "json" in kind:
        return "json"
    if kind.startswith(_TEMPLATE_TYPES):
        return "template"
    return "script" if kind in {"", "module", "text/javascript", "application/javascript"} else ""


def _of_json_ld(items: list[dict[str, Json]]) -> Iterator[tuple[float, Island]]:
    for item in items:
        for key in ("articleBody", "reviewBody", "text", "description", "transcript"):
            text = string(item.get(key))
            # An `articleBody` is often an excerpt; it is ranked by its length like the rest.
            if json_prose.is_prose(text):
                html = json_prose.as_html(text)
                trust = _SURE if key == "articleBody" else _PERHAPS
                yield json_prose.weigh(html) * trust, Island("json-ld", html)
    questions = [item for item in items if "Question" in string(item.get("@type"))]
    if questions:
        html = "".join(map(_question, questions))
        yield json_prose.weigh(html) * _LIKELY, Island("json-ld", html)


def _question(item: dict[str, Json]) -> str:
    asked = f"<h2>{escape(fold(string(item.get('name'))), quote=False)}</h2>"
    texts = [item.get("text")]
    for key in ("acceptedAnswer", "suggestedAnswer"):
        texts += [answer.get("text") for answer in objects(item.get(key))]
    return asked + "".join(
        f"<div>{json_prose.as_html(text)}</div>" for text in map(string, texts) if text
    )


def _of_json(source: str, value: Json) -> Iterator[tuple[float, Island]]:
    for prose in json_prose.find(value)[:_MOST_ISLANDS]:
        yield prose.weight * _LIKELY, Island(source, prose.html)


def _of_scripts(scripts: list[str]) -> Iterator[tuple[float, Island]]:
    trees = hydration.flight(scripts)
    if trees:
        # What the server rendered, navigation and all, and what its components were given.
        html = richtext.render_elements(trees)
        yield json_prose.weigh(html) * _RENDERED, Island("flight", html)
        yield from _of_json("flight", trees)
    for script in scripts:
        if "__next_f" not in script[:200]:
            for value in hydration.assigned(script):
                yield from _of_json("json", value)


def _of_attributes(root: Node, left: int) -> Iterator[tuple[float, Island]]:
    for node in _WITH_DATA(root):
        for text in map(str, node.attrib.values()):
            if len(text) >= _LEAST_ATTRIBUTE_CHARS and text[0] in "{[" and left > 0:
                left -= len(text)
                yield from _of_json("preloaded", loads(text))


def _of_markup(html: str) -> Iterator[tuple[float, Island]]:
    if json_prose.is_prose(html):
        html = json_prose.as_html(html)
        yield json_prose.weigh(html) * _PERHAPS, Island("template", html)


def _templates(root: Node) -> Iterator[Node]:
    for node in root.iter("template", "textarea"):
        if next(node.iterancestors("template"), None) is None:
            yield node


def _inner_markup(node: Node) -> str:
    return node.text or "" if node.tag == "textarea" else inner_html(node)
