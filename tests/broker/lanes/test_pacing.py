"""Turns: so many at once, so far apart, so often a day."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.errors import LaneFailed
from broker.lanes.pacing import Pacer
from broker.providers.base import Pace
from broker.store import Store
from tests.broker.lanes.racing import context

if TYPE_CHECKING:
    from pathlib import Path

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.virtual_clock
async def test_turns_of_one_process_are_a_gap_apart_and_limited_at_once(tmp_path: Path) -> None:
    pacer = Pacer("deepseek", Pace(in_flight=3, gap_s=0.3), Store(tmp_path))
    begun_s = anyio.current_time()
    starts: list[float] = []
    at_once: list[int] = [0]
    most = 0

    async def one() -> None:
        nonlocal most
        async with pacer.turn(context(60), NOON):
            starts.append(anyio.current_time() - begun_s)
            at_once[0] += 1
            most = max(most, at_once[0])
            await anyio.sleep(1.0)
            at_once[0] -= 1

    async with anyio.create_task_group() as tasks:
        for _ in range(7):
            tasks.start_soon(one)
    assert most == 3
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert min(gaps) >= 0.3 - 1e-9


@pytest.mark.virtual_clock
async def test_a_turn_that_would_come_too_late_is_refused_at_once(tmp_path: Path) -> None:
    pacer = Pacer("deepseek", Pace(in_flight=9, gap_s=5.0), Store(tmp_path))
    async with pacer.turn(context(2), NOON):
        begun_s = anyio.current_time()
        with pytest.raises(LaneFailed) as raised:
            async with pacer.turn(context(2), NOON):
                pass
    assert raised.value.code == "paced"
    assert anyio.current_time() == begun_s


def test_processes_take_turns_from_one_file(tmp_path: Path) -> None:
    one, other = Store(tmp_path), Store(tmp_path)
    assert one.reserve("ddg", 2.0, 10.0) == 0.0
    second, third = other.reserve("ddg", 2.0, 10.0), one.reserve("ddg", 2.0, 10.0)
    assert second is not None
    assert third is not None
    assert 1.5 < second <= 2.0
    assert 3.5 < third <= 4.0
    assert other.reserve("ddg", 2.0, 1.0) is None
    assert other.reserve("arxiv", 3.0, 1.0) == 0.0


def test_a_clock_that_was_set_back_does_not_lock_anybody_out(tmp_path: Path) -> None:
    now_s = [1_000_000.0]
    store = Store(tmp_path, clock=lambda: now_s[0])
    assert store.reserve("ddg", 2.0, 10.0) == 0.0
    now_s[0] = 500_000.0
    assert store.reserve("ddg", 2.0, 10.0) == 0.0
    assert store.reserve("ddg", 2.0, 10.0) == 2.0


async def test_the_allowance_of_a_day_is_shared_and_returns_at_midnight(tmp_path: Path) -> None:
    pace = Pace(per_day=2)
    one, other = Pacer("exa_free", pace, Store(tmp_path)), Pacer("exa_free", pace, Store(tmp_path))
    for pacer in (one, other):
        async with pacer.turn(context(), NOON):
            pass
    with pytest.raises(LaneFailed) as raised:
        async with one.turn(context(), NOON):
            pass
    assert (raised.value.code, raised.value.retry_after_s) == ("quota", 12 * 3600)
    async with one.turn(context(), NOON.replace(day=29)):
        pass
