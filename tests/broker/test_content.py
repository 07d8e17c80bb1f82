"""The texts of hits whose provider gave none: as many as there is time for, and why no more."""

from __future__ import annotations

import anyio
import pytest

from broker.content import MAX_PAGES, filled
from broker.context import RequestContext
from broker.deadline import Deadline
from broker.errors import NotConnected
from broker.models import Hit
from broker.trace import OFF

pytestmark = pytest.mark.virtual_clock


def hits(count: int, **facts: object) -> list[Hit]:
    return [
        Hit(title="t", url=f"https://h{n}.example/", snippet="s", provider="google", **facts)  # type: ignore[arg-type]
        for n in range(count)
    ]


def context(budget_s: float = 5.0) -> RequestContext:
    return RequestContext(request_id="r", deadline=Deadline.after(budget_s), trace=OFF)


async def test_each_hit_gets_the_text_of_its_page() -> None:
    async def read(_ctx: RequestContext, hit: Hit) -> str:
        return f"text of {hit.url}"

    done = await filled(context(), hits(3), read)
    assert [hit.content for hit in done] == [f"text of https://h{n}.example/" for n in range(3)]
    assert all(hit.content_error is None for hit in done)


async def test_what_a_provider_gave_is_not_read_again() -> None:
    async def read(_ctx: RequestContext, hit: Hit) -> str:
        raise AssertionError(hit)

    given = hits(2, content="already here")
    assert list(await filled(context(), given, read)) == given


async def test_the_deadline_costs_only_what_was_not_read_by_then() -> None:
    async def read(_ctx: RequestContext, hit: Hit) -> str:
        await anyio.sleep(60 if "h1." in hit.url else 0.5)
        return "text"

    started_s = anyio.current_time()
    done = await filled(context(2.0), hits(3), read)
    assert anyio.current_time() - started_s == pytest.approx(2.0)
    assert [hit.content for hit in done] == ["text", None, "text"]
    assert done[1].content_error is not None
    assert done[1].content_error.startswith("timeout")


async def test_a_page_that_cannot_be_read_says_why() -> None:
    async def read(_ctx: RequestContext, hit: Hit) -> str:
        raise NotConnected("refused", "nobody listens", url=hit.url)

    (hit,) = await filled(context(), hits(1), read)
    assert (hit.content, hit.content_error) == (None, "refused: nobody listens")


async def test_a_stand_in_is_not_read_nor_is_the_end_of_a_long_list() -> None:
    asked = []

    async def read(_ctx: RequestContext, hit: Hit) -> str:
        asked.append(hit.url)
        return "text"

    (hit,) = await filled(context(), hits(1, resolved=False), read)
    assert hit.content_error is not None
    done = await filled(context(), hits(MAX_PAGES + 3), read)
    assert len(asked) == MAX_PAGES
    assert [hit.content is None for hit in done] == [False] * MAX_PAGES + [True] * 3
    assert all(hit.content_error for hit in done[MAX_PAGES:])
