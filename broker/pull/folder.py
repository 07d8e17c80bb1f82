"""Searching a folder of Markdown files, as `recall` searches the store.

A pull's folder keeps its index beside its manifest, with the tables and the queries of the store;
each search first brings it up to date with the files that are there. Any other folder is nobody's
to write into, and is indexed in memory, as is a pull's that cannot be written. Offsets count the
characters of the file, the facts in front included.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
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
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from broker.reading.records import RecallRequest
    from broker.store.records import Excerpt, Passage

    _Indexed = tuple[StoredDocument, tuple[Excerpt, ...]]

MAX_FILES = 20_000
_LONGEST_BYTES = 10_000_000
"""Larger files are data, whatever they are called."""
_AT_ONCE = 200
"""Files that are written together."""
_ENDING = ".md"
_NAMED = 5
"""Files that are named of those that cannot be searched."""
_HOLDS = "the index of this folder lives in memory"


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    """Relative to the folder, with `/` between its parts; as the disk has it."""
    name: str
    """The same as a text."""
    stamp: str
    """Another one when the file has changed."""


@dataclass(frozen=True, slots=True)
class _Files:
    known: dict[str, _File] = field(default_factory=dict)
    """By name."""
    odd: dict[str, str] = field(default_factory=dict)
    """Those that cannot be searched, by name, and why."""

    def note(self, path: str, found: os.stat_result) -> None:
        name = _shown(path)
        if found.st_size > _LONGEST_BYTES:
            self.odd[name] = f"larger than {_LONGEST_BYTES / 1e6:g} MB"
        else:
            self.known[name] = _File(path, name, f"{found.st_mtime_ns}-{found.st_size}")


def search(folder: Path, query: str, max_passages: int = 10) -> list[Passage]:
    """The passages of a folder's Markdown files that answer a person's words best, best first.

    A passage's `document_id` is the file, relative to the folder; its `url` is the page's, or the
    file's own where it names none. Blocks, for about a millisecond a file that is new.

    Raises:
        RequestInvalid: there is no such folder, or far too much is in it.
    """
    return _found(folder.absolute(), query, max_passages)[0]


def _found(folder: Path, query: str, max_passages: int) -> tuple[list[Passage], tuple[str, ...]]:
    """The passages, and what could not be searched as a sentence."""
    files = _files(folder)
    if len(files.known) > MAX_FILES:
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
    wanted = quoting.wanted(request.max_passages)
    found, warnings = _found(folder.absolute(), request.query, wanted)
    chosen = quoting.quoted(found, request.max_passages, room)
    return Recalled(
        query=request.query,
        passages=chosen.passages,
        note=chosen.note if found else f"nothing in {folder} answers this",
        warnings=warnings,
        folder=str(folder),
    )


def _searched(
    folder: Path,
    files: _Files,
    ask: partial[list[tuple[Passage, float]]],
    *,
    in_memory: bool,
) -> tuple[list[Passage], tuple[str, ...]]:
    database = Database(folder / OWN, tables=schema.DOCUMENTS, holds=_HOLDS)
    try:
        if in_memory:
            database.abandon("it is not ours to write into")
        before = database.reason
        _bring_up(database, folder, files)
        if database.reason != before:  # found on the way that the file cannot be used
            _bring_up(database, folder, files)
        return [passage for passage, _ in database.read(ask)], _told(folder, files.odd)
    finally:
        database.close()


def _is_ours(folder: Path) -> bool:
    """Whether a pull has made the folder, and its own part of it leads nowhere else."""
    own = folder / OWN
    links = own.is_symlink() or (own / FILE_NAME).is_symlink()
    return not links and (folder / FILE).is_file()


def _files(folder: Path) -> _Files:
    """The Markdown files; nothing that is hidden, and nothing behind a link."""
    files, waiting = _Files(), [""]
    while waiting and len(files.known) <= MAX_FILES:
        inside = waiting.pop()
        try:
            entries = list(os.scandir(folder / inside))
        except OSError as error:
            if not inside:
                message = f"{folder} is no folder that can be read: {error.strerror}"
                raise RequestInvalid(message, field="in") from error
            files.odd[_shown(inside)] = _why(error)
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path = f"{inside}{entry.name}"
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{path}/")
                elif entry.name.endswith(_ENDING) and entry.is_file(follow_symlinks=False):
                    files.note(path, entry.stat(follow_symlinks=False))
            except OSError as error:
                files.odd[_shown(path)] = _why(error)
    return files


def _bring_up(database: Database, folder: Path, files: _Files) -> None:
    """Have the index know the files as they are now."""
    known = dict(database.read(_stamps))
    gone = [name for name in known if name not in files.known]
    new = [file for name, file in sorted(files.known.items()) if known.get(name) != file.stamp]
    for start in range(0, len(new), _AT_ONCE):
        documents: list[_Indexed] = []
        for file in new[start : start + _AT_ONCE]:
            try:
                documents.append(_document(folder, file))
            except Exception as error:  # noqa: BLE001 - an odd file costs itself and no others
                files.odd[file.name] = _why(error)
                gone += [file.name] if file.name in known else []
        database.write(partial(_put, documents=documents))
    if gone:
        database.write(partial(_drop, names=gone))


def _shown(path: str) -> str:
    """A path as a text: names of files are bytes, and need not be any."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _why(error: Exception) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    return said or type(error).__name__


def _told(folder: Path, odd: Mapping[str, str]) -> tuple[str, ...]:
    """The files that could not be searched, in one sentence; none where all could."""
    if not odd:
        return ()
    named = [f"{name} ({why})" for name, why in islice(odd.items(), _NAMED)]
    if len(odd) > _NAMED:
        named.append(f"and {len(odd) - _NAMED} more")
    return (f"{len(odd)} of the files in {folder} could not be searched: {', '.join(named)}",)


def _stamps(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return db.execute("SELECT id, etag FROM documents").fetchall()


def _drop(db: sqlite3.Connection, names: Iterable[str]) -> None:
    for name in names:
        (number,) = db.execute("SELECT number FROM documents WHERE id = ?", (name,)).fetchone()
        shelf.remove(db, number)


def _put(db: sqlite3.Connection, documents: Iterable[_Indexed]) -> None:
    now_s = wall_clock_s()
    for document, excerpts in documents:
        made = replace(document, fetched_at_s=now_s)
        shelf.put(db, made, excerpts, now_s=now_s, max_bytes=10 * _LONGEST_BYTES)


def _document(folder: Path, file: _File) -> _Indexed:
    """A file as the index knows it.

    Raises:
        OSError: it cannot be read, or is gone meanwhile.
    """
    path = folder / file.path
    with path.open(encoding="utf-8", errors="replace", newline="") as opened:
        text = cleaned(opened.read())  # with the ends of lines that it has, which offsets count
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
