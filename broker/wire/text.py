"""Answers for a person at a terminal.

Everything that came from outside passes `clean` first: a title may hold escape sequences, and a
terminal obeys them. Widths are counted in columns, since a CJK character takes two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category, combining, east_asian_width

from broker.models import LaneStatus
from broker.wire.marked import marked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broker.models import Answer, Hit, LaneReport, Progress, Serp, Status
    from extract.model import Document
    from extract.verdict import Verdict

MIN_COLUMNS = 20
"""Narrowest column that text is wrapped to, whatever the terminal says."""

_BIDI_CONTROLS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
"""They reorder what stands around them, and so can show another address than the real one."""

_UNDERSTOOD = frozenset({LaneStatus.OK, LaneStatus.PARTIAL, LaneStatus.EMPTY})

_UNRESOLVED = " (stand-in: the real address was not looked up)"


def is_understood(answer: Answer) -> bool:
    """Whether any lane has asked its provider and understood the answer."""
    return any(lane.status in _UNDERSTOOD for lane in answer.lanes)


def clean(text: str) -> str:
    """The text on one line, white space folded, without anything that a terminal would obey."""
    folded = " ".join(text.translate(_BIDI_CONTROLS).split())
    return "".join("\ufffd" if category(char) in {"Cc", "Cs"} else char for char in folded)


def clean_markdown(text: str) -> str:
    """The text as it is, but for what a terminal would obey; lines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char if char in "\n\t" or category(char) not in {"Cc", "Cs"} else "\ufffd"
        for char in text.translate(_BIDI_CONTROLS)
    )


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` columns, broken at spaces where there are any."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        for piece in _pieces(word, width):
            if line and columns(line) + 1 + columns(piece) > width:
                lines.append(line)
                line = piece
            else:
                line = f"{line} {piece}" if line else piece
    return [*lines, line] if line else lines


def answers_text(answers: Sequence[Answer], width: int) -> str:
    """Numbered hits and the lanes' line, under the query's words when there are several queries."""
    blocks = []
    for number, answer in enumerate(marked(answers), start=1):
        if len(answers) > 1:
            blocks.append(f"[{number}/{len(answers)}] {clean(answer.query)}")
        nothing = "Nothing found." if is_understood(answer) else "No answer."
        blocks.append(hits_text(answer.hits, width) or nothing)
        blocks.append("\n".join(lane_text(lane) for lane in answer.lanes))
        blocks.append(_addresses(answer.hits))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _addresses(hits: Sequence[Hit]) -> str:
    """The addresses once more, ranked and nothing else, ready to be read."""
    return "\n".join(["Read:", *(clean(hit.url) for hit in hits)]) if hits else ""


def serp_text(file: str, serp: Serp, width: int) -> str:
    """A saved result page: its name and state, and the hits."""
    head = f"{clean(file)}: {serp.state}"
    return "\n\n".join([head, hits_text(serp.hits, width)] if serp.hits else [head]) + "\n"


def verdict_text(file: str, verdict: Verdict, width: int) -> str:
    """What a saved page is, and below it a reason a line."""
    head = f"{clean(file)}: {verdict.kind} ({verdict.confidence:.2f})"
    room = max(width - 2, MIN_COLUMNS)
    reasons = [line for reason in verdict.reasons for line in wrapped(clean(reason), room)]
    return "\n  ".join([head, *reasons]) + "\n"


def document_text(document: Document, name: str = "") -> str:
    """The Markdown of a page's main content, below the `name` of its file where one is given."""
    # Control characters would reach the terminal.
    shown = clean_markdown(document.markdown)
    body = f"{shown}\n" if shown else ""
    return f"==> {clean(name)} <==\n{body}\n" if name else body


def hits_text(hits: Sequence[Hit], width: int) -> str:
    """The hits, numbered from 1."""
    return "\n\n".join(
        "\n".join(_hit_lines(rank, hit, width)) for rank, hit in enumerate(hits, start=1)
    )


def lane_text(lane: LaneReport) -> str:
    """How one lane ended: `google: ok · 3 pages · 28 hits · 1.42 s`."""
    head = f"{lane.provider}: {lane.status}{_cause(lane)}"
    if lane.status not in _UNDERSTOOD:
        return head
    pages = [] if lane.pages is None else [counted(lane.pages, "page")]
    return " · ".join([head, *pages, counted(lane.hits, "hit"), f"{lane.ms / 1000:.2f} s"])


def progress_text(progress: Progress, queries: int, width: int) -> str:
    """One step of a search, cut to one line of the terminal."""
    place = f"[{progress.query_index + 1}/{queries}] " if queries > 1 else ""
    what = clean(progress.detail) or progress.step
    return _pieces(f"{place}{progress.provider}: {what}", max(width - 1, MIN_COLUMNS))[0]


def status_text(status: Status, reading: Sequence[tuple[str, str]] = ()) -> str:
    """What works and what does not, one fact a line; `reading` are the rows about that."""
    browser = status.browser
    facts = [browser.state, browser.version, browser.executable]
    if browser.sandbox is not None:
        facts.append("sandbox on" if browser.sandbox else "sandbox off")
    if browser.rss_mb is not None:
        facts.append(f"{counted(browser.tabs, 'tab')}, {browser.rss_mb} MiB")
    rows = [
        ("webaio", status.version),
        ("home", status.home),
        ("browser", " · ".join(fact for fact in facts if fact)),
        ("", browser.note or ""),
    ]
    for provider in status.providers:
        state = "ready" if provider.configured else f"not configured: {provider.lacks}"
        if provider.cooldown_s is not None:
            state = f"left alone for {provider.cooldown_s} s ({provider.cooldown_code})"
        last = f"last {provider.last}" if provider.last else ""
        rows.append((provider.name, " · ".join(f for f in (state, last, provider.pace) if f)))
    rows += reading
    rows += [("warning", warning) for warning in status.warnings]
    return "".join(f"{name:<10}{clean(fact)}\n" for name, fact in rows if fact)


def _hit_lines(rank: int, hit: Hit, width: int) -> Iterator[str]:
    number = f"{rank:>2}. "
    indent = " " * len(number)
    room = max(width - len(indent), MIN_COLUMNS)
    title = wrapped(clean(hit.title), room) or ["(no title)"]
    yield number + title[0]
    # An address is never broken: it is there to be copied.
    address = clean(hit.url) + ("" if hit.resolved else _UNRESOLVED)
    snippet = wrapped(clean(hit.snippet), room)
    content = [line for part in (hit.content or "").splitlines() for line in _line(part, room)]
    for line in [*title[1:], address, *wrapped(_facts(hit), room), *snippet, *content]:
        yield (indent + line).rstrip()


def _line(text: str, width: int) -> list[str]:
    """A line of somebody's text, wrapped; an empty one stays, since it parts paragraphs."""
    return wrapped(clean(text), width) or [""]


def _facts(hit: Hit) -> str:
    # A snippet often begins with the date already.
    published = None if hit.published and hit.published in hit.snippet else hit.published
    facts = [published, ", ".join(hit.authors)]
    if hit.points is not None:
        facts.append(counted(hit.points, "point"))
    if hit.comments is not None:
        facts.append(counted(hit.comments, "comment"))
    return clean(" · ".join(fact for fact in facts if fact))


def _cause(lane: LaneReport) -> str:
    words = [": ".join(clean(part) for part in (lane.code, lane.reason) if part)]
    if lane.retry_after_s is not None:
        words.append(f"left alone for {lane.retry_after_s} s")
    cause = "; ".join(word for word in words if word)
    return f" ({cause})" if cause else ""


def counted(number: int, one: str, several: str = "") -> str:
    """A number of things; `several` is what more than one are called, where that is not `one`s."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def _pieces(word: str, width: int) -> list[str]:
    """The word in pieces of at most `width` columns; almost always just the word."""
    if columns(word) <= width:
        return [word]
    pieces = [""]
    for char in word:
        if columns(pieces[-1]) + columns(char) > width:
            pieces.append("")
        pieces[-1] += char
    return pieces
