"""Sites behind their doors, over a web in memory and in virtual time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.broker.reading.doubles import Answer, bench
from tests.emulators.saved_sites import answers_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.virtual_clock

ARTICLE = "https://en.wikipedia.org/wiki/Old_Mill"
ARTICLE_API = "https://en.wikipedia.org/w/rest.php/v1/page/Old_Mill/with_html"
API = "https://api.stackexchange.com/2.3/questions/43"
PARAMETERS = "?site=stackoverflow.com&filter=withbody"
QUESTION = "https://stackoverflow.com/questions/43"


def saved(site: str, path: str, after_s: float = 0.0) -> Answer:
    body = json.dumps(answers_of(site)[path]).encode()
    return Answer(body=body, content_type="application/json", after_s=after_s)


def article(after_s: float = 0.0) -> Answer:
    return saved("wikipedia", "/w/rest.php/v1/page/Old_Mill/with_html", after_s)


async def test_an_article_is_kept_under_its_address(tmp_path: Path) -> None:
    async with bench(tmp_path, {ARTICLE_API: article()}) as b:
        page = await b.one(ARTICLE)
        assert (page.via, page.title, page.lang) == ("api", "Old Mill", "en")
        assert page.final_url == ARTICLE
        assert page.published == "2026-05-04T10:11:12Z"
        assert [section.text for section in page.outline][:2] == ["Old Mill", "History"]
        await b.one(ARTICLE)
        assert b.pages.asked == [(ARTICLE_API, None)]


async def test_a_section_that_is_asked_for_is_told(tmp_path: Path) -> None:
    async with bench(tmp_path, {ARTICLE_API: article()}) as b:
        assert "asked for: section History" in (await b.one(f"{ARTICLE}#History")).text
        assert "asked for" not in (await b.one(ARTICLE)).text


async def test_a_slow_site_leaves_time_for_its_page(tmp_path: Path) -> None:
    web = {ARTICLE_API: article(after_s=60.0), ARTICLE: Answer(after_s=3.0)}
    async with bench(tmp_path, web) as b:
        page = await b.one(ARTICLE, deadline_s=10.0)
        assert (page.error, page.via) == (None, "http")
        assert "Wikimedia gave no answer in time" in page.warnings[0]
        assert b.pages.cancelled == [ARTICLE_API]


async def test_a_site_that_answers_and_asks_for_a_pause_is_left_alone(tmp_path: Path) -> None:
    votes = f"{API}/answers{PARAMETERS}&sort=votes&order=desc&pagesize=100"
    comments = API.replace("questions/43", "posts/43/comments")
    web = {
        f"{API}{PARAMETERS}": saved("stackexchange", "/2.3/questions/43"),
        votes: saved("stackexchange", "/2.3/questions/43/answers"),
        f"{comments}{PARAMETERS}&sort=creation&order=asc&pagesize=100": Answer(body=b"{}"),
        QUESTION: Answer(),
    }
    async with bench(tmp_path, web) as b:
        assert (await b.one(QUESTION)).via == "api"
        again = await b.one(QUESTION, fresh=True)
        assert again.via == "http"
        assert "it asked to be left alone for 10 s more" in again.warnings[0]


async def test_only_the_host_that_refuses_is_left_alone(tmp_path: Path) -> None:
    api, mill = "https://api.github.com/repos/ada/mill", "https://github.com/ada/mill"
    limited = Answer(status=429, body=b"{}", retry_after_s=900.0)
    raw = "https://raw.githubusercontent.com/ada/mill/main/wheel.py"
    web = {
        f"{api}/releases/latest": limited,
        f"{mill}/releases/latest": Answer(),
        f"{mill}/issues/7": Answer(),
        raw: Answer(body=b"turn()", content_type="text/plain"),
    }
    async with bench(tmp_path, web) as b:
        assert (await b.one(f"{mill}/releases/latest")).via == "http"
        assert "left alone for 900 s more" in (await b.one(f"{mill}/issues/7")).warnings[0]
        assert b.pages.count(f"{api}/issues/7") == 0
        assert (await b.one(f"{mill}/blob/main/wheel.py")).via == "api"
