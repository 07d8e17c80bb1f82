"""HTTP heads as they pass through the guard: read, checked, and written anew. No I/O.

One request goes over each connection. What concerns the connection alone is taken out of both
heads and `Connection: close` put in, so that where a message ends is told by the end of the
connection or by what its own headers say, and the guard need not follow either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from broker.egress.locate import AddressInvalid, locate, split_host_port

if TYPE_CHECKING:
    from broker.egress.locate import Host
    from broker.egress.policy import Target

MAX_HEAD_BYTES = 256 << 10
"""As much as Chromium itself takes of a response's head."""
REFUSED_HEADER = "X-Webaio-Refused"
"""Stands, with the code of the refusal, in an answer that comes from the guard."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_REQUEST_LINE = re.compile(r"(?P<method>[A-Z]{1,20}) (?P<target>[^\s\x00-\x20\x7f]+) HTTP/1\.[01]")
_STATUS_LINE = re.compile(r"HTTP/1\.[01] (?P<status>[1-5][0-9]{2})(?: .*)?")
_LENGTH = re.compile(r"[0-9]{1,18}")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "te", "upgrade"})
_UNKNOWN_PORT = 0
_FIRST_FINAL_STATUS = 200

Headers = tuple[tuple[str, str], ...]


class HeadInvalid(ValueError):
    """A head that cannot be passed on; `status` is what the guard answers to it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHead:
    """What the browser asks of the guard."""

    method: str
    scheme: str
    """http, or nothing for `CONNECT`."""
    host: Host
    port: int
    path: str
    """With the query; of a plain request only."""
    headers: Headers
    body_bytes: int

    @property
    def tunnel(self) -> bool:
        """Whether it is a `CONNECT`."""
        return self.method == "CONNECT"

    def onward(self, target: Target, *, absolute: bool, authorization: str | None = None) -> bytes:
        """The head to send on.

        Args:
            target: names the host; what the browser said of it does not count.
            absolute: written for a proxy and not for the server itself.
            authorization: for that proxy.
        """
        authority = str(target.host) if target.port == 80 else str(target)  # noqa: PLR2004
        where = f"http://{authority}{self.path}" if absolute else self.path
        lines = [f"{self.method} {where} HTTP/1.1", f"Host: {authority}"]
        lines += [f"{name}: {value}" for name, value in self.headers if name.lower() != "host"]
        if authorization is not None:
            lines.append(f"Proxy-Authorization: {authorization}")
        return _written(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseHead:
    """What a server answers."""

    first_line: str
    status: int
    headers: Headers

    @property
    def interim(self) -> bool:
        """Whether another head follows, which is the answer."""
        return self.status < _FIRST_FINAL_STATUS

    def onward(self) -> bytes:
        """The head to send on."""
        return _written([self.first_line, *(f"{name}: {value}" for name, value in self.headers)])


def split_head(data: bytes) -> tuple[bytes, bytes] | None:
    """The head without the empty line, and what follows; None while it is incomplete."""
    end = _HEAD_END.search(data)
    return None if end is None else (data[: end.start()], data[end.end() :])


def parse_request(head: bytes) -> RequestHead:
    """Read a request to a proxy.

    Raises:
        HeadInvalid: it is none, or one whose end could be mistaken.
    """
    first, *rest = head.decode("latin-1").split("\r\n")
    line = _REQUEST_LINE.fullmatch(first)
    if line is None:
        raise HeadInvalid(400, "this is no request")
    headers = _parse_headers(rest)
    method, target = line["method"], line["target"]
    try:
        if method == "CONNECT":
            host, port = split_host_port(target, _UNKNOWN_PORT)
            scheme = path = ""
        else:
            location = locate(target)
            scheme, host, port = location.scheme, location.host, location.port
            path = _path(target)
    except AddressInvalid as error:
        raise HeadInvalid(400, error.message) from error
    if scheme not in {"", "http"} or port == _UNKNOWN_PORT:
        raise HeadInvalid(400, "a proxy is asked for http:// addresses and for tunnels")
    return RequestHead(
        method=method,
        scheme=scheme,
        host=host,
        port=port,
        path=path,
        headers=_end_to_end(headers),
        body_bytes=_body_bytes(headers),
    )


def parse_response(head: bytes) -> ResponseHead:
    """Read a server's answer.

    Raises:
        HeadInvalid: it is none, or it changes the protocol.
    """
    first, *rest = (line.rstrip("\r") for line in head.decode("latin-1").split("\n"))
    line = _STATUS_LINE.fullmatch(first)
    if line is None or line["status"] == "101":
        raise HeadInvalid(502, "the server's answer is no HTTP")
    try:
        headers = _parse_headers(rest)
    except HeadInvalid as error:
        raise HeadInvalid(502, "the server's answer has a broken head") from error
    return ResponseHead(first_line=first, status=int(line["status"]), headers=_end_to_end(headers))


def answer(status: int, code: str, message: str) -> bytes:
    """An answer of the guard's own."""
    body = f"{message}\n".encode()
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"{REFUSED_HEADER}: {code}",
        "Content-Type: text/plain; charset=utf-8",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
        f"Content-Length: {len(body)}",
    ]
    return _written(lines) + body


def _written(lines: list[str]) -> bytes:
    lines.append("Connection: close")
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1", "replace")


def _path(target: str) -> str:
    after = target.partition("://")[2]
    start = min((at for mark in "/?#\\" if (at := after.find(mark)) >= 0), default=len(after))
    path = after[start:].partition("#")[0]
    return path if path.startswith("/") else f"/{path}"


def _parse_headers(lines: list[str]) -> Headers:
    headers = []
    for line in lines:
        name, colon, value = line.partition(":")
        # A name with a blank behind it, or a line that goes on in the next one, is read in two
        # ways by two readers.
        if not colon or not _TOKEN.fullmatch(name) or any(c in value for c in "\r\n\0"):
            raise HeadInvalid(400, "a header is broken")
        headers.append((name, value.strip(" \t")))
    return tuple(headers)


def _end_to_end(headers: Headers) -> Headers:
    dropped = set(_HOP_BY_HOP)
    for name, value in headers:
        if name.lower() == "connection":
            dropped |= {word.strip().lower() for word in value.split(",")}
    return tuple(
        (name, value)
        for name, value in headers
        if name.lower() not in dropped and not name.lower().startswith("proxy-")
    )


def _body_bytes(headers: Headers) -> int:
    """How much body follows; one of unknown length would need to be followed, and is not taken."""
    if any(name.lower() == "transfer-encoding" for name, _ in headers):
        raise HeadInvalid(411, "a request has to say how long it is")
    lengths = {value for name, value in headers if name.lower() == "content-length"}
    if not lengths:
        return 0
    length = lengths.pop()
    if lengths or not _LENGTH.fullmatch(length):
        raise HeadInvalid(400, "a request has to say how long it is, once")
    return int(length)
