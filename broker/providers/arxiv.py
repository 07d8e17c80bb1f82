"""arXiv's papers, by the API that it offers to programs.

Its terms allow one request in three seconds and one connection. Beyond that, and since early 2026
below it too, it answers 429, 406 or 503; all three mean to stay away for a minute or longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from broker.errors import LaneFailed
from broker.models import Serp, SerpState
from broker.providers.answers import quoted, refusal, retry_after_s
from broker.providers.arxiv_feed import NAME, Feed, read_feed
from broker.providers.arxiv_query import Plan, out_of_reach, plan
from broker.providers.base import Asked, Found, HttpRequest
from broker.version import __version__

if TYPE_CHECKING:
    from broker.providers.base import Call, Conversation, HttpResponse

__all__ = ["NAME", "converse", "parse"]

MIN_BACK_OFF_S = 60.0
"""How long it is left alone after a throttle, at the least."""

USER_AGENT = f"webaio/{__version__} (search broker; one request in 3 s)"
"""Distinctive, as its terms ask: clients that share a common one share its allowance."""

_THROTTLES = frozenset({406, 429, 503})
_THROTTLE_TEXT = "Rate exceeded"
_ATTEMPTS = 2
"""Now and then a full page comes back without an entry; asked once more it is there."""


def parse(answer: str | bytes, _url: str) -> Serp:
    """What the saved answer is, and its papers in their order. Never raises."""
    feed = read_feed(answer)
    if feed is None:
        return Serp(state=_state(answer))
    if feed.hits:
        return Serp(state=SerpState.RESULTS, hits=feed.hits)
    if feed.error is not None:
        return Serp(state=SerpState.BLOCKED)
    return Serp(state=SerpState.NO_RESULTS if feed.total == 0 else SerpState.UNPARSEABLE)


def converse(call: Call) -> Conversation:
    """Ask for `call.query`: newest papers first when it says how old they may be."""
    if (reason := out_of_reach(call.query)) is not None:
        raise LaneFailed("unavailable", reason)
    asked = plan(call.query, call.today)
    if asked is None:
        raise LaneFailed("bad_request", "it can search for no word of the query")
    yield Asked(compiled=asked.shown)
    feed = Feed()
    for _ in range(_ATTEMPTS):
        feed = _read((yield _request(call, asked)), call)
        if feed.hits or not feed.total:
            break
    if feed.hits:
        known = feed.total is not None and feed.total <= len(feed.hits)
        yield Found(hits=feed.hits, exhausted=known)
    elif feed.total is None:
        raise LaneFailed("unparseable", "arXiv's feed has no papers and does not say that none fit")
    elif feed.total > 0:
        message = f"arXiv says that {feed.total} papers fit and shows none"
        raise LaneFailed("upstream", message, transient=True)


def _request(call: Call, asked: Plan) -> HttpRequest:
    params = {
        "search_query": asked.search_query,
        "id_list": asked.id_list,
        "start": "0",
        "max_results": str(call.query.max_hits),
    }
    if asked.newest_first:
        params |= {"sortBy": "submittedDate", "sortOrder": "descending"}
    query = urlencode({name: value for name, value in params.items() if value})
    return HttpRequest(
        url=f"{call.settings.arxiv_url.rstrip('/')}/api/query?{query}",
        headers=(("User-Agent", USER_AGENT), ("Accept", "application/atom+xml, */*;q=0.5")),
    )


def _read(response: HttpResponse, call: Call) -> Feed:
    """The feed that came.

    Raises:
        LaneFailed: Something else did.
    """
    throttled = response.status in _THROTTLES or response.text.startswith(_THROTTLE_TEXT)
    if throttled:
        raise LaneFailed(
            "rate_limited",
            f"arXiv answered {response.status}: it wants to be asked less often",
            retry_after_s=max(MIN_BACK_OFF_S, retry_after_s(response, call.now) or 0.0),
        )
    feed = read_feed(response.body)
    if feed is not None and feed.error is not None:
        raise LaneFailed("bad_request", f"arXiv refused the query{quoted(feed.error)}")
    if response.status != 200:  # noqa: PLR2004 - HTTP's OK
        raise refusal(response, "arXiv", "", now=call.now)
    if feed is None:
        raise LaneFailed("unparseable", "arXiv's answer is no feed")
    return feed


def _state(answer: str | bytes) -> SerpState:
    """The state of an answer that is no feed."""
    text = answer if isinstance(answer, str) else answer.decode("utf-8", "replace")
    if not text.strip():
        return SerpState.BLANK
    throttled = text.lstrip().startswith(_THROTTLE_TEXT)
    return SerpState.BLOCKED if throttled else SerpState.UNPARSEABLE
