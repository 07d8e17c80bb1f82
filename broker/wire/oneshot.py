"""The one-shot commands that ask the broker: search and status.

Results are printed inside the broker's own scope, so that no answer waits for a browser to close.
What the broker refuses to do is raised, and told by `Screen.fail`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio

from broker.service import open_broker
from broker.wire import replies, text
from broker.wire.screen import ExitCode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from broker.models import Answer, Progress, SearchRequest
    from broker.settings import Settings
    from broker.wire.native import Service
    from broker.wire.screen import Screen

_ERASE_LINE = "\r\x1b[K"


def run(settings: Settings, ask: Callable[[Service], Awaitable[ExitCode]]) -> ExitCode:
    """Open a broker for one question and close it again."""

    async def main() -> ExitCode:
        async with open_broker(settings, warm=False) as service:
            return await ask(service)

    return anyio.run(main)


async def search(service: Service, request: SearchRequest, screen: Screen) -> ExitCode:
    """Search and print the answers."""
    with _progress_line(screen, len(request.queries)) as tell:
        answers = await service.search(request, progress=tell)
    screen.show(text.answers_text(answers, screen.width), replies.dump_answers(answers))
    return _verdict(answers)


async def status(service: Service, screen: Screen) -> ExitCode:
    """Print what works and what does not."""
    state = await service.status()
    screen.show(text.status_text(state), replies.dump_status(state))
    return ExitCode.ANSWERED


@contextmanager
def _progress_line(screen: Screen, queries: int) -> Iterator[Callable[[Progress], None]]:
    """One line on the terminal that each step writes anew, and that is gone in the end."""

    def write(line: str) -> None:
        if screen.live:
            screen.err.write(_ERASE_LINE + line)
            screen.err.flush()

    try:
        yield lambda progress: write(text.progress_text(progress, queries, screen.width))
    finally:
        write("")


def _verdict(answers: Sequence[Answer]) -> ExitCode:
    if any(answer.hits for answer in answers):
        return ExitCode.ANSWERED
    understood = any(text.is_understood(answer) for answer in answers)
    return ExitCode.NOTHING_FOUND if understood else ExitCode.FAILED
