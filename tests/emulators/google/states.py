"""How each mode answers a search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.emulators.google import consent, furniture, hostile, serps, walls
from tests.emulators.google.rules import HUGE_BYTES, GoogleRule, Mode, Wish
from tests.emulators.google.sheet import Extras, Serp, Sheet, duplicated, hits_of
from tests.emulators.messages import (
    Drip,
    Fault,
    Request,
    Response,
    hang,
    html,
    redirect,
    reset,
    truncate,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.emulators.google.hits import Organic

KEPT = ("hl", "gl", "lr", "tbs", "udm", "safe", "filter", "nfpr", "pws")
SLOW_S = 0.5
DRIP_S = 0.02
DRIP_BYTES = 8_192
_CHANGES = (
    (b"<h3 ", b"<span "),
    (b"</h3>", b"</span>"),
    (b"<cite ", b"<span "),
    (b"</cite>", b"</span>"),
    (b'role="heading"', b'role="text"'),
    (b"LC20lb MBeuO DKV0Md", b"qqTitle"),
    (b"zReHs", b"qqLink"),
    (b"UWckNb", b"qqName"),
    (b"yuRUbf", b"qqBox"),
    (b"VwiC3b", b"qqText"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One request for results, with everything that decides its answer."""

    request: Request
    wish: Wish
    page: int
    rule: GoogleRule
    impression: int

    def serp(self, extras: Extras | None = None, *, page: int | None = None) -> Serp:
        """The result page, or the page that says there are none."""
        shown = page or self.page
        return self.sheet(hits_of(self.wish, shown), shown, extras or Extras())

    def sheet(self, hits: tuple[Organic, ...], page: int, extras: Extras) -> Serp:
        return serps.render(
            Sheet(
                wish=self.wish,
                page=page,
                hits=hits,
                keep=tuple((k, self.request.query[k]) for k in KEPT if k in self.request.query),
                extras=extras,
            ),
            self.impression,
        )


def answer(search: Search) -> Response:
    """The response for a search in its mode."""
    response = _STATES[search.rule.mode](search)
    if search.rule.gate is not None:
        return replace(response, gate=search.rule.gate)
    return response


def _ok(search: Search) -> Response:
    return Response(body=search.serp().body)


def _no_results(search: Search) -> Response:
    return Response(body=search.sheet((), search.page, Extras()).body)


def _did_you_mean(search: Search) -> Response:
    return Response(body=search.serp(Extras(notice=furniture.spelling(search.wish))).body)


def _changed(search: Search) -> Response:
    """The hits are there, in a markup that nobody knows: no h3, no cite, other classes."""
    body = search.serp().body
    for known, unknown in _CHANGES:
        body = body.replace(known, unknown)
    return Response(body=body)


def _repeat(search: Search) -> Response:
    """`start` is ignored."""
    return Response(body=search.serp(page=1).body)


def _duplicates(search: Search) -> Response:
    return Response(
        body=search.sheet(duplicated(search.wish, search.page), search.page, Extras()).body
    )


def _captcha(search: Search) -> Response:
    return walls.captcha(search.request.origin + search.request.target)


def _unless_consent(make: Callable[[Search], Response]) -> Callable[[Search], Response]:
    def state(search: Search) -> Response:
        return _ok(search) if consent.given(search.request) else make(search)

    return state


def _overlay(words: consent.Words) -> Callable[[Search], Response]:
    def state(search: Search) -> Response:
        return Response(body=search.serp(Extras(end=consent.overlay(words))).body)

    return _unless_consent(state)


def _overlay_empty(search: Search) -> Response:
    body = furniture.shell(search.wish, consent.overlay(reloads=True))
    return html(body)


def _overlay_stuck(search: Search) -> Response:
    return html(furniture.shell(search.wish, consent.overlay(works=False)))


def _bootstrap(search: Search) -> Response:
    tokens = search.request.query.get("sg_ss", ""), search.request.cookies.get("SG_SS", "")
    if any(walls.bootstrap_accepted(token) for token in tokens):
        return _ok(search)
    return walls.bootstrap(search.wish.query)


def _with_extras(extras: Extras) -> Callable[[Search], Response]:
    def state(search: Search) -> Response:
        return Response(body=search.serp(extras).body)

    return state


def _broken(fault: Callable[[Serp], Fault]) -> Callable[[Search], Response]:
    def state(search: Search) -> Response:
        serp = search.serp()
        return Response(body=serp.body, fault=fault(serp))

    return state


