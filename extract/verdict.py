"""Is this page what was asked for, or does something stand in front of it?

`judge` decides in this order. Text first: a page with enough prose of its own is content, whatever
else stands on it, unless headers or address say otherwise. Then each kind of wall (see `refusals`
and `gates`) gathers points from status, title, forms, markers and words, and loses points for text
that it does not explain; the strongest wins. Where none is strong enough, little text means a
shell or an empty page, and everything else is content.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from extract import gates, prose, refusals, vocab, walls
from extract.decode import decode
from extract.evidence import LEAST, State
from extract.raw import BodyKind, is_garbled, sniff
from extract.signs import look, look_at_text
from extract.tree import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extract.evidence import Case
    from extract.raw import Body
    from extract.signs import Page
    from extract.tree import Node

FULL = 4000.0
"""Weight of main prose from which a page is content without another look: the longest walls that
were seen, which ask for consent, weigh 3000."""

NOTICES = 500.0
"""Most weight of notices about browsers and cookies; what is more is a text about them."""

SURE = 4.0
"""Points from which a challenge is one, whatever else speaks for another wall."""

LITTLE = 100.0
"""Weight of main text below which a page with scripts is a shell: swept 40 to 300, shells have
next to nothing and the shortest real pages that run scripts weigh 110."""

SOME = 12.0
"""Weight of text below which a page without scripts is empty: "ok", "hi"."""

MISPLACED = 1500.0
"""Weight of prose in menus and buttons that is the page's text: one of them was never closed."""

LATENT = 300.0
"""Weight of prose in `<noscript>` or hidden nodes that is the page's text."""


class VerdictKind(StrEnum):
    """What a fetched page is."""

    CONTENT = "content"
    JS_SHELL = "js_shell"
    """Scripts would fill it."""
    LOGIN_WALL = "login_wall"
    PAYWALL = "paywall"
    """A beginning, and then an offer."""
    BOT_CHALLENGE = "bot_challenge"
    """A captcha, a check of the browser, or a firewall's refusal."""
    CONSENT_WALL = "consent_wall"
    ERROR_PAGE = "error_page"
    """Not found, not allowed, out of order."""
    EMPTY = "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a page is, and why."""

    kind: VerdictKind
    confidence: float
    """0.5 for a guess, towards 1 for a certainty."""
    reasons: tuple[str, ...]
    """What speaks for it, in words that a person can check on the page; never empty."""


