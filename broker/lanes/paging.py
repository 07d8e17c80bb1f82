"""Which result page is asked for next. Decides; asks nobody.

Pages are started in order while the hits in hand, plus ten for each page on its way, are too few.
A page without new hits, one without a successor, or a wall ends the paging.
"""

from __future__ import annotations

import math
from enum import Enum, auto
from typing import TYPE_CHECKING

from broker.fusion import url_identity
from broker.models import SerpState

if TYPE_CHECKING:
    from broker.models import Serp

PAGE_HITS = 10
"""Results a page stands for; `start` counts in these even where a page holds fewer."""

_ENOUGH = 0.9
"""A page often has nine results for the ten it stands for: this share of what was asked for is
not worth another request."""

_FEW = 7
"""A first page with fewer hits and no link to a second is all there is; with more, the links may
just not be there, and the second page is tried."""

_LAST_PAGE = 12


class Arrival(Enum):
    """What a page did to the paging."""

    NEW = auto()
    REPEAT = auto()
    """Every hit was known already: the provider has started over."""
    LAST = auto()


class PagePlan:
    """The pages of one query."""

    def __init__(self, max_hits: int) -> None:
        self._enough = math.ceil(max_hits * _ENOUGH)
        self._known: set[str] = set()
        self._next = 2
        self._under_way = 0
        self._links: dict[int, str] = {}
        self.ended = False
        """Nothing more is to be had, or to be asked for."""
        self.in_flight_limit: int | None = None
        """Set to 1 when page 1 has no links to further pages, which may mean there are none."""

    def start_next(self) -> int | None:
        """The number of the page to ask for now, which is then under way; None for none."""
        expected = len(self._known) + PAGE_HITS * self._under_way
        if self.ended or expected >= self._enough or self._next > _LAST_PAGE:
            return None
        self._under_way += 1
        self._next += 1
        return self._next - 1

    def link(self, number: int) -> str | None:
        """The page's own link to page `number`, where page 1 has one."""
        return self._links.get(PAGE_HITS * (number - 1))

    def arrive(self, number: int, serp: Serp, *, whole: bool = True) -> Arrival:
        """Take a page that was read; one that is not `whole` says nothing about its successors."""
        if number == 1:
            self._links = dict(serp.page_urls)
            if serp.next_url is not None:
                self._links.setdefault(PAGE_HITS, serp.next_url)
        else:
            self._under_way -= 1
        identities = {url_identity(hit.url) for hit in serp.hits}
        repeats = number > 1 and bool(identities) and identities <= self._known
        self._known |= identities
        if repeats:
            self.ended = True
            return Arrival.REPEAT
        if whole and self._is_last(number, serp):
            self.ended = True
            return Arrival.LAST
        return Arrival.NEW

    def fail(self, *, walled: bool) -> None:
        """A page was lost. It still counts as under way, so that no page is asked in its stead."""
        self.ended = self.ended or walled

    def _is_last(self, number: int, serp: Serp) -> bool:
        if serp.state is SerpState.NO_RESULTS:
            return True
        offset = PAGE_HITS * (number - 1)
        if serp.next_url is not None or any(start > offset for start, _ in serp.page_urls):
            return False
        if number == 1 and len(serp.hits) >= _FEW:
            self.in_flight_limit = 1
            return False
        return True
