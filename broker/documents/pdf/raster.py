"""Pages and photographs as grey pixels, for what reads pictures."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from importlib import import_module
from typing import Any

_POINTS = 72
_USUAL = 200 / _POINTS
"""Pixels for a point where a page has no picture that says how many."""
_MOST = 300 / _POINTS
_LEAST_PIXELS = 1_500_000
"""Of a page: what has fewer is enlarged, for its letters may be too small to be read."""
_MOST_ENLARGED = 2.0
_A4 = 842
_POSTER = 1200
"""Points of the longer side."""
_LEAST_SHARE = 0.3
"""Of a page that a picture takes: a smaller one is a logo."""


@dataclass(frozen=True, slots=True)
class Grey:
    """A picture in grey."""

    width: int
    height: int
    pixels: bytes
    """A byte for each."""
    to_inch: int = 0
    """Pixels to the inch of the paper; 0 where that is not known."""

    def pgm(self) -> bytes:
        """As a file that Tesseract reads."""
        return b"P5 %d %d 255\n" % (self.width, self.height) + self.pixels


def grey(page: Any, most_pixels: int) -> Grey:  # noqa: ANN401 - PDFium has no types
    """A page as pixels, about as many as the picture has that fills it."""
    width, height = page.get_size()
    area = max(width * height, 1.0)
    own = _own_scale(page, area)
    scale = own or _USUAL
    if own:
        wanted = max(own, min(_MOST_ENLARGED * own, math.sqrt(_LEAST_PIXELS / area)))
        scale = wanted if wanted < _MOST else max(_MOST, math.sqrt(_LEAST_PIXELS / area))
    bitmap = page.render(scale=min(scale, math.sqrt(most_pixels / area)), grayscale=True)
    # Pages as large as posters are scans whose pixels were taken for points.
    paper = max(width, height) if max(width, height) < _POSTER else _A4
    to_inch = _POINTS * max(bitmap.width, bitmap.height) / paper
    return _pixels(bitmap, min(300, max(100, round(to_inch))))


def upright(jpeg: bytes, size: tuple[int, int], orientation: int) -> Grey:
    """A photograph as it is meant to be seen.

    Args:
        jpeg: the file.
        size: its width and height as they are stored.
        orientation: of EXIF: 1 is as it is stored, 3 upside down, 6 and 8 lie on a side, and 2, 4,
            5 and 7 are mirrored.
    """
    pdfium = import_module("pypdfium2")
    wide, high = size
    # The picture fills the square from (0, 0) to (1, 1); y grows upwards.
    a, b, c, d, x, y = {
        2: (-wide, 0, 0, high, wide, 0),
        3: (-wide, 0, 0, -high, wide, high),
        4: (wide, 0, 0, -high, 0, high),
        5: (0, -wide, -high, 0, high, wide),
        6: (0, -wide, high, 0, 0, wide),
        7: (0, wide, high, 0, 0, 0),
        8: (0, wide, -high, 0, high, 0),
    }.get(orientation, (wide, 0, 0, high, 0, 0))
    document = pdfium.PdfDocument.new()
    page = document.new_page(*((high, wide) if orientation > 4 else size))  # noqa: PLR2004
    picture = pdfium.PdfImage.new(document)
    picture.load_jpeg(io.BytesIO(jpeg), inline=True)
    picture.set_matrix(pdfium.PdfMatrix(a, b, c, d, x, y))
    page.insert_obj(picture)
    page.gen_content()
    return _pixels(page.render(scale=1, grayscale=True))


def _own_scale(page: Any, area: float) -> float:  # noqa: ANN401
    """Pixels for a point of the pictures that fill a page; 0 where none does."""
    raw = import_module("pypdfium2.raw")
    scale = 0.0
    for picture in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=4):
        try:
            left, bottom, right, top = picture.get_bounds()
            wide, high = picture.get_px_size()
        except RuntimeError:  # PDFium's own error
            continue
        taken = abs((right - left) * (top - bottom))
        if taken >= _LEAST_SHARE * area:
            scale = max(scale, math.sqrt(wide * high / taken))
    return scale


def _pixels(bitmap: Any, to_inch: int = 0) -> Grey:  # noqa: ANN401
    rows, stride = bytes(bitmap.buffer), bitmap.stride
    if stride != bitmap.width:
        rows = b"".join(
            rows[row * stride : row * stride + bitmap.width] for row in range(bitmap.height)
        )
    return Grey(bitmap.width, bitmap.height, rows, to_inch)
