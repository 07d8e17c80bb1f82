"""Documents for a person at a terminal, or for an agent that calls the command; goes with `text`.

A head of facts, then the text between the marks of its fence, as it is: nothing is wrapped, so that
Markdown stays Markdown. What a terminal would obey is taken out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

from broker.reading.fence import fenced, nonce
from broker.wire.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broker.models import Progress, ReadingStatus
    from broker.reading.records import Failure, Page

_KEPT = "\n\t"
_INDENT = "  "


def pages_text(pages: Sequence[Page], *, failures: bool = True) -> str:
    """The documents one after the other, under their number where there are several.

    Without `failures` those that have nothing to read are left out: they are told elsewhere.
    """
    number = nonce()
    blocks = []
    for place, page in enumerate(pages, start=1):
        if page.error is not None and not page.text and not failures:
            continue
        head = f"[{place}/{len(pages)}] {clean(page.source)}\n" if len(pages) > 1 else ""
        blocks.append(head + "\n".join(_lines(page, number)))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def failure_lines(pages: Sequence[Page]) -> Iterator[str]:
    """Why a source was not read, a line for each that was not."""
    for page in pages:
        if page.error is not None:
            yield f"{page.source}: {_error(page.error)}"


def step_text(progress: Progress, sources: int, width: int) -> str:
    """One step of a fetch, on one line of the terminal."""
    place = f"[{progress.query_index + 1}/{sources}] " if sources > 1 else ""
    line = f"{place}{progress.provider}: {progress.step} {clean(progress.detail)}"
    return line[: max(width - 1, 20)]


def reading_rows(reading: ReadingStatus) -> list[tuple[str, str]]:
    """The rows of `status` about reading."""
    kept = f"{reading.documents} documents, {reading.stored_bytes / 1e6:.1f} MB"
    if reading.oldest_age_s is not None:
        kept += f", the oldest {reading.oldest_age_s / 86_400:.1f} days old"
    rows = [("reading", f"{kept} · archives {'on' if reading.archives else 'off'}")]
    if reading.pages or reading.guarded:
        done = f"{reading.pages} pages, {reading.requests} requests, {reading.failed} failed"
        rows.append(
            ("", f"{done} · guard: {reading.guarded} connections, {reading.refused} refused")
        )
    return rows + [("", f"missing: {sentence}") for sentence in reading.missing]


def head_lines(page: Page) -> Iterator[str]:
    """What a document is, and what is wrong with it."""
    if page.title:
        yield f"# {clean(page.title)}"
    if page.final_url and page.final_url != page.source:
        yield clean(page.final_url)
    if page.id:
        yield clean(" · ".join(_facts(page)))
    if page.error is not None:
        yield clean(f"error {_error(page.error)}")
    for warning in page.warnings:
        yield clean(f"warning: {warning}")


def _lines(page: Page, number: str) -> Iterator[str]:
    yield from head_lines(page)
    if page.next_offset is not None or page.offset:
        for heading in page.outline:
            indent = _INDENT * max(0, heading.level - 1)
            yield f"{indent}- {clean(heading.text)} ({heading.words} words)"
    if page.text:
        yield ""
        yield fenced(_harmless(page.text), number)
    if page.note:
        yield f"[{clean(page.note)}]"


def _error(failure: Failure) -> str:
    again = " · worth trying again" if failure.retryable else ""
    return f"{failure.code}: {failure.message}{again}"


def _facts(page: Page) -> Iterator[str]:
    yield f"id {page.id}"
    yield f"{page.verdict} via {page.via}"
    yield f"{page.chars} characters"
    if page.byline:
        yield page.byline
    if page.published:
        yield page.published


def _harmless(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        char if char in _KEPT or category(char) not in {"Cc", "Cs"} else "\ufffd" for char in text
    )
