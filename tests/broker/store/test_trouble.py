"""Older files, foreign files, locked files, full disks: documents go on, and `warning` says how."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from broker.settings import StoreSettings
from broker.store import SCHEMA_VERSION, Store
from broker.store.batch import MAX_WAITING
from broker.store.documents import Documents
from tests.broker.store.shelves import DAY_S, cold, faults, files, page, put, titles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.broker.store.shelves import Clock


def execute(home: Path, *statements: str) -> None:
    with closing(sqlite3.connect(home / "store.sqlite3")) as db, db:
        for statement in statements:
            db.execute(statement)


# --- older and newer files ---------------------------------------------------------------------

TABLES = {
    1: ("cooldowns", "outcomes"),
    2: ("cooldowns", "outcomes", "paces", "allowances"),
}


@pytest.fixture(params=sorted(TABLES), ids=lambda version: f"version {version}")
def older_home(request: pytest.FixtureRequest, home: Path, clock: Clock) -> Path:
    """A file as an older version made it, with a cooldown in it."""
    version: int = request.param
    store = Store(home, clock)
    store.cool("google", "captcha", first_s=300, max_s=3600)
    store.close()
    with closing(sqlite3.connect(home / "store.sqlite3", isolation_level=None)) as db:
        rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        # The index's own tables go with it.
        for (name,) in sorted(rows, key=lambda row: row[0] != "passage_words"):
            kept = (*TABLES[version], "sqlite_sequence")
            if name not in kept and not name.startswith("passage_words_"):
                db.execute(f"DROP TABLE {name}")
        db.execute(f"PRAGMA user_version = {version}")
    return home


async def test_an_older_file_gains_documents(older_home: Path, clock: Clock) -> None:
    documents = cold(older_home, clock)
    stored = await put(documents, page("a"))
    assert await documents.get(stored.id) == stored
    assert documents.warning is None
    await documents.close()
    assert faults(older_home) == []


def test_an_older_file_keeps_what_it_has(older_home: Path, clock: Clock) -> None:
    store = Store(older_home, clock)
    assert [cooldown.name for cooldown in store.cooldowns()] == ["google"]
    assert store.warning is None
    store.close()


# --- files that cannot be used -----------------------------------------------------------------


def spoil_with_text(home: Path) -> None:
    (home / "store.sqlite3").write_text("this is no database, and long enough to be sure of it")


def spoil_with_the_future(home: Path) -> None:
    execute(home, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


def spoil_with_a_folder(home: Path) -> None:
    (home / "store.sqlite3").mkdir()


def spoil_with_other_tables(home: Path) -> None:
    execute(home, "CREATE TABLE documents (other INTEGER)")


def spoil_with_rights(home: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    home.chmod(0o500)


SPOILERS = (
    spoil_with_text,
    spoil_with_the_future,
    spoil_with_a_folder,
    spoil_with_other_tables,
    spoil_with_rights,
)


async def check_it_works(documents: Documents) -> None:
    first = await put(documents, page("a", "words to be found"))
    second = await put(documents, page("b"))
    assert await documents.get(first.id) == first
    assert await documents.by_key(second.key) == second
    assert [passage.document_id for passage in await documents.search("words")] == [first.id]
    assert (await documents.statistics()).documents == 2


@pytest.fixture(params=SPOILERS, ids=lambda spoil: spoil.__name__[11:])
def spoilt_home(request: pytest.FixtureRequest, home: Path) -> Iterator[Path]:
    home.mkdir()
    request.param(home)
    yield home
    home.chmod(0o700)


async def test_memory_stands_in_for_a_file_that_cannot_be_used(
    spoilt_home: Path, clock: Clock
) -> None:
    home = spoilt_home
    documents = cold(home, clock)
    await check_it_works(documents)
    assert str(home / "store.sqlite3") in str(documents.warning)
    assert "lives in memory" in str(documents.warning)
    await documents.close()


async def test_a_file_that_only_reading_finds_broken_is_given_up(home: Path, clock: Clock) -> None:
    documents = cold(home, clock)
    await put(documents, page("a", "words"))
    execute(home, "DROP TABLE passages")
    assert await documents.search("words") == []
    assert "no such table" in str(documents.warning)
    await put(documents, page("b", "more words"))
    assert len(await documents.search("words")) == 1
    await documents.close()


async def test_a_damaged_file_is_given_up(home: Path, clock: Clock) -> None:
    documents = cold(home, clock)
    await put(documents, page("a", "words " * 5000))
    await documents.close()
    damage(home / "store.sqlite3")
    documents = cold(home, clock)
    await check_it_works(documents)
    assert documents.warning
    await documents.close()


def damage(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xa5" * (file.stat().st_size - 4096))


async def test_a_full_disk_leaves_memory_and_a_good_file(home: Path, clock: Clock) -> None:
    documents = cold(home, clock)
    await put(documents, page("a"))
    database = documents._writer._db
    assert database is not None
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    database.execute(f"PRAGMA max_page_count = {pages + 2}")
    large = await put(documents, page("large", "words without end " * 5000))
    assert "full" in str(documents.warning)
    assert await documents.get(large.id) == large
    assert await documents.search("without end") != []
    await documents.close()
    assert titles(home) == ["a"]
    assert faults(home) == []


# --- locked files ------------------------------------------------------------------------------


@pytest.fixture
def holder(home: Path, clock: Clock) -> Iterator[sqlite3.Connection]:
    """Another process's connection, which can hold the file."""
    store = Store(home, clock)
    store.cooldowns()
    db = sqlite3.connect(home / "store.sqlite3", isolation_level=None)
    yield db
    db.close()
    store.close()


