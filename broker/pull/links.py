"""The links of a Markdown text: found, and led elsewhere. Pure.

What stands in code, fenced or inline, is no link and is never touched. Known are inline links and
pictures, addresses in angle brackets and reference definitions.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_FENCE = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(`{3,}(?=[^`]*$)|~{3,})")
_CLOSING = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*$")
_LINK = re.compile(
    r"""
      \\.                                                   # an escape
    | (?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)            # code
    | `+                                                    # ticks that close nothing
    | \]\(\s*(?:<(?P<angled>[^<>\n]*)>
        |(?P<bare>(?:[^\s()\\<]|\\.|\((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*\))
                  (?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*\))*)
      )(?=\s*(?:\)|["'(]))
    | <(?P<auto>https?://[^\s<>]+)>
    | ^[ ]{0,3}\[[^\[\]\n]+\]:[ \t]*(?:<(?P<defined_angled>[^<>\n]*)>|(?P<defined>[^\s<]\S*))
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_TARGETS = ("angled", "bare", "defined_angled", "defined")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_LONGEST_PARAGRAPH = 100_000
"""One with more characters is left as it is: no text, and slow to look through."""
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


def targets(markdown: str, base: str = "") -> tuple[str, ...]:
    """Where the text's links lead, in its order, relative ones resolved against `base`."""
    found: list[str] = []

    def note(target: str) -> None:
        found.append(resolved(target, base) if base else target)

    rewritten(markdown, note)
    return tuple(found)


def rewritten(markdown: str, change: Callable[[str], str | None]) -> str:
    """The text with its links leading where `change` says.

    Args:
        markdown: the text.
        change: is given each target, unescaped, and returns another; None leaves it as it is.
    """
    return "".join(
        piece
        if is_code or len(piece) > _LONGEST_PARAGRAPH
        else _LINK.sub(lambda found: _changed(found, change), piece)
        for is_code, piece in _pieces(markdown)
    )


def absolute(markdown: str, base: str) -> str:
    """The text with its relative links resolved against `base`, those within it left."""

    def change(target: str) -> str | None:
        if not target or target.startswith("#") or _SCHEME.match(target):
            return None
        return resolved(target, base)

    return rewritten(markdown, change)


def resolved(target: str, base: str) -> str:
    """The address that a link leads to; the link itself where it is none."""
    try:
        return urljoin(base, target)
    except ValueError:
        return target


def relative(from_file: str, to_file: str, fragment: str = "") -> str:
    """The link from one file to another, both named relative to the same folder."""
    mark = f"#{quote(fragment, safe='')}" if fragment else ""
    if from_file == to_file and mark:
        return mark
    path = posixpath.relpath(to_file, posixpath.dirname(from_file) or ".")
    return quote(path, safe="/~!$&*+,;=@-._") + mark


def slugs(headings: Iterable[str]) -> tuple[str, ...]:
    """The names that readers of Markdown give to headings, each different."""
    taken: dict[str, int] = {}
    named: list[str] = []
    for heading in headings:
        slug = _NOT_IN_SLUG.sub("", heading.strip().lower()).replace(" ", "-")
        name = slug
        while name in taken:
            taken[slug] += 1
            name = f"{slug}-{taken[slug]}"
        taken[name] = 0
        named.append(name)
    return tuple(named)


def _changed(found: re.Match[str], change: Callable[[str], str | None]) -> str:
    whole = found[0]
    if (address := found["auto"]) is not None:
        target = change(address)
        return whole if target is None else f"[{address}]({target})"
    for name in _TARGETS:
        if (given := found[name]) is None:
            continue
        target = change(_ESCAPED.sub(r"\1", given))
        if target is None:
            return whole
        start, end = (place - found.start() for place in found.span(name))
        if "angled" not in name:
            target = target.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
        return whole[:start] + target + whole[end:]
    return whole


def _pieces(markdown: str) -> Iterator[tuple[bool, str]]:
    """The text in pieces: fenced code, and paragraphs between empty lines, which bound code."""
    run: list[str] = []
    fence = ""
    for line in markdown.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if fence:
            closing = _CLOSING.match(bare)
            if closing is not None and closing[1].startswith(fence):
                fence = ""
            yield True, line
        elif (opened := _FENCE.match(bare)) is not None:
            yield False, "".join(run)
            run.clear()
            fence = opened[1]
            yield True, line
        else:
            run.append(line)
            if not bare.strip(" \t>"):
                yield False, "".join(run)
                run.clear()
    yield False, "".join(run)
