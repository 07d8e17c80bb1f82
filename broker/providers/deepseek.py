"""DeepSeek's Search API: one request, up to 50 results, the pages' text at no extra cost.

Filters are operators inside the query, which may have 128 characters in all. So a long query is
cut behind its last words that fit; where the filters leave no room for words worth asking, the
lane steps aside for a provider that takes the query whole.
"""

from __future__ import annotations

import re
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
)
from broker.providers.base import Asked, Found
from broker.providers.filters import (
    day_after,
    first_day,
    hosts,
    remarks,
    sift,
    unmet,
    whole_hosts,
)
from broker.providers.trimming import cut_sentence, trim
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from broker.models import SearchQuery, Serp
    from broker.providers.base import Call, Conversation, HttpRequest, HttpResponse

NAME = "deepseek"
MAX_QUERY_CHARS = 128
"""Unicode characters of a query, operators included; also of the question behind it."""
MAX_COUNT = 50

_SERVICE = "DeepSeek"
_PATH = "/v1/tools/search"
_CHAT_SUFFIX = re.compile(r"/(?:v1|beta)?/*\Z")
"""What people append to the base address for chat."""
_MIN_WORDS_CHARS = 20
"""Fewer characters of a longer question would ask something else."""


def converse(call: Call) -> Conversation:
    """Ask once; see `broker.providers.base.Conversation`."""
    compiled, dropped = compile_query(call.query, call.today)
    if compiled != call.query.text:
        yield Asked(compiled=compiled, cut=cut_sentence(dropped, MAX_QUERY_CHARS))
    count = min(call.query.max_hits, MAX_COUNT)
    response = yield _request(call, compiled, count)
    results = _results(response, call)
    kept, remark = sift(some_hits_of(results, _hit, _SERVICE), call.query, call.today)
    yield Found(
        hits=kept,
        exhausted=len(results) < count,
        remark=remarks(remark, unmet(call.query, region=True)),
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


def compile_query(query: SearchQuery, today: date) -> tuple[str, str]:
    """The words and the filters within 128 characters, and the words that were left out.

    Raises:
        LaneFailed: `query_too_long`: too little of the question would be left; `bad_request`:
            there is none.
    """
    operators = _operators(query, today)
    room = MAX_QUERY_CHARS - len(operators) - 1 if operators else MAX_QUERY_CHARS
    trimmed = trim(query.text, max(0, room))
    if trimmed.dropped and len(trimmed.words) < _MIN_WORDS_CHARS:
        taken = MAX_QUERY_CHARS - max(0, room)
        raise LaneFailed(
            "query_too_long",
            f"{_SERVICE} reads {MAX_QUERY_CHARS} characters; the filters take {taken} of them "
            f"and of the {len(query.text)} of the query too little would be left",
        )
    if not trimmed.text:
        raise LaneFailed("bad_request", "the query has no words")
    return " ".join(filter(None, (trimmed.text, operators))), trimmed.dropped


def _operators(query: SearchQuery, today: date) -> str:
    """The filters in DeepSeek's words. Paths are left to `sift`: only hosts are documented."""
    operators = [" OR ".join(f"site:{host}" for host in hosts(query.sites))]
    operators += [f"-site:{host}" for host in whole_hosts(query.not_sites)]
    if query.lang is not None:
        operators.append(f"lang:{query.lang}")
    if (first := first_day(query, today)) is not None:
        operators.append(f"after:{first}")
    if query.until is not None:
        # Whether the end is inclusive is not documented; `sift` takes the surplus day away.
        operators.append(f"before:{day_after(query.until)}")
    return " ".join(filter(None, operators))


def _request(call: Call, compiled: str, count: int) -> HttpRequest:
    question = call.query.text
    return post_json(
        _CHAT_SUFFIX.sub("", call.settings.deepseek_url) + _PATH,
        {
            "query": compiled,
            "count": count,
            "need_content": call.content,
            "ori_question": question if len(question) <= MAX_QUERY_CHARS else None,
        },
        ("Authorization", f"Bearer {call.settings.deepseek_api_key}"),
    )


def _results(response: HttpResponse, call: Call) -> list[object]:
    """The list of results of a good answer.

    Raises:
        LaneFailed: it is none.
    """
    answer = record(read_json(response.text))
    if response.status != OK:
        said = text_of(record(answer.get("error")), "message")
        raise refusal(response, _SERVICE, said, call.settings.deepseek_api_key, now=call.now)
    results = answer.get("results")
    if not isinstance(results, list):
        raise LaneFailed("unparseable", f"{_SERVICE} answered without a list of results")
    return results


def _hit(item: Mapping[str, object]) -> Hit | None:
    url = address_of(item, "url")
    if not url:
        return None
    authority = number_of(item, "authority")
    return Hit(
        title=fold(text_of(item, "title")) or url,
        url=url,
        # Either may be empty; the summary, where there is one, says four times as much.
        snippet=shortened(max(text_of(item, "summary"), text_of(item, "snippet"), key=len)),
        provider=NAME,
        published=published_of(item, "date"),
        site=fold(text_of(item, "site_name")) or None,
        authority=None if authority is None or authority < 0 else int(authority),
        score=number_of(item, "rerank_score"),
        content=text_of(item, "content") or None,
    )
