"""The cases for pages that refuse: robots, and everybody.

A firewall's refusal and a server's own error page use the same words; what tells them apart are
the firewall's marks and whether the page speaks of robots, traffic or security.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extract import prose, vocab, walls
from extract.evidence import Case

if TYPE_CHECKING:
    from extract.evidence import State
    from extract.signs import Page

SHORT = 250.0
"""Most weight of a line that names an error; longer ones are text that mentions one."""

MUCH = 1500.0
"""Weight of main text with which no marker can make a wall."""

LITTLE_ELSE = 600.0
"""Weight of main text up to which half of it decides what the page is about."""

_EXPLAINED = (vocab.ROBOT, vocab.SCRIPT, vocab.COOKIES)
"""What a challenge speaks of."""

_WALL_STATUS = frozenset({403, 405, 406, 418, 429, 444, 503, 520, 1020})
"""What firewalls answer with, beside 200 and 202."""

_GONE = frozenset({404, 410, 451})
_UNAUTHORIZED = 401

_REFERENCE = re.compile(r"reference #?\d+\.[0-9a-f]{6,}")
"""How Akamai numbers a refusal."""

_GATEWAY = re.compile(r" (?:error|code) 5\d\d |^ 5\d\d | 52\d ")
_CODE_FIRST = re.compile(r" (?:http )?(?:error |status )?[45]\d\d(?: [a-z]+){0,4} $")
_CODE = re.compile(r"[45]\d\d|1\d{3}")

_ERROR_WORDS = frozenset(
    {
        "error", "fehler", "erreur", "erro", "errore", "fout", "fel", "fejl", "feil", "virhe",
        "błąd", "chyba", "hiba", "eroare", "ошибка", "помилка", "грешка", "σφάλμα", "hata",
        "خطأ", "خطا", "שגיאה", "kesalahan", "lỗi", "错误", "錯誤", "エラー", "오류", "에러",
        "errorpage",
        "fehlerseite", "forbidden", "unauthorized",
    }
)  # fmt: skip
"""Words that name an error where nothing else stands in a title or heading but numbers."""

_BESIDE_ERROR = frozenset(
    {"page", "code", "status", "http", "server", "seite", "página", "web", "not", "found", "report"}
    | {"response"}
)


def robot(page: Page, state: State) -> Case:
    """A captcha, a check of the browser, a firewall's refusal."""
    case = Case()
    _add_origin(case, state)
    if page.main_weight < MUCH:
        _add_marks(case, page)
    marked = case.points > 0
    if marked and page.in_heads(vocab.DENIED):
        case.add(2, "title or heading denies access")
    case.add_heads(page, vocab.ROBOT, title=1.5, heading=1.5)
    _add_words(case, page)
    server = walls.wall_server(state.headers or {})
    if server and state.status in _WALL_STATUS:
        case.add(2, f"status {state.status} from {server}")
    elif case.points and state.status in _WALL_STATUS:
        case.add(1, f"status {state.status}")
    elif case.points and not marked and not page.fields:
        case.add(-_doubt(page), "against it: words, and no mark of a challenge")
    if any(_GATEWAY.search(head) for head in page.heads[:5]):
        case.add(-2.5, "against it: the heading is a server error's")
    other = page.left(*_EXPLAINED, vocab.FAULT, least=12)
    case.weigh_down(other + (page.latent + page.linked_titles) / 2)
    return case


