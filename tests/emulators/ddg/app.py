"""The loopback DuckDuckGo: `/html/` and `/lite/`, by GET or POST.

Its states are chosen by rules or magic words, as Google's are. Two things happen without a rule:
a further page asked for without the `vqd` of the page before blocks the client until `reset`, and
so does a burst, where `burst` is set.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from enum import StrEnum

import anyio

from tests.emulators.ddg import pages
from tests.emulators.ddg.pages import FIRST_PAGE, LATER_PAGE, Sheet
from tests.emulators.google.hits import Organic, organic
from tests.emulators.messages import Request, Response, hang, html, redirect, reset
from tests.emulators.words import Rule, Words, choose, read_rule, take_words

DEFAULT_TOTAL = 40
SLOW_S = 0.5


class DdgMode(StrEnum):
    OK = "ok"
    NO_RESULTS = "noresults"
    CHALLENGE = "challenge"
    """202, as it usually is."""
    CHALLENGE_200 = "challenge200"
    CHALLENGE_403 = "challenge403"
    CHALLENGE_HTML = "challengehtml"
    """`/html/` alone: `/lite/` answers."""
    CHALLENGE_POST = "challengepost"
    """Forms alone: an address that is opened, as a browser does, answers."""
    ACCEPTED = "accepted"
    """The results, with the challenge's status."""
    ERROR_PAGE = "error"
    BLANK = "blank"
    FOREIGN_FORM = "foreignform"
    """The form for the next page leads to another host."""
    BANG = "bang"
    """Sent elsewhere, as if the query were a command."""
    FORBIDDEN = "http403"
    SERVER_ERROR = "http500"
    SLOW = "slow"
    HANG = "hang"
    RESET = "reset"


_CHALLENGES = {
    DdgMode.CHALLENGE: 202,
    DdgMode.CHALLENGE_200: 200,
    DdgMode.CHALLENGE_403: 403,
}


_FIXED = {
    DdgMode.ERROR_PAGE: html(pages.error()),
    DdgMode.BLANK: html(""),
    DdgMode.BANG: redirect("https://bang.example/", 303),
    DdgMode.FORBIDDEN: html("<title>403</title>", 403),
    DdgMode.SERVER_ERROR: html("<title>500</title>", 500),
}


