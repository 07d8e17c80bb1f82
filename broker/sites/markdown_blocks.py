"""Which lines of somebody's Markdown are headings, code, markup and text: CommonMark's block pass.

Line by line with the containers that are open, as the specification describes it, and in time that
grows with the text alone. Beside it, tables are known as GitHub writes them, HTML's comments are
dropped, and what is left open at the end is closed. What lines hold is no matter here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from broker.sites.markdown_markup import html_end, is_over

_DEEPEST = 20
"""Containers in one another; marks of deeper ones are text."""
_CODE_INDENT = 4
_HEADING = re.compile(r"(#{1,6})(?= |\Z)")
_FENCE = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?= |\Z)", re.ASCII)
_REFERENCE = re.compile(r"\[(?:[^\[\]\\]|\\.)+\]: *\S+(?: +(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))? *")
_CLOSING = re.compile(r"(?:\A|(?<= ))(?=#+\Z)")
_FENCED = re.compile(r"(?:[>\s]|[-+*] |\d{1,9}[.)] )*(?:```|~~~)", re.ASCII)
"""A line that begins a block of code, or would in some place."""
_OPEN, _CLOSE = "<!--", "-->"


class Kind(Enum):
    """What a line is."""

    TEXT = auto()
    """The first line of a paragraph, or one that stands by itself."""
    MORE = auto()
    """A further line of the paragraph above it."""
    BLANK = auto()
    HEADING = auto()
    CODE = auto()
    MARKUP = auto()


@dataclass(slots=True)
class Row:
    """A line, or the lines of an underlined heading as one."""

    text: str
    """Whole; of a heading without its marks."""
    kind: Kind
    level: int = 0
    """Of a heading."""
    lead: str = ""
    """The marks of the containers that a heading stands in, as they stand before it."""


class _Leaf(Enum):
    NONE = auto()
    PARAGRAPH = auto()
    TABLE = auto()
    FENCE = auto()
    MARKUP = auto()


@dataclass(slots=True)
class _Holder:
    """A container that is open."""

    width: int
    """How far in an item's content stands; 0 for a quotation."""
    is_empty: bool = True


def rows_of(markdown: str) -> list[Row]:
    """The lines of `markdown`, which ends lines by line feeds, without comments and open ends."""
    reader = _Reader(markdown)
    for place, line in enumerate(markdown.split("\n")):
        reader.take(line, place)
    return reader.end()


