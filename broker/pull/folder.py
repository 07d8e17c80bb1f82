"""Searching a folder of Markdown files, as `recall` searches the store.

A pull's folder keeps its index beside its manifest, with the tables and the queries of the store;
each search first brings it up to date with the files that are there. Any other folder is nobody's
to write into, and is indexed in memory, as is a pull's that cannot be written. Offsets count the
characters of the file, the facts in front included.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from broker.errors import RequestInvalid
from broker.pull.disk import OWN
from broker.pull.page import split
from broker.pull.state import FILE
from broker.reading import quoting
from broker.reading.drafts import from_markdown
from broker.reading.records import Recalled
from broker.store import recall, schema, shelf
from broker.store.cleaning import cleaned, cleaned_document
from broker.store.file import FILE_NAME, Database, Locked, wall_clock_s
from broker.store.records import StoredDocument
from broker.store.split import split_markdown

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from broker.reading.records import RecallRequest
    from broker.store.records import Excerpt, Passage

MAX_FILES = 20_000
_LONGEST_BYTES = 10_000_000
"""Larger files are data, whatever they are called."""
_AT_ONCE = 200
"""Files that are written together."""
_ENDING = ".md"
_HOLDS = "the index of this folder lives in memory"


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    """Relative to the folder, with `/` between its parts."""
    stamp: str
    """Another one when the file has changed."""


def search(folder: Path, query: str, max_passages: int = 10) -> list[Passage]:
    """The passages of a folder's Markdown files that answer a person's words best, best first.

    A passage's `document_id` is the file, relative to the folder; its `url` is the page's, or the
    file's own where it names none. Blocks, for about a millisecond a file that is new.

    Raises:
        RequestInvalid: there is no such folder, or far too much is in it.
    """
    folder = folder.absolute()
    files = {file.name: file for file in islice(_files(folder), MAX_FILES + 1)}
    if len(files) > MAX_FILES:
        message = f"{folder} holds more than {MAX_FILES:,} Markdown files; name a folder in it"
        raise RequestInvalid(message, field="in")
    ask = partial(
        recall.search, query=query, max_passages=max_passages, in_ids=None, used_since_s=0.0
    )
    try:
        return _searched(folder, files, ask, in_memory=not _is_ours(folder))
    except Locked:  # another process writes the index
        return _searched(folder, files, ask, in_memory=True)


def recalled(folder: Path, request: RecallRequest, room: int) -> Recalled:
    """A folder's answer to a query, as the store's is, in about `room` bytes. Blocks.

    Raises:
        RequestInvalid: there is no such folder, or far too much is in it.
    """
    found = search(folder, request.query, quoting.wanted(request.max_passages))
    chosen = quoting.quoted(found, request.max_passages, room)
    return Recalled(
        query=request.query,
        passages=chosen.passages,
        note=chosen.note if found else f"nothing in {folder} answers this",
        folder=str(folder),
    )


def _searched(
    folder: Path,
    files: Mapping[str, _File],
    ask: partial[list[tuple[Passage, float]]],
    *,
    in_memory: bool,
) -> list[Passage]:
    database = Database(folder / OWN, tables=schema.DOCUMENTS, holds=_HOLDS)
    try:
        if in_memory:
            database.abandon("it is not ours to write into")
        before = database.reason
        _bring_up(database, folder, files)
        if database.reason != before:  # found on the way that the file cannot be used
            _bring_up(database, folder, files)
        return [passage for passage, _ in database.read(ask)]
    finally:
        database.close()


def _is_ours(folder: Path) -> bool:
    """Whether a pull has made the folder, and its own part of it leads nowhere else."""
    own = folder / OWN
    links = own.is_symlink() or (own / FILE_NAME).is_symlink()
    return not links and (folder / FILE).is_file()


def _files(folder: Path) -> Iterator[_File]:
    """The Markdown files, in no order; nothing that is hidden, and nothing behind a link."""
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        try:
            entries = list(os.scandir(folder / inside))
        except OSError as error:
            if inside:
                continue
            message = f"{folder} is no folder that can be read: {error.strerror}"
            raise RequestInvalid(message, field="in") from error
        for entry in entries:
            name = f"{inside}{entry.name}"
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(f"{name}/")
            elif entry.name.endswith(_ENDING) and entry.is_file(follow_symlinks=False):
                found = entry.stat(follow_symlinks=False)
                if found.st_size <= _LONGEST_BYTES:
                    yield _File(name, f"{found.st_mtime_ns}-{found.st_size}")


def _bring_up(database: Database, folder: Path, files: Mapping[str, _File]) -> None:
    """Have the index know the files as they are now."""
    known = dict(database.read(_stamps))
    names = {cleaned(name): name for name in files}
    gone = [name for name in known if name not in names]
    new = [
        files[name]
        for shown, name in sorted(names.items())
        if known.get(shown) != files[name].stamp
    ]
    if gone:
        database.write(partial(_drop, names=gone))
    for start in range(0, len(new), _AT_ONCE):
        documents = [_document(folder, file) for file in new[start : start + _AT_ONCE]]
        database.write(partial(_put, documents=[each for each in documents if each is not None]))


def _stamps(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return db.execute("SELECT id, etag FROM documents").fetchall()


def _drop(db: sqlite3.Connection, names: Iterable[str]) -> None:
    for name in names:
        (number,) = db.execute("SELECT number FROM documents WHERE id = ?", (name,)).fetchone()
        shelf.remove(db, number)


def _put(
    db: sqlite3.Connection, documents: Iterable[tuple[StoredDocument, tuple[Excerpt, ...]]]
) -> None:
    now_s = wall_clock_s()
    for document, excerpts in documents:
        made = replace(document, fetched_at_s=now_s)
        shelf.put(db, made, excerpts, now_s=now_s, max_bytes=10 * _LONGEST_BYTES)


def _document(folder: Path, file: _File) -> tuple[StoredDocument, tuple[Excerpt, ...]] | None:
    """A file as the index knows it; None where it is gone meanwhile."""
    path = folder / file.name
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    facts, start = split(text)
    excerpts = tuple(
        replace(excerpt, offset=excerpt.offset + start) for excerpt in split_markdown(text[start:])
    )
    document = StoredDocument(
        key=file.name,
        id=file.name,
        source=file.name,
        final_url=facts.get("url") or path.as_uri(),
        title=facts.get("title") or from_markdown(text).title or _bare(file.name),
        verdict="content",
        via="local",
        markdown=text,
        etag=file.stamp,
        fetched_at_s=0.0,
    )
    return cleaned_document(document), excerpts


def _bare(name: str) -> str:
    """A file's own name, less its ending."""
    return name.rpartition("/")[2].removesuffix(_ENDING)
