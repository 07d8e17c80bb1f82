"""What is read next, and what never. Pure; for one event loop.

Pages near the beginning come first, then those that the site lists, then what only deep pages lead
to. An address becomes known once and for all. What seems to have no end is left out, unless the
site itself lists it: addresses that only count on (`?month=5`, `?month=6`, …) while their pages say
nothing new, paths that repeat themselves, many queries of one path. A series of chapters counts on
as well, but each of them says something else; what says nothing new is read last.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from broker.pull.scope import Place, Scope

MAX_KNOWN = 50_000
"""Addresses that are remembered; those beyond are not read."""
MAX_STEPS = 25
"""Pages in a row that may count on and say what others of their series say, but for numbers."""
MAX_COUNTED = 200
"""Addresses of a series that such pages lead to."""
MAX_SERIES = 1000
"""Addresses of a series that lead to one another, whatever they say."""
MAX_QUERIES = 100
"""Addresses of one path that differ in their query."""
_REMEMBERED = 10_000
_MAX_SEGMENTS = 20
_MAX_REPEATS = 2
_LONGEST_KEY = 1500
_NEAR = 2
"""Pages so many links from the beginning come before those that are only listed."""

_ASSETS = frozenset(
    {
        "7z", "aac", "apk", "atom", "avi", "avif", "bin", "bmp", "bz2", "class", "css",
        "csv", "deb", "dll", "dmg", "doc", "docx", "eot", "epub", "exe", "flac", "gif",
        "gz", "ico", "ics", "iso", "jar", "jpeg", "jpg", "js", "json", "jsonl", "less",
        "log", "m4a", "m4v", "map", "mjs", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg",
        "msi", "odp", "ods", "odt", "ogg", "otf", "pdf", "pkg", "png", "ppt", "pptx",
        "ps", "rar", "rpm", "rss", "rtf", "scss", "sig", "svg", "swf", "tar", "tgz",
        "tif", "tiff", "toml", "ttf", "tsv", "wasm", "wav", "webm", "webmanifest",
        "webp", "whl", "woff", "woff2", "xls", "xlsx", "xml", "xz", "yaml", "yml",
        "zip", "zst",
    }
)  # fmt: skip
"""How the names of files end that are no pages."""
_ASSET_FOLDERS = re.compile(
    r"/(?:_static|_images|_sources|_downloads|_next|assets|cdn-cgi|wp-json|wp-admin)/"
)
_NO_PAGES = frozenset({"llms.txt", "llms-full.txt", "robots.txt", "humans.txt", "security.txt"})
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that is known, and how it was come by."""

    place: Place
    depth: int
    """Links from the beginning; `LISTED` where no page has led to it yet."""
    steps: int = 0
    """How many pages in a row before it have only counted on and said nothing new."""


LISTED = 1_000
"""The depth of what the site lists and no page has led to."""
_LAST = 1_000_000
"""The rank of what is reached only by pages that say nothing new."""


