"""The protocol, as it goes out: the JSON of answers, status, progress and errors.

The other half of `schema`. A field that is only sometimes known stands in the JSON only then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.errors import RequestInvalid
from broker.wire.codec import ErrorNumber, RpcError
from broker.wire.marked import marked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from broker.errors import BrokerError
    from broker.models import Answer, Hit, LaneReport, Progress, ReadingStatus, Serp, Status
    from broker.wire.codec import Id
    from extract.model import Document
    from extract.verdict import Verdict

_HIT_FACTS = (
    "published",
    "site",
    "authority",
    "score",
    "points",
    "comments",
    "content",
    "content_error",
)
_LANE_FACTS = ("code", "reason", "pages", "retry_after_s", "compiled_query")
"""Fields that stand in the JSON only where they are known."""


def dump_answers(answers: Iterable[Answer]) -> dict[str, object]:
    """The result of a search; the texts of hits stand between the marks of a fence."""
    return {"answers": [_dump_answer(answer) for answer in marked(answers)]}


def dump_serp(file: str, serp: Serp) -> dict[str, object]:
    """A saved result page, parsed."""
    return {
        "file": file,
        "state": serp.state.value,
        "hits": dump_hits(serp.hits),
        "next": serp.next_url,
    }


def dump_verdict(file: str, verdict: Verdict) -> dict[str, object]:
    """What a saved page is."""
    return {
        "file": file,
        "verdict": verdict.kind.value,
        "confidence": verdict.confidence,
        "reasons": list(verdict.reasons),
    }


def dump_document(file: str, document: Document) -> dict[str, object]:
    """The main content of a saved page, and what the page says about itself."""
    return {
        "file": file,
        "title": document.title,
        "byline": document.byline,
        "published": document.published,
        "lang": document.language,
        "canonical": document.canonical,
        "markdown": document.markdown,
        "chars": len(document.markdown),
        "outline": [
            {"level": section.level, "text": section.text, "words": section.words}
            for section in document.outline
        ],
        "links": [{"text": link.text, "url": link.url} for link in document.links],
        "warnings": list(document.notes),
    }


def dump_status(status: Status) -> dict[str, object]:
    """The state of the broker; what is not known is null, so that each field can be relied on."""
    browser = status.browser
    return {
        "version": status.version,
        "home": status.home,
        "browser": {
            "state": browser.state,
            "executable": browser.executable,
            "version": browser.version,
            "sandbox": browser.sandbox,
            "note": browser.note,
            "tabs": browser.tabs,
            "uses": browser.uses,
            "rss_mb": browser.rss_mb,
        },
        "providers": [
            {
                "name": provider.name,
                "configured": provider.configured,
                "lacks": provider.lacks,
                "cooldown_s": provider.cooldown_s,
                "cooldown_code": provider.cooldown_code,
                "last": provider.last,
                "pace": provider.pace,
            }
            for provider in status.providers
        ],
        "reading": _dump_reading(status.reading),
        "warnings": list(status.warnings),
    }


def _dump_reading(reading: ReadingStatus) -> dict[str, object]:
    return {
        "documents": reading.documents,
        "stored_bytes": reading.stored_bytes,
        "oldest_age_s": reading.oldest_age_s,
        "hot_documents": reading.hot_documents,
        "waiting": reading.waiting,
        "pages": reading.pages,
        "requests": reading.requests,
        "failed": reading.failed,
        "guarded": reading.guarded,
        "refused": reading.refused,
        "archives": reading.archives,
        "missing": list(reading.missing),
    }


def dump_progress(request_id: Id, progress: Progress) -> dict[str, object]:
    """The params of a `progress` notification."""
    return {
        "id": request_id,
        "query_index": progress.query_index,
        "provider": progress.provider,
        "step": progress.step,
        "detail": progress.detail,
        "hits": progress.hits,
    }


def error_of(error: BrokerError) -> RpcError:
    """The error object that stands for a failure."""
    if isinstance(error, RequestInvalid):
        return RpcError(ErrorNumber.INVALID_PARAMS, error.message, error.code, field=error.field)
    return RpcError(ErrorNumber.FAILED, error.message, error.code)


def dump_hits(hits: Iterable[Hit]) -> list[dict[str, object]]:
    """The hits in their order; the rank is the place, from 1."""
    return [_dump_hit(rank, hit) for rank, hit in enumerate(hits, start=1)]


def _dump_answer(answer: Answer) -> dict[str, object]:
    return {
        "query": answer.query,
        "id": answer.id,
        "complete": answer.complete,
        "ms": answer.ms,
        "hits": dump_hits(answer.hits),
        "lanes": [_dump_lane(lane) for lane in answer.lanes],
    }


def _dump_hit(rank: int, hit: Hit) -> dict[str, object]:
    dumped: dict[str, object] = {
        "rank": rank,
        "title": hit.title,
        "url": hit.url,
        "snippet": hit.snippet,
        "provider": hit.provider,
        "resolved": hit.resolved,
    }
    if hit.authors:
        dumped["authors"] = list(hit.authors)
    if hit.featured:
        dumped["featured"] = True
    return dumped | _known(hit, _HIT_FACTS)


def _dump_lane(lane: LaneReport) -> dict[str, object]:
    return {
        "provider": lane.provider,
        "status": lane.status.value,
        "ms": lane.ms,
        "hits": lane.hits,
    } | _known(lane, _LANE_FACTS)


def _known(record: object, names: Iterable[str]) -> dict[str, object]:
    facts = ((name, getattr(record, name)) for name in names)
    return {name: fact for name, fact in facts if fact is not None}
