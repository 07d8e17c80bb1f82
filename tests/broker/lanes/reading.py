"""How one page in a scripted tab was read, or why it was not, and when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from broker.errors import LaneFailed
from broker.lanes.serp_reader import read_serp
from tests.broker.lanes.doubles import request
from tests.broker.lanes.pages import URL, report

if TYPE_CHECKING:
    from broker.browser.watch import Report
    from broker.lanes.serp_reader import PageRead
    from broker.models import Serp
    from tests.broker.lanes.doubles import ScriptedTab

BUDGET_S = 2.85


@dataclass(kw_only=True)
class Reading:
    """How a page was read, or why it was not, and when."""

    took_s: float
    in_hand: list[Serp]
    read: PageRead | None = None
    error: LaneFailed | None = None

    @property
    def code(self) -> str | None:
        return None if self.error is None else str(self.error.code)

    @property
    def count(self) -> int:
        return len(self.read.serp.hits) if self.read else 0


async def reading(tab: ScriptedTab, url: str = URL, budget_s: float = BUDGET_S) -> Reading:
    in_hand: list[Serp] = []
    started_s = anyio.current_time()
    read, error = None, None
    try:
        read = await read_serp(request(budget_s), tab, url, in_hand=in_hand.append)
    except LaneFailed as failed:
        error = failed
    took_s = anyio.current_time() - started_s
    assert took_s <= budget_s + 1e-6
    return Reading(took_s=took_s, in_hand=in_hand, read=read, error=error)


def near(seconds: float) -> Any:  # noqa: ANN401 - it compares with everything
    return pytest.approx(seconds)


def wall(html: str, *, url: str = URL, status: int = 200, visible: bool = False) -> Report:
    return replace(report(html, url=url, status=status), walled=visible)