class Frontier:
    """Known places, and those that wait.

    Args:
        scope: what belongs to the pull.
        allowed: whether robots.txt lets an address be read.
    """

    def __init__(self, scope: Scope, allowed: Callable[[str], bool]) -> None:
        self.scope = scope
        self.refused: dict[str, Place] = {}
        """What robots.txt forbids, by key."""
        self.place = lru_cache(maxsize=_REMEMBERED)(scope.place)  # menus are on every page
        """The place of an address; safe for threads."""
        self._trapped: dict[str, tuple[Place, str]] = {}
        """What was left out as endless, by key, and why."""
        self._allowed = allowed
        self._known: set[str] = set()
        self._waiting: dict[str, Spot] = {}
        self._heap: list[tuple[int, int, Spot]] = []
        self._queries: Counter[str] = Counter()
        self._counted: Counter[str] = Counter()
        self._series: Counter[str] = Counter()
        self._said: set[tuple[str, str]] = set()
        """What the pages of each series have said."""
        self._count = 0

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    @property
    def trapped(self) -> int:
        """How many addresses were left out as endless."""
        return len(self._trapped)

    def traps(self) -> list[tuple[str, int, str]]:
        """Why addresses were left out, how many for this reason, and one of them."""
        why = Counter(reason for _, reason in self._trapped.values())
        first = {reason: place.url for place, reason in reversed(self._trapped.values())}
        return [(reason, count, first[reason]) for reason, count in why.items()]

    def offer(self, url: str, depth: int, *, after: Spot | None = None) -> Spot | None:
        """An address that a page leads to, or that the site lists.

        Args:
            url: absolute.
            depth: links from the beginning, or `LISTED`.
            after: the page that leads to it.

        Returns:
            What has become known, whether it may be read or not; None where that is nothing.
        """
        place = self.place(url)
        if place is None or _is_asset(place.path):
            return None
        in_series = after is not None and _counts_on(after.place.key, place.key)
        spot = Spot(place, depth, after.steps if after is not None and in_series else 0)
        if place.key in self._known:
            return self._nearer(spot)
        if reason := self._left_out(spot, in_series=in_series):
            if len(self._trapped) < MAX_KNOWN:
                self._trapped.setdefault(place.key, (place, reason))
            return None
        self._trapped.pop(place.key, None)
        self._known.add(place.key)
        if not self._allowed(place.url):
            self.refused[place.key] = place
            return spot
        self._queries[place.key.partition("?")[0]] += 1
        self._counted[_shape(place.key)] += spot.steps > 0
        self._series[_shape(place.key)] += in_series
        self._push(spot)
        return spot

    def heard(self, spot: Spot, words: str) -> Spot:
        """A place whose page was read, as `offer` is to have it.

        Args:
            spot: as it was taken.
            words: equal for pages that differ in nothing but numbers.
        """
        said = (_shape(spot.place.key), words)
        is_new = said not in self._said
        self._said.add(said)
        return replace(spot, steps=0 if is_new else spot.steps + 1)

    def put_back(self, spot: Spot) -> None:
        """Have a place wait again that was taken."""
        self._push(spot)

    def left(self, done: Container[str]) -> int:
        """How many places are known, may be read, and are not among the keys in `done`."""
        return sum(key not in done and key not in self.refused for key in self._known)

    def take(self) -> Spot | None:
        """The next place to read; None where none waits."""
        while self._heap:
            _, _, spot = heappop(self._heap)
            if self._waiting.get(spot.place.key) is spot:
                del self._waiting[spot.place.key]
                return spot
        return None

    def claim(self, key: str) -> bool:
        """Take one place out of its turn: a redirect leads there. False where it was taken."""
        if key in self._known and key not in self._waiting:
            return False
        self._known.add(key)
        self._waiting.pop(key, None)
        return True

    def _nearer(self, spot: Spot) -> Spot | None:
        """The same place by a shorter way, where it still waits."""
        waiting = self._waiting.get(spot.place.key)
        if waiting is not None and _rank(spot) < _rank(waiting):
            depth, steps = min(spot.depth, waiting.depth), min(spot.steps, waiting.steps)
            self._push(Spot(waiting.place, depth, steps))
        return None

    def _push(self, spot: Spot) -> None:
        self._waiting[spot.place.key] = spot
        self._count += 1
        heappush(self._heap, (_rank(spot), self._count, spot))

    def _left_out(self, spot: Spot, *, in_series: bool) -> str:
        """Why a place is not to be read; empty where it is."""
        if len(self._known) >= MAX_KNOWN:
            return f"more than {MAX_KNOWN:,} addresses are known"
        return "" if spot.depth == LISTED else self._endless(spot, in_series=in_series)

    def _endless(self, spot: Spot, *, in_series: bool) -> str:
        """Why a place seems to be one of a number without end; empty where it does not."""
        key = spot.place.key
        path, query, _ = key.partition("?")
        segments = [segment for segment in path.split("/") if segment]
        counted = spot.steps > 0 and self._counted[_shape(key)] >= MAX_COUNTED
        if spot.steps > MAX_STEPS or counted:
            return "what leads there only counts on and says nothing new"
        if in_series and self._series[_shape(key)] >= MAX_SERIES:
            return f"more than {MAX_SERIES:,} addresses count on from one another"
        if len(key) > _LONGEST_KEY or len(segments) > _MAX_SEGMENTS:
            return "the path is too long"
        if segments and max(Counter(segments).values()) > _MAX_REPEATS:
            return "the path repeats itself"
        if query and self._queries[path] >= MAX_QUERIES:
            return f"more than {MAX_QUERIES} addresses differ in their query alone"
        return ""


def _rank(spot: Spot) -> int:
    if spot.steps:
        return _LAST + spot.steps
    if spot.depth == LISTED:
        return _NEAR + 1
    return spot.depth if spot.depth <= _NEAR else spot.depth + 1


def _counts_on(before: str, this: str) -> bool:
    """Whether two keys differ in nothing but numbers."""
    return before != this and _shape(before) == _shape(this)


def _shape(key: str) -> str:
    return _NUMBERS.sub("0", key)


def _is_asset(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    ending = name.rpartition(".")[2] if "." in name else ""
    return ending in _ASSETS or name in _NO_PAGES or _ASSET_FOLDERS.search(path) is not None
