"""Inline Markdown: text, code, links and pictures as pieces, and pieces joined to a line.

Text is escaped only where a CommonMark reader would take it for markup, so that prose stays prose.
A piece is safe on its own, at its edges too; what two neighbours would mean together is settled by
`join`. What matters at a line's start is not known here: `extract.markdown` cares for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import category
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

STRONG = "**"
EMPHASIS = "*"
STRIKE = "~~"
BREAK = "\\\n"
"""A hard line break, as a piece."""

MARKS = frozenset({STRONG, EMPHASIS, STRIKE})
"""Pieces that open a span, or close it when it is open. No escaped text equals one of them."""

_MARKUP = re.compile(
    # Every branch begins with a character, so that the search for one of them is quick.
    r"""
      \\(?=[!-/:-@\[-`{-~\n]|[ ]?\Z)        # would escape what follows
    | `
    | \*(?: (?<![ \t\n]\*)|(?![ \t\n])     # between spaces a star is a star,
        | (?<=\A[ ]\*)|(?=[ ]\Z) )           # but `join` may move these
    | _(?: (?<!\w_)_*+|_*+(?!\w) )           # inside a word an underscore is one
    | ~~+
    | <(?=[A-Za-z/!?]|\Z)                   # a tag, a comment, an address
    | &(?=\#?[0-9A-Za-z]{1,32};)            # an entity
    | \](?=\()                              # a link
    """,
    re.VERBOSE,
)

_TICKS = re.compile("`+")
_OPAQUE = r"\\.|(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"
"""What holds no marks: an escape, a code span."""
_BRACKET = re.compile(rf"{_OPAQUE}|[\[\]]", re.DOTALL)
_STAR = re.compile(
    rf"({_OPAQUE}|\]\((?:[^()\\]|\\.|\([^()]*\))*\))|(?<![ \t\n])\*+|\*+(?![ \t\n])", re.DOTALL
)

_URL_STRIPPED = dict.fromkeys(map(ord, "\t\n\r"))
_URL_ODD = re.compile(r"[\s\x00-\x20\x7f<>\\`]")
_URL_ENTITY = re.compile(r"&(?=#?[0-9A-Za-z]{1,32};)")
_PARENTHESIS = re.compile(r"[()]")
_DEEPEST_PAIRS = 30  # readers of Markdown stop counting at 32

_OPEN_ENTITY = re.compile(r"&#?[0-9A-Za-z]{0,32}\Z")
_LOOSE_TILDE = re.compile(r"(?<!\\)(\\\\)*~\Z")
_SPACES = " \t\n"


def escape(text: str) -> str:
    """`text`, with white space folded, as a piece that reads as itself whatever it holds."""
    # A search for one character costs a tenth of a regular expression's search for a class.
    if (
        "_" in text or "*" in text or "<" in text or "&" in text
        or "]" in text or "`" in text or "\\" in text or "~" in text
    ):  # fmt: skip
        return _MARKUP.sub(_backslashed, text)
    return text


def code_span(text: str) -> str:
    """`text` as inline code, line feeds as spaces; empty for no text."""
    if not text:
        return ""
    text = text.replace("\n", " ")
    if "`" not in text:
        pad = " " if text[0] == text[-1] == " " and not text.isspace() else ""
        return f"`{pad}{text}{pad}`"
    fence = "`" * (1 + max(map(len, _TICKS.findall(text))))
    pad = " " if "`" in text[0] + text[-1] or text[0] == text[-1] == " " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def link(text: str, url: str, title: str = "") -> str:
    """A link to `url` around `text`, which is inline Markdown; just `text` where one is missing.

    White space at the text's ends is kept outside, breaks in it become spaces.
    """
    text = text.replace(BREAK, " ")
    inner = text.strip()
    target = destination(url)
    if not inner or not target:
        return text
    before = " " if text[0].isspace() else ""
    after = " " if text[-1].isspace() else ""
    named = f' "{_title(title)}"' if title else ""
    return f"{before}[{_balanced(inner)}]({target}{named}){after}"


def image(alt: str, url: str) -> str:
    """The picture at `url`; `alt` is plain text."""
    return f"![{_balanced(escape(' '.join(alt.split())))}]({destination(url)})"


def destination(url: str) -> str:
    """`url` as a link's target: what Markdown cannot hold is percent-encoded."""
    url = url.translate(_URL_STRIPPED).strip()
    if _URL_ODD.search(url) is not None:
        url = _URL_ODD.sub(lambda found: quote(found[0], safe=""), url)
    if "&" in url:
        url = _URL_ENTITY.sub(r"\\&", url)
    if "(" in url or ")" in url:
        url = _paired(url)
    return url


def cell(text: str) -> str:
    """Inline Markdown `text` as a table's cell: on one line, with `|` escaped."""
    if "\n" in text:
        text = text.replace(BREAK, "<br>").replace("\n", " ")
    return text.replace("|", "\\|").strip()


def without_stars(text: str) -> str:
    """Inline Markdown `text` without its marks of emphasis."""
    if "*" not in text:
        return text
    return _STAR.sub(lambda found: found[1] or "", text)


def join(pieces: Iterable[str]) -> str:
    """One run of inline Markdown out of `pieces`: escaped text, code, links, `MARKS`, `BREAK`.

    White space is moved out of emphasis and folded where pieces meet; empty spans go, neighbours of
    one kind become one. A span that Markdown could not tell from text, because a letter follows its
    closing mark and a full stop precedes it, loses its marks. Unclosed spans lose theirs too.
    """
    kept = [piece for piece in pieces if piece]
    if not MARKS.isdisjoint(kept):
        kept = _spans(kept)
    joined: list[str] = []
    for piece in kept:
        if joined:
            _meet(joined, piece)
        else:
            _begin(joined, piece)
    while joined and joined[-1] in (BREAK, " "):
        joined.pop()
    if joined:
        joined[-1] = joined[-1].rstrip(_SPACES) if joined[-1] not in MARKS else joined[-1]
    return "".join(joined)


def _backslashed(found: re.Match[str]) -> str:
    return "\\" + "\\".join(found[0])


def _title(text: str) -> str:
    text = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return _URL_ENTITY.sub(r"\\&", text)


def _balanced(text: str) -> str:
    """Link text `text` with every bracket escaped that has no partner."""
    if "[" not in text and "]" not in text:
        return text
    opened: list[int] = []
    lonely: list[int] = []
    for found in _BRACKET.finditer(text):
        if found[0] == "[":
            opened.append(found.start())
        elif found[0] == "]":
            if opened:
                opened.pop()
            else:
                lonely.append(found.start())
    lonely += opened
    for at in sorted(lonely, reverse=True):
        text = f"{text[:at]}\\{text[at:]}"
    return text


def _paired(url: str) -> str:
    """`url` with its parentheses percent-encoded unless they are pairs, which Markdown allows."""
    depth = deepest = 0
    for found in _PARENTHESIS.finditer(url):
        depth += 1 if found[0] == "(" else -1
        deepest = max(deepest, depth)
        if depth < 0:
            break
    if depth == 0 and deepest < _DEEPEST_PAIRS:
        return url
    return url.replace("(", "%28").replace(")", "%29")


def _begin(joined: list[str], piece: str) -> None:
    piece = piece.lstrip(_SPACES) if piece != BREAK else ""
    if piece:
        joined.append(piece)


def _meet(joined: list[str], piece: str) -> None:
    """Appends `piece` so that it and what stands before it keep their meanings."""
    left, first = joined[-1], piece[0]
    last = left[-1]
    if last in _SPACES or first in _SPACES:
        piece = _spaced(joined, piece)
    elif piece == BREAK:
        pass
    elif last == "!" and first == "[":
        joined[-1] = f"{left[:-1]}\\!"
    elif last == "]" and first == "(":
        piece = "\\" + piece
    elif last == "~" and first == "~":
        if left in MARKS:
            piece = "\\" + piece
        else:
            joined[-1] = _LOOSE_TILDE.sub(r"\1\\~", left)
    elif first == last == "`" and left.lstrip()[0] == "`":
        piece = _next_code(joined, piece)
    elif "&" in left[-34:] and (first.isalnum() or first in "#;"):
        joined[-1] = _OPEN_ENTITY.sub(lambda found: "\\" + found[0], left)
    if piece:
        joined.append(piece)


def _spaced(joined: list[str], piece: str) -> str:
    left = joined[-1]
    if BREAK in (piece, left):
        if left == BREAK:
            return "" if piece == BREAK else piece.lstrip(_SPACES)
        joined[-1] = left.rstrip(_SPACES)
        if not joined[-1]:
            joined.pop()
            if not joined or joined[-1] == BREAK:
                return ""
        return piece
    if left[-1] in _SPACES:
        return piece.lstrip(_SPACES)
    return piece


def _next_code(joined: list[str], piece: str) -> str:
    left = joined[-1]
    if left.lstrip()[:2] != "``" and piece[:2] != "``":  # two runs of ticks in touch would be one
        joined[-1] = left[:-1]
        return piece[1:]
    return " " + piece


@dataclass(slots=True, eq=False)
class _Span:
    mark: str
    shown: bool = True


@dataclass(frozen=True, slots=True)
class _Edge:
    span: _Span
    opens: bool


def _spans(pieces: list[str]) -> list[str]:
    """`pieces` with their marks where they work, or left out."""
    line = _Spanned().read(pieces)
    while _drop_unreadable(line):
        pass
    return [item if isinstance(item, str) else item.span.mark for item in line]


class _Spanned:
    """Text and span edges in the making; white space is kept out of the spans' edges."""

    def __init__(self) -> None:
        self.line: list[str | _Edge] = []
        self.open: list[_Span] = []
        self.pending: list[_Span] = []
        self.space = ""

    def read(self, pieces: list[str]) -> list[str | _Edge]:
        for piece in pieces:
            if piece in MARKS:
                self._mark(piece)
            else:
                self._text(piece)
        for span in self.open:
            span.shown = False
        if self.space:
            self.line.append(self.space)
        return [item for item in self.line if isinstance(item, str) or item.span.shown]

    def _mark(self, mark: str) -> None:
        span = next((span for span in self.open if span.mark == mark), None)
        if span is None:
            span = _Span(mark)
            self.open.append(span)
            self.pending.append(span)
            return
        while self.open[-1] is not span:  # crossed: what it cuts off is not shown
            self._close(self.open.pop(), shown=False)
        self._close(self.open.pop(), shown=True)

    def _close(self, span: _Span, *, shown: bool) -> None:
        if span in self.pending:
            self.pending.remove(span)
            return
        span.shown = span.shown and shown
        self._take_space()
        self.line.append(_Edge(span, opens=False))

    def _take_space(self) -> None:
        while self.line and isinstance(last := self.line[-1], str):
            bare = "" if last == BREAK else last.rstrip(_SPACES)
            if bare == last:
                return
            self.space = last[len(bare) :] + self.space
            self.line.pop()
            if bare:
                self.line.append(bare)

    def _text(self, piece: str) -> None:
        if self.pending:
            bare = "" if piece == BREAK else piece.lstrip(_SPACES)
            self.space += piece[: len(piece) - len(bare)]
            if not bare:
                return
            piece = bare
        if self.space:
            self.line.append(BREAK if BREAK in self.space else " ")
            self.space = ""
        for span in self.pending:
            self._open(span)
        self.pending.clear()
        self.line.append(piece)

    def _open(self, span: _Span) -> None:
        last = self.line[-1] if self.line else ""
        if isinstance(last, _Edge) and not last.opens and last.span.mark == span.mark:
            self.line.pop()
            self.open[self.open.index(span)] = last.span  # one span goes on
        else:
            self.line.append(_Edge(span, opens=True))


def _drop_unreadable(line: list[str | _Edge]) -> bool:
    """Takes spans out of `line` whose marks would be read as text; whether there were any."""
    for index, item in enumerate(line):
        if isinstance(item, _Edge) and not _reads(line, index, item):
            item.span.shown = False
    kept = [item for item in line if isinstance(item, str) or item.span.shown]
    dropped = len(kept) < len(line)
    line[:] = kept
    return dropped


def _reads(line: list[str | _Edge], index: int, edge: _Edge) -> bool:
    """Whether Markdown's rule about flanking characters lets `edge` do its work."""
    before, after = _beside(line, index, edge, -1), _beside(line, index, edge, 1)
    inner, outer = (after, before) if edge.opens else (before, after)
    inner_kind = _kind(inner)
    return inner_kind == "L" or (inner_kind == "P" and _kind(outer) != "L")


def _beside(line: list[str | _Edge], index: int, edge: _Edge, step: int) -> str:
    """The character next to the run of equal marks that `edge` at `index` belongs to."""
    mark = edge.span.mark[0]
    index += step
    while 0 <= index < len(line):
        item = line[index]
        if isinstance(item, str):
            return item[0 if step > 0 else -1]
        if item.span.mark[0] != mark:
            return item.span.mark[0]
        index += step
    return " "


def _kind(character: str) -> str:
    """White space "Z", punctuation "P", else "L" (letters mostly), as Markdown has them."""
    kind = category(character)
    if kind == "Zs" or character in "\t\n\f\r":
        return "Z"
    return "P" if kind[0] in "PS" else "L"
