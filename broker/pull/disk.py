"""Files below one folder. No name and no link in it leads out of it, and no file is ever half.

Every part of a path is opened by itself, and a link among them is an error: what lies behind it is
somebody else's. A file is written under another name and renamed when it is whole. All methods
block and are meant for worker threads.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from broker.errors import BrokerError, Phase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OWN = ".webaio"
"""The folder in it that is ours: the manifest, the index, files that are being written."""
_DRAFT = ".part"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DRAFT_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Unwritable(BrokerError):
    """A file cannot be written, or a folder not be used."""

    code = "unwritable"
    phase = Phase.WRITING


class Folder:
    """An open folder; safe for any number of threads."""

    def __init__(self, path: Path) -> None:
        """Open the folder, which is made with those above it where it is not there.

        Raises:
            Unwritable: it is none, or cannot be made.
        """
        self.path = path
        self._made = _missing(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise Unwritable(f"the folder {path} cannot be used: {error.strerror}") from error
        self._drafts = 0

    def write(self, name: str, data: bytes) -> None:
        """Have `data` in the file `name`, in place of what was in it.

        Raises:
            OSError: the disk does not take it, or a part of the name is a link or no folder.
        """
        self._drafts += 1
        draft = f"{os.getpid()}-{self._drafts}{_DRAFT}"
        with self._inside(f"{OWN}/{draft}") as (own, _):
            fd = os.open(draft, _DRAFT_FLAGS, 0o666, dir_fd=own)
            try:
                with open(fd, "wb") as file:  # noqa: PTH123 - a descriptor has no path
                    file.write(data)
                with self._inside(name) as (parent, leaf):
                    os.rename(draft, leaf, src_dir_fd=own, dst_dir_fd=parent)
            except BaseException:
                with suppress(OSError):
                    os.unlink(draft, dir_fd=own)
                raise

    def read(self, name: str) -> bytes:
        """The content of the file `name`.

        Raises:
            OSError: there is none, or a part of the name is a link.
        """
        with self._inside(name, make=False) as (parent, leaf):
            fd = os.open(leaf, _FILE, dir_fd=parent)
            with open(fd, "rb") as file:  # noqa: PTH123 - a descriptor has no path
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    raise FileNotFoundError(name)
                return file.read()

    def has(self, name: str) -> bool:
        """Whether there is a file `name`, and no link."""
        try:
            with self._inside(name, make=False) as (parent, leaf):
                return stat.S_ISREG(os.stat(leaf, dir_fd=parent, follow_symlinks=False).st_mode)
        except OSError:
            return False

    def open(self, name: str, flags: int) -> int:
        """A descriptor of the file `name`, which the caller closes.

        Raises:
            OSError: it cannot be opened, or a part of the name is a link.
        """
        with self._inside(name) as (parent, leaf):
            return os.open(leaf, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=parent)

    def is_empty(self) -> bool:
        """Whether nothing is in it but what may be ours."""
        return all(name == OWN for name in os.listdir(self._fd))  # noqa: PTH208 - as above

    def tidy(self) -> None:
        """Remove what a killed process had begun to write. Only for who holds the folder alone."""
        with suppress(OSError), self._inside(f"{OWN}/x") as (own, _):
            for name in os.listdir(own):  # noqa: PTH208 - a descriptor has no path
                if name.endswith(_DRAFT):
                    os.unlink(name, dir_fd=own)

    def unmake(self, *names: str) -> None:
        """Remove files of ours, and the folders that were made for them and are empty then."""
        self.tidy()
        with suppress(OSError):
            for name in names:
                with self._inside(name, make=False) as (parent, leaf):
                    os.unlink(leaf, dir_fd=parent)
            os.rmdir(OWN, dir_fd=self._fd)
            for folder in self._made:
                folder.rmdir()

    def close(self) -> None:
        """Close the folder; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @contextmanager
    def _inside(self, name: str, *, make: bool = True) -> Iterator[tuple[int, str]]:
        """The folder that a file is in, as a descriptor, and the file's own name there."""
        *folders, leaf = name.split("/")
        if any(part in {"", ".", ".."} or "\0" in part for part in (*folders, leaf)):
            raise FileNotFoundError(name)
        fd = os.dup(self._fd)
        try:
            for part in folders:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=fd)
                inner = os.open(part, _FOLDER, dir_fd=fd)
                os.close(fd)
                fd = inner
            yield fd, leaf
        finally:
            os.close(fd)


def _missing(path: Path) -> list[Path]:
    """The folders of a path that are not there, the inmost first."""
    missing = []
    for folder in (path, *path.parents):
        if folder.exists():
            break
        missing.append(folder)
    return missing
