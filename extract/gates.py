"""The cases for pages that let some through: who signs in, agrees, or pays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extract import prose, vocab, walls
from extract.evidence import Case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extract.evidence import State
    from extract.prose import Line
    from extract.signs import Page

BEGUN = 80.0
"""Least weight of the text before an offer: a sentence."""

TEASER = 1200.0
"""Weight up to which a text is more likely the beginning of one than all of it."""

PREVIEW = 2000.0
"""Weight from which a text before an offer speaks against a paywall."""

OFFER = 220.0
"""Most weight of a line that offers the rest of a text."""

_LABEL = 30.0
"""Weight up to which a line in or beside a form is a label."""

_MENU_LINKS = 10
"""Links on a sign-in page that need no explanation."""

_ASKS = frozenset({401, 407})
_PAYMENT_REQUIRED = 402
_DATA_CHARS = 50_000

_ACCESS = re.compile(r'isAccessibleForFree"\s*:\s*"?(true|false)', re.IGNORECASE)
_TIER = re.compile(r"content_tier\W{1,20}(?:content\W{1,4})?(?:locked|metered)")


def login(page: Page, state: State) -> Case:
    """A place to sign in at."""
    case = Case()
    if state.status in _ASKS:
        case.add(2, f"status {state.status}")
        if state.headers is not None:
            asked = state.headers.get("www-authenticate", "")
            reason = f"WWW-Authenticate: {asked[:40]}" if asked else "no WWW-Authenticate"
            case.add(1 if asked else -1, reason)
    if walls.is_login_url(state.url):
        case.add(1, "the address is a place to sign in at")
    if page.passwords:
        case.add(2, "form with password field")
    elif page.fields and _asks_for_a_name(page):
        case.add(0.5, "fields for a name and a password")
    case.add_heads(page, vocab.LOGIN, title=1.5, heading=1)
    said, label = page.told(vocab.LOGIN), page.in_labels(vocab.LOGIN)
    if said:
        case.add(1, f'it says "{said[0][1]}"')
    elif label:
        case.add(0.75, f'a button or field says "{label.strip()[:40]}"')
    way_in = page.fields or label or state.status in _ASKS
    if case.points and not way_in and page.main_weight > 150:  # noqa: PLR2004 - a sentence or two
        case.add(-1.5, "against it: no field and no button to sign in with")
    case.weigh_down(_beside_forms(page) + page.latent / 2)
    return case


def consent(page: Page, state: State) -> Case:
    """A question about cookies before anything else is shown."""
    case = Case()
    if walls.is_consent_url(state.url):
        case.add(2.5, "the address asks for consent")
    spoken = page.told(vocab.COOKIES)
    if spoken:
        marker = walls.marked(page.machinery, walls.CONSENTS)
        if marker:
            case.add(2, f"marker of {marker[0]}: {marker[1]}")
    asked = case.points > 0
    alone = page.main_weight < 60 and len(page.lines) < 40  # noqa: PLR2004 - a notice, no menus
    about, others = _about_cookies(page, with_banners=alone or asked)
    if about:
        points = 2 if others * 4 < about else 0.5
        case.add(points, f"text of weight {about:.0f} about cookies and data")
        buttons = [words for words in page.labels if vocab.AGREE.opens(words)]
        if buttons:
            case.add(min(len(buttons), 2) / 2, f'button "{buttons[0].strip()[:30]}"')
        elif not asked:
            case.add(-1.5, "against it: nobody asks for an answer")
    case.add_heads(page, vocab.COOKIES, title=0.5, heading=0.5)
    if page.in_heads(vocab.POLICY):
        case.add(-2, "against it: title or heading of a policy")
    if state.failed:
        case.add(-1, f"against it: status {state.status}")
    case.weigh_down(others)
    return case


def paywall(page: Page, state: State) -> Case:
    """The beginning of a text, and an offer."""
    case = Case()
    if state.status == _PAYMENT_REQUIRED:
        case.add(3, f"status {state.status}")
    begun = prose.total(line for line in page.prose if not line.zone & (prose.ITEM | prose.HEADING))
    if not case.points and not BEGUN <= begun < 2 * PREVIEW:
        return case
    offer = _offer(page) or _label(page)
    if offer:
        case.add(*offer)
    else:
        pays = [line for line, _ in page.told(vocab.PAY) if _is_in_text(line) and line.is_main]
        if pays:
            case.add(0.75, f'it says "{pays[0].text[:60]}"')
    _add_data(case, page)
    if begun < TEASER:
        case.add(0.75, f"the text before it weighs {begun:.0f}")
    case.weigh_down((max(0.0, begun - PREVIEW) + page.latent) / 2)
    return case


def _asks_for_a_name(page: Page) -> bool:
    told = page.told(vocab.PASSWORD)
    return any(line.zone & prose.FORM for line, _ in told) or bool(page.in_labels(vocab.PASSWORD))


def _beside_forms(page: Page) -> float:
    """Weight of main text that has nothing to do with signing in."""
    present = page.present("said", vocab.LOGIN)
    text = prose.total(
        line
        for line, words in page.spoken
        if line.is_main
        and not line.zone & (prose.FORM | prose.HEADING)
        and line.own >= _LABEL
        and not any(literal in words for literal in present)
    )
    inside = prose.total(line for line in page.prose if line.zone & prose.FORM) / 2
    links = sum(1 for line in page.main if line.linked and not line.zone & prose.FORM)
    menu = max(0, links - _MENU_LINKS) * _LABEL / 2
    return text + inside + page.linked_titles / 2 + menu


def _about_cookies(page: Page, *, with_banners: bool) -> tuple[float, float]:
    """Weight of the text about cookies, and of the other main text.

    What stands between two lines about cookies is about cookies, too, if they are a quarter of it.
    """
    lines = [
        (line, words)
        for line, words in page.spoken
        if line.own >= _LABEL and (line.is_main or (with_banners and line.zone & prose.BANNER))
    ]
    whole = prose.total(line for line, _ in lines)
    present = page.present("said", vocab.COOKIES)
    told = [at for at, (_, words) in enumerate(lines) if any(one in words for one in present)]
    if len(told) < 2:  # noqa: PLR2004 - one sentence about cookies stands everywhere
        return 0.0, whole
    between = prose.total(line for line, _ in lines[told[0] : told[-1] + 1])
    named = prose.total(lines[at][0] for at in told)
    if between < 150 or named * 4 < between or between < whole - between:  # noqa: PLR2004
        return 0.0, whole
    if not with_banners:
        whole = page.main_weight
    return between, max(0.0, whole - between)


def _is_in_text(line: Line) -> bool:
    """Whether a line is no item of a list: lists of other articles have offers and labels, too."""
    return not line.zone & (prose.FURNITURE | prose.ITEM)


def _offer(page: Page) -> tuple[float, str] | None:
    """Words by which a reader is asked to pay or sign in for the rest, in one line or in two."""
    best: tuple[float, str] | None = None
    last: tuple[bool, bool] = (False, False)
    for line, reads, pays, exclusive in _offers(page):
        if reads and pays and line.weight <= OFFER:
            return 3.5, f'an offer: "{line.text[:80]}"'
        if exclusive and (reads or line.weight >= 40):  # noqa: PLR2004 - a sentence, not a label
            best = best or (3, f'it says "{line.text[:80]}"')
        elif (reads and last[1]) or (pays and last[0]):
            best = best or (2.5, f'an offer: "{line.text[:80]}"')
        last = (reads, pays)
    return best


def _offers(page: Page) -> Iterator[tuple[Line, bool, bool, bool]]:
    """The text's short lines: whether they speak of reading on, of paying, of who may."""
    said = [page.present("said", one) for one in (vocab.READ_ON, vocab.PAY, vocab.EXCLUSIVE)]
    for line, words in page.spoken:
        if _is_in_text(line) and line.weight <= 1.4 * OFFER:
            reads, pays, exclusive = (any(one in words for one in present) for present in said)
            yield line, reads, pays, exclusive


def _label(page: Page) -> tuple[float, str] | None:
    """A label of the article that it is for those who pay; more so when it stands at its head."""
    labels = {line for line, _ in page.told(vocab.EXCLUSIVE) if not line.zone & prose.ITEM}
    top = True
    for line, words in page.spoken:
        if line.zone & prose.HEADING and words in page.titles:
            top = False
        if line in labels:
            return (2.5 if top else 1.5), f'label "{line.text[:40]}"'
    return None


def _add_data(case: Case, page: Page) -> None:
    """What the page's data and markup say about access."""
    blocks = () if page.root is None else page.root.iter("script")
    data = " ".join(
        node.text[:_DATA_CHARS]
        for node in blocks
        if node.text and (node.get("type") or "").lower() == "application/ld+json"
    )
    access = {value.lower() for value in _ACCESS.findall(data)}
    if access:
        points = 1 if "false" in access else -1
        case.add(points, f"the page's data says it is {'not ' if points > 0 else ''}free")
    if _TIER.search(page.machinery):
        case.add(0.5, "the page's data says it is metered or locked")
    marker = walls.marked(page.machinery, walls.PAYWALLS)
    if marker:
        case.add(0.75, f"marker of {marker[0]}: {marker[1]}")
