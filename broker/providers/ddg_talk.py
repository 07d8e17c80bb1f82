r"""How DuckDuckGo is asked without scripts, politely, and what is done when it doubts us.

    form ──results──▶ next page's own form ──▶ … until there are enough
      │ challenge
      ▼
    browser ──results──▶ done: its token is not ours to use
      │ no browser, or challenged as well
      ▼
    lite ──results──▶ next page's own form ──▶ …
      │ challenge
      ▼
    LaneFailed("challenge"): left alone for a while

One header set for the life of the process, and no request for a further page except by the form
that stands on the page before: its token belongs to the query and the User-Agent, and a request
without it blocks the client. The challenge is never answered.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlencode, urlsplit

from broker.errors import LaneFailed
from broker.fusion import merge_pages
from broker.models import Serp, SerpState
from broker.providers.answers import OK, refusal
from broker.providers.base import Asked, Found, HttpRequest, HttpResponse, Via
from broker.providers.ddg import parse
from broker.providers.ddg_query import MAX_QUERY_CHARS, Form, form
from broker.providers.filters import sift

if TYPE_CHECKING:
    from broker.models import Hit
    from broker.providers.base import Call, Conversation, Step

SERVICE = "DuckDuckGo"

_CHALLENGE = "challenge"
_DOUBTS = f"{SERVICE} wants proof that a person asks"

SPARE = 2
"""So many hits too few are not worth another page: two seconds, and a step nearer to a challenge.

The lane asks for as many more than the user wants, and page 1 holds ten.
"""

_ACCEPTED = 202
"""The challenge's usual status; good pages have been seen with it, too."""
_SEE_OTHER = 303

_HEADERS = (
    ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0"),
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    ("Accept-Language", "en-US,en;q=0.5"),
    ("Sec-Fetch-Dest", "document"),
    ("Sec-Fetch-Mode", "navigate"),
    ("Sec-Fetch-Site", "same-origin"),
    ("Sec-Fetch-User", "?1"),
)
"""A plain browser's, the same for every query: what varies looks like many clients in disguise."""

_FirstPage: TypeAlias = Generator["Step", HttpResponse, tuple[Serp, bool]]
"""Steps that end with page 1, with or without hits, and whether its own form may be sent."""


def converse(call: Call) -> Conversation:
    """Ask for `call.query`, page by page, until there are enough hits or no page follows."""
    asked = form(call.query, call.today)
    if not asked.words:
        raise LaneFailed("query_too_long", f"no word of it fits into {MAX_QUERY_CHARS} characters")
    cut = f"left out of the query: {asked.dropped}" if asked.dropped else None
    yield Asked(compiled=asked.q, cut=cut)
    serp, may_go_on = yield from _first_page(call, asked)
    if serp.hits:
        yield from _turn_pages(call, serp, may_go_on=may_go_on and asked.may_go_on)


def _first_page(call: Call, asked: Form) -> _FirstPage:
    page = f"{call.settings.ddg_url.rstrip('/')}/html/"
    response = yield _post(page, asked.fields)
    serp = _read(response)
    if not _is_challenge(serp, response):
        return _settled(serp, response, call), True
    address = f"{page}?{urlencode(asked.parameters)}"
    serp = _read((yield HttpRequest(url=address, via=Via.BROWSER, refused=_CHALLENGE)))
    if _answers(serp):
        return serp, False  # its token is bound to the browser's name
    lite = _post(f"{call.settings.ddg_lite_url.rstrip('/')}/lite/", asked.fields)
    serp = _read((yield replace(lite, refused=_CHALLENGE)))
    if _answers(serp):
        return serp, True
    raise LaneFailed(_CHALLENGE, _DOUBTS)


def _turn_pages(call: Call, serp: Serp, *, may_go_on: bool) -> Conversation:
    """Hand over the hits of `serp` and, as far as they are needed, of the pages after it."""
    shown: tuple[Hit, ...] = ()
    kept: tuple[Hit, ...] = ()
    while True:
        known = len(shown)
        shown = merge_pages([shown, serp.hits])
        # A page that shows nothing new is followed by more of its kind.
        following = serp.next_form if len(shown) > known else None
        hits, remark = sift(serp.hits, call.query, call.today)
        kept = merge_pages([kept, hits])
        yield Found(hits=hits, exhausted=following is None, remark=remark)
        enough = len(kept) + SPARE >= call.query.max_hits
        if following is None or enough or not may_go_on:
            return
        response = yield _post(following.action, following.fields)
        serp = _settled(_read(response), response, call)


def _post(url: str, fields: tuple[tuple[str, str], ...]) -> HttpRequest:
    return HttpRequest(
        url=url,
        method="POST",
        headers=(
            *_HEADERS,
            ("Referer", url),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ),
        body=urlencode(fields).encode("ascii"),
    )


def _read(response: HttpResponse) -> Serp:
    """The page that came; a form that leads to another host is not taken for one."""
    serp = parse(response.body, response.url)
    if serp.next_form is not None and _origin(serp.next_form.action) != _origin(response.url):
        return replace(serp, next_form=None)
    return serp


def _settled(serp: Serp, response: HttpResponse, call: Call) -> Serp:
    """The page that came, with hits or without.

    Raises:
        LaneFailed: It neither shows hits nor says that there are none.
    """
    if _answers(serp):
        return serp
    if _is_challenge(serp, response):
        raise LaneFailed(_CHALLENGE, _DOUBTS)
    if response.status == _SEE_OTHER:
        message = f"{SERVICE} takes the query for a command and sends it to another site"
        raise LaneFailed("bad_request", message)
    if response.status != OK:
        raise refusal(response, SERVICE, "", now=call.now)
    if serp.state is SerpState.BLOCKED:
        raise LaneFailed("blocked", f"{SERVICE} shows its error page")
    raise LaneFailed("unparseable", f"{SERVICE}'s page has no results and does not say so")


def _answers(serp: Serp) -> bool:
    return serp.state in {SerpState.RESULTS, SerpState.NO_RESULTS}


def _is_challenge(serp: Serp, response: HttpResponse) -> bool:
    """Whether a page is the challenge: results decide, then the form, then the status."""
    doubtful = serp.state is SerpState.CHALLENGE or response.status == _ACCEPTED
    return doubtful and not _answers(serp)


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
