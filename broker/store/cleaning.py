"""Texts made fit for the file, each as long as before, so that offsets hold. Pure.

Halves of surrogate pairs, which JSON can bring in, have no UTF-8 form; at a NUL, SQLite's own
functions end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broker.store.records import StoredDocument


def cleaned(text: str) -> str:
    """The text without NUL and lone surrogates."""
    text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def cleaned_document(document: StoredDocument) -> StoredDocument:
    """The document with every text cleaned."""
    return replace(
        document,
        key=cleaned(document.key),
        source=cleaned(document.source),
        final_url=cleaned(document.final_url),
        title=cleaned(document.title),
        verdict=cleaned(document.verdict),
        via=cleaned(document.via),
        markdown=cleaned(document.markdown),
        blocks=cleaned(document.blocks),
        published=_maybe(document.published),
        byline=_maybe(document.byline),
        lang=_maybe(document.lang),
        etag=_maybe(document.etag),
        last_modified=_maybe(document.last_modified),
        warnings=tuple(cleaned(warning) for warning in document.warnings),
        outline=tuple(replace(entry, text=cleaned(entry.text)) for entry in document.outline),
        links=tuple(
            replace(link, text=cleaned(link.text), url=cleaned(link.url)) for link in document.links
        ),
    )


def _maybe(text: str | None) -> str | None:
    return None if text is None else cleaned(text)
