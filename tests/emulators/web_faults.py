"""A site on which everything goes wrong that can go wrong between a request and its body.

    faults = Faults()
    async with LoopbackServer(faults) as web:
        ... f"{web.origin}/bomb/gzip"

| path | answer |
|---|---|
| `/page[/WORDS]` | an article of so many words (300) |
| `/slow/S` | the same after S seconds: headers and all |
| `/silent` | nothing, ever |
| `/stall`, `/stall/blank`, `/stall/pdf` | two paragraphs, white space, half a PDF; then nothing |
| `/drip` | the article, 40 bytes each 20 ms, and then white space for ever |
| `/endless` | the article and then more of it for ever, as fast as it is taken |
| `/huge` | 12 MB of text |
| `/bomb/CODING` | some kilobytes that unpack to 100 MB |
| `/packed/CODING` | the article packed: gzip, deflate, rawdeflate, br, zstd, members, `gzip, br` |
| `/misnamed/CODING` | the article, not packed, whose headers say that it is |
| `/unnamed` | the article in gzip, which no header tells of |
| `/damaged`, `/torn` | gzip that is rubbish from its middle on; gzip whose second half is missing |
| `/truncated`, `/reset` | a chunk of the body ends early; an RST in the body |
| `/reset/head`, `/closed` | an RST instead of an answer; no answer |
| `/redirects/N` | so many redirects to `/page` |
| `/loop`, `/gate`, `/to?url=…&status=…` | to itself; to itself until it has its cookie; anywhere |
| `/refresh/S?url=…`, `/refresh-header/S?url=…`, `/refresh-full?url=…` | leaves after S seconds |
| `/status/N[?after=…&times=…]` | an error page with `Retry-After`; so often, then the article |
| `/etag`, `/modified` | 304 for who has it |
| `/cookie/set?domain=…`, `/cookie/show` | the request's cookies |
| `/echo` | the request's headers as JSON |
| `/pdf`, `/liar` | a PDF; a PDF that is said to be HTML |
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote

import brotli  # type: ignore[import-untyped]
import zstandard

from tests.emulators.messages import (
    Drip,
    Fault,
    FaultKind,
    Response,
    hang,
    html,
    redirect,
    reset,
    truncate,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.emulators.messages import Request

PDF = (
    b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + b"%\xe2\xe3\xcf\xd3" * 40 + b"\n%%EOF\n"
)
LAST_MODIFIED = "Tue, 03 Nov 2026 08:00:00 GMT"
ETAG = '"made-for-tests"'
_BOMB_BYTES = 100_000_000


def article(words: int = 300) -> str:
    """A page with prose."""
    sentence = "The lighthouse keeper wrote the weather down, as every evening, in a narrow hand. "
    prose = (sentence * (words // 13 + 1)).split()[:words]
    paragraphs = [" ".join(prose[at : at + 60]) for at in range(0, len(prose), 60)]
    body = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)
    return (
        "<!doctype html><html lang=en><head><title>The keeper's book</title></head>"
        f"<body><article><h1>The keeper's book</h1>\n{body}</article></body></html>"
    )


ARTICLE = article().encode()


@cache
def bomb(coding: str) -> bytes:
    """Little that unpacks to much."""
    if coding == "br":
        return bytes(brotli.compress(bytes(_BOMB_BYTES), quality=1))
    if coding == "zstd":
        return zstandard.ZstdCompressor(level=3).compress(bytes(_BOMB_BYTES))
    return _zlib(coding, bytes(_BOMB_BYTES))


def packed(coding: str, body: bytes) -> bytes:
    """The body as the coding has it."""
    if coding == "members":
        return gzip.compress(body[:500]) + gzip.compress(body[500:])
    if "," in coding:
        inner, _, outer = coding.partition(", ")
        return packed(outer, packed(inner, body))
    if coding == "br":
        return bytes(brotli.compress(body, quality=5))
    if coding == "zstd":
        return zstandard.ZstdCompressor().compress(body)
    return _zlib(coding, body)


def _zlib(coding: str, body: bytes) -> bytes:
    bits = {"gzip": 31, "deflate": 15, "rawdeflate": -15}[coding]
    packer = zlib.compressobj(9, zlib.DEFLATED, bits)
    return packer.compress(body) + packer.flush()


class Faults:
    """The app; `tries` counts the requests of each address."""

    def __init__(self) -> None:
        self.tries: Counter[str] = Counter()

    def __call__(self, request: Request) -> Response:
        self.tries[request.target] += 1
        name, _, rest = request.path.removeprefix("/").partition("/")
        handler: Callable[[Request, str], Response] | None = _HANDLERS.get(name)
        if handler is not None:
            return handler(request, rest)
        if name == "status":
            return self._status(request, rest)
        return html("<h1>Nothing here</h1>", 404)

    def _status(self, request: Request, rest: str) -> Response:
        times = int(request.query.get("times", "1000"))
        if self.tries[request.target] > times:
            return html(article())
        after = request.query.get("after")
        headers = (("Retry-After", after),) if after else ()
        return html(f"<h1>Error {rest}</h1><p>Come back later.</p>", int(rest), *headers)


def _page(_request: Request, rest: str) -> Response:
    return html(article(int(rest or 300)))


def _slow(_request: Request, rest: str) -> Response:
    return replace(html(article()), latency_s=float(rest))


def _stall(_request: Request, rest: str) -> Response:
    body = {"": ARTICLE, "blank": b" \n" * 600, "pdf": PDF * 20}[rest]
    kind = "application/pdf" if rest == "pdf" else "text/html"
    return Response(body=body + ARTICLE, content_type=kind, fault=hang(len(body)))


def _endless(_request: Request, _rest: str) -> Response:
    body = ARTICLE * 6000
    return Response(body=body, drip=Drip(chunk_bytes=65536, interval_s=0, forever=True))


def _packed(_request: Request, coding: str) -> Response:
    said = {"rawdeflate": "deflate", "members": "gzip"}.get(coding, coding)
    return Response(body=packed(coding, ARTICLE), headers=(("Content-Encoding", said),))


def _bomb(_request: Request, coding: str) -> Response:
    return Response(body=bomb(coding), headers=(("Content-Encoding", coding),))


def _damaged(_request: Request, _rest: str) -> Response:
    body = bytearray(_zlib("gzip", article(20_000).encode() + _noise()))
    body[-4000:-2000] = b"\xff" * 2000
    return Response(body=bytes(body), headers=(("Content-Encoding", "gzip"),))


def _torn(_request: Request, _rest: str) -> Response:
    body = _zlib("gzip", article(2000).encode() + _noise())
    return Response(body=body[: len(body) // 2], headers=(("Content-Encoding", "gzip"),))


def _noise() -> bytes:
    """Something that does not compress, so that there is a middle to break."""
    return b"".join(
        zlib.crc32(str(n).encode()).to_bytes(4, "big").hex().encode() for n in range(3000)
    )


def _redirects(_request: Request, rest: str) -> Response:
    left = int(rest)
    return redirect(f"/redirects/{left - 1}" if left > 1 else "/page")


def _gate(request: Request, _rest: str) -> Response:
    if "seen" in request.cookies:
        return html(article())
    return redirect("/gate", 302, ("Set-Cookie", "seen=1; Path=/"))


def _to(request: Request, _rest: str) -> Response:
    return redirect(request.query["url"], int(request.query.get("status", "302")))


def _refresh(request: Request, rest: str) -> Response:
    content = f"{rest}; url={request.query['url']}"
    return html(f'<html><head><meta http-equiv="Refresh" content="{content}"></head></html>')


def _refresh_header(request: Request, rest: str) -> Response:
    return html("<p>One moment</p>", 200, ("Refresh", f"{rest};url={request.query['url']}"))


def _refresh_full(request: Request, _rest: str) -> Response:
    meta = f'<meta http-equiv="refresh" content="1; url={request.query["url"]}">'
    return html(article().replace("</head>", f"{meta}</head>"))


def _etag(request: Request, _rest: str) -> Response:
    known = request.headers.get("if-none-match") == ETAG
    return Response(
        status=304 if known else 200, body=b"" if known else ARTICLE, headers=(("ETag", ETAG),)
    )


def _modified(request: Request, _rest: str) -> Response:
    known = request.headers.get("if-modified-since") == LAST_MODIFIED
    headers = (("Last-Modified", LAST_MODIFIED),)
    return Response(status=304 if known else 200, body=b"" if known else ARTICLE, headers=headers)


def _cookie(request: Request, rest: str) -> Response:
    if rest == "show":
        return Response(body=json.dumps(request.cookies).encode(), content_type="application/json")
    domain = request.query.get("domain", "")
    attributes = f"; Domain={domain}" if domain else ""
    return html(article(), 200, ("Set-Cookie", f"who=me; Path=/{attributes}"))


def _echo(request: Request, _rest: str) -> Response:
    return Response(
        body=json.dumps(dict(request.headers)).encode(), content_type="application/json"
    )


_HANDLERS: dict[str, Callable[[Request, str], Response]] = {
    "page": _page,
    "slow": _slow,
    "silent": lambda _request, _rest: Response(fault=hang()),
    "stall": _stall,
    "drip": lambda _request, _rest: Response(
        body=ARTICLE, drip=Drip(chunk_bytes=40, interval_s=0.02, forever=True)
    ),
    "endless": _endless,
    "huge": lambda _request, _rest: Response(body=(ARTICLE * 7000)[:12_000_000]),
    "bomb": _bomb,
    "packed": _packed,
    "misnamed": lambda _request, coding: Response(
        body=ARTICLE, headers=(("Content-Encoding", coding),)
    ),
    "unnamed": lambda _request, _rest: Response(body=packed("gzip", ARTICLE)),
    "damaged": _damaged,
    "torn": _torn,
    "truncated": lambda _request, _rest: Response(body=ARTICLE, fault=truncate(900)),
    "reset": lambda _request, rest: Response(body=ARTICLE, fault=reset(None if rest else 900)),
    "closed": lambda _request, _rest: Response(fault=Fault(kind=FaultKind.TRUNCATE)),
    "redirects": _redirects,
    "loop": lambda request, _rest: redirect(quote(request.path)),
    "gate": _gate,
    "to": _to,
    "refresh": _refresh,
    "refresh-header": _refresh_header,
    "refresh-full": _refresh_full,
    "etag": _etag,
    "modified": _modified,
    "cookie": _cookie,
    "echo": _echo,
    "pdf": lambda _request, _rest: Response(body=PDF, content_type="application/pdf"),
    "liar": lambda _request, _rest: Response(body=PDF),
}
