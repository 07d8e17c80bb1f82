"""The texts of hits whose provider gave none: their pages are read, as many as there is time for.

Each text is in the hit the moment its page was read, so that the deadline costs only what was not
read by then; every hit that stays without one says why.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio

from broker.errors import BrokerError
from broker.redact import redact

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from broker.context import RequestContext
    from broker.models import Hit

AT_ONCE = 6
MAX_PAGES = 20
"""Hits beyond these are not read: their share of an answer would be a sentence."""

_WEB = ("http://", "https://")


async def filled(
    ctx: RequestContext,
    hits: Sequence[Hit],
    read: Callable[[RequestContext, Hit], Awaitable[str]],
) -> tuple[Hit, ...]:
    """The hits with the texts of their pages, as far as those were read by `ctx.deadline`."""
    done = dict(enumerate(hits))
    slots = anyio.Semaphore(AT_ONCE)
    lacking = [place for place, hit in done.items() if not hit.content]
    for place in lacking:
        done[place] = replace(done[place], content_error=_not_read(hits[place]))
    for place in lacking[MAX_PAGES:]:
        problem = f"not_read: only the first {MAX_PAGES} pages are read"
        done[place] = replace(done[place], content_error=problem)

    async def one(place: int) -> None:
        async with slots:
            try:
                text = await read(ctx, hits[place])
            except BrokerError as error:
                problem = redact(f"{error.code}: {error.message}")
                done[place] = replace(hits[place], content_error=problem)
            else:
                done[place] = replace(hits[place], content=text or None)

    with ctx.deadline.scope():
        async with anyio.create_task_group() as tasks:
            for place in lacking[:MAX_PAGES]:
                if _is_readable(hits[place]):
                    tasks.start_soon(one, place)
    return tuple(done[place] for place in range(len(hits)))


def _is_readable(hit: Hit) -> bool:
    return hit.resolved and hit.url.startswith(_WEB)


def _not_read(hit: Hit) -> str:
    """What is said of a hit until its page was read."""
    if not _is_readable(hit):
        return "not_read: its real address is not known"
    return "timeout: there was no time left to read its page"
