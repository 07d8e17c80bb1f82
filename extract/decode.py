"""Bytes as text: the encoding a page is really in, whatever it says.

The order is that of the Encoding and HTML standards (byte order mark, HTTP header, declaration in
the page), with what pages do against them: valid UTF-8 is UTF-8 under any label, a page that is
mostly UTF-8 stays so around a few stray bytes, and a label that makes nonsense of the bytes loses
to `charset_guess`. Time and memory grow linearly; valid UTF-8 costs two passes in C.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from extract.charset_guess import guess
from extract.charset_labels import codec_of, name_of

_HEAD_BYTES = 8192
"""Where a declaration is looked for. The standard says 1024; pages put scripts before it."""
_SAMPLE_BYTES = 4096
_CONTEXT_BYTES = 12

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
CONTROLS = bytes([*range(9), 11, *range(14, 32), 127])
"""The control characters that are no white space: they mean nothing in a page."""
_CONTROL_BYTES = tuple(bytes([code]) for code in CONTROLS)
_CONTROL_CHARS = dict.fromkeys(CONTROLS)

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_META = re.compile(rb"<meta\b[^>]{0,1000}", re.IGNORECASE)
_META_SPEAKS = re.compile(
    rb"http-equiv|content\s*=\s*[\"']?\s*(?:text|application)/", re.IGNORECASE
)
_XML = re.compile(rb"<\?xml[^>]{1,200}?encoding\s*=\s*[\"']\s*([\w.:-]{1,40})", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_LANGUAGE = re.compile(rb"<html\b[^>]{0,500}?\blang\s*=\s*[\"']?([a-z]{2})\b", re.IGNORECASE)
_FOREIGN = re.compile(rb"[\x80-\xff][^<\r\n]*+")
_ESCAPED_JAPANESE = re.compile(rb"\x1b(?:\$[@B]|\([IJ])")
_SEVEN_BIT = frozenset({"iso2022_jp_ext", "iso2022_kr", "hz"})
_MULTI_BYTE = frozenset({"gb18030", "big5hkscs", "cp932", "euc_jis_2004", "cp949"})

_STRAY = re.compile(r"[\udc80-\udcff]")
_CUT_CHARACTER = re.compile(r"[\udce0-\udcf4][\udc80-\udcbf]{0,2}")
_EAST_ASIAN = re.compile(r"[\u1100-\u11ff\u2e80-\uffdc\U00020000-\U0003ffff]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_LATIN = re.compile(r"[\x80-\u036f]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page's text and how it was come by."""

    text: str
    """Without byte order mark, NUL and the other C0 controls that are not white space."""
    encoding: str
    """The Encoding Standard's name, lower case: "utf-8", "windows-1252", "gb18030"."""
    lossy: bool
    """Whether U+FFFD stands in `text` for bytes that mean nothing in `encoding`."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the text should know."""
        return (f"some bytes are no {self.encoding} and were replaced",) if self.lossy else ()


def decode(data: bytes, content_type: str | None = None) -> Decoded:
    """The text of the page `data`. Never raises.

    `content_type` is the HTTP header's value, as in "text/html; charset=gbk". Labels that nobody
    knows, and UTF-16 declared by a page that can be read as ASCII, say nothing.
    """
    for mark, codec in _BOMS:
        if data.startswith(mark):
            data = data[len(mark) :]
            return _decoded_mixed(data) if codec == "utf-8" else _decoded(data, codec)
    declared = _declared(data, content_type)
    wide = _wide_codec(data)
    if wide:
        return _decoded(data, wide)
    seven_bit = _seven_bit_codec(data, declared)
    if seven_bit:
        return _decoded(data, seven_bit)
    data = without_controls(data)
    try:
        return Decoded(data.decode(), "utf-8", lossy=False)
    except UnicodeDecodeError:
        return _decoded_legacy(data, declared)


def as_utf8(data: bytes) -> bytes:
    """The page `data` as `decode` reads it without a header, in UTF-8. Never raises."""
    clean = without_controls(data)
    plain = len(clean) == len(data) and not data.startswith(codecs.BOM_UTF8)
    if plain and _is_utf8(data):
        return data
    return decode(data).text.encode("utf-8", "replace")


