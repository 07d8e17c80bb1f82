"""The loopback of Exa's hosted MCP server: `POST /mcp`, stateless, with or without a key.

Replies are one event each, or JSON where a rule or word says so. Calls without a key are counted:
more than `per_second` or `per_day` of them are refused with 429.
"""

from __future__ import annotations

import json
import uuid
from collections import deque
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import anyio

from tests.emulators.apis import (
    DEFAULT_TOTAL,
    EVENTS,
    Filters,
    Service,
    carried_out,
    found,
    portal_page,
    read_object,
    refuse,
    rpc_error,
    rpc_result,
    tool_text,
    with_retry,
)
from tests.emulators.ddg.pages import shown_snippet
from tests.emulators.messages import Request, Response, as_json

if TYPE_CHECKING:
    from tests.emulators.google.hits import Organic
    from tests.emulators.words import Rule

PATH = "/mcp"
TOOL = "web_search_exa"
DEFAULT_TOOLS = (TOOL, "web_fetch_exa")
SEPARATOR = "\n\n---\n\n"
NOTHING = "No search results found. Please try a different query."
TOO_MANY = "You've hit Exa's free MCP rate limit. To continue, create a key of your own."
BROKEN = "web_search_exa error (503): overloaded\nTimestamp: 2026-11-30T00:00:00.000Z"
LOOKALIKE = (
    "A rule:\n\n---\n\nTitle: only a line of the page\nTitle: and one more\n\n---\n\nThe end."
)
"""A passage that looks like the beginning of the next result."""


class ExaMcpMode(StrEnum):
    OK = "ok"
    """One event."""
    JSON = "json"
    SEVERAL = "several"
    """Progress, another message's reply and a comment stand before the reply."""
    CRLF = "crlf"
    NO_SPACE = "nospace"
    STRING_ID = "stringid"
    EMPTY = "empty"
    RULE = "rule"
    """Passages hold rules and lines that begin with `Title: `."""
    TEXT = "text"
    """`Text:` instead of highlights."""
    BARE = "bare"
    """Neither, and no dates or authors."""
    CHANGED = "changed"
    NOT_JSON = "notjson"
    PARSE_ERROR = "http400"
    UNAUTHORIZED = "http401"
    TOO_MANY = "http429"
    """JSON-RPC with the id null, and the mode's value as `Retry-After`."""
    UPSTREAM_TOO_MANY = "upstream429"
    """The same text at 200, as a tool's failure."""
    TOOL_ERROR = "toolerror"
    TOOL_TIMEOUT = "tooltimeout"
    BAD_ARGUMENTS = "badargs"
    BROKEN = "http500"
    SLOW = "slow"
    HANG = "hang"
    RESET = "reset"
    TRUNCATE = "truncate"


_FAILURES = {
    ExaMcpMode.UPSTREAM_TOO_MANY: TOO_MANY,
    ExaMcpMode.TOOL_ERROR: BROKEN,
    ExaMcpMode.TOOL_TIMEOUT: "web_search_exa timed out after 60s",
    ExaMcpMode.BAD_ARGUMENTS: f"MCP error -32602: Invalid arguments for tool {TOOL}",
}


class ExaMcp(Service[ExaMcpMode]):
    modes = ExaMcpMode
    usual = ExaMcpMode.OK

    def reset(self) -> None:
        super().reset()
        self.per_second = 2
        self.per_day = 50
        self._today = 0
        self._calls: deque[float] = deque()

    def set(self, name: str, value: object) -> None:
        match name, value:
            case (("per_second" | "per_day"), int()):
                setattr(self, name, value)
            case _:
                super().set(name, value)

    def hits(self, query: str, count: int = 10) -> tuple[Organic, ...]:
        """The truth: what a search shows, in order."""
        words = self.words(query)
        total = int(words.others.get("total", DEFAULT_TOTAL))
        return found(words.text, total, Filters(), salt=3000)[:count]

    def answer(self, request: Request) -> Response:
        if request.path != PATH:
            return refuse(404, {"error": "not found"})
        if request.method != "POST":
            return refuse(405, rpc_error(None, -32000, "Method not allowed"))
        accepted = request.headers.get("accept", "")
        if "application/json" not in accepted or EVENTS not in accepted:
            message = f"Not Acceptable: Client must accept both application/json and {EVENTS}"
            return refuse(406, rpc_error(None, -32000, message))
        body: dict[str, Any] | None = read_object(request.body)
        if body is None:
            return refuse(400, rpc_error(None, -32700, "Parse error"))
        if "login" in request.query:
            return _unauthorized()
        return self._reply(request, body)

    def _reply(self, request: Request, message: dict[str, Any]) -> Response:
        number, tools = message.get("id"), _tools(request)
        match message.get("method"):
            case "initialize":
                given = request.headers.get("mcp-session-id") or str(uuid.uuid4())
                answer = _event(rpc_result(number, _INITIALIZED))
                return replace(answer, headers=(("Mcp-Session-Id", given),))
            case "tools/list":
                listed = [{"name": tool, "inputSchema": {"type": "object"}} for tool in tools]
                return _event(rpc_result(number, {"tools": listed}))
            case "tools/call":
                return self._called(request, message, tools)
            case str(method) if method.startswith("notifications/"):
                return Response(status=202, content_type="")
            case _:
                return _event(rpc_error(number, -32601, "Method not found"))

    def _called(
        self, request: Request, message: dict[str, Any], tools: tuple[str, ...]
    ) -> Response:
        number, params = message.get("id"), message.get("params", {})
        keys = ("x-api-key", "authorization")
        if not any(name in request.headers for name in keys) and self._is_too_much():
            return replace(
                _CANNED[ExaMcpMode.TOO_MANY], headers=(("Retry-After", "1"), *_HIDDEN_LIMIT)
            )
        tool = params.get("name")
        if tool not in tools:
            return _event(rpc_error(number, -32602, f"MCP error -32602: Tool {tool} not found"))
        arguments = params.get("arguments", {})
        query = arguments.get("query")
        if tool != TOOL or not isinstance(query, str):
            failed = tool_text(_FAILURES[ExaMcpMode.BAD_ARGUMENTS], failed=True)
            return _event(rpc_result(number, failed))
        rule = self.rule(query)
        count = int(arguments.get("numResults", 10))
        return carried_out(rule, self._search(number, query, count, rule))

    def _search(self, number: object, query: str, count: int, rule: Rule[ExaMcpMode]) -> Response:
        if rule.mode in _CANNED:
            return with_retry(_CANNED[rule.mode], rule)
        if rule.mode in _FAILURES:
            return _event(rpc_result(number, tool_text(_FAILURES[rule.mode], failed=True)))
        reply = rpc_result(number, tool_text(self._text(query, count, rule.mode)))
        return _formed(reply, rule.mode)

    def _text(self, query: str, count: int, mode: ExaMcpMode) -> str:
        if mode is ExaMcpMode.EMPTY:
            return NOTHING
        if mode is ExaMcpMode.CHANGED:
            return "| title | url |\n| A | https://a.example |"
        hits = self.hits(query, count)
        return SEPARATOR.join(_block(hit, place, mode) for place, hit in enumerate(hits))

    def _is_too_much(self) -> bool:
        now = anyio.current_time()
        while self._calls and now - self._calls[0] >= 1.0:
            self._calls.popleft()
        if len(self._calls) >= self.per_second or self._today >= self.per_day:
            return True
        self._calls.append(now)
        self._today += 1
        return False


