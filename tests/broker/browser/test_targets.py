"""Pages are closed until they have ended, whatever the browser answers."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.browser.targets import Targets
from broker.errors import TabLost
from tests.broker.browser.doubles import FakeSession

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = pytest.mark.virtual_clock

CLOSE = "Target.closeTarget"
A_WHILE_S = 60.0


@asynccontextmanager
async def watched() -> AsyncIterator[tuple[Targets, FakeSession]]:
    session = FakeSession()
    async with anyio.create_task_group() as tasks:
        targets = Targets(session, tasks)
        await targets.watch()
        yield targets, session
        tasks.cancel_scope.cancel()


def end(session: FakeSession, target_id: str = "A") -> None:
    session.tell("Target.targetDestroyed", {"targetId": target_id})


async def test_a_page_that_ends_is_told_once() -> None:
    async with watched() as (targets, session):
        await targets.close("A")
        end(session)
        await anyio.sleep(A_WHILE_S)
        assert session.count(CLOSE) == 1


async def test_a_page_that_stays_is_told_again_until_it_ends() -> None:
    async with watched() as (targets, session):
        await targets.close("A")
        assert session.count(CLOSE) == 1
        await anyio.sleep(2.0)
        assert session.count(CLOSE) == 3
        end(session)
        await anyio.sleep(A_WHILE_S)
        assert session.count(CLOSE) == 3


async def test_another_pages_end_is_not_its_own() -> None:
    async with watched() as (targets, session):
        await targets.close("A")
        end(session, "B")
        await anyio.sleep(1.0)
        assert session.count(CLOSE) == 2


async def test_a_page_that_never_ends_is_given_up_and_forgotten() -> None:
    async with watched() as (targets, session):
        await targets.close("A")
        await anyio.sleep(A_WHILE_S)
        told = session.count(CLOSE)
        await anyio.sleep(A_WHILE_S)
        assert session.count(CLOSE) == told == 5
        assert not targets._ends


async def test_a_page_that_is_gone_is_not_waited_for() -> None:
    async with watched() as (targets, session):
        session.errors[CLOSE] = TabLost("no such target")
        with pytest.raises(TabLost):
            await targets.close("A")
        await targets.close_quietly("B")
        await anyio.sleep(A_WHILE_S)
        assert session.count(CLOSE) == 2
        assert not targets._ends


async def test_a_window_that_a_page_opens_is_closed_and_the_page_is_not() -> None:
    async with watched() as (_targets, session):
        session.tell("Target.targetCreated", {"targetInfo": {"targetId": "A"}})
        session.tell("Target.targetCreated", {"targetInfo": {"targetId": "B", "openerId": "A"}})
        await anyio.sleep(0.1)
        assert [params for method, params in session.sent if method == CLOSE] == [{"targetId": "B"}]
        end(session, "B")
