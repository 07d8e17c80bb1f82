"""Sitemaps: what addresses a site lists, in any of their forms. Pure, and safe for hostile files.

`urlset` and `sitemapindex` with or without their namespace, the same compressed, or a plain list
of addresses. XML is read as `extract.xml` reads it: no entity is expanded, nothing is fetched, and
what is broken off counts as far as it goes.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from extract import xml

MAX_URLS = 50_000
"""The protocol's own bound for one file."""
MAX_BYTES = 50_000_000
"""Likewise, uncompressed."""
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31
_LONGEST_URL = 2048


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What one file lists."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    """Further files to ask."""


def read(body: bytes) -> Sitemap:
    """What the file lists, each address once; nothing where it is no sitemap. Never raises."""
    data = _unpacked(body) if body.startswith(_GZIP) else body[:MAX_BYTES]
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return Sitemap(pages=_of_lines(data))
    root = xml.parse(data)
    kind = "" if root is None else xml.name(root)
    if root is None or kind not in {"urlset", "sitemapindex"}:
        return Sitemap()
    entry = "url" if kind == "urlset" else "sitemap"
    places: dict[str, None] = {}
    for node in root.iter():
        parent = node.getparent()
        # A picture's <image:loc> has the same local name, and stands deeper.
        if xml.name(node) != "loc" or parent is None or xml.name(parent) != entry:
            continue
        place = xml.text(node)
        if place.startswith(("http://", "https://")) and len(place) <= _LONGEST_URL:
            places[place] = None
            if len(places) >= MAX_URLS:
                break
    found = tuple(places)
    return Sitemap(pages=found) if entry == "url" else Sitemap(sitemaps=found)


def _unpacked(body: bytes) -> bytes:
    """The content of a gzip file, as far as it goes and no further than the bound."""
    try:
        return zlib.decompressobj(_GZIP_WINDOW).decompress(body, MAX_BYTES)
    except zlib.error:
        return b""


def _of_lines(data: bytes) -> tuple[str, ...]:
    lines = (line.strip() for line in data.decode("utf-8-sig", "replace").splitlines())
    found = (
        line
        for line in lines
        if line.startswith(("http://", "https://")) and len(line) <= _LONGEST_URL
    )
    return tuple(dict.fromkeys(found))[:MAX_URLS]
