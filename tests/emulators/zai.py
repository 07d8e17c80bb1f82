"""The loopback z.ai: `POST /api/mcp/web_search_prime/mcp`, with sessions.

A wrong key is refused at 200, a client that does not accept events finds nothing, and so does one
that names the query's argument wrongly: as the real one does it. `tool` is the name it knows.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tests.emulators.apis import (
    DEFAULT_TOTAL,
    EVENTS,
    NEWEST,
    Filters,
    Service,
    carried_out,
    found,
    leaked,
    page_text,
    portal_page,
    read_object,
    refuse,
    rpc_error,
    rpc_result,
    tool_text,
)
from tests.emulators.messages import Request, Response, as_json

if TYPE_CHECKING:
    from tests.emulators.google.hits import Organic
    from tests.emulators.words import Rule

PATH = "/api/mcp/web_search_prime/mcp"
TOOL, OLD_TOOL = "web_search_prime", "webSearchPrime"
PER_ANSWER = 10
RESET = "2026-12-01 00:35:41"
"""In China's time, which is not said."""
_DAYS = {"oneDay": 1, "oneWeek": 7, "oneMonth": 31, "oneYear": 366}


class ZaiMode(StrEnum):
    OK = "ok"
    """The list is encoded twice."""
    SINGLE = "single"
    """The list is encoded once, the event has no end."""
    EMPTY = "empty"
    EMPTY_SINGLE = "empty_single"
    NO_BALANCE = "nobalance"
    """Looks like an empty answer, on purpose."""
    NO_LINKS = "nolinks"
    """Every second item has an empty link."""
    ONLY_NO_LINKS = "onlynolinks"
    LEAK = "leak"
    CHANGED = "changed"
    NOT_JSON = "notjson"
    BAD_KEY = "badkey"
    """1001 at 200, without an envelope."""
    TOO_MANY = "http429"
    """1302."""
    WINDOW = "quota1308"
    """The window's quota, with the time of its reset."""
    MONTH = "quota1310"
    """The month's, as a tool's failure."""
    FORBIDDEN = "http403"
    NO_PERMISSION = "nopermission"
    EXPIRED = "expired"
    """The session is forgotten: 404."""
    TOOL_ERROR = "toolerror"
    BROKEN = "http500"
    SLOW = "slow"
    HANG = "hang"
    RESET = "reset"
    TRUNCATE = "truncate"


_FAILURES = {
    ZaiMode.MONTH: 'MCP error -429: {"error":{"code":"1310","message":"Weekly/Monthly Limit '
    f'Exhausted. Your limit will reset at {RESET}"}}}}',
    ZaiMode.NO_PERMISSION: "MCP error -403: no permission for search-prime-claude",
    ZaiMode.TOOL_ERROR: "MCP error -500: the search engine does not answer",
}


