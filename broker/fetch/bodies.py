"""A body as it comes in: unpacked piece by piece, within bounds, and judged by its first bytes.

A compressed body is never unpacked further than the piece that crosses a bound. What the headers
say is not believed where the bytes show otherwise. Pure: bytes go in, bytes stay in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.errors import BodyRefused
from broker.fetch.codings import CodingError, Plain, codings_of, decoder_for, is_gzip, is_packed
from broker.fetch.media import DOCUMENT_CAP_BYTES, SNIFF_BYTES, TEXT_CAP_BYTES, is_text, sniff

if TYPE_CHECKING:
    from broker.fetch.codings import Decoder

_BOMB_BYTES = 4_000_000
_BOMB_RATIO = 300
"""Pages reach 60; what gzip makes of zeros is 1030."""
_SLICE_BYTES = 4 << 10


class Body:
    """The body of one answer, while it arrives.

    Args:
        coding: the header `Content-Encoding`.
        declared: the media type of the header `Content-Type`.
        shown_url: for errors.
    """

    def __init__(self, *, coding: str, declared: str, shown_url: str) -> None:
        self.truncated = False
        """Whether the sender meant to send more than is kept."""
        self.broken_off = False
        """Whether it was the sender who has not sent it all, and not our bound that was reached."""
        self.notes: list[str] = []
        self._codings = codings_of(coding)
        self._coding = ", ".join(self._codings) or "gzip"
        self._declared = declared
        self._shown_url = shown_url
        self._decoder: Decoder | None = None
        self._kept = bytearray()
        self._raw_bytes = 0
        self._full = False

    def __repr__(self) -> str:
        return f"<Body {len(self._kept)} bytes of {self._raw_bytes} {self._codings}>"

    @property
    def full(self) -> bool:
        """Whether the bound is reached and nothing more is wanted."""
        return self._full

    @property
    def sniffed(self) -> str:
        """The media type that the bytes show."""
        return sniff(bytes(self._kept[:SNIFF_BYTES]))

    @property
    def textual(self) -> bool:
        """Whether it is text, so that a part of it is of use."""
        return is_text(self._declared, self.sniffed)

    @property
    def readable(self) -> bool:
        """Whether there is text in it already that somebody could read."""
        return self.textual and bool(self._kept[:SNIFF_BYTES].strip() or self._kept.strip())

    def expect(self, length: int) -> None:
        """Hear of the length that the headers announce.

        Raises:
            BodyRefused: it is a document, and larger than may be.
        """
        cap = _cap(textual=is_text(self._declared, ""))
        if length > cap and not self._codings and not is_text(self._declared, ""):
            raise self._too_large(cap)

    def feed(self, data: bytes) -> None:
        """Take in what came over the wire.

        Raises:
            BodyRefused: it is too large to be of use, or not packed as it is said to be.
        """
        if not data or self._full:
            return
        if self._decoder is None:
            self._decoder = self._choose(data)
        try:
            self._unpack(data, self._decoder)
        except CodingError as error:
            if not self.readable:
                why = f"the body is not the {self._coding} that its headers say it is"
                raise self._refused("bad_encoding", why) from error
            self._full = self.truncated = self.broken_off = True
            self.notes.append(f"the {self._coding} data is damaged, the text before it is kept")

    def end(self, *, cut_off: bool) -> bytes:
        """What is kept; nothing can be fed after it.

        Args:
            cut_off: whether the connection, or the time, ended before the body did.
        """
        unfinished = self._decoder is not None and not self._decoder.ended
        if not self._full and (cut_off or unfinished):
            self.truncated = self.broken_off = True
            if not cut_off:
                self.notes.append(f"the {self._coding} data ends early")
        if self.truncated and self.textual:
            self._drop_half_character()
        kept, self._kept = bytes(self._kept), bytearray()
        return kept

    def _choose(self, head: bytes) -> Decoder:
        if not self._codings:
            # Files put on a server ready packed, whose headers say only what is inside.
            if is_gzip(head) and self._declared.startswith("text/"):
                self.notes.append("the body is compressed, which its headers do not say")
                return self._decoder_for(("gzip",))
            return Plain()
        if not is_packed(self._codings, head):
            self.notes.append(f"the headers say {self._coding}, but the body is not compressed")
            return Plain()
        return self._decoder_for(self._codings)

    def _decoder_for(self, codings: tuple[str, ...]) -> Decoder:
        decoder = decoder_for(codings)
        if decoder is None:
            why = f"the body is packed as {self._coding[:80]}, which nobody here can unpack"
            raise self._refused("bad_encoding", why)
        return decoder

    def _unpack(self, data: bytes, decoder: Decoder) -> None:
        # In slices, so that what was taken in can be held against what came of it.
        step = len(data) if isinstance(decoder, Plain) else _SLICE_BYTES
        for at in range(0, len(data), step):
            part = data[at : at + step]
            self._raw_bytes += len(part)
            for piece in decoder.pieces(part):
                self._keep(piece)
                if self._full:
                    return

    def _keep(self, piece: bytes) -> None:
        self._kept += piece
        size = len(self._kept)
        if size > _BOMB_BYTES and size > _BOMB_RATIO * self._raw_bytes:
            why = f"{self._raw_bytes} bytes of the body unpack to more than {size}: a trap"
            raise self._refused("compression_bomb", why)
        if size <= TEXT_CAP_BYTES:
            return
        textual = self.textual
        cap = _cap(textual=textual)
        if size > cap:
            if not textual:
                raise self._too_large(cap)
            del self._kept[cap:]
            self._full = self.truncated = True
            self.notes.append(f"only the first {cap / 1e6:g} MB of the body are read")

    def _too_large(self, cap: int) -> BodyRefused:
        why = f"the body is larger than the {cap / 1e6:g} MB that a document may have"
        return self._refused("too_large", why)

    def _refused(self, code: str, why: str) -> BodyRefused:
        return BodyRefused(code, f"{self._shown_url}: {why}", url=self._shown_url)

    def _drop_half_character(self) -> None:
        tail = bytes(self._kept[-4:])
        for back in range(1, min(4, len(tail)) + 1):
            byte = tail[-back]
            if byte >= 0xC0:  # noqa: PLR2004 - UTF-8's first bytes of several
                wanted = 2 + (byte >= 0xE0) + (byte >= 0xF0)  # noqa: PLR2004
                if back < wanted:
                    del self._kept[-back:]
                return
            if byte < 0x80:  # noqa: PLR2004 - ASCII
                return


def _cap(*, textual: bool) -> int:
    return TEXT_CAP_BYTES if textual else DOCUMENT_CAP_BYTES
