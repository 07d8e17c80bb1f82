"""A clock, and documents of a home folder of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.settings import StoreSettings
from broker.store.documents import Documents
from tests.broker.store.shelves import Clock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
async def documents(home: Path, clock: Clock) -> AsyncIterator[Documents]:
    opened = Documents(home, StoreSettings(), clock)
    yield opened
    await opened.close()
