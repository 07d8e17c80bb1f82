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
from typing import TYPE_CHECKING, Any

from broker.documents.failures import Unconverted
from broker.documents.fonts import is_monospace
from broker.documents.pdf.drawn import add_drawn
from broker.documents.pdf.leaf import Leaf, Turned, Word

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
            yield self._leaf(number, page, text)
            text.close()
            page.close()

    def picture(self, number: int, most_pixels: int) -> tuple[int, int, bytes]:
        """A page as grey pixels: width, height and a byte for each; about 200 to the inch."""
        page = self._document[number]
        width, height = page.get_size()
        scale = min(200 / 72, math.sqrt(most_pixels / max(width * height, 1.0)))
        bitmap = page.render(scale=scale, grayscale=True)
        rows, stride = bytes(bitmap.buffer), bitmap.stride
        if stride != bitmap.width:
            rows = b"".join(
                rows[row * stride : row * stride + bitmap.width] for row in range(bitmap.height)
            )
        return bitmap.width, bitmap.height, rows

    # --- one page ------------------------------------------------------------------------------

    def _leaf(self, number: int, page: Any, text: Any) -> Leaf:  # noqa: ANN401 - PDFium has no types
        turned = Turned(page.get_size(), page.get_mediabox())
        words = list(self._words(text))
        turned.choose([angle for _, angle in words])
        leaf = Leaf(number, turned.width, turned.height, [])
        for word, angle in words:
            if turned.is_upright(angle):
                leaf.words.append(turned.word(word))
        add_drawn(self._raw, page, leaf, turned)
        return leaf

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
                placed = self._placed(handle, first, place, letters, follows=not fresh)
                letters, fresh = "", True  # what stands behind it stands in the next line
            elif letters:
                placed = self._placed(handle, first, place - 1, letters, follows=not fresh)
                letters, fresh = "", letter in "\r\n"
            else:
                fresh = fresh or letter in "\r\n"
                continue
            if placed is not None:
                yield placed

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
        letters = letters.translate(_LIGATURES)
        letters = "".join(letter for letter in letters if not _is_nothing(letter))
        if not letters:
            return None
        if any("\ud800" <= letter < "\ue000" for letter in letters):  # two of these are a letter
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
        return Word(letters, x.value, end, y.value, size, bold, font, follows, fixed), angle

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


def _is_nothing(letter: str) -> bool:
    code = ord(letter)
    return code < 32 or 0x7F <= code < 0xA0 or 0xE000 <= code < 0xF900  # noqa: PLR2004
