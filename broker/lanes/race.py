"""Run the lanes of one query under one deadline: who starts when, and when it is over.

Fallback is hedged: the next lane starts when the ones before have failed, or when nobody has a hit
after `hedge_after_s`. The first lane with an answer wins; others that run may fill it up. A lane
that costs money starts only when every free one has failed or is late, unless the settings say
otherwise.

This is also the provider boundary: whatever goes wrong inside a lane ends here as its status, with
a code and words, and takes nothing from the other lanes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from broker.errors import LaneFailed
from broker.fusion import merge_pages
from broker.lanes.lane import LaneRun
from broker.models import LaneStatus
from broker.trace import Event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyio.abc import TaskGroup

    from broker.context import RequestContext
    from broker.lanes.lane import Lane
    from broker.models import SearchQuery

LAST_START_S = 1.0
"""No lane starts with less time than this: it could not answer, and would be asked in vain."""

FILL_GRACE_S = 0.4
"""How long an answer that is short of hits waits for lanes that have shown none yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRules:
    """How lanes start."""

    hedge_after_s: float = 1.2
    """Nobody has a hit after this long: the next lane starts as well."""
    paid_hedges: bool = False
    """Lanes that cost money start like any other."""
    at_once: bool = False
    """All lanes start now, and all are waited for."""
    eager: int | None = None
    """How many of the lanes may be hedged; those after them only follow a miss of all before."""


DEFAULT_RULES = RaceRules()


@dataclass(slots=True, eq=False)
class _Entrant:
    lane: Lane
    run: LaneRun
    eager: bool
    started_s: float = math.inf

    @property
    def started(self) -> bool:
        return self.started_s < math.inf

    @property
    def running(self) -> bool:
        return self.started and not self.run.ended

    @property
    def answered(self) -> bool:
        return self.run.ended and bool(self.run.hits())


async def race(
    ctx: RequestContext,
    query: SearchQuery,
    query_index: int,
    lanes: Sequence[Lane],
    rules: RaceRules = DEFAULT_RULES,
) -> list[LaneRun]:
    """Ask the lanes until the query is answered or nobody is left; all end by `ctx.deadline`.

    Returns the lanes' runs: those that answered first, in the order in which they did.
    """
    return await _Race(ctx, query, query_index, lanes, rules).run()


