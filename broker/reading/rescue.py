"""Pages behind a wall, from those who have a copy: the reader proxy and the Wayback Machine, raced.

Both are asked at the same time, and the first copy that is content wins: a reader's error inside a
200, an archived wall and an archived error page are none. Who refused us is left alone for a while,
by all processes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.errors import BrokerError, LaneFailed
from broker.lanes.cooldown import respect
from broker.reading import archives
from broker.reading.archives import READER, WAYBACK, Copy, NoCopy
from broker.reading.judging import Material, judged, judged_text
from broker.trace import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from broker.context import RequestContext
    from broker.lanes.cooldown import Cooldowns
    from broker.reading.drafts import Draft
    from broker.reading.judging import Judged
    from broker.reading.parts import Fetched, Pages
    from broker.reading.privacy import Privacy

_LEAST_S = 0.3
"""With less time than this nobody is asked: no copy would come."""
_LEAST_WORDS = 30
"""A copy with fewer is no page that anybody would put behind a wall."""
_SAME = 0.8
_RUN_WORDS = 4
_DOUBLING = frozenset({"blocked"})
_FIXED_S = {"rate_limited": 60.0, "quota": 3600.0, "auth": 3600.0}


@dataclass(frozen=True, slots=True)
class Archive:
    """Who has copies."""

    via: str
    """`reader` or `wayback`; also the name of its cooldown."""
    origin: str

    @property
    def title(self) -> str:
        """Its name for a person."""
        return "the reader proxy" if self.via == READER else "the Wayback Machine"


@dataclass(frozen=True, slots=True)
class Rescued:
    """A copy that is content."""

    via: str
    page: Judged
    warning: str


@dataclass(frozen=True, slots=True)
class Lost:
    """Nobody has one; `reasons` says it of each, in words."""

    reasons: tuple[str, ...]


class Rescue:
    """Asks the archives; safe for any number of pages at once.

    Args:
        pages: what brings their answers.
        archives: whom to ask; empty where that is switched off.
        privacy: says which addresses they are not told.
        cooldowns: where refusals are remembered.
        now: the wall clock, which tells how old a copy is.
    """

    def __init__(
        self,
        pages: Pages,
        archives: Sequence[Archive],
        privacy: Privacy,
        cooldowns: Cooldowns,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._pages = pages
        self._archives = archives
        self._privacy = privacy
        self._cooldowns = cooldowns
        self._now = now

    async def copy_of(
        self, ctx: RequestContext, url: str, wall: Draft | None = None
    ) -> Rescued | Lost:
        """The first copy of the page at `url` that is content; ends by `ctx.deadline`.

        `wall` is what the site itself showed: a copy that says the same is none.
        """
        if not self._archives:
            return Lost(("archives are switched off (reading.archives)",))
        if ctx.deadline.remaining_s() < _LEAST_S:
            return Lost(("no time was left to ask an archive",))
        race = _Race()
        with ctx.deadline.scope():
            async with anyio.create_task_group() as tasks:
                for archive in self._archives:
                    race.running.add(archive.via)
                    tasks.start_soon(self._enter, ctx, archive, _Wanted(url, wall), race)
                while race.won is None and race.running:
                    race.changed = anyio.Event()
                    await race.changed.wait()
                tasks.cancel_scope.cancel()
        if race.won is not None:
            return race.won
        running = [archive for archive in self._archives if archive.via in race.running]
        late = [f"{archive.title} gave no answer in time" for archive in running]
        return Lost((*race.reasons, *late))

    async def _enter(
        self, ctx: RequestContext, archive: Archive, wanted: _Wanted, race: _Race
    ) -> None:
        try:
            found = await self._asked(ctx, archive, wanted)
        except BrokerError as error:
            late = error.code == "timeout"
            found = f"{archive.title} gave no answer" + (" in time" if late else f" ({error.code})")
        ctx.trace.event(
            Event.READING_ARCHIVE, via=archive.via, won=isinstance(found, Rescued) and not race.won
        )
        race.running.discard(archive.via)
        if isinstance(found, str):
            race.reasons.append(found)
        elif race.won is None:
            race.won = found
        race.changed.set()

    async def _asked(self, ctx: RequestContext, archive: Archive, wanted: _Wanted) -> Rescued | str:
        url = wanted.url
        objection = await self._privacy.objection(url, archive.origin)
        if objection is not None:
            return f"{archive.title} was not asked: {objection}"
        record = await self._cooldowns.find(ctx, archive.via)
        try:
            respect(record)
        except LaneFailed as error:
            left_s = error.retry_after_s or 0
            return f"{archive.title} is left alone for {left_s:.0f} s ({error.code})"
        if archive.via == READER:
            answer = await self._pages.get(
                ctx, archives.reader_url(archive.origin, url), accept=archives.JSON
            )
        else:
            answer = await self._pages.get(ctx, archives.wayback_url(archive.origin, url))
        # In a thread: it parses whole pages.
        found = await anyio.to_thread.run_sync(
            _judged_copy, archive, answer, wanted, self._now(), abandon_on_cancel=True
        )
        if isinstance(found, NoCopy):
            await self._note(ctx, archive, found)
            return f"{archive.title}: {found.message}"
        if record is not None:
            await self._cooldowns.clear(ctx, archive.via)
        return found

    async def _note(self, ctx: RequestContext, archive: Archive, refusal: NoCopy) -> None:
        if refusal.code in _FIXED_S:
            pause_s = refusal.retry_after_s or _FIXED_S[refusal.code]
            await self._cooldowns.start(ctx, archive.via, refusal.code, fixed_s=pause_s)
        elif refusal.code in _DOUBLING and archive.via == WAYBACK:
            await self._cooldowns.start(ctx, archive.via, refusal.code)


@dataclass(frozen=True, slots=True)
class _Wanted:
    url: str
    wall: Draft | None


class _Race:
    def __init__(self) -> None:
        self.running: set[str] = set()
        self.reasons: list[str] = []
        self.won: Rescued | None = None
        self.changed = anyio.Event()


def _judged_copy(
    archive: Archive, answer: Fetched, wanted: _Wanted, now: datetime
) -> Rescued | NoCopy:
    """An archive's answer, taken apart and judged. Pure; runs in a worker thread."""
    if archive.via == READER:
        copy = archives.read_reader(answer, wanted.url)
    else:
        copy = archives.read_wayback(answer, wanted.url, archive.origin)
    if isinstance(copy, NoCopy):
        return copy
    page = _page(copy)
    if copy.status is not None and not 200 <= copy.status < 300:  # noqa: PLR2004
        return NoCopy("not_found", f"its copy has the status {copy.status}")
    if copy.walled:
        return NoCopy("walled", "it met a wall, too")
    if not page.is_content or page.draft is None:
        return NoCopy("walled", f"its copy is none of the page ({page.kind})")
    if page.draft.words < _LEAST_WORDS or _says_no_more(page.draft, wanted.wall):
        return NoCopy("walled", "its copy says no more than the site itself")
    origin = "as read by the reader proxy"
    if archive.via == WAYBACK:
        when = "" if copy.taken is None else f" {archives.age(copy.taken, now)}"
        origin = f"from the Wayback Machine's copy{when}"
    return Rescued(archive.via, page, f"the text is not from the site itself but {origin}")


def _says_no_more(copy: Draft, wall: Draft | None) -> bool:
    """Whether what a copy says stands on the wall, too."""
    if wall is None:
        return False
    said, known = _runs(copy), _runs(wall)
    return len(said & known) >= _SAME * len(said)


def _runs(draft: Draft) -> set[tuple[str, ...]]:
    """Every run of words of a page."""
    words = [word for block in draft.body.blocks for word in block.text.lower().split()]
    return {tuple(words[at : at + _RUN_WORDS]) for at in range(len(words) - _RUN_WORDS + 1)}


def _page(copy: Copy) -> Judged:
    if copy.draft is not None:
        return judged_text(copy.draft, copy.url, copy.status)
    media_type = copy.content_type.partition(";")[0].strip().lower()
    page = judged(
        Material(
            body=copy.body,
            url=copy.url,
            status=copy.status,
            media_type=media_type,
            content_type=copy.content_type,
        )
    )
    if page.draft is None:
        return page
    # A copy has no condition to be asked again with, and no other page of its host beside it.
    return replace(page, fingerprint=None)
