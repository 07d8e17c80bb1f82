"""Whole answers over HTTP providers alone, against the loopback web: no browser runs here."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.errors import Refused
from broker.models import LaneStatus, SearchQuery, SearchRequest
from broker.service import open_broker
from broker.settings import BrowserSettings, ProviderSettings, Settings
from tests.emulators.deepseek import DeepSeek, DeepSeekMode
from tests.emulators.exa import ExaMode
from tests.emulators.server import LoopbackServer
from tests.emulators.sites import Web
from tests.emulators.words import Rule

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from broker.models import Answer, LaneReport
    from broker.service import Broker

KEYS = {"deepseek_api_key": "sk-test", "exa_api_key": "exa-test", "zai_api_key": "zai-test"}
URLS = ("deepseek", "exa", "exa_mcp", "ddg", "ddg_lite", "zai", "arxiv", "hn", "google")


@asynccontextmanager
async def broker_on(
    home: Path, server: LoopbackServer, **providers: object
) -> AsyncIterator[Broker]:
    urls = {f"{name}_url": server.origin for name in URLS}
    settings = Settings(
        home=home,
        browser=BrowserSettings(enabled=False),
        providers=replace(ProviderSettings(**urls), **providers),  # type: ignore[arg-type]
    )
    async with open_broker(settings) as broker:
        yield broker


async def ask(broker: Broker, text: str, *providers: str, **known: object) -> Answer:
    query = replace(SearchQuery(text=text), **known)  # type: ignore[arg-type]
    request = SearchRequest(queries=(query,), providers=providers or ("auto",))
    with anyio.fail_after(15):
        (answer,) = await broker.search(request)
    return answer


def lane(answer: Answer, name: str) -> LaneReport:
    (found,) = [lane for lane in answer.lanes if lane.provider == name]
    return found


@pytest.mark.parametrize("name", ["deepseek", "zai", "exa", "exa_free", "ddg", "arxiv", "hn"])
async def test_each_provider_answers_alone(tmp_path: Path, name: str) -> None:
    async with (
        LoopbackServer(Web()) as server,
        broker_on(tmp_path, server, **KEYS) as broker,
    ):
        answer = await ask(broker, "quick cats", name)
    assert len(answer.hits) == 10
    assert {hit.provider for hit in answer.hits} == {name}
    assert lane(answer, name).status is LaneStatus.OK


async def test_without_keys_and_browser_the_free_providers_answer(tmp_path: Path) -> None:
    async with LoopbackServer(Web()) as server, broker_on(tmp_path, server) as broker:
        answer = await ask(broker, "quick cats")
    assert [lane.provider for lane in answer.lanes] == ["exa_free", "google"]
    assert lane(answer, "google").status is LaneStatus.SKIPPED
    assert len(answer.hits) == 10


async def test_a_spent_key_falls_to_the_free_tier_and_the_answer_says_so(tmp_path: Path) -> None:
    web = Web()
    web.exa.rules = (Rule(mode=ExaMode.SPENT),)
    async with (
        LoopbackServer(web) as server,
        broker_on(tmp_path, server, exa_api_key="exa-test") as broker,
    ):
        answer = await ask(broker, "quick cats", "exa", "exa_free")
    spent = lane(answer, "exa")
    assert (spent.status, spent.code) == (LaneStatus.FAILED, "quota")
    assert spent.retry_after_s is not None
    assert len(answer.hits) == 10


async def test_a_refused_provider_is_left_alone_and_the_answer_says_for_how_long(
    tmp_path: Path,
) -> None:
    web = Web()
    web.deepseek.rules = (Rule(mode=DeepSeekMode.TOO_MANY, visit=1),)
    async with (
        LoopbackServer(web) as server,
        broker_on(tmp_path, server, **KEYS) as broker,
    ):
        first = await ask(broker, "quick cats", "deepseek", "exa")
        asked = server.log.count("/v1/tools/search")
        second = await ask(broker, "quick cats", "deepseek", "exa")
        assert server.log.count("/v1/tools/search") == asked
    assert lane(first, "deepseek").code == "rate_limited"
    cooling = lane(second, "deepseek")
    assert cooling.status is LaneStatus.COOLING
    assert cooling.retry_after_s is not None
    assert len(second.hits) == 10


async def test_agreement_between_engines_comes_first_when_all_are_asked(tmp_path: Path) -> None:
    async with (
        LoopbackServer(Web()) as server,
        broker_on(tmp_path, server, **KEYS) as broker,
    ):
        answer = await ask(broker, "quick cats", "all")
    asked = {lane.provider for lane in answer.lanes if lane.status is LaneStatus.OK}
    assert {"deepseek", "zai", "exa", "ddg"} <= asked
    assert "exa_free" not in asked
    assert len(answer.hits) == 10


async def test_a_long_query_with_filters_is_cut_and_the_cut_is_shown(tmp_path: Path) -> None:
    text = " ".join(f"word{n:02d}" for n in range(23)) + " ab"
    assert len(text) == 163
    async with (
        LoopbackServer(Web()) as server,
        broker_on(tmp_path, server, **KEYS) as broker,
    ):
        sites = ("learn.meadow.example", "blog.tallow.example")
        answer = await ask(broker, text, "deepseek", sites=sites)
    report = lane(answer, "deepseek")
    assert report.compiled_query is not None
    assert len(report.compiled_query) <= 128
    assert all(f"site:{site}" in report.compiled_query for site in sites)
    assert report.reason is not None
    assert "word22" in report.reason


@pytest.mark.parametrize("name", ["arxiv", "hn"])
async def test_a_miss_of_a_special_source_falls_to_the_web(tmp_path: Path, name: str) -> None:
    async with LoopbackServer(Web()) as server, broker_on(tmp_path, server) as broker:
        answer = await ask(broker, "mode:noresults cats", name)
    assert lane(answer, name).status is LaneStatus.EMPTY
    assert any(lane.provider in {"exa_free", "ddg"} for lane in answer.lanes)


async def test_the_texts_share_the_room_and_none_is_left_without(tmp_path: Path) -> None:
    async with (
        LoopbackServer(Web()) as server,
        broker_on(tmp_path, server, **KEYS) as broker,
    ):
        query = SearchQuery(text="quick cats", max_hits=5, content=True)
        request = SearchRequest(queries=(query,), providers=("deepseek",), chars=1000)
        (answer,) = await broker.search(request)
    lengths = [len(hit.content or "") for hit in answer.hits]
    assert len(lengths) == 5
    assert all(lengths)
    assert sum(lengths) <= 1000


async def test_a_provider_without_full_texts_says_so(tmp_path: Path) -> None:
    async with LoopbackServer(Web()) as server, broker_on(tmp_path, server) as broker:
        answer = await ask(broker, "quick cats", "hn", content=True)
    assert lane(answer, "hn").reason == "it gives no full text: 0 of 10 pages were read"


async def test_a_query_with_a_secret_does_not_leave_the_machine(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4" * 5
    async with LoopbackServer(Web()) as server, broker_on(tmp_path, server) as broker:
        with pytest.raises(Refused, match="a GitHub token") as raised:
            await ask(broker, f"why is {secret} refused")
        assert secret not in str(raised.value)
        assert not server.log.visits
        request = SearchRequest(queries=(SearchQuery(text=secret),), allow_secrets=True)
        await broker.search(request)
        assert server.log.visits


async def test_status_knows_every_provider_and_how_it_did(tmp_path: Path) -> None:
    async with LoopbackServer(Web()) as server, broker_on(tmp_path, server) as broker:
        await ask(broker, "quick cats", "exa_free")
        with anyio.fail_after(5):
            while True:
                known = {p.name: p for p in (await broker.status()).providers}
                if known["exa_free"].last is not None:
                    break
    assert known["exa_free"].last.startswith("ok, ")
    assert known["deepseek"].lacks == "no key: set DEEPSEEK_API_KEY"
    assert known["google"].configured is False
    assert known["ddg"].pace == "1 at a time, 2.2 s apart, across processes"


async def test_thirty_queries_at_once_never_meet_the_limit(tmp_path: Path) -> None:
    app = DeepSeek()
    app.configure({"in_flight": 3, "per_second": 5, "latency_s": 0.1})
    async with (
        LoopbackServer(app) as server,
        broker_on(tmp_path, server, **KEYS) as broker,
    ):
        reports: list[LaneReport] = []

        async def one(number: int) -> None:
            request = SearchRequest(
                queries=(SearchQuery(text=f"cats {number}"),),
                providers=("deepseek",),
                deadline_s=30,
            )
            (answer,) = await broker.search(request)
            reports.append(lane(answer, "deepseek"))

        with anyio.fail_after(30):
            async with anyio.create_task_group() as storm:
                for number in range(30):
                    storm.start_soon(one, number)
    assert [report.status for report in reports] == [LaneStatus.OK] * 30
    assert app.too_many == 0
