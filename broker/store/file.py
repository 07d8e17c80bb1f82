"""One connection to the file, and its manners.

The file is ours alone (0600 in a 0700 folder, its side files likewise), written ahead, and opened
by the first use. Another process that writes is waited for, `PATIENCE_S` at most: then the job is
not done this once and `Locked` says so; who was just made to wait does not wait again. Any other
trouble (no rights, no room, no database, tables that are not ours, a newer version) replaces the
file by memory for as long as the process lives, with a warning.

All methods block, may be called from any thread, and are meant for worker threads.
"""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import stat
import threading
import time
from typing import TYPE_CHECKING, TypeVar

from broker.store import schema
from broker.store.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ("FILE_NAME", "SCHEMA_VERSION", "Database", "Locked", "wall_clock_s")

FILE_NAME = "store.sqlite3"
PATIENCE_S = 0.5
"""How long a job waits for other processes; longer than any write of ours takes."""
_IMPATIENCE_S = 0.02
"""The same for a job that follows one which waited in vain."""
_LONGEST_NAP_S = 0.008
"""SQLite's own waiting looks every 0.1 s in the end, and starves where eight processes write."""
_WAL_BYTES = 4 << 20
_CACHE_KB = 8192

Result = TypeVar("Result")


class Locked(Exception):
    """Another process held the file for too long: the job was not done."""


def wall_clock_s() -> float:
    """Seconds since the epoch: the only clock that other processes and later boots share."""
    return time.time()  # noqa: TID251 - what is stored outlives the monotonic clock


class Database:
    """The open file, or the memory that stands in for it."""

    def __init__(self, home: Path, *, tables: Sequence[str], holds: str) -> None:
        """Nothing is touched yet.

        Args:
            home: the folder, which is made when it is not there.
            tables: the statements that make what this user of the file needs, for use in memory.
            holds: what lives in memory then, for the warning.
        """
        self._file = home / FILE_NAME
        self._tables = tables
        self._holds = holds
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._patience_s = PATIENCE_S
        self.reason: str | None = None
        """Why memory stands in for the file, when it does."""

    @property
    def warning(self) -> str | None:
        """The same as a sentence for `status`."""
        if self.reason is None:
            return None
        return f"the store {self._file} cannot be used ({self.reason}); {self._holds}"

    @property
    def path(self) -> Path:
        """Where the file is, or would be."""
        return self._file

    def read(self, job: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do a job of one statement, or of several that need not see the same moment.

        Raises:
            Locked: another process held the file.
        """
        return self._do(job)

    def write(self, job: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do a job as one transaction: wholly or not at all, whatever becomes of the process.

        Raises:
            Locked: another process held the file.
        """
        return self._do(lambda db: _transaction(db, job, self._patience_s))

    def abandon(self, reason: str) -> None:
        """Go on in memory: somebody else found that the file cannot be used."""
        with self._lock:
            if self.reason is None:
                self._degrade(reason)

    def close(self) -> None:
        """Close the file; may be called twice."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _do(self, job: Callable[[sqlite3.Connection], Result]) -> Result:
        with self._lock:
            try:
                result = job(self._opened())
            except sqlite3.Error as error:
                if _is_busy(error):
                    self._patience_s = _IMPATIENCE_S
                    raise Locked(str(error)) from error
                self._degrade(str(error))
                return job(self._opened())
            self._patience_s = PATIENCE_S
            return result

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = _open(self._file, self._patience_s)
        return self._db

    def _degrade(self, reason: str) -> None:
        if self._db is not None:
            self._db.close()
        self.reason = reason
        self._db = _connect(":memory:")
        for statement in self._tables:
            self._db.execute(statement)


def _open(file: Path, patience_s: float) -> sqlite3.Connection:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(file)
    except OSError as error:
        raise sqlite3.DatabaseError(str(error)) from error
    db = _connect(str(file))
    try:
        # Another process may be making the file at this moment, which no wait of SQLite's covers.
        _patiently(lambda: _check(db), patience_s)
    except BaseException:
        db.close()
        raise
    return db


def _make_private(file: Path) -> None:
    """See that the file is there and ours alone, from its first moment.

    The file itself is not opened: whoever closes a descriptor of it takes from this process the
    locks of all its connections, and another process then removes the log they still write to.
    """
    try:
        found = file.stat()
    except FileNotFoundError:
        _make(file)
    else:
        if stat.S_ISREG(found.st_mode) and stat.S_IMODE(found.st_mode) & 0o077:
            with contextlib.suppress(PermissionError):  # somebody else's, who lets us write
                file.chmod(0o600)  # SQLite gives its side files the same mode


def _make(file: Path) -> None:
    """Make an empty private file, which is complete when it gets its name."""
    draft = file.with_name(f"{file.name}.{random.getrandbits(64):x}")
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    try:
        os.link(draft, file)
    except FileExistsError:
        pass  # another process was faster
    except OSError:  # a file system without links
        file.touch(mode=0o600)
    finally:
        draft.unlink()


def _connect(file: str) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False)


def _check(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    if _version(db) < SCHEMA_VERSION:
        _transaction(db, _upgrade, PATIENCE_S)


def _upgrade(db: sqlite3.Connection) -> None:
    if _version(db) < SCHEMA_VERSION:  # else another process was faster
        for statement in (*schema.SHARED, *schema.DOCUMENTS):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _version(db: sqlite3.Connection) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise sqlite3.DatabaseError(f"it was written by a newer version (schema {version})")
    return int(version)


def _transaction(
    db: sqlite3.Connection, job: Callable[[sqlite3.Connection], Result], patience_s: float
) -> Result:
    db.execute("PRAGMA busy_timeout = 0")
    try:
        _patiently(lambda: db.execute("BEGIN IMMEDIATE"), patience_s)
    finally:
        db.execute(f"PRAGMA busy_timeout = {PATIENCE_S * 1000:.0f}")
    try:
        result = job(db)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite itself has rolled back after some errors
            db.execute("ROLLBACK")
        raise
    return result


def _patiently(step: Callable[[], object], patience_s: float) -> None:
    give_up_s = time.monotonic() + patience_s
    while True:
        try:
            step()
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() >= give_up_s:
                raise
            time.sleep(random.uniform(0.001, _LONGEST_NAP_S))  # noqa: S311 - not a secret
        else:
            return


def _is_busy(error: sqlite3.Error) -> bool:
    # The low byte is the kind; the others tell which lock (busy_recovery, busy_snapshot).
    code = getattr(error, "sqlite_errorcode", None) or 0
    return code & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
