"""webaio: a search broker that coding agents keep at their side.

async with broker.open(settings) as b:
    answer = await b.search("free threading", max=25)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broker.api import open  # noqa: A004 - `broker.open`, as files are opened
    from broker.settings import Settings

__all__ = ["Settings", "open"]


def __getattr__(name: str) -> object:
    # The sidecar's first answer waits for this package's import and for nothing it does not need.
    if name == "open":
        from broker import api  # noqa: PLC0415

        return api.open
    if name == "Settings":
        from broker import settings  # noqa: PLC0415

        return settings.Settings
    raise AttributeError(f"module 'broker' has no attribute {name!r}")
