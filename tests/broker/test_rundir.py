"""The browsers' folders: private, locked by their owner, and litter once the owner is dead."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from broker.rundir import RunDir, sweep

if TYPE_CHECKING:
    from pathlib import Path

DIE_WITH_A_FOLDER = """
import os, signal, sys
from pathlib import Path
from broker.rundir import RunDir
made = RunDir.create(Path(sys.argv[1]))
(made.path / "profile").mkdir()
(made.path / "profile" / "file").write_text("x")
print(made.path.name, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def folder_of_a_dead_process(parent: Path) -> Path:
    command = [sys.executable, "-c", DIE_WITH_A_FOLDER, str(parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    folder = parent / done.stdout.strip()
    assert folder.is_dir()
    return folder


def test_a_folder_is_private_and_locked(tmp_path: Path) -> None:
    made = RunDir.create(tmp_path / "run")
    assert made.path.parent == tmp_path / "run"
    assert made.path.stat().st_mode & 0o777 == 0o700
    with (made.path / "lock").open() as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    made.remove()


def test_nothing_is_left_when_it_is_removed(tmp_path: Path) -> None:
    made = RunDir.create(tmp_path)
    (made.path / "profile").mkdir()
    lock_fd = made._lock_fd
    made.remove()
    made.remove()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(lock_fd)


def test_only_the_folders_of_the_dead_are_swept(tmp_path: Path) -> None:
    alive = RunDir.create(tmp_path)
    dead = folder_of_a_dead_process(tmp_path)
    assert sweep(tmp_path) == 1
    assert not dead.exists()
    assert alive.path.is_dir()
    alive.remove()


def test_a_child_does_not_inherit_the_lock(tmp_path: Path) -> None:
    made = RunDir.create(tmp_path)
    with subprocess.Popen(["sleep", "60"], close_fds=False) as child:  # noqa: S607
        os.close(made._lock_fd)  # what the kernel does when the owner is killed
        made._lock_fd = -1
        assert sweep(tmp_path) == 1
        child.kill()


@pytest.mark.parametrize(("age_s", "swept"), [(0, 0), (3600, 1)], ids=["just now", "an hour ago"])
def test_a_half_made_folder_is_litter_only_when_it_is_old(
    age_s: int, swept: int, tmp_path: Path
) -> None:
    half = tmp_path / ".new-webaio-0123456789ab"
    half.mkdir()
    then = time.time() - age_s
    os.utime(half, (then, then))
    assert sweep(tmp_path) == swept
    assert half.exists() == (not swept)


def test_a_half_deleted_folder_is_finished(tmp_path: Path) -> None:
    half = folder_of_a_dead_process(tmp_path)
    (half / "lock").unlink()
    assert sweep(tmp_path) == 1
    assert not half.exists()


def test_what_is_no_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    assert sweep(tmp_path) == 0
    assert (tmp_path / "notes").exists()


def test_where_nothing_ever_ran_there_is_nothing_to_sweep(tmp_path: Path) -> None:
    assert sweep(tmp_path / "absent") == 0
    (tmp_path / "file").write_text("")
    assert sweep(tmp_path / "file") == 0


def test_a_folder_that_vanishes_meanwhile_is_no_error(tmp_path: Path) -> None:
    made = RunDir.create(tmp_path)
    shutil.rmtree(made.path)
    made.remove()
    assert sweep(tmp_path) == 0


def test_what_is_not_ours_is_never_swept(tmp_path: Path) -> None:
    theirs = tmp_path / "precious"
    theirs.mkdir()
    (theirs / "data.txt").write_text("x")
    assert sweep(tmp_path) == 0
    assert (theirs / "data.txt").read_text() == "x"
