"""The tables, and how an older file becomes one of today.

Version 1 had cooldowns and outcomes, 2 paces and allowances as well, 3 has documents and passages.
Every step so far only adds tables, so all of them are `IF NOT EXISTS` and run in one transaction.

A passage's text is a slice of its document's Markdown wherever it can be, and then not stored
again. The full-text index is *contentless*: it holds words and no text, and is told on deletion
what it was told on insertion (`broker.store.words` makes both, always alike). Passage numbers are
never used twice, so that a word the index failed to forget can lead nowhere.
"""

from __future__ import annotations

SCHEMA_VERSION = 3

SHARED = (
    """
    CREATE TABLE IF NOT EXISTS cooldowns (
        name TEXT PRIMARY KEY,
        code TEXT NOT NULL,
        strikes INTEGER NOT NULL,
        until_s REAL NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS paces (
        name TEXT PRIMARY KEY,
        next_s REAL NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS allowances (
        name TEXT PRIMARY KEY,
        day TEXT NOT NULL,
        used INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS outcomes (
        name TEXT PRIMARY KEY,
        outcome TEXT NOT NULL,
        at_s REAL NOT NULL
    ) WITHOUT ROWID
    """,
)
"""What providers must be spared."""

DOCUMENTS = (
    """
    CREATE TABLE IF NOT EXISTS documents (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        key TEXT NOT NULL UNIQUE,
        used_at_s REAL NOT NULL,
        fetched_at_s REAL NOT NULL,
        bytes INTEGER NOT NULL,
        source TEXT NOT NULL,
        final_url TEXT NOT NULL,
        title TEXT NOT NULL,
        verdict TEXT NOT NULL,
        via TEXT NOT NULL,
        published TEXT,
        byline TEXT,
        lang TEXT,
        etag TEXT,
        last_modified TEXT,
        warnings TEXT NOT NULL,
        outline TEXT NOT NULL,
        links TEXT NOT NULL,
        blocks TEXT NOT NULL,
        markdown TEXT NOT NULL
    )
    """,
    # Covers eviction and the figures of `status`, which then read no text.
    """
    CREATE INDEX IF NOT EXISTS documents_by_use
    ON documents (used_at_s, number, bytes, fetched_at_s)
    """,
    """
    CREATE TABLE IF NOT EXISTS passages (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        document INTEGER NOT NULL,
        ordinal INTEGER NOT NULL,
        start INTEGER NOT NULL,
        length INTEGER NOT NULL,
        section TEXT NOT NULL,
        text TEXT
    )
    """,
    "CREATE INDEX IF NOT EXISTS passages_by_document ON passages (document, ordinal)",
    # Marks count as letters: without them the vowels of Hindi and Thai end a word.
    """
    CREATE VIRTUAL TABLE IF NOT EXISTS passage_words USING fts5 (
        heading, text, content = '',
        tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
    )
    """,
    # Merging eight parts of the index at a time and not four makes a put a quarter cheaper.
    "INSERT INTO passage_words (passage_words, rank) VALUES ('automerge', 8)",
    "CREATE TABLE IF NOT EXISTS salts (name TEXT PRIMARY KEY, salt BLOB NOT NULL) WITHOUT ROWID",
    "INSERT OR IGNORE INTO salts (name, salt) VALUES ('ids', randomblob(16))",
)
"""What was read: documents, their passages, the index over these, and what ids are made with."""