async def test_documents_wait_for_a_locked_file_and_go_along_with_the_next_write(
    home: Path, clock: Clock, holder: sqlite3.Connection
) -> None:
    documents = cold(home, clock)
    holder.execute("BEGIN IMMEDIATE")
    late = [await put(documents, page(name)) for name in "ab"]
    assert "2 documents wait in memory" in str(documents.warning)
    assert (await documents.statistics()).waiting == 2
    assert await documents.get(late[0].id) == late[0]
    assert await documents.by_key(late[1].key) == late[1]
    holder.execute("ROLLBACK")
    await put(documents, page("c"))
    assert documents.warning is None
    assert titles(home) == ["c", "b", "a"]
    assert len(await documents.search("page called")) == 3
    await documents.close()


async def test_what_waits_is_written_at_the_end(
    home: Path, clock: Clock, holder: sqlite3.Connection
) -> None:
    documents = cold(home, clock)
    holder.execute("BEGIN IMMEDIATE")
    await put(documents, page("a"))
    holder.execute("ROLLBACK")
    await documents.close()
    assert titles(home) == ["a"]


async def test_not_more_waits_than_memory_should_hold(
    home: Path, clock: Clock, holder: sqlite3.Connection
) -> None:
    documents = cold(home, clock)
    holder.execute("BEGIN IMMEDIATE")
    for number in range(MAX_WAITING + 3):
        await put(documents, page(f"p{number}"))
    holder.execute("ROLLBACK")
    await documents.close()
    assert len(titles(home)) == MAX_WAITING
    assert titles(home)[0] == f"p{MAX_WAITING + 2}"


async def test_a_file_that_is_locked_for_readers_too_is_done_without(
    home: Path, clock: Clock
) -> None:
    documents = cold(home, clock)
    stored = await put(documents, page("a"))
    await documents.close()
    with closing(sqlite3.connect(home / "store.sqlite3", isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        holder.execute("UPDATE documents SET title = title")
        documents = cold(home, clock)
        assert await documents.get(stored.id) is None
        assert await documents.search("page") == []
        late = await put(documents, page("b"))
        assert await documents.get(late.id) == late
        holder.execute("COMMIT")
    assert await documents.get(stored.id) == stored
    await put(documents, page("c"))
    assert titles(home) == ["c", "b", "a"]
    await documents.close()


async def test_a_search_that_the_lock_prevents_is_told(home: Path, clock: Clock) -> None:
    documents = cold(home, clock)
    await put(documents, page("a", "words to be found"))
    await documents.close()
    with closing(sqlite3.connect(home / "store.sqlite3", isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        documents = cold(home, clock)
        assert await documents.search("words") == []
        assert "locked by another process: not searched" in str(documents.warning)
    assert await documents.search("words") != []
    assert documents.warning is None
    await documents.close()


async def test_ids_made_without_the_file_lead_to_one_document_all_the_same(
    home: Path, clock: Clock
) -> None:
    first = cold(home, clock)
    known = await put(first, page("a", "one version"))
    second = cold(home, clock)
    second._salt = second._own_salt
    other = await put(second, page("a", "another version"))
    assert other.id != known.id
    assert titles(home) == ["a"]
    assert await first.by_key(known.key) == other
    await first.close()
    await second.close()


# --- privacy and upkeep ------------------------------------------------------------------------


async def test_the_files_are_private_whatever_the_umask(home: Path, clock: Clock) -> None:
    umask = os.umask(0)
    try:
        documents = cold(home, clock)
        await put(documents, page("a"))
        modes = modes_of(home)
        await documents.close()
    finally:
        os.umask(umask)
    names = [".", "store.sqlite3", "store.sqlite3-shm", "store.sqlite3-wal"]
    assert modes == dict(zip(names, [0o700, 0o600, 0o600, 0o600], strict=True))


async def test_a_file_that_others_could_read_is_made_private(home: Path, clock: Clock) -> None:
    documents = cold(home, clock)
    await put(documents, page("a"))
    await documents.close()
    (home / "store.sqlite3").chmod(0o644)
    documents = cold(home, clock)
    await put(documents, page("b"))
    assert set(modes_of(home).values()) == {0o700, 0o600}
    await documents.close()


def modes_of(home: Path) -> dict[str, int]:
    return {name: (home / name).stat().st_mode & 0o777 for name in [".", *files(home)]}


async def test_a_week_of_use_without_a_write_is_remembered(home: Path, clock: Clock) -> None:
    documents = Documents(home, StoreSettings(), clock)
    stored = await put(documents, page("a"))
    for _ in range(10):
        clock.now_s += DAY_S
        assert await documents.get(stored.id) == stored
    other = cold(home, clock)
    assert await other.get(stored.id) is None
    assert [passage.document_id for passage in await documents.search("page")] == [stored.id]
    assert await other.get(stored.id) == stored
    await other.close()
    await documents.close()
