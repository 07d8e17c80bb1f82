"""A lane that asks a provider over HTTP: carries out its conversation, step by step."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio.to_thread

from broker.browser.watch import TabPolicy, WatchPlan
from broker.errors import BrowserError, LaneFailed
from broker.fetch.http import FetchFailed
from broker.lanes.cooldown import LeftAlone, respect
from broker.lanes.pacing import Pacer
from broker.models import LaneStatus
from broker.providers.base import Asked, Call, HttpRequest, HttpResponse, Via
from broker.trace import Event, hashed, safe_url

if TYPE_CHECKING:
    from broker.browser.pool import TabPool
    from broker.context import RequestContext
    from broker.fetch.http import HttpClient
    from broker.lanes.cooldown import Cooldowns
    from broker.lanes.lane import LaneRun
    from broker.models import SearchQuery
    from broker.providers.base import Conversation, Found, Provider, Step
    from broker.settings import ProviderSettings
    from broker.store import Store

OVER_FETCH = 2
"""Hits asked for beyond what is wanted, so that dropping repetitions leaves enough."""

_DOUBLING = frozenset({"challenge", "blocked"})
"""Refusals that mean us: each further one doubles the cooldown."""
_FIXED_S = {"rate_limited": 60.0, "quota": 3600.0}
"""Refusals that pass by themselves, in seconds where the provider does not say when."""
_NOT_ASKED = frozenset({"query_too_long", "unavailable"})
"""The provider was not asked, because it could not help."""
_TRIES = 2
_BROKEN = frozenset({"ReadError", "RemoteProtocolError", "WriteError"})
"""Connections that broke, perhaps one that was kept too long: asked once more."""


class HttpLane:
    """One HTTP provider as a lane."""

    budget_s: float | None = None

    def __init__(
        self,
        provider: Provider,
        settings: ProviderSettings,
        *,
        client: HttpClient,
        store: Store,
        cooldowns: Cooldowns,
        tabs: TabPool | None,
    ) -> None:
        self.name = provider.name
        self.paid = provider.paid
        self.lacks = provider.lacks(settings)
        self.provider = provider
        self._settings = settings
        self._client = client
        self._cooldowns = cooldowns
        self._tabs = tabs
        self._pacer = Pacer(provider.name, provider.pace_for(settings), store)
        self._memory: dict[str, str] = {}

    def call(self, query: SearchQuery) -> Call:
        """What a conversation about `query` is told."""
        return Call(
            query=replace(query, max_hits=query.max_hits + OVER_FETCH),
            settings=self._settings,
            now=datetime.now(UTC),
            content=query.content,
            memory=self._memory,
        )

    async def search(self, ctx: RequestContext, query: SearchQuery, run: LaneRun) -> None:
        """Fill `run` by `ctx.deadline`.

        Raises:
            LaneFailed: the provider refused, broke, or is left alone.
        """
        ctx.trace.event(Event.LANE_START, provider=self.name, query=hashed(query.text))
        try:
            self._require_nothing()
            record = await self._cooldowns.find(ctx, self.name)
            respect(record)
            await self._client.prepare()  # before any turn is taken, since it takes a moment
            talk = _Talk(self, ctx, query, run)
            await talk.run()
        except LaneFailed as error:
            if error.code in _NOT_ASKED:
                run.end(LaneStatus.SKIPPED)
            raise await self._cooled(ctx, error) from error
        if record is not None or talk.was_refused:
            await self._cooldowns.clear(ctx, self.name, running=talk.was_refused)

    def _require_nothing(self) -> None:
        if self.lacks is not None:
            raise LaneFailed("unavailable", self.lacks)

    # --- one conversation's requests -----------------------------------------------------------

    async def exchange(
        self, ctx: RequestContext, request: HttpRequest, now: datetime
    ) -> HttpResponse:
        """Send one request of a conversation, in its turn.

        Raises:
            LaneFailed: it is not its turn in time, or no answer came.
        """
        if request.via is Via.BROWSER and self._tabs is None:
            return HttpResponse(status=0, url=request.url)
        if request.refused is not None:
            # Another way to the same answer. Should it not even be reached, the refusal stands.
            await self._cooldowns.start(ctx, self.name, request.refused)
        if request.via is Via.BROWSER and self._tabs is not None:
            await self._tabs.ready(ctx)  # a turn is not spent on a browser's start
        for tries_left in reversed(range(_TRIES)):
            async with self._pacer.turn(ctx, now):
                if request.refused is None:
                    # Somebody else may have been refused while this one waited for its turn.
                    respect(await self._cooldowns.find(ctx, self.name))
                try:
                    return await self._sent(ctx, request)
                except FetchFailed as error:
                    if error.reason not in _BROKEN or not tries_left:
                        host = urlsplit(request.url).hostname
                        message = f"{host} gave no answer: {error.reason}"
                        raise LaneFailed(error.code, message) from error
        raise AssertionError  # the last try returns or raises

    async def _sent(self, ctx: RequestContext, request: HttpRequest) -> HttpResponse:
        where = safe_url(request.url)
        with ctx.trace.span(Event.HTTP_REQUEST, method=request.method, url=where) as span:
            if request.via is Via.BROWSER and self._tabs is not None:
                response = await self._browse(ctx, request, self._tabs)
            else:
                response = await self._client.send(request)
            span.set(status=response.status, bytes=len(response.body))
        return response

    async def _browse(
        self, ctx: RequestContext, request: HttpRequest, tabs: TabPool
    ) -> HttpResponse:
        page, host = request.url.partition("?")[0], urlsplit(request.url).hostname or ""
        policy = TabPolicy(
            watch=WatchPlan(), may_visit=lambda url: url.partition("?")[0] == page, hosts=(host,)
        )
        try:
            async with tabs.lease(ctx, policy=policy) as tab:
                await tab.open(request.url)
                report = await tab.next_report()
        except BrowserError:
            return HttpResponse(status=0, url=request.url)
        return HttpResponse(status=report.status, url=report.url, body=report.html.encode())

    async def _cooled(self, ctx: RequestContext, error: LaneFailed) -> LaneFailed:
        """The refusal with how long the provider is left alone for it."""
        if isinstance(error, LeftAlone):
            return error
        if error.code in _DOUBLING:
            cooldown = await self._cooldowns.start(ctx, self.name, error.code)
        elif error.code in _FIXED_S:
            stated_s = error.retry_after_s
            pause_s = _FIXED_S[error.code] if stated_s is None else stated_s
            cooldown = await self._cooldowns.start(ctx, self.name, error.code, fixed_s=pause_s)
        else:
            return error
        return LaneFailed(error.code, error.message, retry_after_s=cooldown.left_s)


class _Talk:
    """One conversation, carried out step by step."""

    def __init__(
        self, lane: HttpLane, ctx: RequestContext, query: SearchQuery, run: LaneRun
    ) -> None:
        self._lane = lane
        self._ctx = ctx
        self._run = run
        self._call = lane.call(query)
        self._pages = 0
        self.was_refused = False
        """The provider refused one way and was asked in another."""

    async def run(self) -> None:
        """Do what the conversation wants done until it ends."""
        conversation = self._lane.provider.converse(self._call)
        answer = HttpResponse(status=0, url="")
        try:
            step = next(conversation, None)
            while step is not None:
                if isinstance(step, HttpRequest):
                    self.was_refused = self.was_refused or step.refused is not None
                    answer = await self._lane.exchange(self._ctx, step, self._call.now)
                    # An answer may take long to read, and is not waited for past the deadline.
                    step = await anyio.to_thread.run_sync(
                        _resumed, conversation, answer, abandon_on_cancel=True
                    )
                    continue
                if isinstance(step, Asked):
                    self._run.put_compiled(step.compiled, step.cut)
                else:
                    self._take(step)
                step = _resumed(conversation, answer)
            self._run.exhausted = self._run.exhausted or not self._pages
        finally:
            with suppress(ValueError):  # a thread that was not waited for may still be in it
                conversation.close()

    def _take(self, found: Found) -> None:
        self._pages += 1
        self._run.put_page(self._pages, found.hits)
        self._run.exhausted = self._run.exhausted or found.exhausted
        if found.remark is not None:
            self._run.remark(found.remark)


def _resumed(conversation: Conversation, answer: HttpResponse) -> Step | None:
    """The conversation's next step, or None at its end."""
    try:
        return conversation.send(answer)
    except StopIteration:
        return None
