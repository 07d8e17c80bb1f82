"""One HTTP client for a whole module: loading its certificates takes longer than most tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.fetch.http import HttpClient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture(scope="module")
async def client() -> AsyncIterator[HttpClient]:
    async with HttpClient() as client:
        yield client