class _Reader:
    """One pass over the lines."""

    def __init__(self, markdown: str) -> None:
        self._rows: list[Row] = []
        self._holders: list[_Holder] = []
        self._quote_at: int | None = None  # the outermost quotation among them
        self._leaf = _Leaf.NONE
        self._lead = ""  # what stood before the leaf's first line
        self._ends = ""  # how the block of code or markup that is open ends
        self._titles: list[str] = []  # the lines of the paragraph that is open
        self._in_comment = False
        last = markdown.rfind(_CLOSE)
        self._last_close = markdown.count("\n", 0, last) if last >= 0 else -1

    def take(self, line: str, place: int) -> None:
        if self._in_comment or _OPEN in line:
            shown = self._uncommented(line, closes=place < self._last_close)
            if shown is None:
                return
            line = shown
        text = line.expandtabs(4) if "\t" in line else line
        depth, pos = self._matched(text)
        if depth == len(self._holders) and self._goes_on(line, text[pos:]):
            return
        if not text[pos:].lstrip(" "):
            self._leave(depth)
            self._leaf = _Leaf.NONE
            self._rows.append(Row(line, Kind.BLANK))
            return
        self._begin(line, text, depth, pos)

    def end(self) -> list[Row]:
        self._leave(0)
        self._finish()
        return self._rows

    # --- containers --------------------------------------------------------------------------

    def _matched(self, text: str) -> tuple[int, int]:
        """How many of the open containers go on in a line, and where their content begins."""
        holders = self._holders
        if not holders:
            return 0, 0
        if not text.lstrip(" "):
            depth = len(holders) - holders[-1].is_empty if self._quote_at is None else None
            return (self._quote_at or 0 if depth is None else depth), 0
        pos = 0
        for depth, holder in enumerate(holders):
            bare = text[pos:].lstrip(" ")
            indent = len(text) - pos - len(bare)
            if not holder.width:
                if indent >= _CODE_INDENT or not bare.startswith(">"):
                    return depth, pos
                pos += indent + 1 + bare.startswith("> ")
            elif bare and indent >= holder.width:
                pos += holder.width
            elif bare or holder.is_empty:
                return depth, pos
        return len(holders), pos

    def _begin(self, line: str, text: str, depth: int, pos: int) -> None:
        """A line that is not blank and goes on with no code: its containers, and what it is."""
        whole = depth == len(self._holders)
        while True:
            bare = text[pos:].lstrip(" ")
            indent = len(text) - pos - len(bare)
            if indent >= _CODE_INDENT:
                break
            is_paragraph = whole and self._leaf is _Leaf.PARAGRAPH
            if is_paragraph and bare[:1] in "=-" and bare and self._underlines(bare, text[:pos]):
                return
            holder = None if len(self._holders) >= _DEEPEST else _holder(bare, indent, is_paragraph)
            if holder is None:
                break
            self._leave(depth)
            if self._holders:
                self._holders[-1].is_empty = False
            if not holder.width and self._quote_at is None:
                self._quote_at = depth
            self._holders.append(holder)
            self._leaf = _Leaf.NONE
            depth += 1
            whole = True
            pos += holder.width or indent + 1 + bare.startswith("> ")
        if not bare:
            self._rows.append(Row(line, Kind.TEXT))
        else:
            self._content(line, bare, indent, depth, text[:pos])

    def _leave(self, depth: int) -> None:
        """Close the containers beyond `depth`, and what stands in them."""
        if depth < len(self._holders):
            self._finish()
            del self._holders[depth:]
            if self._quote_at is not None and self._quote_at >= depth:
                self._quote_at = None

    def _finish(self) -> None:
        """Close the block of code or markup that is open, where that takes a line.

        In a quotation, or behind an item's own mark, the end of that ends it.
        """
        needs = self._leaf is _Leaf.FENCE or (self._leaf is _Leaf.MARKUP and not self._holders)
        if needs and self._ends and not self._lead.strip(" "):
            after = len(self._rows)
            while not self._rows[after - 1].text.strip():
                after -= 1
            kind = Kind.CODE if self._leaf is _Leaf.FENCE else Kind.MARKUP
            closing = Row(self._lead + self._ends, kind)
            self._rows[after:] = [closing, *self._rows[after:]]
        self._leaf = _Leaf.NONE

    # --- what stands in them -----------------------------------------------------------------

    def _goes_on(self, line: str, rest: str) -> bool:
        """Whether a line belongs to the block of code or markup that is open; then it is taken."""
        if self._leaf is _Leaf.FENCE:
            self._rows.append(Row(line, Kind.CODE))
            bare = rest.strip(" ")
            indented = len(rest) - len(rest.lstrip(" ")) >= _CODE_INDENT
            if bare.startswith(self._ends) and not indented and not bare.strip(self._ends[0]):
                self._leaf = _Leaf.NONE
            return True
        if self._leaf is _Leaf.MARKUP and (self._ends or rest.lstrip(" ")):
            self._rows.append(Row(line, Kind.MARKUP))
            if self._ends and is_over(self._ends, rest):
                self._leaf = _Leaf.NONE
            return True
        return False

    def _content(self, line: str, bare: str, indent: int, depth: int, lead: str) -> None:
        """What a line is behind the marks of its containers."""
        goes_on = self._leaf in {_Leaf.PARAGRAPH, _Leaf.TABLE}
        if indent >= _CODE_INDENT:
            leaf = None if goes_on else (Kind.CODE, _Leaf.NONE, "")
        else:
            leaf = self._marked(bare, may_be_any=not goes_on)
        if leaf is None and goes_on:  # in lazy continuation the containers stay open, too
            self._rows.append(Row(line, Kind.MORE))
            self._titles.append(bare)
            if "|" in bare and "-" in bare and not bare.strip("|-: "):
                self._leaf = _Leaf.TABLE
            return
        self._leave(depth)
        if self._holders:
            self._holders[-1].is_empty = False
        kind, self._leaf, self._ends = leaf or (Kind.TEXT, _Leaf.PARAGRAPH, "")
        self._lead, self._titles = lead + " " * (indent if kind is Kind.CODE else 0), [bare]
        if kind is Kind.HEADING:
            level = len(bare) - len(bare.lstrip("#"))
            self._rows.append(Row(_unclosed(bare[level:]), kind, level, lead))
        else:
            self._rows.append(Row(line, kind))

    def _marked(self, bare: str, *, may_be_any: bool) -> tuple[Kind, _Leaf, str] | None:
        """What the first characters of a line say it is; None for text."""
        first = bare[0]
        if first == "#" and _HEADING.match(bare) is not None:
            return Kind.HEADING, _Leaf.NONE, ""
        if first in "`~" and (fence := _FENCE.match(bare)) is not None:
            return Kind.CODE, _Leaf.FENCE, fence[0]
        if first in "*-_" and _is_rule(bare):
            return Kind.TEXT, _Leaf.NONE, ""
        if first == "<" and (end := html_end(bare, alone=may_be_any)) is not None:
            open_still = not end or not is_over(end, bare)
            return Kind.MARKUP, _Leaf.MARKUP if open_still else _Leaf.NONE, end
        return None

    def _underlines(self, bare: str, lead: str) -> bool:
        """Whether a line makes a heading of the paragraph above it; then it is made."""
        mark = bare.rstrip(" ")
        titles = self._titles
        if mark.strip(mark[0]) or (mark[0] == "-" and titles[-1].startswith("|")):
            return False
        first = next((at for at, text in enumerate(titles) if not _REFERENCE.fullmatch(text)), -1)
        if first < 0:
            return False
        title = _CLOSING.sub(r"\\", " ".join(text.strip(" ") for text in titles[first:]), count=1)
        del self._rows[len(self._rows) - len(titles) + first :]
        level = 1 if mark[0] == "=" else 2
        self._rows.append(Row(title, Kind.HEADING, level, lead if first else self._lead))
        self._leaf = _Leaf.NONE
        return True

    # --- comments ----------------------------------------------------------------------------

    def _uncommented(self, line: str, *, closes: bool) -> str | None:
        """A line without HTML's comments, `closes` where one that it opens is closed further down.

        None where nothing is left.
        """
        if not self._in_comment and self._is_code(line.expandtabs(4)):
            return line
        began = self._in_comment
        shown, self._in_comment = _outside(line, inside=began, closes=closes)
        return shown if shown.strip() or not (began or line.strip()) else None

    def _is_code(self, text: str) -> bool:
        depth, pos = self._matched(text)
        whole = depth == len(self._holders)
        if whole and self._leaf is _Leaf.FENCE:
            return True
        rest = text[pos:]
        indent = len(rest) - len(rest.lstrip(" "))
        is_text = self._leaf in {_Leaf.PARAGRAPH, _Leaf.TABLE}
        return (indent >= _CODE_INDENT and not is_text) or _FENCED.match(text) is not None


