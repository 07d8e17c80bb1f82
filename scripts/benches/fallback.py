"""What an answer costs when Google gives none: every way it can be dead, each fallback in turn."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio

from broker.models import SearchQuery, SearchRequest
from broker.service import open_broker
from broker.settings import BrowserSettings, LaneSettings, ProviderSettings, Settings
from scripts.benches.table import Row, median
from tests.emulators.google.rules import GoogleRule, Mode
from tests.emulators.server import LoopbackServer
from tests.emulators.sites import Web

if TYPE_CHECKING:
    from broker.service import Broker
    from scripts.benches.worlds import World

FALLBACKS = ("deepseek", "zai", "exa", "exa_free", "ddg")
HANGING = (Mode.HANG, Mode.HANG_HEAD, Mode.BOOTSTRAP_LOOP)
REFUSING = (Mode.CAPTCHA, Mode.CAPTCHA_SIMPLE, Mode.BLOCKED, Mode.UNSUPPORTED, Mode.RESET)
LIMIT_MS = 7100
_URLS = ("google", "deepseek", "exa", "exa_mcp", "ddg", "ddg_lite", "zai")


async def bench(world: World) -> list[Row]:
    """All rows of this bench."""
    web = Web()
    times: dict[str, list[float]] = defaultdict(list)
    misses: list[str] = []
    async with LoopbackServer(web) as server:
        settings = _settings(world, server.origin)
        async with open_broker(settings, warm=True) as broker:
            await _ask(broker, "warm up", "google")
            for mode in (*HANGING, *REFUSING):
                web.google.rules = (GoogleRule(mode=mode),)
                for fallback in FALLBACKS:
                    kind = "hangs" if mode in HANGING else "refuses"
                    ms, hits = await _ask(broker, f"cats {mode}", "google", fallback)
                    times[kind].append(ms)
                    if not hits or ms > LIMIT_MS:
                        misses.append(f"{mode}/{fallback} {hits} hits {ms:.0f} ms")
        async with open_broker(settings, warm=True) as broker:
            web.google.rules = (GoogleRule(mode=Mode.HANG),)
            stuck_ms, _ = await _ask(broker, "mode:hang cats", "auto")
    return [
        Row(
            what="Google hangs, each fallback in turn",
            measured=median(times["hangs"]),
            unit="ms",
            target="< 2200",
            floor=1200,
            floor_name="the hedge",
            note=f"missed: {misses or 0}",
        ),
        Row(
            what="Google refuses, each fallback in turn",
            measured=median(times["refuses"]),
            unit="ms",
            target="< 700",
            note=f"{len(times['refuses'])} answers",
        ),
        Row(
            what="everybody hangs: the answer comes at",
            measured=stuck_ms,
            unit="ms",
            target="≤ 7100",
        ),
    ]


def _settings(world: World, origin: str) -> Settings:
    urls = {f"{name}_url": origin for name in _URLS}
    keys = {"deepseek_api_key": "sk-bench", "exa_api_key": "bench", "zai_api_key": "bench"}
    return Settings(
        home=world.home,
        browser=BrowserSettings(),
        # A refusal must not silence the provider for the next round.
        lanes=LaneSettings(cooldown_first_s=0.001, cooldown_max_s=0.001),
        providers=replace(ProviderSettings(**urls, **keys), exa_free_per_day=10_000),  # type: ignore[arg-type]
    )


async def _ask(broker: Broker, text: str, *providers: str) -> tuple[float, int]:
    await anyio.sleep(2.3 if "ddg" in providers else 0.0)  # its turn, which is not what is timed
    begun_s = time.perf_counter()
    request = SearchRequest(queries=(SearchQuery(text=text),), providers=providers)
    (answer,) = await broker.search(request)
    return (time.perf_counter() - begun_s) * 1000, len(answer.hits)
