"""Blocks of code in a page: which elements are one, what it says exactly, what it is written in.

Highlighters wrap code in lines, gutters and buttons, each in its own way. What is known here is
their vocabulary, not the sites that use them.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extract.languages import NAMES, NO_LANGUAGE, NOT_A_LANGUAGE, normal_language
from extract.tree import INKLESS, INLINE_TAGS, has_class, is_hidden, query, raw_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extract.tree import Node

_RAW_TAGS = frozenset({"pre", "xmp", "listing", "plaintext"})
_SILENT = frozenset({"button", "input", "noscript", "script", "select", "style", "svg", "template"})
_LINE_TAGS = frozenset({"div", "li", "p", "tr", "pre", "figcaption"})
_LAYOUT_TAGS = frozenset({"table", "tbody", "thead", "tr", "ol", "ul", "colgroup"})

_GUTTER = (
    r"(?:^|[\s_-])(?:line-?_?(?:no|nos|nums?|numbers?|numbering|nodiv|numbers-rows)|ln(?=\s|$)|lnt"
    r"|lntd|ln-n(?:umbers)?|gutters?|blob-num|rouge-gutter|gl|crayon-nums?|nums)(?:[\s_-]|$)"
)
"""Class of what counts lines, provided that there are no words in it."""
_EXTRA = (
    r"(?:^|[\s_-])(?:copy|copybtn|clipboard|test-arrow|language-id|toolbar-item"
    r"|code-?_?(?:block)?-?_?(?:header|title|lang|language|label|toolbar|caption|meta)"
    r"|lang(?:uage)?[-_](?:label|name|tag|badge)|CodeMirror-(?:cursors?|measure))(?:[\s_-]|$)"
)
"""Class of what stands beside the code: buttons, labels; provided that it is short."""
_EXTRA_CHARS = 40
_LINE = (
    r"(?:^|\s)(?:line|token-line|code-line|view-line|cm-line|CodeMirror-line|ec-line|ace_line"
    r"|crayon-line|react-code-line)(?:\s|$)"
)
"""Class of one line of code."""
_IS_GUTTER = re.compile(_GUTTER, re.IGNORECASE)
_IS_EXTRA = re.compile(_EXTRA, re.IGNORECASE)
_IS_LINE = re.compile(_LINE)
_IS_ODD = re.compile(f"{_GUTTER}|{_EXTRA}|{_LINE}", re.IGNORECASE | re.MULTILINE)

_WORD = re.compile(r"[^\W\d_]")
_INKLESS = {**INKLESS, 0xA0: " ", 0x0D: "\n"}
_INDENTATION = (" ", "\t")

_lines = query("./div[contains(concat(' ', @class, ' '), ' line ')]")
_pres = query("(.//pre)[1]")
_first_cell = query("(./tr[1] | ./tbody/tr[1])[1]/*[1]")

_CODE_TABLES = ("highlighttable", "rouge-table", "js-file-line-container", "lntable", "hljs-ln",
                "crayon-table")  # fmt: skip
_EDITORS = ("CodeMirror", "cm-content", "view-lines", "ace_text-layer", "crayon-pre")


def is_code_block(node: Node) -> bool:
    """Whether `node` as a whole is a block of code: `code_text` says all that is to be shown."""
    tag = node.tag
    if tag in _RAW_TAGS:
        return True
    if tag == "table":
        return has_class(node, *_CODE_TABLES) or _has_gutter_cell(node)
    if tag != "div" or not node.get("class"):
        return False
    if has_class(node, "fragment"):
        return bool(_lines(node))
    if has_class(node, *_EDITORS):
        return True
    return has_class(node, "highlight") and _is_bare_highlight(node)


def code_text(node: Node) -> str:
    """The code in `node`, exact but for trailing white space and an indentation of all lines.

    Left out are line numbers, buttons and labels. Empty lines at both ends go, spaces that do not
    break are spaces.
    """
    if _is_plain(node):
        return _tidy(raw_text(node))
    return _without_numbers(_tidy("".join(_pieces(node))))


def language(node: Node) -> str:
    """What the code in `node` is written in, by its common name; empty where nothing says so.

    It may be said on `node`, on a `code` in it, or on what wraps it.
    """
    for place in _places(node):
        own = place is node or place.tag in _OWN_TAGS
        name = _stated(place, own=own)
        classes = place.get("class")
        if name is None and classes:
            name = _in_class(classes, own=own)
        if name is not None:
            return normal_language(name)
    return ""


def is_gutter(node: Node) -> bool:
    """Whether `node` numbers lines of code, and has no words."""
    classes = node.get("class")
    if not classes or _IS_GUTTER.search(classes) is None:
        return False
    return _WORD.search(raw_text(node)) is None


_LANGUAGE_ATTRIBUTES = (
    "data-lang", "data-language", "data-code-lang", "data-code-language",
    "data-enlighter-language", "data-programming-language",
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z][\w+#.-]{0,24}(?![^\s,;:{])")
_OWN_TAGS = frozenset({"pre", "code", "figure"})
_PREFIXED = re.compile(
    r"(?:^|\s)(?:language|(lang)|highlight-source|highlight-text|mw-highlight-lang|highlight|src"
    r"|brush|sourceCode)(?:-|:\s*|_)([A-Za-z][\w+#.-]*)"
)
_UP = 4


def _places(node: Node) -> Iterator[Node]:
    yield node
    inner = next(node.iterdescendants("code"), None)
    if inner is not None:
        yield inner
    steps = 0
    above = node.getparent()
    while above is not None and steps < _UP and above.tag not in _TOO_WIDE:
        yield above
        steps += above.tag not in _LAYOUT_TAGS
        above = above.getparent()


_TOO_WIDE = frozenset({"article", "aside", "body", "html", "main", "section", "ul", "ol"})


def _stated(place: Node, *, own: bool) -> str | None:
    """The language that an attribute made for it names; None where there is none.

    On what wraps the code only a known one counts: such attributes tell English from German, too.
    """
    for attribute in _LANGUAGE_ATTRIBUTES:
        value = place.get(attribute)
        if value and (found := _NAME.match(value.strip())) is not None:
            name = found[0].lower()
            if own or name in NAMES or name in NO_LANGUAGE:
                return name
    return None


def _in_class(classes: str, *, own: bool) -> str | None:
    """The language that a `class` attribute names; None where it names none.

    `own` says that the element is the code's own, of which a class may be the bare name.
    """
    for found in _PREFIXED.finditer(classes):
        name = found[2].lower()
        if name not in NOT_A_LANGUAGE and (own or not found[1] or name in NAMES):
            return name
    words = classes.lower().split()
    if own or "highlight" in words or "sourcecode" in words:
        for word in words:
            if word in NAMES or (own and word in NO_LANGUAGE):
                return word
    return None


def _has_gutter_cell(table: Node) -> bool:
    """Whether the table's first row is a gutter, and code beside it."""
    for cell in _first_cell(table):
        beside = cell.getnext()
        if beside is not None and is_gutter(cell):
            return "code" in (beside.get("class") or "") or bool(_pres(beside))
    return False


