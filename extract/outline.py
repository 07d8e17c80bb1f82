"""The outline of a page: its sections with their sizes, and what a block's section is."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from extract.model import Block, Kind, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
"""Characters of scripts that put no spaces between words: Chinese, Japanese, Thai and the like."""


def outline(blocks: Sequence[Block]) -> tuple[Section, ...]:
    """The sections of `blocks` in reading order; together they hold every block once."""
    heads = [
        index for index, block in enumerate(blocks) if block.kind is Kind.HEADING and block.text
    ]
    if not heads or heads[0] > 0:
        heads.insert(0, -1)
    sections = []
    for head, following in zip(heads, [*heads[1:], len(blocks)], strict=True):
        first = max(head, 0)
        if first == following:
            continue  # there is no block at all
        body = blocks[head + 1 : following]
        sections.append(
            Section(
                level=blocks[head].level if head >= 0 else 0,
                text=blocks[head].text if head >= 0 else "",
                words=count_words(block.text for block in body),
                start=first,
                end=following,
            )
        )
    return tuple(sections)


def largest(sections: Sequence[Section]) -> Section | None:
    """The section with the most words of its own, the first of several; None without sections."""
    return max(sections, key=lambda section: section.words, default=None)


def section_of(sections: Sequence[Section], block_index: int) -> Section | None:
    """The section that the block at `block_index` stands in; None where it is in none."""
    place = bisect_right(sections, block_index, key=lambda section: section.start)
    if not place or block_index >= sections[place - 1].end:
        return None
    return sections[place - 1]


def heading_paths(sections: Sequence[Section]) -> tuple[tuple[str, ...], ...]:
    """For each section the headings it stands below, outermost first, its own last."""
    paths: list[tuple[str, ...]] = []
    above: list[Section] = []
    for section in sections:
        while above and above[-1].level >= section.level:
            above.pop()
        if section.level:
            above.append(section)
        paths.append(tuple(each.text for each in above))
    return tuple(paths)


def count_words(texts: Iterable[str]) -> int:
    """Words of all `texts`; a character of a script without spaces counts as half a word."""
    words = halves = 0
    for text in texts:
        if text.isascii():
            words += len(text.split())
            continue
        rest, count = _UNSPACED.subn(" ", text)
        halves += count
        words += len(rest.split())
    return words + (halves + 1) // 2
