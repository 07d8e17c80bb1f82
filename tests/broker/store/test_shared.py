"""What brokers share on disk, and that a file which cannot be used makes nothing fail."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from broker.store import SCHEMA_VERSION, Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from broker.store import Cooldown

FIRST_S = 300.0
MAX_S = 3600.0
NOW_S = 1_800_000_000.0


class Clock:
    """A wall clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = NOW_S

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    opened = Store(tmp_path / "home", clock)
    yield opened
    opened.close()


def cool(store: Store, name: str = "google", code: str = "captcha") -> Cooldown:
    return store.cool(name, code, first_s=FIRST_S, max_s=MAX_S)


# --- cooldowns ---------------------------------------------------------------------------------


def test_nobody_is_left_alone_at_first(store: Store) -> None:
    assert store.cooldown("google") is None
    assert store.cooldowns() == []


def test_each_further_refusal_doubles_the_cooldown_up_to_an_hour(
    store: Store, clock: Clock
) -> None:
    lengths = []
    for strikes in range(1, 8):
        cooldown = cool(store)
        assert cooldown.strikes == strikes
        lengths.append(cooldown.left_s)
        clock.now_s += cooldown.left_s
    assert lengths == [300, 600, 1200, 2400, 3600, 3600, 3600]


def test_a_hundred_refusals_are_no_more_than_the_longest(store: Store, clock: Clock) -> None:
    for _ in range(100):
        clock.now_s += cool(store).left_s
    assert cool(store).left_s == MAX_S


def test_a_refusal_while_it_is_left_alone_changes_nothing(store: Store, clock: Clock) -> None:
    cool(store)
    clock.now_s += 100
    cooldown = cool(store, code="rate_limited")
    assert (cooldown.strikes, cooldown.left_s, cooldown.code) == (1, 200, "captcha")


def test_it_may_be_asked_again_when_the_time_is_up_but_the_strike_counts(
    store: Store, clock: Clock
) -> None:
    cool(store)
    clock.now_s += FIRST_S
    found = store.cooldown("google")
    assert found is not None
    assert (found.left_s, found.strikes) == (0, 1)
    assert cool(store, code="rate_limited").code == "rate_limited"


def test_an_answer_clears_the_record(store: Store, clock: Clock) -> None:
    cool(store)
    clock.now_s += FIRST_S
    store.clear_cooldown("google")
    assert store.cooldown("google") is None
    assert cool(store).left_s == FIRST_S


def test_an_answer_does_not_clear_a_refusal_that_is_younger(store: Store) -> None:
    cool(store)
    store.clear_cooldown("google")
    assert store.cooldown("google") is not None
    store.clear_cooldown("google", running=True)
    assert store.cooldown("google") is None


def test_each_name_has_a_record_of_its_own(store: Store, clock: Clock) -> None:
    cool(store, "google")
    clock.now_s += 10
    cool(store, "ddg", "challenge")
    assert [(c.name, c.code, c.left_s) for c in store.cooldowns()] == [
        ("ddg", "challenge", 300),
        ("google", "captcha", 290),
    ]
    store.clear_cooldown("ddg", running=True)
    assert [c.name for c in store.cooldowns()] == ["google"]


def test_a_cooldown_from_before_the_clock_was_set_back_is_replaced_by_a_new_one(
    store: Store, clock: Clock
) -> None:
    cool(store)
    clock.now_s -= 86_400
    assert cool(store).left_s == 600


# --- sharing -----------------------------------------------------------------------------------


def test_two_brokers_see_each_others_cooldowns(tmp_path: Path, store: Store, clock: Clock) -> None:
    other = Store(tmp_path / "home", clock)
    cool(store)
    found = other.cooldown("google")
    assert found is not None
    assert found.left_s == FIRST_S
    assert cool(other).strikes == 1, "both met the same refusal"
    other.clear_cooldown("google", running=True)
    assert store.cooldown("google") is None
    other.close()


COOL = """
import sys
from pathlib import Path
from broker.store import Store
store = Store(Path(sys.argv[1]))
store.cool("google", "captcha", first_s=300, max_s=3600)
sys.exit(store.warning)
"""


def test_processes_that_start_together_share_one_new_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", COOL, str(tmp_path)]
    processes = [subprocess.Popen(command) for _ in range(4)]  # noqa: S603
    assert [process.wait(20) for process in processes] == [0] * 4
    store = Store(tmp_path)
    (cooldown,) = store.cooldowns()
    assert cooldown.strikes == 1
    store.close()


def test_threads_share_one_store(store: Store) -> None:
    threads = [threading.Thread(target=cool, args=(store, f"n{n}")) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.cooldowns()) == 8
    assert store.warning is None


