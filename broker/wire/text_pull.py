"""A pull for a person at a terminal: the bar while it runs, and the summary; with its JSON."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from broker.wire.text import clean, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broker.pull.records import PullReport, PullStep, Trouble

_BAR_COLUMNS = 24
_SHOWN = 10
"""Most addresses of one kind in the summary; the manifest has them all."""


def bar_text(step: PullStep, seconds: float, width: int) -> str:
    """One line of the terminal: how far it has come, how fast, and what was read last."""
    filled = round(_BAR_COLUMNS * step.pulled / max(1, step.known))
    bar = "█" * filled + "░" * (_BAR_COLUMNS - filled)
    line = f"{bar} {step_text(step, seconds)} {clean(step.url)}"
    return line[: max(width - 1, 20)].rstrip()


def step_text(step: PullStep, seconds: float) -> str:
    """The same in words, for a log; `seconds` are those since the run began."""
    rate = step.fresh / seconds if seconds > 0 else 0.0
    failed = f", {step.failed} failed" if step.failed else ""
    return f"{step.pulled}/{step.known} pages{failed}, {rate:.1f}/s"


def report_text(report: PullReport) -> str:
    """The summary."""
    return "\n".join(_lines(report)) + "\n"


def dump_report(report: PullReport) -> dict[str, object]:
    """The summary as JSON."""
    return {
        "url": report.url,
        "dir": report.out,
        "pulled": report.pulled,
        "added": report.added,
        "aliases": report.aliases,
        "left": report.left,
        "trapped": report.trapped,
        "skipped": _dump(report.skipped),
        "refused": _dump(report.refused),
        "failed": _dump(report.failed),
        "stopped": report.stopped or None,
        "notes": list(report.notes),
        "ms": report.ms,
    }


def _lines(report: PullReport) -> Iterator[str]:
    if report.pulled:
        pages = counted(report.pulled, "page")
        yield f"{pages} in {clean(report.out)} ({report.added} of them new)"
    else:
        yield f"no page was pulled, and there is none in {clean(report.out)}"
    if report.aliases:
        yield counted(report.aliases, "further address leads", "further addresses lead") + (
            " to the same pages"
        )
    if report.left:
        left = counted(report.left, "known page was", "known pages were")
        yield f"{left} not read" + ("" if report.stopped else ": a larger --max goes on with them")
    for what, troubles in (
        ("failed", report.failed),
        ("refused", report.refused),
        ("skipped", report.skipped),
    ):
        yield from _troubles(what, troubles)
    for note in report.notes:
        yield clean(f"note: {note}")
    if report.stopped:
        how = "goes on" if report.pulled else "begins again"
        yield clean(f"stopped: {report.stopped}; the same command {how}")


def _troubles(what: str, troubles: Sequence[Trouble]) -> Iterator[str]:
    if not troubles:
        return
    yield f"{len(troubles)} {what}:"
    for trouble in islice(troubles, _SHOWN):
        yield clean(f"- {trouble.url}: {trouble.reason}")
    if len(troubles) > _SHOWN:
        yield f"- and {len(troubles) - _SHOWN} more"


def _dump(troubles: Sequence[Trouble]) -> list[dict[str, str]]:
    return [{"url": each.url, "code": each.code, "reason": each.reason} for each in troubles]
