"""Vector pictures (SVG): what is written in them. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extract.inline import escape
from extract.tree import fold
from extract.xml import name, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extract.tree import Node

_BEGIN = re.compile(
    r"\s*(?:<\?xml\b[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!DOCTYPE\s+svg\b[^>[]*(?:\[[^\]]*\]\s*)?>\s*)?"
    r"(?:<!--.*?-->\s*)*<(?:svg:)?svg[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_SAID = frozenset({"desc", "foreignObject", "text", "title"})
_LINES = frozenset({"br", "div", "li", "p", "tr"})
_SILENT = frozenset({"metadata", "script", "style"})


def is_vector(head: str) -> bool:
    """Whether a file that begins with `head` is such a picture."""
    return _BEGIN.match(head) is not None


def vector_markdown(body: str) -> str:
    """A picture's title as a heading, and the other texts in it, a paragraph each; or nothing."""
    root = parse(body)
    if root is None:
        return ""
    parts: list[str] = []
    for node in _said(root):
        said = escape(fold(_written(node)))
        if said:
            is_title = name(node) == "title" and node.getparent() is root
            parts.append(f"# {said}" if is_title else said)
    return "\n\n".join(parts)


def _said(node: Node) -> Iterator[Node]:
    """What is written below `node`, in order; of a choice for different programs the first."""
    for child in node:
        kind = name(child)
        if kind in _SAID:
            yield child
        elif kind and kind not in _SILENT:
            yield from _said(child)
        else:
            continue
        if name(node) == "switch":
            break


def _written(node: Node) -> str:
    """All text below `node`, with a space where something begins at a place of its own."""
    pieces = [node.text or ""]
    for child in node:
        kind = name(child)
        apart = kind in _LINES or not {"x", "y", "dy"}.isdisjoint(child.keys())
        pieces += [" " * apart, _written(child) if kind else "", " " * apart, child.tail or ""]
    return "".join(pieces)
