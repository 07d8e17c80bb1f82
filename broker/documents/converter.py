"""Files to documents, each in a process of its own.

A converter that crashes, never ends or takes all the memory costs its document and nothing else:
its process is bounded (`worker`), and killed with all it has started when the answer is there, the
time is up, or nobody waits for it any more. It shares nothing with the broker but one pipe for its
answer and one that tells it that the broker is gone.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.documents.failures import Unconverted
from broker.documents.records import MAX_ANSWER_BYTES, unpacked
from broker.rundir import RunDir, sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.deadline import Deadline
    from broker.documents.records import Converted

AT_ONCE = 2
COMMAND = (sys.executable, "-P", "-m", "broker.documents.worker")
LONGEST_S = 300.0
"""Of one conversion, however much time there is."""
_MARGIN_S = 0.25
"""The child is told to be done so much sooner."""
_EXIT_GRACE_S = 2.0
_CHUNK = 1 << 18

_KEPT = ("HOME", "LD_LIBRARY_PATH", "PATH", "TESSDATA_PREFIX")
_GIVEN = {
    "LANG": "C.UTF-8",
    "MALLOC_ARENA_MAX": "2",  # each thread's arena takes address space, which is bounded
    "OMP_THREAD_LIMIT": "1",  # Tesseract's threads are slower than one where several pages wait
    "RAYON_NUM_THREADS": "2",
    "TOKIO_WORKER_THREADS": "2",
}


@dataclass(frozen=True, slots=True)
class _Child:
    """A running conversion."""

    popen: subprocess.Popen[bytes]
    folder: RunDir
    answer: int
    """What it writes is read here, without ever blocking."""
    alive: int
    """Held open as long as we live."""

    def end(self) -> int:
        """Kill what is left of it and delete its folder; returns how it had ended. Blocks."""
        try:
            self.popen.wait(_EXIT_GRACE_S if self.popen.returncode is None else 0)
        except subprocess.TimeoutExpired:
            self.kill()
        with suppress(ProcessLookupError):  # what it had started may still run
            os.killpg(self.popen.pid, signal.SIGKILL)
        code = self.popen.wait()
        os.close(self.answer)
        os.close(self.alive)
        self.folder.remove()
        return code

    def kill(self) -> None:
        """End it and all it has started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)


class Converter:
    """Converts files; safe for any number at once, of which two are under way.

    Args:
        run_parent: folder for the folders of conversions, which last as long as these.
        command: what is started for each, with the arguments of `worker`.
    """

    def __init__(self, run_parent: Path, command: Sequence[str] = COMMAND) -> None:
        self._run_parent = run_parent
        self._command = tuple(command)
        self._slots = anyio.Semaphore(AT_ONCE)
        self._swept = False

    async def convert(self, body: bytes, deadline: Deadline) -> Converted:
        """The document in `body`. Whoever calls enforces the deadline.

        Raises:
            Unconverted: there is none, and this is why.
        """
        async with self._slots:
            if not self._swept:
                self._swept = True
                await anyio.to_thread.run_sync(sweep, self._run_parent)
            seconds = min(LONGEST_S, max(0.1, deadline.remaining_s() - _MARGIN_S))
            with anyio.CancelScope(shield=True):  # what is started is ended below
                child = await anyio.to_thread.run_sync(self._start, body, seconds)
            answer: bytes | None = None
            try:
                answer = await _read(child.answer)
            finally:
                if answer is None:
                    child.kill()
                with anyio.CancelScope(shield=True):
                    code = await anyio.to_thread.run_sync(child.end)
        if not answer:
            raise Unconverted("conversion_failed", _why(code))
        return await anyio.to_thread.run_sync(unpacked, answer)

    def _start(self, body: bytes, seconds: float) -> _Child:
        """The child at work, in the home or, where that takes nothing, in the temporary folder."""
        try:
            return self._started_in(self._run_parent, body, seconds)
        except OSError as error:
            try:
                return self._started_in(_spare_parent(), body, seconds)
            except OSError:
                message = f"no process can be started in {self._run_parent}: {error.strerror}"
                raise Unconverted("conversion_failed", message) from error

    def _started_in(self, parent: Path, body: bytes, seconds: float) -> _Child:
        folder = RunDir.create(parent)
        try:
            return _spawn(self._command, folder, body, seconds)
        except BaseException:
            folder.remove()
            raise


def _spare_parent() -> Path:
    """A folder of this user's own among the temporary ones, whoever else may write there.

    Raises:
        OSError: there is none.
    """
    parent = Path(tempfile.gettempdir()) / f"webaio-{os.getuid()}"
    parent.mkdir(mode=0o700, exist_ok=True)
    found = parent.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(errno.EACCES, f"{parent} is not this user's alone")
    return parent


async def _read(descriptor: int) -> bytes:
    """All that the child answers.

    Raises:
        Unconverted: it is more than an answer may be.
    """
    answer = bytearray()
    while True:
        await anyio.wait_readable(descriptor)
        try:
            piece = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            continue
        if not piece:
            return bytes(answer)
        answer += piece
        if len(answer) > MAX_ANSWER_BYTES:
            raise Unconverted("too_large", "its text is longer than what is read")


def _spawn(command: Sequence[str], folder: RunDir, body: bytes, seconds: float) -> _Child:
    opened: list[int] = []
    try:
        given = os.open(folder.path / "input", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(given, "wb") as out:
            out.write(body)
        answer, to_us = os.pipe()
        opened += [answer, to_us]
        watched, alive = os.pipe()
        opened += [watched, alive]
        popen = subprocess.Popen(  # noqa: S603 - our own program
            [*command, str(folder.path), f"{seconds:.2f}", str(watched)],
            stdin=subprocess.DEVNULL,
            stdout=to_us,
            stderr=subprocess.DEVNULL,
            pass_fds=(watched,),
            start_new_session=True,
            env=_environment(folder.path),
        )
    except OSError:
        for descriptor in opened:
            os.close(descriptor)
        raise
    os.close(to_us)
    os.close(watched)
    os.set_blocking(answer, False)
    return _Child(popen, folder, answer, alive)


def _environment(folder: Path) -> dict[str, str]:
    """What the child is told: where things are, and no secret."""
    environment = os.environ  # noqa: TID251 - handed on to the child, not read
    kept = {name: environment[name] for name in _KEPT if name in environment}
    package = str(Path(__file__).resolve().parents[2])
    return {**kept, **_GIVEN, "PYTHONPATH": package, "TMPDIR": str(folder)}


def _why(code: int) -> str:
    """What is told of a child that ended without a word."""
    if -code == signal.SIGXCPU:
        return "converting it takes more time than it may"
    if code < 0:
        return (
            f"the converter was ended by signal {-code}: the file is damaged, or takes more memory "
            "than it may"
        )
    return f"the converter ended with status {code}"
