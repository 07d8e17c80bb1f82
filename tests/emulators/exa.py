"""The loopback Exa: `POST /search` with its filters, and `POST /contents`."""

from __future__ import annotations

import re
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any

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
    from collections.abc import Iterator

    from tests.emulators.google.hits import Organic
    from tests.emulators.words import Rule

SEARCH, CONTENTS = "/search", "/contents"
REQUEST_ID = "b1c2d3e4f5a60718293a4b5c6d7e8f90"
_MAX_RESULTS = 100
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(T[\d:.]+Z)?")


class ExaMode(StrEnum):
    OK = "ok"
    EMPTY = "empty"
    LEAK = "leak"
    SPARSE = "sparse"
    """The title is null, everything that may be missing is."""
    CHANGED = "changed"
    NOT_JSON = "notjson"
    BAD_REQUEST = "http400"
    UNAUTHORIZED = "http401"
    SPENT = "http402"
    OVER_BUDGET = "budget402"
    FORBIDDEN = "http403"
    TOO_MANY = "http429"
    """A bare `error`, with the mode's value as `Retry-After`."""
    BROKEN = "http500"
    BAD_GATEWAY = "http502"
    """A page, not JSON."""
    OVERLOADED = "http503"
    GATEWAY_TIMEOUT = "http504"
    NESTED = "nested"
    """400 as newer endpoints put it."""
    SLOW = "slow"
    HANG = "hang"
    RESET = "reset"
    TRUNCATE = "truncate"


class Exa(Service[ExaMode]):
    modes = ExaMode
    usual = ExaMode.OK

    def hits(
        self, query: str, count: int = 10, filters: Filters | None = None
    ) -> tuple[Organic, ...]:
        """The truth: what a search shows, in order."""
        words = self.words(query)
        total = int(words.others.get("total", DEFAULT_TOTAL))
        return found(words.text, total, filters or Filters(), salt=3000)[:count]

    def answer(self, request: Request) -> Response:
        if request.method != "POST" or request.path not in (SEARCH, CONTENTS):
            return _error(404, "NOT_FOUND", "Not found")
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not (request.headers.get("x-api-key") or bearer):
            return _error(401, "INVALID_API_KEY", "Provide a valid x-api-key")
        body: dict[str, Any] | None = read_object(request.body)
        if body is None:
            return _error(400, "INVALID_REQUEST_BODY", "The body is not JSON")
        if request.path == CONTENTS:
            return _contents(body)
        for tag, problem in _problems(body):
            return _error(400, tag, problem)
        query = body["query"]
        return carried_out(rule := self.rule(query), self._search(query, body, rule))

    def _search(self, query: str, body: dict[str, Any], rule: Rule[ExaMode]) -> Response:
        if rule.mode in _CANNED:
            return with_retry(_CANNED[rule.mode], rule)
        hits = self.hits(query, body.get("numResults", 10), _filters(body))
        if rule.mode is ExaMode.LEAK:
            hits = leaked(hits)
        results = [_result(hit, place, body) for place, hit in enumerate(hits)]
        if rule.mode is ExaMode.SPARSE:
            results = [{"id": r["id"], "title": None, "url": r["url"]} for r in results]
        return as_json(_envelope(results))


