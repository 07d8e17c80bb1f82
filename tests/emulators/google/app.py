"""The loopback Google: routes, visits, rules.

    google = Google()
    google.rules = (Rule(mode=Mode.CAPTCHA, page=2),)
    async with LoopbackServer(google) as server: ...

Over HTTP: `POST /__control {"rules": [{"mode": "captcha", "page": 2}], "links": "goto"}`.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.emulators.google import consent, walls
from tests.emulators.google.blocks import choice
from tests.emulators.google.links import read_token
from tests.emulators.google.rules import (
    Defaults,
    GoogleRule,
    Mode,
    Resolve,
    Wish,
    read_query,
    read_settings,
)
from tests.emulators.google.sheet import hits_of
from tests.emulators.google.states import Search, answer
from tests.emulators.messages import Request, Response, hang, html, redirect
from tests.emulators.words import choose

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.emulators.google.hits import Organic

PER_PAGE = 10
QUICK_S = 60.0
"""Resolutions closer together than this count as quick."""


class Google:
    def __init__(self, defaults: Defaults | None = None) -> None:
        self._initial = defaults or Defaults()
        self.defaults = self._initial
        self._visits: Counter[tuple[str, int]] = Counter()
        self._impressions = 0
        self._resolved_at: list[float] = []

    @property
    def rules(self) -> tuple[GoogleRule, ...]:
        return self.defaults.rules

    @rules.setter
    def rules(self, rules: tuple[GoogleRule, ...]) -> None:
        self.defaults = replace(self.defaults, rules=tuple(rules))

    def hits(self, query: str, page: int = 1) -> tuple[Organic, ...]:
        """The truth: what a page shows, in page order."""
        return hits_of(self.wish(query), page)

    def all_hits(self, query: str) -> tuple[Organic, ...]:
        """The truth for all pages together."""
        wish = self.wish(query)
        pages = range(1, -(-wish.total // PER_PAGE) + 1)
        return tuple(hit for page in pages for hit in hits_of(wish, page))

    def wish(self, query: str) -> Wish:
        """What a query asks for.

        Raises:
            ValueError: one of its magic words is not understood.
        """
        wish = read_query(query, self.defaults)
        choice(wish.blocks, 1, question=False)  # for its check of the names
        return wish

    def reset(self) -> None:
        self.defaults = self._initial
        self._visits.clear()
        self._resolved_at.clear()

    def configure(self, settings: dict[str, object]) -> None:
        """Take settings from JSON.

        Raises:
            ValueError, TypeError, KeyError: they are not understood.
        """
        self.defaults = read_settings(settings, self.defaults)

    def __call__(self, request: Request) -> Response:
        if request.path.startswith("/hang/"):
            return Response(fault=hang())
        route = self._routes().get(request.path)
        return route(request) if route else html("<title>Error 404 (Not Found)!!1</title>", 404)

    def _routes(self) -> dict[str, Callable[[Request], Response]]:
        return {
            "/search": self._search,
            "/goto": self._goto,
            "/url": lambda r: redirect(r.query.get("q") or r.query.get("url", "/")),
            "/sorry/index": lambda r: walls.captcha_page(r.query.get("continue", "")),
            "/ml": consent.page,
            "/m": consent.page,
            "/save": consent.save,
            "/setsocs": consent.set_here,
            "/": lambda _: html(_HOME),
            "/webhp": lambda _: html(_HOME),
            "/elsewhere": lambda _: html("<title>Elsewhere</title><p>Another host.</p>"),
            "/popup": lambda _: html("<title>Popup</title><p>Nobody asked for this.</p>"),
            "/file.bin": lambda _: _FILE,
            "/httpservice/retry/enablejs": lambda _: html("<title>Enable JavaScript</title>"),
            "/recaptcha/enterprise.js": lambda _: Response(content_type="text/javascript"),
            "/favicon.ico": lambda _: Response(status=204, content_type=""),
            "/gen_204": lambda _: Response(status=204, content_type=""),
        }

    def _search(self, request: Request) -> Response:
        query = request.query.get("q", "")
        if not query:
            return redirect("/webhp")
        try:
            wish = self.wish(query)
            start = int(request.query.get("start") or 0)
        except ValueError as error:
            return html(f"<title>Bad magic word</title>{error}", 400)
        page = start // PER_PAGE + 1
        self._visits[query, page] += 1
        self._impressions += 1
        rules = (*self.rules, *wish.rules)
        rule = choose(rules, query, page, self._visits[query, page], Mode.OK)
        return answer(
            Search(
                request=request,
                wish=wish,
                page=page,
                rule=rule,
                impression=self._impressions,
            )
        )

    def _goto(self, request: Request) -> Response:
        token = request.query.get("url", "")
        try:
            target = read_token(token)
        except ValueError:
            return html("<title>Error 400 (Bad Request)!!1</title>", 400)
        match target.resolve:
            case Resolve.PAYMENT:
                return redirect(target.url, 402)
            case Resolve.TOO_MANY:
                return html("<title>Error 429</title>", 429)
            case Resolve.HANG:
                return Response(fault=hang())
            case Resolve.VERIFY if self._quick() >= target.resolve_after:
                return walls.verifying(token)
            case _:
                self._resolved_at.append(time.monotonic())
                return redirect(target.url)

    def _quick(self) -> int:
        """How many were resolved a short while ago."""
        now = time.monotonic()
        return sum(now - at < QUICK_S for at in self._resolved_at)


_HOME = (
    '<!doctype html><html lang="en"><head><title>Google</title></head><body>'
    '<form action="/search"><textarea name="q"></textarea></form></body></html>'
)
_FILE = Response(
    body=b"\0" * 1024,
    content_type="application/octet-stream",
    headers=(("Content-Disposition", 'attachment; filename="file.bin"'),),
)
