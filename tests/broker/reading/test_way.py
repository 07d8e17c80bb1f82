"""From an address to a page, over a web in memory and in virtual time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.errors import BrowserMissing, NotConnected, RenderFailed, TabLost
from broker.reading.records import Form, Part, Render
from tests.broker.reading.doubles import (
    ARTICLE,
    READER_ORIGIN,
    WAYBACK_ORIGIN,
    Answer,
    FakeRenderer,
    View,
    bench,
)
from tests.emulators.messages import Request
from tests.emulators.web_reading import PAGES, SUBSCRIBERS, TAKEN, article, prose

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.virtual_clock

URL = "https://river.example/a"
READER = f"{READER_ORIGIN}/{URL}"
WAYBACK = f"{WAYBACK_ORIGIN}/web/2id_/{URL}"
XHTML = Answer(body=b'<?xml version="1.0" encoding="utf-8"?>\n' + ARTICLE.encode())
MEMENTO = {"memento-datetime": TAKEN}


def saved(path: str) -> Answer:
    """A page of the emulator."""
    response = PAGES[path](
        Request(method="GET", target=path, path=path, query={}, headers={"host": "h"})
    )
    return Answer(
        body=response.body,
        status=response.status,
        content_type=response.content_type,
        headers={name.lower(): value for name, value in response.headers},
    )


def copy(after_s: float = 0.0) -> Answer:
    """A good copy of the Wayback Machine."""
    page = article("The heron", prose(8, 90) + f"<p>{SUBSCRIBERS}</p>")
    url = WAYBACK.replace("2id_", "20250301120000id_")
    return Answer(body=page.encode(), headers=MEMENTO, after_s=after_s, final_url=url)


def read_by_reader(content: str = "", warning: str = "", after_s: float = 0.0) -> Answer:
    data = {"title": "The heron", "url": URL, "content": content or _reader_markdown()}
    if warning:
        data["warning"] = warning
    body = json.dumps({"code": 200, "status": 20000, "data": data}).encode()
    return Answer(body=body, content_type="application/json", after_s=after_s)


def _reader_markdown() -> str:
    return "\n\n".join(part.removeprefix("<p>") for part in prose(8, 90).split("</p>"))


@pytest.mark.parametrize("status", [200, 503])
async def test_what_broke_off_before_its_text_is_no_empty_page(tmp_path: Path, status: int) -> None:
    half = Answer(body=b"<html><head><title>The", status=status, truncated=True, broken_off=True)
    async with bench(tmp_path, {URL: half}) as b:
        error = (await b.one(URL)).error
        assert error is not None
        code = "cut_off" if status == 200 else "http_503"
        assert (error.code, error.retryable) == (code, True)


async def test_a_page_is_got_judged_and_stored(tmp_path: Path) -> None:
    async with bench(tmp_path, {URL: Answer(notes=("a note of the client",))}) as b:
        page = await b.one(URL)
        assert (page.verdict, page.via, page.final_url) == ("content", "http", URL)
        assert page.error is None
        assert page.title == "The heron"
        assert page.id
        assert page.warnings == ("a note of the client",)
        assert [step.step for step in b.steps] == ["get", "judged", "stored"]


async def test_a_page_is_got_once_in_a_session(tmp_path: Path) -> None:
    async with bench(tmp_path, {URL: Answer()}) as b:
        first, again = await b.one(URL), await b.one(URL)
        assert (first.id, first.text) == (again.id, again.text)
        assert b.pages.count(URL) == 1
        await b.one(URL, fresh=True)
        assert b.pages.count(URL) == 2


async def test_a_stale_page_is_asked_for_with_its_condition(tmp_path: Path) -> None:
    async with bench(tmp_path, {URL: Answer(etag='"v1"')}) as b:
        first = await b.one(URL)
        b.clock.now_s += 3600
        again = await b.one(URL)
        assert again.text == first.text
        assert b.pages.asked == [(URL, None), (URL, '"v1"')]
        await b.one(URL)
        assert len(b.pages.asked) == 2, "it counts as fresh from then on"


async def test_the_same_page_asked_for_twice_at_once_is_got_once(tmp_path: Path) -> None:
    async with bench(tmp_path, {URL: Answer(after_s=0.5)}) as b:
        one, other = await b.fetch(URL, URL)
        assert one.text == other.text
        assert b.pages.count(URL) == 1


async def test_who_leaves_takes_nothing_from_who_waits_for_the_same(tmp_path: Path) -> None:
    async with bench(tmp_path, {URL: Answer(after_s=0.5)}) as b:
        async with anyio.create_task_group() as tasks:

            async def leave() -> None:
                with anyio.move_on_after(0.1):
                    await b.one(URL)

            tasks.start_soon(leave)
            await anyio.sleep(0.05)
            page = await b.one(URL)
        assert page.verdict == "content"
        assert b.pages.count(URL) == 1
        assert b.pages.cancelled == []


async def test_when_nobody_waits_the_page_is_given_up(tmp_path: Path) -> None:
    async with bench(tmp_path, {URL: Answer(after_s=5)}) as b:
        with anyio.move_on_after(0.1):
            await b.one(URL)
        await anyio.sleep(0.01)
        assert b.pages.cancelled == [URL]


async def test_the_deadline_is_kept_and_told(tmp_path: Path) -> None:
    async with bench(tmp_path, {URL: Answer(after_s=60)}) as b:
        started_s = anyio.current_time()
        page = await b.one(URL, deadline_s=2.0)
        assert anyio.current_time() - started_s <= 2.0
        assert page.error is not None
        assert (page.error.code, page.error.retryable) == ("timeout", True)


async def test_six_hosts_are_read_at_once_and_a_dead_one_harms_nobody(tmp_path: Path) -> None:
    urls = [f"https://h{n}.example/" for n in range(6)]
    web = {url: Answer(after_s=0.5) for url in urls}
    web[urls[3]] = Answer(error=NotConnected("refused", "nobody listens", url=urls[3]))
    async with bench(tmp_path, web) as b:
        started_s = anyio.current_time()
        pages = await b.fetch(*urls)
        assert anyio.current_time() - started_s < 0.6
        assert [page.error.code if page.error else "" for page in pages] == [
            "refused" if n == 3 else "" for n in range(6)
        ]
        assert [page.source for page in pages] == urls


# --- walls and archives --------------------------------------------------------------------------


@pytest.mark.parametrize("wall", ["/paywall", "/login", "/challenge", "/401", "/403", "/451"])
async def test_a_wall_sends_to_the_archives_and_the_answer_says_so(
    tmp_path: Path, wall: str
) -> None:
    web = {URL: saved(wall), WAYBACK: copy(), READER: Answer(after_s=60)}
    async with bench(tmp_path, web) as b:
        page = await b.one(URL)
        assert page.error is None
        assert (page.via, page.verdict) == ("wayback", "content")
        assert SUBSCRIBERS in page.text
        assert "Wayback Machine's copy of 2025-03-01" in page.warnings[0]
        assert "old" in page.warnings[0]
        assert page.final_url == URL


async def test_the_archive_is_not_waited_for_longer_because_the_reader_hangs(
    tmp_path: Path,
) -> None:
    web = {URL: saved("/paywall"), READER: Answer(after_s=60), WAYBACK: copy(after_s=0.4)}
    async with bench(tmp_path, web) as b:
        started_s = anyio.current_time()
        page = await b.one(URL)
        assert page.via == "wayback"
        assert anyio.current_time() - started_s <= 0.41
        assert b.pages.cancelled == [READER]


async def test_the_reader_wins_when_it_is_first(tmp_path: Path) -> None:
    web = {URL: saved("/paywall"), READER: read_by_reader(), WAYBACK: copy(after_s=1)}
    async with bench(tmp_path, web) as b:
        page = await b.one(URL)
        assert page.via == "reader"
        assert "reader proxy" in page.warnings[0]


REFUSED = {
    "data": None,
    "code": 429,
    "name": "RateLimitTriggeredError",
    "status": 42903,
    "message": "Rate limit",
    "retryAfter": 30,
}

BAD_READERS = {
    "target 404": read_by_reader("# Gone", "Target URL returned error 404: Not Found"),
    "captcha": read_by_reader("Verify you are human", "This page maybe requiring CAPTCHA"),
    "wall": read_by_reader("# Sign in\n\nPlease sign in to continue.\n\nForgot your password?"),
    "no text": read_by_reader(" "),
    "refused": Answer(
        body=json.dumps(REFUSED).encode(), status=429, content_type="application/json"
    ),
    "page": Answer(body=b"<h1>502</h1>", status=502),
    "dead": Answer(error=NotConnected("refused", "nobody listens", url=READER)),
}

BAD_COPIES = {
    "none": Answer(body=b"<h1>no copy</h1>", status=404),
    "archived 404": Answer(body=b"<h1>404 Not Found</h1>", status=404, headers=MEMENTO),
    "archived wall": Answer(body=saved("/login").body, headers=MEMENTO),
    "redirect": Answer(body=b"<p>Got an HTTP 302 response at crawl time</p>", headers=MEMENTO),
    "excluded": Answer(
        status=403,
        headers={"x-archive-wayback-runtime-error": "AdministrativeAccessControlException: no"},
    ),
    "limited": Answer(body=b"429", status=429),
    "elsewhere": Answer(headers=MEMENTO, final_url="https://elsewhere.example/x"),
}


@pytest.mark.parametrize("bad", BAD_READERS)
async def test_what_the_reader_says_is_judged_like_any_page(tmp_path: Path, bad: str) -> None:
    web = {URL: saved("/paywall"), READER: BAD_READERS[bad], WAYBACK: copy(after_s=1)}
    async with bench(tmp_path, web) as b:
        assert (await b.one(URL)).via == "wayback"


@pytest.mark.parametrize("bad", BAD_COPIES)
async def test_what_the_archive_has_is_judged_like_any_page(tmp_path: Path, bad: str) -> None:
    web = {URL: saved("/paywall"), READER: read_by_reader(after_s=1), WAYBACK: BAD_COPIES[bad]}
    async with bench(tmp_path, web) as b:
        assert (await b.one(URL)).via == "reader"


async def test_when_nobody_has_a_copy_the_wall_is_the_error_and_the_teaser_comes_along(
    tmp_path: Path,
) -> None:
    web = {URL: saved("/paywall"), READER: BAD_READERS["wall"], WAYBACK: BAD_COPIES["none"]}
    async with bench(tmp_path, web) as b:
        page = await b.one(URL)
        assert page.error is not None
        assert (page.error.code, page.error.category, page.error.layer) == (
            "paywall",
            "blocked",
            "site",
        )
        assert "the reader proxy" in page.error.message
        assert "the Wayback Machine: it has no copy" in page.error.message
        assert page.verdict == "paywall"
        assert "one story about the heron" in page.text
        assert await b.documents.by_key(URL) is None


async def test_an_archive_that_refused_is_left_alone(tmp_path: Path) -> None:
    web = {
        URL: saved("/paywall"),
        URL + "2": saved("/paywall"),
        READER: BAD_READERS["refused"],
        WAYBACK: BAD_COPIES["limited"],
    }
    async with bench(tmp_path, web) as b:
        await b.one(URL)
        asked = len(b.pages.asked)
        page = await b.one(URL + "2")
        assert page.error is not None
        assert "left alone for 30 s" in page.error.message
        assert "left alone for 60 s" in page.error.message
        assert len(b.pages.asked) == asked + 1


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://river.example/a?access_token=abcd1234efgh5678", "token"),
        ("https://user:s3cret-pw@river.example/a", "password"),
        ("https://user@river.example/a", "user name"),
        ("https://wiki.internal/a", "private network"),
        ("https://wiki/a", "private network"),
    ],
)
async def test_secrets_and_intranets_are_told_to_nobody(tmp_path: Path, url: str, why: str) -> None:
    async with bench(tmp_path, {url: saved("/login")}) as b:
        page = await b.one(url)
        assert [asked for asked, _ in b.pages.asked] == [url]
        assert page.error is not None
        assert page.error.code == "login_wall"
        assert "was not asked" in page.error.message
        assert why in page.error.message
        assert "s3cret-pw" not in page.error.message


async def test_a_name_that_stands_for_a_private_address_is_told_to_nobody(
    tmp_path: Path,
) -> None:
    from ipaddress import ip_address  # noqa: PLC0415

    async def private(_name: str) -> list[object]:
        return [ip_address("10.1.2.3")]

    async with bench(tmp_path, {URL: saved("/login")}, resolve=private) as b:
        page = await b.one(URL)
        assert len(b.pages.asked) == 1
        assert page.error is not None


async def test_archives_can_be_switched_off(tmp_path: Path) -> None:
    web = {URL: saved("/paywall"), READER: read_by_reader(), WAYBACK: copy()}
    async with bench(tmp_path, web, archives=False) as b:
        page = await b.one(URL)
        assert page.error is not None
        assert "reading.archives" in page.error.message
        assert len(b.pages.asked) == 1


async def test_a_refusal_without_text_goes_to_the_archives_too(tmp_path: Path) -> None:
    web = {URL: Answer(body=b"", status=403), WAYBACK: copy()}
    async with bench(tmp_path, web) as b:
        assert (await b.one(URL)).via == "wayback"


async def test_a_site_that_asks_to_be_left_alone_is_quoted(tmp_path: Path) -> None:
    web = {URL: Answer(body=b"<p>Slow down.</p>", status=503, retry_after_s=90.0)}
    async with bench(tmp_path, web) as b:
        error = (await b.one(URL)).error
        assert error is not None
        assert (error.code, error.phase) == ("http_503", "headers")
        assert (error.retryable, error.retry_after_ms) == (True, 90_000)


@pytest.mark.parametrize(
    ("path", "code", "category", "retryable"),
    [
        ("/404", "not_found", "client", False),
        ("/500", "http_500", "server", True),
        ("/empty", "empty", "server", False),
        ("/paper.pdf", "unsupported", "processing", False),
    ],
)
async def test_what_is_no_page_is_an_error_of_its_own(
    tmp_path: Path, path: str, code: str, category: str, retryable: bool
) -> None:
    async with bench(tmp_path, {URL: saved(path)}) as b:
        error = (await b.one(URL)).error
        assert error is not None
        assert (error.code, error.category, error.retryable) == (code, category, retryable)
        assert len(b.pages.asked) == 1


# --- rendering -----------------------------------------------------------------------------------


async def test_a_shell_is_rendered(tmp_path: Path) -> None:
    renderer = FakeRenderer()
    async with bench(tmp_path, {URL: saved("/shell")}, renderer=renderer) as b:
        page = await b.one(URL)
        assert (page.verdict, page.via) == ("content", "browser")
        assert renderer.urls == [URL]


async def test_a_shell_that_stays_one_is_said_to_be_one(tmp_path: Path) -> None:
    renderer = FakeRenderer(View(html=saved("/shell").body.decode()))
    async with bench(tmp_path, {URL: saved("/shell")}, renderer=renderer) as b:
        page = await b.one(URL)
        assert page.error is not None
        assert page.error.code == page.verdict == "js_shell"
        assert page.via in {"", "browser"}


async def test_what_the_browser_shows_is_judged_again(tmp_path: Path) -> None:
    renderer = FakeRenderer(View(html=saved("/paywall").body.decode()))
    web = {URL: saved("/shell"), WAYBACK: copy()}
    async with bench(tmp_path, web, renderer=renderer) as b:
        assert (await b.one(URL)).via == "wayback"


async def test_without_a_browser_a_shell_goes_to_the_archives(tmp_path: Path) -> None:
    web = {URL: saved("/shell"), READER: read_by_reader()}
    async with bench(tmp_path, web) as b:
        page = await b.one(URL)
        assert page.via == "reader"
        assert "no browser" in page.warnings[0]


@pytest.mark.parametrize(
    "error", [BrowserMissing("no browser: scripts/setup installs one"), TabLost("it crashed")]
)
async def test_a_browser_that_fails_is_told(tmp_path: Path, error: BrowserMissing) -> None:
    renderer = FakeRenderer(error=error)
    async with bench(tmp_path, {URL: saved("/shell")}, renderer=renderer) as b:
        page = await b.one(URL)
        assert page.error is not None
        assert page.error.code == "js_shell"
        assert error.message in page.error.message


async def test_rendering_can_be_forbidden_and_asked_for(tmp_path: Path) -> None:
    renderer = FakeRenderer()
    web = {URL: saved("/shell"), URL + "2": Answer()}
    async with bench(tmp_path, web, renderer=renderer) as b:
        page = await b.one(URL, render=Render.NEVER)
        assert page.error is not None
        assert page.error.code == "js_shell"
        assert renderer.urls == []
        page = await b.one(URL + "2", render=Render.ALWAYS)
        assert page.via == "browser"
        assert b.pages.count(URL + "2") == 0


async def test_a_page_that_was_still_changing_says_so(tmp_path: Path) -> None:
    renderer = FakeRenderer(View(settled=False))
    async with bench(tmp_path, {URL: saved("/shell")}, renderer=renderer) as b:
        assert "still changing" in (await b.one(URL)).warnings[0]


FILE = "https://files.example/report.txt"


@pytest.mark.parametrize("render", [Render.AUTO, Render.ALWAYS])
async def test_a_page_that_leads_the_browser_to_a_file_is_that_file(
    tmp_path: Path, render: Render
) -> None:
    leads = RenderFailed("download", "a file and no page", url="shown", location=FILE)
    renderer = FakeRenderer(error=leads)
    report = Answer(body=b"Herons stand in shallow water.", content_type="text/plain")
    async with bench(tmp_path, {URL: saved("/shell"), FILE: report}, renderer=renderer) as b:
        page = await b.one(URL, render=render)
        assert (page.text, page.final_url) == ("Herons stand in shallow water.", FILE)
        assert b.pages.count(FILE) == 1


async def test_a_file_that_the_browser_was_led_to_and_that_is_gone_is_told(tmp_path: Path) -> None:
    leads = RenderFailed("download", "a file and no page", url="shown", location=FILE)
    web = {URL: saved("/shell"), FILE: Answer(status=404, body=b"")}
    async with bench(tmp_path, web, renderer=FakeRenderer(error=leads)) as b:
        page = await b.one(URL)
        assert page.error is not None
        assert page.error.code == "not_found"


# --- repeats -------------------------------------------------------------------------------------

PORTAL = (
    "<html><head><title>River portal</title></head><body><main><p>Welcome to the portal of the "
    "river office, where members find all notices on water levels, locks and ferries.</p>"
    "<p>The office is open on weekdays from nine to four, and the harbour master can be reached "
    "by the yellow telephone.</p></main></body></html>"
)


async def test_two_addresses_with_the_same_little_text_are_a_soft_error(tmp_path: Path) -> None:
    web = {f"{URL}{n}": Answer(body=PORTAL.encode()) for n in range(3)}
    async with bench(tmp_path, web) as b:
        assert (await b.one(f"{URL}0")).verdict == "content"
        page = await b.one(f"{URL}1")
        assert page.verdict == "error_page"
        assert page.error is not None
        assert "the same text" in page.error.message
        again = await b.one(f"{URL}0")
        assert again.error is None, "the first one was not another's repetition"


async def test_with_a_password_field_it_is_a_login_wall(tmp_path: Path) -> None:
    page_with_form = PORTAL.replace("</main>", "<form><input type='password'></form></main>")
    web = {f"{URL}{n}": Answer(body=page_with_form.encode()) for n in range(2)}
    async with bench(tmp_path, web) as b:
        await b.one(f"{URL}0")
        page = await b.one(f"{URL}1")
        assert page.error is not None
        assert page.error.code == "login_wall"


async def test_a_long_text_at_two_addresses_is_only_remarked(tmp_path: Path) -> None:
    web = {f"{URL}{n}": Answer() for n in range(2)}
    async with bench(tmp_path, web) as b:
        await b.one(f"{URL}0")
        page = await b.one(f"{URL}1")
        assert page.error is None
        assert "the same text" in page.warnings[0]


async def test_two_forms_of_one_address_repeat_nothing(tmp_path: Path) -> None:
    urls = (URL, f"{URL}?utm_source=x", f"{URL}/")
    async with bench(tmp_path, {url: Answer(body=PORTAL.encode()) for url in urls}) as b:
        for url in urls:
            assert (await b.one(url)).error is None


# --- forms ---------------------------------------------------------------------------------------


async def test_the_markup_itself_can_be_had_and_read_on(tmp_path: Path) -> None:
    async with bench(tmp_path, {URL: Answer()}) as b:
        page = await b.one(URL, part=Part(form=Form.HTML))
        assert page.text == ARTICLE.strip()
        assert page.verdict == "content"
        markdown = await b.one(URL)
        assert markdown.text.startswith("# The heron")
        assert markdown.id != page.id


@pytest.mark.parametrize(
    ("path", "start"),
    [
        ("/values", '```json\n{\n  "river": "Lower"'),
        ("/notes.md", "# Notes\n\nSome *words*."),
        ("/notes.txt", "A note.\n\nAnother note"),
        ("/feed", "# River news\n\n## [The ferry rests](https://river.example/1)"),
        ("/plan.xml", "```xml\n<?xml version='1.0'?><plan>"),
        ("/old", "# The heron"),
    ],
)
async def test_what_is_no_web_page_becomes_markdown(tmp_path: Path, path: str, start: str) -> None:
    answer = XHTML if path == "/old" else saved(path)
    async with bench(tmp_path, {URL: answer}) as b:
        page = await b.one(URL)
        assert page.verdict == "content"
        assert page.text.startswith(start)


async def test_what_a_local_file_cannot_be_asked_for_is_told(tmp_path: Path) -> None:
    file = tmp_path / "sheets.md"
    file.write_text("# Sheets\n\nThree are wet.\n", encoding="utf-8")
    async with bench(tmp_path / "home", renderer=FakeRenderer()) as b:
        plain = await b.one(str(file))
        assert plain.warnings == ()
        always = await b.one(str(file), render=Render.ALWAYS)
        assert [each for each in always.warnings if "render is ignored" in each]
        markup = await b.one(str(file), part=Part(form=Form.HTML))
        assert [each for each in markup.warnings if "no markup of its own" in each]
        assert plain.text == always.text == markup.text
