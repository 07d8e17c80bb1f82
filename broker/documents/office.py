"""Office, OpenDocument and EPUB files: which of ours reads them, or else Kreuzberg."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from broker.documents.archive import Archive
from broker.documents.failures import Unconverted
from broker.documents.records import Converted
from broker.documents.sheets import corrected
from broker.documents.tools import LIBRARIES, has_libraries

if TYPE_CHECKING:
    from collections.abc import Callable

_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
_MAIN_PARTS = (
    ("word/", f"{_OOXML}wordprocessingml.document"),
    ("ppt/", f"{_OOXML}presentationml.presentation"),
    ("xl/", f"{_OOXML}spreadsheetml.sheet"),
)
_OLD = (
    ("WordDocument", "application/msword", "Word"),
    ("Workbook", "application/vnd.ms-excel", "Excel"),
    ("Book", "application/vnd.ms-excel", "Excel"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint", "PowerPoint"),
    ("__substg1.0_001A001F", "application/vnd.ms-outlook", "Outlook"),
)
_DIRECTORY_AT, _SECTOR = 48, 512
"""Where a compound file says in which sector its directory begins, and how long these are."""
_OLD_NOTE = "an old {} file: its headings, tables and notes may be lost"
_OLD_WORD_NOTE = "an old Word file: its comments, headers and footers are left out"
_READERS = {
    f"{_ODF}text": "odt",
    f"{_ODF}presentation": "slides",
    f"{_ODF}spreadsheet": "ods",
    f"{_OOXML}wordprocessingml.document": "docx",
    f"{_OOXML}presentationml.presentation": "pptx",
    f"{_OOXML}spreadsheetml.sheet": "xlsx",
    "application/epub+zip": "epub",
}
"""The modules here that read a kind better than any library: all words, and code as code."""
_BINARY_BOOK = "xl/workbook.bin"
_MACROS = re.compile(r"(?:\A|/)(?:vbaProject\.bin|Basic/|Scripts/)|xl/macrosheets/", re.IGNORECASE)
_MACRO_NOTE = "it has macros, which were not run"
_FONTS_ONLY = re.compile(rb"Algorithm\s*=\s*[\"'](?!http://(?:www\.idpf\.org|ns\.adobe\.com)/)")


def convert_archive(body: bytes) -> Converted:
    """A file that is a ZIP archive.

    Raises:
        Unconverted: it is none that is read, or is encrypted, damaged or dangerous.
    """
    archive = Archive(body)
    kind = _kind(archive)
    archive.check_markup()
    read = _READERS.get(kind)
    if read is None or _BINARY_BOOK in archive:
        result = _converted(body, kind)
    else:
        result = _ours(read)(archive)
    if any(_MACROS.search(name) for name in archive.names()):
        result.notes.append(_MACRO_NOTE)
    return result


def convert_old(body: bytes) -> Converted:
    """A file in the compound format that Office had before 2007, and encrypted ones have still.

    Raises:
        Unconverted: it is none that is read, or is encrypted or damaged.
    """
    if _names(body, "EncryptedPackage"):
        raise Unconverted("encrypted", "the document asks for a password")
    for name, kind, program in _OLD:
        if _names(body, name):
            result = _converted_old(body, kind, program)
            if _names(body, "_VBA_PROJECT"):
                result.notes.append(_MACRO_NOTE)
            return result
    sector = int.from_bytes(body[_DIRECTORY_AT : _DIRECTORY_AT + 4], "little")
    if (sector + 1) * _SECTOR >= len(body):
        raise Unconverted("damaged", "the document is cut off before its table of contents")
    raise Unconverted("unsupported", "it is a compound file of no kind that is read")


def _converted_old(body: bytes, kind: str, program: str) -> Converted:
    if program == "Word":
        compound = import_module("broker.documents.compound")
        try:
            own: Converted | None = import_module("broker.documents.doc").convert(
                compound.Compound(body)
            )
        except Unconverted as error:
            if error.code == "encrypted":
                raise
            own = None  # what is damaged may still give some of its text
        if own is not None and own.markdown:
            own.notes.append(_OLD_WORD_NOTE)
            return own
    result = _converted(body, kind)
    if program == "Excel":
        result.markdown = corrected(result.markdown)
    elif program != "Outlook":
        result.notes.append(_OLD_NOTE.format(program))
    return result


def _names(body: bytes, name: str) -> bool:
    """Whether a stream has that name; names stand in the file in UTF-16, an entry for each."""
    return name.encode("utf-16-le") + b"\0\0" in body


def _kind(archive: Archive) -> str:
    """The media type of what an archive holds."""
    if "mimetype" in archive:
        kind = archive.read("mimetype", 100).decode("ascii", "replace").strip()
        if kind.startswith(_ODF):
            _check_odf(archive)
            return kind.replace("-template", "")
        if kind == "application/epub+zip":
            _check_epub(archive)
            return kind
    if "[Content_Types].xml" in archive:
        for folder, kind in _MAIN_PARTS:
            if any(name.startswith(folder) for name in archive.names()):
                return kind
    if "META-INF/container.xml" in archive:
        return "application/epub+zip"
    raise Unconverted("unsupported", "it is a ZIP archive and no document")


def _check_odf(archive: Archive) -> None:
    manifest = "META-INF/manifest.xml"
    if manifest in archive and b"encryption-data" in archive.read(manifest):
        raise Unconverted("encrypted", "the document asks for a password")


def _check_epub(archive: Archive) -> None:
    rights = "META-INF/encryption.xml"
    if rights in archive and _FONTS_ONLY.search(archive.read(rights)):
        raise Unconverted("encrypted", "the book is protected (DRM)")


def _ours(module: str) -> Callable[[Archive], Converted]:
    convert: Callable[[Archive], Converted] = import_module(f"broker.documents.{module}").convert
    return convert


def _converted(body: bytes, kind: str) -> Converted:
    if not has_libraries():
        raise LIBRARIES.missing()
    kreuzberg = import_module("kreuzberg")
    config = kreuzberg.ExtractionConfig(output_format="markdown", use_cache=False)
    try:
        result = kreuzberg.extract_bytes_sync(body, kind, config=config)
    except kreuzberg.KreuzbergError as error:
        if "password" in str(error).lower() or "encrypt" in str(error).lower():
            raise Unconverted("encrypted", "the document asks for a password") from error
        raise Unconverted("damaged", "the document is damaged or cut off") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # what Rust's panics become is no Exception
            raise
        raise Unconverted("damaged", "the document is damaged") from error
    about: dict[str, Any] = dict(result.metadata)
    return Converted(
        markdown=result.content.strip(),
        title=_text(about, "title"),
        byline=", ".join(map(str, about.get("authors") or ())) or _text(about, "initial_creator"),
        published=_text(about, "custom_date") or _text(about, "created_at") or None,
        lang=_text(about, "language") or None,
    )


def _text(about: dict[str, Any], name: str) -> str:
    value = about.get(name)
    return value.strip() if isinstance(value, str) else ""
