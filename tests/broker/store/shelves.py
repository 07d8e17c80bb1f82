"""Documents to put, a clock to set, and a look at the file that owes nothing to the code."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from broker.settings import StoreSettings
from broker.store.documents import Documents
from broker.store.records import StoredDocument
from broker.store.split import split_markdown

if TYPE_CHECKING:
    from pathlib import Path

NOW_S = 1_800_000_000.0
DAY_S = 86_400.0


class Clock:
    """A wall clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = NOW_S

    def __call__(self) -> float:
        return self.now_s


def page(name: str, markdown: str = "", *, fetched_at_s: float = NOW_S) -> StoredDocument:
    return StoredDocument(
        key=f"https://site.example/{name}",
        source=name,
        final_url=f"https://site.example/{name}",
        title=f"Title of {name}",
        verdict="content",
        via="http",
        markdown=markdown or f"The page called {name}.",
        fetched_at_s=fetched_at_s,
    )


async def put(documents: Documents, document: StoredDocument) -> StoredDocument:
    return await documents.put(document, split_markdown(document.markdown))


def cold(home: Path, clock: Clock, **settings: float) -> Documents:
    """Documents with nothing in memory."""
    return Documents(home, StoreSettings(hot_documents=0, **settings), clock)  # type: ignore[arg-type]


def files(home: Path) -> list[str]:
    """The names of what is in the folder; empty when it is not there."""
    return sorted(path.name for path in home.iterdir()) if home.exists() else []


def titles(home: Path) -> list[str]:
    """What is in the file, the latest used first."""
    with closing(sqlite3.connect(home / "store.sqlite3")) as db:
        rows = db.execute("SELECT source FROM documents ORDER BY used_at_s DESC, number DESC")
        return [source for (source,) in rows]


def faults(home: Path) -> list[str]:
    """What is wrong with the file: nothing, if all is well."""
    found = []
    with closing(sqlite3.connect(home / "store.sqlite3")) as db:
        (verdict,) = db.execute("PRAGMA integrity_check").fetchone()
        if verdict != "ok":
            found.append(str(verdict))
        db.execute("INSERT INTO passage_words (passage_words) VALUES ('integrity-check')")
        db.rollback()
        passages = {number for (number,) in db.execute("SELECT number FROM passages")}
        indexed = {number for (number,) in db.execute("SELECT id FROM passage_words_docsize")}
        if passages != indexed:
            found.append(f"indexed but gone: {indexed - passages}, or not: {passages - indexed}")
        (orphans,) = db.execute(
            "SELECT count(*) FROM passages WHERE document NOT IN (SELECT number FROM documents)"
        ).fetchone()
        if orphans:
            found.append(f"{orphans} passages of no document")
        db.execute(
            "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, passage_words, row)"
        )
        if not passages and (words := db.execute("SELECT term FROM vocabulary").fetchall()):
            found.append(f"words of nothing: {words[:5]}")
    return found
