"""The one-shot commands that ask the broker: search, fetch, read, recall and status.

Results are printed inside the broker's own scope, so that no answer waits for a browser to close.
What the broker refuses to do is raised, and told by `Screen.fail`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio

from broker.reading.failures import Unstored
from broker.service import open_broker
from broker.wire import (
    replies,
    replies_passages,
    replies_reading,
    text,
    text_passages,
    text_reading,
)
from broker.wire.screen import ExitCode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence
    from pathlib import Path

    from broker.models import Answer, Progress, SearchRequest
    from broker.reading.records import FetchRequest, Page, ReadRequest, Recalled, RecallRequest
    from broker.service import Broker
    from broker.settings import Settings
    from broker.wire.native import Service
    from broker.wire.screen import Screen

_ERASE_LINE = "\r\x1b[K"


def run(settings: Settings, ask: Callable[[Broker], Awaitable[ExitCode]]) -> ExitCode:
    """Open a broker for one question and close it again."""

    async def main() -> ExitCode:
        async with open_broker(settings, warm=False) as service:
            return await ask(service)

    return anyio.run(main)


async def search(service: Service, request: SearchRequest, screen: Screen) -> ExitCode:
    """Search and print the answers."""
    queries = len(request.queries)
    with _progress_line(
        screen, lambda step: text.progress_text(step, queries, screen.width)
    ) as tell:
        answers = await service.search(request, progress=tell)
    screen.show(text.answers_text(answers, screen.width), replies.dump_answers(answers))
    return _verdict(answers)


async def fetch(service: Service, request: FetchRequest, screen: Screen) -> ExitCode:
    """Read pages and files and print them, or what in them answers the request's query."""
    count = len(request.sources)
    with _progress_line(screen, lambda s: text_reading.step_text(s, count, screen.width)) as tell:
        if request.query is not None:
            pool = await service.pool(request, progress=tell)
            screen.show(text_passages.pooled_text(pool), replies_passages.dump_pooled(pool))
            _complain(pool.pages, screen)
            return ExitCode.ANSWERED if pool.passages else _how_read(pool.pages)
        pages = await service.fetch(request, progress=tell)
    readable = text_reading.pages_text(pages, failures=False)
    screen.show(readable, replies_reading.dump_pages(pages))
    _complain(pages, screen)
    return _how_read(pages)


async def read(service: Service, request: ReadRequest, screen: Screen) -> ExitCode:
    """Print a part of a document that was read before."""
    try:
        page = await service.read(request)
    except Unstored as error:
        screen.complain(error.message)
        return ExitCode.NOTHING_FOUND
    screen.show(text_reading.pages_text([page]), replies_reading.dump_pages([page]))
    return _how_read([page])


async def recall(service: Service, request: RecallRequest, screen: Screen) -> ExitCode:
    """Print the passages of everything that was read that answer a query."""
    return _show_recalled(await service.recall(request), screen)


def recall_in(folder: Path, request: RecallRequest, settings: Settings, screen: Screen) -> ExitCode:
    """Print the passages of a folder's Markdown files that answer a query; needs no broker."""
    from broker.pull.folder import recalled  # noqa: PLC0415 - what only this needs

    return _show_recalled(recalled(folder, request, settings.reading.answer_kb * 1000), screen)


def _show_recalled(recalled: Recalled, screen: Screen) -> ExitCode:
    screen.show(text_passages.recalled_text(recalled), replies_passages.dump_recalled(recalled))
    return ExitCode.ANSWERED if recalled.passages else ExitCode.NOTHING_FOUND


async def status(service: Service, screen: Screen) -> ExitCode:
    """Print what works and what does not."""
    state = await service.status()
    rows = text_reading.reading_rows(state.reading)
    screen.show(text.status_text(state, rows), replies.dump_status(state))
    return ExitCode.ANSWERED


def _complain(pages: Sequence[Page], screen: Screen) -> None:
    """Tell what was not read where nobody takes it for a result; JSON says it itself."""
    for line in () if screen.as_json else text_reading.failure_lines(pages):
        screen.complain(line)


@contextmanager
def _progress_line(
    screen: Screen, shown: Callable[[Progress], str]
) -> Iterator[Callable[[Progress], None]]:
    """One line on the terminal that each step writes anew, and that is gone in the end."""

    def write(line: str) -> None:
        if screen.live:
            screen.err.write(_ERASE_LINE + line)
            screen.err.flush()

    try:
        yield lambda progress: write(shown(progress))
    finally:
        write("")


def _verdict(answers: Sequence[Answer]) -> ExitCode:
    if any(answer.hits for answer in answers):
        return ExitCode.ANSWERED
    understood = any(text.is_understood(answer) for answer in answers)
    return ExitCode.NOTHING_FOUND if understood else ExitCode.FAILED


def _how_read(pages: Sequence[Page]) -> ExitCode:
    read = [page for page in pages if page.error is None]
    if read:
        nothing = all(page.finds == () or page.passages == 0 for page in read)
        return ExitCode.NOTHING_FOUND if nothing else ExitCode.ANSWERED
    if all(page.refused for page in pages):
        return ExitCode.REFUSED
    wrong = all(page.error is not None and page.error.code == "invalid_request" for page in pages)
    return ExitCode.USAGE if wrong else ExitCode.FAILED
