"""The description beside a Google result's header, and the date it states.

The snippet is found by climbing from the title's link until a neighbour has prose in it. What
comes after the link describes an ordinary result; a featured snippet is the same shape turned
round, with the answer before the header.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from extract.tree import fold, query, visible_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extract.tree import Node

_COLUMN_IDS = frozenset({"center_col", "main", "res", "rso", "search"})
_MAX_CLIMB = 9
"""Levels from a link to its snippet; the saved pages need 7."""

_HEADER_PARTS = query("descendant-or-self::*[self::cite or self::h3]")
_BLOCKS = query("descendant::div | descendant::ul | descendant::table")
_EMPHASIS = query("descendant::em | descendant::b")
_ANSWER_MARK = query("self::*[@data-md] | descendant-or-self::*[starts-with(@data-attrid, 'wa:')]")

_CONTROL_TAGS = frozenset(
    {
        "button", "form", "g-dialog", "g-popup", "g-review-stars", "g-scrolling-carousel",
        "g-snackbar", "h1", "h2", "input", "select",
    }
)  # fmt: skip
_CONTROL_ROLES = frozenset({"dialog", "menu", "menuitem", "navigation"})
_CONTROL_ATTRIBUTES = frozenset(
    {
        "aria-expanded",
        "aria-haspopup",
        "data-q",  # People also ask
        "data-time",  # key moments of a video
    }
)
_SHORT_BUTTON = 50
"""Characters; a `role=button` that holds more wraps a video's description."""
_MIN_ANSWER = 40
"""Characters of unmarked prose before a header that make it an answer."""

_CLOCK = re.compile(r"[\s\u25b6\u25ba]*\d{1,2}(?::\d\d){1,2}\s*")
_SEPARATORS = re.compile(r"[\s·•|]*")

# What stands before a dash: a date, or "by J Doe · 2021 · Cited by 7". Until 2020 it was a hyphen,
# which needs a stricter look at what stands there.
_PREFIX = re.compile(r"(.{3,60}?)\s+—\s")
_OLD_PREFIX = re.compile(
    r"(\S{1,9} \d{1,2}, \d{4}|\d{1,2}\.? \S{1,12} \d{4}|\d+\.\d+\.\d{4})\s+-\s"
)
_MAX_DATE = 30
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_AGE = re.compile(
    r"\b(?:ago|vor|il y a|hace|há|atrás|fa|geleden|sedan|siden|sitten|temu|před|pred|acum|ezelőtt"
    r"|önce|назад|тому|преди|πριν|yang lalu|trước|قبل|منذ|پیش|לפני|पहले)\b|前|전|ที่ผ่านมา|ที่แล้ว",
    re.IGNORECASE,
)
"""What the words of an age have in common, by language."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """What a result says about itself."""

    text: str = ""
    published: str | None = None
    """The date or age that the text begins with, in the page's words."""
    featured: bool = False


def read_snippet(anchor: Node, owners: Mapping[Node, int]) -> Snippet:
    """The snippet of the result whose title is the link `anchor`.

    `owners` counts the titles that each element holds; the search stays inside the result's own
    block, the largest one that holds this title alone.
    """
    node = anchor
    for _ in range(_MAX_CLIMB):
        parent = node.getparent()
        if parent is None or owners.get(parent) != 1 or parent.get("id") in _COLUMN_IDS:
            break
        before = [sibling for sibling in node.itersiblings(preceding=True) if _is_body(sibling)]
        before.reverse()
        after = (_prose(sibling) for sibling in node.itersiblings() if _is_body(sibling))
        answer = _answer(before)
        marked = any(_ANSWER_MARK(sibling) for sibling in before)
        if answer and marked:
            return Snippet(answer, _leading_date(answer), featured=True)
        if text := next(filter(None, after), ""):
            return Snippet(text, _leading_date(text))
        if len(answer) >= _MIN_ANSWER:
            return Snippet(answer, _leading_date(answer), featured=True)
        node = parent
    return Snippet()


def _is_body(node: Node) -> bool:
    """Whether `node` is neither a second header nor sitelinks, which have headers of their own."""
    return not _HEADER_PARTS(node)


def _prose(node: Node) -> str:
    return visible_text(node, _is_apart)


def _answer(before: list[Node]) -> str:
    """The answer that the elements `before` a header hold, in page order; empty for none."""
    text = fold(" ".join(visible_text(node, _is_caption) for node in before))
    return text or fold(" ".join(map(_prose, before)))


def _is_caption(node: Node) -> bool:
    # A list answer has a heading above it; a paragraph answer may be marked as a heading itself.
    return node.get("role") == "heading" or _is_apart(node)


def _is_apart(node: Node) -> bool:
    """Whether `node` stands among a snippet's elements without being part of its prose."""
    return (
        node.tag in _CONTROL_TAGS
        or _is_control(node)
        or _is_read_more(node)
        or _is_clock(node)
        or _is_rating_or_missing(node)
        or _is_details(node)
    )


def _is_control(node: Node) -> bool:
    names = node.keys()
    if "role" not in names:
        return not _CONTROL_ATTRIBUTES.isdisjoint(names)
    return (
        node.get("role") in _CONTROL_ROLES
        or not _CONTROL_ATTRIBUTES.isdisjoint(names)
        or _is_small_button(node)
    )


def _is_read_more(node: Node) -> bool:
    """A link that leads to the quoted words on the page, or says which text it continues."""
    return node.tag == "a" and (
        ":~:text=" in node.get("href", "") or "aria-describedby" in node.attrib
    )


def _is_small_button(node: Node) -> bool:
    return node.get("role") == "button" and len(fold("".join(node.itertext()))) < _SHORT_BUTTON


def _is_clock(node: Node) -> bool:
    return len(node) == 0 and node.text is not None and _CLOCK.fullmatch(node.text) is not None


def _is_rating_or_missing(node: Node) -> bool:
    """A line with stars, or one that strikes through the words the page lacks."""
    return node.tag in {"div", "span"} and any(
        child.tag in {"g-review-stars", "s"} or child.get("role") == "img" for child in node
    )


def _is_details(node: Node) -> bool:
    """Whether `node` is a line of facts ("4 pages", "65.90 € · In stock") beside the description.

    Such a line is made of bare spans, has no matched word in it, and is the shorter neighbour.
    """
    if node.tag != "div" or len(node) == 0 or "line-clamp" in node.get("style", ""):
        return False
    if any(child.tag != "span" or not _is_separator(child.tail) for child in node):
        return False
    if not _is_separator(node.text) or _EMPHASIS(node):
        return False
    length = len(visible_text(node))
    neighbours = chain(node.itersiblings(), node.itersiblings(preceding=True))
    return any(not _BLOCKS(other) and len(visible_text(other)) > length for other in neighbours)


def _is_separator(text: str | None) -> bool:
    return text is None or _SEPARATORS.fullmatch(fold(text)) is not None


def stated_date(text: str) -> str | None:
    """The first part of `text` that reads as a date or an age; parts stand between dots (`·`)."""
    return next((part for part in map(str.strip, text.split("·")) if _is_date(part)), None)


def _leading_date(text: str) -> str | None:
    match = _PREFIX.match(text) or _OLD_PREFIX.match(text)
    return stated_date(match[1]) if match else None


def _is_date(text: str) -> bool:
    if len(text) > _MAX_DATE or not any(character.isdigit() for character in text):
        return False
    return _YEAR.search(text) is not None or _AGE.search(text) is not None
