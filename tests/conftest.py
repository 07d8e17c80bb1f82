"""What every test can ask for: the event loop's kind, a watch on blocking calls, the corpus."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from blockbuster import BlockBuster, blockbuster_ctx
from trio.testing import MockClock

import broker

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent

VIRTUAL_CLOCK = "virtual_clock"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{VIRTUAL_CLOCK}: waits end at once, on trio's clock; not for real sockets or browsers",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker(VIRTUAL_CLOCK) is not None:
        metafunc.parametrize("anyio_backend", [VIRTUAL_CLOCK], indirect=True, ids=["virtual"])


@pytest.fixture(scope="module")
def anyio_backend(request: pytest.FixtureRequest) -> str | tuple[str, dict[str, object]]:
    """asyncio, as in production; trio's jumping clock for tests marked `virtual_clock`."""
    if getattr(request, "param", None) == VIRTUAL_CLOCK:
        return "trio", {"clock": MockClock(autojump_threshold=0)}
    return "asyncio"


@pytest.fixture
def no_blocking() -> Iterator[BlockBuster]:
    """Fails a test in which the broker blocks the event loop: waits, files, sockets.

    Only calls made by `broker` count, so that test code may read its own files. Ask for it where
    a whole path runs in the loop: `pytestmark = pytest.mark.usefixtures("no_blocking")`.
    """
    with blockbuster_ctx(scanned_modules=[broker]) as watch:
        yield watch


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The shared pages and their expected readings; tests are skipped where it is not at hand."""
    folder = Path(os.environ.get("WEBAIO_CORPUS") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no corpus at {folder}; WEBAIO_CORPUS names its folder")
    return folder
