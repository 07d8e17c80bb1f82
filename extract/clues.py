"""What names tell: classes, ids, roles and addresses in which sites say what a part of a page is.

Each word of a name has a weight, the logarithm of the odds that text under that name is content,
learned over many sites (`scripts/learn`). One site's own words are not in the table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from extract.tree import Node

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ADDRESS = re.compile(
    r"\s*(?:([a-zA-Z][\w+.-]*):)?(?://([^/?#]*))?([^?#]{0,500})[^?#]*(?:\?([^#]{0,200}))?"
)
"""Scheme, authority, path and query, as RFC 3986 takes an address apart."""
_WORD = re.compile(r"[^\W\d_]+")
_NAMED = ("itemprop", "role", "aria-label", "data-testid", "data-component", "data-module",
          "data-type", "data-role", "name", "rel", "data-qa", "data-test")  # fmt: skip
_NAMED_SET = frozenset(_NAMED)
_LONGEST_NAME = 60  # characters; longer values are sentences or data
_LONGEST_WHOLE_NAME = 30
_LONGEST_TEXT = 90  # characters of a text whose words are looked at: a label, a heading
_MOST_WORDS = 12
_MOST_LINKS = 4

NOTHING = (0.0, 0.0)


class Reader:
    """Reads the names on one page; remembers what it has read, as pages repeat themselves."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights
        self._known: dict[tuple[str | None, str | None], tuple[float, float]] = {}

    def of_names(self, attributes: Mapping[str, str]) -> tuple[float, float]:
        """The lowest weight (0 or less) and the highest (0 or more) of an element's names."""
        key = (attributes.get("class"), attributes.get("id"))
        pair = self._known.get(key)
        if pair is None:
            pair = self._known[key] = self._span([*names(key[0] or ""), *names(key[1] or "")])
        if len(attributes) > 1 and not _NAMED_SET.isdisjoint(attributes):
            low, high = self._span(other_names(attributes))
            return min(low, pair[0]), max(high, pair[1])
        return pair

    def of_words(self, text: str) -> tuple[float, float, float]:
        """Lowest, highest and mean weight of the words of a short `text`; zeros for a long one."""
        return self._summary(words(text))

    def of_links(self, links: Sequence[Node], host: str) -> tuple[float, float, float]:
        """Lowest, highest and mean weight of where the first few `links` lead."""
        return self._summary(targets([link.get("href") or "" for link in links], host))

    def _span(self, tokens: Iterable[str]) -> tuple[float, float]:
        weights = [self._weights.get(token, 0.0) for token in tokens]
        return (min(0.0, *weights), max(0.0, *weights)) if weights else NOTHING

    def _summary(self, tokens: Iterable[str]) -> tuple[float, float, float]:
        weights = [weight for token in tokens if (weight := self._weights.get(token, 0.0))]
        if not weights:
            return (0.0, 0.0, 0.0)
        return min(weights), max(weights), sum(weights) / len(weights)


def names(value: str) -> list[str]:
    """The words of a `class` or an `id`: "entry-content mainCol" has four, and one whole name."""
    tokens = _PART.findall(value)
    if "-" in value or "_" in value:
        tokens += [
            name
            for name in value.split()
            if ("-" in name or "_" in name) and len(name) < _LONGEST_WHOLE_NAME
        ]
    return [token.lower() for token in tokens]


def other_names(attributes: Mapping[str, str]) -> set[str]:
    """The words of the other attributes that name things, marked by the attribute."""
    tokens: set[str] = set()
    for attribute in _NAMED:
        value = attributes.get(attribute)
        if value and len(value) < _LONGEST_NAME:
            tokens.update(f"{attribute[:4]}:{part.lower()}" for part in _PART.findall(value))
    return tokens


def words(text: str) -> list[str]:
    """The words of a short text, marked; none of a long one."""
    if len(text) >= _LONGEST_TEXT:
        return []
    found = _WORD.findall(text.lower())
    return [f"w:{word}" for word in found] if len(found) <= _MOST_WORDS else []


def targets(addresses: Sequence[str], host: str) -> set[str]:
    """The words of the first addresses: do they leave `host`, whom do they lead to, their paths."""
    tokens: set[str] = set()
    for address in addresses[:_MOST_LINKS]:
        if address.startswith("#"):
            tokens.add("h:frag")
            continue
        parts = _ADDRESS.match(address)
        if parts is None:
            continue
        scheme, authority, path, query = parts.groups()
        if scheme and scheme.lower() not in {"http", "https"}:
            tokens.add(f"h:{scheme[:12].lower()}")
            continue
        if authority and authority != host:
            tokens.add("h:ext")
            tokens.update(f"h:{part}" for part in authority.lower().split(".")[-2:-1])
        else:
            tokens.add("h:int")
        tokens.update([f"h:{word}" for word in _WORD.findall(path.lower())[:8]])
        if query:
            tokens.update([f"q:{word}" for word in _WORD.findall(query.lower())[:5]])
    return tokens
