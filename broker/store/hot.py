"""The documents this process used last, in memory: the same page again costs nothing.

No I/O and no clock of its own; for one thread. What is younger wins: a document that was read from
the file cannot replace one that was put meanwhile.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broker.store.records import StoredDocument

MAX_CHARS = 16_000_000
"""Of Markdown in all; some four bytes each at worst."""


@dataclass(slots=True)
class _Entry:
    document: StoredDocument
    used_at_s: float


class HotDocuments:
    """A least-recently-used cache with a limit on entries, characters and age."""

    def __init__(self, max_documents: int, max_age_s: float) -> None:
        self._max_documents = max_documents
        self._max_age_s = max_age_s
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._ids: dict[str, str] = {}
        self._chars = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def chars(self) -> int:
        """Characters of Markdown in memory."""
        return self._chars

    def put(self, document: StoredDocument, now_s: float) -> None:
        """Keep a document, unless a younger one with its id is here."""
        known = self._entries.get(document.id)
        if known is not None and document.fetched_at_s < known.document.fetched_at_s <= now_s:
            return
        self.drop(document.id)
        if len(document.markdown) > MAX_CHARS:
            return  # all others would go for it
        self._entries[document.id] = _Entry(document, now_s)
        self._ids[document.key] = document.id
        self._chars += len(document.markdown)
        while len(self._entries) > self._max_documents or self._chars > MAX_CHARS:
            self.drop(next(iter(self._entries)))

    def get(self, document_id: str, now_s: float) -> StoredDocument | None:
        """The document with that id; this is a use of it."""
        entry = self._entries.get(document_id)
        if entry is None:
            return None
        if not -self._max_age_s <= now_s - entry.used_at_s <= self._max_age_s:
            self.drop(document_id)
            return None
        entry.used_at_s = now_s
        self._entries.move_to_end(document_id)
        return entry.document

    def by_key(self, key: str, now_s: float) -> StoredDocument | None:
        """The document with that key; this is a use of it."""
        document_id = self._ids.get(key)
        return None if document_id is None else self.get(document_id, now_s)

    def confirm(self, document_id: str, at_s: float) -> None:
        """Note that the document's origin said that it had not changed."""
        if (entry := self._entries.get(document_id)) is not None:
            entry.document = replace(entry.document, fetched_at_s=at_s)

    def drop_older(self, document_id: str, fetched_at_s: float) -> None:
        """Forget the document with that id if it is older than the one in the file."""
        entry = self._entries.get(document_id)
        if entry is not None and entry.document.fetched_at_s < fetched_at_s:
            self.drop(document_id)

    def drop(self, document_id: str) -> None:
        """Forget a document, if it is here."""
        entry = self._entries.pop(document_id, None)
        if entry is not None:
            self._chars -= len(entry.document.markdown)
            if self._ids.get(entry.document.key) == document_id:
                del self._ids[entry.document.key]
