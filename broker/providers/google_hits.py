"""The hits of a Google result page, read from its structure.

A result is a link that holds both a heading (the title) and a site line (`cite`), in the main
column and outside its modules. Class names are not relied on, since they change monthly; these
relations held on every saved page of 2022 to 2026.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.models import Hit
from broker.providers import google_links as links
from broker.providers.google_snippet import read_snippet, stated_date
from extract.tree import query, visible_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extract.tree import Node

NAME = "google"

_H3 = query("descendant::h3")
_ROLE_HEADING = query("descendant::*[@role='heading']")
_TITLES = (
    (query("//a[@href][descendant::h3]"), _H3),
    # Phone-like pages have no h3.
    (query("//a[@href][descendant::*[@role='heading']]"), _ROLE_HEADING),
)
_IN_COLUMN = query("ancestor::*[@id='rso' or @id='search']")
_CITE = query("descendant::cite")
_SCRIPTS = query("//script")
_REAL_TARGET = query("ancestor-or-self::*[@data-surl]")

# What is not an organic result although it looks like one: advertisements, the side panel and the
# related searches; People also ask with its hidden answers (data-q); panels and the unfolded parts
# of "Things to know" (data-attrid, except on an answer box: "wa:"); carousels; the Scholar box.
_ASIDE = query(
    "ancestor-or-self::*["
    " @id='tads' or @id='tadsb' or @id='tvcap' or @id='bottomads' or @data-text-ad"
    " or @id='rhs' or @id='botstuff' or @id='bres'"
    " or @data-q or contains(@class, 'related-question-pair')"
    " or (@data-attrid and not(starts-with(@data-attrid, 'wa:')))"
    " or self::g-accordion-expander or self::g-scrolling-carousel or self::g-inner-card"
    " or self::table or self::noscript]"
)

_CRUMB = "\u203a"  # the angle between the parts of a breadcrumb
_HOST = re.compile(rf"(?:https?://)?((?:[\w-]+\.)+[^\W\d_][\w-]*[^\W\d_])(?=$|[\s/:{_CRUMB}])")


@dataclass(frozen=True, slots=True)
class _Page:
    url: str
    owners: Mapping[Node, int]
    """How many headed links each element holds; a result's own block holds one."""
    targets: links.GotoTargets
    cited: bool
    """Whether site lines are marked up as `cite`; pages for clients without scripts lack it."""


def read_hits(root: Node, url: str) -> tuple[Hit, ...]:
    """The organic results of the page `root` at the absolute address `url`, in page order."""
    for headed_links, heading in _TITLES:
        anchors = headed_links(root)
        organic = [anchor for anchor in anchors if not _ASIDE(anchor)]
        page = _Page(
            url=url,
            owners=Counter(node for anchor in anchors for node in anchor.iterancestors()),
            targets=_goto_targets(root, organic),
            cited=any(_CITE(anchor) for anchor in organic),
        )
        found = (_hit(anchor, heading(anchor)[0], page) for anchor in organic)
        hits = [hit for hit in found if hit is not None]
        if hits:
            return tuple(hits)
    return ()


def _goto_targets(root: Node, anchors: Sequence[Node]) -> links.GotoTargets:
    if not any("/goto" in anchor.get("href", "") for anchor in anchors):
        return links.NO_TARGETS
    return links.goto_targets(script.text or "" for script in _SCRIPTS(root))


def _hit(anchor: Node, heading: Node, page: _Page) -> Hit | None:
    title = visible_text(heading)
    site_line = _site_line(anchor, heading, page)
    url, resolved = _target(anchor, page, title, _host(site_line))
    plain = not page.cited and heading.tag == "h3" and bool(_IN_COLUMN(anchor))
    if not (title and url and (site_line or plain)):
        return None
    snippet = read_snippet(anchor, page.owners)
    return Hit(
        title=title,
        url=url,
        snippet=snippet.text,
        provider=NAME,
        resolved=resolved,
        published=snippet.published or stated_date(site_line),
        site=_site(anchor, heading, site_line, resolved=resolved) or None,
        featured=snippet.featured,
    )


def _site_line(anchor: Node, heading: Node, page: _Page) -> str:
    cites = _CITE(anchor)
    if cites:
        return visible_text(cites[0]) or _rest(anchor, heading)
    if page.cited:
        return ""
    rest = _rest(anchor, heading)
    return rest if _CRUMB in rest or _HOST.search(rest) else ""


def _rest(anchor: Node, heading: Node) -> str:
    """The text of the link besides its title and its cite: the site's name."""
    return visible_text(anchor, lambda node: node is heading or node.tag == "cite")


def _target(anchor: Node, page: _Page, title: str, host: str) -> tuple[str, bool]:
    """Where the link leads, and whether that is the result itself; empty for a control."""
    url = links.absolute(anchor.get("href", ""), page.url)
    token = links.goto_token(url, page.url)
    if token is None:
        url = links.unwrapped(url, page.url)
        return (url if links.leads_away(url, page.url) else ""), True
    target = (
        page.targets.by_token.get(token)
        or page.targets.by_title.get((host.removeprefix("www."), title))
        or _card_target(anchor, page)
    )
    return (links.unwrapped(target, page.url), True) if target else (url, False)


def _card_target(anchor: Node, page: _Page) -> str:
    """The address that a video card states beside its link."""
    cards = [card for card in _REAL_TARGET(anchor) if page.owners.get(card, 1) == 1]
    return cards[-1].get("data-surl", "") if cards else ""


def _site(anchor: Node, heading: Node, site_line: str, *, resolved: bool) -> str:
    """The breadcrumb, or the site's name where the site line holds none.

    A result that is not resolved keeps the host, which is the part of a breadcrumb to rely on.
    """
    host = _host(site_line)
    if not host:
        return _rest(anchor, heading)
    return site_line if resolved else host


def _host(site_line: str) -> str:
    match = _HOST.match(site_line)
    return match[1] if match else ""
