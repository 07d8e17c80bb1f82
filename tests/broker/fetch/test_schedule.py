"""Turns at hosts: so many at once, so far apart, in order, and nobody waits for another host."""

from __future__ import annotations

from itertools import pairwise

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.fetch.schedule import HostSchedule

pytestmark = pytest.mark.virtual_clock


class Visits:
    """Notes when turns begin and how many there are at once."""

    def __init__(self, schedule: HostSchedule) -> None:
        self.schedule = schedule
        self.starts: list[tuple[str, float]] = []
        self.most = 0
        self._begun_s = anyio.current_time()

    async def one(self, name: str, host: str, lasts_s: float, *, continued: bool = False) -> None:
        async with self.schedule.turn(host, continued=continued):
            self.starts.append((name, round(anyio.current_time() - self._begun_s, 6)))
            self.most = max(self.most, self.schedule.active)
            await anyio.sleep(lasts_s)


async def test_starts_of_one_host_are_apart_and_in_the_order_of_asking() -> None:
    visits = Visits(HostSchedule())
    async with anyio.create_task_group() as tasks:
        for name in "abcd":
            tasks.start_soon(visits.one, name, "one", 0.5)
            await anyio.lowlevel.checkpoint()
    assert visits.starts == [("a", 0.0), ("b", 0.3), ("c", 0.6), ("d", 0.9)]


async def test_no_more_than_three_turns_are_held() -> None:
    visits = Visits(HostSchedule())
    async with anyio.create_task_group() as tasks:
        for number in range(7):
            tasks.start_soon(visits.one, str(number), "one", 2.0)
    assert visits.most == 3
    assert [at_s for _, at_s in visits.starts] == [0.0, 0.3, 0.6, 2.0, 2.3, 2.6, 4.0]


async def test_hosts_know_nothing_of_each_other() -> None:
    visits = Visits(HostSchedule())
    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(visits.one, str(number), f"host{number}", 0.5)
    assert [at_s for _, at_s in visits.starts] == [0.0] * 6


async def test_who_gives_up_while_waiting_leaves_no_hole() -> None:
    visits = Visits(HostSchedule())
    gave_up = anyio.CancelScope()

    async def impatient() -> None:
        with gave_up:
            await visits.one("impatient", "one", 0.0)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(visits.one, "a", "one", 0.1)
        await anyio.lowlevel.checkpoint()
        tasks.start_soon(impatient)
        await anyio.sleep(0.1)
        tasks.start_soon(visits.one, "b", "one", 0.1)
        await anyio.sleep(0.1)
        gave_up.cancel()
    assert visits.starts == [("a", 0.0), ("b", 0.3)]
    assert (visits.schedule.active, visits.schedule.waiting) == (0, 0)


async def test_who_gives_up_holding_a_turn_gives_it_back() -> None:
    schedule = HostSchedule(in_flight=1, gap_s=0)
    with anyio.move_on_after(1):
        async with schedule.turn("one"):
            await anyio.sleep_forever()
    with anyio.fail_after(1):
        async with schedule.turn("one"):
            assert schedule.active == 1


async def test_a_redirect_waits_for_nobody_but_is_counted() -> None:
    visits = Visits(HostSchedule())
    await visits.one("a", "one", 0.1)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(visits.one, "next", "one", 0.0)
        await anyio.sleep(0.05)
        await visits.one("redirect", "one", 0.0, continued=True)
    assert visits.starts == [("a", 0.0), ("redirect", 0.15), ("next", 0.45)]


async def test_hosts_are_forgotten_but_not_those_whose_gap_is_not_over() -> None:
    schedule = HostSchedule()
    for number in range(1000):
        async with schedule.turn(f"host{number}"):
            await anyio.sleep(0.01)
    assert schedule.hosts <= 256 + 1
    begun_s = anyio.current_time()
    async with schedule.turn("host999"):
        assert anyio.current_time() - begun_s == pytest.approx(0.29)


@given(
    asks=st.lists(
        st.tuples(st.sampled_from("ab"), st.floats(0, 1), st.floats(0, 1), st.floats(0, 3)),
        max_size=20,
    )
)
async def test_whatever_comes_and_goes_the_pace_holds(
    asks: list[tuple[str, float, float, float]],
) -> None:
    schedule = HostSchedule()
    visits = Visits(schedule)

    async def one(host: str, after_s: float, lasts_s: float, patience_s: float) -> None:
        await anyio.sleep(after_s)
        with anyio.move_on_after(patience_s):
            await visits.one(host, host, lasts_s)

    async with anyio.create_task_group() as tasks:
        for ask in asks:
            tasks.start_soon(one, *ask)
    for host in "ab":
        starts = [at_s for name, at_s in visits.starts if name == host]
        assert all(later - earlier > 0.3 - 1e-5 for earlier, later in pairwise(starts))
    assert visits.most <= 6
    assert (schedule.active, schedule.waiting) == (0, 0)
    for host in "ab":
        async with schedule.turn(host), schedule.turn(host), schedule.turn(host):
            assert schedule.active == 3