def error(page: Page, state: State) -> Case:
    """Not found, not allowed, out of order."""
    case = Case()
    _add_status(case, state)
    if not case.add_heads(page, vocab.MISSING, title=2, heading=2):
        case.add_heads(page, vocab.FAULT, title=1.5, heading=2)
    bare = next((head for head in page.heads if is_bare_error(head)), "")
    if bare:
        case.add(1.5, f'title or heading "{bare.strip()}"')
    named = case.points > 0
    told = _add_told(case, page)
    if page.in_heads(vocab.SCRIPT):
        case.add(-1.5, "against it: title or heading speaks of the browser")
    browser = walls.marked(page.machinery, walls.BROWSERS) if page.main_weight < MUCH else None
    if browser:
        case.add(2, f"{browser[0]}'s own error page")
    # The words for an error stand in many a title; only a status makes more of them.
    most = 7 if state.failed else 4
    case.points = min(case.points, most)
    other = page.left(vocab.MISSING, vocab.FAULT, vocab.COOKIES, least=30, most=SHORT)
    case.weigh_down(other + page.latent / 2)
    # Words in the text alone, without title, heading or status, must be a good part of it.
    if case.points > 0 and not page.passwords and (named or told * 3 > page.main_weight):
        steps = ((200, 1.25), (400, 0.75), (1000, 0.4))
        points = next((points for limit, points in steps if page.main_weight < limit), 0)
        case.add(points, f"main text of weight {page.main_weight:.0f}")
    return case


def is_bare_error(head: str) -> bool:
    """Whether a head, as the vocabulary is written, is words for an error, numbers, no more."""
    if _CODE_FIRST.match(head):
        return True
    words = [word for word in head.split() if word not in _BESIDE_ERROR]
    codes = [word for word in words if _CODE.fullmatch(word)]
    named = [word for word in words if word in _ERROR_WORDS]
    if len(named) + len(codes) < len(words):
        return False
    return bool(named) or (bool(codes) and codes[0][0] in "45")


def _add_origin(case: Case, state: State) -> None:
    header = walls.challenge_header(state.headers or {})
    if header:
        case.add(4, f"header {header}")
    if walls.is_challenge_url(state.url):
        case.add(2.5, "the address is a challenge's")


def _add_marks(case: Case, page: Page) -> None:
    marker = walls.marked(f"{page.machinery}\n{page.said}", walls.CHALLENGES)
    if marker:
        case.add(3, f"marker of {marker[0]}: {marker[1]}")
    elif not page.passwords and walls.marked(page.machinery, (walls.WIDGETS,)):
        case.add(1, "a captcha")
    if _REFERENCE.search(" ".join(line.text for line in page.main[:12]).lower()):
        case.add(2.5, "a firewall's reference number")


def _doubt(page: Page) -> float:
    """Points that words are worth less where nothing but words speaks of a challenge."""
    told = set(page.present("said", vocab.ROBOT)) | set(page.present("heads", vocab.ROBOT))
    if told <= set(vocab.ROBOT_TOPICS.literals):
        return 3
    return 0.5 if page.left(*_EXPLAINED) * 2 < page.main_weight < LITTLE_ELSE else 2


def _add_words(case: Case, page: Page) -> None:
    told = page.told(vocab.ROBOT)
    if told:
        count = max(len(told), len(page.present("said", vocab.ROBOT)))
        points = (0, 1, 1.75, 2.25)[min(count, 3)]
        case.add(points, f'{len(told)} of {len(page.spoken)} lines say such as "{told[0][1]}"')
        if page.left(*_EXPLAINED) * 2 < page.main_weight < LITTLE_ELSE:
            case.add(1, "and little else")
    unseen = vocab.ROBOT.within(page.unseen)
    if unseen:
        case.add(0.5, f'hidden text says "{unseen[0].strip()}"')


def _add_status(case: Case, state: State) -> None:
    if not state.failed or state.status is None:
        return
    if state.status in _GONE or state.status >= 500:  # noqa: PLR2004 - HTTP's classes
        case.add(2.5, f"status {state.status}")
    else:
        case.add(0.5 if state.status == _UNAUTHORIZED else 1.5, f"status {state.status}")


def _add_told(case: Case, page: Page) -> float:
    """Count the lines that name an error; return their weight."""
    for phrases, points in ((vocab.MISSING, 1.5), (vocab.FAULT, 0.75)):
        told = [
            (line.own, phrase)
            for line, phrase in page.told(phrases)
            if line.weight <= SHORT and not line.zone & prose.ITEM
        ]
        if told:
            case.add(points, f'it says "{told[0][1]}"')
            return sum(weight for weight, _ in told)
    return 0.0
