"""The real Chromium before the loopback web: one broker for each module that does not need more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.browser.find import find_browser
from broker.errors import BrowserMissing
from tests.browser.worlds import new_world

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.browser.worlds import World


@pytest.fixture(scope="session", autouse=True)
def chromium() -> Path:
    """The browser these tests drive; they are skipped where there is none."""
    try:
        return find_browser(None).path
    except BrowserMissing as error:
        pytest.skip(error.message)


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """A broker whose browser runs, shared by the tests of a module."""
    home = tmp_path_factory.mktemp("home")
    async with new_world(home) as made:
        answer, _ = await made.search("warm up")
        assert answer.hits
        yield made
