"""A PDF as PDFium tells it: words with their places, bookmarks, what the file says of itself.

Few calls are made for each word, and one for each character: a call costs as much as the library's
own work.
"""

from __future__ import annotations

import ctypes
import math
import re
from contextlib import suppress
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

from broker.documents.failures import Unconverted
from broker.documents.fonts import is_monospace
from broker.documents.pdf.bidi import is_leftward
from broker.documents.pdf.drawn import add_drawn
from broker.documents.pdf.forms import add_written
from broker.documents.pdf.leaf import Leaf, Turned, Word
from broker.documents.pdf.raster import Grey, grey

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PAGES = 2000
_HYPHENS = "\x02\ufffe\u00ad"
"""What PDFium gives for a hyphen at a line's end, and the soft one."""
_GAPS = frozenset(" \t\r\n\x00\xa0")
_LIGATURES = str.maketrans(
    {
        "\uf0b7": "•",
        "\uf0a7": "▪",
        "\ue00c": "•",
        "ﬀ": "ff",
        "ﬁ": "fi",
        "ﬂ": "fl",
        "ﬃ": "ffi",
        "ﬄ": "ffl",
        "ﬅ": "st",
        "ﬆ": "st",
        "\ufffd": None,
    }
)
_BOLD = re.compile(rb"bold|black|heavy|demi|cmbx|medi(?!um)|[-,]b\Z")
"""In a font's name, lower case: few files state a weight."""
_PASSWORD_ERROR = 4
_MOST_ASKEW = 0.15
"""Radians off a right angle; what is written at others is a watermark."""
_LEAST_PATHS = 60
"""Shapes of a page without words that may be letters drawn as outlines."""


