"""Rich text: paragraphs, headings, items and tables, without a library.

A file is a stream of control words, groups and characters; a group restores on its end what was set
in it. Read here are the words that say what a text is, not how it looks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted
from broker.documents.records import Converted
from broker.documents.tabular import markdown as table
from extract.inline import escape

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(
    rb"\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-z])|([{}])"
    rb"|[\r\n]+|([^\\{}\r\n]+)"
)
_DEEPEST = 2000
_UNREAD = frozenset(
    b"bkmkend bkmkstart colorschememapping colortbl datastore filetbl fldinst fonttbl footer "
    b"footerf footerl footerr generator header headerf headerl headerr latentstyles "
    b"listoverridetable listtable nonshppict object pict revtbl rsidtbl themedata xmlnstbl".split()
)
_ABOUT = {b"title": "title", b"author": "author"}
_SIGNS = {
    b"emdash": "\u2014", b"endash": "\u2013", b"lquote": "\u2018", b"rquote": "\u2019",
    b"ldblquote": "\u201c", b"rdblquote": "\u201d", b"bullet": "\u2022", b"tab": " ",
    b"line": " ", b"emspace": " ", b"enspace": " ",
}  # fmt: skip
_HEADING_STYLE = re.compile(r"(?:heading|überschrift|titre|título)\s*(\d)\Z", re.IGNORECASE)
_CODEPAGES = {b"mac": "mac-roman", b"pc": "cp437", b"pca": "cp850"}
_BULLET = re.compile(r"[\u2022\u00b7\u25aa\u2023\u2013-]\s+")


@dataclass(slots=True)
class _State:
    """What a group has set."""

    skipped: bool = False
    about: str = ""
    styles: bool = False
    marker: bool = False
    after_unicode: int = 1


@dataclass(slots=True)
class _Paragraph:
    """What is known of the one under way."""

    text: list[str] = field(default_factory=list)
    level: int = 0
    style: int = 0
    in_table: bool = False
    item: bool = False


class _Reader:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.about: dict[str, str] = {}
        self.styles: dict[int, int] = {}
        self.codepage = "cp1252"
        self._style = (0, "")
        self._row: list[str] = []
        self._rows: list[list[str]] = []
        self._state = _State()
        self._outer: list[_State] = []
        self._now = _Paragraph()
        self._skip = 0
        self._pending = bytearray()
        self._words: dict[bytes, Callable[[int | None], None]] = {
            b"par": lambda _: self._paragraph(),
            b"sect": lambda _: self._paragraph(),
            b"pard": lambda _: self._fresh(),
            b"cell": lambda _: self._cell(),
            b"row": lambda _: self._end_row(),
            b"intbl": lambda _: setattr(self._now, "in_table", True),
            b"outlinelevel": self._outline,
            b"s": self._styled,
            b"u": self._unicode,
            b"uc": lambda value: setattr(self._state, "after_unicode", value or 0),
            b"ansicpg": lambda value: setattr(self, "codepage", f"cp{value}"),
            b"listtext": lambda _: self._marker(),
            b"pntext": lambda _: self._marker(),
            b"ls": lambda value: setattr(self._now, "item", bool(value)),
        }

    def read(self, body: bytes) -> None:
        place = 0
        while place < len(body):
            found = _TOKEN.match(body, place)
            if found is None:
                place += 1
                continue
            place = found.end()
            word, value, code, sign, brace, text = found.groups()
            if word == b"bin" and value:
                place += max(0, int(value))
            elif code:
                self._byte(int(code, 16))
                continue
            self._flush()
            if brace == b"{":
                self._open()
            elif brace:
                self._close()
            elif word:
                self._word(word, None if value is None else int(value))
            elif sign:
                self._sign(sign)
            elif text:
                self._add(text.decode("latin-1"))
        self._flush()
        self._paragraph()
        self._end_table()

    # --- groups and words ----------------------------------------------------------------------

    def _open(self) -> None:
        if len(self._outer) >= _DEEPEST:
            raise Unconverted("damaged", "its groups are nested too deeply")
        self._outer.append(replace(self._state))

    def _close(self) -> None:
        if self._state.styles and self._style[1]:
            self._name_style()
        if self._outer:
            self._state = self._outer.pop()

    def _word(self, word: bytes, value: int | None) -> None:
        if word == b"stylesheet":
            self._state.styles = True
        elif word in _UNREAD:
            self._state.skipped = True
        elif word in _ABOUT:
            self._state.about = _ABOUT[word]
        elif word in _CODEPAGES:
            self.codepage = _CODEPAGES[word]
        elif self._state.styles:
            if word == b"s":
                self._style = (value or 0, "")
        elif self._state.skipped:
            return
        elif word in _SIGNS:
            self._add(_SIGNS[word])
        elif (act := self._words.get(word)) is not None:
            act(value)

    def _sign(self, sign: bytes) -> None:
        if sign == b"*":
            self._state.skipped = True
        elif sign == b"~":
            self._add(" ")
        elif sign == b"_":
            self._add("-")
        elif sign in b"\\{}":
            self._add(sign.decode("latin-1"))
        elif sign in b"\r\n":
            self._paragraph()

    def _byte(self, code: int) -> None:
        if self._skip:
            self._skip -= 1
        else:
            self._pending.append(code)

    def _flush(self) -> None:
        """Bytes become text together: in some code pages two of them are a letter."""
        if not self._pending:
            return
        try:
            text = self._pending.decode(self.codepage, "replace")
        except LookupError:
            text = self._pending.decode("cp1252", "replace")
        self._pending.clear()
        self._add(text)

    def _unicode(self, value: int | None) -> None:
        if value is not None:
            self._add(chr(value % 0x10000))
        self._skip = self._state.after_unicode

    def _add(self, text: str) -> None:
        if self._skip and text:
            dropped = min(self._skip, len(text))
            self._skip -= dropped
            text = text[dropped:]  # what stands for a letter where Unicode is not read
        state = self._state
        if state.styles:
            self._style = (self._style[0], self._style[1] + text)
        elif state.about:
            self.about[state.about] = self.about.get(state.about, "") + text
        elif not state.skipped and not state.marker:
            self._now.text.append(text)

    # --- paragraphs and tables -----------------------------------------------------------------

    def _name_style(self) -> None:
        found = _HEADING_STYLE.match(self._style[1].strip().rstrip(";"))
        if found is not None:
            self.styles[self._style[0]] = int(found[1])
        self._style = (0, "")

    def _fresh(self) -> None:
        self._now = _Paragraph(text=self._now.text)

    def _outline(self, value: int | None) -> None:
        if value is not None and 0 <= value < 9:  # noqa: PLR2004
            self._now.level = value + 1

    def _styled(self, value: int | None) -> None:
        self._now.level = self.styles.get(value or 0, self._now.level)

    def _marker(self) -> None:
        self._state.marker = True
        self._now.item = True

    def _said(self) -> str:
        text = "".join(self._now.text)
        self._now.text = []
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return " ".join(text.split())

    def _paragraph(self) -> None:
        now = self._now
        if now.in_table:
            now.text.append(" ")
            return
        text = self._said()
        if not text:
            return
        self._end_table()
        if now.level:
            self.parts.append(f"{'#' * min(6, now.level)} {escape(text)}")
        elif now.item or _BULLET.match(text):
            self.parts.append(f"- {escape(_BULLET.sub('', text, count=1))}")
        else:
            self.parts.append(escape(text))

    def _cell(self) -> None:
        self._row.append(self._said())

    def _end_row(self) -> None:
        if self._row:
            self._rows.append(self._row)
        self._row = []

    def _end_table(self) -> None:
        self._end_row()
        if self._rows:
            self.parts.append(table(self._rows))
        self._rows = []


def convert(body: bytes) -> Converted:
    """The text in `body`.

    Raises:
        Unconverted: it is nested so deeply that nobody wrote it.
    """
    reader = _Reader()
    reader.read(body)
    text = ""
    for before, part in zip(["", *reader.parts], reader.parts, strict=False):
        both_items = before.startswith("- ") and part.startswith("- ")
        text += ("\n" if both_items else "\n\n") + part
    return Converted(
        markdown=text.strip(),
        title=reader.about.get("title", "").strip(),
        byline=reader.about.get("author", "").strip() or None,
    )
