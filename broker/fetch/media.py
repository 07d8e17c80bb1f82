"""What a body is: by its header and by its first bytes. Pure; how text is coded is not asked."""

from __future__ import annotations

import codecs
import re

TEXT_CAP_BYTES = 10_000_000
"""More decoded text than this is no page that anybody reads."""
DOCUMENT_CAP_BYTES = 30_000_000
SNIFF_BYTES = 1024
"""Decoded bytes that `sniff` wants to see."""

UNKNOWN = "application/octet-stream"

_TYPE = re.compile(r"\s*([\w!#$&^.+-]+/[\w!#$&^.+*-]+)\s*(?:[;,]|$)", re.ASCII)

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"8BPS\0", "image/vnd.adobe.photoshop"),
    (0, b"\0\0\1\0", "image/x-icon"),
    (0, b"\xff\x0a", "image/jxl"),
    (0, b"\0\0\0\x0cJXL ", "image/jxl"),
    (0, b"\0\0\0\x0cjP  ", "image/jp2"),
    (0, b"\xff\x4f\xff\x51", "image/jp2"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypavis", "image/avif"),
    (4, b"ftyphei", "image/heic"),
    (4, b"ftyphev", "image/heic"),
    (4, b"ftypmif1", "image/heif"),
    (4, b"ftypmsf1", "image/heif"),
    (4, b"ftyp", "video/mp4"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\x00", "application/x-xz"),
    (257, b"ustar", "application/x-tar"),
)
"""Where, which bytes, what they say. ZIP is also Office's and EPUB's shell, OLE old Office's."""

_BITMAP = re.compile(rb"BM.{12}[\x0c(4@l|]\0\0\0", re.DOTALL)
"""BMP: its two letters begin words too, but the length of its second header follows at 14."""
_MARKUP = re.compile(
    rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|script|meta|div|h1|p|a|table)"
    rb"[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_XML = re.compile(rb"\s*<\?xml\s")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")

_TEXT_TYPES = re.compile(
    r"text/|application/(?:[\w.+-]*[+.-])?"
    r"(?:xml|json|javascript|ecmascript|yaml|toml|sh|ndjson|jsonl)\b"
)


def media_type(content_type: str) -> str:
    """The type in lower case without its parameters; empty where there is none."""
    found = _TYPE.match(content_type)
    return found[1].lower() if found else ""


def sniff(head: bytes) -> str:
    """The media type that the first bytes show; empty where they do not say.

    Plain text is `text/plain`, bytes of no known kind are `application/octet-stream`.
    """
    head = head[:SNIFF_BYTES]
    for at, magic, kind in _MAGIC:
        if head.startswith(magic, at):
            return kind
    if _BITMAP.match(head):
        return "image/bmp"
    if not head:
        return ""
    for mark, name in _MARKS:
        if head.startswith(mark):
            head = head.decode(name, "ignore").encode()
            break
    if _MARKUP.match(head):
        return "text/html"
    if _XML.match(head):
        return "application/xml"
    return UNKNOWN if _CONTROL.search(head) else "text/plain"


def is_text(declared: str, seen: str) -> bool:
    """Whether a body is text, by what its bytes show, or else by what is said of it."""
    if seen and seen != UNKNOWN:
        return _TEXT_TYPES.match(seen) is not None
    return not declared or _TEXT_TYPES.match(declared) is not None
