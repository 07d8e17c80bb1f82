"""z.ai's `web_search_prime`, an MCP tool of its coding plan: a session first, then the call.

HTTP says little here. A wrong key, a session that is gone and a used-up plan come with any status
and in several envelopes, so refusals are read from the numbers that z.ai puts into them. An empty
list is also what a plan without balance gets; nothing tells the two apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from broker.models import Hit
from broker.providers import mcp
from broker.providers.answers import (
    OK,
    address_of,
    as_text,
    hits_of,
    published_of,
    read_json,
    record,
    saved_serp,
    shortened,
    some_hits_of,
    text_of,
)
from broker.providers.base import Asked, Found, HttpResponse, Step
from broker.providers.filters import first_day, hosts, remarks, sift, unmet
from broker.providers.trimming import cut_sentence, trim
from broker.providers.zai_refusal import is_no_such_tool, refusal
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from broker.models import Serp
    from broker.providers.base import Call, Conversation, HttpRequest

NAME = "zai"
MAX_QUERY_CHARS = 70
"""What the engine behind the tool recommends."""

_PATH = "/api/mcp/web_search_prime/mcp"
_TOOLS = ("web_search_prime", "webSearchPrime")
"""The tool's name since March 2026, and the one before, which the documentation still has."""
_SESSION, _TOOL = "session", "tool"
"""What is kept in a call's memory."""
_SESSION_GONE = 404
_OPENING, _CALLING = 1, 2
"""Numbers of our messages."""
_ENCODINGS = 3
"""The list of results is JSON within the text, once or twice over; more would be no list."""
_WINDOWS = ((1, "oneDay"), (7, "oneWeek"), (31, "oneMonth"), (366, "oneYear"))
"""(days, name) of the windows of time, which all end now."""

Exchange: TypeAlias = "Generator[Step, HttpResponse, HttpResponse]"
"""A part of a conversation, which comes to a response."""


def converse(call: Call) -> Conversation:
    """Ask once, in the session at hand; see `broker.providers.base.Conversation`."""
    text, cut = _shortened_query(call.query.text)
    if text != call.query.text:
        yield Asked(compiled=text, cut=cut)
    response = yield from _answered(call, _arguments(call, text))
    reply = mcp.read_reply(response.text, _CALLING)
    items = _items(reply.texts) if reply is not None and not reply.is_failure else None
    if response.status != OK or items is None:
        raise refusal(response, reply, call)
    hits = some_hits_of(items, _hit, "z.ai")
    if not call.content:
        hits = tuple(replace(hit, content=None) for hit in hits)
    kept, remark = sift(hits, call.query, call.today)
    doubt = None if items else "z.ai also answers so when a plan has no balance"
    yield Found(
        hits=kept,
        exhausted=True,
        remark=remarks(remark, doubt, unmet(call.query, lang=True)),
    )


def parse(page: str | bytes, _url: str) -> Serp:
    """What a saved reply holds, or the text of one. Never raises."""
    text = as_text(page)
    reply = mcp.read_reply(text)
    items = _items((text,) if reply is None else reply.texts)
    bare = record(read_json(text))
    return saved_serp(
        text,
        hits_of(items, _hit),
        is_empty=items == [],
        is_refusal=bare.get("success") is False or (reply is not None and reply.is_failure),
    )


def _shortened_query(text: str) -> tuple[str, str | None]:
    """The query as z.ai gets it, and a sentence about what was left out."""
    if len(text) <= MAX_QUERY_CHARS:
        return text, None
    trimmed = trim(text, MAX_QUERY_CHARS)
    if not trimmed.text:  # one long word: the limit is a recommendation only
        return text, None
    return trimmed.text, cut_sentence(trimmed.dropped, MAX_QUERY_CHARS)


def _arguments(call: Call, text: str) -> dict[str, object]:
    query = call.query
    arguments: dict[str, object] = {"search_query": text}
    sites = hosts(query.sites)
    if len(sites) == 1:  # it takes one; several are left to `sift`
        arguments["search_domain_filter"] = sites[0]
    if (first := first_day(query, call.today)) is not None:
        age_days = (call.today - first).days
        windows = [name for days, name in _WINDOWS if age_days <= days]
        arguments["search_recency_filter"] = windows[0] if windows else "noLimit"
    if query.region is not None:  # China, or the rest of the world
        arguments["location"] = "cn" if query.region == "CN" else "us"
    if call.content:
        arguments["content_size"] = "high"
    return arguments


def _answered(call: Call, arguments: Mapping[str, object]) -> Exchange:
    """Call the tool; when the session is gone, once more in a new one."""
    response = yield from _answered_in_session(call, arguments)
    if response.status == _SESSION_GONE:
        response = yield from _answered_in_session(call, arguments)
    return response


def _answered_in_session(call: Call, arguments: Mapping[str, object]) -> Exchange:
    if _SESSION not in call.memory:
        yield from _opened(call)
    session = call.memory[_SESSION]
    response = yield from _called(call, arguments)
    # By now the memory may hold the next session, which another search has opened.
    if response.status == _SESSION_GONE and call.memory.get(_SESSION) == session:
        del call.memory[_SESSION]
    return response


def _opened(call: Call) -> Exchange:
    """Open a session and keep it in the call's memory.

    Raises:
        LaneFailed: z.ai does not open one.
    """
    response = yield mcp.initialize(_url(call), _OPENING, *_headers(call))
    reply = mcp.read_reply(response.text, _OPENING)
    if response.status != OK or reply is None or reply.is_failure:
        raise refusal(response, reply, call)
    call.memory[_SESSION] = response.headers.get("mcp-session-id", "")
    return (yield mcp.initialized(_url(call), *_headers(call)))


def _called(call: Call, arguments: Mapping[str, object]) -> Exchange:
    """Call the tool by the name that was right the last time, then by the other one."""
    first, second = sorted(_TOOLS, key=lambda name: name != call.memory.get(_TOOL))
    response = yield _call_tool(call, first, arguments)
    if is_no_such_tool(mcp.read_reply(response.text, _CALLING)):
        response = yield _call_tool(call, second, arguments)
        call.memory[_TOOL] = second
    return response


def _call_tool(call: Call, tool: str, arguments: Mapping[str, object]) -> HttpRequest:
    return mcp.call_tool(_url(call), _CALLING, tool, arguments, *_headers(call))


def _url(call: Call) -> str:
    return call.settings.zai_url.rstrip("/") + _PATH


def _headers(call: Call) -> list[tuple[str, str]]:
    headers = [("Authorization", f"Bearer {call.settings.zai_api_key}")]
    if session := call.memory.get(_SESSION):
        headers.append(("Mcp-Session-Id", session))
    return headers


def _items(texts: tuple[str, ...]) -> list[object] | None:
    """The list of results in the tool's text; None when there is none."""
    value: object = texts[0] if texts else None
    for _ in range(_ENCODINGS):
        if isinstance(value, str):
            value = read_json(value)
    return value if isinstance(value, list) else None


def _hit(item: Mapping[str, object]) -> Hit | None:
    url = address_of(item, "link")
    if not url:
        return None
    content = text_of(item, "content")
    return Hit(
        title=fold(text_of(item, "title")) or url,
        url=url,
        snippet=shortened(content),
        provider=NAME,
        published=published_of(item, "publish_date"),
        site=fold(text_of(item, "media")) or None,
        content=content or None,
    )
