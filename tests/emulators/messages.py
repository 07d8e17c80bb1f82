"""What goes over the loopback wire: requests, responses, and how a response may misbehave.

A handler returns a `Response`; everything that goes wrong on purpose is a field of it. There are
no sockets here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from http.client import responses
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

    import anyio

HTML = "text/html; charset=UTF-8"


class FaultKind(StrEnum):
    HANG = "hang"
    """Nothing more is sent; the connection stays open until the client or the server ends it."""
    RESET = "reset"
    """The connection ends with an RST."""
    TRUNCATE = "truncate"
    """A chunk is announced, less is sent, and the connection is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    kind: FaultKind
    after_bytes: int | None = None
    """Bytes of the body sent before it happens; None: before the headers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drip:
    chunk_bytes: int
    interval_s: float
    first_bytes: int = 0
    """Sent at once, before the dripping starts."""
    forever: bool = False
    """Goes on with white space when the body has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    status: int = 200
    body: bytes = b""
    content_type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()
    latency_s: float = 0.0
    """Seconds before the headers."""
    gate: anyio.Event | None = None
    """Waited for before the headers: lets a test decide the order of answers."""
    drip: Drip | None = None
    fault: Fault | None = None

    @property
    def chunked(self) -> bool:
        """Whether the body has no length that could be announced."""
        endless = self.drip is not None and self.drip.forever
        return endless or (self.fault is not None and self.fault.kind is FaultKind.TRUNCATE)

    def head(self) -> bytes:
        """The status line and headers as they go out."""
        phrase = responses.get(self.status, "Unknown")
        lines = [f"HTTP/1.1 {self.status} {phrase}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.content_type:
            lines.append(f"Content-Type: {self.content_type}")
        lines.append(
            "Transfer-Encoding: chunked" if self.chunked else f"Content-Length: {len(self.body)}"
        )
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    method: str
    target: str
    path: str
    """Percent-decoded, without the query."""
    query: Mapping[str, str]
    """Decoded; the last value of a name that occurs twice."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = b""
    scheme: str = "http"

    @property
    def origin(self) -> str:
        """The origin the client believes it talks to."""
        return f"{self.scheme}://{self.headers.get('host', '')}"

    @property
    def cookies(self) -> dict[str, str]:
        """The request's cookies."""
        pairs = (part.partition("=") for part in self.headers.get("cookie", "").split(";"))
        return {name.strip(): value.strip() for name, _, value in pairs if name.strip()}

    @property
    def form(self) -> dict[str, str]:
        """The body as a urlencoded form."""
        return dict(parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True))


def parse_head(head: bytes) -> Request:
    """Read a request's line and headers, the body left out.

    Raises:
        ValueError: it is not HTTP.
    """
    first, *rest = head.decode("latin-1").split("\r\n")
    method, target, _version = first.split(" ", 2)
    parts = urlsplit(target if not target.startswith("//") else "/" + target.lstrip("/"))
    headers = {}
    for line in rest:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return Request(
        method=method,
        target=target,
        path=unquote(parts.path) or "/",
        query=dict(parse_qsl(parts.query, keep_blank_values=True)),
        headers=headers,
    )


def html(text: str, status: int = 200, *headers: tuple[str, str]) -> Response:
    """A page."""
    return Response(status=status, body=text.encode(), headers=headers)


def redirect(location: str, status: int = 302, *headers: tuple[str, str]) -> Response:
    """A redirect with a short body, as real servers send it."""
    body = b"<HTML><HEAD><TITLE>Moved</TITLE></HEAD><BODY><H1>Moved</H1></BODY></HTML>"
    return Response(status=status, body=body, headers=(("Location", location), *headers))


def as_json(value: object, status: int = 200) -> Response:
    """A JSON answer."""
    return Response(status=status, body=json.dumps(value).encode(), content_type="application/json")


def hang(after_bytes: int | None = None) -> Fault:
    return Fault(kind=FaultKind.HANG, after_bytes=after_bytes)


def reset(after_bytes: int | None = None) -> Fault:
    return Fault(kind=FaultKind.RESET, after_bytes=after_bytes)


def truncate(after_bytes: int) -> Fault:
    return Fault(kind=FaultKind.TRUNCATE, after_bytes=after_bytes)
