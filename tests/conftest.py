"""What every test can ask for: the event loop's kind, a watch on blocking calls, the corpus."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from blockbuster import BlockBuster

import broker
from tests.clock import VirtualClock

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent

VIRTUAL_CLOCK = "virtual_clock"
MAY_BLOCK = "may_block"

ALLOWED_TO_BLOCK = (
    # Imports on first use: once per process.
    ("<frozen importlib._bootstrap>", "_find_and_load"),
    ("importlib/metadata/__init__.py", "version"),
    ("broker/browser/tab.py", "_watcher_source"),
    # Reads and writes only what the kernel has said it would take at once.
    ("broker/wire/stdio.py", "receive"),
    ("broker/wire/stdio.py", "_write_now"),
    ("broker/trace_sinks.py", "write"),
)
"""(end of the file's path, function) below which a call may block the loop, and why."""


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts what runs in its background with the interrupt ignored, and that is inherited.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line(
        "markers",
        f"{VIRTUAL_CLOCK}: waits end at once, on trio's clock; not for real sockets or browsers",
    )
    config.addinivalue_line("markers", f"{MAY_BLOCK}: the broker may block the loop; say why")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker(VIRTUAL_CLOCK) is not None:
        metafunc.parametrize("anyio_backend", [VIRTUAL_CLOCK], indirect=True, ids=["virtual"])


@pytest.fixture(scope="module")
def anyio_backend(request: pytest.FixtureRequest) -> str | tuple[str, dict[str, object]]:
    """asyncio, as in production; trio's jumping clock for tests marked `virtual_clock`."""
    if getattr(request, "param", None) == VIRTUAL_CLOCK:
        return "trio", {"clock": VirtualClock()}
    return "asyncio"


@pytest.fixture(autouse=True)
def no_blocking(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails an async test in which `broker` blocks the event loop: waits, files, sockets.

    Only calls that `broker` is at the root of count: test code may read its own files.
    """
    marked = request.node.get_closest_marker(MAY_BLOCK) is not None
    if marked or "anyio_backend" not in request.fixturenames:
        yield
        return
    watch = BlockBuster(scanned_modules=[broker])
    del watch.functions["threading.Lock.acquire"]  # anyio's worker threads take one, for no time
    for function in watch.functions.values():
        for file, name in ALLOWED_TO_BLOCK:
            function.can_block_in(file, name)
    watch.activate()
    yield
    watch.deactivate()


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The shared pages and their expected readings; tests are skipped where it is not at hand."""
    folder = Path(os.environ.get("WEBAIO_CORPUS") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no corpus at {folder}; WEBAIO_CORPUS names its folder")
    return folder
