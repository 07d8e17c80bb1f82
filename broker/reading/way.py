"""The way from an address to a page: get, judge, render, ask the archives.

Each step is taken because of what the one before has shown: a page that needs scripts is rendered,
a wall sends to the archives, and everything that is read is judged, whoever it came from. What
cannot be read ends in an error that says which step said so; a wall's teaser comes along with it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.deadline import Deadline
from broker.errors import (
    BrokerError,
    BrowserError,
    Phase,
    Refused,
    RenderFailed,
    TimedOut,
)
from broker.models import Progress
from broker.reading.judging import REFUSALS, WALLS, Judged, Material, judged
from broker.reading.plain import PlainKind
from broker.reading.records import Render
from broker.reading.repeats import Repeats, verdict_of_repeat
from broker.reading.rescue import Rescued
from broker.reading.seen import Errand, Got, Seen, failed, host_of, unread
from broker.redact import safe_url
from broker.trace import Event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from broker.context import RequestContext
    from broker.reading.drafts import Draft
    from broker.reading.parts import Fetched, Pages, Rendered, Renders
    from broker.reading.rescue import Rescue

    Convert = Callable[[RequestContext, Material], Awaitable[Draft]]
    """Makes a document of a file that is no text. Raises a `BrokerError` where it cannot."""

HTTP = "http"
BROWSER = "browser"
_MARGIN_S = 0.02
"""Who brings bytes ends so much sooner than this module does, so that it can say in what."""
_A_FILE = "download"
"""The browser says that there is no page but a file, which needs none."""
_AT_ONCE = 4
"""Pages that are parsed at the same time."""

_NO_MARKUP = "it has no markup of its own (html): this is its text as Markdown or as it came"
_WHAT = {
    "login_wall": "asks for a login",
    "paywall": "shows a beginning and asks for a subscription",
    "bot_challenge": "shows a check against robots instead of the page",
    "consent_wall": "asks for consent before it shows the page",
}


class Way:
    """Reads pages; safe for any number at once.

    Args:
        pages: what brings pages over HTTP.
        rescue: what asks the archives; None where nobody is to be asked.
        renderer: what opens pages in a browser; None where there is none.
        no_browser: why, in words.
        convert: reads files that are no text; None where nothing does.
        compare: take a page that repeats another one of its host for a wall or an error. Pages of
            one site that differ in a few words below a long menu look the same by this measure.
    """

    def __init__(
        self,
        pages: Pages,
        rescue: Rescue | None,
        renderer: Renders | None,
        *,
        no_browser: str = "",
        convert: Convert | None = None,
        compare: bool = True,
    ) -> None:
        self._pages = pages
        self._rescue = rescue
        self._renderer = renderer
        self._no_browser = no_browser
        self._convert = convert
        self._repeats = Repeats() if compare else None
        self._parsing = anyio.Semaphore(_AT_ONCE)

    async def read(self, ctx: RequestContext, errand: Errand) -> Got | None:
        """Read one page by `ctx.deadline`; None says that it has not changed.

        Raises:
            BrokerError: there is none, and this is why.
        """
        if errand.render is Render.ALWAYS:
            try:
                return await self._decided(ctx, errand, await self._rendered(ctx, errand))
            except RenderFailed as error:
                if error.code != _A_FILE:
                    raise
                errand = _for_file(errand, error)
        return await self._gone_for(ctx, errand)

    # --- steps ---------------------------------------------------------------------------------

    async def _gone_for(self, ctx: RequestContext, errand: Errand) -> Got | None:
        answer = await self._fetched(ctx, errand)
        if answer.not_modified:
            return None
        until = Deadline(ctx.deadline.at_s + errand.parse_s)
        page = await self.judged(replace(ctx, deadline=until), _material(answer, errand))
        seen = Seen(
            via=HTTP,
            page=page,
            final_url=answer.final_url,
            status=answer.status,
            notes=_notes(answer),
            broken_off=answer.broken_off,
            etag=answer.etag,
            last_modified=answer.last_modified,
            retry_after_s=answer.retry_after_s,
        )
        return await self._decided(ctx, errand, seen)

    async def _fetched(self, ctx: RequestContext, errand: Errand) -> Fetched:
        _tell(ctx, errand, HTTP, "get", host_of(errand.url))
        with ctx.deadline.scope():
            inner = ctx.until(ctx.deadline.earlier_by(_MARGIN_S))
            return await self._pages.get(
                inner, errand.url, etag=errand.etag, last_modified=errand.last_modified
            )
        message = f"{host_of(errand.url)} gave no page in time"
        raise TimedOut(message, url=safe_url(errand.url), phase=Phase.WAITING)

    async def _rendered(self, ctx: RequestContext, errand: Errand) -> Seen:
        if self._renderer is None:
            raise BrowserError(self._no_browser or "there is no browser")
        _tell(ctx, errand, BROWSER, "render", host_of(errand.url))
        answer: Rendered | None = None
        with ctx.deadline.scope():
            inner = ctx.until(ctx.deadline.earlier_by(_MARGIN_S))
            answer = await self._renderer.render(inner, errand.url)
        if answer is None:
            message = f"the browser has not shown {host_of(errand.url)} in time"
            raise TimedOut(message, url=safe_url(errand.url), phase=Phase.RENDERING)
        material = Material(
            body=answer.html.encode("utf-8", "replace"),
            url=answer.final_url,
            status=answer.status,
            media_type="text/html",
            content_type="text/html; charset=utf-8",
            markup=errand.markup,
            ties=errand.ties,
        )
        page = await self.judged(ctx, material)
        notes = tuple(answer.notes)
        if not answer.settled:
            notes += ("the page was still changing when it was read",)
        return Seen(
            via=BROWSER,
            page=page,
            final_url=answer.final_url,
            status=answer.status or 200,
            notes=notes,
        )

    async def judged(self, ctx: RequestContext, material: Material) -> Judged:
        """What came, judged and read in a worker thread, and converted where it is a file.

        Raises:
            BrokerError: it is a file that cannot be converted, or the time was up.
        """
        # A page may take long to take apart, and is not waited for past the deadline.
        with ctx.deadline.scope():
            async with self._parsing:
                with ctx.trace.span(Event.READING_JUDGE, url=safe_url(material.url)) as span:
                    page = await anyio.to_thread.run_sync(judged, material, abandon_on_cancel=True)
                    span.set(
                        verdict=page.kind,
                        confidence=page.confidence,
                        chars=0 if page.draft is None else len(page.draft.body.markdown),
                    )
            if page.kind == "unsupported" and self._convert is not None:
                draft = await self._convert(ctx, material)
                page = replace(page, kind="content", draft=draft)
            if material.markup and page.draft is not None and page.plain is not PlainKind.HTML:
                notes = (*page.draft.notes, _NO_MARKUP)
                return replace(page, draft=replace(page.draft, notes=notes))
            return page
        is_web = "://" in material.url
        what = host_of(material.url) if is_web else material.url
        message = f"{what} came and was not made a document in time"
        url = safe_url(material.url) if is_web else ""
        raise TimedOut(message, url=url, phase=Phase.PROCESSING)

    # --- decisions -----------------------------------------------------------------------------

    async def _decided(self, ctx: RequestContext, errand: Errand, seen: Seen) -> Got:
        """What becomes of a page that was judged."""
        seen, repeated = self._compared(seen)
        kind, host = seen.page.kind, host_of(seen.final_url)
        _tell(ctx, errand, seen.via, "judged", kind)
        if kind in WALLS or seen.status in REFUSALS:
            what = f"{host} {_WHAT.get(kind, f'answers with the status {seen.status}')}"
            what += f" ({repeated})" if repeated else ""
            code = kind if kind in WALLS else f"http_{seen.status}"
            return await self._rescued(ctx, errand, code, what, seen)
        if seen.page.is_content:
            warnings = (f"served with the status {seen.status}",) if seen.status >= 400 else ()  # noqa: PLR2004
            got = seen.got(*warnings, *((repeated,) if repeated else ()))
            if got is not None:
                return got
        if kind == "js_shell":
            return await self._shell(ctx, errand, seen)
        raise unread(seen, errand, repeated)

    async def _shell(self, ctx: RequestContext, errand: Errand, seen: Seen) -> Got:
        """A page that scripts would fill."""
        host = host_of(seen.final_url)
        if seen.via == BROWSER:
            message = f"{host} shows no text even in a browser"
            raise failed("js_shell", message, errand, seen)
        if errand.render is Render.NEVER:
            message = f"{host} fills its page by scripts, and rendering is switched off (render)"
            raise failed("js_shell", message, errand, seen)
        try:
            rendered = await self._rendered(ctx, errand)
        except Refused:
            raise
        except BrokerError as error:
            if isinstance(error, RenderFailed) and error.code == _A_FILE:
                got = await self._gone_for(ctx, _for_file(errand, error))
                if got is not None:
                    return got
            what = f"{host} fills its page by scripts, and {error.message}"
            return await self._rescued(ctx, errand, "js_shell", what, seen)
        return await self._decided(ctx, errand, rendered)

    async def _rescued(
        self, ctx: RequestContext, errand: Errand, code: str, what: str, seen: Seen
    ) -> Got:
        """The page from an archive, where what the site gives is none."""
        if self._rescue is None:
            raise failed(code, what, errand, seen)
        _tell(ctx, errand, "archives", "archive", code)
        wall = seen.page.draft
        found = await self._rescue.copy_of(ctx, errand.url, wall)
        if isinstance(found, Rescued) and found.page.draft is not None:
            return Got(
                draft=found.page.draft,
                kind=found.page.kind,
                via=found.via,
                final_url=seen.final_url,
                warnings=(f"{what}: {found.warning}",),
            )
        reasons = () if isinstance(found, Rescued) else found.reasons
        message = "; ".join((what, *reasons))
        raise failed(code, message, errand, seen)

    def _compared(self, seen: Seen) -> tuple[Seen, str]:
        """The page, and a warning where another address of its host gave the same one."""
        if self._repeats is None or seen.page.kind != "content":
            return seen, ""
        twin = self._repeats.other(seen.final_url, seen.page)
        if twin is None:
            return seen, ""
        note = f"another address of this site gave the same text ({safe_url(twin)})"
        kind = verdict_of_repeat(seen.page)
        if kind is None:
            return seen, note
        return replace(seen, page=replace(seen.page, kind=kind)), note


def _for_file(errand: Errand, error: RenderFailed) -> Errand:
    """The same errand to a file that the page has led the browser to, which needs no browser."""
    url = error.location or errand.url
    return replace(errand, url=url, render=Render.NEVER, etag=None, last_modified=None)


def _material(answer: Fetched, errand: Errand) -> Material:
    return Material(
        body=answer.body,
        url=answer.final_url,
        status=answer.status,
        headers=dict(answer.headers),
        media_type=answer.media_type,
        content_type=answer.content_type,
        markup=errand.markup,
        ties=errand.ties,
    )


def _notes(answer: Fetched) -> tuple[str, ...]:
    notes = tuple(answer.notes)
    if answer.truncated and not notes:
        notes = ("only the beginning of the page was read",)
    return notes


def _tell(ctx: RequestContext, errand: Errand, via: str, step: str, detail: str) -> None:
    ctx.progress(Progress(query_index=errand.index, provider=via, step=step, detail=detail))
