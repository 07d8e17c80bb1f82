"""PDFs: their text where they have it, OCR where they are pictures of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted
from broker.documents.ocr import Ocr
from broker.documents.records import Converted
from broker.documents.tools import LIBRARIES, OCR, has_libraries, tesseract
from extract.markdown import render

if TYPE_CHECKING:
    from pathlib import Path

    from broker.documents.pdf.source import Source

_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d))?")
_NO_TITLE = re.compile(
    r"(?:untitled|microsoft word|powerpoint presentation|unknown|slide \d|[\w .-]*\.\w{2,4}\Z)",
    re.IGNORECASE,
)
_SCRIPTS = re.compile(rb"/(?:JavaScript|JS)[\s(</\[]")


def convert(body: bytes, folder: Path, until_s: float) -> Converted:
    """The document in a PDF.

    Raises:
        Unconverted: it is encrypted, damaged or empty, or a part that reads it is missing.
    """
    if not has_libraries():
        raise LIBRARIES.missing()
    from broker.documents.pdf.read import read, scan  # noqa: PLC0415 - what it imports may be missing
    from broker.documents.pdf.source import MOST_PAGES, Source  # noqa: PLC0415

    source = Source(body)
    found = read(source)
    facts = source.facts()
    title = facts.get("Title", "").strip()
    result = Converted(
        markdown="",
        title=found.title if not title or _NO_TITLE.match(title) else title,
        byline=facts.get("Author", "").strip() or None,
        published=_date(facts.get("CreationDate", "")),
    )
    if found.unread:
        if found.unread == source.pages:
            raise Unconverted("damaged", "no page of the PDF can be read")
        result.notes.append(f"{found.unread} of {source.pages} pages are damaged and left out")
    if source.pages > MOST_PAGES:
        result.notes.append(f"only the first {MOST_PAGES} of {source.pages} pages were read")
    if _SCRIPTS.search(body):
        result.notes.append("it has scripts, which were not run")
    if found.scanned and _can_ocr(result, len(found.scanned), alone=not found.pages):
        texts = _read_pictures(result, source, found.scanned, Ocr(folder, until_s))
        if not found.pages and not any(texts.values()):
            raise _nothing_read(texts)
        for number, text in texts.items():
            found.pages.setdefault(number, [])[:0] = scan(text)
    result.markdown = render([block for _, page in sorted(found.pages.items()) for block in page])
    if not result.markdown.strip() and not found.scanned:
        raise Unconverted("empty", "the PDF has no text and no pictures")
    return result


def _can_ocr(result: Converted, pages: int, *, alone: bool) -> bool:
    """Whether pages that are pictures can be read; where there is nothing else, they must be."""
    if tesseract() is not None:
        return True
    if alone:
        raise OCR.missing()
    result.notes.append(f"{pages} pages are pictures: {OCR.sentence}")
    return False


def _read_pictures(
    result: Converted, source: Source, numbers: list[int], ocr: Ocr
) -> dict[int, str]:
    """The texts of pages that are pictures, as many as there is time for."""
    texts = ocr.pages(source, numbers)
    pages = f"{len(texts)} of {len(numbers)} pages" if len(texts) < len(numbers) else "pages"
    result.notes.append(f"{pages} {ocr.note}")
    return texts


def _nothing_read(texts: dict[int, str]) -> Unconverted:
    if texts:
        return Unconverted("empty", "no text was found in its pictures (OCR)")
    return Unconverted("timeout", "the time was up before OCR had read the first of its pages")


def _date(text: str) -> str | None:
    found = _DATE.match(text)
    if found is None:
        return None
    year, month, day, *_ = found.groups()
    return "-".join(part for part in (year, month, day) if part)
