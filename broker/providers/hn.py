"""Hacker News, by Algolia's search of it: most relevant first, then by points and comments.

10,000 requests an hour and no key. Of any search only the first 1000 hits can be had.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from broker.errors import LaneFailed
from broker.fusion import merge_pages
from broker.models import Serp, SerpState
from broker.providers.answers import OK, as_text, quoted, refusal
from broker.providers.base import Asked, Found, HttpRequest
from broker.providers.filters import day_after, first_day, sift
from broker.providers.hn_answer import HOST, NAME, SITE, Page, read_page
from broker.providers.trimming import Trimmed, trim
from broker.version import __version__

if TYPE_CHECKING:
    from broker.models import Hit
    from broker.providers.base import Call, Conversation, HttpResponse

__all__ = ["NAME", "converse", "parse"]

MAX_QUERY_BYTES = 512
"""Algolia's limit, in UTF-8."""
REACHABLE = 1000
"""Hits of one search that can be had, over all its pages."""

MAX_PAGES = 3
"""Most pages read of one search."""
MAX_SITES = 4
"""Most sites asked for, each by a search of its own."""

_ITEMS_PER_HIT = 2
"""More items are asked for than hits, because all comments of a thread become one hit."""
_FEWEST_ITEMS = 20


def parse(answer: str | bytes, _url: str) -> Serp:
    """What the saved answer is, and its hits in their order. Never raises."""
    text = as_text(answer)
    page = read_page(text)
    if page is None:
        return Serp(state=SerpState.UNPARSEABLE if text.strip() else SerpState.BLANK)
    if page.hits:
        return Serp(state=SerpState.RESULTS, hits=page.hits)
    if page.refused:
        return Serp(state=SerpState.BLOCKED)
    return Serp(state=SerpState.NO_RESULTS if page.total == 0 else SerpState.UNPARSEABLE)


def converse(call: Call) -> Conversation:
    """Ask for `call.query`: one search, or one for each of its sites.

    A site is asked for as further words, which must stand in the address, or in the title, as
    those of the query must. Hacker News's own site stands for its threads.
    """
    sites = call.query.sites[:MAX_SITES] or ("",)
    room_bytes = MAX_QUERY_BYTES - max(len(site.encode()) + 1 for site in sites)
    trimmed = _within(call.query.text, max(room_bytes, 0))
    if not trimmed.text:
        raise LaneFailed("query_too_long", f"no word of it fits into {MAX_QUERY_BYTES} bytes")
    dropped = " ".join(filter(None, (trimmed.dropped, *call.query.sites[MAX_SITES:])))
    yield Asked(compiled=trimmed.text, cut=f"left out of the query: {dropped}" if dropped else None)
    for site in sites:
        yield from _search(call, trimmed.text, site, is_last=site == sites[-1])


def _search(call: Call, words: str, site: str, *, is_last: bool) -> Conversation:
    """Ask for `words` on `site` (empty for everywhere), page by page until there are enough."""
    threads = site.partition("/")[0] == HOST
    params = _params(call, words, "" if threads else site)
    per_page = int(params["hitsPerPage"])
    found: list[tuple[Hit, ...]] = []
    for number in range(MAX_PAGES):
        page = _read((yield _request(call, params, number)), call, threads=threads)
        if not page.hits:
            _check_empty(page, number)
            return
        hits, remark = sift(page.hits, call.query, call.today)
        found.append(hits)
        more = number + 1 < page.pages and (number + 2) * per_page <= REACHABLE
        if hits:
            yield Found(hits=hits, exhausted=is_last and not more, remark=remark)
        if not more or len(merge_pages(found)) >= call.query.max_hits:
            return


def _params(call: Call, words: str, site: str) -> dict[str, str]:
    wanted = _ITEMS_PER_HIT * call.query.max_hits
    params = {
        "query": words,
        "tags": "(story,comment)",
        "hitsPerPage": str(min(max(wanted, _FEWEST_ITEMS), REACHABLE)),
    }
    if site:
        params |= {
            "query": f"{words} {site}",
            "tags": "story",  # a comment is nobody's page but Hacker News's
            "restrictSearchableAttributes": "title,url",
        }
    if dates := _dates(call):
        params["numericFilters"] = dates
    return params


def _dates(call: Call) -> str:
    first, last = first_day(call.query, call.today), call.query.until
    bounds = []
    if first is not None:
        bounds.append(f"created_at_i>={_seconds(first)}")
    if last is not None:
        bounds.append(f"created_at_i<{_seconds(day_after(last))}")
    return ",".join(bounds)


def _seconds(day: date) -> int:
    """The beginning of `day`, UTC, in seconds of Unix time."""
    return int(datetime.combine(day, time.min, UTC).timestamp())


def _request(call: Call, params: dict[str, str], page: int) -> HttpRequest:
    query = urlencode(params | ({"page": str(page)} if page else {}))
    return HttpRequest(
        url=f"{call.settings.hn_url.rstrip('/')}/api/v1/search?{query}",
        headers=(("User-Agent", f"webaio/{__version__}"),),
    )


def _read(response: HttpResponse, call: Call, *, threads: bool) -> Page:
    """The page that came.

    Raises:
        LaneFailed: Something else did.
    """
    page = read_page(response.text, threads=threads)
    if response.status != OK:
        raise refusal(response, SITE, page.message if page else "", now=call.now)
    if page is None:
        raise LaneFailed("unparseable", "its answer is not the JSON of a search")
    if page.refused:
        raise LaneFailed("bad_request", f"{SITE} refused the query{quoted(page.message)}")
    return page


def _check_empty(page: Page, number: int) -> None:
    """Accept that `page`, the one after `number` others, holds nothing.

    Raises:
        LaneFailed: It is the first, and does not say so itself.
    """
    if number or (page.total == 0 and not page.message):
        return
    if page.message:
        raise LaneFailed("bad_request", f"{SITE} shows no hits{quoted(page.message)}")
    raise LaneFailed("unparseable", f"{SITE} counts {page.total} hits and shows none")


def _within(text: str, room_bytes: int) -> Trimmed:
    """`text` within so many bytes of UTF-8."""
    trimmed = trim(text, room_bytes)
    while (excess := len(trimmed.text.encode()) - room_bytes) > 0:
        # No character takes more than four bytes: never more is cut than has to be.
        trimmed = trim(text, len(trimmed.text) - (excess + 3) // 4)
    return trimmed
