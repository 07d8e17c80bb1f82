"""What a picture's header tells: how large it is, how it lies, whether it moves.

What unpacks to gigabytes is never unpacked.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PIXELS = 80_000_000
_JP2_HEAD = 4096
"""Bytes in which a JPEG 2000 tells its size."""
_APP1 = 0xE1
_ORIENTATION = 0x0112
_UNREAD = (
    ("AVIF", re.compile(rb".{4}ftypavi[fs]", re.DOTALL)),
    ("HEIC", re.compile(rb".{4}ftyp(?:hei[cxms]|hev[cx]|mif1|msf1)", re.DOTALL)),
    ("JPEG XL", re.compile(rb"\xff\x0a|\0\0\0\x0cJXL ")),
    ("Photoshop", re.compile(rb"8BPS\0")),
    ("icon", re.compile(rb"\0\0[\1\2]\0")),
)


def check(body: bytes) -> tuple[int, int]:
    """See to it that a picture is not too large, and tell its width and height.

    Raises:
        Unconverted: it is, does not say how large it is, or is of a kind that nothing reads.
    """
    unread = unread_kind(body)
    if unread:
        raise Unconverted("unsupported", f"it is a picture of the kind {unread}, which is not read")
    try:
        width, height = _size(body)
    except (struct.error, IndexError, ValueError) as error:
        raise Unconverted("damaged", "the picture is damaged or cut off") from error
    if not width or not height:
        raise Unconverted("damaged", "the picture has no size")
    if width * height > MOST_PIXELS:
        message = f"the picture has {width} x {height} pixels, more than {MOST_PIXELS:,}"
        raise Unconverted("too_large", message)
    return width, height


def unread_kind(body: bytes) -> str:
    """The name of a kind of pictures that Tesseract does not read; empty for others."""
    return next((name for name, beginning in _UNREAD if beginning.match(body)), "")


def orientation(body: bytes) -> int:
    """How a JPEG is to be turned, as EXIF counts it; 1, as it is, where it does not say."""
    try:
        for marker, place, length in _segments(body):
            if marker == _APP1 and body.startswith(b"Exif\0\0", place):
                value = _tags(body[place + 6 : place + length - 2]).get(_ORIENTATION, 1)
                return value if 1 <= value <= 8 else 1  # noqa: PLR2004 - all there are
    except (struct.error, IndexError, ValueError):
        pass
    return 1


def has_frames(body: bytes) -> bool:
    """Whether a GIF has more than one picture, of which the first alone is read."""
    if not body.startswith(b"GIF8"):
        return False
    try:
        return _frames(body) > 1
    except IndexError:
        return False


def _frames(body: bytes) -> int:
    """Counted up to two."""
    place, found = 13 + _colours(body[10]), 0
    while found < 2 and body[place] in b"\x21\x2c":  # noqa: PLR2004
        if body[place] == 0x2C:  # noqa: PLR2004 - a picture
            found += 1
            place += 11 + _colours(body[place + 9])
        else:
            place += 2
        while body[place]:
            place += body[place] + 1
        place += 1
    return found


def _colours(flags: int) -> int:
    """Bytes of a GIF's table of colours."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _size(body: bytes) -> tuple[int, int]:
    if body.startswith(b"\x89PNG"):
        width, height = struct.unpack_from(">II", body, 16)
    elif body.startswith(b"GIF8"):
        width, height = struct.unpack_from("<HH", body, 6)
    elif body.startswith(b"BM"):
        width, height = struct.unpack_from("<ii", body, 18)
    elif body.startswith(b"RIFF"):
        width, height = _webp(body)
    elif body.startswith(b"\xff\xd8"):
        width, height = _jpeg(body)
    elif body.startswith(b"\xff\x4f"):
        width, height = struct.unpack_from(">II", body, 8)
    elif body.startswith(b"\0\0\0\x0cjP"):
        height, width = struct.unpack_from(">II", body, body.index(b"ihdr", 0, _JP2_HEAD) + 4)
    else:
        width, height = _tiff(body)
    return abs(width), abs(height)


def _webp(body: bytes) -> tuple[int, int]:
    match body[12:16]:
        case b"VP8X":
            return (
                1 + int.from_bytes(body[24:27], "little"),
                1 + int.from_bytes(body[27:30], "little"),
            )
        case b"VP8L":
            bits = struct.unpack_from("<I", body, 21)[0]
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case _:
            width, height = struct.unpack_from("<HH", body, 26)
            return width & 0x3FFF, height & 0x3FFF


def _segments(body: bytes) -> Iterator[tuple[int, int, int]]:
    """Marker, place and length of the parts of a JPEG's header; the length counts itself."""
    place = 2
    while True:
        while body[place] == 0xFF and body[place + 1] == 0xFF:  # noqa: PLR2004 - padding
            place += 1
        marker, length = struct.unpack_from(">xBH", body, place)
        if length < 2 or body[place] != 0xFF:  # noqa: PLR2004
            raise ValueError(marker)
        yield marker, place + 4, length
        place += 2 + length


def _jpeg(body: bytes) -> tuple[int, int]:
    for marker, place, _ in _segments(body):
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:  # noqa: PLR2004
            height, width = struct.unpack_from(">HH", body, place + 1)
            return width, height
    return 0, 0


def _tiff(body: bytes) -> tuple[int, int]:
    found = _tags(body)
    return found.get(256, 0), found.get(257, 0)


def _tags(body: bytes) -> dict[int, int]:
    """The size and orientation that the first directory of a TIFF tells."""
    order = "<" if body.startswith(b"II") else ">"
    place = struct.unpack_from(f"{order}I", body, 4)[0]
    found = {}
    for index in range(struct.unpack_from(f"{order}H", body, place)[0]):
        tag, kind = struct.unpack_from(f"{order}HH", body, place + 2 + 12 * index)
        if tag in {256, 257, _ORIENTATION}:
            code = f"{order}H" if kind == 3 else f"{order}I"  # noqa: PLR2004 - a SHORT
            found[tag] = struct.unpack_from(code, body, place + 10 + 12 * index)[0]
    return found
