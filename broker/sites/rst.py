"""reStructuredText as Markdown, as far as READMEs use it: a reading, not a conversion.

Headings, blocks of code, links, pictures and admonitions are written as Markdown has them; what
else there is stays as it was written, which is meant to be read as it is.
"""

from __future__ import annotations

import re

from broker.sites import writing

_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
_DIRECTIVE = re.compile(r"(\s*)\.\.\s+(?:\|[^|]+\|\s+)?([\w-]+)::\s*(.*)")
_OPTION = re.compile(r"\s+:([\w-]+):\s*(.*)")
_TARGET = re.compile(r"\.\.\s+_`?([^:`]+)`?:\s*(\S+)\s*\Z")
_LITERAL = re.compile(r"``(.+?)``(?!`)")
_EMBEDDED = re.compile(r"`([^`<]+)<([^`>]+)>`__?")
_NAMED = re.compile(r"`([^`]+)`_(?!_)|(?<![\w`])(\w[\w.-]{0,60}\w)_(?![\w_])")
_ROLE = re.compile(r":[\w:-]{1,40}:`([^`<]+)(?:<[^`>]+>)?`")
_CODE = frozenset({"code", "code-block", "sourcecode", "highlight", "parsed-literal"})
_PICTURES = frozenset({"image", "figure"})
_NOTES = frozenset(
    {"note", "tip", "hint", "warning", "important", "caution", "danger", "attention"}
)
_NO_LANGUAGE = "text"
_LOWEST = 6
_DEEPEST = 8


def rst_to_markdown(text: str, depth: int = 0) -> str:
    """`text` with its headings, code, links and pictures as Markdown.

    `depth` says in how many directives it stands; what is in more than a few stays as it is.
    """
    if depth > _DEEPEST:
        return text
    lines = text.replace("\r\n", "\n").expandtabs(4).split("\n")
    targets = {found[1].lower(): found[2] for each in lines if (found := _TARGET.match(each))}
    return "\n".join(_Reader(lines, targets, depth).read()).strip("\n")


class _Reader:
    """One pass over the lines."""

    def __init__(self, lines: list[str], targets: dict[str, str], depth: int) -> None:
        self._depth = depth
        self._lines = lines
        self._targets = targets
        self._place = 0
        self._levels: list[str] = []
        self._out: list[str] = []

    def read(self) -> list[str]:
        while self._place < len(self._lines):
            if not (self._heading() or self._directive() or self._target()):
                self._text()
        return self._out

    def _at(self, offset: int) -> str:
        place = self._place + offset
        return self._lines[place] if place < len(self._lines) else ""

    def _heading(self) -> bool:
        over = _ADORNED.fullmatch(self._at(0))
        if over and self._at(1).strip() and self._at(2).rstrip() == self._at(0).rstrip():
            return self._headed(f"{over[1]}{over[1]}", self._at(1), 3)
        under = _ADORNED.fullmatch(self._at(1))
        title = self._at(0)
        fits = under and title.strip() and not title.startswith(" ")
        if under and fits and len(self._at(1).rstrip()) >= len(title.rstrip()):
            return self._headed(under[1], title, 2)
        return False

    def _headed(self, style: str, title: str, lines: int) -> bool:
        if style not in self._levels:
            self._levels.append(style)
        level = min(_LOWEST, self._levels.index(style) + 1)
        self._out += [f"{'#' * level} {self._inline(title.strip())}", ""]
        self._place += lines
        return True

    def _directive(self) -> bool:
        found = _DIRECTIVE.fullmatch(self._at(0))
        if found is None:
            return False
        pad, name, argument = found[1], found[2], found[3].strip()
        self._place += 1
        options = {}
        while (option := _OPTION.fullmatch(self._at(0))) is not None:
            options[option[1]] = option[2].strip()
            self._place += 1
        body = self._indented(len(pad))
        if name in _CODE:
            self._fence(body, argument)
        elif name in _PICTURES:
            picture = f"![{options.get('alt', '')}]({argument})"
            target = options.get("target", "")
            self._out += [f"[{picture}]({target})" if target else picture, *body, ""]
        elif name in _NOTES:
            said = [argument, *body] if argument else body
            quote = rst_to_markdown("\n".join(said), self._depth + 1).split("\n")
            self._out += [f"> [!{name.upper()}]", *(f"> {each}".rstrip() for each in quote), ""]
        elif body or argument:  # its content is text, whatever it does with it
            self._out += [*rst_to_markdown("\n".join(body), self._depth + 1).split("\n"), ""]
        return True

    def _target(self) -> bool:
        if not self._at(0).startswith(".. "):
            return False
        self._place += 1
        if not _TARGET.match(self._at(-1)):
            self._indented(0)  # a comment
        return True

    def _text(self) -> None:
        line = self._at(0)
        self._place += 1
        if not line.rstrip().endswith("::"):
            self._out.append(self._inline(line))
            return
        said = line.rstrip()[:-1]
        pad = len(line) - len(line.lstrip())
        if said.strip() != ":":
            self._out.append(self._inline(said))
        body = self._indented(pad)
        if body:
            self._out.append("")
            self._fence(body, "")

    def _indented(self, pad: int) -> list[str]:
        """The lines that stand further in than `pad`, without that; they are taken."""
        start = self._place
        while self._place < len(self._lines):
            line = self._at(0)
            if line.strip() and len(line) - len(line.lstrip()) <= pad:
                break
            self._place += 1
        body = self._lines[start : self._place]
        while body and not body[-1].strip():
            body.pop()
        while body and not body[0].strip():
            body.pop(0)
        depth = min((len(each) - len(each.lstrip()) for each in body if each.strip()), default=0)
        return [each[depth:].rstrip() for each in body]

    def _fence(self, body: list[str], language: str) -> None:
        kind = "" if language == _NO_LANGUAGE else language
        self._out += [writing.fenced("\n".join(body), kind), ""]

    def _inline(self, text: str) -> str:
        pieces = _LITERAL.split(text)
        for place in range(0, len(pieces), 2):
            piece = _EMBEDDED.sub(_embedded, pieces[place])
            piece = _NAMED.sub(self._link, piece)
            pieces[place] = _ROLE.sub(_role, piece)
        for place in range(1, len(pieces), 2):
            pieces[place] = (
                f"`{pieces[place]}`" if "`" not in pieces[place] else f"`` {pieces[place]} ``"
            )
        return "".join(pieces)

    def _link(self, found: re.Match[str]) -> str:
        name = found[1] or found[2]
        url = self._targets.get(name.lower())
        return found[0] if url is None else f"[{name}]({url})"


def _embedded(found: re.Match[str]) -> str:
    return f"[{found[1].strip()}]({found[2].strip()})"


def _role(found: re.Match[str]) -> str:
    return f"`{found[1].strip()}`"
