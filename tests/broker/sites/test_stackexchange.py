"""Questions of Stack Exchange's sites by their interface."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.broker.sites.talking import conversation, no_heading_but_ours, spoken
from tests.emulators.saved_sites import THROTTLED_S, SavedSite, SiteMode

MILLS = "https://stackoverflow.com"
QUESTION = f"{MILLS}/questions/42/why-does-a-mill"


def site() -> SavedSite:
    return SavedSite("stackexchange")


def changed(name: str, **fields: object) -> SavedSite:
    """The saved answers with other fields in one."""
    app = site()
    answer = app.answers[f"/2.3/{name}"]
    assert isinstance(answer, dict)
    app.answers[f"/2.3/{name}"] = answer | fields
    return app


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("/questions/42/why-does-a-mill", "questions/42"),
        ("/questions/42", "questions/42"),
        ("/q/42/7", "questions/42"),
        ("/questions/42/why/45#45", "questions/42"),
        ("/a/45/7", "answers/45/questions"),
        ("/a/45", "answers/45/questions"),
    ],
)
def test_a_question_costs_three_requests(path: str, first: str) -> None:
    app = site()
    app.answers["/2.3/posts/42;46;44;45/comments"] = {"items": []}
    talk = spoken(MILLS + path, app)
    assert [urlsplit(each).path for each in talk.asked] == [
        f"/2.3/{first}",
        "/2.3/questions/42/answers",
        "/2.3/posts/42;46;44;45/comments",
    ]
    for each in talk.asked:
        query = parse_qs(urlsplit(each).query)
        assert (query["site"], query["filter"]) == (["stackoverflow.com"], ["withbody"])


@pytest.mark.parametrize("path", ["/", "/questions", "/questions/tagged/mill", "/users/7/ada",
                                  "/posts/42/revisions", "/questions/ask", "/tags"])  # fmt: skip
def test_other_pages_are_read_in_the_ordinary_way(path: str) -> None:
    assert conversation(MILLS + path) is None


@pytest.mark.parametrize(
    "host",
    ["stackoverflow.com", "www.stackoverflow.com", "pt.stackoverflow.com", "superuser.com",
     "unix.stackexchange.com", "mathoverflow.net", "meta.askubuntu.com", "stackapps.com",
     "gardening.meta.stackexchange.com"],
)  # fmt: skip
def test_a_site_is_named_by_its_host(host: str) -> None:
    talk = spoken(f"https://{host}/q/42", site())
    assert f"site={host.removeprefix('www.')}&" in talk.asked[0]


def test_the_question_stands_above_its_answers() -> None:
    piece = spoken(QUESTION, site()).document
    assert piece.title == 'Why does a mill need "water" & wind?'
    assert (piece.byline, piece.published) == ("Ada & Co", "2026-01-02T03:00:00Z")
    for fact in ("question on stackoverflow.com · score 12 · by Ada & Co · asked 2026-01-02",
                 "3,456 views · 3 answers · tags: mills, water", "I have **two** mills.",
                 "## What I tried\n\n```python\nturn(1)\n```", "- Which `mill`? (Cy · 2026-01-03",
                 "[rivers](https://stackoverflow.com/questions/9)"):  # fmt: skip
        assert fact in piece.markdown
    assert "elsewhere" not in piece.markdown
    assert no_heading_but_ours(piece.markdown)


@pytest.mark.parametrize(
    ("url", "order"), [(QUESTION, ["44", "46", "45"]), (f"{MILLS}/a/45", ["45", "44", "46"])]
)
def test_answers_stand_as_asked_for_then_accepted_then_by_score(url: str, order: list[str]) -> None:
    text = spoken(url, site()).text
    assert re.findall(r"## Answer by user (\d+)", text) == order
    assert "accepted · score 5" in text
    assert ("the answer that was asked for · score -2" in text) is (order[0] == "45")


def test_what_is_closed_says_why_and_of_what_it_is_a_duplicate() -> None:
    text = spoken(f"{MILLS}/questions/43", site()).text
    assert "**Closed 2026-01-03: Duplicate** ([its page](" in text
    app = site()
    question = app.answers["/2.3/questions/43"]["items"][0]  # type: ignore[index]
    question["closed_details"] = {
        "original_questions": [{"question_id": 42, "title": "Why &amp; how"}]
    }
    text = spoken(f"{MILLS}/questions/43", app).text
    assert "([Why & how](https://stackoverflow.com/questions/42))" in text


def test_comments_are_left_out_when_requests_are_short() -> None:
    for fields in ({"quota_remaining": 29}, {"backoff": 5}):
        talk = spoken(QUESTION, changed("questions/42/answers", **fields))
        assert len(talk.asked) == 2
        assert talk.document.leave_alone_s == fields.get("backoff")


def test_answers_beyond_the_first_page_are_counted() -> None:
    app = site()
    app.answers["/2.3/questions/42"]["items"][0]["answer_count"] = 130  # type: ignore[index]
    assert spoken(QUESTION, app).document.warnings == ("127 answers of lower score are left out",)


def test_comments_beyond_the_first_page_are_told() -> None:
    app = changed("posts/42;46;44;45/comments", has_more=True)
    assert spoken(QUESTION, app).document.warnings == ("only the first 100 comments are here",)


def test_a_question_without_its_answers_says_so() -> None:
    app = site()
    app.mode, app.only = SiteMode.BROKEN, "/answers"
    piece = spoken(QUESTION, app).document
    assert piece.warnings[0].startswith("the answers are missing: ")
    assert "I have **two** mills." in piece.markdown


@pytest.mark.parametrize(
    ("mode", "code", "words"),
    [
        (SiteMode.MISSING, "not_found", "stackoverflow.com has no question 42"),
        (SiteMode.RATE_LIMITED, "rate_limited", "again in 83 s, at 08:01 UTC"),
        (SiteMode.SECONDARY, "rate_limited", "it asks to wait 120 s"),
        (SiteMode.MALFORMED, "unparseable", "is no such JSON"),
        (SiteMode.BROKEN, "upstream", "the status 501"),
        (SiteMode.SLOW, "dns", "nobody answers"),
    ],
)
def test_what_is_refused_is_named(mode: SiteMode, code: str, words: str) -> None:
    app = site()
    app.mode = mode
    error = spoken(QUESTION, app).error
    assert error is not None
    assert (error.code, words in error.message) == (code, True), error.message
    if mode is SiteMode.RATE_LIMITED:
        assert error.retry_after_s == THROTTLED_S


def test_answers_of_another_shape_end_in_words() -> None:
    app = site()
    app.mode = SiteMode.STRANGE
    error = spoken(QUESTION, app).error
    assert error is not None
    assert error.code == "unparseable"
    app.mode, app.only = SiteMode.STRANGE, "/comments"
    assert "Comments:" not in spoken(QUESTION, app).text
    odd = changed("questions/42/answers", items=[None, 7, {}, {"body": 3, "owner": []}])
    assert spoken(QUESTION, odd).text.count("## Answer by someone") == 2
