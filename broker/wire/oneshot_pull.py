"""The one-shot command that pulls a site into a folder; goes with `oneshot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import anyio

from broker.wire import text_pull
from broker.wire.screen import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.pull.records import PullReport, PullRequest, PullStep
    from broker.wire.screen import Screen

LINE_EVERY = 25
"""Pages from one line of a log to the next."""
_ERASE_LINE = "\r\x1b[K"


class Pulls(Protocol):
    """The broker as this command uses it."""

    async def pull(
        self, request: PullRequest, *, progress: Callable[[PullStep], None] = ...
    ) -> PullReport:
        """The report of a pull."""
        ...


async def pull(service: Pulls, request: PullRequest, screen: Screen) -> ExitCode:
    """Pull a site and print what came of it; a person who stops it is told how to go on."""
    show = _Progress(screen)
    try:
        report = await service.pull(request, progress=show.step)
    except anyio.get_cancelled_exc_class():
        show.end()
        what = f"what was read is in {request.out}, and the same command goes on from there"
        screen.complain(f"stopped: {what if show.pulled else 'no page was pulled yet'}")
        raise
    finally:
        show.end()
    screen.show(text_pull.report_text(report), text_pull.dump_report(report))
    return _verdict(report)


class _Progress:
    """A bar that is drawn anew on a terminal, a line now and then elsewhere."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._began_s = anyio.current_time()
        self._next = LINE_EVERY
        self.pulled = 0
        """Pages in the folder, as far as was told."""

    def step(self, step: PullStep) -> None:
        """Show how far it has come."""
        self.pulled = step.pulled
        seconds = anyio.current_time() - self._began_s
        if self._screen.live:
            self._write(_ERASE_LINE + text_pull.bar_text(step, seconds, self._screen.width))
        elif step.fresh >= self._next:
            self._next = step.fresh - step.fresh % LINE_EVERY + LINE_EVERY
            self._write(f"{text_pull.step_text(step, seconds)}\n")

    def end(self) -> None:
        """Leave nothing of the bar behind."""
        if self._screen.live:
            self._write(_ERASE_LINE)

    def _write(self, text: str) -> None:
        self._screen.err.write(text)
        self._screen.err.flush()


def _verdict(report: PullReport) -> ExitCode:
    if report.pulled:
        return ExitCode.ANSWERED
    if report.refused and not report.failed:
        return ExitCode.REFUSED
    return ExitCode.FAILED if report.failed or report.stopped else ExitCode.NOTHING_FOUND
