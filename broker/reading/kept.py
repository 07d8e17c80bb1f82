"""Between a page that was read and its document in the store; and the documents at hand. Pure.

The store keeps text. What answers need of it besides, its blocks and what was made of them, is kept
here for the documents that were used last, so that the same page again costs nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from broker.reading import injection
from broker.reading.answers import Shelved
from broker.reading.drafts import body_of, markup_body
from broker.reading.texts import Body, packed, unpacked
from broker.store.records import Link, OutlineEntry, StoredDocument

if TYPE_CHECKING:
    from broker.reading.seen import Got

HTML = " [html]"
"""Ends the key of a document whose text is a page's markup."""

_MAX_SHELVED = 32
_MAX_SHELVED_CHARS = 8_000_000
_MAX_LINKS = 1000


class Shelf:
    """The documents that were used last, ready for answers; for one event loop."""

    def __init__(self) -> None:
        self._shelved: OrderedDict[str, Shelved] = OrderedDict()

    def find(self, document: StoredDocument) -> Shelved | None:
        """What is ready of a document, if its text is still the same."""
        known = self._shelved.get(document.id)
        if known is None or known.document.markdown != document.markdown:
            return None
        self._shelved.move_to_end(document.id)
        if known.document != document:
            known = replace(known, document=document, pages={})
            self._shelved[document.id] = known
        return known

    def put(self, document: StoredDocument, body: Body) -> Shelved:
        """Have a document ready."""
        shelved = self._shelved[document.id] = Shelved(document, body)
        self._shelved.move_to_end(document.id)
        chars = sum(len(each.body.markdown) for each in self._shelved.values())
        while len(self._shelved) > 1 and (
            len(self._shelved) > _MAX_SHELVED or chars > _MAX_SHELVED_CHARS
        ):
            _, dropped = self._shelved.popitem(last=False)
            chars -= len(dropped.body.markdown)
        return shelved


def stored(got: Got, key: str, source: str, now_s: float) -> StoredDocument:
    """A page as it is kept."""
    draft = got.draft
    body = draft.body
    sections = [section for section in body.sections if section.level]
    return StoredDocument(
        key=key,
        source=source,
        final_url=got.final_url,
        title=draft.title,
        verdict=got.kind,
        via=got.via,
        markdown=body.markdown,
        outline=tuple(
            OutlineEntry(
                level=section.level,
                text=section.text,
                words=section.words,
                offset=body.spans[section.start][0],
            )
            for section in sections
        ),
        links=tuple(Link(text=text, url=url) for text, url in draft.links[:_MAX_LINKS]),
        blocks="" if key.endswith(HTML) else packed(body),
        published=draft.published,
        byline=draft.byline,
        lang=draft.lang,
        warnings=tuple(dict.fromkeys((*got.warnings, *draft.notes, *injection.warnings(body)))),
        etag=got.etag,
        last_modified=got.last_modified,
        fetched_at_s=now_s,
    )


def body_in(document: StoredDocument) -> Body:
    """The blocks of a document that comes out of the store."""
    if document.key.endswith(HTML):
        return markup_body(document.markdown)
    return unpacked(document.markdown, document.blocks) or body_of(document.markdown)
