"""Run the loopback web as a process of its own: `python -m tests.emulators [--port N] [--json]`.

Prints its origin as the first line, then serves until SIGINT, SIGTERM, or, with `--stdin`, the end
of standard input (so that it never outlives the process that started it).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys

import anyio

from tests.emulators.server import LoopbackServer
from tests.emulators.sites import APPS, make


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.emulators")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--app", choices=APPS, default="web")
    parser.add_argument("--json", action="store_true", help="print an object, not just the origin")
    parser.add_argument("--stdin", action="store_true", help="end when standard input ends")
    args = parser.parse_args()
    anyio.run(_run, args.app, args.port, args.json, args.stdin)


async def _run(app: str, port: int, as_json: bool, until_eof: bool) -> None:
    async with LoopbackServer(make(app), port=port) as server, anyio.create_task_group() as group:
        line = (
            json.dumps({"origin": server.origin, "pid": os.getpid()}) if as_json else server.origin
        )
        try:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # whoever wanted to know has gone
            return
        if until_eof:
            group.start_soon(_cancel_at_eof, group.cancel_scope)
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                group.cancel_scope.cancel()
                break


async def _cancel_at_eof(scope: anyio.CancelScope) -> None:
    while True:
        await anyio.wait_readable(0)
        if not os.read(0, 4096):
            break
    scope.cancel()


if __name__ == "__main__":
    main()
