"""Documents in the file: putting, finding, and making room. Jobs for a `Database`; they block.

A document's text and its passages, index entries included, come and go in one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from broker.store.cleaning import cleaned
from broker.store.records import Link, OutlineEntry, StoredDocument
from broker.store.words import indexed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from broker.store.records import Excerpt

_STAMPS = ("id", "key", "fetched_at_s")
_TEXTS = (
    "source",
    "final_url",
    "title",
    "verdict",
    "via",
    "blocks",
    "markdown",
    "published",
    "byline",
    "lang",
    "etag",
    "last_modified",
)
_JSON = ("warnings", "outline", "links")
_FIELDS = (*_STAMPS, *_TEXTS, *_JSON)
"""The columns that are a document's own, named as in the record."""

_SELECT = f"SELECT {', '.join(_FIELDS)} FROM documents"  # noqa: S608 - names from above
_INSERT = (
    f"INSERT INTO documents ({', '.join(_FIELDS)}, used_at_s, bytes) "  # noqa: S608
    f"VALUES ({', '.join('?' * (len(_FIELDS) + 2))})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the shelf holds at most."""

    max_age_s: float
    """Since a document was last used."""
    max_documents: int
    max_bytes: int


def find(
    db: sqlite3.Connection, column: str, value: str, *, used_since_s: float
) -> StoredDocument | None:
    """The document whose `id` or `key` is `value`, unless it was last used before that time."""
    statement = f"{_SELECT} WHERE {column} = ? AND used_at_s >= ?"
    row = db.execute(statement, (value, used_since_s)).fetchone()
    return None if row is None else _document(row)


def put(
    db: sqlite3.Connection,
    document: StoredDocument,
    excerpts: Iterable[Excerpt],
    *,
    now_s: float,
    max_bytes: int,
) -> None:
    """Keep a document in place of what has its key or id, unless that is younger.

    One that is larger than `max_bytes` by itself is not kept, since all others would go for it.
    """
    rows = db.execute(
        "SELECT number, fetched_at_s FROM documents WHERE id = ? OR key = ?",
        (document.id, document.key),
    ).fetchall()
    # One from the future was stored before the clock was set back.
    if any(document.fetched_at_s < fetched_at_s <= now_s for _, fetched_at_s in rows):
        return
    for number, _ in rows:
        remove(db, number)
    passages = [_passage(document, ordinal, excerpt) for ordinal, excerpt in enumerate(excerpts)]
    values = _values(document)
    size = sum(_bytes(value) for value in values)
    size += sum(_bytes(section) + _bytes(text) for *_, section, text in passages)
    if size > max_bytes:
        return
    number = db.execute(_INSERT, (*values, now_s, size)).lastrowid
    db.executemany(
        "INSERT INTO passages (document, ordinal, start, length, section, text) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [(number, *passage) for passage in passages],
    )
    db.executemany(
        "INSERT INTO passage_words (rowid, heading, text) VALUES (?, ?, ?)",
        _entries(db, int(str(number))),
    )


def remove(db: sqlite3.Connection, number: int) -> None:
    """Take the document with that number from the shelf, and its words from the index."""
    db.executemany(
        "INSERT INTO passage_words (passage_words, rowid, heading, text) "
        "VALUES ('delete', ?, ?, ?)",
        _entries(db, number),
    )
    db.execute("DELETE FROM passages WHERE document = ?", (number,))
    db.execute("DELETE FROM documents WHERE number = ?", (number,))


def note_use(db: sqlite3.Connection, uses: Mapping[str, float]) -> None:
    """Note when documents were last used."""
    db.executemany(
        "UPDATE documents SET used_at_s = max(used_at_s, ?) WHERE id = ?",
        [(used_at_s, document_id) for document_id, used_at_s in uses.items()],
    )


def confirm(db: sqlite3.Connection, document_id: str, at_s: float) -> None:
    """The origin said that the document had not changed."""
    db.execute("UPDATE documents SET fetched_at_s = ? WHERE id = ?", (at_s, document_id))


def make_room(db: sqlite3.Connection, limits: Limits, now_s: float) -> None:
    """Remove what is too old, and then the least recently used until the limits are kept."""
    # Used in the future: the clock was set back since. It would outlive everything put now.
    db.execute("UPDATE documents SET used_at_s = ? WHERE used_at_s > ?", (now_s, now_s))
    oldest_s = now_s - limits.max_age_s
    count, size, used_at_s = db.execute(
        "SELECT count(*), coalesce(sum(bytes), 0), min(used_at_s) FROM documents"
    ).fetchone()
    if (
        count <= limits.max_documents
        and size <= limits.max_bytes
        and (used_at_s is None or used_at_s >= oldest_s)
    ):
        return
    surplus = db.execute(
        """
        SELECT number FROM (
            SELECT number, used_at_s, row_number() OVER latest AS place,
                sum(bytes) OVER latest AS total
            FROM documents
            WINDOW latest AS (ORDER BY used_at_s DESC, number DESC ROWS UNBOUNDED PRECEDING)
        ) WHERE place > ? OR total > ? OR used_at_s < ?
        """,
        (limits.max_documents, limits.max_bytes, oldest_s),
    ).fetchall()
    for (number,) in surplus:
        remove(db, number)


def totals(db: sqlite3.Connection) -> tuple[int, int, float | None]:
    """How many documents there are, their bytes, and when the oldest was fetched."""
    count, size, oldest_s = db.execute(
        "SELECT count(*), coalesce(sum(bytes), 0), min(fetched_at_s) FROM documents"
    ).fetchone()
    return count, size, oldest_s


def salt(db: sqlite3.Connection) -> bytes:
    """What this file's ids are made with."""
    (value,) = db.execute("SELECT CAST(salt AS BLOB) FROM salts WHERE name = 'ids'").fetchone()
    return bytes(value)


def _passage(
    document: StoredDocument, ordinal: int, excerpt: Excerpt
) -> tuple[int, int, int, str, str | None]:
    text, start = cleaned(excerpt.text), excerpt.offset
    stored = None if start >= 0 and document.markdown.startswith(text, start) else text
    return ordinal, start, len(text), cleaned(excerpt.section), stored


def _entries(db: sqlite3.Connection, number: int) -> Sequence[tuple[int, str, str]]:
    """What the index knows of a document: computed from what is stored, both ways alike."""
    found = db.execute(
        "SELECT title, markdown FROM documents WHERE number = ?", (number,)
    ).fetchone()
    if found is None:
        return ()
    title, markdown = found
    return [
        (
            passage,
            indexed(f"{title}\n{section}"),
            indexed(markdown[start : start + length] if text is None else text),
        )
        for passage, start, length, section, text in db.execute(
            "SELECT number, start, length, section, text FROM passages WHERE document = ?",
            (number,),
        )
    ]


def _values(document: StoredDocument) -> list[object]:
    texts = [getattr(document, name) for name in _TEXTS]
    return [
        *(getattr(document, name) for name in _STAMPS),
        *texts,
        orjson.dumps(document.warnings).decode(),
        orjson.dumps([(e.level, e.text, e.words, e.offset) for e in document.outline]).decode(),
        orjson.dumps([(link.text, link.url) for link in document.links]).decode(),
    ]


def _document(row: Sequence[object]) -> StoredDocument | None:
    """The record; None for a row that somebody else has written into."""
    fields: dict[str, object] = dict(zip(_FIELDS, row, strict=True))
    try:
        fields["warnings"] = tuple(orjson.loads(str(fields["warnings"])))
        fields["outline"] = tuple(
            OutlineEntry(level=level, text=text, words=words, offset=offset)
            for level, text, words, offset in orjson.loads(str(fields["outline"]))
        )
        fields["links"] = tuple(
            Link(text=text, url=url) for text, url in orjson.loads(str(fields["links"]))
        )
    except (ValueError, TypeError):
        return None
    return StoredDocument(**fields)  # type: ignore[arg-type]


def _bytes(value: object) -> int:
    return len(value.encode()) if isinstance(value, str) else 0
