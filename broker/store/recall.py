"""Searching what was read: from a query to passages by BM25. Jobs for a `Database`; they block.

Common words cost most of a search's time and say least, so the rarest words of a query find, and
the whole query as a phrase beside them lifts the passage that holds it word for word. Measured
over 1,000 pages (11,000 passages): with all words 31 ms, and the page that a sentence came from is
first for 98.6 %; as it stands 7 ms and 99 %, and the rest are copies and near copies. What stands
in quotation marks must be there, unless it is nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from broker.store.records import Passage
from broker.store.words import understood

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from broker.store.words import Wanted

_MOST_WORDS = 12
"""How many words of a query search at most, the rarest first…"""
_MOST_MATCHES = 1000
"""… until so many passages match, which keeps the time the same however much was read…"""
_LEAST_WORDS = 3
"""… but never fewer words than this, common as they may be."""

_FOUND = """
    WITH best AS (
        SELECT passage_words.rowid AS number, bm25(passage_words) AS badness
        FROM passage_words JOIN passages ON passages.number = passage_words.rowid
        WHERE passage_words MATCH ?1 AND (?2 IS NULL OR passages.document IN (
            SELECT number FROM documents WHERE id IN (SELECT value FROM json_each(?2))
        ))
        ORDER BY badness LIMIT ?3
    )
    SELECT documents.id, documents.fetched_at_s, documents.title, documents.final_url,
        passages.section, passages.start,
        coalesce(passages.text,
            substr(documents.markdown, passages.start + 1, passages.length)),
        -best.badness, documents.published
    FROM best
    JOIN passages ON passages.number = best.number
    JOIN documents ON documents.number = passages.document
    WHERE documents.used_at_s >= ?4
    ORDER BY best.badness, passages.number
"""


def search(
    db: sqlite3.Connection,
    query: str,
    *,
    max_passages: int,
    in_ids: Sequence[str] | None,
    used_since_s: float,
) -> list[tuple[Passage, float]]:
    """The best passages, best first, each with the time its document was fetched.

    Args:
        db: the open file.
        query: a person's words; nothing in it is an operator but quotation marks.
        max_passages: at most so many.
        in_ids: only in these documents; None for all.
        used_since_s: only in documents that were used since then.
    """
    ids = None if in_ids is None else orjson.dumps(list(in_ids)).decode()
    for expression in _expressions(db, understood(query)):
        rows = db.execute(_FOUND, (expression, ids, max_passages, used_since_s)).fetchall()
        if rows:
            return [_passage(*row) for row in rows]
    return []


def _passage(*row: object) -> tuple[Passage, float]:
    document_id, fetched_at_s, title, url, section, offset, text, score, published = row
    passage = Passage(
        document_id=str(document_id),
        title=str(title),
        url=str(url),
        section=str(section),
        offset=int(str(offset)),
        text=str(text),
        score=float(str(score)),
        published=None if published is None else str(published),
    )
    return passage, float(str(fetched_at_s))


def _expressions(db: sqlite3.Connection, wanted: Wanted) -> Iterator[str]:
    """What to ask the index, until something is found."""
    words = _rare(db, wanted.words)
    if not words:
        return
    anything = " OR ".join(words if wanted.phrase is None else (wanted.phrase, *words))
    if wanted.required:
        needed = " AND ".join(wanted.required)
        yield f"{needed} AND ({anything})"
        yield needed
    yield anything


def _rare(db: sqlite3.Connection, words: Sequence[str]) -> list[str]:
    """Those of the words that tell passages apart; empty when no passage has any."""
    counted = ((_count(db, word), place) for place, word in enumerate(words))
    found: list[str] = []
    matches = 0
    for count, place in sorted((count, place) for count, place in counted if count)[:_MOST_WORDS]:
        matches += count
        if matches > _MOST_MATCHES and len(found) >= _LEAST_WORDS:
            break
        found.append(words[place])
    return found


def _count(db: sqlite3.Connection, word: str) -> int:
    """In how many passages a word is, counted no further than it matters."""
    (count,) = db.execute(
        "SELECT count(*) FROM (SELECT 1 FROM passage_words WHERE passage_words MATCH ? LIMIT ?)",
        (word, _MOST_MATCHES + 1),
    ).fetchone()
    return int(count)
