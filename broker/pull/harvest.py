"""From a place to its entry: read the page, see whether it is another one, write its file."""

from __future__ import annotations

import errno
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from broker.deadline import Deadline
from broker.errors import BrokenOff, Phase
from broker.fetch.schedule import HostSchedule
from broker.pull.disk import Unwritable
from broker.pull.frontier import Frontier
from broker.pull.layout import Layout
from broker.pull.leg import CUT_OFF, Leg, Moved
from broker.pull.page import MAX_LINKS, sheet, written
from broker.pull.records import Status
from broker.pull.state import Entry
from broker.reading.seen import Errand
from broker.redact import safe_url
from broker.store.file import wall_clock_s

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from broker.context import RequestContext
    from broker.egress.policy import EgressPolicy
    from broker.pull.frontier import Spot
    from broker.pull.page import Sheet
    from broker.pull.robots import Robots
    from broker.pull.scope import Place, Scope
    from broker.pull.state import Manifest
    from broker.reading.parts import Pages
    from broker.reading.seen import Got
    from broker.reading.way import Way

_PARSE_S = 120.0
"""Longest that a page may take to be taken apart, beyond its own time: 100,000 links take 25 s."""
AT_ONCE = 6
"""Pages under way: those that are fetched, and those that are parsed and written meanwhile."""
_OF_ONE_FILE = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG})
"""What is wrong with the disk for one file and not for all."""
_ITSELF = frozenset({Status.PULLED, Status.ALIAS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a pull works with."""

    pages: Pages
    """For the site's lists."""
    way: Way
    """For its pages: one that asks no archive and compares no pages."""
    policy: EgressPolicy
    page_s: float
    """Budget of one page in seconds."""

    def page(self, ctx: RequestContext) -> RequestContext:
        """The request for one page, which has its own time: a pull has none."""
        return replace(ctx, deadline=Deadline.after(self.page_s))


class Harvest:
    """Reads a site's pages into the folder; safe for any number at once.

    Args:
        ctx: the pull it is for.
        means: what it works with.
        manifest: where everything is remembered, and the folder beside it.
        scope: what belongs to the pull.
        robots: the site's rules.
    """

    def __init__(
        self, ctx: RequestContext, means: Means, manifest: Manifest, scope: Scope, robots: Robots
    ) -> None:
        self.frontier = Frontier(scope, robots.allows)
        self.layout = Layout(scope)
        self.robots = robots
        self.notes: list[str] = []
        """What was odd about the pages, a sentence each."""
        self._ctx = ctx
        self._means = means
        self._manifest = manifest
        self._turns = HostSchedule(in_flight=AT_ONCE, gap_s=robots.delay_s)
        self._digests = {entry.digest: entry.key for entry in manifest.pulled()}

    async def visit(self, spot: Spot, *, first: bool = False) -> Entry:
        """Read a page and remember what became of it.

        Args:
            spot: which one.
            first: whether it is the beginning of the pull, which may turn out to be elsewhere.

        Raises:
            Moved: it is.
            Unwritable: the folder cannot be written.
        """
        leg = Leg(spot, self.frontier, self.robots, first=first)
        read: tuple[Got, Sheet] | None = None
        try:
            read = await self._read(leg)
            entry = self._entry(leg, *read)
        except Moved:
            raise
        except Exception as error:  # noqa: BLE001 - a mistake of ours costs one page
            entry = leg.ended(error)
        if first:
            await self.begin(spot.place.url)
        if read is not None and entry.status is Status.PULLED:
            entry = await self._written(entry, *read)
        await self.remember([entry, *self._other_names(leg, entry)])
        return entry

    async def begin(self, url: str) -> None:
        """Remember that the pull begins here.

        Raises:
            Unwritable: it cannot be written.
        """
        await self._on_disk(self._manifest.put_scope, self.frontier.scope, url)

    async def remember(self, entries: Sequence[Entry]) -> None:
        """Have entries in the manifest.

        Raises:
            Unwritable: it cannot be written.
        """
        await self._on_disk(self._manifest.put, *entries)

    async def remember_listed(self, urls: Sequence[str]) -> None:
        """Have what the site lists in the manifest.

        Raises:
            Unwritable: it cannot be written.
        """
        await self._on_disk(self._manifest.put_listed, urls)

    # --- reading -------------------------------------------------------------------------------

    async def _read(self, leg: Leg) -> tuple[Got, Sheet]:
        async with self._turns.turn(""):
            ctx = replace(self._means.page(self._ctx), follow=leg.follow)
            errand = Errand(url=leg.place.url, ties=True, parse_s=_PARSE_S)
            got = await self._means.way.read(ctx, errand)
        assert got is not None  # noqa: S101 - nothing was known that could be unchanged
        leg.landed(got.final_url)
        if got.broken_off:
            shown = safe_url(leg.place.url)
            message = f"{shown} broke off in the middle of the page"
            raise BrokenOff(CUT_OFF, message, url=shown, phase=Phase.DOWNLOADING)
        self._to_canonical(leg, got.draft.canonical)
        return got, await anyio.to_thread.run_sync(self._sheet, got)

    def _sheet(self, got: Got) -> Sheet:
        """What a page gives; blocks, so that the loop finds the places of its links known."""
        page = sheet(got)
        for href in page.hrefs:
            self.frontier.place(href)
        return page

    def _to_canonical(self, leg: Leg, stated: str | None) -> None:
        """Take a page for the one that it says it is, where they differ in the query alone.

        Who states another path may well be wrong: whole sites name their first page so. Two such
        pages are one only if they say the same, which is looked at when both are read.

        Raises:
            Astray: that one is known already.
        """
        place = None if stated is None else self.frontier.scope.place(stated)
        if place is None or _path(place) != _path(leg.place) or not self.robots.allows(place.url):
            return
        known = self._manifest.entries.get(place.key)
        if known is None or known.status in _ITSELF:
            leg.go(place)

    def _entry(self, leg: Leg, got: Got, page: Sheet) -> Entry:
        """The entry of a page that was read, which is another name of one or becomes a file."""
        spot = self.frontier.heard(replace(leg.spot, place=leg.place), page.words)
        found = [self.frontier.offer(href, spot.depth + 1, after=spot) for href in page.hrefs]
        entry = Entry(
            key=spot.place.key,
            url=spot.place.url,
            status=Status.PULLED,
            depth=spot.depth,
            steps=spot.steps,
            words=page.words,
            found=tuple(each.place.url for each in found if each is not None),
        )
        if page.unfollowed:
            self.notes.append(
                f"{page.unfollowed:,} links of {safe_url(entry.url)} were not followed, "
                f"only the first {MAX_LINKS:,}"
            )
        twin = self._digests.setdefault(page.digest, entry.key)
        if twin != entry.key:
            return replace(entry, status=Status.ALIAS, same_as=twin)
        return replace(
            entry,
            file=self.layout.file(spot.place),
            title=page.title,
            etag=got.etag,
            digest=page.digest,
            slugs=page.slugs,
            anchors=page.anchors,
        )

    # --- writing -------------------------------------------------------------------------------

    async def _written(self, entry: Entry, got: Got, page: Sheet) -> Entry:
        """The entry with its page on disk, or the reason why that cannot be."""
        data = written(page, url=entry.url, etag=got.etag, now_s=wall_clock_s())
        try:
            await anyio.to_thread.run_sync(self._manifest.folder.write, entry.file, data)
        except OSError as error:
            if error.errno not in _OF_ONE_FILE:
                raise self._unwritable(error) from error
            del self._digests[page.digest]
            reason = f"{entry.file} cannot be written: {error.strerror}"
            return replace(entry, status=Status.FAILED, file="", code="unwritable", reason=reason)
        return entry

    async def _on_disk(self, job: Callable[..., None], *arguments: object) -> None:
        try:
            await anyio.to_thread.run_sync(job, *arguments)
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> Unwritable:
        path = self._manifest.folder.path
        return Unwritable(f"the folder {path} cannot be written: {error.strerror}")

    @staticmethod
    def _other_names(leg: Leg, entry: Entry) -> list[Entry]:
        """The further addresses of a page's way: names of the page, or no page as it is none."""
        others = [place for place in (*leg.passed, leg.place) if place.key != entry.key]
        if entry.status in _ITSELF or entry.code == CUT_OFF:
            return [
                Entry(key=place.key, url=place.url, status=Status.ALIAS, same_as=entry.key)
                for place in others
            ]
        return [replace(entry, key=place.key, url=place.url) for place in others]


def _path(place: Place) -> str:
    return place.key.partition("?")[0]
