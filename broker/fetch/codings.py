"""The ways in which bodies are packed, unpacked within bounds. Pure.

None of the libraries is handed more than it can unpack into a few megabytes, so a few kilobytes
that stand for gigabytes cost no more than a page does: whoever takes the pieces stops taking them.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PIECE_BYTES = 256 << 10
"""Most that is unpacked at a time."""
_ZSTD_STEP_BYTES = 128
"""Fed to zstd at a time: it has no bound of its own, and no more than 4 MB can come of this."""
_ZSTD_WINDOW_BYTES = 8 << 20
"""What RFC 9659 allows for content codings."""
_MAX_CODINGS = 3
_PLAIN_BYTES = 64
_PLAIN_MIN_BYTES = 16
"""So many printable bytes at the start of what should be compressed are no coincidence."""
_GZIP_BITS = zlib.MAX_WBITS | 16
_MAGIC = {
    "gzip": b"\x1f\x8b",
    "x-gzip": b"\x1f\x8b",
    "zstd": b"\x28\xb5\x2f\xfd",
}
_NOTHING = frozenset({"", "identity", "none"})


class CodingError(Exception):
    """The bytes are not what their coding says."""


class Decoder(Protocol):
    """Takes one coding off, or several."""

    @property
    def ended(self) -> bool:
        """Whether the compressed data came to its own end."""
        ...

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Unpack `data`, a bounded piece at a time."""
        ...


class Plain:
    """For what is not packed."""

    ended = True

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """`data` as it is."""
        yield data


class _Zlib:
    """gzip and deflate; a gzip body may have several members, and rubbish behind the last."""

    def __init__(self, window_bits: int) -> None:
        self._window_bits = window_bits
        self._unpacker = zlib.decompressobj(window_bits)
        self._begun = False

    @property
    def ended(self) -> bool:
        return self._unpacker.eof

    def pieces(self, data: bytes) -> Iterator[bytes]:
        more = True
        while more:
            try:
                piece = self._unpacker.decompress(data, _PIECE_BYTES)
            except zlib.error as error:
                if self._begun or self._window_bits != zlib.MAX_WBITS:
                    raise CodingError from error
                # Many servers send deflate without the header that the standard wants.
                self._window_bits = -zlib.MAX_WBITS
                self._unpacker = zlib.decompressobj(self._window_bits)
                continue
            self._begun = True
            data = self._unpacker.unconsumed_tail
            more = bool(data) or len(piece) == _PIECE_BYTES
            if self._unpacker.eof:
                data = self._unpacker.unused_data
                more = data.startswith(b"\x1f\x8b") and self._window_bits > zlib.MAX_WBITS
                if more:
                    self._unpacker = zlib.decompressobj(self._window_bits)
            yield piece


class _Brotli:
    def __init__(self) -> None:
        import brotli  # type: ignore[import-untyped]  # noqa: PLC0415 - when one is met

        self._error: type[Exception] = brotli.error
        self._unpacker = brotli.Decompressor()

    @property
    def ended(self) -> bool:
        return bool(self._unpacker.is_finished())

    def pieces(self, data: bytes) -> Iterator[bytes]:
        more = True
        while more and not self.ended:
            try:
                piece: bytes = self._unpacker.process(data, output_buffer_limit=_PIECE_BYTES)
            except self._error as error:
                raise CodingError from error
            data, more = b"", not self._unpacker.can_accept_more_data()
            yield piece


class _Zstd:
    def __init__(self) -> None:
        import zstandard  # noqa: PLC0415 - when one is met

        self._error = zstandard.ZstdError
        self._kind = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES)
        self._unpacker = self._kind.decompressobj()

    @property
    def ended(self) -> bool:
        return self._unpacker.eof

    def pieces(self, data: bytes) -> Iterator[bytes]:
        for at in range(0, len(data), _ZSTD_STEP_BYTES):
            step = data[at : at + _ZSTD_STEP_BYTES]
            while step:
                if self._unpacker.eof:
                    self._unpacker = self._kind.decompressobj()
                try:
                    piece = self._unpacker.decompress(step)
                except self._error as error:
                    raise CodingError from error
                step = self._unpacker.unused_data if self._unpacker.eof else b""
                yield piece


class _Chain:
    """Several codings, one around the other; the first one given is taken off first."""

    def __init__(self, decoders: Sequence[Decoder]) -> None:
        self._decoders = decoders

    @property
    def ended(self) -> bool:
        return all(decoder.ended for decoder in self._decoders)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        return self._through(self._decoders, data)

    def _through(self, decoders: Sequence[Decoder], data: bytes) -> Iterator[bytes]:
        if not decoders:
            yield data
            return
        for piece in decoders[0].pieces(data):
            yield from self._through(decoders[1:], piece)


def codings_of(header: str) -> tuple[str, ...]:
    """The codings that `Content-Encoding` names, in the order in which they were put on."""
    words = (word.strip() for word in header.lower().split(","))
    return tuple(word for word in words if word not in _NOTHING)


def is_gzip(head: bytes) -> bool:
    """Whether the bytes begin as gzip does."""
    return head.startswith(_MAGIC["gzip"])


def is_packed(codings: Sequence[str], head: bytes) -> bool:
    """Whether a body that begins with `head` can be what its headers say; never empty."""
    magic = _MAGIC.get(codings[-1], b"")
    return head.startswith(magic[: len(head)]) and not _looks_plain(head)


def decoder_for(codings: Sequence[str]) -> Decoder | None:
    """What takes the codings off again; None where one of them is not known."""
    decoders = [_decoder(word) for word in reversed(codings)]
    known = [each for each in decoders if each is not None]
    if len(known) < len(codings) or len(known) > _MAX_CODINGS:
        return None
    return known[0] if len(known) == 1 else _Chain(known)


def _decoder(coding: str) -> Decoder | None:
    match coding:
        case "gzip" | "x-gzip":
            return _Zlib(_GZIP_BITS)
        case "deflate":
            return _Zlib(zlib.MAX_WBITS)
        case "br":
            return _Brotli()
        case "zstd":
            return _Zstd()
        case _:
            return None


def _looks_plain(head: bytes) -> bool:
    start = head[:_PLAIN_BYTES]
    printable = all(byte >= 0x20 or byte in b"\t\n\r\f" for byte in start)  # noqa: PLR2004
    letters = sum(byte < 0x7F for byte in start)  # noqa: PLR2004
    return len(start) >= _PLAIN_MIN_BYTES and printable and letters * 4 >= len(start) * 3
