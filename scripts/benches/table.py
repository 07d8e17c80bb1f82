"""A measured figure beside what it is to be compared with, and the table of them."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    what: str
    measured: float
    unit: str
    target: str
    floor: float | None = None
    """What the same work costs at least, or costs a peer, in the same unit and the same run."""
    floor_name: str = ""
    note: str = ""
    digits: int | None = None
    """Decimals to print; None for as many as a time of that size deserves."""

    def cells(self) -> tuple[str, ...]:
        """The row as it is printed."""
        floor = "-" if self.floor is None else f"{self.floor_name}: {self._number(self.floor)}"
        ratio = "-" if not self.floor else f"{self.measured / self.floor:.2f}"
        measured = f"{self._number(self.measured)} {self.unit}".strip()
        return self.what, measured, self.target, floor, ratio, self.note

    def _number(self, value: float) -> str:
        if self.digits is not None:
            return f"{value:.{self.digits}f}"
        return f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"  # noqa: PLR2004


HEAD = ("what", "measured", "target", "floor or peer", "ratio", "note")


def median(values: Sequence[float]) -> float:
    """The middle value; all figures of a bench are medians unless they say otherwise."""
    return statistics.median(values)


def show(rows: Sequence[Row], *, markdown: bool) -> str:
    """The table as aligned text or as Markdown."""
    table = [HEAD, *(row.cells() for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
        for line in table
    ]
    if markdown:
        lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
