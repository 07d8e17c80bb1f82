"""The walk over a site: what is known is read, what is read makes more known.

What is done is asked for no more, in this run or a later one. Several pages are under way at once,
as many as their host's schedule lets; whoever takes a page has taken it for all.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.errors import RequestInvalid
from broker.pull import robots
from broker.pull.disk import Unwritable
from broker.pull.frontier import LISTED, Frontier, Spot
from broker.pull.harvest import AT_ONCE, Harvest
from broker.pull.leg import CUT_OFF, Moved
from broker.pull.records import PullStep, Status
from broker.pull.report import Standing
from broker.pull.scope import Place, Scope
from broker.pull.site import Survey
from broker.pull.state import Entry
from broker.redact import safe_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.context import RequestContext
    from broker.pull.harvest import Means
    from broker.pull.state import Manifest

MAX_MOVES = 5
MAX_IN_VAIN = 20
"""So many pages in a row that the site does not let this run have end it."""
_SHUT = frozenset({"bot_challenge", "http_403"})
MAX_REFUSED = 1000
"""Addresses that robots.txt forbids, as far as they are told of."""


class Walk:
    """One run of a pull.

    Args:
        ctx: the request it is for.
        means: what it works with.
        manifest: what is done; nobody else writes to it.
        max_pages: most pages in the folder.
        tell: told of each step; must not block.
    """

    def __init__(
        self,
        ctx: RequestContext,
        means: Means,
        manifest: Manifest,
        *,
        max_pages: int,
        tell: Callable[[PullStep], None],
    ) -> None:
        self._ctx = ctx
        self._means = means
        self._manifest = manifest
        self._max = max_pages
        self._tell = tell
        self.stopped = ""
        """Why it ended early."""
        self._notes: list[str] = []
        self._before = self._pulled = len(manifest.pulled())
        self._failed = 0
        self._in_vain = 0
        self._active = 0
        self._changed = anyio.Event()
        self._halves: list[Spot] = []
        """Pages that broke off, and have not been asked for again in this run."""
        self._retried: set[str] = set()
        self._broken: Unwritable | None = None
        self._harvest: Harvest | None = None

    async def run(self, url: str) -> None:
        """Read everything that belongs to the pull that begins at `url`.

        Raises:
            Refused: our policy forbids the site's address.
            RequestInvalid: it is no address of a page.
            Unwritable: the folder cannot be written.
        """
        known = self._manifest.scope
        if known is None:
            harvest = await self._begun(url)
        else:
            harvest = await self._at(known)
            self._recall(harvest)
        if not self.stopped:
            await self._list(harvest)
        self._step("")
        await self._read(harvest)
        while self._halves and not self.stopped and self._pulled < self._max:
            self._take_up_halves(harvest)
            await self._read(harvest)
        if self._broken is not None:
            raise self._broken

    async def note_refused(self) -> None:
        """Remember what robots.txt forbids, of what was come by."""
        if (harvest := self._harvest) is None or harvest.robots.forbidden:
            return
        refused = harvest.frontier.refused
        if (further := len(refused) - MAX_REFUSED) > 0:
            self._notes.append(f"robots.txt forbids {further} addresses more than are told of")
        entries = [
            Entry(
                key=place.key,
                url=place.url,
                status=Status.REFUSED,
                code="robots",
                reason="robots.txt forbids it",
                again=True,
            )
            for place in islice(refused.values(), MAX_REFUSED)
            if place.key not in self._manifest.entries
        ]
        await harvest.remember(entries)

    def standing(self) -> Standing:
        """How it stands."""
        harvest = self._harvest
        asked = harvest is not None and not harvest.robots.forbidden
        frontier = harvest.frontier if harvest is not None and asked else self._known()
        of_pages = [] if self._harvest is None else self._harvest.notes
        traps = [] if frontier is None else [_trap(*each) for each in frontier.traps()]
        return Standing(
            before=self._before,
            left=1 if frontier is None else frontier.left(self._manifest.entries),
            trapped=0 if frontier is None else frontier.trapped,
            stopped=self.stopped,
            notes=(*self._manifest.notes, *self._notes, *of_pages, *traps),
        )

    # --- before the walk -----------------------------------------------------------------------

    async def _begun(self, url: str) -> Harvest:
        """The site of the first page, which is read and may turn out to be elsewhere."""
        scope = Scope.of(url)
        for _ in range(MAX_MOVES):
            harvest = await self._at(scope)
            if harvest.frontier.offer(url, 0) is None:
                raise RequestInvalid(f"{safe_url(url)} is a file and no page", field="url")
            spot = harvest.frontier.take()
            if spot is None:  # robots.txt forbids it, and may yet let others be read
                if not harvest.robots.forbidden:
                    await harvest.begin(url)
                return harvest
            try:
                self._note(await harvest.visit(spot, first=True))
            except Moved as moved:
                url, scope = moved.location, scope.moved(moved.location)
            else:
                return harvest
        raise RequestInvalid(f"{safe_url(url)} leads on from host to host", field="url")

    async def _at(self, scope: Scope) -> Harvest:
        """Be at a site, and know its rules."""
        ctx = self._means.page(self._ctx)
        rules = await robots.load(ctx, self._means.pages, scope.origin)
        self.stopped = rules.forbidden
        self._harvest = Harvest(self._ctx, self._means, self._manifest, scope, rules)
        return self._harvest

    def _recall(self, harvest: Harvest) -> None:
        """Know again what an earlier run knew, and what it is done with."""
        self._offer_known(harvest.frontier)
        for entry in self._manifest.entries.values():
            if entry.file:
                harvest.layout.keep(entry.file, entry.key)
            if not entry.again:
                harvest.frontier.claim(entry.key)

    def _offer_known(self, frontier: Frontier) -> None:
        frontier.offer(self._manifest.begin, 0)
        for entry in self._manifest.entries.values():
            if entry.words:
                frontier.heard(_spot(entry), entry.words)
        for entry in self._manifest.entries.values():
            spot = _spot(entry)
            frontier.offer(entry.url, entry.depth)
            for url in entry.found:
                frontier.offer(url, entry.depth + 1, after=spot)
        for url in self._manifest.listed or ():
            frontier.offer(url, LISTED)

    async def _list(self, harvest: Harvest) -> None:
        """Know what the site lists."""
        listed = self._manifest.listed
        if listed is None:
            scope, rules = harvest.frontier.scope, harvest.robots
            survey = Survey(self._ctx, self._means, scope, rules)
            listed = await survey.listed()
            self._notes += survey.notes
            if survey.complete:
                await harvest.remember_listed(listed)
        for url in listed:
            harvest.frontier.offer(url, LISTED)

    def _known(self) -> Frontier | None:
        """What the record tells of; None where that is not even where the pull begins."""
        scope = self._manifest.scope
        if scope is None:
            return None
        frontier = Frontier(scope, lambda _: True)
        self._offer_known(frontier)
        return frontier

    # --- the walk ------------------------------------------------------------------------------

    async def _read(self, harvest: Harvest) -> None:
        """Read what waits, and what it leads to."""
        async with anyio.create_task_group() as tasks:
            for _ in range(AT_ONCE):
                tasks.start_soon(self._work, harvest)

    def _take_up_halves(self, harvest: Harvest) -> None:
        """Have the pages that broke off wait again, each once in a run."""
        self._failed -= len(self._halves)
        for spot in self._halves:
            self._retried.add(spot.place.key)
            harvest.frontier.put_back(spot)
        self._halves.clear()

    async def _work(self, harvest: Harvest) -> None:
        while (spot := await self._next(harvest)) is not None:
            entry = None
            try:
                entry = await harvest.visit(spot)
            except Unwritable as error:
                self._broken, self.stopped = error, error.message
            self._active -= 1
            if entry is not None:
                self._note(entry)
            self._changed.set()
            self._changed = anyio.Event()

    async def _next(self, harvest: Harvest) -> Spot | None:
        """A page to read, as soon as there is one; None when there will be no more."""
        while not self.stopped:
            if self._pulled + self._active < self._max:
                spot = harvest.frontier.take()
                if spot is not None:
                    self._active += 1
                    return spot
            if not self._active:
                break
            await self._changed.wait()
        return None

    def _note(self, entry: Entry) -> None:
        """Count a page, and stop where there is no use in going on."""
        self._pulled += entry.status is Status.PULLED
        self._failed += entry.status is Status.FAILED
        if entry.code == CUT_OFF and entry.key not in self._retried:
            self._halves.append(_spot(entry))
        in_vain = entry.again or entry.code in _SHUT
        self._in_vain = self._in_vain + 1 if in_vain else 0
        if self._in_vain >= MAX_IN_VAIN:
            self.stopped = f"the site has given no page {MAX_IN_VAIN} times in a row"
        self._step(safe_url(entry.url))

    def _step(self, url: str) -> None:
        waiting = 0 if self._harvest is None else len(self._harvest.frontier)
        self._tell(
            PullStep(
                pulled=self._pulled,
                fresh=self._pulled - self._before,
                known=min(max(self._max, self._pulled), self._pulled + self._active + waiting),
                failed=self._failed,
                url=url,
            )
        )


def _spot(entry: Entry) -> Spot:
    return Spot(Place(entry.key, entry.url), entry.depth, entry.steps)


def _trap(why: str, count: int, url: str) -> str:
    if count == 1:
        return f"{safe_url(url)} was left out, since {why}"
    return f"{count:,} addresses were left out, {safe_url(url)} among them, since {why}"
