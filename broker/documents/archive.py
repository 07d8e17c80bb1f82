"""ZIP archives: looked through before anything is unpacked, and never unpacked to the disk."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 300_000_000
"""Of all that an archive unpacks to."""
_MOST_ENTRIES = 20_000
_RATIO = 200
"""A large part that shrank more than this is no text: sheets of one value reach 100."""
_RATIO_FROM = 10_000_000
_PROLOG = 65_536
"""Bytes of a part in which its first element must begin."""
_XML = re.compile(r"\.(?:xml|rels|xhtml|html?|opf|ncx|svg|vml)\Z", re.IGNORECASE)
_ROOT = re.compile(rb"<[A-Za-z_\x80-\xff]")
_BOMB = re.compile(rb"<!ENTITY", re.IGNORECASE)
_OUTSIDE = re.compile(r"(?:\A|[/\\])\.\.(?:[/\\]|\Z)|\A[/\\]|\A[A-Za-z]:")
_ENCRYPTED_FLAG = 0x1


class Archive:
    """An archive that was looked through.

    Raises:
        Unconverted: it is encrypted, damaged, or would unpack to too much.
    """

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
            self._parts = {info.filename: info for info in self._zip.infolist()}
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise Unconverted("damaged", "the archive is damaged or cut off") from error
        if not self._parts:
            raise Unconverted("empty", "the archive is empty")
        self._check_sizes()
        self._check_names()

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def names(self) -> Iterator[str]:
        """Of all parts."""
        return iter(self._parts)

    def read(self, name: str, most: int = MOST_BYTES) -> bytes:
        """The first `most` bytes of a part.

        Raises:
            Unconverted: it is missing or damaged.
        """
        try:
            with self._zip.open(self._parts[name]) as part:
                return part.read(most)
        except KeyError as error:
            raise Unconverted("damaged", f"its part {name[:80]!r} is missing") from error
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise Unconverted("damaged", f"its part {name[:80]!r} is damaged") from error
        except (NotImplementedError, RuntimeError) as error:
            raise Unconverted("unsupported", "it is packed in a way nothing here reads") from error

    def check_markup(self) -> None:
        """See to it that no part declares entities, which grow or reach out when they are read.

        Raises:
            Unconverted: one does, or hides where it would.
        """
        for name in self._parts:
            if _XML.search(name) is None:
                continue
            head = self.read(name, _PROLOG).replace(b"\0", b"")  # UTF-16 too
            root = _ROOT.search(head)
            prolog = head[: root.start()] if root else head
            if _BOMB.search(prolog):
                raise Unconverted("damaged", f"its part {name[:80]!r} declares entities of its own")
            if root is None and len(head) > _PROLOG // 2:
                raise Unconverted("damaged", f"its part {name[:80]!r} holds no element")

    def _check_sizes(self) -> None:
        total = 0
        for info in self._parts.values():
            total += info.file_size
            grown = info.file_size > _RATIO * max(1, info.compress_size)
            if total > MOST_BYTES or (grown and info.file_size > _RATIO_FROM):
                message = "it would unpack to much more than it holds (a ZIP bomb)"
                raise Unconverted("too_large", message)
        if len(self._parts) > _MOST_ENTRIES:
            raise Unconverted("too_large", f"it has more than {_MOST_ENTRIES} parts")

    def _check_names(self) -> None:
        for name, info in self._parts.items():
            if _OUTSIDE.search(name):
                raise Unconverted(
                    "damaged", f"its part {name[:80]!r} is named to leave the archive"
                )
            if info.flag_bits & _ENCRYPTED_FLAG:
                raise Unconverted("encrypted", "the archive asks for a password")
