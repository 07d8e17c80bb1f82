"""What a site says of itself before any page is read: its rules, and the pages that it lists."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from broker.errors import BrokerError, PageFailed, Refused
from broker.pull import llms, sitemap
from broker.redact import safe_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.context import RequestContext
    from broker.pull.harvest import Means
    from broker.pull.robots import Robots
    from broker.pull.scope import Scope
    from broker.reading.parts import Fetched

MAX_SITEMAPS = 50
MAX_LISTED = 50_000
_OK = range(200, 300)


class _Elsewhere(BrokerError):
    """A list's redirect leads out of the site, or where robots.txt forbids."""


class Survey:
    """Asks a site for its lists.

    Args:
        ctx: the pull it is for.
        means: what brings bytes.
        scope: the site, and what of it is wanted.
        robots: its rules, which hold for its lists too.
    """

    def __init__(self, ctx: RequestContext, means: Means, scope: Scope, robots: Robots) -> None:
        self._ctx = ctx
        self._means = means
        self._scope = scope
        self._site = replace(scope, prefix="")
        self._robots = robots
        self.notes: list[str] = []
        """What could not be read, a sentence each."""
        self.complete = True
        """Whether nothing is to be had by asking again."""

    async def listed(self) -> tuple[str, ...]:
        """The addresses of the scope that the site lists in llms.txt and sitemaps, each once."""
        found: dict[str, str] = {}
        for url in (*await self._llms(), *await self._sitemaps()):
            place = self._scope.place(url)
            if place is not None:
                found.setdefault(place.key, place.url)
            if len(found) >= MAX_LISTED:
                break
        return tuple(found.values())

    async def _llms(self) -> list[str]:
        found: list[str] = []
        for url in self._beside("llms.txt"):
            answer = await self._get(url)
            if answer is not None:
                text = answer.body.decode("utf-8", "replace")
                found += await anyio.to_thread.run_sync(llms.read, text, answer.final_url)
        return found

    async def _sitemaps(self) -> list[str]:
        waiting = deque(self._robots.sitemaps or self._beside("sitemap.xml"))
        asked: set[str] = set()
        found: list[str] = []
        while waiting and len(found) < MAX_LISTED:
            place = self._site.place(waiting.popleft())
            if place is None or place.key in asked:
                continue
            if len(asked) >= MAX_SITEMAPS:
                self.notes.append(f"only the first {MAX_SITEMAPS} sitemaps were read")
                break
            asked.add(place.key)
            answer = await self._get(place.url)
            if answer is None:
                continue
            read = await anyio.to_thread.run_sync(sitemap.read, answer.body)
            found += read.pages
            waiting.extend(self._wanted_first(read.sitemaps))
        return found

    def _wanted_first(self, urls: Sequence[str]) -> list[str]:
        """Those whose name speaks of the scope before the others: large sites have many."""
        return sorted(urls, key=lambda url: self._scope.place(url) is None)

    def _beside(self, name: str) -> tuple[str, ...]:
        """A file at the scope's beginning, and at the site's."""
        origin, prefix = self._scope.origin, self._scope.prefix
        return tuple(dict.fromkeys((f"{origin}{prefix}/{name}", f"{origin}/{name}")))

    async def _get(self, url: str) -> Fetched | None:
        """A list; None where there is none."""
        if not self._robots.allows(url):
            return None
        ctx = replace(self._means.page(self._ctx), follow=self._stay)
        try:
            answer = await self._means.pages.get(ctx, url)
        except _Elsewhere:
            return None
        except Refused as error:
            self.notes.append(f"{safe_url(url)} was not read: {error.message}")
            return None
        except PageFailed as error:
            self.notes.append(f"{safe_url(url)} was not read: {error.message}")
            self.complete = False
            return None
        if answer.broken_off:
            self.complete = False
        if answer.truncated:
            self.notes.append(f"only the beginning of {safe_url(url)} was read")
        return answer if answer.status in _OK else None

    def _stay(self, url: str) -> None:
        place = self._site.place(url)
        if place is None or not self._robots.allows(place.url):
            raise _Elsewhere(url)
