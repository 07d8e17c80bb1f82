"""How large a picture is, by its header alone: what unpacks to gigabytes is never unpacked."""

from __future__ import annotations

import struct

from broker.documents.failures import Unconverted

MOST_PIXELS = 80_000_000


def check(body: bytes) -> None:
    """See to it that a picture is not too large.

    Raises:
        Unconverted: it is, or does not say how large it is.
    """
    try:
        width, height = _size(body)
    except (struct.error, IndexError, ValueError) as error:
        raise Unconverted("damaged", "the picture is damaged or cut off") from error
    if not width or not height:
        raise Unconverted("damaged", "the picture has no size")
    if width * height > MOST_PIXELS:
        message = f"the picture has {width} x {height} pixels, more than {MOST_PIXELS:,}"
        raise Unconverted("too_large", message)


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


def _jpeg(body: bytes) -> tuple[int, int]:
    place = 2
    while True:
        while body[place] == 0xFF and body[place + 1] == 0xFF:  # noqa: PLR2004 - padding
            place += 1
        marker, length = struct.unpack_from(">xBH", body, place)
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:  # noqa: PLR2004
            height, width = struct.unpack_from(">HH", body, place + 5)
            return width, height
        if length < 2 or body[place] != 0xFF:  # noqa: PLR2004
            raise ValueError(marker)
        place += 2 + length


def _tiff(body: bytes) -> tuple[int, int]:
    order = "<" if body.startswith(b"II") else ">"
    place = struct.unpack_from(f"{order}I", body, 4)[0]
    found = {}
    for index in range(struct.unpack_from(f"{order}H", body, place)[0]):
        tag, kind = struct.unpack_from(f"{order}HH", body, place + 2 + 12 * index)
        if tag in {256, 257}:
            code = f"{order}H" if kind == 3 else f"{order}I"  # noqa: PLR2004 - a SHORT
            found[tag] = struct.unpack_from(code, body, place + 10 + 12 * index)[0]
    return found.get(256, 0), found.get(257, 0)
