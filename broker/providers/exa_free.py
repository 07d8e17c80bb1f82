"""Exa's keyless tier: the tool `web_search_exa` of its hosted MCP server, which needs no session.

The tool has no filters: words for the sites go into the query, and what comes back is sifted here.
Its results are one text; a passage may look like the beginning of the next result, so a block
counts as one only with a result's own header.
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
    published_of,
    quoted,
    refusal,
    retry_after_s,
    saved_serp,
    shortened,
    status_code,
)
from broker.providers.base import Asked, Found, HttpResponse
from broker.providers.filters import first_day, hosts, remarks, sift, unmet
from broker.providers.mcp import call_tool, read_reply
from extract.tree import fold

if TYPE_CHECKING:
    from broker.models import SearchQuery, Serp
    from broker.providers.base import Call, Conversation
    from broker.providers.mcp import Reply

NAME = "exa_free"
MAX_COUNT = 50

_SERVICE = "Exa's free tier"
_TOOL = "web_search_exa"
_PATH = f"/mcp?tools={_TOOL}"
"""A tool that is named here can be called, whichever ones the server offers by itself."""
_NUMBER = 1
_FILTERED_SHARE = 3
"""Of so many results one is expected to pass the filters that the tool has not."""

_SEPARATOR = re.compile(r"\n\n---\n\n(?=Title: )")
# A title that was broken into lines is read; a passage that begins like one has no URL below it.
_HEADER = re.compile(
    r"Title: (?P<title>[^\n]*(?:\n(?!URL: )[^\n]*){0,2})\nURL: (?P<url>[^\n]*)"
    r"(?:\nPublished: (?P<published>[^\n]*))?(?:\nAuthor: (?P<author>[^\n]*))?(?=\n|\Z)"
)
_HIGHLIGHTS, _TEXT = "\nHighlights:\n", "\nText: "
_UNKNOWN = "N/A"
_EMPTY = "No search results found"

_STATED_STATUS = re.compile(r"error \((\d{3})\)")
_RATE_LIMIT = re.compile(r"rate limit", re.IGNORECASE)


def converse(call: Call) -> Conversation:
    """Ask once; see `broker.providers.base.Conversation`."""
    text = " ".join([call.query.text, *hosts(call.query.sites)])
    if text != call.query.text:
        yield Asked(compiled=text)
    count = _count(call.query)
    url = call.settings.exa_mcp_url.rstrip("/") + _PATH
    response = yield call_tool(url, _NUMBER, _TOOL, {"query": text, "numResults": count})
    texts = _texts(response, call)
    hits = tuple(hit for said in texts for hit in read_hits(said))
    if not hits and not _is_empty(texts):
        raise _unreadable(texts)
    kept, remark = sift(hits, call.query, call.today)
    yield Found(
        hits=kept,
        exhausted=len(hits) < count,
        remark=remarks(remark, _undated(kept, call), unmet(call.query, lang=True, region=True)),
    )


def parse(page: str | bytes, _url: str) -> Serp:
    """What a saved reply holds, or the text of one. Never raises."""
    text = as_text(page)
    reply = read_reply(text)
    texts = (text,) if reply is None else reply.texts
    return saved_serp(
        text,
        tuple(hit for said in texts for hit in read_hits(said)),
        is_empty=_is_empty(texts),
        is_refusal=reply is not None and reply.is_failure,
    )


def read_hits(text: str) -> tuple[Hit, ...]:
    """The results in the tool's text. Never raises."""
    blocks: list[str] = []
    for piece in _SEPARATOR.split(text):
        if _HEADER.match(piece) or not blocks:
            blocks.append(piece)
        else:
            blocks[-1] += f"\n\n---\n\n{piece}"
    return tuple(hit for block in blocks if (hit := _hit(block)) is not None)


def _count(query: SearchQuery) -> int:
    filtered = query.sites or query.not_sites or query.since or query.until
    return min(query.max_hits * (_FILTERED_SHARE if filtered else 1), MAX_COUNT)


def _hit(block: str) -> Hit | None:
    header = _HEADER.match(block)
    if header is None:
        return None
    fields = {name: _known(value) for name, value in header.groupdict().items()}
    url = address_of(fields, "url")
    if not url:
        return None
    body = block[header.end() :]
    passages = body.removeprefix(_HIGHLIGHTS) if body.startswith(_HIGHLIGHTS) else ""
    content = body.removeprefix(_TEXT).strip() if body.startswith(_TEXT) else ""
    return Hit(
        title=fields["title"] or url,
        url=url,
        snippet=shortened(passages or content),
        provider=NAME,
        published=published_of(fields, "published"),
        authors=(fields["author"],) if fields["author"] else (),
        content=content or None,
    )


def _known(value: str | None) -> str:
    text = fold(value or "")
    return "" if text == _UNKNOWN else text


def _undated(hits: tuple[Hit, ...], call: Call) -> str | None:
    """A remark about hits that passed a filter for dates only because they state none."""
    query = call.query
    count = sum(hit.published is None for hit in hits)
    is_dated = first_day(query, call.today) is not None or query.until is not None
    return f"{count} without a date" if is_dated and count else None


def _is_empty(texts: tuple[str, ...]) -> bool:
    return any(text.startswith(_EMPTY) for text in texts)


def _texts(response: HttpResponse, call: Call) -> tuple[str, ...]:
    """What the tool said.

    Raises:
        LaneFailed: nothing; it failed or was refused.
    """
    reply = read_reply(response.text, _NUMBER)
    if response.status != OK:
        said = reply.text if reply is not None else ""
        raise refusal(response, _SERVICE, said, now=call.now)
    if reply is None:
        raise LaneFailed("unparseable", f"{_SERVICE} answered without a reply")
    if reply.is_failure:
        raise LaneFailed(
            _failure_code(reply),
            f"{_SERVICE} failed{quoted(reply.text)}",
            retry_after_s=retry_after_s(response, call.now),
        )
    return reply.texts


def _failure_code(reply: Reply) -> str:
    """What a failure that came with status 200 means: only its words say."""
    if _RATE_LIMIT.search(reply.text):
        return "rate_limited"
    if stated := _STATED_STATUS.search(reply.text):
        return status_code(HttpResponse(status=int(stated[1]), url=""))
    return "bad_request" if reply.is_bad_call else "upstream"


def _unreadable(texts: tuple[str, ...]) -> LaneFailed:
    said = " ".join(texts)
    if _RATE_LIMIT.search(said):
        return LaneFailed("rate_limited", f"{_SERVICE} refused{quoted(said)}")
    return LaneFailed("unparseable", f"{_SERVICE}'s text holds no result")
