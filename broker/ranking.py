"""From the hits of several lanes to one list: joined or ranked, without repetitions, cut to size.

Addresses are compared by `fusion.url_identity` and never changed. What may go when there are more
hits than were asked for goes from the end of the list: further hits of a site that has its share
already, and copies of a text that stands on another site. Nothing goes while there are too few.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from broker.fusion import merge_pages, url_identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from publicsuffixlist import PublicSuffixList

    from broker.models import Hit

RANK_CONSTANT = 60
"""k of reciprocal rank fusion, 1 / (k + rank): the value of Cormack et al. 2009."""

SITE_SHARE = 3
"""Hits of one registrable domain that stay when others could stand in their place."""

_COPY_WORDS = 5
"""A title shorter than this ("Home", "Release notes") says nothing about its text."""
_COPY_SNIPPET_WORDS = 12
_COPY_OVERLAP = 0.9
"""Share of common words from which two snippets are the same text."""

_WORD = re.compile(r"\w+")


def joined(lists: Sequence[Sequence[Hit]]) -> tuple[Hit, ...]:
    """The lists one after the other, each address once; later ones add what earlier lack."""
    known: dict[str, list[Hit]] = {}
    for hits in lists:
        for hit in hits:
            known.setdefault(url_identity(hit.url), []).append(hit)
    return tuple(_enriched(versions) for versions in known.values())


def ranked(lists: Sequence[Sequence[Hit]]) -> tuple[Hit, ...]:
    """The lists by reciprocal rank fusion: what several engines rank high comes first."""
    scores: Counter[str] = Counter()
    for hits in lists:
        for rank, hit in enumerate(merge_pages([hits]), 1):
            scores[url_identity(hit.url)] += 1 / (RANK_CONSTANT + rank)  # type: ignore[assignment]
    order = {identity: -score for identity, score in scores.items()}
    return tuple(sorted(joined(lists), key=lambda hit: order[url_identity(hit.url)]))


def cut(hits: Sequence[Hit], max_hits: int, *, one_site: bool = False) -> tuple[Hit, ...]:
    """At most `max_hits` of `hits`, in their order, and fewer only where there are fewer.

    `one_site` says that the hits were asked for by site, so that none is one too many.
    """
    surplus = len(hits) - max_hits
    if surplus <= 0:
        return tuple(hits)
    weak = _weak(hits, one_site=one_site)
    dropped = set(sorted(weak)[-surplus:])
    kept = [hit for place, hit in enumerate(hits) if place not in dropped]
    return tuple(kept[:max_hits])


def _weak(hits: Sequence[Hit], *, one_site: bool) -> set[int]:
    """The places of hits that another one stands in for."""
    weak: set[int] = set()
    shares: Counter[str] = Counter()
    for place, hit in enumerate(hits):
        site = registrable_domain(hit.url)
        others = (other for earlier, other in enumerate(hits[:place]) if earlier not in weak)
        if any(registrable_domain(o.url) != site and _is_copy(hit, o) for o in others):
            weak.add(place)
            continue
        shares[site] += 1
        if shares[site] > SITE_SHARE and not one_site:
            weak.add(place)
    return weak


def _is_copy(hit: Hit, other: Hit) -> bool:
    title, other_title = _words(hit.title), _words(other.title)
    if len(title) >= _COPY_WORDS and title == other_title:
        return True
    text, other_text = set(_words(hit.snippet)), set(_words(other.snippet))
    if min(len(text), len(other_text)) < _COPY_SNIPPET_WORDS:
        return False
    return len(text & other_text) >= _COPY_OVERLAP * len(text | other_text)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _enriched(versions: Sequence[Hit]) -> Hit:
    """The first version, with what only later ones know."""
    first = versions[0]
    for other in versions[1:]:
        if other.resolved and not first.resolved:
            first = replace(first, url=other.url, resolved=True)
        missing = {
            field.name: getattr(other, field.name)
            for field in fields(first)
            if getattr(first, field.name) in (None, "", ())
        }
        first = replace(first, **missing)
    return first


def registrable_domain(url: str) -> str:
    """The part of the host that somebody registered: `example.co.uk`, `user.github.io`.

    The host itself where it is a public suffix, an IP address or empty.
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""
    if host.rpartition(".")[2].isdecimal():
        return host
    return _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> PublicSuffixList:
    # Loaded when there is something to drop: it takes 50 ms, and most answers have no surplus.
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415

    return PublicSuffixList()


def share_chars(lengths: Sequence[int], chars: int) -> list[int]:
    """How many characters each text may keep of `chars` in all, so that none is left without.

    Short texts keep all they have, and what they leave is shared equally among the longer ones.
    """
    shares = [0] * len(lengths)
    left = chars
    by_length = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for done, place in enumerate(by_length):
        fair = left // (len(lengths) - done)
        shares[place] = min(lengths[place], fair)
        left -= shares[place]
    return shares
