"""The JSON that goes out, exactly as the design has it."""

from __future__ import annotations

import orjson
import pytest

from broker.errors import (
    BrowserMissing,
    Refused,
    RequestInvalid,
    SettingsInvalid,
)
from broker.models import LaneReport, LaneStatus, Serp, SerpState
from broker.wire.codec import ErrorNumber, encode_json
from broker.wire.replies import (
    dump_answers,
    dump_progress,
    dump_serp,
    dump_status,
    error_of,
)
from tests.broker.wire.doubles import STATUS, STEP, make_answer, make_hit


def test_an_answer_has_only_the_facts_that_are_known() -> None:
    lanes = (LaneReport(provider="google", status=LaneStatus.OK, ms=1420, hits=2),)

    assert dump_answers([make_answer("cats", make_hit(), lanes=lanes)]) == {
        "answers": [
            {
                "query": "cats",
                "id": "a1",
                "complete": True,
                "ms": 1500,
                "hits": [
                    {
                        "rank": 1,
                        "title": "A title",
                        "url": "https://example.com/",
                        "snippet": "Words.",
                        "provider": "google",
                        "resolved": True,
                    }
                ],
                "lanes": [{"provider": "google", "status": "ok", "ms": 1420, "hits": 2}],
            }
        ]
    }


def test_an_answer_has_all_the_facts_that_are_known() -> None:
    facts = {
        "resolved": False,
        "published": "2024-05-01",
        "authors": ("A. Author", "B. Author"),
        "site": "Example > Docs",
        "authority": 0,
        "score": 0.5,
        "points": 0,
        "comments": 12,
        "content": "",
        "featured": True,
    }
    lane = {
        "code": "captcha",
        "reason": "Google asks for a captcha",
        "pages": 0,
        "retry_after_s": 300,
        "compiled_query": "cats site:example.com",
    }
    report = LaneReport(
        provider="google",
        status=LaneStatus.FAILED,
        ms=5,
        code="captcha",
        reason="Google asks for a captcha",
        pages=0,
        retry_after_s=300,
        compiled_query="cats site:example.com",
    )

    dumped = dump_answers([make_answer("cats", make_hit(), make_hit(**facts), lanes=(report,))])

    (answer,) = orjson.loads(encode_json(dumped))["answers"]
    assert (
        answer["hits"][1].items()
        >= {"rank": 2, **facts, "authors": ["A. Author", "B. Author"]}.items()
    )
    assert answer["lanes"] == [
        {"provider": "google", "status": "failed", "ms": 5, "hits": 0, **lane}
    ]


def test_a_saved_page_has_its_file_and_its_next_page() -> None:
    serp = Serp(state=SerpState.RESULTS, hits=(make_hit(),), next_url="https://example.com/2")

    dumped = dump_serp("a.html", serp)

    assert list(dumped) == ["file", "state", "hits", "next"]
    assert dumped["state"] == "results"
    assert dumped["next"] == "https://example.com/2"


def test_status_has_every_field_whether_known_or_not() -> None:
    assert dump_status(STATUS) == {
        "version": "0.1.0",
        "home": "/home/a/.cache/webaio",
        "browser": {
            "state": "ready",
            "executable": None,
            "version": "Chromium 156",
            "sandbox": False,
            "note": None,
            "tabs": 1,
            "uses": 0,
            "rss_mb": 80,
        },
        "providers": [
            {
                "name": "google",
                "configured": True,
                "lacks": None,
                "cooldown_s": 280,
                "cooldown_code": "captcha",
                "last": None,
                "pace": None,
            },
            {
                "name": "exa",
                "configured": False,
                "lacks": "EXA_API_KEY",
                "cooldown_s": None,
                "cooldown_code": None,
                "last": None,
                "pace": None,
            },
        ],
        "reading": {
            "documents": 0,
            "stored_bytes": 0,
            "oldest_age_s": None,
            "hot_documents": 0,
            "waiting": 0,
            "pages": 0,
            "requests": 0,
            "failed": 0,
            "guarded": 0,
            "refused": 0,
            "archives": True,
            "missing": [],
        },
        "warnings": [],
    }


def test_progress_names_its_request() -> None:
    assert dump_progress("r1", STEP) == {
        "id": "r1",
        "query_index": 0,
        "provider": "google",
        "step": "page",
        "detail": "page 1: 10 hits",
        "hits": 10,
    }


@pytest.mark.parametrize(
    ("error", "number", "code", "field"),
    [
        (RequestInvalid("no", field="max"), ErrorNumber.INVALID_PARAMS, "invalid_request", "max"),
        (Refused("blocked_ssrf", "no"), ErrorNumber.FAILED, "blocked_ssrf", ""),
        (BrowserMissing("no"), ErrorNumber.FAILED, "browser_missing", ""),
        (SettingsInvalid("no", where="HOME"), ErrorNumber.FAILED, "invalid_settings", ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_a_failure_keeps_its_stable_code(
    error: Exception, number: ErrorNumber, code: str, field: str
) -> None:
    dumped = error_of(error)  # type: ignore[arg-type]

    assert (dumped.number, dumped.code, dumped.field) == (number, code, field)
    assert dumped.message == str(error)
