"""A lane that asks a provider over HTTP: carries out its conversation, step by step."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from broker.errors import BrowserError, LaneFailed
from broker.fetch.http import FetchFailed
from broker.lanes.pacing import Pacer
from broker.models import LaneStatus
from broker.providers.base import Asked, Call, Found, HttpRequest, HttpResponse, Via
from broker.trace import Event, hashed, safe_url

if TYPE_CHECKING:
    from broker.browser.pool import TabPool
    from broker.context import RequestContext
    from broker.fetch.http import HttpClient
    from broker.lanes.cooldown import Cooldowns
    from broker.lanes.lane import LaneRun
    from broker.models import SearchQuery
    from broker.providers.base import Conversation, Provider
    from broker.settings import ProviderSettings
    from broker.store import Store

OVER_FETCH = 2
"""Hits asked for beyond what is wanted, so that dropping repetitions leaves enough."""

_DOUBLING = frozenset({"challenge", "blocked"})
"""Refusals that mean us: each further one doubles the cooldown."""
_FIXED_S = {"rate_limited": 60.0, "quota": 3600.0}
"""Refusals that pass by themselves, in seconds where the provider does not say when."""
_MAX_FIXED_S = 86_400.0
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
        self._provider = provider
        self._settings = settings
        self._client = client
        self._cooldowns = cooldowns
        self._tabs = tabs
        self._pacer = Pacer(provider.name, provider.pace(settings), store)
        self._memory: dict[str, str] = {}

    async def search(self, ctx: RequestContext, query: SearchQuery, run: LaneRun) -> None:
        """Fill `run` by `ctx.deadline`.

        Raises:
            LaneFailed: the provider refused, broke, or is left alone.
        """
        ctx.trace.event(Event.LANE_START, provider=self.name, query=hashed(query.text))
        if self.lacks is not None or self._provider.converse is None:
            run.end(LaneStatus.SKIPPED)
            raise LaneFailed("unavailable", self.lacks or "it cannot be asked over HTTP")
        record = await self._cooldowns.find(ctx, self.name)
        if record is not None and record.left_s > 0:
            run.end(LaneStatus.COOLING)
            message = f"left alone after {record.code}"
            raise LaneFailed(record.code, message, retry_after_s=record.left_s)
        call = Call(
            query=replace(query, max_hits=query.max_hits + OVER_FETCH),
            settings=self._settings,
            now=datetime.now(UTC),
            content=query.content,
            memory=self._memory,
        )
        try:
            await self._converse(ctx, self._provider.converse(call), call, run)
        except LaneFailed as error:
            if error.code == "query_too_long":
                run.end(LaneStatus.SKIPPED)
            raise await self._cooled(ctx, error) from error
        if record is not None:
            await self._cooldowns.clear(ctx, self.name)

    async def _converse(
        self, ctx: RequestContext, conversation: Conversation, call: Call, run: LaneRun
    ) -> None:
        page = 0
        answer = HttpResponse(status=0, url="")
        try:
            step = next(conversation)
            while True:
                if isinstance(step, HttpRequest):
                    answer = await self._exchange(ctx, step, call)
                elif isinstance(step, Asked):
                    run.put_compiled(step.compiled, step.cut)
                else:
                    page += 1
                    _take(run, page, step)
                step = conversation.send(answer)
        except StopIteration:
            run.exhausted = run.exhausted or not page
        finally:
            conversation.close()

    async def _exchange(
        self, ctx: RequestContext, request: HttpRequest, call: Call
    ) -> HttpResponse:
        async with self._pacer.turn(ctx, call.now):
            with ctx.trace.span(
                Event.HTTP_REQUEST, method=request.method, url=safe_url(request.url)
            ) as span:
                if request.via is Via.BROWSER:
                    response = await self._browse(ctx, request)
                else:
                    response = await self._send(request)
                span.set(status=response.status, bytes=len(response.body))
        return response

    async def _send(self, request: HttpRequest) -> HttpResponse:
        try:
            try:
                return await self._client.send(request)
            except FetchFailed as error:
                if error.reason not in _BROKEN:
                    raise
                return await self._client.send(request)
        except FetchFailed as error:
            raise LaneFailed(error.code, error.message) from error

    async def _browse(self, ctx: RequestContext, request: HttpRequest) -> HttpResponse:
        unanswered = HttpResponse(status=0, url=request.url)
        if self._tabs is None:
            return unanswered
        origin = request.url.partition("?")[0]
        try:
            async with self._tabs.lease(ctx) as tab:
                with tab.visiting(lambda url: url.partition("?")[0] == origin):
                    await tab.open(request.url)
                    report = await tab.next_report()
        except BrowserError:
            return unanswered
        return HttpResponse(status=report.status, url=report.url, body=report.html.encode())

    async def _cooled(self, ctx: RequestContext, error: LaneFailed) -> LaneFailed:
        """The refusal with how long the provider is left alone for it."""
        if error.code in _DOUBLING:
            cooldown = await self._cooldowns.start(ctx, self.name, error.code)
        elif error.code in _FIXED_S:
            stated_s = error.retry_after_s
            pause_s = _FIXED_S[error.code] if stated_s is None else min(stated_s, _MAX_FIXED_S)
            cooldown = await self._cooldowns.start(ctx, self.name, error.code, fixed_s=pause_s)
        else:
            return error
        return LaneFailed(error.code, error.message, retry_after_s=cooldown.left_s)


def _take(run: LaneRun, page: int, found: Found) -> None:
    run.put_page(page, found.hits)
    run.exhausted = run.exhausted or found.exhausted
    if found.remark is not None:
        run.remark(found.remark)
