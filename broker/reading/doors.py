"""Sites that are read by their own doors, an API or a better address; the page where that fails.

A site says in a conversation what it wants brought; here it is brought, by the same client and the
same way as any page. What it makes of it is the document. Where it makes nothing, the address is
read in the ordinary way and the document's warnings say why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from broker.errors import BrokerError, Phase, SiteFailed, TimedOut
from broker.models import Progress
from broker.reading.drafts import from_markdown
from broker.reading.records import Render
from broker.reading.seen import Errand, Got, host_of
from broker.reading.turns import Turns
from broker.redact import safe_url
from broker.sites import site_of
from broker.sites.base import Get, Read, Reply, Text, Together, Visit
from broker.trace import Event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from urllib.parse import SplitResult

    from broker.context import RequestContext
    from broker.lanes.cooldown import Cooldowns
    from broker.lanes.pacing import Pacers
    from broker.reading.drafts import Draft
    from broker.reading.judging import Judged, Material
    from broker.reading.parts import Fetched, Pages
    from broker.settings import Settings
    from broker.sites.base import Conversation, Piece, Site, Step

API = "api"
_SHARE = 0.6
_MOST_S = 12.0
"""What a site may take of the time that is left, so that its page can still be read after it."""
_LEAST_COOLDOWN_S = 30.0
_MARGIN_S, _MARGIN_SHARE = 0.5, 0.1
"""Kept of a site's time, and the most of it, for making a document of what came: what hangs must
not take what is there already with it."""


class Ordinary(Protocol):
    """How any page is read: `broker.reading.way.Way`."""

    async def read(self, ctx: RequestContext, errand: Errand) -> Got | None:
        """One page; None says that it has not changed.

        Raises:
            BrokerError: there is none.
        """
        ...

    async def judged(self, ctx: RequestContext, material: Material) -> Judged:
        """What a file is.

        Raises:
            BrokerError: it cannot be converted.
        """
        ...


class Doors:
    """Reads addresses by their sites' own doors, and all others in the ordinary way.

    Args:
        way: the ordinary way.
        pages: what brings bytes over HTTP.
        cooldowns: where refusals are remembered.
        settings: where the sites are reached.
        pacers: the turns at providers.
        now: the wall clock.
    """

    def __init__(
        self,
        way: Ordinary,
        pages: Pages,
        cooldowns: Cooldowns,
        settings: Settings,
        *,
        pacers: Pacers,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._way = way
        self._pages = pages
        self._cooldowns = cooldowns
        self._settings = settings
        self._turns = Turns(cooldowns, pacers)
        self._now = now

    async def read(self, ctx: RequestContext, errand: Errand) -> Got | None:
        """Read one address by `ctx.deadline`; None says that it has not changed.

        Raises:
            BrokerError: there is no document, and this is why.
        """
        parts = urlsplit(errand.url)
        site = site_of(parts.hostname or "") if _has_usual_port(parts) else None
        if site is None or errand.markup or errand.render is Render.ALWAYS:
            return await self._way.read(ctx, errand)
        # In a thread: a site's module is loaded by its first page.
        visit = Visit(url=errand.url, parts=parts, settings=self._settings, now=self._now())
        try:
            talk = await anyio.to_thread.run_sync(_begun, site, visit)
            got = None if talk is None else await self._by_site(ctx, errand, site, talk)
        except BrokerError as error:
            if isinstance(error, SiteFailed) and error.conclusive:
                error.url = error.url or safe_url(errand.url)
                raise
            return await self._all_the_same(ctx, errand, site, error)
        return got or await self._way.read(ctx, errand)

    async def judged(self, ctx: RequestContext, material: Material) -> Judged:
        """What a file of this machine is: it has no door of its own.

        Raises:
            BrokerError: it cannot be converted.
        """
        return await self._way.judged(ctx, material)

    # --- the ordinary way, when the door is shut -----------------------------------------------

    async def _all_the_same(
        self, ctx: RequestContext, errand: Errand, site: Site, failure: BrokerError
    ) -> Got | None:
        ctx.trace.event(Event.READING_SITE, site=site.name, code=failure.code)
        why = f"not read from {site.title}'s own interface: {failure.message}"
        # What the page's condition would say is of the page, not of the document that is known.
        plain = replace(errand, etag=None, last_modified=None)
        try:
            got = await self._way.read(ctx, plain)
        except BrokerError as error:
            if error.message != failure.message:  # such as that of a host that has no address
                error.args = (f"{error.message}; {why}", *error.args[1:])
            if error.retry_after_s is None and failure.retry_after_s is not None:
                error.retryable, error.retry_after_s = True, failure.retry_after_s
            raise
        return None if got is None else replace(got, warnings=(why, *got.warnings))

    # --- by the site -----------------------------------------------------------------------------

    async def _by_site(
        self, ctx: RequestContext, errand: Errand, site: Site, talk: Conversation
    ) -> Got:
        cooldown = f"site.{site.name}"
        await self._respected(ctx, cooldown)
        deadline = ctx.deadline.capped(min(_MOST_S, _SHARE * ctx.deadline.remaining_s()))
        margin_s = min(_MARGIN_S, _MARGIN_SHARE * deadline.remaining_s())
        inner = ctx.until(deadline.earlier_by(margin_s))
        respected = partial(self._respected, inner, cooldown)
        means = _Means(self._pages, self._way, self._turns, respected)
        steps = _Steps(means, inner, errand)
        ctx.progress(Progress(query_index=errand.index, provider=API, step="get", detail=site.name))
        with deadline.scope():
            try:
                piece = await _spoken(talk, steps)
            except _LeftAlone:
                raise
            except SiteFailed as error:
                if error.code == "rate_limited":
                    wait_s = max(error.retry_after_s or 0.0, _LEAST_COOLDOWN_S)
                    name = _cooldown(cooldown, error.url)
                    await self._cooldowns.start(ctx, name, error.code, fixed_s=wait_s)
                raise
            if piece.leave_alone_s is not None:
                await self._cooldowns.start(
                    ctx, cooldown, "rate_limited", fixed_s=piece.leave_alone_s
                )
            draft = await anyio.to_thread.run_sync(_draft, piece, abandon_on_cancel=True)
            ctx.trace.event(Event.READING_SITE, site=site.name, chars=len(draft.body.markdown))
            return Got(
                draft=draft, kind="content", via=API, final_url=piece.url, warnings=piece.warnings
            )
        message = f"{site.title} gave no answer in time"
        raise TimedOut(message, url=safe_url(errand.url), phase=Phase.WAITING)

    async def _respected(self, ctx: RequestContext, cooldown: str, url: str = "") -> None:
        record = await self._cooldowns.find(ctx, _cooldown(cooldown, url))
        if record is not None and record.left_s > 0:
            message = f"it asked to be left alone for {record.left_s:.0f} s more"
            raise _LeftAlone(record.code, message, retry_after_s=record.left_s)


class _LeftAlone(SiteFailed):
    """A cooldown is running: the site, or one of its hosts, was not asked."""


def _cooldown(site: str, url: str) -> str:
    """The name of a cooldown: of one host of a site where an address is given."""
    return f"{site}.{host_of(url)}" if url else site


@dataclass(frozen=True, slots=True)
class _Means:
    """What steps are done with."""

    pages: Pages
    way: Ordinary
    turns: Turns
    respected: Callable[[str], Awaitable[None]]
    """Raises where the host of an address is to be left alone."""


class _Steps:
    """Does what a conversation asks for."""

    def __init__(self, means: _Means, ctx: RequestContext, errand: Errand) -> None:
        self._means = means
        self._ctx = ctx
        self._errand = errand

    async def done(self, step: Step) -> Reply | Text | tuple[Reply | Text | BrokerError, ...]:
        """What came of a step.

        Raises:
            BrokerError: nothing did.
        """
        if not isinstance(step, Together):
            return await self._one(step)
        came: dict[int, Reply | Text | BrokerError] = {}

        async def one(index: int, each: Get | Read) -> None:
            try:
                came[index] = await self._one(each)
            except BrokerError as error:
                came[index] = error

        async with anyio.create_task_group() as tasks:
            for index, each in enumerate(step.steps):
                tasks.start_soon(one, index, each)
        return tuple(came[index] for index in range(len(step.steps)))

    async def _one(self, step: Get | Read) -> Reply | Text:
        if isinstance(step, Get):
            await self._means.respected(step.url)
            return await self._reply(step)
        got = await self._means.way.read(self._ctx, Errand(url=step.url, index=self._errand.index))
        if got is None:  # only an errand with a condition is answered so
            raise SiteFailed("upstream", f"{host_of(step.url)} gave no page", url=step.url)
        return _text(got)

    async def _reply(self, step: Get) -> Reply:
        headers = dict(step.headers)
        if not step.provider:
            answer = await self._means.pages.get(
                self._ctx, step.url, accept=step.accept, headers=headers
            )
            return _reply(answer)
        async with self._means.turns.at(self._ctx, step.provider) as turn:
            answer = await self._means.pages.get_once(
                self._ctx, step.url, accept=step.accept, headers=headers
            )
            turn.status, turn.retry_after_s = answer.status, answer.retry_after_s
        return _reply(answer)


def _has_usual_port(parts: SplitResult) -> bool:
    """Whether an address is of a site itself, and not of what else listens on its host."""
    return parts.port in {None, 80, 443}


def _begun(site: Site, visit: Visit) -> Conversation | None:
    try:
        return site.converse(visit)
    except Exception as error:  # as in `_moved`
        message = f"its address is not what it should be ({type(error).__name__})"
        raise SiteFailed("unparseable", message) from error


async def _spoken(talk: Conversation, steps: _Steps) -> Piece:
    """The conversation to its end; in threads, for it parses whatever comes.

    Raises:
        BrokerError: it has no document.
    """

    async def resumed(move: Callable[[], Step]) -> Step | Piece:
        return await anyio.to_thread.run_sync(_moved, move, abandon_on_cancel=True)

    step = await resumed(partial(next, talk))
    while isinstance(step, Get | Read | Together):
        try:
            came = await steps.done(step)
        except BrokerError as error:
            step = await resumed(partial(talk.throw, error))
        else:
            step = await resumed(partial(talk.send, came))
    return step


def _moved(move: Callable[[], Step]) -> Step | Piece:
    try:
        return move()
    except StopIteration as end:
        piece: Piece = end.value
        return piece
    except BrokerError:
        raise
    except (
        Exception
    ) as error:  # a site that sends what nobody expected costs its door, not the page
        message = f"its answer is not what it should be ({type(error).__name__})"
        raise SiteFailed("unparseable", message) from error


def _reply(answer: Fetched) -> Reply:
    return Reply(
        url=answer.final_url,
        status=answer.status,
        headers=answer.headers,
        body=answer.body,
        media_type=answer.media_type,
        retry_after_s=answer.retry_after_s,
        truncated=answer.truncated,
    )


def _text(got: Got) -> Text:
    draft = got.draft
    return Text(
        url=got.final_url,
        markdown=draft.body.markdown,
        title=draft.title,
        byline=draft.byline,
        published=draft.published,
        lang=draft.lang,
        warnings=got.warnings,
    )


def _draft(piece: Piece) -> Draft:
    made = from_markdown(piece.markdown, title=piece.title)
    return replace(
        made,
        byline=piece.byline or made.byline,
        published=piece.published or made.published,
        lang=piece.lang or made.lang,
        canonical=piece.url,
    )