class Ddg:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.rules: tuple[Rule[DdgMode], ...] = ()
        self.burst = 0
        """This many requests within `window_s` bring the challenge; 0: never."""
        self.window_s = 10.0
        self.blocked = False
        """Set by a burst or a missing vqd: everything is challenged until `reset`."""
        self._arrivals: list[float] = []
        self._visits: Counter[tuple[str, int]] = Counter()

    def configure(self, settings: dict[str, object]) -> None:
        """Take `rules`, `burst`, `window_s` or `blocked` from JSON.

        Raises:
            ValueError, TypeError, KeyError: they are not understood.
        """
        for name, value in settings.items():
            match name, value:
                case "rules", list():
                    self.rules = tuple(read_rule(item, DdgMode) for item in value)
                case "burst", int():
                    self.burst = value
                case "window_s", int() | float():
                    self.window_s = value
                case "blocked", bool():
                    self.blocked = value
                case _:
                    raise ValueError(f"not a setting: {name}={value!r}")

    def hits(self, query: str, page: int = 1) -> tuple[Organic, ...]:
        """The truth: what a page shows, in page order; `pages.shown_snippet` gives the text."""
        words = take_words(query, DdgMode)
        total = int(words.others.get("total", DEFAULT_TOTAL))
        first = pages.offset(page) + 1
        size = FIRST_PAGE if page == 1 else LATER_PAGE
        return tuple(_hit(words.text, rank) for rank in range(first, min(first + size, total + 1)))

    def vqd(self, query: str, agent: str) -> str:
        """The token that opens further pages: bound to the query and the User-Agent."""
        digest = hashlib.sha256(f"{query}\n{agent}".encode()).digest()
        return f"4-{int.from_bytes(digest[:16], 'big'):039d}"[:41]

    def __call__(self, request: Request) -> Response:
        if request.path.rstrip("/") not in ("/html", "/lite"):
            return html("<title>Not found</title>", 404)
        fields = {**request.query, **request.form}
        query = fields.get("q", "")
        if not query:
            return html("<title>DuckDuckGo</title><form action='/html/'><input name='q'></form>")
        if query.startswith("!"):
            return redirect("https://bang.example/", 303)
        try:
            words = take_words(query, DdgMode)
            page = _page(int(fields.get("s") or 0))
        except ValueError as error:
            return html(f"<title>Bad magic word</title>{error}", 400)
        self._visits[query, page] += 1
        rules = (*self.rules, *words.rules)
        rule = choose(rules, query, page, self._visits[query, page], DdgMode.OK)
        answer = self._answer(request, fields, words, page, rule)
        return replace(answer, gate=rule.gate) if rule.gate is not None else answer

    def _answer(
        self,
        request: Request,
        fields: dict[str, str],
        words: Words[DdgMode],
        page: int,
        rule: Rule[DdgMode],
    ) -> Response:
        kind = request.path.strip("/")
        self._judge(request, fields, page)
        if self.blocked or _is_challenged(rule.mode, request):
            return html(pages.challenge(kind), _CHALLENGES.get(rule.mode, 202))
        if page > 1 and fields.get("kl", "").endswith("zh"):
            return html("<title>403</title>", 403)
        if rule.mode in _FIXED:
            return _FIXED[rule.mode]
        sheet = self._sheet(request, fields, words, page, empty=rule.mode is DdgMode.NO_RESULTS)
        answer = html(pages.lite_page(sheet) if kind == "lite" else pages.html_page(sheet))
        return _as_ruled(answer, rule)

    def _judge(self, request: Request, fields: dict[str, str], page: int) -> None:
        """Block a client that behaves like a robot."""
        now = anyio.current_time()
        self._arrivals = [at for at in self._arrivals if now - at < self.window_s] + [now]
        too_quick = 0 < self.burst <= len(self._arrivals)
        right = self.vqd(fields["q"], request.headers.get("user-agent", ""))
        self.blocked = self.blocked or too_quick or (page > 1 and fields.get("vqd") != right)

    def _sheet(
        self,
        request: Request,
        fields: dict[str, str],
        words: Words[DdgMode],
        page: int,
        *,
        empty: bool,
    ) -> Sheet:
        query = fields["q"]
        hits = () if empty else self.hits(query, page)
        total = int(words.others.get("total", DEFAULT_TOTAL))
        more = bool(hits) and pages.offset(page + 1) < total
        agent = request.headers.get("user-agent", "")
        return Sheet(
            query=query,
            page=page,
            hits=hits,
            wrapped=words.others.get("links", "wrapped") == "wrapped",
            ads="ads" in words.others.get("blocks", "ads"),
            vqd=self.vqd(query, agent) if more else "",
            region=fields.get("kl", ""),
        )


def _hit(text: str, rank: int) -> Organic:
    """Every second hit is one that the loopback Google shows as well."""
    return organic(text, rank if rank % 2 == 0 else rank + 1000)


def _as_ruled(answer: Response, rule: Rule[DdgMode]) -> Response:
    """The result page with what the mode does to it."""
    match rule.mode:
        case DdgMode.ACCEPTED:
            return replace(answer, status=202)
        case DdgMode.FOREIGN_FORM:
            elsewhere = b'action="https://elsewhere.example/'
            return replace(answer, body=answer.body.replace(b'action="/', elsewhere))
        case DdgMode.SLOW:
            return replace(answer, latency_s=rule.value or SLOW_S)
        case DdgMode.HANG:
            return replace(answer, fault=hang())
        case DdgMode.RESET:
            return replace(answer, fault=reset())
        case _:
            return answer


def _is_challenged(mode: DdgMode, request: Request) -> bool:
    match mode:
        case DdgMode.CHALLENGE_HTML:
            return request.path.startswith("/html")
        case DdgMode.CHALLENGE_POST:
            return request.method == "POST"
        case _:
            return mode in _CHALLENGES


def _page(start: int) -> int:
    return 1 if start == 0 else (start - FIRST_PAGE) // LATER_PAGE + 2