class Zai(Service[ZaiMode]):
    modes = ZaiMode
    usual = ZaiMode.OK

    def reset(self) -> None:
        super().reset()
        self.tool = TOOL
        self.sessions: set[str] = set()

    def set(self, name: str, value: object) -> None:
        if name == "tool" and isinstance(value, str):
            self.tool = value
        else:
            super().set(name, value)

    def hits(
        self, query: str, filters: Filters | None = None, count: int = PER_ANSWER
    ) -> tuple[Organic, ...]:
        """The truth: what a search shows, in order."""
        words = self.words(query)
        total = int(words.others.get("total", DEFAULT_TOTAL))
        return found(words.text, total, filters or Filters(), salt=4000)[:count]

    def answer(self, request: Request) -> Response:
        if request.path != PATH or request.method != "POST":
            return refuse(404, {"error": {"code": "404", "message": "not found"}})
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not key or key == "wrong":
            return _bad_key()
        message = read_object(request.body)
        if message is None:
            return refuse(400, rpc_error(None, -32700, "Parse error"))
        if message.get("method") == "tools/call":
            return self._called(request, message)
        return carried_out(rule := self.rule(""), self._reply(message, rule))

    def _reply(self, message: dict[str, Any], rule: Rule[ZaiMode]) -> Response:
        """To what is not a call; only a rule without a query decides here."""
        if (refusal := _refusal(None, rule.mode)) is not None:
            return refusal
        number = message.get("id")
        match message.get("method"):
            case "initialize":
                session = str(uuid.uuid4())
                self.sessions.add(session)
                opened = _event(rpc_result(number, _INITIALIZED))
                return replace(opened, headers=(("Mcp-Session-Id", session),))
            case "notifications/initialized":
                return Response(content_type="")
            case "tools/list":
                return _event(rpc_result(number, {"tools": [{"name": self.tool}]}))
            case _:
                return _event(rpc_error(number, -32601, "Method not found"))

    def _called(self, request: Request, message: dict[str, Any]) -> Response:
        number, params = message.get("id"), message.get("params", {})
        arguments = params.get("arguments", {})
        query = str(arguments.get("search_query", ""))
        rule = self.rule(query)
        if rule.mode is ZaiMode.EXPIRED:
            self.sessions.clear()
        if request.headers.get("mcp-session-id") not in self.sessions:
            return refuse(404, rpc_error(None, -32001, "Session not found"))
        if params.get("name") != self.tool:
            name = params.get("name")
            return _event(rpc_error(number, -32602, f"Unknown tool: {name}"))
        if (refusal := _refusal(number, rule.mode)) is not None:
            return carried_out(rule, refusal)
        is_blind = EVENTS not in request.headers.get("accept", "") or not query
        items = [] if is_blind else self._items(query, arguments, rule.mode)
        return carried_out(rule, _listed(number, items, rule.mode))

    def _items(
        self, query: str, arguments: dict[str, Any], mode: ZaiMode
    ) -> list[dict[str, object]]:
        if mode in (ZaiMode.EMPTY, ZaiMode.EMPTY_SINGLE, ZaiMode.NO_BALANCE):
            return []
        site = arguments.get("search_domain_filter")
        days = _DAYS.get(arguments.get("search_recency_filter", "noLimit"))
        filters = Filters(
            sites=(site,) if site else (),
            first=NEWEST - timedelta(days=days) if days else None,
        )
        hits = self.hits(query, filters)
        if mode is ZaiMode.LEAK:
            hits = leaked(hits)
        chars = 12_000 if arguments.get("content_size") == "high" else 3_000
        items = [_item(hit, place, chars) for place, hit in enumerate(hits)]
        step = {ZaiMode.NO_LINKS: 2, ZaiMode.ONLY_NO_LINKS: 1}.get(mode)
        for item in items[::step] if step else ():
            item["link"] = ""
        return items


_INITIALIZED = {
    "protocolVersion": "2024-11-05",
    "capabilities": {"logging": {}, "tools": {"listChanged": True}},
    "serverInfo": {"name": "mcp-web-search-prime", "version": "0.0.1"},
}


def _item(hit: Organic, place: int, chars: int) -> dict[str, object]:
    item: dict[str, object] = {
        "title": hit.title,
        "link": hit.url,
        "content": page_text(hit, chars),
        "refer": f"ref_{place + 1}",
        "media": hit.site,
        "icon": f"https://{hit.host}/favicon.ico",
    }
    return {**item, "publish_date": hit.published} if hit.published else item


def _listed(number: object, items: list[dict[str, object]], mode: ZaiMode) -> Response:
    text = json.dumps(items, ensure_ascii=False)
    if mode in (ZaiMode.SINGLE, ZaiMode.EMPTY_SINGLE):
        answer = _event(rpc_result(number, tool_text(text)))
        return replace(answer, body=b"data:" + answer.body.partition(b"data:")[2].rstrip(b"\n"))
    return _event(rpc_result(number, tool_text(json.dumps(text, ensure_ascii=False))))


def _event(message: object) -> Response:
    body = f"id:1\nevent:message\ndata:{json.dumps(message, ensure_ascii=False)}\n\n"
    return Response(body=body.encode(), content_type=f"{EVENTS};charset=UTF-8")


def _refusal(number: object, mode: ZaiMode) -> Response | None:
    if mode in _FAILURES:
        return _event(rpc_result(number, tool_text(_FAILURES[mode], failed=True)))
    if mode is ZaiMode.CHANGED:
        return _event(rpc_result(number, tool_text('{"answer": 42}')))
    return _CANNED.get(mode)


def _error(status: int, number: str, message: str) -> Response:
    return refuse(status, {"error": {"code": number, "message": message}})


def _bad_key() -> Response:
    message = "Header has no Authorization, or it is not valid"
    return as_json({"code": 1001, "msg": message, "success": False})


_FULL = f"[1308][Usage limit reached for 5 hour. Your limit will reset at {RESET}]"
_CANNED = {
    ZaiMode.BAD_KEY: _bad_key(),
    ZaiMode.TOO_MANY: _error(429, "1302", "Rate limit reached"),
    ZaiMode.WINDOW: _error(429, "1308", _FULL),
    ZaiMode.FORBIDDEN: _error(403, "1220", "No permission"),
    ZaiMode.BROKEN: _error(500, "500", "Internal error"),
    ZaiMode.NOT_JSON: portal_page(),
}
"""What is answered whatever the message asks for."""
