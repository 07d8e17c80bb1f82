"""The broker as the doors see it, without a browser: ready at once, honest about what it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.models import SearchQuery, SearchRequest
from broker.service import open_broker
from broker.settings import BrowserSettings, Settings, TraceMode, TraceSettings
from broker.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from broker.models import Progress, ProviderStatus
    from broker.service import Broker

GOOGLE = SearchRequest(queries=(SearchQuery(text="cats"),), providers=("google",))


def without_browser(home: Path) -> Settings:
    return Settings(home=home, browser=BrowserSettings(enabled=False))


async def google_of(broker: Broker) -> ProviderStatus:
    return next(p for p in (await broker.status()).providers if p.name == "google")


async def test_a_broker_is_ready_at_once_and_touches_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_broker(Settings(home=home)):
        pass
    assert not home.exists()


async def test_status_starts_nothing(tmp_path: Path) -> None:
    async with open_broker(Settings(home=tmp_path)) as broker:
        status = await broker.status()
        assert status.home == str(tmp_path)
        assert status.browser.state in {"idle", "missing"}
        assert not (tmp_path / "run").exists()


async def test_a_missing_browser_is_told_before_it_is_needed(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, browser=BrowserSettings(executable=tmp_path / "none"))
    async with open_broker(settings) as broker:
        browser = (await broker.status()).browser
    assert browser.state == "missing"
    assert "PI_WEBAIO_CHROME" in str(browser.note)


async def test_an_endpoint_to_attach_to_is_told_without_its_secrets(tmp_path: Path) -> None:
    url = "wss://user:pass@cdp.example/devtools?token=abc"
    settings = Settings(home=tmp_path, browser=BrowserSettings(cdp_url=url))
    async with open_broker(settings) as broker:
        note = str((await broker.status()).browser.note)
    assert "cdp.example" in note
    assert "pass" not in note
    assert "abc" not in note


async def test_a_lane_that_is_switched_off_is_skipped_and_told(tmp_path: Path) -> None:
    async with open_broker(without_browser(tmp_path)) as broker:
        (answer,) = await broker.search(GOOGLE)
        assert [lane.status for lane in answer.lanes] == ["skipped"]
        assert "PI_WEBAIO_CDP_BROKER" in str(answer.lanes[0].reason)
        assert not answer.complete
        assert (await broker.status()).browser.state == "off"
        google = await google_of(broker)
        assert not google.configured
        assert google.lacks


async def test_every_step_is_told_to_whoever_watches(tmp_path: Path) -> None:
    steps: list[Progress] = []
    queries = (SearchQuery(text="cats"), SearchQuery(text="dogs"))
    request = SearchRequest(queries=queries, providers=("google",))
    async with open_broker(without_browser(tmp_path)) as broker:
        await broker.search(request, progress=steps.append)
    assert {(step.query_index, step.step) for step in steps} == {
        (0, "started"),
        (0, "finished"),
        (1, "started"),
        (1, "finished"),
    }


async def test_answers_of_one_request_share_its_id_and_requests_do_not(tmp_path: Path) -> None:
    request = SearchRequest(
        queries=(SearchQuery(text="a"), SearchQuery(text="b")), providers=("google",)
    )
    async with open_broker(without_browser(tmp_path)) as broker:
        first, second = await broker.search(request)
        (other,) = await broker.search(GOOGLE)
    assert first.id.rpartition("-")[0] == second.id.rpartition("-")[0]
    assert first.id.rpartition("-")[0] != other.id.rpartition("-")[0]


@pytest.fixture
def cooled_home(tmp_path: Path) -> Path:
    """The home of a broker that met a captcha a moment ago."""
    other = Store(tmp_path)
    other.cool("google", "captcha", first_s=300, max_s=3600)
    other.close()
    return tmp_path


async def test_a_cooldown_of_another_process_is_told(cooled_home: Path) -> None:
    async with open_broker(without_browser(cooled_home)) as broker:
        google = await google_of(broker)
    assert google.cooldown_code == "captcha"
    assert 290 <= (google.cooldown_s or 0) <= 300


async def test_a_store_that_cannot_be_used_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite3").mkdir()
    async with open_broker(without_browser(tmp_path)) as broker:
        await broker.search(GOOGLE)
        (warning,) = (await broker.status()).warnings
    assert str(tmp_path / "store.sqlite3") in warning


async def test_warnings_of_the_settings_are_told(tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path, browser=BrowserSettings(enabled=False), warnings=("an odd setting",)
    )
    async with open_broker(settings) as broker:
        assert "an odd setting" in (await broker.status()).warnings


@pytest.mark.may_block  # the trace is a file, written when it is closed
async def test_a_trace_file_is_finished_when_the_broker_is_left(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    settings = Settings(
        home=tmp_path,
        browser=BrowserSettings(enabled=False),
        trace=TraceSettings(mode=TraceMode.CHROME, path=file),
    )
    async with open_broker(settings) as broker:
        await broker.search(GOOGLE)
    text = file.read_text(encoding="utf-8")
    assert text.rstrip().endswith("]") or text.rstrip().endswith("}")
    assert "cats" not in text
