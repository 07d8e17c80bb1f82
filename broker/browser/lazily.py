"""What the pool needs of modules that whoever only asks for its status does not load.

Each function imports on its first call, and is called in a worker thread.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from anyio.abc import TaskGroup

    from broker.browser.engine import Engine
    from broker.settings import BrowserSettings
    from broker.trace import Trace

    StartEngine = Callable[[BrowserSettings, Path, TaskGroup, Trace], Awaitable[Engine]]


def engine_starter() -> StartEngine:
    """Starts the browser that the settings ask for."""
    from broker.browser.start import start_engine  # noqa: PLC0415

    return start_engine


def load_cookies(file: Path) -> list[dict[str, Any]]:
    """What was saved, or nothing."""
    from broker.browser import cookies  # noqa: PLC0415

    return cookies.load(file)


def save_cookies(file: Path, found: list[dict[str, Any]]) -> None:
    """Save what is worth keeping of `found`, where that can be done."""
    from broker.browser import cookies  # noqa: PLC0415

    with suppress(OSError):  # where nothing can be kept, the next start is asked again
        cookies.save(file, found)


def resident_mb(group: int) -> int:
    """Memory of the browser's processes."""
    from broker.browser.process import resident_mb  # noqa: PLC0415

    return resident_mb(group)
