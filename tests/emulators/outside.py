"""The loopback web outside the caller's event loop: in another process, or in a thread.

Benchmarks use the process (its work must not share the loop or the interpreter under test), tests
of synchronous code the thread.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from anyio.from_thread import start_blocking_portal

from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.emulators.server import App

_REPOSITORY = Path(__file__).resolve().parents[2]


@contextmanager
def in_process(app: str = "web") -> Iterator[str]:
    """The origin of an app in a process of its own, which ends with the caller."""
    command = [sys.executable, "-m", "tests.emulators", "--app", app, "--stdin"]
    with subprocess.Popen(  # noqa: S603 (our own module)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_REPOSITORY
    ) as process:
        yield process.stdout.readline().strip() if process.stdout else ""


@contextmanager
def in_thread(app: App) -> Iterator[LoopbackServer]:
    """A server for an app, on an event loop in a thread."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(LoopbackServer(app)) as server,
    ):
        yield server
