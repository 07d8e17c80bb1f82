"""Compound files, in which Office kept its streams before 2007. Damaged ones end in an error."""

from __future__ import annotations

import struct
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.documents.records import Converted

_HEADER = 512
_LAST = 0xFFFFFFFA
"""Sector numbers from here on are no sectors."""
_ENTRY = 128
_IN_HEADER = 109
"""Numbers of the allocation table's sectors that stand in the header."""
_SUMMARY = "\x05SummaryInformation"
_TITLE, _AUTHOR, _CREATED = 2, 4, 12
_TEXT, _WIDE_TEXT, _MOMENT = 30, 31, 64


class Compound:
    """The streams of a compound file.

    Raises:
        Unconverted: it is damaged.
    """

    def __init__(self, body: bytes) -> None:
        self._body = body
        try:
            self._read()
        except (struct.error, IndexError, ValueError) as error:
            raise Unconverted("damaged", "the document is damaged or cut off") from error

    def _read(self) -> None:
        shift, mini_shift = struct.unpack_from("<HH", self._body, 30)
        if shift not in {9, 12} or mini_shift != 6:  # noqa: PLR2004 - there are no others
            raise ValueError(shift)
        self._size, self._mini_size = 1 << shift, 1 << mini_shift
        directory, _, self._least, minis, _, more, _ = struct.unpack_from("<7I", self._body, 48)
        tables = list(struct.unpack_from(f"<{_IN_HEADER}I", self._body, 76))
        seen = 0
        while more < _LAST and seen < len(self._body) // self._size:
            *numbers, more = self._numbers(self._sector(more))
            tables += numbers
            seen += 1
        fat = b"".join(self._sector(number) for number in tables if number < _LAST)
        self._fat = self._numbers(fat)
        self._mini_fat = self._numbers(self._chain(minis))
        listing = self._chain(directory)
        self._mini = self._chain(struct.unpack_from("<I", listing, 116)[0])
        self._entries = _entries(listing)

    def stream(self, name: str) -> bytes:
        """A stream, as far as it is there; empty where there is none of that name."""
        start, size = self._entries.get(name, (0, 0))
        if size >= self._least:
            return self._chain(start)[:size]
        pieces: list[bytes] = []
        step = self._mini_size
        while start < len(self._mini_fat) and len(pieces) * step < size:
            pieces.append(self._mini[start * step : (start + 1) * step])
            start = self._mini_fat[start]
        return b"".join(pieces)[:size]

    def describe(self, result: Converted) -> None:
        """Fill in title, author and date, where they can be read."""
        summary = self.stream(_SUMMARY)
        try:
            facts = _properties(summary)
        except (struct.error, OverflowError):
            return
        result.title = facts.get(_TITLE, "")
        result.byline = facts.get(_AUTHOR) or None
        result.published = facts.get(_CREATED) or None

    def _sector(self, number: int) -> bytes:
        place = (number + 1) * self._size
        return self._body[place : place + self._size]

    def _numbers(self, data: bytes) -> Sequence[int]:
        return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])

    def _chain(self, number: int) -> bytes:
        pieces: list[bytes] = []
        while number < len(self._fat) and len(pieces) <= len(self._fat):
            pieces.append(self._sector(number))
            number = self._fat[number]
        return b"".join(pieces)


def _entries(listing: bytes) -> dict[str, tuple[int, int]]:
    """Where each stream of the root begins and how long it is; not those of what is embedded."""
    found: dict[str, tuple[int, int]] = {}
    seen: set[int] = set()
    pending = list(struct.unpack_from("<I", listing, 76))
    while pending:
        number = pending.pop()
        place = number * _ENTRY
        if number in seen or place + _ENTRY > len(listing):
            continue
        seen.add(number)
        length, before, after = struct.unpack_from("<H2xII", listing, place + 64)
        name = listing[place : place + max(0, min(64, length) - 2)]
        found[name.decode("utf-16-le", "replace")] = struct.unpack_from("<II", listing, place + 116)
        pending += (before, after)
    return found


def _properties(summary: bytes) -> dict[int, str]:
    found: dict[int, str] = {}
    if len(summary) < _HEADER // 8:
        return found
    start = struct.unpack_from("<I", summary, 44)[0]
    count = min(struct.unpack_from("<I", summary, start + 4)[0], 100)
    for index in range(count):
        what, place = struct.unpack_from("<II", summary, start + 8 + 8 * index)
        kind, length = struct.unpack_from("<II", summary, start + place)
        value = summary[start + place + 8 :]
        if kind == _TEXT:
            found[what] = _decoded(value[:length].split(b"\0")[0])
        elif kind == _WIDE_TEXT:
            found[what] = value[: 2 * length].decode("utf-16-le", "replace").split("\0")[0].strip()
        elif kind == _MOMENT:
            ticks = struct.unpack_from("<Q", summary, start + place + 4)[0]
            moment = datetime(1601, 1, 1) + timedelta(microseconds=ticks // 10)  # noqa: DTZ001 - UTC
            found[what] = moment.isoformat() if ticks else ""
    return found


def _decoded(value: bytes) -> str:
    from extract.decode import decode  # noqa: PLC0415 - few files come here

    return decode(value).text.strip()
