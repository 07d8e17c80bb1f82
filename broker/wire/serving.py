"""`webaio serve`: the sidecar on standard input and output, from start to end."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import anyio

from broker.service import open_broker
from broker.wire.mcp import Mcp
from broker.wire.native import Native
from broker.wire.sidecar import Sidecar
from broker.wire.stdio import claim, open_wire

if TYPE_CHECKING:
    from broker.settings import Settings


def serve(settings: Settings) -> int:
    """Serve the client on standard input and output; return the process's exit code."""
    source, sink = claim()
    return anyio.run(_serve, settings, source, sink)


async def _serve(settings: Settings, source: int, sink: int) -> int:
    async with open_wire(source, sink) as wire, open_broker(settings, warm=True) as service:
        native = Native(
            service,
            deadline_s=settings.lanes.search_deadline_s,
            fetch_deadline_s=settings.reading.fetch_deadline_s,
        )
        methods = {**native.table(), **Mcp(native).table()}
        # Inside the broker's scope: a signal while the browser is being closed is not for us.
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            return await Sidecar(wire, methods).run(signals)
