"""A passage's pieces as one line of inline Markdown, its plain text and its links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import quote, urljoin

from extract import formula, hidden
from extract.footnotes import leads_back, target
from extract.inline import BREAK, EMPHASIS, STRIKE, STRONG, code_span, escape, image, join, link
from extract.tree import INKLESS, INLINE_TAGS, fold, raw_text
from extract.walk import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from extract.passages import Mark, Piece
    from extract.tree import Node

_MARK_OF_TAG = {
    "b": STRONG, "strong": STRONG, "em": EMPHASIS, "i": EMPHASIS, "cite": EMPHASIS,
    "dfn": EMPHASIS, "var": EMPHASIS, "del": STRIKE, "s": STRIKE, "strike": STRIKE,
}  # fmt: skip
_CODE_TAGS = frozenset({"code", "kbd", "samp", "tt"})
_ENDING_CODE = _CODE_TAGS | {"a"}
"""Where a code span begins or ends; a link in one ends it and begins another."""
_RAISED = frozenset({"sup", "sub"})
_LONGEST_INDEX = 12  # characters
_QUOTES = {"open": "\u201c", "close": "\u201d"}
_LAZY_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-url")
_SOURCE_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_NO_ADDRESS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
"""What browsers leave out of an address, and what would hide its scheme from us."""
_SCHEME = re.compile(r"([a-zA-Z][\w+.-]*):")
_FOLLOWED = frozenset({"http", "https", "ftp"})
_TO_QUOTE = re.compile(r"[\s<>\"`\\^{|}]")
_LONGEST_URL = 4096  # characters; longer ones are data, and multiply with the links of a page


class Run(NamedTuple):
    """Rendered pieces."""

    inline: str
    text: str


class Target(NamedTuple):
    """Where a link leads that was rendered."""

    text: str
    url: str


class Renderer:
    """Renders the passages of one page; collects the links in them."""

    def __init__(self, base: str, footnotes: Mapping[str, str] | None = None) -> None:
        self._base = base
        self._footnotes = footnotes or {}  # mark by id
        self._urls: dict[str, str] = {}
        self.targets: list[Target] = []

    def run(self, pieces: Sequence[Piece], *, heading: bool = False) -> Run:
        """`pieces` as inline Markdown and as text; a heading has no emphasis and no breaks."""
        line = _Line(self, heading=heading)
        for piece in pieces:
            if piece.__class__ is str:
                line.text(piece)
            else:
                line.mark(cast("Mark", piece))
        return line.done()

    def of_node(self, node: Node) -> Run:
        """All that stands in `node`, as one run: a table's cell."""
        return self.run(pieces_of(node))

    def resolved(self, href: str) -> str:
        """The absolute address of `href`; empty where it leads to no other page."""
        url = self._urls.get(href)
        if url is None:
            url = self._urls[href] = self._joined(_NO_ADDRESS.sub("", href).strip())
        return url

    def _joined(self, href: str) -> str:
        if not href or href[0] == "#":
            return ""
        try:
            url = urljoin(self._base, href)
        except ValueError:  # an address that is none, like "http://["
            return ""
        scheme = _SCHEME.match(url)
        if (scheme is not None and scheme[1].lower() not in _FOLLOWED) or len(url) > _LONGEST_URL:
            return ""
        return _TO_QUOTE.sub(lambda found: quote(found[0]), url)

    def footnote(self, node: Node) -> str:
        """The mark of the footnote that a link refers to; empty where it is no such link."""
        return self._footnotes.get(target(node), "") if self._footnotes else ""

    def picture(self, node: Node) -> str:
        """An image with its alternative text; empty where it has none or is no address."""
        alt = fold(node.get("alt") or "")
        if not alt:
            return ""
        for source in _sources(node):
            url = self.resolved(source)
            if url.startswith(("http:", "https:")):
                return image(alt, url)
        return ""


def _sources(picture: Node) -> Iterator[str]:
    """Where a picture may be had, the likeliest to be the real one first."""
    for attribute in (*_LAZY_SOURCES, "src"):
        yield picture.get(attribute) or ""
    others = []
    around = picture.getparent()
    while around is not None and around.tag == "source":  # see `walk.enter_silent`
        others.append(around)
        around = around.getparent()
    for node in (picture, *others):
        for attribute in _SOURCE_SETS:
            first = (node.get(attribute) or "").split(maxsplit=1)
            yield first[0].rstrip(",") if first else ""


class _Link(NamedTuple):
    """A link that is open: what was written before it."""

    node: Node
    pieces: list[str]
    texts: list[str]


