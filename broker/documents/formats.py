"""What a file is, by its bytes: names and declared types lie too often."""

from __future__ import annotations

import re
from enum import StrEnum


class Format(StrEnum):
    """A format that is known; the value is what a message calls it."""

    PDF = "PDF"
    ZIP = "ZIP"
    """Office, OpenDocument or EPUB, or just an archive: `archive` looks inside."""
    OLE = "old Office"
    """`office` looks inside."""
    RTF = "RTF"
    MAIL = "e-mail"
    IMAGE = "picture"
    SOUND = "sound"
    OTHER = "unknown"


_PDF_WITHIN = 1024
"""Readers accept a PDF with so much before it."""
_BEGINNINGS = (
    (Format.ZIP, re.compile(rb"PK(?:\x03\x04|\x05\x06)")),
    (Format.OLE, re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")),
    (Format.RTF, re.compile(rb"\{\\rtf")),
    (
        Format.IMAGE,
        re.compile(
            rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF.{4}WEBP"
            rb"|BM.{12}[\x0c(4@l|]\0\0\0|8BPS\0|\0\0[\1\2]\0|\xff\x0a|\0\0\0\x0c(?:JXL|jP ) "
            rb"|\xff\x4f\xff\x51|.{4}ftyp(?:avi[fs]|hei[cxms]|hev[cx]|mif1|msf1)",
            re.DOTALL,
        ),
    ),
    (
        Format.SOUND,
        re.compile(
            rb"ID3|OggS|fLaC|\xff[\xfb\xf3\xf2]|\x1aE\xdf\xa3|.{4}ftyp|RIFF.{4}WAVE", re.DOTALL
        ),
    ),
)
_MAIL_FIELD = re.compile(rb"([!-9;-~]{1,60}):")
_MAIL_FIELDS = frozenset(
    b"from to subject date message-id mime-version received return-path delivered-to cc".split()
)
_LEAST_FIELDS = 3
_MOST_HEADER_LINES = 300


def format_of(body: bytes) -> Format:
    """The format of `body`."""
    if b"%PDF-" in body[:_PDF_WITHIN]:
        return Format.PDF
    for known, beginning in _BEGINNINGS:
        if beginning.match(body):
            return known
    return Format.MAIL if is_mail(body) else Format.OTHER


def is_mail(body: bytes) -> bool:
    """Whether it begins with the header of a message, whose lines may be of any length."""
    known = 0
    place = body.find(b"\n") + 1 if body.startswith(b"From ") else 0  # as in a mailbox
    first = place
    for _ in range(_MOST_HEADER_LINES):
        field = _MAIL_FIELD.match(body, place)
        if field is not None:
            known += field[1].lower() in _MAIL_FIELDS
        elif place == first or body[place : place + 1] not in {b" ", b"\t"}:
            return False
        place = body.find(b"\n", place) + 1
        if known >= _LEAST_FIELDS or not place:
            break
    return known >= _LEAST_FIELDS
