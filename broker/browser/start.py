"""Start the browser that the settings ask for.

Everything heavy that a browser needs is imported from here, so that whoever only answers `status`
does not load it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from broker import rundir
from broker.browser.attach import attach
from broker.browser.engine import launch
from broker.browser.find import find_browser
from broker.trace import Event

if TYPE_CHECKING:
    from pathlib import Path

    from anyio.abc import TaskGroup

    from broker.browser.engine import Engine
    from broker.settings import BrowserSettings
    from broker.trace import Trace


async def start_engine(
    settings: BrowserSettings, run_parent: Path, tasks: TaskGroup, trace: Trace
) -> Engine:
    """Launch a browser, or attach to the one the settings name.

    Args:
        settings: which one.
        run_parent: folder for the folders of launched browsers; abandoned ones are swept.
        tasks: runs what the engine needs until it is closed.
        trace: told how long it took.

    Raises:
        BrowserMissing: there is none to launch.
        BrowserUnavailable: it does not start, or does not answer.
    """
    engine: Engine
    if settings.cdp_url is not None:
        with trace.span(Event.BROWSER_ATTACH):
            engine = await attach(settings.cdp_url, run_parent, tasks)
    else:
        executable = await anyio.to_thread.run_sync(find_browser, settings.executable)
        with trace.span(Event.BROWSER_LAUNCH, executable=executable.path.name):
            engine = await launch(executable, run_parent, tasks)
    tasks.start_soon(anyio.to_thread.run_sync, rundir.sweep, run_parent)
    return engine