def _slow(search: Search) -> Response:
    return Response(body=search.serp().body, latency_s=search.rule.value or SLOW_S)


def _drip(search: Search) -> Response:
    serp = search.serp()
    forever = search.rule.mode is Mode.DRIP_FOREVER
    return Response(
        body=serp.body,
        drip=Drip(
            first_bytes=serp.early_bytes,
            chunk_bytes=64 if forever else DRIP_BYTES,
            interval_s=search.rule.value or DRIP_S,
            forever=forever,
        ),
    )


def _huge(search: Search) -> Response:
    wish = replace(search.wish, size_bytes=max(HUGE_BYTES, search.wish.size_bytes))
    return Response(body=replace(search, wish=wish).serp().body)


def _attachment(search: Search) -> Response:
    return Response(
        body=search.serp().body,
        content_type="application/octet-stream",
        headers=(("Content-Disposition", 'attachment; filename="serp.bin"'),),
    )


_JA = consent.JAPANESE.lang
_STATES: dict[Mode, Callable[[Search], Response]] = {
    Mode.OK: _ok,
    Mode.NO_RESULTS: _no_results,
    Mode.DID_YOU_MEAN: _did_you_mean,
    Mode.CHANGED: _changed,
    Mode.REPEAT: _repeat,
    Mode.DUPLICATES: _duplicates,
    Mode.CAPTCHA: _captcha,
    Mode.CAPTCHA_SIMPLE: lambda s: walls.captcha_simple(int(s.rule.value or 503)),
    Mode.CONSENT: _unless_consent(lambda s: consent.wall(s.request)),
    Mode.CONSENT_HOST: _unless_consent(lambda s: consent.wall(s.request, host=consent.OTHER_HOST)),
    Mode.CONSENT_LANG: _unless_consent(lambda s: consent.wall(s.request, lang=_JA)),
    Mode.CONSENT_LOOP: lambda s: consent.wall(s.request, loop=True),
    Mode.OVERLAY: _overlay(consent.ENGLISH),
    Mode.OVERLAY_LANG: _overlay(consent.JAPANESE),
    Mode.OVERLAY_EMPTY: _unless_consent(_overlay_empty),
    Mode.OVERLAY_STUCK: _overlay_stuck,
    Mode.BOOTSTRAP: _bootstrap,
    Mode.BOOTSTRAP_SILENT: lambda s: walls.bootstrap(s.wish.query, reloads=False),
    Mode.BOOTSTRAP_TROUBLE: lambda s: walls.bootstrap(s.wish.query, reloads=False, trouble=True),
    Mode.BOOTSTRAP_LOOP: lambda s: walls.bootstrap(s.wish.query),
    Mode.UNSUPPORTED: lambda _: walls.unsupported(),
    Mode.BLOCKED: lambda s: walls.blocked(s.request.target),
    Mode.BLANK: lambda _: html(""),
    Mode.BLANK_HTML: lambda _: html("<html><head></head><body></body></html>"),
    Mode.SERVER_ERROR: lambda _: walls.error(500, "Server Error", "Try again later."),
    Mode.TOO_MANY: lambda _: walls.error(429, "Too Many Requests", "Slow down."),
    Mode.SLOW: _slow,
    Mode.DRIP: _drip,
    Mode.DRIP_FOREVER: _drip,
    Mode.HANG: _broken(lambda _: hang()),
    Mode.HANG_HEAD: _broken(lambda serp: hang(serp.head_bytes)),
    Mode.HANG_BODY: _broken(lambda serp: hang(serp.results_bytes)),
    Mode.RESET: _broken(lambda _: reset()),
    Mode.RESET_BODY: _broken(lambda serp: reset(serp.results_bytes)),
    Mode.TRUNCATE: _broken(lambda serp: truncate(serp.results_bytes)),
    Mode.HUGE: _huge,
    Mode.REDIRECT_AWAY: lambda s: redirect(hostile.elsewhere(s.request.origin)),
    Mode.REDIRECT_LOOP: lambda s: redirect(s.request.target),
    Mode.ATTACHMENT: _attachment,
    Mode.META_REFRESH: lambda s: _with_extras(hostile.meta_refresh(s.request.origin))(s),
    **{mode: _with_extras(extras) for mode, extras in hostile.EXTRAS.items()},
}
