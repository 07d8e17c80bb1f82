"""Where the links and pictures of somebody's Markdown lead: whole addresses, and no programs.

What only makes sense where it came from becomes absolute. What a reader's program would run, or
what holds its own data (`javascript:`, `data:`), is taken out, and the text of the link stays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGN = re.compile(r"\][(:]|=|<[a-z]", re.IGNORECASE)
"""What every place that is looked for has."""
_URL = r"""[^\s"'<>()]+ (?: \([^\s"'<>()]*\) [^\s"'<>()]* )*"""
_TARGET = re.compile(
    rf"""
    (?: (?P<link> \]\( [\s>]* <? [ ]* )
      | ^ (?P<lead> [ \t>*+-]* (?:\d{{1,9}}[.)][ \t]+)? )
        (?P<label> \[[^\[\]]{{1,999}}\]: [\s>]* <? )
      | (?P<attribute> \b(?:src|href|action|poster|formaction) \s*=\s* ["']? \s* )
      | (?P<open> < (?=[a-z]+:) )
    ) (?P<url> {_URL} )
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_AFTER_DEFINED = re.compile(r"""[ \t]*>?[ \t]*(?:["'(].*)?$""", re.MULTILINE)
_TICKS = re.compile(r"`+")
_BRACKETS = re.compile(r"\\.|[\[\]]", re.DOTALL)
_PARENTHESES = re.compile(r"\\.|[()]|\n[ \t]*\n", re.DOTALL)
_MOST_PARENTHESES = 64
"""In a link that is taken out; what has more loses its address only."""
_LINE_MARKS = " \t>*+-.)#|0123456789"
_HIDDEN = re.compile(r"[\x00-\x20\x7f\\]+")
_PROGRAM = re.compile(r"(?:javascript|vbscript|data):", re.IGNORECASE)
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PICTURE = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|ico|avif|mp4|mov|webm)(?:[?#]|\Z)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Bases:
    """What relative addresses are resolved against; empty for those that stay as they are."""

    links: str = ""
    pictures: str = ""
    links_root: str = ""
    """For addresses that begin with a slash."""
    pictures_root: str = ""

    def absolute(self, url: str) -> str:
        """The whole address of what a text names by `url`."""
        if url.startswith("//"):
            return f"https:{url}"
        if url.startswith("#") or _ABSOLUTE.match(url):
            return url
        picture = _PICTURE.search(url) is not None
        root = self.pictures_root if picture else self.links_root
        base = self.pictures if picture else self.links
        if url.startswith("/") and root:
            return root + url.lstrip("/")
        try:
            return urljoin(base, url) if base else url
        except ValueError:
            return url


def retargeted(text: str, bases: Bases) -> str:
    """The text of one paragraph, or of one line, with its addresses as they should be."""
    if _SIGN.search(text) is None:
        return text
    spans = iter([*_code_spans(text), (len(text), len(text))])
    start, end = next(spans)
    partners: dict[int, int] | None = None
    edits: list[tuple[int, int, str]] = []
    done = 0
    for found in _TARGET.finditer(text):
        while end <= found.start():
            start, end = next(spans)
        if found.start() >= start or found.start() < done:
            continue
        if is_program(found["url"]):
            if found["link"] is not None and partners is None:
                partners = _partners(text)
            edits += _taken_out(text, found, partners or {})
            done = max(edits[-1][1], found.end())
        elif found["open"] is None and _is_target(text, found):
            edits.append((*found.span("url"), bases.absolute(found["url"])))
    return _edited(text, edits)


def is_program(url: str) -> bool:
    """Whether an address is run, or is its own content, instead of leading somewhere."""
    return _PROGRAM.match(_HIDDEN.sub("", unescape(url))) is not None


def _is_target(text: str, found: re.Match[str]) -> bool:
    """Whether what looks like an address is one, and no words of a sentence."""
    if found["attribute"] is not None:
        return found["attribute"].rstrip()[-1] in "\"'"
    if found["label"] is not None:
        return _AFTER_DEFINED.match(text, found.end()) is not None
    return True


def _taken_out(
    text: str, found: re.Match[str], partners: dict[int, int]
) -> list[tuple[int, int, str]]:
    """What to change so that an address is gone; the last of it ends furthest on."""
    if found["open"] is not None:
        return [(found.start("open"), found.end("open"), "\\<")]
    if found["attribute"] is not None:
        return [(*found.span("url"), "")]
    if found["label"] is not None:
        line_end = text.find("\n", found.end())
        return [(found.start("label"), line_end if line_end >= 0 else len(text), "")]
    close = _closing(text, found)
    opened = partners.get(found.start())
    line = "" if opened is None else text[text.rfind("\n", 0, opened) + 1 : opened]
    if opened is None or not line.strip(_LINE_MARKS):  # its text could begin a block here
        return [(found.start(), close, "\\]")]
    begin = opened - (text[opened - 1] == "!")
    return [(begin, opened + 1, ""), (found.start(), close, "")]


def _closing(text: str, found: re.Match[str]) -> int:
    """Where the parenthesis of a link ends; where the address ends if it does not."""
    depth = 0
    for count, mark in enumerate(_PARENTHESES.finditer(text, found.start() + 1)):
        if count > _MOST_PARENTHESES or mark[0][0] == "\n":
            break
        depth += (mark[0] == "(") - (mark[0] == ")")
        if not depth:
            return mark.end()
    return found.end()


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where code stands in a paragraph: between runs of as many ticks."""
    runs = [found.span() for found in _TICKS.finditer(text)] if "`" in text else []
    later: dict[int, list[int]] = {}
    for at in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[at][1] - runs[at][0], []).append(at)
    at = 0
    while at < len(runs):
        start, end = runs[at]
        start += _is_escaped(text, start)
        waiting = later.get(end - start, [])
        while waiting and waiting[-1] <= at:
            waiting.pop()
        if not waiting:
            at += 1
            continue
        yield start, runs[waiting[-1]][1]
        at = waiting[-1] + 1


def _is_escaped(text: str, place: int) -> bool:
    before = place
    while before and text[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 1


def _partners(text: str) -> dict[int, int]:
    """The opening bracket of each closing one."""
    opened: list[int] = []
    found = {}
    for mark in _BRACKETS.finditer(text):
        if mark[0] == "[":
            opened.append(mark.start())
        elif mark[0] == "]" and opened:
            found[mark.start()] = opened.pop()
    return found


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    pieces = []
    place = 0
    for start, end, instead in sorted(edits):
        pieces += [text[place:start], instead]
        place = max(place, end)
    return "".join([*pieces, text[place:]])