class Source:
    """An open PDF.

    Raises:
        Unconverted: it is encrypted or damaged.
    """

    def __init__(self, body: bytes) -> None:
        self._pdfium = import_module("pypdfium2")
        self._raw = import_module("pypdfium2.raw")
        try:
            self._document = self._pdfium.PdfDocument(body)
        except self._pdfium.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD_ERROR:
                raise Unconverted("encrypted", "the PDF asks for a password") from error
            raise Unconverted("damaged", "the PDF is damaged") from error
        with suppress(self._pdfium.PdfiumError):
            self._document.init_forms()  # before anything is asked of its pages
        self._form = self._document.formenv
        self._name, self._flags = ctypes.create_string_buffer(128), ctypes.c_int()
        self._fonts: dict[bytes, tuple[str, bool, bool]] = {}
        self.pages = len(self._document)
        if not self.pages:
            raise Unconverted("damaged", "the PDF has no page that can be found")

    def facts(self) -> dict[str, str]:
        """What the file says of itself, as Title, Author and CreationDate."""
        try:
            found: dict[str, str] = self._document.get_metadata_dict(skip_empty=True)
        except UnicodeError:  # PDFium hands on half of a letter
            return {}
        return found

    def bookmarks(self) -> list[tuple[int, str]]:
        """(level from 0, title) of each bookmark."""
        found = []
        for item in self._document.get_toc(max_depth=6):
            with suppress(UnicodeError):
                found.append((item.level, item.get_title()))
            if len(found) >= MOST_PAGES:
                break
        return found

    def leaves(self) -> Iterator[Leaf | None]:
        """The pages in their order; None for one that cannot be read."""
        for number in range(min(self.pages, MOST_PAGES)):
            try:
                page = self._document[number]
                text = page.get_textpage()
            except self._pdfium.PdfiumError:
                yield None
                continue
            leaf = self._leaf(number, page, text)
            add_written(self._raw, self._form, page, leaf)
            yield leaf
            text.close()
            page.close()

    def picture(self, number: int, most_pixels: int) -> Grey:
        """A page as grey pixels."""
        return grey(self._document[number], most_pixels)

    # --- one page ------------------------------------------------------------------------------

    def _leaf(self, number: int, page: Any, text: Any) -> Leaf:  # noqa: ANN401 - PDFium has no types
        turns: dict[int, list[Word]] = {}
        for word, angle in self._words(text):
            quarter = round(angle / (math.pi / 2))
            if abs(angle - quarter * math.pi / 2) < _MOST_ASKEW:
                turns.setdefault(quarter % 4, []).append(word)
        upright, box = page.get_rotation() // 90, page.get_mediabox()
        first, *others = sorted(turns, key=lambda each: -len(turns[each])) or [0]
        turned = Turned(box, first)
        leaf = turned.leaf(number, turns.get(first, []))
        leaf.upright = first == upright
        for quarter in others:
            if quarter == upright or not turned.are_beside(turns[quarter], leaf):
                leaf.aside.append(Turned(box, quarter).leaf(number, turns[quarter]))
                leaf.aside[-1].upright = quarter == upright
        add_drawn(self._raw, page, leaf, turned)
        if not leaf.words and self._has_glyphs(page, text):
            leaf.pictures += 1
        return leaf

    def _has_glyphs(self, page: Any, text: Any) -> bool:  # noqa: ANN401
        """Whether a page without words shows letters all the same, which are not told."""
        if text.count_chars() and not text.get_text_range().strip():
            return False  # there are spaces alone
        wanted = (self._raw.FPDF_PAGEOBJ_TEXT, self._raw.FPDF_PAGEOBJ_PATH)
        things = islice(page.get_objects(filter=wanted, max_depth=4), _LEAST_PATHS)
        types = [thing.type for thing in things]
        return len(types) == _LEAST_PATHS or self._raw.FPDF_PAGEOBJ_TEXT in types

    def _words(self, text: Any) -> Iterator[tuple[Word, float]]:  # noqa: ANN401
        raw, handle = self._raw, text.raw
        code_at = raw.FPDFText_GetUnicode
        first, letters, fresh = 0, "", True
        count = text.count_chars()
        for place in range(count + 1):
            letter = chr(code_at(handle, place)) if place < count else "\n"
            if letter not in _GAPS:
                if not letters:
                    first = place
                letters += "-" if letter in _HYPHENS else letter
                if letter not in _HYPHENS:
                    continue
                placed = self._parts(handle, first, letters, follows=not fresh)
                letters, fresh = "", True  # what stands behind it stands in the next line
            elif letters:
                placed = self._parts(handle, first, letters, follows=not fresh)
                letters, fresh = "", letter in "\r\n"
            else:
                fresh = fresh or letter in "\r\n"
                continue
            yield from placed

    def _parts(
        self,
        handle: Any,  # noqa: ANN401
        first: int,
        letters: str,
        *,
        follows: bool,
    ) -> Iterator[tuple[Word, float]]:
        """A word, or two, one of which is turned, that PDFium has taken for one."""
        angle_at = self._raw.FPDFText_GetCharAngle
        while letters:
            count, angle = len(letters), angle_at(handle, first)
            if _differ(angle, angle_at(handle, first + count - 1)):
                places = range(1, count)
                count = next(at for at in places if _differ(angle, angle_at(handle, first + at)))
            last = first + count - 1
            placed = self._placed(handle, first, last, letters[:count], follows=follows)
            if placed is not None:
                yield placed
            first, letters, follows = last + 1, letters[count:], False

    def _placed(
        self,
        handle: Any,  # noqa: ANN401
        first: int,
        last: int,
        letters: str,
        *,
        follows: bool,
    ) -> tuple[Word, float] | None:
        raw = self._raw
        if not letters.isascii() or not letters.isprintable():
            letters = letters.translate(_LIGATURES)
            letters = "".join(letter for letter in letters if not _is_nothing(letter))
        if not letters:
            return None
        # Two surrogates are a letter.
        if not letters.isascii() and any("\ud800" <= letter < "\ue000" for letter in letters):
            letters = letters.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
        box, matrix = raw.FS_RECTF(), raw.FS_MATRIX()
        x, y = ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetCharOrigin(handle, first, x, y)
        raw.FPDFText_GetLooseCharBox(handle, last, box)
        raw.FPDFText_GetMatrix(handle, first, matrix)
        size = raw.FPDFText_GetFontSize(handle, first) * math.hypot(matrix.c, matrix.d)
        angle = -raw.FPDFText_GetCharAngle(handle, first)  # it counts clockwise
        sideways = abs(math.sin(angle)) > 0.5  # noqa: PLR2004 - nearer to a right angle
        end = (box.bottom if math.sin(angle) < 0 else box.top) if sideways else box.right
        if math.cos(angle) < -0.5:  # noqa: PLR2004 - upside down
            end = box.left
        font, bold, fixed = self._font(handle, first)
        word = Word(letters, x.value, end, y.value, size, bold, font, follows, fixed)
        if is_leftward(letters) and math.cos(angle) > 0.5:  # noqa: PLR2004
            word.leftward, word.x0 = True, box.left
            raw.FPDFText_GetLooseCharBox(handle, first, box)
            word.x1 = box.right
        return word, angle

    def _font(self, handle: Any, place: int) -> tuple[str, bool, bool]:  # noqa: ANN401
        """The name of a letter's font, and whether that is a bold one, and a typewriter's."""
        self._raw.FPDFText_GetFontInfo(handle, place, self._name, len(self._name), self._flags)
        name = self._name.value
        known = self._fonts.get(name)
        if known is None:
            bold = _BOLD.search(name.lower()) is not None
            shown = name.decode("latin-1")
            known = self._fonts[name] = (shown, bold, is_monospace(shown))
        return known


def _differ(one: float, other: float) -> bool:
    """Whether two angles are of different directions."""
    return math.cos(one - other) < math.cos(_MOST_ASKEW)


def _is_nothing(letter: str) -> bool:
    code = ord(letter)
    return code < 32 or 0x7F <= code < 0xA0 or 0xE000 <= code < 0xF900  # noqa: PLR2004
