"""The JSON of documents; goes with `replies`.

What comes from a page stands between the marks of a fence. What is ours to say about it, which part
it is and where it goes on, stands behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.reading.fence import fenced, nonce

if TYPE_CHECKING:
    from collections.abc import Iterable

    from broker.models import Progress
    from broker.reading.records import Failure, Page
    from broker.wire.codec import Id


def dump_pages(pages: Iterable[Page]) -> dict[str, object]:
    """The result of a fetch or read; one fence for all of it."""
    number = nonce()
    return {"documents": [dump_page(page, number) for page in pages]}


def dump_failure(failure: Failure) -> dict[str, object]:
    """Why there is no document."""
    return {
        "code": failure.code,
        "phase": failure.phase,
        "category": failure.category,
        "layer": failure.layer,
        "url": failure.url or None,
        "message": failure.message,
        "retryable": failure.retryable,
        "retry_after_ms": failure.retry_after_ms,
    }


def dump_step(request_id: Id, progress: Progress) -> dict[str, object]:
    """The params of a `progress` notification about a fetch."""
    return {
        "id": request_id,
        "source_index": progress.query_index,
        "via": progress.provider,
        "step": progress.step,
        "detail": progress.detail,
    }


def dump_page(page: Page, number: str) -> dict[str, object]:
    """One document; `number` is that of the answer's fence."""
    shown = fenced(page.text, number)
    if page.note:
        shown = f"{shown}\n[{page.note}]" if shown else f"[{page.note}]"
    dumped: dict[str, object] = {
        "source": page.source,
        "id": page.id or None,
        "final_url": page.final_url or None,
        "title": page.title,
        "verdict": page.verdict or None,
        "via": page.via or None,
        "markdown": shown,
        "chars": page.chars,
        "offset": page.offset,
        "next_offset": page.next_offset,
        "outline": [
            {"level": heading.level, "text": heading.text, "words": heading.words}
            for heading in page.outline
        ],
        "links": [{"text": link.text, "url": link.url} for link in page.links],
        "published": page.published,
        "byline": page.byline,
        "lang": page.lang,
        "warnings": list(page.warnings),
        "ms": page.ms,
        "error": None if page.error is None else dump_failure(page.error),
    }
    if page.passages is not None:
        dumped["passages"] = page.passages
    if page.finds is not None:
        dumped["finds"] = [
            {
                "match": found.match,
                "section": found.section,
                "offset": found.offset,
                "text": found.text,
                "before": found.before,
                "after": found.after,
            }
            for found in page.finds
        ]
    return dumped
