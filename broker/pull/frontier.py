"""What is read next, and what never. Pure; for one event loop.

Pages near the beginning come first, then those that the site lists, then what only deep pages lead
to. An address becomes known once and for all. What seems to have no end is left out, unless the
site itself lists it: chains of addresses that only count on (`?month=5`, `?month=6`, …), paths that
repeat themselves, many queries of one path.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from broker.pull.scope import Place, Scope

MAX_KNOWN = 50_000
"""Addresses that are remembered; those beyond are not read."""
MAX_STEPS = 25
"""How many addresses in a row may differ from the page that led to them in numbers only."""
MAX_COUNTED = 100
"""Addresses that differ in numbers only and were found from one another."""
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
    """How many links before it have only counted on."""


LISTED = 1_000
"""The depth of what the site lists and no page has led to."""


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
        self.trapped = 0
        """Addresses that were left out as endless."""
        self._place = lru_cache(maxsize=_REMEMBERED)(scope.place)  # menus are on every page
        self._allowed = allowed
        self._known: set[str] = set()
        self._waiting: dict[str, Spot] = {}
        self._heap: list[tuple[int, int, Spot]] = []
        self._queries: Counter[str] = Counter()
        self._counted: Counter[str] = Counter()
        self._count = 0

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def offer(self, url: str, depth: int, *, after: Spot | None = None) -> Spot | None:
        """An address that a page leads to, or that the site lists.

        Args:
            url: absolute.
            depth: links from the beginning, or `LISTED`.
            after: the page that leads to it.

        Returns:
            What has become known, whether it may be read or not; None where that is nothing.
        """
        place = self._place(url)
        if place is None or _is_asset(place.path):
            return None
        spot = Spot(place, depth, _steps(place, after))
        if place.key in self._known:
            return self._nearer(spot)
        listed = depth == LISTED
        if len(self._known) >= MAX_KNOWN or (not listed and self._is_endless(spot)):
            self.trapped += 1
            return None
        self._known.add(place.key)
        if not self._allowed(place.url):
            self.refused[place.key] = place
            return spot
        self._queries[place.key.partition("?")[0]] += 1
        self._counted[_shape(place.key)] += spot.steps > 0
        self._push(spot)
        return spot

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
        if waiting is not None and _rank(spot.depth) < _rank(waiting.depth):
            self._push(Spot(waiting.place, spot.depth, min(spot.steps, waiting.steps)))
        return None

    def _push(self, spot: Spot) -> None:
        self._waiting[spot.place.key] = spot
        self._count += 1
        heappush(self._heap, (_rank(spot.depth), self._count, spot))

    def _is_endless(self, spot: Spot) -> bool:
        key = spot.place.key
        path, query, _ = key.partition("?")
        segments = [segment for segment in path.split("/") if segment]
        return (
            spot.steps > MAX_STEPS
            or (spot.steps > 0 and self._counted[_shape(key)] >= MAX_COUNTED)
            or len(key) > _LONGEST_KEY
            or len(segments) > _MAX_SEGMENTS
            or (bool(segments) and max(Counter(segments).values()) > _MAX_REPEATS)
            or (bool(query) and self._queries[path] >= MAX_QUERIES)
        )


def _rank(depth: int) -> int:
    if depth == LISTED:
        return _NEAR + 1
    return depth if depth <= _NEAR else depth + 1


def _steps(place: Place, after: Spot | None) -> int:
    """How many links in a row have changed nothing but numbers."""
    if after is None:
        return 0
    before, this = after.place.key, place.key
    return after.steps + 1 if before != this and _shape(before) == _shape(this) else 0


def _shape(key: str) -> str:
    return _NUMBERS.sub("0", key)


def _is_asset(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    ending = name.rpartition(".")[2] if "." in name else ""
    return ending in _ASSETS or name in _NO_PAGES or _ASSET_FOLDERS.search(path) is not None
