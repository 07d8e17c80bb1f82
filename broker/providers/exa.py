"""Exa's REST search: one request with real filters, the query as long as it is.

A key that has no credit left is told from one that is wrong, because the keyless tier
(`exa_free`) then still answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.errors import LaneFailed
from broker.models import Hit
from broker.providers.answers import (
    OK,
    address_of,
    as_text,
    hits_of,
    number_of,
    post_json,
    published_of,
    read_json,
    record,
    refusal,
    saved_serp,
    shortened,
    some_hits_of,
    text_of,
    texts_of,
)
from broker.providers.base import Found
from broker.providers.filters import first_day, hosts, remarks, sift, unmet, whole_hosts
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broker.models import SearchQuery, Serp
    from broker.providers.base import Call, Conversation, HttpResponse

NAME = "exa"
MAX_COUNT = 100

_SERVICE = "Exa"
_PATH = "/search"
_PRICED_TOGETHER = 10
"""Results that one price covers; each further one costs a seventh of a whole search."""
_SPARE = 2
"""Results beyond the ten that are only asked for in case some are repetitions."""
_HIGHLIGHT_CHARS = 800
_CONTENT_CHARS = 10_000
"""Of each page's text; Exa's own clients ask for as much."""
_SPENT_TAGS = frozenset({"NO_MORE_CREDITS", "API_KEY_BUDGET_EXCEEDED"})


def converse(call: Call) -> Conversation:
    """Ask once; see `broker.providers.base.Conversation`."""
    response = yield post_json(
        call.settings.exa_url.rstrip("/") + _PATH,
        _body(call),
        ("x-api-key", call.settings.exa_api_key or ""),
    )
    results = _results(response, call)
    kept, remark = sift(some_hits_of(results, _hit, _SERVICE), call.query, call.today)
    yield Found(
        hits=kept,
        exhausted=len(results) < _count(call.query),
        remark=remarks(remark, unmet(call.query, lang=True)),
    )


def parse(page: str | bytes, _url: str) -> Serp:
    """What a saved answer holds. Never raises."""
    text = as_text(page)
    answer = record(read_json(text))
    results = answer.get("results")
    return saved_serp(
        text,
        hits_of(results, _hit),
        is_empty=results == [],
        is_refusal="error" in answer,
    )


def _count(query: SearchQuery) -> int:
    if _PRICED_TOGETHER < query.max_hits <= _PRICED_TOGETHER + _SPARE:
        return _PRICED_TOGETHER
    return min(query.max_hits, MAX_COUNT)


def _body(call: Call) -> dict[str, object]:
    query = call.query
    contents: dict[str, object] = {"highlights": {"maxCharacters": _HIGHLIGHT_CHARS}}
    if call.content:
        contents["text"] = {"maxCharacters": _CONTENT_CHARS}
    body: dict[str, object] = {
        "query": query.text,
        "type": "auto",
        "numResults": _count(query),
        "contents": contents,
    }
    # Paths are left to `sift`: only hosts are documented.
    if query.sites:
        body["includeDomains"] = hosts(query.sites)
    if excluded := whole_hosts(query.not_sites):
        body["excludeDomains"] = excluded
    if (first := first_day(query, call.today)) is not None:
        body["startPublishedDate"] = f"{first}T00:00:00.000Z"
    if query.until is not None:
        body["endPublishedDate"] = f"{query.until}T23:59:59.999Z"
    if query.region is not None:
        body["userLocation"] = query.region
    return body


def _results(response: HttpResponse, call: Call) -> list[object]:
    """The list of results of a good answer.

    Raises:
        LaneFailed: it is none.
    """
    answer = record(read_json(response.text))
    if response.status != OK:
        nested = record(answer.get("error"))
        said = text_of(nested, "message") or text_of(answer, "error")
        code = "quota" if text_of(answer, "tag") in _SPENT_TAGS else None
        key = call.settings.exa_api_key
        raise refusal(response, _SERVICE, said, key, now=call.now, code=code)
    results = answer.get("results")
    if not isinstance(results, list):
        raise LaneFailed("unparseable", f"{_SERVICE} answered without a list of results")
    return results


def _hit(item: Mapping[str, object]) -> Hit | None:
    url = address_of(item, "url")
    if not url:
        return None
    author = fold(text_of(item, "author"))
    content = text_of(item, "text")
    passages = filter(None, map(fold, texts_of(item, "highlights")))
    return Hit(
        title=fold(text_of(item, "title")) or url,
        url=url,
        snippet=shortened(" … ".join(passages) or text_of(item, "summary") or content),
        provider=NAME,
        published=published_of(item, "publishedDate"),
        authors=(author,) if author else (),
        score=number_of(item, "score"),
        content=content or None,
    )