def _problems(body: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What the real service would not accept, as tags and words."""
    query, count = body.get("query"), body.get("numResults", 10)
    if not isinstance(query, str) or not query:
        yield "INVALID_REQUEST_BODY", "query: Required"
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        yield "INVALID_NUM_RESULTS", "numResults must be at least 1"
    elif count > _MAX_RESULTS:
        yield "NUM_RESULTS_EXCEEDED", f"numResults must be at most {_MAX_RESULTS}"
    for name in ("includeDomains", "excludeDomains"):
        domains = body.get(name, [])
        if not isinstance(domains, list) or not all(isinstance(item, str) for item in domains):
            yield "INVALID_REQUEST_BODY", f"{name} must be a list of strings"
    for name in ("startPublishedDate", "endPublishedDate"):
        if name in body and not _MOMENT.fullmatch(str(body[name])):
            yield "INVALID_REQUEST_BODY", f"{name} must be an ISO 8601 date"
    if not re.fullmatch("[A-Z]{2}", str(body.get("userLocation", "US"))):
        yield "INVALID_REQUEST_BODY", "userLocation must have two letters"


def _filters(body: dict[str, Any]) -> Filters:
    days = {
        name: date.fromisoformat(str(body[name])[:10])
        for name in ("startPublishedDate", "endPublishedDate")
        if name in body
    }
    return Filters(
        sites=tuple(body.get("includeDomains", ())),
        not_sites=tuple(body.get("excludeDomains", ())),
        first=days.get("startPublishedDate"),
        last=days.get("endPublishedDate"),
    )


def _result(hit: Organic, place: int, body: dict[str, Any]) -> dict[str, object]:
    contents = body.get("contents", {})
    snippet = shown_snippet(hit)
    result: dict[str, object] = {
        "id": hit.url,
        "title": hit.title,
        "url": hit.url,
        "score": round(0.4 - place * 0.01, 2),
        "image": f"https://{hit.host}/og.png",
        "favicon": f"https://{hit.host}/favicon.ico",
    }
    if hit.published:
        result["publishedDate"] = f"{hit.published}T00:00:00.000Z"
    if place % 2:
        result["author"] = f"Writer {place}"
    if contents.get("text"):
        asked = contents["text"]
        chars = asked.get("maxCharacters", 10_000) if isinstance(asked, dict) else 10_000
        result["text"] = page_text(hit, 4000)[:chars]
    if contents.get("highlights"):
        result |= {"highlights": [snippet, "A second passage."], "highlightScores": [0.62, 0.41]}
    return result


def _contents(body: dict[str, Any]) -> Response:
    """Each address that names `missing` fails; the others have a text."""
    urls = body.get("urls", body.get("ids"))
    if not isinstance(urls, list) or not urls:
        return _error(400, "INVALID_URLS", "urls: Required")
    good = [url for url in urls if "missing" not in url]
    failure = {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}
    statuses = [
        {"id": url, "status": "success", "source": "cached"}
        if url in good
        else {"id": url, "status": "error", "error": failure}
        for url in urls
    ]
    results = [{"id": url, "url": url, "title": "A page", "text": f"Text of {url}"} for url in good]
    return as_json(_envelope(results) | {"statuses": statuses})


def _envelope(results: list[dict[str, object]]) -> dict[str, object]:
    return {
        "requestId": REQUEST_ID,
        "resolvedSearchType": "neural",
        "results": results,
        "searchTime": 812.4,
        "costDollars": {"total": 0.007, "search": {"neural": 0.007}},
    }


def _error(status: int, tag: str, message: str) -> Response:
    return refuse(status, {"requestId": REQUEST_ID, "error": message, "tag": tag})


_ERRORS = {
    ExaMode.BAD_REQUEST: (400, "INVALID_REQUEST_BODY", "Invalid request body"),
    ExaMode.UNAUTHORIZED: (401, "INVALID_API_KEY", "Invalid API key"),
    ExaMode.SPENT: (402, "NO_MORE_CREDITS", "You have run out of credits"),
    ExaMode.OVER_BUDGET: (402, "API_KEY_BUDGET_EXCEEDED", "The budget of this key is used up"),
    ExaMode.FORBIDDEN: (403, "FEATURE_DISABLED", "Not part of your plan"),
    ExaMode.BROKEN: (500, "INTERNAL_ERROR", "Something went wrong"),
    ExaMode.OVERLOADED: (503, "SERVICE_OVERLOADED", "Try again later"),
    ExaMode.GATEWAY_TIMEOUT: (504, "TIMEOUT", "It took too long"),
}

_NESTED = {"type": "invalid_request", "code": "bad", "message": "Bad", "detail": None}
_CANNED = {mode: _error(*error) for mode, error in _ERRORS.items()} | {
    ExaMode.TOO_MANY: refuse(429, {"error": "You have exceeded your rate limit of 10 per second"}),
    ExaMode.NESTED: refuse(400, {"error": _NESTED, "requestId": REQUEST_ID}),
    ExaMode.BAD_GATEWAY: gateway_page(502),
    ExaMode.NOT_JSON: portal_page(),
    ExaMode.CHANGED: as_json({"requestId": REQUEST_ID, "answer": "42"}),
    ExaMode.EMPTY: as_json(_envelope([])),
}
"""What is answered whatever the body asks for."""
