"""Deadlines as arithmetic, and closes that neither leak nor hang."""

from __future__ import annotations

import math

import anyio
import anyio.lowlevel
import pytest

from broker.context import RequestContext
from broker.deadline import NEVER, Deadline, bounded_close
from broker.trace import OFF

pytestmark = pytest.mark.virtual_clock


class Resource:
    """Counts its closes; each takes `close_s` seconds."""

    def __init__(self, close_s: float = 0.0, error: Exception | None = None) -> None:
        self.begun = 0
        self.closed = 0
        self._close_s = close_s
        self._error = error

    async def close(self) -> None:
        self.begun += 1
        await anyio.sleep(self._close_s)
        if self._error is not None:
            raise self._error
        self.closed += 1


async def test_what_remains_shrinks_with_time_and_is_never_negative() -> None:
    deadline = Deadline.after(3.0)
    assert deadline.remaining_s() == 3.0
    await anyio.sleep(2.0)
    assert deadline.remaining_s() == pytest.approx(1.0)
    await anyio.sleep(2.0)
    assert deadline.remaining_s() == 0.0


@pytest.mark.parametrize(
    ("budget_s", "expected_s"),
    [(1.0, 1.0), (5.0, 3.0), (math.inf, 3.0), (0.0, 0.0)],
    ids=["sooner", "later", "never", "now"],
)
async def test_a_cap_only_ever_shortens(budget_s: float, expected_s: float) -> None:
    assert Deadline.after(3.0).capped(budget_s).remaining_s() == expected_s


async def test_a_reserve_is_taken_from_the_end() -> None:
    deadline = Deadline.after(3.0)
    assert deadline.earlier_by(0.15).at_s == deadline.at_s - 0.15
    assert NEVER.earlier_by(0.15) == NEVER
    assert NEVER.remaining_s() == math.inf


@pytest.mark.parametrize(
    ("asked_s", "expected_s"), [(1.0, 1.0), (9.0, 3.0)], ids=["shorter", "longer"]
)
async def test_a_context_never_gets_more_time_than_it_has(
    asked_s: float, expected_s: float
) -> None:
    ctx = RequestContext(request_id="r", deadline=Deadline.after(3.0), trace=OFF)
    shorter = ctx.until(Deadline.after(asked_s))
    assert shorter.deadline.remaining_s() == expected_s
    assert shorter.request_id == ctx.request_id


async def test_a_scope_ends_at_the_instant() -> None:
    with Deadline.after(3.0).scope() as scope:
        await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert anyio.current_time() == pytest.approx(scope.deadline)


async def test_a_scope_that_lapsed_before_it_began_ends_at_the_first_wait() -> None:
    deadline = Deadline.after(-1.0)
    reached = False
    with deadline.scope() as scope:
        await anyio.lowlevel.checkpoint()
        reached = True
    assert scope.cancelled_caught
    assert not reached


async def test_a_close_in_time_is_said_to_be() -> None:
    resource = Resource(close_s=1.0)
    assert await bounded_close(resource.close, 2.0)
    assert resource.closed == 1


async def test_a_close_that_hangs_is_given_up() -> None:
    resource = Resource(close_s=math.inf)
    started_s = anyio.current_time()
    assert not await bounded_close(resource.close, 2.0)
    assert (resource.begun, resource.closed) == (1, 0)
    assert anyio.current_time() - started_s == pytest.approx(2.0)


async def test_a_close_that_fails_says_so() -> None:
    with pytest.raises(OSError, match="broken"):
        await bounded_close(Resource(error=OSError("broken")).close, 2.0)


async def test_a_close_in_a_cancelled_scope_is_still_done() -> None:
    resource = Resource(close_s=1.0)
    with anyio.move_on_after(3.0) as scope:
        try:
            await anyio.sleep_forever()
        finally:
            await bounded_close(resource.close, 2.0)
    assert scope.cancelled_caught
    assert resource.closed == 1
    assert anyio.current_time() - scope.deadline == pytest.approx(1.0)


async def test_a_hanging_close_in_a_cancelled_scope_delays_it_by_the_grace_only() -> None:
    resource = Resource(close_s=math.inf)
    with anyio.move_on_after(3.0) as scope:
        try:
            await anyio.sleep_forever()
        finally:
            await bounded_close(resource.close, 0.5)
    assert scope.cancelled_caught
    assert (resource.begun, resource.closed) == (1, 0)
    assert anyio.current_time() - scope.deadline == pytest.approx(0.5)
