"""Pages that do what pages should not: they are read, and harm neither the next nor anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from broker.errors import BrokerError, RenderFailed
from tests.browser.readings import Reading, new_reading
from tests.emulators.web_apps import LAST, TRAPS
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

STOPPED = {"loop", "loop-at-once"}
"""Their scripts are stopped, and what stands there is read."""
ENDLESS = {"growth"}
HOPELESS = {"loop-empty", "growth-at-once"}
"""There is nothing to read, or no end of it."""
NO_PAGE = {"reloads", "script-redirects", "download-page", "download-refresh", "leaves"}
STORMS = {"push-state"}
"""They keep the browser so busy that its page may not be had in time."""
HARMLESS = sorted(set(TRAPS) - STOPPED - ENDLESS - HOPELESS - NO_PAGE - STORMS)


@pytest.fixture(scope="module")
async def reading(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Reading]:
    async with new_reading(tmp_path_factory.mktemp("home")) as made:
        await made.render("article")
        yield made


async def undisturbed(reading: Reading) -> None:
    """The next page of the same site is read as if nothing had been, and nothing is left."""
    assert LAST in (await reading.render("app")).html
    await reading.tidy()
    folders = list((reading.home / "run").iterdir())
    assert len(folders) == 1, "the browser is the same"
    assert not list(folders[0].rglob("*.bin")), "no file was taken"


@pytest.mark.parametrize("name", HARMLESS)
async def test_a_trap_harms_nobody(reading: Reading, name: str) -> None:
    page = await reading.render(f"trap/{name}", budget_s=12)
    assert LAST in page.html
    assert page.settled
    await undisturbed(reading)


@pytest.mark.parametrize("name", sorted(STORMS))
async def test_a_storm_costs_its_own_page_at_most(reading: Reading, name: str) -> None:
    try:
        outcome = (await reading.render(f"trap/{name}", budget_s=12)).html
    except RenderFailed as error:
        outcome = error.code
    assert LAST in outcome or outcome == "render_timeout"
    await undisturbed(reading)


@pytest.mark.parametrize("name", sorted(STOPPED))
async def test_scripts_that_do_not_end_are_stopped(reading: Reading, name: str) -> None:
    page = await reading.render(f"trap/{name}", budget_s=12)
    assert LAST in page.html
    assert not page.settled
    assert page.notes == ("scripts that did not end were stopped",)
    await undisturbed(reading)


async def test_a_page_that_grows_for_ever_is_read_as_far_as_it_came(reading: Reading) -> None:
    page = await reading.render("trap/growth")
    assert LAST in page.html
    assert not page.settled
    assert len(page.html) <= 10_000_000
    await undisturbed(reading)


@pytest.mark.parametrize("name", sorted(HOPELESS))
async def test_the_deadline_holds_whatever_the_page_does(reading: Reading, name: str) -> None:
    with anyio.fail_after(10):
        try:
            page = await reading.render(f"trap/{name}", budget_s=3)
        except BrokerError as error:
            assert error.code == "render_timeout"  # noqa: PT017 - or there is a page
        else:
            assert not page.settled
    await undisturbed(reading)


async def test_permissions_are_denied(reading: Reading) -> None:
    page = await reading.render("trap/permissions")
    for asked in ("camera denied", "place denied", "clipboard denied"):
        assert asked in page.html


@pytest.mark.parametrize("name", ["download-link", "dialogs"])
async def test_a_download_is_told_of(reading: Reading, name: str) -> None:
    page = await reading.render(f"trap/{name}")
    assert page.downloads == (name == "download-link")


async def test_a_worker_of_one_page_does_not_answer_for_the_next(reading: Reading) -> None:
    for path in ("trap/service-worker", "app", "article", "trap/service-worker"):
        page = await reading.render(path)
        assert LAST in page.html
        assert "from the worker" not in page.html


async def test_a_page_that_is_given_up_is_left_at_once(reading: Reading) -> None:
    await reading.settled()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reading.render, "trap/loop-empty")
        tasks.start_soon(reading.render, "hang")
        await reading.server.log.arrivals("/hang", reading.server.log.count("/hang") + 1)
        tasks.cancel_scope.cancel()
    assert reading.pool._apart_slots.value == reading.pool._settings.tabs
    await until(lambda: reading.server.log.in_flight("/hang") == 0)
    await undisturbed(reading)
