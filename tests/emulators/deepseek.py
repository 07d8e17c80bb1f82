"""The loopback DeepSeek: `POST /v1/tools/search` and `/v1/tools/fetch`.

It checks what the real one does (key, ranges, 128 characters with the operators) and obeys the
operators. With `in_flight` or `per_second` set, what exceeds them gets a 429.
"""

from __future__ import annotations

import re
from collections import deque
from datetime import date, timedelta
from enum import StrEnum
from ipaddress import ip_address
from typing import TYPE_CHECKING

import anyio

from tests.emulators.apis import (
    DEFAULT_TOTAL,
    Filters,
    Service,
    carried_out,
    found,
    gateway_page,
    leaked,
    page_text,
    portal_page,
    read_object,
    refuse,
    with_retry,
)
from tests.emulators.ddg.pages import shown_snippet
from tests.emulators.messages import Request, Response, as_json

if TYPE_CHECKING:
    from tests.emulators.google.hits import Organic
    from tests.emulators.words import Rule

SEARCH, FETCH = "/v1/tools/search", "/v1/tools/fetch"
_KEY = re.compile(r"Bearer sk-[A-Za-z0-9]+")
_MAX_CHARS, _MAX_COUNT = 128, 50
_MAX_URL_CHARS = 8192
_OPERATOR = re.compile(r"(?<!\S)(-?site|lang|after|before):(\S+)")


class DeepSeekMode(StrEnum):
    OK = "ok"
    EMPTY = "empty"
    LEAK = "leak"
    """Every third result is elsewhere and of another time."""
    SPARSE = "sparse"
    """Titles are empty, what may be null is."""
    CHANGED = "changed"
    """200, and another shape."""
    NOT_JSON = "notjson"
    BAD_REQUEST = "http400"
    UNAUTHORIZED = "http401"
    SPENT = "http402"
    FORBIDDEN = "http403"
    TIMED_OUT = "http408"
    UNPROCESSABLE = "http422"
    TOO_MANY = "http429"
    """With its value as `Retry-After`."""
    BROKEN = "http500"
    BAD_GATEWAY = "http502"
    """A page, not JSON."""
    UNAVAILABLE = "http503"
    GATEWAY_TIMEOUT = "http504"
    SLOW = "slow"
    HANG = "hang"
    RESET = "reset"
    TRUNCATE = "truncate"


class DeepSeek(Service[DeepSeekMode]):
    modes = DeepSeekMode
    usual = DeepSeekMode.OK

    def reset(self) -> None:
        super().reset()
        self.in_flight = 0
        """Most requests at the same time; 0: any number."""
        self.per_second = 0
        """Most requests within a second; 0: any number."""
        self.latency_s = 0.0
        """How long every answer takes, during which it is in flight."""
        self.too_many = 0
        """429s given because a limit was exceeded."""
        self._running = 0
        self._arrivals: deque[float] = deque()

    def set(self, name: str, value: object) -> None:
        match name, value:
            case (("in_flight" | "per_second"), int()):
                setattr(self, name, value)
            case "latency_s", int() | float():
                self.latency_s = value
            case _:
                super().set(name, value)

    def hits(self, query: str, count: int = 10) -> tuple[Organic, ...]:
        """The truth: what a search shows, in order."""
        words = self.words(query)
        operators = _OPERATOR.findall(words.text)
        given = {name: value for name, value in operators if name in {"after", "before"}}
        before = given.get("before")
        filters = Filters(
            sites=tuple(value for name, value in operators if name == "site"),
            not_sites=tuple(value for name, value in operators if name == "-site"),
            first=date.fromisoformat(given["after"]) if "after" in given else None,
            last=date.fromisoformat(before) - timedelta(days=1) if before else None,
        )
        text = _OPERATOR.sub(" ", words.text).replace(" OR ", " ")
        total = int(words.others.get("total", DEFAULT_TOTAL))
        return found(" ".join(text.split()), total, filters, salt=2000)[:count]

    async def __call__(self, request: Request) -> Response:
        self._running += 1
        try:
            if self._is_too_much():
                self.too_many += 1
                return _error(429, "Rate limit reached")
            if self.latency_s:
                await anyio.sleep(self.latency_s)
            return self.answered(request)
        finally:
            self._running -= 1

    def answer(self, request: Request) -> Response:
        if request.method != "POST" or request.path not in (SEARCH, FETCH):
            return _error(404, "Not found")
        if not _KEY.fullmatch(request.headers.get("authorization", "")):
            return _error(401, "Authentication Fails (governor)")
        body = read_object(request.body)
        if body is None:
            return _error(400, "Failed to parse the request body as JSON")
        if request.path == FETCH:
            return _fetched(body.get("url"))
        if (problem := _problem(body)) is not None:
            return _error(400, problem)
        query = str(body["query"])
        return carried_out(rule := self.rule(query), self._search(query, body, rule))

    def _search(self, query: str, body: dict[str, object], rule: Rule[DeepSeekMode]) -> Response:
        mode = rule.mode
        if mode in _CANNED:
            return with_retry(_CANNED[mode], rule)
        count = body.get("count", 10)
        assert isinstance(count, int)
        hits = self.hits(query, count)
        if mode is DeepSeekMode.LEAK:
            hits = leaked(hits)
        results = [
            _result(hit, place, full=body.get("need_content") is True)
            for place, hit in enumerate(hits)
        ]
        if mode is DeepSeekMode.SPARSE:
            results = [_sparse(result) for result in results]
        return as_json({"results": results})

    def _is_too_much(self) -> bool:
        now = anyio.current_time()
        while self._arrivals and now - self._arrivals[0] >= 1.0:
            self._arrivals.popleft()
        self._arrivals.append(now)
        return 0 < self.in_flight < self._running or 0 < self.per_second < len(self._arrivals)


