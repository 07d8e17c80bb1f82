"""Folders for processes that are run: one for each browser and conversion, gone with it.

A folder holds all that the process would otherwise leave in the temp folder, as a profile. Its
owner keeps a lock on a file inside; the kernel lets go of that lock however the owner dies, so a
folder whose lock can be taken is litter. That needs no pids, and so survives their reuse.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_LOCK = "lock"
_BEING_MADE = ".new-"
_OURS = re.compile(r"(?:\.new-)?webaio-[0-9a-f]{12}")
_BEING_MADE_S = 60.0
"""A folder in the making that is older than this was abandoned."""


class RunDir:
    """A locked folder of our own."""

    def __init__(self, path: Path, lock_fd: int) -> None:
        self.path = path
        self._lock_fd = lock_fd

    @classmethod
    def create(cls, parent: Path) -> RunDir:
        """Make a new folder below `parent`, locked before it gets its name."""
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"webaio-{secrets.token_hex(6)}"
        making = parent / (_BEING_MADE + name)
        making.mkdir(mode=0o700)
        lock_fd = os.open(making / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock_fd, fcntl.LOCK_EX)
        return cls(making.rename(parent / name), lock_fd)

    def remove(self) -> None:
        """Delete the folder and let go of the lock; may be called twice."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock_fd >= 0:
            os.close(self._lock_fd)
            self._lock_fd = -1


def sweep(parent: Path) -> int:
    """Delete the folders whose owners are dead; return how many."""
    removed = 0
    try:
        folders = list(parent.iterdir())
    except OSError:
        return removed
    for folder in folders:
        # The home may be any folder, and its `run` somebody else's: only our names are looked at.
        if _OURS.fullmatch(folder.name) is None or not _abandoned(folder):
            continue
        shutil.rmtree(folder, ignore_errors=True)
        removed += 1
    return removed


def _abandoned(folder: Path) -> bool:
    try:
        if folder.name.startswith(_BEING_MADE):
            # A file's time is wall clock, and so is what it is compared with.
            return time.time() - folder.stat().st_mtime > _BEING_MADE_S  # noqa: TID251
        lock_fd = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        # Without a lock file it is a folder that is just being deleted, or half was.
        return folder.is_dir()
    except OSError:
        return False
    try:
        fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock_fd)
    return True