def _is_bare_highlight(node: Node) -> bool:
    """Whether `node` holds a `code` of several lines that no `pre` wraps."""
    if len(node) != 1 or node[0].tag != "code":
        return False
    return "\n" in raw_text(node[0]).strip()


def _tidy(text: str) -> str:
    if not text.isascii() or "\r" in text:
        text = text.replace("\r\n", "\n").translate(_INKLESS)
    text = text.strip("\n")
    if " \n" in text or "\t\n" in text or text[-1:].isspace():
        text = "\n".join([line.rstrip() for line in text.split("\n")]).strip("\n")
    return textwrap.dedent(text) if text[:1] in _INDENTATION else text


def _without_numbers(text: str) -> str:
    """`text` without lines that count the lines between them: a gutter that no class tells."""
    if text[:2] != "1\n":
        return text
    lines = text.split("\n")
    if lines[::2] == [str(number) for number in range(1, len(lines) // 2 + 1)]:
        return _tidy("\n".join(lines[1::2]))
    return text


def _is_plain(node: Node) -> bool:
    """Whether the text of `node` is its code, with nothing in it that breaks lines or is left out.

    Most blocks are, and their text is taken in one go.
    """
    classes: set[str] = set()
    for part in node.iterdescendants():
        if part.tag not in INLINE_TAGS:
            return False
        for name, value in part.items():
            if name == "class":
                classes.add(value)
            elif name == "hidden" or (name == "style" and "none" in value):
                return False
    return not classes or _IS_ODD.search("\n".join(classes)) is None


def _pieces(node: Node) -> list[str]:
    """Text of `node`, with line feeds where its markup breaks lines."""
    pieces: list[str] = [""]
    pending: list[Node | str | _End] = [node]
    if has_class(node, "fragment"):
        pending = [*reversed(_lines(node))]  # what else is in it are tooltips
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, _End):
            if not _at_line_start(pieces) or (item.is_line and len(pieces) == item.begun):
                pieces.append("\n")
        elif item.tag == "br":
            pieces.append("\n")
        elif item is node or not _is_left_out(item):
            _begin(item, pieces, pending)
    return pieces


@dataclass(frozen=True, slots=True)
class _End:
    """Where an element ends that stands on lines of its own."""

    is_line: bool
    """Whether it is a line even when there is nothing in it."""
    begun: int
    """How many pieces there were at its start."""


def _begin(node: Node, pieces: list[str], pending: list[Node | str | _End]) -> None:
    """Starts a line where `node` does, and piles up what is in it."""
    is_line = _IS_LINE.search(node.get("class") or "") is not None
    if node.tag in _LINE_TAGS:
        if not _at_line_start(pieces):
            pieces.append("\n")
        pending.append(_End(is_line=is_line, begun=len(pieces)))
    elif is_line and _follows_line(node):
        pieces.append("\n")
    bare = node.tag in _LAYOUT_TAGS
    for child in reversed(node):
        if child.tail and not (bare and child.tail.isspace()):
            pending.append(child.tail)
        pending.append(child)
    if node.text and not (bare and node.text.isspace()):
        pending.append(node.text)


def _follows_line(node: Node) -> bool:
    """Whether a line ends where `node` begins and no line feed says so."""
    before = node.getprevious()
    if before is None or before.tail or _IS_LINE.search(before.get("class") or "") is None:
        return False
    return not raw_text(before).endswith("\n") and before.find(".//br") is None


def _at_line_start(pieces: list[str]) -> bool:
    return not pieces[-1] or pieces[-1][-1] == "\n"


def _is_left_out(node: Node) -> bool:
    if node.tag in _SILENT or is_hidden(node):
        return True
    classes = node.get("class")
    if not classes or node.tag in _RAW_TAGS or node.tag == "code":
        return False
    if _IS_GUTTER.search(classes) is not None:
        return is_gutter(node)
    if _IS_EXTRA.search(classes) is None or next(node.iter("code", "pre"), None) is not None:
        return False
    return len(raw_text(node).strip()) <= _EXTRA_CHARS
