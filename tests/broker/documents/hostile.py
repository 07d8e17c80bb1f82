"""Files that somebody made to do harm, or that are broken: name, bytes, and the code to expect."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from scripts.typesetting.__main__ import pdf
from tests.broker.documents.reading import DATA

DOCX_TYPES = (
    b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    b'content-types"><Override PartName="/word/document.xml" ContentType="application/'
    b'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><w:document xmlns:w="w"><w:t>&c;</w:t></w:document>'
)
OUTSIDE = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    b'<w:document xmlns:w="w"><w:t>&a;</w:t></w:document>'
)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 1016
NO_PAGES = [b"<< /Type /Catalog /Pages 2 0 R >>"]


def named(name: str) -> bytes:
    """A name as a compound file has it."""
    return name.encode("utf-16-le") + b"\0\0"


def zipped(parts: dict[str, bytes], *, level: int = 9) -> bytes:
    """An archive of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
    return out.getvalue()


def docx(document: bytes, **more: bytes) -> bytes:
    """A Word file with that document."""
    return zipped({"[Content_Types].xml": DOCX_TYPES, "word/document.xml": document, **more})


def locked_zip() -> bytes:
    """An archive whose parts say that they are encrypted."""
    body = bytearray(docx(b"<w:document/>"))
    place = 0
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = 0
        while (place := body.find(signature, place)) >= 0:
            body[place + offset] |= 1
            place += 4
    return bytes(body)


def png(width: int, height: int, rows: bytes = b"") -> bytes:
    """A grey PNG that says it has that size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + data


def looping_pages() -> bytes:
    """A PDF whose tree of pages holds itself."""
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>",
        ]
    )


def looping_xref() -> bytes:
    """A PDF whose cross-reference table leads to itself."""
    body = pdf(NO_PAGES)
    return body.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %d" % body.rindex(b"xref\n0"))


def huge_page() -> bytes:
    """A PDF with a page of a million by a million points, and a picture on it that is none."""
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1000000 1000000] /Contents 4 0 R >>",
            b"<< /Length 0 >>\nstream\n\nendstream",
        ]
    )


def manifest(entry: bytes) -> bytes:
    """A manifest of an OpenDocument file."""
    return b'<m:manifest xmlns:m="m"><m:file-entry>' + entry + b"</m:file-entry></m:manifest>"


def odt(**parts: bytes) -> bytes:
    """An OpenDocument text of these parts."""
    return zipped({"mimetype": b"application/vnd.oasis.opendocument.text", **parts})


PAPER = (DATA / "paper-latex.pdf").read_bytes()
WORD = (DATA / "report-pandoc.docx").read_bytes()
BOOK = (DATA / "report-pandoc.epub").read_bytes()
SHEET = (DATA / "seasons-libreoffice.xls").read_bytes()

CASES: dict[str, tuple[bytes, str]] = {
    "a PDF with a password": ((DATA / "locked.pdf").read_bytes(), "encrypted"),
    "a PDF without its pages": (pdf(NO_PAGES), "damaged"),
    "the first bytes of a PDF": (PAPER[:600], "damaged"),
    "only the mark of a PDF": (b"%PDF-1.7\n", "damaged"),
    "a PDF whose pages hold themselves": (looping_pages(), "empty"),
    "a PDF whose table leads to itself": (looping_xref(), "damaged"),
    "a PDF with a page of a mile": (huge_page(), "empty"),
    "noise that says it is a PDF": (b"%PDF-1.4\n" + bytes(range(256)) * 40, "damaged"),
    "a Word file with a password": (OLE + named("EncryptedPackage"), "encrypted"),
    "an archive with a password": (locked_zip(), "encrypted"),
    "an OpenDocument text with a password": (
        odt(**{"META-INF/manifest.xml": manifest(b"<m:encryption-data/>")}),
        "encrypted",
    ),
    "a protected book": (
        zipped(
            {
                "mimetype": b"application/epub+zip",
                "META-INF/encryption.xml": b'<e><EncryptionMethod Algorithm="http://aes"/></e>',
            }
        ),
        "encrypted",
    ),
    "half a Word file": (WORD[: len(WORD) // 2], "damaged"),
    "half a book": (BOOK[: len(BOOK) // 2], "damaged"),
    "half an old sheet": (SHEET[: len(SHEET) // 3], "damaged"),
    "the first bytes of an archive": (b"PK\x03\x04", "damaged"),
    "an archive with nothing in it": (b"PK\x05\x06" + b"\0" * 18, "empty"),
    "an archive of no document": (zipped({"notes.txt": b"hello"}), "unsupported"),
    "a ZIP bomb in a Word file": (docx(b" " * 120_000_000), "too_large"),
    "an archive of very many parts": (
        zipped({f"{number}": b"" for number in range(20_001)}, level=0),
        "too_large",
    ),
    "a Word file that laughs a billion times": (docx(LAUGHS), "damaged"),
    "a Word file that asks for another file": (docx(OUTSIDE), "damaged"),
    "entities in UTF-16": (docx(LAUGHS.decode().encode("utf-16")), "damaged"),
    "a part that leaves the archive": (
        docx(b"<w:document/>", **{"../../etc/passwd": b"x"}),
        "damaged",
    ),
    "a Word file that is no XML": (docx(b"\xff" * 50_000), "damaged"),
    "a compound file of nothing": (OLE, "unsupported"),
    "rich text nested without end": (b"{\\rtf1" + b"{" * 100_000, "damaged"),
    "rich text without text": (b"{\\rtf1}", "empty"),
    "a picture of a billion pixels": (png(40_000, 40_000), "too_large"),
    "a picture without a size": (png(0, 0), "damaged"),
    "the first bytes of a picture": (b"\xff\xd8\xff\xe0\0\x10", "damaged"),
    "a font": (b"wOF2" + bytes(range(200)), "unsupported"),
    "noise": (bytes(range(256)) * 8, "unsupported"),
}
"""By what it is: the bytes, and the code of the error."""
