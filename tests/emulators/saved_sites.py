"""Sites' interfaces on loopback: answers saved under tests/data/sites, and the ways they fail.

    site = SavedSite("github")
    site.mode = SiteMode.RATE_LIMITED
    async with LoopbackServer(site) as server: …

An answer is known by its path, or by path and `?ref=…` where that decides. Text is sent as it is,
everything else as JSON. Who asks this server as a proxy gets `PAGE`, what the site's own pages are
here, whatever the mode.
"""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from tests.emulators.messages import Response, as_json, hang, html, redirect, reset
from tests.emulators.web_reading import article, prose

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.emulators.messages import Request

FOLDER = Path(__file__).resolve().parents[1] / "data" / "sites"
SITES = ("github", "stackexchange", "wikipedia", "pypi", "npm", "crates")
RESET_S = 1_800_001_800
"""When GitHub counts anew, in Unix time."""
THROTTLED_S = 83
WAIT_S = 120
PAGE = "The page as everybody sees it"


class SiteMode(StrEnum):
    OK = "ok"
    MISSING = "missing"
    RATE_LIMITED = "rate_limited"
    SECONDARY = "secondary"
    """Limited by `Retry-After` alone."""
    MALFORMED = "malformed"
    """A page where JSON is due."""
    STRANGE = "strange"
    """JSON of another shape than expected, everywhere."""
    BROKEN = "broken"
    SLOW = "slow"
    """Never answers."""
    RESETTING = "resetting"
    ELSEWHERE = "elsewhere"
    """Sends to another origin, `elsewhere`."""


def answers_of(site: str) -> Mapping[str, object]:
    """The saved answers of a site by path."""
    answers: dict[str, object] = json.loads((FOLDER / site / "answers.json").read_bytes())
    return answers


class SavedSite:
    """One site; `only` has the mode apply to paths with that in them."""

    def __init__(self, site: str) -> None:
        self.site = site
        self.answers = dict(answers_of(site))
        self.mode = SiteMode.OK
        self.only = ""
        self.elsewhere = ""

    def __call__(self, request: Request) -> Response:
        if "://" in request.target:
            return html(article(PAGE, prose(8, 3)))
        mode = self.mode if self.only in request.path else SiteMode.OK
        return self._answer(request) if mode is SiteMode.OK else self._failing(mode, request)

    def _failing(self, mode: SiteMode, request: Request) -> Response:
        ways: dict[SiteMode, Callable[[], Response]] = {
            SiteMode.MISSING: self.missing,
            SiteMode.RATE_LIMITED: self.limited,
            SiteMode.SECONDARY: lambda: _with(as_json({}, 429), "Retry-After", str(WAIT_S)),
            SiteMode.MALFORMED: lambda: html("<title>Sign in to the hotel's network</title>"),
            SiteMode.STRANGE: lambda: as_json(_strange(self._found(request))),
            SiteMode.BROKEN: lambda: as_json({"message": "No"}, 501),
            SiteMode.SLOW: lambda: replace(as_json({}), fault=hang()),
            SiteMode.RESETTING: lambda: replace(as_json({}), fault=reset()),
            SiteMode.ELSEWHERE: lambda: redirect(f"{self.elsewhere}{request.path}"),
        }
        return ways[mode]()

    def _answer(self, request: Request) -> Response:
        found = self._found(request)
        if found is None:
            return self.missing()
        if isinstance(found, str):
            kind = "text/html" if found.startswith("<") else "text/plain"
            return Response(body=found.encode(), content_type=f"{kind}; charset=utf-8")
        return as_json(found)

    def _found(self, request: Request) -> object:
        ref = request.query.get("ref")
        keyed = f"{request.path}?ref={ref}" if ref else request.path
        return self.answers.get(keyed, self.answers.get(request.path))

    def missing(self) -> Response:
        """The site's answer where there is nothing."""
        if self.site == "stackexchange":
            return as_json({"items": [], "has_more": False, "quota_remaining": 100})
        return as_json({"message": "Not Found", "httpCode": 404}, 404)

    def limited(self) -> Response:
        """The site's answer to one request too many."""
        if self.site == "github":
            answer = as_json({"message": "API rate limit exceeded for 192.0.2.1."}, 403)
            for name, value in (("limit", "60"), ("remaining", "0"), ("reset", str(RESET_S))):
                answer = _with(answer, f"X-RateLimit-{name}", value)
            return answer
        if self.site == "stackexchange":
            said = f"too many requests, more requests available in {THROTTLED_S} seconds"
            error = {"error_id": 502, "error_name": "throttle_violation", "error_message": said}
            return as_json(error, 400)
        return _with(as_json({"error": "too many"}, 429), "Retry-After", str(WAIT_S))


def _with(answer: Response, name: str, value: str) -> Response:
    return replace(answer, headers=(*answer.headers, (name, value)))


def _strange(value: object) -> object:
    """The same with every text a number, every number a list and every list an object."""
    if isinstance(value, dict):
        return {name: _strange(each) for name, each in value.items()}
    if isinstance(value, list):
        return {"0": [_strange(each) for each in value]}
    return 7 if isinstance(value, str) else [value]
