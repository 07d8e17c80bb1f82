"""What a source means: an address of the web, an arXiv paper, or a file of this machine.

Looks at the file system, to tell `docs/index.html` from `docs.example/index.html`; for threads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from broker.errors import RequestInvalid
from broker.providers.arxiv_id import PaperId, paper_id
from broker.reading.failures import FileUnread
from broker.sites import site_of

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?=//|[^\\/\d])")
_REST = r"(?::(?P<port>\d{1,5}))?(?:[/?#]\S*)?"
_HOST = re.compile(r"(?:[\w-]+\.)+[^\W\d_][\w-]*" + _REST)
_NEAR = re.compile(
    r"(?:(?:[\w-]+\.)*localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])" + _REST, re.IGNORECASE
)
"""This machine and literal addresses, which have no certificates: http, as in a browser."""
_PERHAPS = re.compile(r"(?:www\.\S+|[\w.-]+:\d{1,5}(?:[/?#]\S*)?)", re.IGNORECASE)
"""What looks like a host, and too little so to be taken for one."""
_HTTPS_PORT = "443"
_FILE_ENDINGS = frozenset(
    {
        "md", "txt", "html", "htm", "json", "xml", "pdf", "docx", "xlsx", "pptx", "epub", "rst",
        "csv", "tsv", "log", "py", "js", "ts", "yaml", "yml", "toml", "odt", "rtf", "doc",
    }
)  # fmt: skip
"""A bare name that ends so means a file, even if it is not there."""
_ROUTE = ("/", "!")


@dataclass(frozen=True, slots=True)
class Source:
    """A source, understood."""

    given: str
    url: str = ""
    """To be checked by the policy; empty for a file."""
    path: Path | None = None
    """Absolute; None for an address."""

    @property
    def route(self) -> str:
        """The fragment, where it makes a page of its own: to the page's scripts, or to its site."""
        fragment = self.url.partition("#")[2]
        if not fragment:
            return ""
        site = site_of(urlsplit(self.url).hostname or "")
        is_page = fragment.startswith(_ROUTE) or (site is not None and site.keeps(fragment))
        return f"#{fragment}" if is_page else ""


def understood(given: str) -> Source:
    """What a source means.

    Raises:
        RequestInvalid: it means nothing.
        FileUnread: it is no file, and might be an address.
    """
    text = given.strip()
    if not text:
        raise RequestInvalid("the source is empty", field="source")
    if text.lower().startswith("file:"):
        return Source(given, path=_file_url(text))
    paper = _paper(text)
    if paper is not None:
        return Source(given, url=f"https://arxiv.org/abs/{paper}")
    whole = f"https:{text}" if text.startswith("//") else text
    scheme = _SCHEME.match(whole)
    if scheme is not None and whole.startswith("//", scheme.end()):
        return Source(given, url=whole)
    path = _path(text)
    if text.startswith(("/", "./", "../", "~")) or _exists(path):
        return Source(given, path=path)
    if scheme is not None:
        return Source(given, url=text)
    return _named(given, text, path)


def _named(given: str, text: str, path: Path) -> Source:
    """What a name means that has no scheme and is no file's.

    Raises:
        FileUnread: it might be either.
    """
    near = _NEAR.fullmatch(text)
    if near is not None:
        scheme = "https" if near["port"] == _HTTPS_PORT else "http"
        return Source(given, url=f"{scheme}://{text}")
    if _is_host(text):
        return Source(given, url=f"https://{text}")
    if _PERHAPS.fullmatch(text) is not None:
        message = f"{path}: there is no such file; if it is a page, write http://{text}"
        raise FileUnread("not_found", message)
    return Source(given, path=path)


def _paper(text: str) -> PaperId | None:
    """The arXiv paper that is meant; what may be a file's name, or is an address, means none."""
    if text.lower().startswith("http") or text.lower().endswith(".pdf"):
        return None
    paper = paper_id(text)
    return None if paper is None or _exists(_path(text)) else paper


def _is_host(text: str) -> bool:
    if _HOST.fullmatch(text) is None:
        return False
    has_path = any(sign in text for sign in "/?#:")
    return has_path or text.rpartition(".")[2].lower() not in _FILE_ENDINGS


def _path(text: str) -> Path:
    if "\0" in text:
        raise RequestInvalid("the path has a NUL character", field="source")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:
        message = "the path begins with ~, and there is no such home folder"
        raise RequestInvalid(message, field="source") from error


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _file_url(text: str) -> Path:
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise RequestInvalid("this is no address of a file", field="source") from error
    if parts.netloc not in {"", "localhost"} or not parts.path.startswith("/"):
        message = "a file: address has three slashes and a path: file:///home/…"
        raise RequestInvalid(message, field="source")
    return _path(unquote(parts.path))
