"""Passages for a person at a terminal, or for an agent that calls the command; with `text_reading`.

Each is cited by title, section, address, offset and id, so that `webaio read ID --offset N` shows
what stands around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.reading.fence import fenced, nonce
from broker.wire.text import clean, clean_markdown
from broker.wire.text_reading import head_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broker.reading.records import Pooled, Quotation, Recalled


def recalled_text(recalled: Recalled) -> str:
    """The passages, numbered from 1, below what keeps the answer from being whole."""
    blocks = [f"warning: {clean(warning)}" for warning in recalled.warnings]
    blocks += _passages(recalled.passages, "file" if recalled.folder else "id")
    if recalled.note:
        blocks.append(f"[{clean(recalled.note)}]")
    return "\n\n".join(blocks) + "\n"


def pooled_text(pooled: Pooled) -> str:
    """The passages of all sources, then the sources themselves."""
    blocks = _passages(pooled.passages)
    if not blocks:
        blocks.append("Nothing in these sources answers the query.")
    if pooled.note:
        blocks.append(f"[{clean(pooled.note)}]")
    for place, page in enumerate(pooled.pages, start=1):
        lines = [f"[source {place}/{len(pooled.pages)}] {clean(page.source)}", *head_lines(page)]
        if page.passages:
            lines.append(f"passages: {page.passages}")
        if page.note:
            lines.append(f"[{clean(page.note)}]")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _passages(passages: Sequence[Quotation], handle: str = "id") -> list[str]:
    number = nonce()
    return [
        "\n".join(_lines(rank, passage, handle, number))
        for rank, passage in enumerate(passages, start=1)
    ]


def _lines(rank: int, passage: Quotation, handle: str, number: str) -> Iterator[str]:
    yield f"[{rank}] {clean(passage.title) or '(no title)'}"
    if passage.section:
        yield clean(passage.section)
    yield clean(passage.url)
    facts = [
        f"{handle} {passage.id}",
        f"offset {passage.offset}",
        f"{len(passage.text)} characters",
    ]
    if passage.published:
        facts.append(passage.published)
    yield clean(" · ".join([*facts, f"score {passage.score:.3g}"]))
    for warning in passage.warnings:
        yield clean(f"warning: {warning}")
    yield fenced(clean_markdown(passage.text.rstrip()), number)
