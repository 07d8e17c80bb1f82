"""What a pull has done, so that it can go on: a line for each address, appended when it is done.

    .webaio/manifest.ndjson
    {"webaio": "pull", "version": 1, "url": …}        the first line
    {"begin": …, "scope": {"origin": …, "prefix": …}} once the beginning is known
    {"listed": ["/guide/", …]}                        once the site's lists were read
    {"key": …, "url": …, "status": …, …}              an address; a later line replaces it

A line is written in one piece, after the file that it tells of; what a killed process left of one
is cut off. So a page is either done and on disk, or it is read again. The open manifest is locked:
no two pulls write into one folder.
"""

from __future__ import annotations

import fcntl
import os
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import orjson

from broker.egress.locate import AddressInvalid
from broker.errors import RequestInvalid
from broker.fusion import url_identity
from broker.pull.disk import OWN, Folder, Unwritable
from broker.pull.records import Status
from broker.pull.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FILE = f"{OWN}/manifest.ndjson"
VERSION = 1
_LISTS = ("slugs", "found")
_NUMBERS = ("depth", "steps", "again")
_OTHERS = frozenset({*_LISTS, *_NUMBERS, "anchors"})
"""Facts of an entry that are no text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What became of one address."""

    key: str
    """Which page it is: see `scope.Place`."""
    url: str
    status: Status
    file: str = ""
    """Of a page that was pulled, relative to the folder."""
    same_as: str = ""
    """Of an alias: the key of the page that it is."""
    title: str = ""
    etag: str | None = None
    digest: str = ""
    """Of its text, to know it again under another address."""
    words: str = ""
    """The same, but for its numbers."""
    slugs: tuple[str, ...] = ()
    """The names of its headings, in their order."""
    anchors: dict[str, int] = field(default_factory=dict)
    """Which of them the names of the page's own places mean."""
    code: str = ""
    reason: str = ""
    """Why it is no page, as a sentence."""
    again: bool = False
    """Whether a later run may have more luck."""
    depth: int = 0
    steps: int = 0
    found: tuple[str, ...] = ()
    """Addresses that this page was the first to lead to."""


