"""From an address to a file's name that any disk takes and no address leads astray. Pure.

Names follow the address: `/guide/install.html` is `guide/install.md`, a folder's own page is its
`index.md`. Whatever a disk or a shell would take for more than a name is replaced; no two files
differ in case or composition alone; and no part of a name comes from the address unseen.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from broker.pull.scope import Place, Scope

MAX_NAME_BYTES = 80
MAX_PATH_BYTES = 200
"""Windows stops at 260 characters, the folder's own path included."""
_HASH_CHARS = 8

_PAGE_ENDING = re.compile(
    r"(?:\.(?:[xs]?html?|php\d?|aspx?|jspx?|cfm|md|mdx|markdown|txt|rst))+$", re.IGNORECASE
)
_PLAIN = "_.-+@,="
"""Signs that mean nothing to disks and shells inside a name."""
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)", re.IGNORECASE)
_SHELL_NAMES = frozenset({"", ".", ".."})


class Layout:
    """Hands out files for places; each name once, by what a careless disk takes for one name."""

    def __init__(self, scope: Scope) -> None:
        self._prefix = f"{scope.prefix}/"
        self._taken: dict[str, str] = {}

    def file(self, place: Place) -> str:
        """The file of a place, relative to the pull's folder, with `/` between its parts."""
        name = self._name(place)
        if self._taken.get(_folded(name), place.key) != place.key:
            name = _with_hash(name, place.key)
        self._taken[_folded(name)] = place.key
        return name

    def keep(self, file: str, key: str) -> None:
        """A file that an earlier run has handed out."""
        self._taken[_folded(file)] = key

    def _name(self, place: Place) -> str:
        parts = urlsplit(place.url)
        below = parts.path.removeprefix(self._prefix) if parts.path != self._prefix[:-1] else ""
        *folders, last = below.split("/")
        leaf = _PAGE_ENDING.sub("", last) or "index"
        for extra in (parts.query, parts.fragment):
            leaf += f" {extra}" if extra else ""
        segments = [*(_folder(each) for each in folders if each), f"{_segment(leaf)}.md"]
        name = "/".join(segments)
        if len(name.encode()) > MAX_PATH_BYTES:
            return f"long/{_hash(place.key)}.md"
        return name


def _folder(text: str) -> str:
    name = _segment(text)
    # A folder `guide.md` would stand in the way of the file of the same name.
    return f"{name}_" if name.lower().endswith(".md") else name


def _segment(text: str) -> str:
    """One part of a path: a plain name that means nothing to any system."""
    name = unicodedata.normalize("NFC", unquote(text, errors="replace"))
    plain = "".join(sign if _is_plain(sign) else " " for sign in name)
    name = "-".join(plain.split()).strip(".-")
    if name in _SHELL_NAMES:
        name = f"_{_hash(text)}"
    if _DEVICES.match(name):
        name = f"_{name}"
    encoded = name.encode("utf-8", "replace")
    if len(encoded) > MAX_NAME_BYTES:
        kept = encoded[: MAX_NAME_BYTES - _HASH_CHARS - 1].decode("utf-8", "ignore")
        name = f"{kept.rstrip(' .-')}-{_hash(text)}"
    return name


def _is_plain(sign: str) -> bool:
    # Marks are the vowels of Hindi and Thai.
    return sign in _PLAIN or sign.isalnum() or unicodedata.category(sign)[0] == "M"


def _with_hash(name: str, key: str) -> str:
    return f"{name.removesuffix('.md')}-{_hash(key)}.md"


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
