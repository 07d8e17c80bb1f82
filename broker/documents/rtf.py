"""Rich text: paragraphs, headings, items, tables, code and notes, without a library.

A file is a stream of control words, groups and characters; a group restores on its end what was set
in it. Read here are the words that say what a text is, not how it looks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted
from broker.documents.fonts import is_monospace
from broker.documents.records import Converted
from broker.documents.written import PLAIN, Look, Run, Writer
from extract.model import Frame, Holder

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(
    rb"\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-z])|([{}])"
    rb"|[\r\n]+|([^\\{}\r\n]+)"
)
_DEEPEST = 2000
_UNREAD = frozenset(
    b"bkmkend bkmkstart colorschememapping colortbl datastore filetbl falt footer "
    b"footerf footerl footerr generator header headerf headerl headerr info latentstyles "
    b"listoverridetable listtable nonesttables nonshppict object pict revtbl rsidtbl tc themedata "
    b"xe xmlnstbl".split()
)
_DEFINING = {b"stylesheet": "styles", b"fonttbl": "fonts"}
_ABOUT = {b"title": "title", b"author": "author", b"fldinst": "field"}
_SIGNS = {
    b"emdash": "\u2014", b"endash": "\u2013", b"lquote": "\u2018", b"rquote": "\u2019",
    b"ldblquote": "\u201c", b"rdblquote": "\u201d", b"bullet": "\u2022", b"tab": "\t",
    b"line": "\n", b"emspace": " ", b"enspace": " ", b"nestcell": " ",
}  # fmt: skip
_HEADING_STYLE = re.compile(r"(?:heading|überschrift|titre|título)\s*(\d)\Z", re.IGNORECASE)
_CODEPAGES = {b"mac": "mac-roman", b"pc": "cp437", b"pca": "cp850"}
_FIELD_LINK = re.compile(r'\s*HYPERLINK\s+"([^"]+)"')
_BULLET = re.compile(r"[\u2022\u00b7\u25aa\u2023\u2013-]\s+")


@dataclass(slots=True)
class _State:
    """What a group has set."""

    skipped: bool = False
    about: str = ""
    styles: bool = False
    fonts: bool = False
    marker: bool = False
    note: bool = False
    hidden: bool = False
    """Deleted where changes are tracked, or never shown."""
    look: Look = PLAIN
    url: str = ""
    after_unicode: int = 1


@dataclass(slots=True)
class _Paragraph:
    """What is known of the one under way."""

    runs: list[Run] = field(default_factory=list)
    level: int = 0
    style: int = 0
    in_table: bool = False
    item: bool = False


class _Reader:
    def __init__(self) -> None:
        self.writer = Writer()
        self.about: dict[str, str] = {}
        self.styles: dict[int, int] = {}
        self.fixed: set[int] = set()
        """The fonts whose letters are a typewriter's."""
        self.codepage = "cp1252"
        self._named = (0, "")
        """The style or font whose name is being read."""
        self._list: object = None
        self._row: list[Writer] = []
        self._rows: list[list[Writer]] = []
        self._around = _Paragraph()
        """What a footnote stands in."""
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
            b"f": self._font,
            b"plain": lambda _: self._plain(),
            b"page": lambda _: self._paragraph(),
            b"deleted": lambda value: setattr(self._state, "hidden", value != 0),
            b"v": lambda value: setattr(self._state, "hidden", value != 0),
            b"footnote": lambda _: self._begin_note(),
            b"fldrslt": lambda _: self._lead(),
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
        self._finish()

    def _finish(self) -> None:
        self._flush()
        while self._outer:  # the file is cut off in a group, perhaps in a note
            self._close()
        self._paragraph()
        self._end_table()

    # --- groups and words ----------------------------------------------------------------------

    def _open(self) -> None:
        if len(self._outer) >= _DEEPEST:
            raise Unconverted("damaged", "its groups are nested too deeply")
        self._outer.append(replace(self._state))

    def _close(self) -> None:
        if self._named[1] and (self._state.styles or self._state.fonts):
            self._name()
        if self._outer:
            ended = self._state.note
            self._state = self._outer.pop()
            if ended and not self._state.note:
                self._end_note()

    def _word(self, word: bytes, value: int | None) -> None:
        if word in _DEFINING:
            setattr(self._state, _DEFINING[word], True)
        elif word in _UNREAD:
            self._state.skipped = True
        elif word in _ABOUT:
            self._state.about = _ABOUT[word]
        elif word in _CODEPAGES:
            self.codepage = _CODEPAGES[word]
        elif self._state.styles or self._state.fonts:
            if word == (b"s" if self._state.styles else b"f"):
                self._named = (value or 0, "")
        elif self._state.skipped and word != b"footnote":
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
        if state.styles or state.fonts:
            if not state.skipped:
                self._named = (self._named[0], self._named[1] + text)
        elif state.about:
            self.about[state.about] = self.about.get(state.about, "") + text
        elif not state.skipped and not state.marker and not state.hidden:
            self._now.runs.append(Run(text, state.look, state.url))

    # --- paragraphs and tables -----------------------------------------------------------------

    def _name(self) -> None:
        number, text = self._named
        if self._state.fonts:
            self.fixed |= {number} if is_monospace(text) else set()
        elif (found := _HEADING_STYLE.match(text.strip().rstrip(";"))) is not None:
            self.styles[number] = int(found[1])
        self._named = (0, "")

    def _plain(self) -> None:
        self._state.look, self._state.hidden = PLAIN, False

    def _font(self, value: int | None) -> None:
        self._state.look = Look(code=value in self.fixed)

    def _lead(self) -> None:
        """What a field shows begins; what it is was read before."""
        found = _FIELD_LINK.match(self.about.pop("field", ""))
        self._state.url = found[1] if found else self._state.url

    def _begin_note(self) -> None:
        # Programs mark its group as one to skip; what is in a skipped one is none.
        if not self._state.note and self._outer and not self._outer[-1].skipped:
            self._state.note, self._state.skipped = True, False
            self._around, self._now = self._now, _Paragraph()

    def _end_note(self) -> None:
        runs = self._said()
        self._now = self._around
        self._now.runs.append(self.writer.note(lambda note: note.paragraph(runs)))

    def _fresh(self) -> None:
        self._now = _Paragraph(runs=self._now.runs)

    def _outline(self, value: int | None) -> None:
        if value is not None and 0 <= value < 9:  # noqa: PLR2004
            self._now.level = value + 1

    def _styled(self, value: int | None) -> None:
        self._now.level = self.styles.get(value or 0, self._now.level)

    def _marker(self) -> None:
        self._state.marker = True
        self._now.item = True

    def _said(self) -> list[Run]:
        """The runs so far; where two of Unicode's halves are a letter, that."""
        alike = groupby(self._now.runs, key=lambda run: replace(run, text=""))
        self._now.runs = []
        runs = [replace(kind, text="".join(run.text for run in each)) for kind, each in alike]
        return [replace(run, text=_whole(run.text)) for run in runs]

    def _paragraph(self) -> None:
        now, to = self._now, self.writer
        if now.in_table or self._state.note:
            now.runs.append(Run(" "))
            return
        runs = self._said()
        said = "".join(run.text for run in runs).strip()
        bullet = _BULLET.match(said)
        is_item = not now.level and (now.item or bullet is not None)
        self._list = (self._list or object()) if is_item else None
        if said:
            self._end_table()
        if now.level:
            to.heading(now.level, runs)
            return
        to.frames = (Frame(Holder.ITEM, self._list),) if is_item else ()
        if bullet is not None:
            runs[0] = replace(runs[0], text=_BULLET.sub("", runs[0].text.lstrip(), count=1))
        to.paragraph(runs)
        to.frames = ()

    def _cell(self) -> None:
        cell = self.writer.cell()
        cell.paragraph(self._said())
        self._row.append(cell)

    def _end_row(self) -> None:
        if self._row:
            self._rows.append(self._row)
        self._row = []

    def _end_table(self) -> None:
        self._end_row()
        if self._rows:
            self.writer.table(self._rows)
        self._rows = []


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def convert(body: bytes) -> Converted:
    """The text in `body`.

    Raises:
        Unconverted: it is nested so deeply that nobody wrote it.
    """
    reader = _Reader()
    reader.read(body)
    return Converted(
        markdown=reader.writer.markdown(),
        title=reader.about.get("title", "").strip(),
        byline=reader.about.get("author", "").strip() or None,
    )
