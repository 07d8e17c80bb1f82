"""Files of this machine: read whole, and only if they are ordinary files. Blocks; for threads."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.reading.failures import FileUnread

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 30_000_000

_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".rst": "text/x-rst",
    ".json": "application/json",
    ".xml": "application/xml",
}
_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)
_CODES = {
    errno.ENOENT: ("not_found", "there is no such file"),
    errno.ENOTDIR: ("not_found", "there is no such file"),
    errno.EACCES: ("forbidden", "it may not be read"),
    errno.EPERM: ("forbidden", "it may not be read"),
    errno.ELOOP: ("not_a_file", "its symbolic links lead in a circle"),
    errno.ENAMETOOLONG: ("not_found", "no file has so long a name"),
    errno.ENXIO: ("not_a_file", "it is no ordinary file"),
}


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file as it was read."""

    path: Path
    body: bytes
    stamp: str
    """Changes whenever the file does."""
    media_type: str
    """What its name says; empty where that is nothing."""


def stamp_of(path: Path) -> str | None:
    """The stamp of a file as it is now; None where it cannot be looked at."""
    try:
        return _stamp(path.stat())
    except (OSError, ValueError):
        return None


def read_file(path: Path) -> LocalFile:
    """Read a file.

    Raises:
        FileUnread: it is none, is missing, or is too large.
    """
    shown = str(path)
    try:
        # Not blocking, so that opening a pipe waits for nobody.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise FileUnread("not_a_file", f"{shown} is {_kind(found.st_mode)}")
            if _is_kernels(path):
                # They show this process's own environment among other things, keys and all.
                raise FileUnread("not_a_file", f"{shown} is a file of the kernel's, on no disk")
            body = _read(descriptor)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        number = error.errno if isinstance(error, OSError) else None
        code, words = _CODES.get(number or 0, ("unreadable", "it cannot be read"))
        raise FileUnread(code, f"{shown}: {words}") from error
    if len(body) > MAX_BYTES:
        message = f"{shown} is larger than {MAX_BYTES // 1_000_000} MB"
        raise FileUnread("too_large", message)
    return LocalFile(path, body, _stamp(found), _TYPES.get(path.suffix.lower(), ""))


def _is_kernels(path: Path) -> bool:
    real = os.path.realpath(path)
    return real.startswith(("/proc/", "/sys/"))


def _read(descriptor: int) -> bytes:
    body = bytearray()
    while len(body) <= MAX_BYTES and (piece := os.read(descriptor, 1 << 20)):
        body += piece
    return bytes(body)


def _kind(mode: int) -> str:
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "no ordinary file")


def _stamp(found: os.stat_result) -> str:
    return f"{found.st_mtime_ns}-{found.st_size}-{found.st_ino}"
