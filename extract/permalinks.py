"""Links from a place to itself: the ¶ behind a heading, the "edit" and "source" beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extract.tree import Node, fold, raw_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_PERMALINK = re.compile(
    r"(?:^|\s)(?:headerlink|anchor|permalink|header-anchor|hash-link|heading-link|heading-anchor"
    r"|mw-editsection|self-?link|section-link|anchorjs-link|anchor-link|srclink|src|viewcode-link"
    r"|test-arrow|copybtn)(?:\s|$)"
)
_PERMALINK_SIGNS = frozenset({"¶", "#", "§", "🔗", "[link]", "∞"})
_LONGEST_PERMALINK = 12  # characters


def is_permalink(node: Node, attributes: Mapping[str, str], *, heading: bool) -> bool:
    """Whether an inline `node` is such a link; `heading` says whether it stands in a heading."""
    is_link = node.tag == "a"
    named = _PERMALINK.search(attributes.get("class", "")) is not None
    if not named and not (is_link and "#" in attributes.get("href", "")):
        return False
    words = fold(raw_text(node))
    if words in _PERMALINK_SIGNS:
        return True
    if "mw-editsection" in attributes.get("class", ""):
        return True
    if named:
        return len(words) <= _LONGEST_PERMALINK and (is_link or heading)
    return heading and not words and len(node) == 0
