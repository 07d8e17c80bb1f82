"""What a query's filters mean, and what slipped through a provider that has them or has not.

Providers leak: a page of another host, or an older one, comes back although it was not asked for.
So what they return is looked at again here, by host and path and by the date they state.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from broker.models import Recency

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.models import Hit, SearchQuery

_DAYS = {Recency.DAY: 1, Recency.WEEK: 7, Recency.MONTH: 30, Recency.YEAR: 365}


def first_day(query: SearchQuery, today: date) -> date | None:
    """The oldest day wanted; a window is counted back from `today`."""
    if isinstance(query.since, Recency):
        return today - timedelta(days=_DAYS[query.since])
    return query.since


def day_after(day: date) -> date:
    """The next day, for providers whose upper end is exclusive; the last day of all stays."""
    return day + timedelta(days=1) if day < date.max else day


def hosts(sites: Sequence[str]) -> tuple[str, ...]:
    """The host names in `sites`, each once, without the paths that some have."""
    return tuple(dict.fromkeys(site.partition("/")[0] for site in sites))


def whole_hosts(sites: Sequence[str]) -> tuple[str, ...]:
    """Those of `sites` that are a host name and no path: what can be left out by host alone."""
    return tuple(dict.fromkeys(site for site in sites if "/" not in site.rstrip("/")))


def sift(
    hits: Sequence[Hit], query: SearchQuery, today: date
) -> tuple[tuple[Hit, ...], str | None]:
    """The hits that `query` lets through, and a remark about those it does not.

    A hit without a date that can be read passes the filter for dates.
    """
    placed = [hit for hit in hits if _is_wanted_place(hit.url, query)]
    first, last = first_day(query, today), query.until
    kept = tuple(hit for hit in placed if _is_within(hit.published, first, last))
    lost = [
        f"{count} {what}"
        for count, what in (
            (len(hits) - len(placed), "on other sites"),
            (len(placed) - len(kept), "of other dates"),
        )
        if count
    ]
    return kept, f"left out {' and '.join(lost)}" if lost else None


def remarks(*sentences: str | None) -> str | None:
    """Those sentences that are there, as one; None when none is."""
    return "; ".join(filter(None, sentences)) or None


def unmet(query: SearchQuery, *, lang: bool = False, region: bool = False) -> str | None:
    """A remark about filters that the query has and the provider has not."""
    wishes = (("language", lang and query.lang), ("region", region and query.region))
    names = [name for name, wish in wishes if wish]
    return f"not filtered by {' and '.join(names)}" if names else None


def _is_wanted_place(url: str, query: SearchQuery) -> bool:
    if not query.sites and not query.not_sites:
        return True
    parts = urlsplit(url)
    host, path = _plain(parts.hostname or ""), parts.path.lstrip("/")
    if query.sites and not any(_lies_in(host, path, site) for site in query.sites):
        return False
    return not any(_lies_in(host, path, site) for site in query.not_sites)


def _lies_in(host: str, path: str, site: str) -> bool:
    site_host, _, site_path = site.partition("/")
    site_host = _plain(site_host)
    return (host == site_host or host.endswith(f".{site_host}")) and path.startswith(site_path)


def _plain(host: str) -> str:
    """A host for comparing: in ASCII, in lower case, without `www.`."""
    with suppress(UnicodeError):  # a label of it is empty or too long
        host = host.rstrip(".").encode("idna").decode()
    return host.lower().removeprefix("www.")


def _is_within(published: str | None, first: date | None, last: date | None) -> bool:
    try:
        day = date.fromisoformat((published or "")[:10])
    except ValueError:
        return True
    return (first is None or first <= day) and (last is None or day <= last)