def _holder(bare: str, indent: int, interrupts: bool) -> _Holder | None:  # noqa: FBT001 - local
    """The container that a line begins; `interrupts` where it would end a paragraph with that."""
    if bare[:1] == ">":
        return _Holder(0)
    found = _ITEM.match(bare)
    if found is None or _is_rule(bare):
        return None
    after = bare[found.end() :]
    inner = after.lstrip(" ")
    if interrupts and (not inner or int(found[1] or 1) != 1):
        return None
    spaces = len(after) - len(inner)
    fits = inner and 1 <= spaces <= _CODE_INDENT
    return _Holder(indent + found.end() + (spaces if fits else 1))


def _is_rule(bare: str) -> bool:
    marks = bare.replace(" ", "") if bare[0] in "*-_" else ""
    return len(marks) >= 3 and not marks.strip(marks[0])  # noqa: PLR2004 - a rule has three


def _unclosed(title: str) -> str:
    """A heading without the marks that may close it."""
    title = title.strip(" ")
    bare = title.rstrip("#")
    return bare.rstrip(" ") if not bare or bare[-1] == " " else title


def _outside(text: str, *, inside: bool, closes: bool) -> tuple[str, bool]:
    """What of a line stands outside comments, and whether one goes on behind it.

    `inside` says whether the line begins in one, `closes` whether one is closed further down.
    """
    kept: list[str] = []
    place, ticks = 0, 0
    last = text.rfind(_CLOSE)
    while True:
        if inside:
            end = text.find(_CLOSE, place)
            if end < 0:
                return "".join(kept), True
            place = end + len(_CLOSE)
        start = text.find(_OPEN, place)
        before = text[place:start] if start >= 0 else text[place:]
        kept.append(before)
        if start < 0:
            return "".join(kept), False
        ticks += before.count("`")
        place = start + len(_OPEN)
        inside = not ticks % 2 and (closes or last >= place)
        if not inside:  # written about, or never closed
            kept.append(_OPEN if ticks % 2 else f"\\{_OPEN}")
