"""The hrefs of result pages: direct, `/url?q=`, and opaque `/goto` tokens.

A token is readable for this server alone. It holds the number of the impression, so that tokens
differ each time, as Google's do: pages are kept with number 0, and `stamp` puts the real one in.
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

_MARK = b"CAES"
"""How Google's tokens begin."""
_JSON_ESCAPES = {"=": "\\u003d", "&": "\\u0026", "<": "\\u003c", ">": "\\u003e", "'": "\\u0027"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a token stands for."""

    url: str
    resolve: Resolve
    resolve_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Linker:
    """Writes the hrefs of a page."""

    links: Links
    resolve: Resolve = Resolve.OK
    resolve_after: int = 0

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
        return (_prefix(0) + base64.urlsafe_b64encode(_mix(plain)).rstrip(b"=")).decode()

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
    if not token.startswith(_MARK.decode()):
        raise ValueError("not a token")
    mixed = token[len(_prefix(0)) :]
    plain = _mix(base64.urlsafe_b64decode(mixed + "=" * (-len(mixed) % 4)))
    resolve, after, url = plain.decode().split("|", 2)
    return Target(url=url, resolve=Resolve(resolve), resolve_after=int(after))


def stamp(body: bytes, impression: int) -> bytes:
    """A page with the impression's number in its tokens; its length stays the same."""
    return body.replace(_prefix(0), _prefix(impression))


def _prefix(impression: int) -> bytes:
    return _MARK + base64.urlsafe_b64encode(impression.to_bytes(6, "big"))


def _mix(data: bytes) -> bytes:
    stream = hashlib.shake_128(b"loopback").digest(len(data))
    mixed = int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")
    return mixed.to_bytes(len(data), "big")


def _script_json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char, escaped in _JSON_ESCAPES.items():
        text = text.replace(char, escaped)
    return text