def judge(
    html: str | bytes,
    url: str | None = None,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> Verdict:
    """What the page is. Never raises, in time linear in the page's length.

    Args:
        html: The body as it came; anything but markup gets a verdict too.
        url: The address after all redirects.
        status: The HTTP status.
        headers: The answer's headers, names in any case; None when they are not known.
    """
    state = _state(url, status, headers)
    declared = (state.headers or {}).get("content-type", "")
    body = sniff(html, declared)
    if body.kind is not BodyKind.MARKUP:
        return _judge_raw(body, state)
    text = decode(html, declared).text if isinstance(html, bytes) else html
    return _judge(look(parse(text)), state)


def judge_tree(
    root: Node,
    url: str | None = None,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> Verdict:
    """What the page in a tree of `extract.tree.parse` is; the tree is left as it is."""
    return _judge(look(root), _state(url, status, headers))


def _state(url: str | None, status: int | None, headers: Mapping[str, str] | None) -> State:
    known = None if headers is None else {name.lower(): text for name, text in headers.items()}
    return State(url or "", status, known)


def _judge(page: Page, state: State) -> Verdict:
    said = prose.total(page.prose)
    if is_garbled(" ".join(line.text[:2000] for line in page.main[:20])):
        return _verdict(VerdictKind.EMPTY, 3, ["the text is undecoded bytes"])
    if said >= FULL and not _is_told(state):
        return _verdict(VerdictKind.CONTENT, said / 1500, [_prose_reason(page, said)])
    kind, case = _strongest(page, state)
    if case.points >= LEAST:
        reasons = [*case.reasons, _prose_reason(page, said)]
        return _verdict(kind, 0.6 + case.points - LEAST, reasons)
    return _without_wall(page, said)


def _judge_raw(body: Body, state: State) -> Verdict:
    if body.kind is BodyKind.FILE:
        return _verdict(VerdictKind.CONTENT, 3, [f"a file: {body.name}"])
    if body.kind is BodyKind.NOISE or is_garbled(body.text):
        return _verdict(VerdictKind.EMPTY, 3, ["the body is bytes that are no text"])
    page = look_at_text(body.text)
    kind, case = _strongest(page, state)
    if case.points >= LEAST:
        return _verdict(kind, 0.6 + case.points - LEAST, case.reasons)
    if len(body.text.strip()) < SOME:
        return _verdict(VerdictKind.EMPTY, 3, [f"{len(body.text.strip())} characters"])
    return _verdict(VerdictKind.CONTENT, 2, [f"{body.kind} of length {body.length}, no markup"])


def _is_told(state: State) -> bool:
    """Whether headers or address say that this is a wall, whatever its text."""
    return bool(
        (state.headers and walls.challenge_header(state.headers))
        or walls.is_challenge_url(state.url)
        or walls.is_consent_url(state.url)
    )


def _strongest(page: Page, state: State) -> tuple[VerdictKind, Case]:
    """The wall that most speaks for; of equals the one that stands first here."""
    robot = refusals.robot(page, state)
    if robot.points >= SURE:  # a firewall's refusal reads like an error page, too
        return VerdictKind.BOT_CHALLENGE, robot
    cases = (
        (VerdictKind.BOT_CHALLENGE, robot),
        (VerdictKind.CONSENT_WALL, gates.consent(page, state)),
        (VerdictKind.LOGIN_WALL, gates.login(page, state)),
        (VerdictKind.PAYWALL, gates.paywall(page, state)),
        (VerdictKind.ERROR_PAGE, refusals.error(page, state)),
    )
    return max(cases, key=lambda found: found[1].points)


def _without_wall(page: Page, said: float) -> Verdict:
    """Content, or what is left of a page that says nothing."""
    own = max(_own(page), page.main_weight - NOTICES)
    inside = prose.total(line for line in page.main if line.zone & prose.MAIN)
    text = own + (page.linked_titles + inside) / 2
    reasons = [_prose_reason(page, said), f"main text of weight {text:.0f}"]
    if text >= LITTLE or (not page.scripts and text >= SOME):
        return _verdict(VerdictKind.CONTENT, 0.2 + text / 400, reasons)
    unseen = vocab.SCRIPT.within(page.unseen)
    latent = max(page.latent, page.hidden_main / 5)
    if latent >= LATENT * (3 if unseen else 1):
        reasons.append(f"text of weight {latent:.0f} in hidden nodes, dialogs or noscript")
        return _verdict(VerdictKind.CONTENT, 0.2 + latent / 2000, reasons)
    if page.misplaced >= MISPLACED:
        reasons.append(f"prose of weight {page.misplaced:.0f} in what looks like menus")
        return _verdict(VerdictKind.CONTENT, 0.5, reasons)
    if not page.scripts and not unseen and not page.is_announced:
        return _verdict(VerdictKind.EMPTY, 2, [*reasons, "no scripts"])
    if unseen:
        reasons.append(f'noscript says "{unseen[0].strip()}"')
    reasons.append(f"{page.scripts} scripts")
    return _verdict(VerdictKind.JS_SHELL, 1 + (LITTLE - text) / 50, reasons)


def _own(page: Page) -> float:
    """Weight of the main text without notices about browsers, and half of that about cookies."""
    left = page.left(vocab.SCRIPT)
    return (left + page.left(vocab.SCRIPT, vocab.COOKIES)) / 2 - _waiting(page)


def _waiting(page: Page) -> float:
    return prose.total(
        line
        for line, words in page.spoken
        if line.is_main and line.weight <= 40 and vocab.WAITING.opens(words)  # noqa: PLR2004
    )


def _prose_reason(page: Page, said: float) -> str:
    if not page.prose:
        linked = sum(1 for line in page.lines if line.linked * 2 > line.weight)
        return f"no prose lines; {linked} of {len(page.lines)} lines are links"
    return f"{len(page.prose)} prose lines of weight {said:.0f}"


def _verdict(kind: VerdictKind, lead: float, reasons: list[str]) -> Verdict:
    confidence = 1 - 0.5 * math.exp(-max(lead, 0.0))
    return Verdict(kind=kind, confidence=round(confidence, 2), reasons=tuple(reasons))
