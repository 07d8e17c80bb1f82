"""Markdown that somebody else wrote, made part of a document of ours.

It stays as it is but for what would reach beyond itself: its headings go below ours, a block of
code that it leaves open is closed, comments that nobody sees are dropped, addresses that only
make sense where it came from become absolute, and those of programs go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.sites import writing
from broker.sites.markdown_blocks import Kind, Row, rows_of
from broker.sites.markdown_targets import Bases, retargeted

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Bases", "as_page", "contained"]

_LOWEST = 6
_FRONT, _FRONT_END = "---\n", "\n---"
_KEY = re.compile(r"[\w\"'.-]+[ \t]*:(?=\s|\Z)")


def contained(markdown: str, below: int, bases: Bases | None = None) -> str:
    """`markdown` as a part of a document that stands below a heading of level `below`.

    Its headings are moved down as far as that needs, and no further than to level 6. Those in
    quotations and lists do not count for that. Data that stand before it become a block of YAML.
    """
    rows = rows_of(_with_front(_tidy(markdown)))
    levels = [each.level for each in rows if each.level and not each.lead]
    shift = max(0, below + 1 - min(levels, default=below + 1))
    return _written(rows, shift, below + 1, bases or Bases())


def as_page(markdown: str, bases: Bases | None = None) -> tuple[str, str]:
    """The title of a Markdown file that is a document of its own, and the rest, below level 1.

    The title is that of its first heading where this is one of level 1; else it is empty.
    """
    rows = rows_of(_tidy(markdown))
    at = next((at for at, each in enumerate(rows) if each.level and not each.lead), -1)
    title = ""
    if at >= 0 and rows[at].level == 1:
        title = rows.pop(at).text
    shift = 1 if any(each.level == 1 and not each.lead for each in rows) else 0
    return title, _written(rows, shift, 2, bases or Bases())


def _tidy(markdown: str) -> str:
    text = markdown.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return writing.steady(text).rstrip()


def _with_front(text: str) -> str:
    """Markdown whose front matter, if it has any, is a block of YAML."""
    if not text.startswith(_FRONT):
        return text
    front, end, rest = text[len(_FRONT) :].partition(_FRONT_END)
    ends = end and (not rest.strip() or rest.partition("\n")[0].strip() == "")
    if not ends or "\n\n" in front or _KEY.match(front) is None:
        return text
    return writing.joined(writing.fenced(front, "yaml"), rest.lstrip("\n"))


def _written(rows: list[Row], shift: int, highest: int, bases: Bases) -> str:
    parts = _parts(rows, shift, highest, bases)
    return "\n".join(parts).strip("\n").rstrip()


def _parts(rows: list[Row], shift: int, highest: int, bases: Bases) -> Iterator[str]:
    """Lines and whole paragraphs with their headings and addresses as they should be."""
    paragraph: list[str] = []
    for row in rows:
        if row.kind is Kind.MORE:
            paragraph.append(row.text)
            continue
        if paragraph:
            yield retargeted("\n".join(paragraph), bases)
            paragraph = []
        if row.kind is Kind.CODE or row.kind is Kind.BLANK:
            yield row.text
        elif row.kind is Kind.HEADING:
            level = min(_LOWEST, max(row.level + shift, highest))
            title = retargeted(row.text, bases)
            yield f"{row.lead}{'#' * level} {title}".rstrip()
        else:
            paragraph = [row.text]
    if paragraph:
        yield retargeted("\n".join(paragraph), bases)