def without_controls(data: bytes) -> bytes:
    """`data`, in an encoding that extends ASCII, without control characters but white space."""
    # Twice as fast as translating at once, and there hardly ever are any.
    found = any(control in data for control in _CONTROL_BYTES)
    return data.translate(None, CONTROLS) if found else data


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _declared(data: bytes, content_type: str | None) -> list[str]:
    """The codecs the page names, the most binding first."""
    labels = [] if content_type is None else _CHARSET.findall(content_type.encode(errors="replace"))
    head = _COMMENT.sub(b"", data[:_HEAD_BYTES])
    for meta in _META.findall(head):
        found = _CHARSET.search(meta)
        if found and (_META_SPEAKS.search(meta) or b"content" not in meta.lower()):
            labels.append(found[1])
    labels += _XML.findall(head[:300])
    codecs_named = (codec_of(label.decode("ascii", "replace")) for label in labels)
    return [codec for codec in codecs_named if codec and not codec.startswith("utf-16")]


def _wide_codec(data: bytes) -> str | None:
    """UTF-16 without a mark: markup is ASCII, so that every other byte of it is zero."""
    head = data[:1024]
    half = len(head) // 2
    even, odd = head[::2].count(0), head[1::2].count(0)
    if half <= 1 or max(even, odd) < 0.4 * half or min(even, odd) > 0.1 * half:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def _seven_bit_codec(data: bytes, declared: list[str]) -> str | None:
    if not data.isascii():
        return None
    if b"\x1b" in data and _ESCAPED_JAPANESE.search(data):
        return "iso2022_jp_ext"
    named = next((codec for codec in declared if codec in _SEVEN_BIT), None)
    return named if named and (b"\x1b$" in data or b"~{" in data) else None


def _decoded(data: bytes, codec: str) -> Decoded:
    # Counted against what the bytes themselves may hold: UTF-16 can carry U+FFFD as text.
    try:
        text, lossy = data.decode(codec), False
    except UnicodeDecodeError:
        text, lossy = data.decode(codec, "replace"), True
    if codec.startswith("utf-16") or codec in _SEVEN_BIT:
        text = text.translate(_CONTROL_CHARS).removeprefix("\ufeff")
    return Decoded(text, name_of(codec), lossy)


def _decoded_legacy(data: bytes, declared: list[str]) -> Decoded:
    """For bytes that are not valid UTF-8."""
    sample = _sample(data)
    read = sample.decode("utf-8", "surrogateescape")
    stray = len(_STRAY.findall(read))
    # In sentences of eleven legacy encodings stray bytes are 2.6 times as many as sequences that
    # happen to be valid, or more; in UTF-8 that was cut or pasted into they are a few.
    if len(read) - len(re.findall(r"[\x00-\x7f]", read)) - stray >= stray:
        return _decoded_mixed(data)
    named = next(
        (codec for codec in declared if codec != "utf-8" and codec not in _SEVEN_BIT), None
    )
    language = _LANGUAGE.search(data[:_HEAD_BYTES])
    codec = guess(sample, declared=named, language=language[1].decode().lower() if language else "")
    return _decoded(data, codec)


def _sample(data: bytes) -> bytes:
    """Pieces of `data` that start at, or a word before, a byte that is not ASCII."""
    pieces: list[bytes] = []
    size = end = 0
    for found in _FOREIGN.finditer(data):
        start = max(end, found.start() - _CONTEXT_BYTES)
        end = found.end()
        pieces.append(data[start : min(end, start + _SAMPLE_BYTES)])
        size += len(pieces[-1])
        if size >= _SAMPLE_BYTES:
            break
    return b"\n".join(pieces)


def _decoded_mixed(data: bytes) -> Decoded:
    """UTF-8, its stray bytes read as the Windows encoding of the page's script.

    What looks like a character that was cut in two (a lead byte without all that belong to it, in
    a page of East Asian text) has no reading and becomes U+FFFD.
    """
    text = without_controls(data).decode("utf-8", "surrogateescape")
    if not _STRAY.search(text):
        return Decoded(text, "utf-8", lossy=False)
    start = text[:100_000]
    counts = [len(script.findall(start)) for script in (_LATIN, _CYRILLIC, _EAST_ASIAN)]
    if counts[2] > max(counts[:2]):
        text = _CUT_CHARACTER.sub("\ufffd", text)
    codec = "cp1251" if counts[1] > max(counts[0], counts[2]) else "cp1252"
    strays = bytes(range(0x80, 0x100)).decode(codec, "replace")
    fixed = text.translate({0xDC80 + offset: char for offset, char in enumerate(strays)})
    return Decoded(fixed, "utf-8", lossy=fixed.count("\ufffd") > data.count(b"\xef\xbf\xbd"))
