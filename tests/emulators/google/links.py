"""The hrefs of result pages: direct, `/url?q=`, and opaque `/goto` tokens.

A token is readable for this server alone: the address is mixed with a key stream that depends on a
number of the impression, so that tokens differ each time, as Google's do.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from tests.emulators.google.rules import Links, Resolve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.emulators.google.hits import Organic

_MARK = b"\x08\x01\x12"
"""Makes every token start with `CAES`, as Google's do."""
_JSON_ESCAPES = {"=": "\\u003d", "&": "\\u0026", "<": "\\u003c", ">": "\\u003e", "'": "\\u0027"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a token stands for."""

    url: str
    resolve: Resolve
    resolve_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Linker:
    """Writes the hrefs of one impression."""

    links: Links
    resolve: Resolve = Resolve.OK
    resolve_after: int = 0
    impression: int = 0

    def href(self, url: str) -> str:
        match self.links:
            case Links.DIRECT:
                return url
            case Links.URL:
                return f"/url?q={quote(url, safe=':/')}&sa=U&ved=2ahUKEwj&usg=AOvVaw"
            case Links.GOTO | Links.GOTO_BARE:
                return f"/goto?url={self.token(url)}"

    def token(self, url: str) -> str:
        plain = f"{self.resolve}|{self.resolve_after}|{url}".encode()
        nonce = self.impression.to_bytes(4, "big")
        return base64.urlsafe_b64encode(_MARK + nonce + _mix(nonce, plain)).decode().rstrip("=")

    def script_array(self, hits: Iterable[Organic]) -> str:
        """The inline script that tells the real targets; empty unless the links are `goto`."""
        if self.links is not Links.GOTO:
            return ""
        entries = []
        for number, hit in enumerate(hits):
            goto = [None, None, 5, None, hit.title, None, self.href(hit.url)]
            real = [hit.url, hit.title, hit.snippet, 1, "en", "US", None, "/s?tbm=map&gs_ri=web"]
            entries.append(f'"atritem-{number}":[null,1,{_script_json(goto)},{_script_json(real)}]')
        return f"(function(){{var m={{{','.join(entries)}}};window.W_jd=m;}})();"


def read_token(token: str) -> Target:
    """The target behind a token.

    Raises:
        ValueError: it is none of ours.
    """
    raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    if not raw.startswith(_MARK):
        raise ValueError("not a token")
    nonce, mixed = raw[3:7], raw[7:]
    resolve, after, url = _mix(nonce, mixed).decode().split("|", 2)
    return Target(url=url, resolve=Resolve(resolve), resolve_after=int(after))


def _mix(nonce: bytes, data: bytes) -> bytes:
    stream = hashlib.shake_128(b"loopback" + nonce).digest(len(data))
    return bytes(a ^ b for a, b in zip(data, stream, strict=True))


def _script_json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char, escaped in _JSON_ESCAPES.items():
        text = text.replace(char, escaped)
    return text
