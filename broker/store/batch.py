"""What waits to be written, and the one job that writes it all."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from broker.store import shelf

if TYPE_CHECKING:
    import sqlite3

    from broker.store.records import Excerpt, StoredDocument

MAX_WAITING = 32
"""Documents that wait in memory for a locked file; the oldest give way."""


@dataclass(slots=True)
class Batch:
    """Changes that go into the file together."""

    documents: dict[str, tuple[StoredDocument, tuple[Excerpt, ...]]] = field(default_factory=dict)
    """By id, in the order they were put."""
    uses: dict[str, float] = field(default_factory=dict)
    """When a document was last used, by id."""
    uses_since_s: float = math.inf
    """When the first of these uses was noted."""
    confirmed: dict[str, float] = field(default_factory=dict)
    """When an origin said that its document had not changed, by id."""

    def __bool__(self) -> bool:
        return bool(self.documents or self.uses or self.confirmed)

    def note_use(self, document_id: str, now_s: float) -> None:
        """A document was used just now."""
        self.uses[document_id] = now_s
        self.uses_since_s = min(self.uses_since_s, now_s)

    def find(self, column: str, value: str) -> StoredDocument | None:
        """The document whose `id` or `key` is `value`."""
        for document, _ in self.documents.values():
            if value == (document.id if column == "id" else document.key):
                return document
        return None

    def followed_by(self, later: Batch) -> Batch:
        """These changes, which could not be written, and `later` ones after them."""
        documents = list({**self.documents, **later.documents}.items())
        return Batch(
            documents=dict(documents[-MAX_WAITING:]),
            uses={**self.uses, **later.uses},
            uses_since_s=min(self.uses_since_s, later.uses_since_s),
            confirmed={**self.confirmed, **later.confirmed},
        )

    def write(self, db: sqlite3.Connection, limits: shelf.Limits, now_s: float) -> None:
        """The job: make the changes, then make room."""
        if limits.max_documents:
            for document, excerpts in self.documents.values():
                shelf.put(db, document, excerpts, now_s=now_s, max_bytes=limits.max_bytes)
        for document_id, at_s in self.confirmed.items():
            shelf.confirm(db, document_id, at_s)
        shelf.note_use(db, self.uses)
        shelf.make_room(db, limits, now_s)
