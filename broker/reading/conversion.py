"""Files that are no text on their way to a draft: what converts them knows nothing of pages."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from broker.documents.failures import Unconverted
from broker.errors import Category, Layer
from broker.reading.drafts import from_markdown
from broker.reading.failures import Unread
from broker.redact import safe_url
from broker.trace import Event

if TYPE_CHECKING:
    from broker.context import RequestContext
    from broker.documents.converter import Converter
    from broker.reading.drafts import Draft
    from broker.reading.judging import Material

_OURS = frozenset({"missing_part", "conversion_failed", "timeout"})
"""What is none of the file's doing, or not for sure."""
_DATE = re.compile(
    r"(?:19|20)\d\d(?:-\d\d(?:-\d\d(?:[T ]\d\d:\d\d[\d:.,]*(?:Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_LANG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_LONGEST_TITLE = 300
_LONGEST_BYLINE = 300


class Conversion:
    """Converts what `Way` cannot read: it is called with what came."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    async def __call__(self, ctx: RequestContext, material: Material) -> Draft:
        """The document in a file.

        Raises:
            Unread: there is none; it says why, and in which file.
        """
        with ctx.trace.span(Event.READING_CONVERT, bytes=len(material.body)):
            try:
                found = await self._converter.convert(material.body, ctx.deadline)
            except Unconverted as error:
                raise _unread(error, material) from error
        draft = from_markdown(found.markdown, notes=tuple(found.notes))
        title = " ".join(found.title.split()) or draft.title or _name(material.url)
        published, lang = found.published or "", found.lang or ""
        return replace(
            draft,
            title=title[:_LONGEST_TITLE],
            byline=" ".join((found.byline or "").split())[:_LONGEST_BYLINE] or draft.byline,
            published=published if _DATE.fullmatch(published) else draft.published,
            lang=lang if _LANG.fullmatch(lang) else draft.lang,
        )


def _unread(error: Unconverted, material: Material) -> Unread:
    unread = Unread(
        error.code,
        f"{_where(material.url)}: {error.message}",
        url=safe_url(material.url) if "://" in material.url else "",
        category=Category.PROCESSING,
        verdict="unsupported" if error.code == "unsupported" else "",
    )
    if error.code in _OURS or "://" not in material.url:
        unread.layer = Layer.BROKER
    return unread


def _where(address: str) -> str:
    """A path as it is; of an address its host and the file's name."""
    if "://" not in address:
        return address
    host = safe_url(address).partition("://")[2].partition("/")[0]
    return f"{_name(address)} of {host}" if _name(address) else host


def _name(address: str) -> str:
    path = address
    if "://" in address:
        try:
            path = unquote(urlsplit(address).path)
        except ValueError:
            return ""
    return PurePosixPath(path).name[:200]
