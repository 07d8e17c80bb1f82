"""Every address that a page leads to: its menus, its text, its foot. For those who walk a site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from extract.tree import query

if TYPE_CHECKING:
    from extract.tree import Node

_LINKS = query("//a[@href] | //area[@href]")
_BASES = query("//base[@href]")
_DROPPED = re.compile(r"[\t\n\r]")
_WEB = re.compile(r"https?://[^/]", re.IGNORECASE)
_LONGEST = 4000  # characters
_MOST = 5000


def hrefs(root: Node, url: str) -> tuple[str, ...]:
    """The absolute http and https addresses in the links of the page `root`, read at `url`.

    In the page's order, each once, with their fragments; 5,000 at most. Links to places of the page
    itself are none.
    """
    base = url
    for node in _BASES(root):
        if _WEB.match(stated := _joined(url, node.get("href") or "")):
            base = stated
            break
    found: dict[str, None] = {}
    for node in _LINKS(root):
        href = _DROPPED.sub("", node.get("href") or "").strip()
        if not href or (href[0] == "#" and href[1:2] not in {"/", "!"}):
            continue
        absolute = _joined(base, href)
        if len(absolute) <= _LONGEST and _WEB.match(absolute):
            found[absolute] = None
            if len(found) >= _MOST:
                break
    return tuple(found)


def _joined(base: str, href: str) -> str:
    try:
        return urljoin(base, href)
    except ValueError:  # an address that is none, like "http://["
        return ""
