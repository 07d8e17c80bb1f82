"""What a pull has come to, out of its manifest and the walk's last word. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.pull.records import PullReport, Status, Trouble
from broker.redact import safe_url

if TYPE_CHECKING:
    from broker.pull.state import Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a walk stands."""

    before: int
    """Pages that were there when it began."""
    left: int
    """Pages that are known, may be read, and have no entry."""
    trapped: int
    stopped: str
    notes: tuple[str, ...]


def report_of(manifest: Manifest, standing: Standing, *, ms: int) -> PullReport:
    """The report of a run that took `ms` milliseconds."""
    pulled = len(manifest.pulled())
    return PullReport(
        url=manifest.url,
        out=str(manifest.folder.path),
        pulled=pulled,
        added=pulled - standing.before,
        aliases=sum(entry.status is Status.ALIAS for entry in manifest.entries.values()),
        skipped=_troubles(manifest, Status.SKIPPED),
        refused=_troubles(manifest, Status.REFUSED),
        failed=_troubles(manifest, Status.FAILED),
        left=standing.left,
        trapped=standing.trapped,
        stopped=standing.stopped,
        notes=standing.notes,
        ms=ms,
    )


def _troubles(manifest: Manifest, status: Status) -> tuple[Trouble, ...]:
    return tuple(
        Trouble(url=safe_url(entry.url), code=entry.code, reason=entry.reason)
        for entry in manifest.entries.values()
        if entry.status is status
    )
