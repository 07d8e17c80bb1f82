"""A piece of markup that is known to be content, such as a post's body: all of it becomes blocks.

Nothing is judged here. What the markup itself hides stays out, as everywhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from extract.assemble import assemble
from extract.clues import Reader
from extract.markdown import render
from extract.model import Kind
from extract.passages import HIDDEN, NOSCRIPT
from extract.tree import parse
from extract.walk import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extract.model import Block
    from extract.tree import Node

_LOWEST = 6
"""The deepest level of a heading."""


def blocks(html: str | Node, base: str = "", *, below: int = 0) -> tuple[Block, ...]:
    """Everything that `html` shows, in reading order. Never raises; a tree is left as it is.

    Args:
        html: markup, or a tree of it.
        base: what relative links are resolved against.
        below: the level of the heading that it will stand below: its own ones are moved down as
            far as that needs, and no further than to level 6. 0 leaves them as they are.
    """
    root = parse(html) if isinstance(html, str) else html
    page = walk(root, Reader({}), everything=True)
    shown = [passage for passage in page.passages if not passage.flags & (HIDDEN | NOSCRIPT)]
    made, _ = assemble(shown, shown, base)
    return lowered(made, below) if below else made


def markdown(html: str | Node, base: str = "", *, below: int = 0) -> str:
    """The same as Markdown."""
    return render(blocks(html, base, below=below))


def lowered(made: Sequence[Block], below: int) -> tuple[Block, ...]:
    """`made` with its headings below level `below`, and as deep among themselves as they were."""
    levels = [block.level for block in made if block.kind is Kind.HEADING]
    shift = max(0, below + 1 - min(levels, default=below + 1))
    if not shift:
        return tuple(made)
    return tuple(
        replace(block, level=min(_LOWEST, block.level + shift))
        if block.kind is Kind.HEADING
        else block
        for block in made
    )


def remove(node: Node) -> None:
    """Take `node` out of its tree; what is written behind it stays."""
    parent = node.getparent()
    if parent is None:
        return
    tail = node.tail or ""
    before = node.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(node)
