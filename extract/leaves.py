"""A block by itself as Markdown, wherever it stands.

Text comes escaped, as `extract.inline` makes it; here it is kept from being read as another kind of
block than it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extract.inline import BREAK, STRONG, without_stars
from extract.model import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from extract.model import Block

_LINE_START = re.compile(
    r"""
      (?P<mark> \#{1,6}(?=[ \t]|\Z)     # a heading
      | >                               # a quotation
      | [-+*](?=[ \t]|\Z)               # an item, a rule
      | =+[ \t]*\Z | -+[ \t]*\Z         # what makes a heading of the line above
      | [|:-][-:|\ \t]*\Z               # what makes a table of the line above
      )
    | (?P<number> \d{1,9})[.)](?=[ \t]|\Z)
    """,
    re.VERBOSE | re.ASCII,
)
_RISKY = frozenset("#>-+*=|:[0123456789 \t")
_REFERENCE = re.compile(r"\[(?:[^\[\]\\]|\\.)+\]:", re.DOTALL)
_BARE_TARGET = re.compile(r"""<|\S+\s*(?:\Z|\n|["'(])""")
_CLOSING_HASHES = re.compile(r"(?:^|(?<=[ \t]))(?=#+[ \t]*\Z)")
_FENCES = ("```", "~~~", "<", "[")
_TICKS = re.compile("`{3,}")
_NOT_IN_INFO = re.compile(r"[\s`\\&]+")


def line_start(text: str) -> str:
    """Inline Markdown `text` with nothing at the start of its lines that would read as a block."""
    if "\n" in text:
        text = "\n".join([_line(line.strip(" \t")) for line in text.split("\n")])
    elif text[:1] in _RISKY:
        text = _line(text.strip(" \t"))
    if text[:1] == "[" and _REFERENCE.match(text) is not None:
        return "\\" + text
    return text


def _line(line: str) -> str:
    found = _LINE_START.match(line)
    if found is None:
        return line
    end = found.end("number") if found["number"] else 0
    return f"{line[:end]}\\{line[end:]}"


def content(block: Block, *, dashes: bool) -> str:
    """The Markdown of `block` as if it stood in no frame; empty where there is nothing to show."""
    if block.kind is Kind.RULE:
        # Dashes would open front matter in the first line, and be a list's mark in an item's.
        return "---" if dashes else "___"
    return _WRITERS[block.kind](block)


def footnote(mark: str, text: str) -> str:
    """Inline Markdown `text` behind the `mark` of a footnote.

    One word behind it would read as a link's target, and vanish; there the mark is escaped.
    """
    return f"\\{mark}{text}" if _BARE_TARGET.match(text) is not None else mark + text


def _paragraph(block: Block) -> str:
    return line_start(block.inline) if block.inline else ""


def _term(block: Block) -> str:
    inner = line_start(without_stars(block.inline).strip())
    return f"{STRONG}{inner}{STRONG}" if inner else ""


def _heading(block: Block) -> str:
    text = block.inline.replace(BREAK, " ").replace("\n", " ").strip()
    if not text:
        return ""
    if text[-1] == "#":
        text = _CLOSING_HASHES.sub(r"\\", text, count=1)
    return f"{'#' * min(max(block.level, 1), 6)} {text}"


def _fenced(block: Block) -> str:
    text = block.text
    fence = "```"
    if fence in text:
        fence = "`" * (1 + max(map(len, _TICKS.findall(text))))
    info = _NOT_IN_INFO.sub("", block.language) if block.language else ""
    return f"{fence}{info}\n{text}\n{fence}" if text else f"{fence}{info}\n{fence}"


def _table(block: Block) -> str:
    if not block.rows:
        return ""
    width = max(map(len, block.rows))
    rows = [_row(row, width) for row in block.rows]
    if not block.header:
        rows.insert(0, _row((), width))
    rows.insert(1, "|" + " --- |" * width)
    return "\n".join(rows)


def _row(cells: tuple[str, ...], width: int) -> str:
    short = width - len(cells)
    return f"| {' | '.join(cells + ('',) * short if short else cells)} |"


def _math(block: Block) -> str:
    """TeX is not escaped; where a line of it would read as a block, all of it stands on one."""
    lines = [line.strip() for line in block.text.split("\n")]
    lines = [line for line in lines if line]
    if not lines:
        return ""
    if any(line.startswith(_FENCES) or _LINE_START.match(line) is not None for line in lines):
        return f"$$ {' '.join(lines)} $$"
    return "\n".join(["$$", *lines, "$$"])


_WRITERS: dict[Kind, Callable[[Block], str]] = {
    Kind.CODE: _fenced,
    Kind.HEADING: _heading,
    Kind.MATH: _math,
    Kind.PARAGRAPH: _paragraph,
    Kind.TABLE: _table,
    Kind.TERM: _term,
}
