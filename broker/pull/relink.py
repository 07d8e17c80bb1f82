"""Links between pulled pages made to lead from file to file. Blocks; meant for a worker thread.

Done when the walk has ended, over all files, since only then it is known which pages there are. It
may be done again at any time: what leads to a file already stays, and files of later runs are found
by the addresses that still stand.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from broker.pull.links import relative, rewritten
from broker.pull.page import split
from broker.pull.records import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.pull.scope import Scope
    from broker.pull.state import Entry, Manifest

_MOST_ALIASES = 10
"""An alias of an alias and so on."""


def relink(manifest: Manifest) -> int:
    """Rewrite the files whose links can be led to others; how many were.

    Raises:
        OSError: the disk does not take a file.
    """
    if manifest.scope is None:
        return 0
    where = _finder(manifest, manifest.scope)
    changed = 0
    for entry in manifest.pulled():
        try:
            text = manifest.folder.read(entry.file).decode()
        except (FileNotFoundError, UnicodeDecodeError):
            continue  # somebody else has been here; what they did is theirs
        _, start = split(text)
        body = rewritten(text[start:], _changer(entry, where))
        if body != text[start:]:
            manifest.folder.write(entry.file, (text[:start] + body).encode())
            changed += 1
    return changed


def _changer(entry: Entry, where: Callable[[str], Entry | None]) -> Callable[[str], str | None]:
    def change(target: str) -> str | None:
        if not target.startswith(("http://", "https://")):
            return None
        page = where(target)
        if page is None:
            return None
        return relative(entry.file, page.file, _slug(page, unquote(target.partition("#")[2])))

    return change


def _slug(page: Entry, fragment: str) -> str:
    """The heading's name that a fragment means; empty where it means none."""
    place = page.anchors.get(fragment)
    if place is not None and place < len(page.slugs):
        return page.slugs[place]
    return fragment if fragment in page.slugs else ""


def _finder(manifest: Manifest, scope: Scope) -> Callable[[str], Entry | None]:
    """Which page's file an address leads to."""

    @cache
    def find(url: str) -> Entry | None:
        place = scope.place(url)
        entry = None if place is None else manifest.entries.get(place.key)
        for _ in range(_MOST_ALIASES):
            if entry is None or entry.status is not Status.ALIAS:
                break
            entry = manifest.entries.get(entry.same_as)
        return entry if entry is not None and entry.status is Status.PULLED else None

    return find
