"""The JSON of passages; goes with `replies_reading`.

The text of each stands between the marks of a fence, which is the same for all of an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.reading.fence import fenced, nonce
from broker.wire.replies_reading import dump_page

if TYPE_CHECKING:
    from broker.reading.records import Pooled, Quotation, Recalled


def dump_recalled(recalled: Recalled) -> dict[str, object]:
    """The result of a recall."""
    number = nonce()
    where = {"folder": recalled.folder} if recalled.folder else {}
    return {
        "query": recalled.query,
        **where,
        "passages": [
            _dump_passage(rank, passage, number)
            for rank, passage in enumerate(recalled.passages, start=1)
        ],
        "note": recalled.note or None,
        "warnings": list(recalled.warnings),
        "ms": recalled.ms,
    }


def dump_pooled(pooled: Pooled) -> dict[str, object]:
    """The result of a fetch with a query."""
    number = nonce()
    sources = {page.id: page.source for page in reversed(pooled.pages)}
    return {
        "query": pooled.query,
        "documents": [dump_page(page, number) for page in pooled.pages],
        "passages": [
            {**_dump_passage(rank, passage, number), "source": sources[passage.id]}
            for rank, passage in enumerate(pooled.passages, start=1)
        ],
        "note": pooled.note or None,
    }


def _dump_passage(rank: int, passage: Quotation, number: str) -> dict[str, object]:
    dumped: dict[str, object] = {
        "rank": rank,
        "id": passage.id,
        "url": passage.url,
        "title": passage.title,
        "section": passage.section,
        "offset": passage.offset,
        "chars": len(passage.text),
        "score": float(f"{passage.score:.4g}"),
        "text": fenced(passage.text, number),
    }
    if passage.published is not None:
        dumped["published"] = passage.published
    if passage.warnings:
        dumped["warnings"] = list(passage.warnings)
    return dumped
