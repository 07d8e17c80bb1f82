"""How the case for a wall is made: points, their reasons, and what weighs against it.

A wall's points are for what it shows; main text that the wall does not explain takes points away,
so that a few sentences about captchas are a wall and an article about them is not. `LEAST` points
make a wall. `refusals` and `gates` hold the cases. The weights were set by hand; how they hold up
is measured on saved pages, by leaving out one site at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extract.phrases import Phrases
    from extract.signs import Page

LEAST = 2.5
"""Points from which a wall is one."""

UNEXPLAINED = 450.0
"""Weight of unexplained text that takes a point: about two paragraphs."""

_NOISE = 0.1
"""Points too few to be a reason."""


@dataclass(frozen=True, slots=True)
class State:
    """What came with the page."""

    url: str
    """Empty when it is not known."""
    status: int | None
    headers: Mapping[str, str] | None
    """With lower-case names; None when they are not known."""

    @property
    def failed(self) -> bool:
        """Whether the status says so."""
        return self.status is not None and self.status >= 400  # noqa: PLR2004 - HTTP's classes


@dataclass(slots=True)
class Case:
    """The case for one kind of wall."""

    points: float = 0.0
    reasons: list[str] = field(default_factory=list)

    def add(self, points: float, reason: str) -> None:
        """Count something for or against the wall."""
        self.points += points
        self.reasons.append(reason)

    def weigh_down(self, unexplained: float) -> None:
        """Count text that the wall does not explain."""
        points = unexplained / UNEXPLAINED
        if points >= _NOISE:
            self.add(-points, f"against it: other text of weight {unexplained:.0f}")

    def add_heads(self, page: Page, phrases: Phrases, *, title: float, heading: float) -> bool:
        """Count the title and one heading; tell whether either holds one of the phrases."""
        found = False
        for points, place, heads in (
            (title, "title", page.titles),
            (heading, "heading", page.headings),
        ):
            head = page.in_heads(phrases, heads)
            if head:
                self.add(points, f'{place} "{head.strip()[:70]}"')
                found = True
        return found
