"""What outlives a process: one SQLite file under the home folder, shared by every broker.

It holds what providers must be spared: cooldowns, the pace and the daily allowance that several
processes share; and how each provider did last. A file that cannot be opened, read or written
degrades to memory with a warning that `status` shows; nothing here makes a search fail. All methods
block for a millisecond or so and are called from worker threads.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

SCHEMA_VERSION = 2
_FURTHEST_TURN_S = 60.0
_BUSY: list[tuple[object, ...]] = []
"""What a statement returns when another process held the file for too long: this once we do
without, and nobody takes it for an answer."""
_BUSY_MS = 500
"""How long a write waits for another process; longer than any write of ours takes."""

_SCHEMA = (
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

# Cast, because a file that somebody else wrote into may hold anything.
_SELECT_COOLDOWNS = (
    "SELECT name, code, CAST(strikes AS INTEGER), CAST(until_s AS REAL) FROM cooldowns"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cooldown:
    """Why and for how long something is left alone."""

    name: str
    code: str
    strikes: int
    """Refusals in a row."""
    left_s: float
    """Seconds until it may be asked again; 0 when it may, and the strikes still count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a provider did, and when."""

    outcome: str
    """Status, and the code where there is one: `ok`, `failed (captcha)`."""
    age_s: float


def wall_clock_s() -> float:
    """Seconds since the epoch: the only clock that other processes and later boots share."""
    return time.time()  # noqa: TID251 - a cooldown outlives the monotonic clock


class Store:
    """The open file; every method may be called from any thread."""

    def __init__(self, home: Path, clock: Callable[[], float] = wall_clock_s) -> None:
        self._file = home / "store.sqlite3"
        self._clock = clock
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self.warning: str | None = None
        """Why the store works from memory only, when it does."""

    def cooldown(self, name: str) -> Cooldown | None:
        """The cooldown of `name`, or None when it has a clean record."""
        rows = self._run(f"{_SELECT_COOLDOWNS} WHERE name = ?", name)
        return self._cooldown(*rows[0]) if rows else None

    def cooldowns(self) -> list[Cooldown]:
        """Every cooldown on record, by name."""
        rows = self._run(f"{_SELECT_COOLDOWNS} ORDER BY name")
        return [self._cooldown(*row) for row in rows]

    def cool(self, name: str, code: str, *, first_s: float, max_s: float) -> Cooldown:
        """Note a refusal: `first_s` seconds for the first, doubled for each further, up to `max_s`.

        A refusal that comes while the cooldown runs belongs to the same incident, perhaps seen
        by another process, and does not double it again.
        """
        now_s = self._clock()
        self._run(
            """
            INSERT INTO cooldowns (name, code, strikes, until_s) VALUES (?1, ?2, 1, ?3 + ?4)
            ON CONFLICT (name) DO UPDATE SET
                code = ?2,
                strikes = strikes + 1,
                until_s = ?3 + min(?5, ?4 * (1 << min(strikes, 20)))
            WHERE until_s <= ?3 OR until_s > ?3 + ?5
            """,
            name, code, now_s, first_s, max_s,
        )  # fmt: skip
        found = self.cooldown(name)
        return found or Cooldown(name=name, code=code, strikes=1, left_s=first_s)

    def clear_cooldown(self, name: str, *, running: bool = False) -> None:
        """Forget the record of `name`: it answered.

        One that is running is younger than that answer and stays, unless `running` is given.
        """
        now_s = self._clock()
        self._run(
            "DELETE FROM cooldowns WHERE name = ? AND (? OR until_s <= ?)", name, running, now_s
        )

    def _cooldown(self, name: object, code: object, strikes: object, until_s: object) -> Cooldown:
        left_s = max(0.0, float(str(until_s)) - self._clock())
        return Cooldown(name=str(name), code=str(code), strikes=int(str(strikes)), left_s=left_s)

    def reserve(self, name: str, gap_s: float, within_s: float) -> float | None:
        """Take the next turn of `name`, at least `gap_s` after the last one anybody took.

        Returns the seconds to wait for it, at most `within_s`; None, and no turn, when that is
        not enough.
        """
        now_s = self._clock()
        rows = self._run(
            """
            INSERT INTO paces (name, next_s) VALUES (?1, ?2 + ?3)
            ON CONFLICT (name) DO UPDATE SET
                next_s = max(?2, CASE WHEN next_s > ?2 + ?5 THEN ?2 ELSE next_s END) + ?3
            WHERE next_s <= ?2 + ?4 OR next_s > ?2 + ?5
            RETURNING next_s
            """,
            # A turn further ahead than anybody waits was taken before the clock was set back.
            name, now_s, gap_s, within_s, _FURTHEST_TURN_S + gap_s,
        )  # fmt: skip
        if rows is _BUSY:
            return min(gap_s, within_s)
        return max(0.0, float(str(rows[0][0])) - gap_s - now_s) if rows else None

    def postpone(self, name: str, gap_s: float) -> None:
        """See that the next turn of `name` is at least `gap_s` from now."""
        next_s = self._clock() + gap_s
        self._run("UPDATE paces SET next_s = max(next_s, ?) WHERE name = ?", next_s, name)

    def spend(self, name: str, day: str, allowance: int) -> bool:
        """Count one use of `name` on `day`; False, and no use, when `allowance` is used up."""
        rows = self._run(
            """
            INSERT INTO allowances (name, day, used) SELECT ?1, ?2, 1 WHERE ?3 > 0
            ON CONFLICT (name) DO UPDATE SET
                used = CASE WHEN day = ?2 THEN used + 1 ELSE 1 END, day = ?2
            WHERE day <> ?2 OR used < ?3
            RETURNING used
            """,
            name, day, allowance,
        )  # fmt: skip
        return rows is _BUSY or bool(rows)

    def note_outcomes(self, outcomes: Mapping[str, str]) -> None:
        """Remember how each provider did just now."""
        for name, outcome in outcomes.items():
            self._run(
                """
                INSERT INTO outcomes (name, outcome, at_s) VALUES (?1, ?2, ?3)
                ON CONFLICT (name) DO UPDATE SET outcome = ?2, at_s = ?3
                """,
                name, outcome, self._clock(),
            )  # fmt: skip

    def outcomes(self) -> dict[str, Outcome]:
        """How each provider did last."""
        now_s = self._clock()
        return {
            str(name): Outcome(outcome=str(outcome), age_s=max(0.0, now_s - float(str(at_s))))
            for name, outcome, at_s in self._run(
                "SELECT name, outcome, CAST(at_s AS REAL) FROM outcomes"
            )
        }

    def close(self) -> None:
        """Close the file; may be called twice."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _run(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        with self._lock:
            try:
                return self._execute(statement, values)
            except sqlite3.OperationalError as error:
                if self._db is not None and _is_busy(error):
                    return _BUSY
                self._degrade(error)
            except sqlite3.Error as error:
                self._degrade(error)
            return self._execute(statement, values)

    def _execute(self, statement: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        if self._db is None:
            self._db = self._open()
        with self._db:
            return self._db.execute(statement, values).fetchall()

    def _open(self) -> sqlite3.Connection:
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Made by us and not by SQLite, so that it is private from its first moment.
            os.close(os.open(self._file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise sqlite3.DatabaseError(str(error)) from error
        db = _connect(str(self._file))
        try:
            _check(db)
        except BaseException:
            db.close()
            raise
        return db

    def _degrade(self, error: sqlite3.Error) -> None:
        self.warning = f"the store {self._file} cannot be used ({error}); cooldowns live in memory"
        if self._db is not None:
            self._db.close()
        self._db = _connect(":memory:")
        _prepare(self._db)


def _connect(file: str) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=_BUSY_MS / 1000, check_same_thread=False)


def _check(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise sqlite3.DatabaseError(f"it was written by a newer version (schema {version})")
    if version < SCHEMA_VERSION:
        _prepare(db)


def _prepare(db: sqlite3.Connection) -> None:
    with db:
        for table in _SCHEMA:
            db.execute(table)
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
