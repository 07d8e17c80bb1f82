"""Sites that are read by their own doors, over a web in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import pytest

import broker.sites
from broker.errors import BrokerError, NotConnected, SiteFailed
from broker.reading.records import Form, Part, Render
from broker.sites.base import Get, Piece, Read, Reply, Site, Text, got, read, together
from tests.broker.reading.doubles import Answer, bench
from tests.emulators.web_reading import article, prose

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from broker.reading.records import Page
    from broker.sites.base import Conversation, Visit
    from tests.broker.reading.doubles import Bench

pytestmark = pytest.mark.virtual_clock

URL = "https://talk.example/item/7"
DOOR = "https://api.talk.example/items/7"
FILE = "https://files.example/7.html"
TITLE = "What herons eat"
FACTS = Answer(
    body=json.dumps({"title": TITLE, "text": "Mostly fish."}).encode(),
    content_type="application/json",
)
ORDINARY = Answer(body=article("The ordinary page", prose(8, 2)).encode())


def asks(visit: Visit) -> Conversation:
    """One request, and its JSON as a document."""
    del visit
    reply = yield from got(Get(url=DOOR, headers=(("Authorization", "Bearer t"),)))
    facts = reply.json()
    if reply.status == 429:
        raise SiteFailed("rate_limited", "no more before noon", retry_after_s=reply.retry_after_s)
    if reply.status == 410:
        raise SiteFailed("gone", "its author has deleted it", conclusive=True)
    return Piece(
        url=URL,
        title=facts["title"],
        markdown=f"# {facts['title']}\n\n{facts['text']}",
        byline="Ada",
        published="2026-11-02",
        lang="en",
        warnings=("its pictures are left out",),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OurSite(Site):
    says: Callable[[Visit], Conversation | None]

    def converse(self, visit: Visit) -> Conversation | None:
        return self.says(visit)


@pytest.fixture
def site(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Callable[[Visit], Conversation | None]], None]:
    def register(says: Callable[[Visit], Conversation | None]) -> None:
        made = OurSite(name="talk", title="Talk", hosts=(".talk.example",), says=says)
        monkeypatch.setattr(broker.sites, "REGISTRY", (made,))

    register(asks)
    return register


def text_of(page: Page) -> str:
    assert page.error is None, page.error
    return page.text


async def failure(made: Bench, source: str, **options: object) -> tuple[str, str]:
    page = await made.one(source, **options)
    assert page.error is not None
    return page.error.code, page.error.message


@pytest.mark.usefixtures("site")
async def test_what_the_site_makes_is_the_document(tmp_path: Path) -> None:
    async with bench(tmp_path, {DOOR: FACTS, URL: ORDINARY}) as made:
        page = await made.one(URL)
        assert text_of(page) == f"# {TITLE}\n\nMostly fish."
        assert (page.via, page.verdict, page.title) == ("api", "content", TITLE)
        assert (page.byline, page.published, page.lang) == ("Ada", "2026-11-02", "en")
        assert page.warnings == ("its pictures are left out",)
        assert page.final_url == URL
        assert made.pages.asked == [(DOOR, None)]
        assert made.pages.headers == {DOOR: {"Authorization": "Bearer t"}}
        assert await made.one(URL) == page
        assert made.pages.count(DOOR) == 1


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("door", "why"),
    [
        (None, "no such host"),
        (Answer(body=b"<html>"), "its answer is not what it should be (TypeError)"),
        (Answer(body=b'{"title": "Bare"}'), "its answer is not what it should be (KeyError)"),
        (Answer(after_s=600.0), "Talk gave no answer in time"),
    ],
    ids=["unreachable", "no JSON", "other JSON", "too slow"],
)
async def test_a_door_that_fails_leaves_the_page(
    tmp_path: Path, door: Answer | None, why: str
) -> None:
    web = {URL: ORDINARY} | ({} if door is None else {DOOR: door})
    async with bench(tmp_path, web) as made:
        page = await made.one(URL)
        assert (page.title, page.via) == ("The ordinary page", "http")
        assert "not read from Talk's own interface" in page.warnings[0]
        assert why in page.warnings[0]


@pytest.mark.usefixtures("site")
async def test_what_both_fail_by_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(tmp_path, {}) as made:

        async def get(*_: object, **__: object) -> NoReturn:
            raise NotConnected("dns", "the name talk.example cannot be resolved", url=URL)

        monkeypatch.setattr(made.pages, "get", get)
        assert await failure(made, URL) == ("dns", "the name talk.example cannot be resolved")


@pytest.mark.usefixtures("site")
async def test_when_the_page_fails_as_well_both_are_told(tmp_path: Path) -> None:
    limited = Answer(status=429, body=b"{}", retry_after_s=900.0)
    async with bench(tmp_path, {DOOR: limited}) as made:
        page = await made.one(URL)
        assert page.error is not None
        assert page.error.code == "dns"
        assert "no such host" in page.error.message
        assert "no more before noon" in page.error.message
        assert (page.error.retryable, page.error.retry_after_ms) == (True, 900_000)


@pytest.mark.usefixtures("site")
async def test_a_site_that_asks_for_peace_gets_it(tmp_path: Path) -> None:
    limited = Answer(status=429, body=b"{}", retry_after_s=900.0)
    async with bench(tmp_path, {DOOR: limited, URL: ORDINARY}) as made:
        first = await made.one(URL)
        assert "no more before noon" in first.warnings[0]
        second = await made.one(URL, fresh=True)
        assert "left alone" in second.warnings[0]
        assert (second.title, made.pages.count(DOOR)) == ("The ordinary page", 1)


@pytest.mark.usefixtures("site")
async def test_a_pause_of_hours_holds_as_one_of_minutes(tmp_path: Path) -> None:
    limited = Answer(status=429, body=b"{}", retry_after_s=80_000.0)
    async with bench(tmp_path, {DOOR: limited, URL: ORDINARY}) as made:
        await made.one(URL)
        assert "left alone" in (await made.one(URL, fresh=True)).warnings[0]
        assert made.pages.count(DOOR) == 1


async def test_an_address_that_a_site_stumbles_over_is_read_as_any(
    tmp_path: Path, site: Callable[[Callable[[Visit], Conversation | None]], None]
) -> None:
    def stumbles(visit: Visit) -> Conversation | None:
        raise ValueError(visit.url)

    site(stumbles)
    async with bench(tmp_path, {URL: ORDINARY}) as made:
        page = await made.one(URL)
        assert page.title == "The ordinary page"
        assert "its address is not what it should be (ValueError)" in page.warnings[0]


@pytest.mark.usefixtures("site")
async def test_what_listens_at_another_port_of_its_host_is_not_the_site(tmp_path: Path) -> None:
    other = URL.replace(".example/", ".example:8443/")
    async with bench(tmp_path, {DOOR: FACTS, other: ORDINARY}) as made:
        assert (await made.one(other)).title == "The ordinary page"
        assert made.pages.count(DOOR) == 0


async def test_a_long_document_of_a_site_begins_at_its_beginning(
    tmp_path: Path, site: Callable[[Callable[[Visit], Conversation | None]], None]
) -> None:
    def says(_visit: Visit) -> Conversation:
        yield from got(Get(url=DOOR))
        answers = "\n\n".join(f"Answer {n} tells of the herons at the weir." for n in range(900))
        return Piece(url=URL, title=TITLE, markdown=f"# {TITLE}\n\nWhat?\n\n## All\n\n{answers}")

    site(says)
    async with bench(tmp_path, {DOOR: FACTS}) as made:
        page = await made.one(URL)
        assert page.text.startswith(f"# {TITLE}\n\nWhat?")
        assert page.next_offset is not None


@pytest.mark.usefixtures("site")
async def test_what_is_gone_is_not_looked_for_elsewhere(tmp_path: Path) -> None:
    async with bench(tmp_path, {DOOR: Answer(status=410, body=b"{}"), URL: ORDINARY}) as made:
        assert await failure(made, URL) == ("gone", "its author has deleted it")
        assert made.pages.count(URL) == 0


async def test_addresses_of_no_kind_it_knows_are_read_as_any(
    tmp_path: Path, site: Callable[[Callable[[Visit], Conversation | None]], None]
) -> None:
    site(lambda _visit: None)
    async with bench(tmp_path, {URL: ORDINARY}) as made:
        page = await made.one(URL)
        assert (page.title, page.warnings) == ("The ordinary page", ())


@pytest.mark.usefixtures("site")
async def test_whoever_wants_the_page_itself_gets_it(tmp_path: Path) -> None:
    async with bench(tmp_path, {DOOR: FACTS, URL: ORDINARY}) as made:
        page = await made.one(URL, part=Part(form=Form.HTML))
        assert "<title>" in page.text
        assert (await failure(made, URL, render=Render.ALWAYS))[1].startswith("there is no browser")
        assert made.pages.count(DOOR) == 0


async def test_several_steps_go_at_once_and_may_fail_one_by_one(
    tmp_path: Path, site: Callable[[Callable[[Visit], Conversation | None]], None]
) -> None:
    def says(_visit: Visit) -> Conversation:
        facts, text, lost = yield from together(
            Get(url=DOOR), Read(url=FILE), Get(url="https://nowhere.example/")
        )
        assert isinstance(facts, Reply)
        assert isinstance(text, Text)
        assert isinstance(lost, BrokerError)
        return Piece(url=URL, title=text.title, markdown=text.markdown, warnings=(lost.code,))

    site(says)
    web = {DOOR: FACTS, FILE: ORDINARY}
    async with bench(tmp_path, web) as made:
        page = await made.one(URL)
        assert (page.title, page.via, page.warnings) == ("The ordinary page", "api", ("dns",))


async def test_a_step_that_fails_may_be_done_without(
    tmp_path: Path, site: Callable[[Callable[[Visit], Conversation | None]], None]
) -> None:
    def says(_visit: Visit) -> Conversation:
        try:
            yield from read(FILE)
        except BrokerError as error:
            return Piece(url=URL, title="Alone", markdown="# Alone", warnings=(error.code,))
        raise AssertionError

    site(says)
    async with bench(tmp_path) as made:
        page = await made.one(URL)
        assert (text_of(page), page.warnings) == ("# Alone", ("dns",))


@pytest.mark.parametrize(
    ("host", "owns"),
    [
        ("talk.example", True),
        ("old.talk.example", True),
        ("TALK.example.", True),
        ("smalltalk.example", False),
        ("talk.example.net", False),
    ],
)
async def test_a_host_that_begins_with_a_dot_has_those_below_it(host: str, *, owns: bool) -> None:
    site = Site(name="talk", title="Talk", hosts=(".talk.example",))
    assert site.has(host) is owns
    assert not Site(name="talk", title="Talk", hosts=("talk.example",)).has("old.talk.example")