class Manifest:
    """The open record of a pull; made by `open_manifest`. Its methods block but for `entries`."""

    def __init__(self, folder: Folder, fd: int, url: str) -> None:
        self.folder = folder
        self.url = url
        """Where the pull was to begin."""
        self.begin = url
        """Where it does begin: redirects may lead to another host."""
        self.scope: Scope | None = None
        self.listed: tuple[str, ...] | None = None
        """What the site lists; None where nobody has asked yet."""
        self.entries: dict[str, Entry] = {}
        self.notes: list[str] = []
        """What was odd about the record, a sentence each."""
        self._fd = fd
        self._is_new = False

    def put(self, *entries: Entry) -> None:
        """Remember what became of addresses."""
        lines = b""
        for entry in entries:
            self.entries[entry.key] = entry
            said = {name: value for name, value in asdict(entry).items() if value}
            lines += orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE)
        _write(self._fd, lines)

    def put_scope(self, scope: Scope, begin: str) -> None:
        """Remember what belongs to the pull, and where it begins."""
        self.scope, self.begin = scope, begin
        self._append({"begin": begin, "scope": asdict(scope)})

    def put_listed(self, urls: Sequence[str]) -> None:
        """Remember what the site lists."""
        self.listed = tuple(urls)
        self._append({"listed": list(urls)})

    def pulled(self) -> list[Entry]:
        """The pages that are files, in the order in which they came."""
        return [entry for entry in self.entries.values() if entry.status is Status.PULLED]

    def start(self) -> None:
        """Begin the record of a new pull."""
        self._is_new = True
        self._append({"webaio": "pull", "version": VERSION, "url": self.url})

    def drop_if_empty(self) -> None:
        """Leave no trace of a new pull that has brought no page: there is nothing to go on with."""
        if self._is_new and not self.pulled() and self.folder.is_empty():
            self.folder.unmake(FILE)

    def close(self) -> None:
        """Close the record and its folder; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self.folder.close()

    def _append(self, line: dict[str, Any]) -> None:
        _write(self._fd, orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))

    def load(self, lines: Sequence[bytes]) -> None:
        """Take over what an earlier run has written; a page whose file is gone is not done."""
        foreign = sum(not self._took(_object(line)) for line in lines)
        if foreign:
            self.notes.append(
                f"lines of {self.folder.path / FILE} that no pull writes were left out "
                f"({foreign}); the pages that they may have told of are read again"
            )
        for key, entry in list(self.entries.items()):
            if entry.status is Status.PULLED and not self.folder.has(entry.file):
                reason = f"its file {entry.file} is gone"
                self.entries[key] = replace(
                    entry, status=Status.FAILED, again=True, code="file_gone", reason=reason
                )

    def _took(self, said: dict[str, Any]) -> bool:
        """Take over what one line says; False where no pull can have written it."""
        if "scope" in said:
            scope, begin = _scope(said["scope"]), said.get("begin")
            if scope is None or not isinstance(begin, str):
                return False
            self.scope, self.begin = scope, begin
        elif "listed" in said:
            if not _are(str, said["listed"]):
                return False
            self.listed = tuple(said["listed"])
        else:
            entry = _entry(said)
            if entry is None:
                return False
            self.entries[entry.key] = entry
        return True


def open_manifest(out: Path, url: str) -> Manifest:
    """The record of the pull of `url` into the folder `out`, which nobody else has open.

    Raises:
        RequestInvalid: the folder holds something else, or another pull is at work in it.
        Unwritable: the folder cannot be used.
    """
    folder = Folder(out)
    try:
        return _opened(folder, url)
    except OSError as error:
        folder.close()
        raise Unwritable(f"{out / FILE} cannot be written: {error.strerror}") from error
    except BaseException:
        folder.close()
        raise


def _opened(folder: Folder, url: str) -> Manifest:
    out = folder.path
    if not folder.has(FILE) and not folder.is_empty():
        message = f"{out} holds files that no pull has written; name a new or an empty folder"
        raise RequestInvalid(message, field="out")
    fd = folder.open(FILE, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = f"another pull is at work in {out}"
            raise RequestInvalid(message, field="out") from error
        lines = _whole_lines(fd)
        manifest = Manifest(folder, fd, url)
        if lines:
            _check(out, _object(lines[0]), url)
            manifest.load(lines[1:])
        else:
            manifest.start()
        folder.tidy()
    except BaseException:
        os.close(fd)
        raise
    return manifest


def _whole_lines(fd: int) -> list[bytes]:
    """The file's lines; the beginning of one that a killed process left is cut off."""
    with open(os.dup(fd), "rb") as file:  # noqa: PTH123 - a descriptor has no path
        data = file.read()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        os.ftruncate(fd, whole)
    return data[:whole].splitlines()


def _check(out: Path, header: dict[str, Any], url: str) -> None:
    if header.get("webaio") != "pull" or header.get("version") != VERSION:
        message = f"{out / FILE} is no record that this version can go on with"
        raise RequestInvalid(message, field="out")
    if url_identity(str(header.get("url"))) != url_identity(url):
        message = f"{out} holds a pull of {header.get('url')}, not of {url}; name another folder"
        raise RequestInvalid(message, field="out")


def _object(line: bytes) -> dict[str, Any]:
    try:
        said = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return said if isinstance(said, dict) else {}


def _entry(said: dict[str, Any]) -> Entry | None:
    """The entry on a line; None where somebody else has written there."""
    sound = (
        said.keys() <= Entry.__dataclass_fields__.keys()
        and all(_are(str, said.get(name, [])) for name in _LISTS)
        and isinstance(anchors := said.get("anchors", {}), dict)
        and _are(int, [*anchors.values()])
        and all(isinstance(said.get(name, 0), int) for name in _NUMBERS)
        and all(isinstance(said.get(name, ""), str) for name in said.keys() - _OTHERS)
    )
    try:
        said["status"] = Status(said["status"])
        for name in _LISTS if sound else ():
            said[name] = tuple(said.get(name, ()))
        return Entry(**said) if sound else None
    except (KeyError, TypeError, ValueError):
        return None


def _scope(said: object) -> Scope | None:
    """The scope on a line; None where it is none."""
    try:
        scope = Scope(**said) if isinstance(said, dict) and _are(str, [*said.values()]) else None
        return (
            scope if scope is not None and Scope.of(scope.origin).origin == scope.origin else None
        )
    except (TypeError, AddressInvalid):
        return None


def _are(kind: type, values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) for value in values)


def _write(fd: int, data: bytes) -> None:
    """All of it, in one call wherever the system takes it so."""
    while data:
        data = data[os.write(fd, data) :]