def test_who_finds_the_file_locked_for_long_does_without_this_once(
    tmp_path: Path, store: Store
) -> None:
    cool(store)
    holder = sqlite3.connect(tmp_path / "home" / "store.sqlite3", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert cool(store, "ddg").left_s == FIRST_S
    holder.execute("ROLLBACK")
    holder.close()
    assert store.warning is None
    assert [cooldown.name for cooldown in store.cooldowns()] == ["google"]


def test_records_outlive_the_process(tmp_path: Path, clock: Clock) -> None:
    first = Store(tmp_path, clock)
    cool(first)
    first.close()
    first.close()
    second = Store(tmp_path, clock)
    assert second.cooldown("google") is not None
    second.close()


def test_the_files_are_private_and_written_ahead(tmp_path: Path, store: Store) -> None:
    cool(store)
    home = tmp_path / "home"
    assert home.stat().st_mode & 0o777 == 0o700
    files = {path.name: path.stat().st_mode & 0o777 for path in home.iterdir()}
    assert files == dict.fromkeys(
        ["store.sqlite3", "store.sqlite3-wal", "store.sqlite3-shm"], 0o600
    )


def test_the_file_is_private_whatever_the_umask(tmp_path: Path, clock: Clock) -> None:
    umask = os.umask(0)
    try:
        store = Store(tmp_path / "home", clock)
        cool(store)
        store.close()
    finally:
        os.umask(umask)
    assert (tmp_path / "home" / "store.sqlite3").stat().st_mode & 0o777 == 0o600


# --- files that cannot be used -----------------------------------------------------------------


def spoil_with_text(home: Path) -> Path:
    home.mkdir()
    (home / "store.sqlite3").write_text("this is no database, and long enough to be sure of it")
    return home


def spoil_with_the_future(home: Path) -> Path:
    home.mkdir()
    with sqlite3.connect(home / "store.sqlite3") as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    return home


def spoil_with_a_folder(home: Path) -> Path:
    (home / "store.sqlite3").mkdir(parents=True)
    return home


def spoil_with_a_file_for_a_home(home: Path) -> Path:
    home.write_text("")
    return home / "below"


def spoil_with_other_tables(home: Path) -> Path:
    home.mkdir()
    with sqlite3.connect(home / "store.sqlite3") as db:
        db.execute("CREATE TABLE cooldowns (other INTEGER)")
    db.close()
    return home


def spoil_with_rights(home: Path) -> Path:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    home.mkdir()
    home.chmod(0o500)
    return home


SPOILERS = [
    spoil_with_text,
    spoil_with_the_future,
    spoil_with_a_folder,
    spoil_with_a_file_for_a_home,
    spoil_with_other_tables,
    spoil_with_rights,
]


@pytest.mark.parametrize("spoil", SPOILERS, ids=lambda spoil: spoil.__name__[11:])
def test_a_file_that_cannot_be_used_is_replaced_by_memory_and_a_warning(
    spoil: object, tmp_path: Path, clock: Clock
) -> None:
    assert callable(spoil)
    home = spoil(tmp_path / "home")
    store = Store(home, clock)
    assert cool(store).left_s == FIRST_S
    assert store.warning is not None
    assert str(home / "store.sqlite3") in store.warning
    assert [cooldown.name for cooldown in store.cooldowns()] == ["google"]
    clock.now_s += FIRST_S
    assert cool(store).left_s == 2 * FIRST_S
    store.close()


def test_a_file_of_a_newer_version_is_left_as_it_is(tmp_path: Path, clock: Clock) -> None:
    home = spoil_with_the_future(tmp_path / "home")
    before = (home / "store.sqlite3").read_bytes()[:100]
    store = Store(home, clock)
    assert store.cooldowns() == []
    assert store.warning is not None
    assert "newer version" in store.warning
    store.close()
    with sqlite3.connect(home / "store.sqlite3") as db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
    db.close()
    assert version == SCHEMA_VERSION + 1
    assert len(before) == 100


def test_a_file_that_breaks_while_it_is_open_goes_on_in_memory(
    tmp_path: Path, store: Store
) -> None:
    cool(store)
    with sqlite3.connect(tmp_path / "home" / "store.sqlite3") as db:
        db.execute("DROP TABLE cooldowns")
    db.close()
    assert cool(store).left_s == FIRST_S
    assert store.warning is not None


def test_a_file_of_an_older_version_gains_what_is_new(tmp_path: Path, clock: Clock) -> None:
    home = tmp_path / "home"
    older = Store(home, clock)
    cool(older)
    older.close()
    with sqlite3.connect(home / "store.sqlite3") as db:
        db.execute("DROP TABLE paces")
        db.execute("PRAGMA user_version = 1")
    db.close()
    store = Store(home, clock)
    assert store.reserve("exa", 1.0, 5.0) == 0
    assert store.cooldown("google") is not None
    assert store.warning is None
    store.close()
