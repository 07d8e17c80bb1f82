"""Which addresses belong to a pull, and when two of them are the same page. Pure.

A pull keeps to one host and one path, and asks for every page by one origin, whichever of http,
https and `www.` a link names. Two addresses are one page if they differ in nothing but tracking
parameters, the order of parameters, escapes, a slash at the end, the name of a folder's index, or
`.md` at the end, under which sites offer a page's Markdown (llms.txt).
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cache
from typing import Self
from urllib.parse import urlsplit

from broker.egress.locate import AddressInvalid, locate
from broker.fusion import url_identity

_INDEX = re.compile(r"/(?:index|default)(?:\.(?:x?html?|php|aspx?|jsp|md))*$", re.IGNORECASE)
_MARKDOWN = re.compile(r"\.(?:md|mdx|markdown)$", re.IGNORECASE)
_PAGE_FILE = re.compile(
    r"\.(?:[xs]?html?|php\d?|aspx?|jspx?|cfm|md|mdx|markdown|txt|rst)$", re.IGNORECASE
)
_PLAIN = re.compile(r"(?:/[\w~-][\w.~-]*)*/?", re.ASCII)
"""A path that is written in the one way that there is to write it."""
_SLASHES = re.compile(r"//+")
_ROUTES = ("/", "!")
"""What a fragment begins with that names a page of a single-page application."""


@dataclass(frozen=True, slots=True)
class Place:
    """One page's address within a scope."""

    key: str
    """Equal for all addresses of the page: path, query and route."""
    url: str
    """To ask for it."""

    @property
    def path(self) -> str:
        """The path to ask for."""
        return urlsplit(self.url).path


@dataclass(frozen=True, slots=True)
class Scope:
    """One host and the beginning of a path."""

    origin: str
    """`scheme://host[:port]`, as pages are asked for."""
    prefix: str
    """The path that pages have or go on from, without a slash at its end; empty for all."""

    @classmethod
    def of(cls, url: str) -> Self:
        """The scope that an address names.

        It is the address and what is below it, or the folder of a file (`/docs/intro.html`).

        Raises:
            AddressInvalid: it is no address.
        """
        parts = urlsplit(locate(url).url)
        path = _resolved(urlsplit(url_identity(f"https://host{parts.path}")).path)
        if _PAGE_FILE.search(path) or _INDEX.search(path):
            path = path.rpartition("/")[0]
        host = parts.netloc.rpartition("@")[2]
        return cls(f"{parts.scheme}://{host}", path.rstrip("/"))

    def place(self, url: str) -> Place | None:
        """The address as a place of this scope; None where it is none, or no address."""
        written = url.removeprefix(self.origin)
        if len(written) < len(url) and _PLAIN.fullmatch(written):  # most are: ten times as fast
            path, rest, is_folder = written.rstrip("/"), "", written.endswith("/")
        elif (taken := self._taken_apart(url)) is not None:
            path, rest, is_folder = taken
        else:
            return None
        slash = "/" if path and is_folder else ""
        key = _MARKDOWN.sub("", _INDEX.sub("", path)) or "/"
        key = _INDEX.sub("", key) or "/"  # index.html.md
        if not (key == self.prefix or f"{key.rstrip('/')}/".startswith(f"{self.prefix}/")):
            return None
        return Place(key + rest, f"{self.origin}{path}{slash or ('' if path else '/')}{rest}")

    def _taken_apart(self, url: str) -> tuple[str, str, bool] | None:
        """Path, query and route, and whether it names a folder; None where it is not our host's."""
        try:
            plain = locate(url).url
        except AddressInvalid:
            return None
        fragment = url.partition("#")[2]
        route = f"#{fragment}" if fragment.startswith(_ROUTES) else ""
        same = urlsplit(url_identity(plain + route))
        if same.netloc != _host(self.origin):
            return None
        rest = (f"?{same.query}" if same.query else "") + (route and f"#{same.fragment}")
        return _resolved(same.path), rest, _ends_in_folder(plain)

    def moved(self, url: str) -> Scope:
        """The scope of a pull that turns out to begin at `url`.

        Raises:
            AddressInvalid: it is no address.
        """
        new = Scope.of(url)
        same = Scope(new.origin, self.prefix)
        return new if same.place(url) is None else same


@cache
def _host(origin: str) -> str:
    """Host and port as identities have them."""
    return urlsplit(url_identity(origin)).netloc


def _ends_in_folder(url: str) -> bool:
    path = urlsplit(url).path
    return path.endswith(("/", "/.", "/.."))


def _resolved(path: str) -> str:
    """A path without `.` and `..` and with single slashes; empty for the root."""
    if not path.strip("/"):
        return ""
    return posixpath.normpath("/" + _SLASHES.sub("/", path).lstrip("/")).rstrip("/")