def _problem(body: dict[str, object]) -> str | None:
    """What the real service would not accept."""
    query, question = body.get("query"), body.get("ori_question")
    if not isinstance(query, str) or not query.strip() or len(query) > _MAX_CHARS:
        return f"'query' must have 1 to {_MAX_CHARS} characters"
    count = body.get("count", 10)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= _MAX_COUNT:
        return f"'count' must be between 1 and {_MAX_COUNT}"
    if not isinstance(body.get("need_content", False), bool):
        return "'need_content' must be a boolean"
    if question is not None and not (
        isinstance(question, str) and 1 <= len(question) <= _MAX_CHARS
    ):
        return f"'ori_question' must have 1 to {_MAX_CHARS} characters"
    return _localization_problem(body.get("localization", ""))


def _localization_problem(value: object) -> str | None:
    try:
        if value != "":
            ip_address(str(value))
    except ValueError:
        return "'localization' must be an IP address"
    return None


def _result(hit: Organic, place: int, *, full: bool) -> dict[str, object]:
    snippet = shown_snippet(hit)
    return {
        "rerank_score": round(3 - place * 0.05, 2),
        "title": hit.title,
        "url": hit.url,
        "snippet": snippet[:160],
        "summary": f"{snippet} {snippet}"[:700],
        "content": page_text(hit, 2000) if full else "",
        "site_name": hit.site,
        "site_icon": f"https://{hit.host}/favicon.ico",
        "date": f"{hit.published}T00:00:00+00:00" if hit.published else None,
        "authority": place % 6 - 1,
    }


def _sparse(result: dict[str, object]) -> dict[str, object]:
    nothing = dict.fromkeys(("site_name", "site_icon", "date"))
    return {**result, **nothing, "title": "", "summary": "", "authority": -1, "extra": [1]}


def _fetched(url: object) -> Response:
    if url is None:
        return _error(400, "missing field 'url'")
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return _error(400, "'url' must be a valid HTTP or HTTPS URL")
    if len(url) > _MAX_URL_CHARS or "missing" in url:
        return _error(404, "failed to fetch URL")
    return as_json({"title": "A page", "content": f"# A page\n\nThe text of {url}."})


def _error(status: int, message: str) -> Response:
    kind = {401: "authentication_error", 429: "rate_limit_error"}.get(
        status, "invalid_request_error"
    )
    error = {"message": message, "type": kind, "param": None, "code": kind}
    return refuse(status, {"error": error})


_ERRORS = {
    DeepSeekMode.BAD_REQUEST: "Invalid request",
    DeepSeekMode.UNAUTHORIZED: "Authentication Fails, Your api key: ****back is invalid",
    DeepSeekMode.SPENT: "Insufficient Balance",
    DeepSeekMode.FORBIDDEN: "Not allowed",
    DeepSeekMode.TIMED_OUT: "Request timeout",
    DeepSeekMode.UNPROCESSABLE: "Invalid parameters",
    DeepSeekMode.TOO_MANY: "Rate limit reached",
    DeepSeekMode.BROKEN: "Internal error",
    DeepSeekMode.UNAVAILABLE: "Server overloaded",
    DeepSeekMode.GATEWAY_TIMEOUT: "Upstream timeout",
}

_CANNED = {
    mode: _error(int(mode.removeprefix("http")), message) for mode, message in _ERRORS.items()
} | {
    DeepSeekMode.BAD_GATEWAY: gateway_page(502),
    DeepSeekMode.NOT_JSON: portal_page(),
    DeepSeekMode.CHANGED: as_json({"data": {"items": []}}),
    DeepSeekMode.EMPTY: as_json({"results": []}),
}
"""What is answered whatever the body asks for."""