class _Line:
    def __init__(self, renderer: Renderer, *, heading: bool) -> None:
        self._renderer = renderer
        self._heading = heading
        self._pieces: list[str] = []
        self._texts: list[str] = []
        self._links: list[_Link] = []
        self._code = 0
        self._spelled: list[str] = []  # what code that is open says so far
        self._skip = False  # the words of a formula follow its mark and are not text of their own

    def text(self, text: str) -> None:
        if self._skip:
            self._skip = False
            return
        folded = " ".join(text.split())
        if not folded.isprintable():
            text = text.translate(INKLESS)
            folded = " ".join(text.split())
        if not folded:
            folded = " " if text else ""
        else:
            if text[0].isspace():
                folded = " " + folded
            if text[-1].isspace():
                folded += " "
        if not folded:
            return
        self._texts.append(folded)
        if self._code:
            self._spelled.append(folded)
        else:
            self._pieces.append(escape(folded))

    def _end_code(self) -> None:
        """One span for all that code says, however it was highlighted."""
        text = " ".join("".join(self._spelled).split())
        if text:
            start = " " if self._spelled[0][0] == " " else ""
            end = " " if self._spelled[-1][-1] == " " else ""
            span = code_span(text)
            self._pieces.append(f"{start}{span}{end}" if start or end else span)
        elif self._spelled:
            self._pieces.append(" ")
        self._spelled.clear()

    def mark(self, piece: Mark) -> None:
        what, node = piece
        if self._spelled and (what not in {"open", "close"} or node.tag in _ENDING_CODE):
            self._end_code()
        if what == "open":
            self._open(node)
        elif what == "close":
            self._close(node)
        elif what == "break":
            if not self._heading:
                self._pieces.append(BREAK)
                self._texts.append("\n")
        elif what == "image":
            self._image(node)
        else:
            self._formula(node)

    def _open(self, node: Node) -> None:
        tag = node.tag
        if tag == "a":
            self._links.append(_Link(node, self._pieces, self._texts))
            self._pieces, self._texts = [], []
        elif tag in _CODE_TAGS:
            self._code += 1
        elif tag == "q":
            self.text(_QUOTES["open"])
        elif tag in _RAISED:
            if not self._code and _is_index(node):
                self._pieces.append(f"<{tag}>")
        elif not self._heading and tag in _MARK_OF_TAG and not self._code:
            self._pieces.append(_MARK_OF_TAG[tag])

    def _close(self, node: Node) -> None:
        tag = node.tag
        if tag == "a":
            if self._links:
                self._end_link()
        elif tag in _CODE_TAGS:
            self._code = max(0, self._code - 1)
        elif tag == "q":
            self.text(_QUOTES["close"])
        elif tag in _RAISED:
            if not self._code and _is_index(node):
                self._pieces.append(f"</{tag}>")
        elif not self._heading and tag in _MARK_OF_TAG and not self._code:
            self._pieces.append(_MARK_OF_TAG[tag])

    def _end_link(self) -> None:
        node, outer, outer_texts = self._links.pop()
        if leads_back(node):
            self._pieces, self._texts = outer, outer_texts
            return
        mark = self._renderer.footnote(node)
        words = "".join(self._texts)
        if mark:
            outer.append(f"[^{mark}]")
            outer_texts.append(f"[{mark}]")
            self._pieces, self._texts = outer, outer_texts
            return
        url = self._renderer.resolved(node.get("href") or "")
        lead = words[: len(words) - len(words.lstrip())]
        tail = words[len(words.rstrip()) :]
        inner = join(self._pieces)
        if url and words.strip() and not self._links:
            self._renderer.targets.append(Target(fold(words), url))
            outer.append((" " if lead else "") + link(inner, url) + (" " if tail else ""))
        else:
            outer.extend(self._pieces)
        outer_texts.extend(self._texts)
        self._pieces, self._texts = outer, outer_texts

    def _image(self, node: Node) -> None:
        if formula.is_picture(node):
            self._formula(node)
            self._skip = False
        elif not self._heading:
            shown = self._renderer.picture(node)
            if shown:
                self._pieces.append(shown)

    def _formula(self, node: Node) -> None:
        source = formula.tex(node)
        if source:
            self._pieces.append(f"${source}$")
            self._texts.append(f"${source}$")
        else:
            words = formula.words(node)
            self._pieces.append(escape(words))
            self._texts.append(words)
        self._skip = node.tag != "img"

    def done(self) -> Run:
        self._end_code()
        while self._links:
            self._end_link()
        text = "".join(self._texts)
        lines = [" ".join(line.split()) for line in text.split("\n")] if text else []
        return Run(join(self._pieces), "\n".join(filter(None, lines)))


def _is_index(node: Node) -> bool:
    """Whether raised or lowered text is an exponent or an index, which is none without its tag."""
    return node.find(".//a") is None and 0 < len(fold(raw_text(node))) <= _LONGEST_INDEX


def pieces_of(node: Node) -> list[Piece]:
    """All that stands in `node` as pieces, blocks in it set apart by breaks."""
    pieces: list[Piece] = []
    pending: list[tuple[str, Node]] = [("inside", node)]
    while pending:
        what, at = pending.pop()
        if what == "inside":
            if at.text:
                pieces.append(at.text)
            pending.extend(("all", child) for child in reversed(at))
        elif what == "all":
            if at.tail:
                pending.append(("tail", at))
            _begin(at, pieces, pending)
        elif what == "close":
            pieces.append(("close", at))
        elif what == "break":
            _break(at, pieces)
        elif at.tail:
            pieces.append(at.tail)
    while pieces and pieces[-1].__class__ is tuple and pieces[-1][0] == "break":
        pieces.pop()
    return pieces


def _begin(node: Node, pieces: list[Piece], pending: list[tuple[str, Node]]) -> None:
    tag = node.tag
    if (tag in SILENT and tag != "source") or hidden.hides(cast("dict[str, str]", node.attrib)):
        return
    if tag == "br":
        _break(node, pieces)
    elif tag == "img":
        pieces.append(("image", node))
    elif tag == "math" or formula.is_formula(node, node.get("class") or ""):
        pieces.append(("math", node))
        pieces.append(formula.words(node))
    elif tag in INLINE_TAGS or tag == "source":
        pieces.append(("open", node))
        pending.append(("close", node))
        pending.append(("inside", node))
    else:
        _break(node, pieces)
        pending.append(("break", node))
        pending.append(("inside", node))


def _break(node: Node, pieces: list[Piece]) -> None:
    """A break, unless nothing stands before it."""
    for piece in reversed(pieces):
        if piece.__class__ is str:
            if piece.isspace():
                continue
            pieces.append(("break", node))
        elif piece[0] in {"image", "math"}:
            pieces.append(("break", node))
        elif piece[0] in {"open", "close"}:
            continue
        return
