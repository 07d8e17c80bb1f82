"""Markdown that somebody else wrote, made part of a document of ours.

It stays as it is but for what would reach beyond itself: its headings go below ours, a block of
code that it leaves open is closed, comments that nobody sees are dropped, and addresses that only
make sense where it came from become absolute. Read line by line, as all of its structure is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
"""One further in belongs to a list, and what stands in it is further in, too."""
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|\Z)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_NO_TITLE = re.compile(r" {0,3}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]|\||<|#{1,6}[ \t])|[ ]{4}|\t")
"""How a line begins that no underline makes a heading."""
_OPEN, _CLOSE = "<!--", "-->"
_LOWEST = 6
_LONGEST = 2_000
"""Characters of a line that is searched for addresses; longer ones are data."""

_CODE = r"(?P<ticks>(?<!`)(`+)(?!`).*?(?<!`)\2(?!`))"
_TARGET = re.compile(
    rf"""{_CODE}
    | (?P<before> \]\(\s*<? | ^[ ]{{0,3}}\[[^\]]+\]:\s+<? | \b(?:src|href)\s*=\s*["'] )
      (?P<url> [^\s"'<>()]+ (?: \([^\s"'<>()]*\) [^\s"'<>()]* )* )
    """,
    re.VERBOSE | re.IGNORECASE,
)
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


@dataclass(slots=True)
class _Line:
    text: str
    level: int = 0
    """Of a heading; its text is then without marks."""
    is_code: bool = False


@dataclass(slots=True)
class _Reading:
    """Lines, with what is known of them."""

    lines: list[_Line] = field(default_factory=list)
    fence: str = ""
    """The fence that is open."""


def contained(markdown: str, below: int, bases: Bases | None = None) -> str:
    """`markdown` as a part of a document that stands below a heading of level `below`.

    Its headings are moved down as far as that needs, and no further than to level 6.
    """
    lines = _read(_tidy(markdown))
    levels = [each.level for each in lines if each.level]
    shift = max(0, below + 1 - min(levels, default=below + 1))
    return "\n".join(_written(lines, shift, bases)).strip("\n").rstrip()


def as_page(markdown: str, bases: Bases | None = None) -> tuple[str, str]:
    """The title of a Markdown file that is a document of its own, and the rest, below level 1.

    The title is that of its first heading where this is one of level 1; else it is empty.
    """
    lines = _read(_tidy(markdown))
    first = next((each for each in lines if each.level), None)
    title = ""
    if first is not None and first.level == 1:
        title = first.text.strip()
        lines.remove(first)
    shift = 1 if any(each.level == 1 for each in lines) else 0
    return title, "\n".join(_written(lines, shift, bases)).strip("\n").rstrip()


def _tidy(markdown: str) -> str:
    return markdown.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").rstrip()


def _read(markdown: str) -> list[_Line]:
    reading = _Reading()
    for text in _without_comments(markdown.split("\n")):
        _take(reading, text)
    if reading.fence:
        reading.lines.append(_Line(reading.fence, is_code=True))
    return reading.lines


def _take(reading: _Reading, text: str) -> None:
    lines = reading.lines
    if reading.fence:
        lines.append(_Line(text, is_code=True))
        if _closes(text, reading.fence):
            reading.fence = ""
        return
    if (fence := _FENCE.match(text)) is not None:
        reading.fence = fence[1]
        lines.append(_Line(text, is_code=True))
        return
    if (atx := _ATX.match(text)) is not None:
        lines.append(_Line(_bare(text[atx.end() :]), len(atx[1])))
        return
    under = _UNDERLINE.match(text)
    if under is not None and (title := _title_above(lines)):
        lines.append(_Line(title, 1 if under[1][0] == "=" else 2))
        return
    lines.append(_Line(text))


def _title_above(lines: list[_Line]) -> str:
    """The paragraph that ends `lines` and is taken from them; empty where they end otherwise."""
    start = len(lines)
    while start and not (lines[start - 1].level or lines[start - 1].is_code):
        text = lines[start - 1].text
        if not text.strip() or _NO_TITLE.match(text):
            break
        start -= 1
    if start and start < len(lines):
        before = lines[start - 1]
        if before.text.strip() and not before.level and not before.is_code:
            return ""  # an item or a quotation goes on here, and what is below is a rule
    title = " ".join(each.text.strip() for each in lines[start:])
    del lines[start:]
    return title


def _bare(title: str) -> str:
    """A heading without the marks that may close it."""
    title = title.rstrip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def _closes(text: str, fence: str) -> bool:
    bare = text.strip()
    return bare.startswith(fence) and not bare.strip(fence[0])


def _without_comments(lines: list[str]) -> Iterator[str]:
    """The lines without HTML's comments; one that is never closed is shown."""
    last = max((place for place, text in enumerate(lines) if _CLOSE in text), default=-1)
    fence, inside = "", False
    for place, text in enumerate(lines):
        if fence:
            fence = "" if _closes(text, fence) else fence
            yield text
        elif not inside and (opened := _FENCE.match(text)) is not None:
            fence = opened[1]
            yield text
        else:
            shown, inside = _outside(text, inside=inside, closes=place < last)
            if shown.strip() or not text.strip():
                yield shown


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


def _written(lines: list[_Line], shift: int, bases: Bases | None) -> Iterator[str]:
    for each in lines:
        text = each.text
        if bases is not None and not each.is_code and len(text) <= _LONGEST:
            text = _TARGET.sub(lambda found: _resolved(found, bases), text)
        if each.level:
            text = f"{'#' * min(_LOWEST, each.level + shift)} {text.strip()}".rstrip()
        yield text


def _resolved(found: re.Match[str], bases: Bases) -> str:
    if found["ticks"] is not None:
        return found[0]
    return found["before"] + bases.absolute(found["url"])