class _Race:
    def __init__(
        self,
        ctx: RequestContext,
        query: SearchQuery,
        query_index: int,
        lanes: Sequence[Lane],
        rules: RaceRules,
    ) -> None:
        self._ctx = ctx
        self._query = query
        self._rules = rules
        self._changed = anyio.Event()
        self._entrants = [
            _Entrant(
                lane=lane,
                run=LaneRun(ctx, lane.name, query_index, self._wake),
                eager=rules.eager is None or place < rules.eager,
            )
            for place, lane in enumerate(lanes)
        ]
        self._started: list[_Entrant] = []
        self._answers: list[_Entrant] = []
        self._answered_s = math.inf

    def _wake(self) -> None:
        self._changed.set()

    async def run(self) -> list[LaneRun]:
        async with anyio.create_task_group() as tasks:
            self._start_due(tasks)
            while not self._over():
                self._changed = anyio.Event()
                with anyio.CancelScope(deadline=self._next_look_s()):
                    await self._changed.wait()
                self._note_answers()
                self._start_due(tasks)
            tasks.cancel_scope.cancel()
        return self._ranked_runs()

    # --- who starts ----------------------------------------------------------------------------

    def _start_due(self, tasks: TaskGroup) -> None:
        while (entrant := self._due()) is not None:
            if any(other.running for other in self._entrants):
                self._ctx.trace.event(Event.RACE_HEDGE, provider=entrant.lane.name)
            entrant.started_s = anyio.current_time()
            self._started.append(entrant)
            tasks.start_soon(run_lane, self._ctx, entrant.lane, self._query, entrant.run)

    def _due(self) -> _Entrant | None:
        """The lane that should start now, if any."""
        if self._too_late():
            return None
        candidate = self._candidate()
        if candidate is None or self._rules.at_once:
            return candidate
        if any(entrant.run.hits() for entrant in self._entrants):
            return None
        if not any(entrant.running for entrant in self._entrants):
            return candidate
        last = self._started[-1]
        due = not last.running or anyio.current_time() >= self._hedge_s()
        return candidate if due else None

    def _hedge_s(self) -> float:
        """When the next lane starts for want of a hit."""
        return self._started[-1].started_s + self._rules.hedge_after_s

    def _candidate(self) -> _Entrant | None:
        running = [entrant for entrant in self._entrants if entrant.running]
        waiting = [entrant for entrant in self._entrants if not entrant.started]
        if running and not self._rules.at_once:
            waiting = [entrant for entrant in waiting if entrant.eager]
        free = [entrant for entrant in waiting if not entrant.lane.paid]
        if self._rules.paid_hedges or self._rules.at_once or not self._is_free_hope(running, free):
            return waiting[0] if waiting else None
        return free[0] if free else None

    def _is_free_hope(self, running: list[_Entrant], free: list[_Entrant]) -> bool:
        """Whether, while something runs, a free lane may still answer without being late."""
        now_s, hedge_after_s = anyio.current_time(), self._rules.hedge_after_s
        in_time = [e for e in running if not e.lane.paid and now_s < e.started_s + hedge_after_s]
        return bool(running) and bool(in_time or free)

    def _too_late(self) -> bool:
        return bool(self._started) and self._ctx.deadline.remaining_s() < LAST_START_S

    # --- when it is over -----------------------------------------------------------------------

    def _note_answers(self) -> None:
        for entrant in self._entrants:
            if entrant.answered and entrant not in self._answers:
                self._answers.append(entrant)
                self._answered_s = min(self._answered_s, anyio.current_time())

    def _over(self) -> bool:
        running = [entrant for entrant in self._entrants if entrant.running]
        if not running:
            return self._due() is None
        if self._rules.at_once or not self._answers:
            return False
        found = merge_pages([entrant.run.hits() for entrant in self._entrants])
        if len(found) >= self._query.max_hits:
            return True
        # An answer that is short waits for those who are filling it, and a moment for the others.
        filling = any(entrant.run.hits() for entrant in running)
        return not filling and anyio.current_time() >= self._answered_s + FILL_GRACE_S

    def _next_look_s(self) -> float:
        """When something may be due although nothing has changed."""
        now_s = anyio.current_time()
        looks = [self._answered_s + FILL_GRACE_S]
        if self._started:
            looks.append(self._hedge_s())
        return min((at_s for at_s in looks if at_s > now_s), default=math.inf)

    def _ranked_runs(self) -> list[LaneRun]:
        self._note_answers()
        found = any(entrant.run.hits() for entrant in self._entrants)
        for entrant in self._entrants:
            if not entrant.started:
                late = self._ctx.deadline.remaining_s() < LAST_START_S
                entrant.run.skip("too little time was left" if late else "it was not needed")
        others = [entrant for entrant in self._entrants if entrant not in self._answers]
        shown = [e for e in others if e.started or not found]
        return [entrant.run for entrant in (*self._answers, *shown)]


async def run_lane(ctx: RequestContext, lane: Lane, query: SearchQuery, run: LaneRun) -> None:
    """One attempt of one lane; ends when the lane did or its time is up, and never raises."""
    run.begin()
    deadline = ctx.deadline if lane.budget_s is None else ctx.deadline.capped(lane.budget_s)
    try:
        with deadline.scope() as scope:
            await lane.search(ctx.until(deadline), query, run)
        if scope.cancelled_caught:
            run.note("timeout", "its time was up")
    except LaneFailed as error:
        run.fail(error)
    except anyio.get_cancelled_exc_class():
        run.end(LaneStatus.CANCELLED)
        raise
    except Exception as error:  # noqa: BLE001 - the provider boundary
        run.fail(LaneFailed("internal", f"{type(error).__name__}: {error}"))
    finally:
        run.finish()
