"""Bodies that are no markup: files, data, plain text, noise.

`sniff` looks at how a body begins, never at its whole length, so that a page of any size costs
nothing here. What it cannot place is markup.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum

from extract.decode import decode

HEAD_BYTES = 2048
"""How much of a body decides what it is."""

DATA_CHARS = 2_000_000
"""Length up to which data is read as JSON; what is longer is taken for data by its beginning."""


class BodyKind(StrEnum):
    """What a body is, by how it begins."""

    MARKUP = "markup"
    TEXT = "text"
    DATA = "data"
    FILE = "file"
    """A format of its own, known by its signature."""
    NOISE = "noise"
    """Bytes that are no text: still compressed, encrypted, cut."""
    BLANK = "blank"


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A body and what it is."""

    kind: BodyKind
    text: str = ""
    """Of text and data, the beginning where they are very long; empty else."""
    length: int = 0
    """Characters or bytes of the whole."""
    name: str = ""
    """The format, for a file."""


_SIGNATURES = (
    (b"%PDF-", "PDF"), (b"PK\x03\x04", "ZIP, Office or EPUB"), (b"\xd0\xcf\x11\xe0", "Office"),
    (b"\x89PNG", "PNG"), (b"\xff\xd8\xff", "JPEG"), (b"GIF8", "GIF"), (b"ID3", "MP3"),
    (b"OggS", "Ogg"), (b"fLaC", "FLAC"), (b"{\\rtf", "RTF"), (b"%!PS", "PostScript"),
    (b"7z\xbc\xaf", "7z"),
    (b"Rar!", "RAR"), (b"\x1aE\xdf\xa3", "Matroska"), (b"wOF", "font"), (b"AT&TFORM", "DjVu"),
    (b"II*\0", "TIFF"), (b"MM\0*", "TIFF"), (b"8BPS\0", "Photoshop"), (b"\0\0\1\0", "icon"),
    (b"\xff\x0a", "JPEG XL"), (b"\0\0\0\x0cJXL ", "JPEG XL"),
    (b"\0\0\0\x0cjP  ", "JPEG 2000"), (b"\xff\x4f\xff\x51", "JPEG 2000"),
)  # fmt: skip
_BITMAP = re.compile(rb"BM.{12}[\x0c(4@l|]\0\0\0", re.DOTALL)
"""BMP: its two letters begin words too, but the length of its second header follows at 14."""
_NEVER_IN_TEXT = bytes([*range(9), 11, *range(14, 27), *range(28, 32)])
"""Control characters without those that break lines, and without ESC, which switches charsets."""

_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"BZh", b"\xfd7zXZ")
_TAG = re.compile(r"<(?:!doctype|!--|\?xml|/?[a-z][a-z0-9:-]*[\s/>])", re.IGNORECASE)
_ODD = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\xbf\ufffd]")
"""What shows in place of bytes that are no text."""

_DATA_BEGIN = re.compile(r'\{\s*["}]|\[\s*[\[{"\d\]tfn-]')
_TEXT_TYPES = re.compile(r"text/(?:plain|markdown|csv|x-)|application/(?:x-)?(?:yaml|toml|x-sh)")


def sniff(body: str | bytes, content_type: str = "") -> Body:
    """What `body` is. A declared type decides only between markup and text."""
    head = body[:HEAD_BYTES]
    if isinstance(head, bytes):
        binary = _binary(head)
        if binary is not None:
            return binary
        shown = head.decode("utf-8", "replace")
    else:
        shown = head
    begin = shown.lstrip("\ufeff \t\r\n")
    if not begin and len(body) <= HEAD_BYTES:
        return Body(kind=BodyKind.BLANK)
    if _DATA_BEGIN.match(begin):
        data = _data(body)
        if data is not None:
            return data
    declared = _TEXT_TYPES.search(content_type.lower()) is not None
    if declared or (_TAG.search(shown) is None and "<" not in shown):
        return Body(kind=BodyKind.TEXT, text=_decode(body), length=len(body))
    return Body(kind=BodyKind.MARKUP)


def is_garbled(text: str) -> bool:
    """Whether `text` is what is shown of bytes that are no text."""
    sample = text[:4000]
    return len(_ODD.findall(sample)) * 8 > len(sample)


def file_format(body: str | bytes) -> str:
    """The format of a body with a signature, as PDF; empty for any other, and for text."""
    if isinstance(body, str):
        return ""
    head = body[:HEAD_BYTES]
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            return name
    if _BITMAP.match(head):
        return "BMP"
    if head[4:8] == b"ftyp" or (head[:4] == b"RIFF" and head[8:12] in {b"WEBP", b"WAVE", b"AVI "}):
        return "media"
    return ""


def _binary(head: bytes) -> Body | None:
    name = file_format(head)
    if name:
        return Body(kind=BodyKind.FILE, name=name)
    if head.startswith(_COMPRESSED):
        return Body(kind=BodyKind.NOISE)
    controls = len(head) - len(head.translate(None, _NEVER_IN_TEXT))
    if controls * 40 <= len(head):
        return None
    encoding = decode(head).encoding
    if encoding.startswith(("utf-16", "utf-32")):  # every second byte may be zero
        text = head.decode(encoding, "replace").lstrip("\ufeff")
        text = text.rstrip("\ufffd")  # cut at the head's end
        odd = sum(letter == "\ufffd" or not _shows(letter) for letter in text)
        if text and odd * 40 <= len(text):
            return None
    return Body(kind=BodyKind.NOISE)


def _shows(letter: str) -> bool:
    return letter.isprintable() or letter.isspace()


def _data(body: str | bytes) -> Body | None:
    if len(body) > DATA_CHARS:
        return Body(kind=BodyKind.DATA, text=_decode(body[:HEAD_BYTES]), length=len(body))
    text = _decode(body)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    return Body(kind=BodyKind.DATA, text=text, length=len(body))


def _decode(body: str | bytes) -> str:
    return decode(body).text if isinstance(body, bytes) else body