_INITIALIZED = {
    "protocolVersion": "2024-11-05",
    "capabilities": {"tools": {"listChanged": True}},
    "serverInfo": {"name": "exa-search-server", "title": "Exa", "version": "3.4.1"},
}


def _tools(request: Request) -> tuple[str, ...]:
    named = request.query.get("tools", "")
    return tuple(named.split(",")) if named else DEFAULT_TOOLS


def _block(hit: Organic, place: int, mode: ExaMcpMode) -> str:
    snippet = shown_snippet(hit)
    is_bare = mode is ExaMcpMode.BARE
    published = f"{hit.published}T00:00:00.000Z" if hit.published and not is_bare else "N/A"
    author = f"Writer {place}" if place % 2 and not is_bare else "N/A"
    header = f"Title: {hit.title}\nURL: {hit.url}\nPublished: {published}\nAuthor: {author}"
    match mode:
        case ExaMcpMode.BARE:
            return header
        case ExaMcpMode.TEXT:
            return f"{header}\nText: {snippet}\n\n{LOOKALIKE}"
        case ExaMcpMode.RULE:
            return f"{header}\nHighlights:\n{snippet}\n{LOOKALIKE}"
        case _:
            return f"{header}\nHighlights:\n{snippet}\nA second passage."


def _formed(reply: dict[str, object], mode: ExaMcpMode) -> Response:
    if mode is ExaMcpMode.JSON:
        return as_json(reply)
    if mode is ExaMcpMode.STRING_ID:
        reply = {**reply, "id": str(reply["id"])}
    answer = _event(reply)
    match mode:
        case ExaMcpMode.NO_SPACE:
            return replace(answer, body=answer.body.replace(b"data: ", b"data:"))
        case ExaMcpMode.CRLF:
            return replace(answer, body=answer.body.replace(b"\n", b"\r\n"))
        case ExaMcpMode.SEVERAL:
            progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
            other = rpc_result(4711, tool_text("of another message"))
            before = b": keep-alive\n\n" + _event(progress).body + _event(other).body
            return replace(answer, body=before + answer.body)
        case _:
            return answer


def _event(message: object) -> Response:
    body = f"event: message\ndata: {json.dumps(message, ensure_ascii=False)}\n\n"
    return Response(body=body.encode(), content_type=EVENTS)


def _unauthorized() -> Response:
    metadata = 'Bearer resource_metadata="https://mcp.exa.example/.well-known/oauth"'
    return refuse(401, rpc_error(None, -32000, "Unauthorized"), ("WWW-Authenticate", metadata))


_HIDDEN_LIMIT = (
    ("X-RateLimit-Limit", "0"),
    ("X-RateLimit-Remaining", "0"),
    ("X-RateLimit-Reset", "1796000000000"),
)
_CANNED = {
    ExaMcpMode.NOT_JSON: portal_page(),
    ExaMcpMode.PARSE_ERROR: refuse(400, rpc_error(None, -32700, "Parse error")),
    ExaMcpMode.UNAUTHORIZED: _unauthorized(),
    ExaMcpMode.TOO_MANY: refuse(429, rpc_error(None, -32000, TOO_MANY), *_HIDDEN_LIMIT),
    ExaMcpMode.BROKEN: refuse(500, rpc_error(None, -32603, "Internal server error")),
}
"""What is answered whatever the call asks for."""
