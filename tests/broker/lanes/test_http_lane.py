"""An HTTP lane carries out its provider's conversation: turns, refusals, second ways, cooldowns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.models import LaneStatus, SearchQuery, SearchRequest
from broker.service import open_broker
from broker.settings import BrowserSettings, ProviderSettings, Settings
from tests.emulators.ddg.app import Ddg
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from pathlib import Path

    from broker.models import Answer, LaneReport
    from broker.service import Broker


def settings_for(home: Path, origin: str) -> Settings:
    return Settings(
        home=home,
        browser=BrowserSettings(enabled=False),
        providers=replace(ProviderSettings(), ddg_url=origin, ddg_lite_url=origin),
    )


async def ask(broker: Broker, text: str) -> tuple[LaneReport, Answer]:
    request = SearchRequest(queries=(SearchQuery(text=text),), providers=("ddg",), deadline_s=20)
    with anyio.fail_after(25):
        (answer,) = await broker.search(request)
    return answer.lanes[0], answer


async def test_a_challenge_is_met_by_another_way_and_silences_nobody_when_that_works(
    tmp_path: Path,
) -> None:
    async with (
        LoopbackServer(Ddg()) as server,
        open_broker(settings_for(tmp_path, server.origin)) as broker,
    ):
        report, answer = await ask(broker, "mode:challengehtml cats")
        assert (report.status, len(answer.hits)) == (LaneStatus.OK, 10)
        assert server.log.count("/html/") == 1
        assert server.log.count("/lite/") == 1
        status = await broker.status()
    (ddg,) = [provider for provider in status.providers if provider.name == "ddg"]
    assert ddg.cooldown_s is None


async def test_after_a_challenge_nobody_asks_until_the_cooldown_ends(tmp_path: Path) -> None:
    async with LoopbackServer(Ddg()) as server:
        settings = settings_for(tmp_path, server.origin)
        async with open_broker(settings) as broker:
            refused, _ = await ask(broker, "mode:challenge cats")
        asked = len(server.log.visits)
        async with open_broker(settings) as another:
            cooling, _ = await ask(another, "quick cats")
        assert len(server.log.visits) == asked
    assert (refused.status, refused.code) == (LaneStatus.FAILED, "challenge")
    assert refused.retry_after_s is not None
    assert 290 <= refused.retry_after_s <= 300
    assert cooling.status is LaneStatus.COOLING
    assert cooling.retry_after_s is not None


@pytest.mark.parametrize("brokers", [1, 3])
async def test_requests_are_two_seconds_apart_whoever_makes_them(
    tmp_path: Path, brokers: int
) -> None:
    async with LoopbackServer(Ddg()) as server:
        settings = settings_for(tmp_path, server.origin)

        async def one(number: int) -> None:
            async with open_broker(settings) as broker:
                report, _ = await ask(broker, f"cats {number}")
                assert report.status is LaneStatus.OK

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                for number in range(brokers):
                    tasks.start_soon(one, number)
        assert server.log.count("/html/") == brokers
        if brokers > 1:
            gap_s = server.log.min_gap_s("/html/")
            assert gap_s is not None
            assert gap_s >= 2.0
