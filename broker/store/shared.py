"""What providers must be spared, by all processes together.

Cooldowns, the pace and the daily allowance that several processes share; and how each provider did
last. A file that cannot be used makes no search fail: who finds it locked does without this once.
All methods block for a millisecond or so and are called from worker threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.store import schema
from broker.store.file import Database, Locked, wall_clock_s

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_FURTHEST_TURN_S = 60.0
_BUSY: list[tuple[object, ...]] = []
"""What a statement returns when another process held the file for too long: this once we do
without, and nobody takes it for an answer."""

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


class Store:
    """The open file; every method may be called from any thread."""

    def __init__(self, home: Path, clock: Callable[[], float] = wall_clock_s) -> None:
        self._database = Database(home, tables=schema.SHARED, holds="cooldowns live in memory")
        self._clock = clock

    @property
    def warning(self) -> str | None:
        """Why the store works from memory only, when it does."""
        return self._database.warning

    def cooldown(self, name: str) -> Cooldown | None:
        """The cooldown of `name`, or None when it has a clean record."""
        rows = self._read(f"{_SELECT_COOLDOWNS} WHERE name = ?", name)
        return self._cooldown(*rows[0]) if rows else None

    def cooldowns(self) -> list[Cooldown]:
        """Every cooldown on record, by name."""
        rows = self._read(f"{_SELECT_COOLDOWNS} ORDER BY name")
        return [self._cooldown(*row) for row in rows]

    def cool(self, name: str, code: str, *, first_s: float, max_s: float) -> Cooldown:
        """Note a refusal: `first_s` seconds for the first, doubled for each further, up to `max_s`.

        A refusal that comes while the cooldown runs belongs to the same incident, perhaps seen
        by another process, and does not double it again.
        """
        now_s = self._clock()
        self._write(
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
        self._write(
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
        rows = self._write(
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
        self._write("UPDATE paces SET next_s = max(next_s, ?) WHERE name = ?", next_s, name)

    def spend(self, name: str, day: str, allowance: int) -> bool:
        """Count one use of `name` on `day`; False, and no use, when `allowance` is used up."""
        rows = self._write(
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
            self._write(
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
            for name, outcome, at_s in self._read(
                "SELECT name, outcome, CAST(at_s AS REAL) FROM outcomes"
            )
        }

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._database.close()

    def _read(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        try:
            return self._database.read(lambda db: db.execute(statement, values).fetchall())
        except Locked:
            return _BUSY

    def _write(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        try:
            return self._database.write(lambda db: db.execute(statement, values).fetchall())
        except Locked:
            return _BUSY
