"""Waiting for what no event tells: processes and files of the operating system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable

WAIT_S = 10.0
"""Longer than anything a test waits for on the busiest machine; reached only by a failure."""


async def until(condition: Callable[[], object]) -> None:
    """Look every ten milliseconds until the condition holds.

    Raises:
        TimeoutError: it does not.
    """
    with anyio.fail_after(WAIT_S):
        while not condition():  # noqa: ASYNC110 - the kernel tells nobody
            await anyio.sleep(0.01)
