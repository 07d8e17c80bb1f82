"""Pages that need a browser are read when their text is there, and as they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.egress.locate import AddressInvalid
from broker.egress.policy import EgressRefused
from broker.errors import BrokerError, RenderFailed
from tests.browser.readings import Reading, new_reading
from tests.emulators.web_apps import LAST, text
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
async def reading(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Reading]:
    async with new_reading(tmp_path_factory.mktemp("home")) as made:
        await made.render("article")
        yield made


# --- when it is there ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        *("article", "app", "app?ms=600&n=40", "stream", "waterfall", "chunk", "xhr", "slow?s=0.5"),
        *(
            "banner",
            "teaser",
            "spinner",
            "lazy",
            "shadow",
            "frame",
            "deep",
            "moved",
            "interstitial",
        ),
        *("pending", "polling", "ticking", "stuck", "clobbered", "weights"),
    ],
)
async def test_a_page_is_read_to_its_end(reading: Reading, path: str) -> None:
    page = await reading.render(path)
    for paragraph in text(1):
        assert paragraph in page.html
    assert LAST in page.html
    assert page.settled
    assert page.status == 200


async def test_rows_of_a_table_are_text_as_well(reading: Reading) -> None:
    page = await reading.render("table")
    assert "<td>row 199" in page.html


async def test_writing_without_blanks_is_text_as_well(reading: Reading) -> None:
    page = await reading.render("chinese")
    assert "这条河" in page.html


@pytest.mark.parametrize(("path", "has"), [("short", "Hello."), ("empty", "<body>")])
async def test_a_page_with_next_to_nothing_is_told_to_have_settled(
    reading: Reading, path: str, has: str
) -> None:
    page = await reading.render(path)
    assert has in page.html
    assert page.settled


async def test_calls_that_are_not_answered_are_not_waited_for_without_end(
    reading: Reading,
) -> None:
    page = await reading.render("pending")
    assert "calls that the page had made were still unanswered" in page.notes


async def test_a_list_that_shows_only_what_is_in_view_loses_nothing_to_the_scrolling(
    reading: Reading,
) -> None:
    page = await reading.render("window")
    assert text(1)[0] in page.html.partition("<script>")[0]


async def test_a_page_that_leaves_after_it_has_settled_was_read_before(reading: Reading) -> None:
    page = await reading.render("gone")
    assert LAST in page.html
    assert page.final_url.endswith("/gone")


# --- what is handed over -------------------------------------------------------------------------


async def test_what_is_no_text_is_left_out(reading: Reading) -> None:
    page = await reading.render("markup")
    for gone in ("color:red", "secret", "drawn", "base64", "srcset", "unused", "without scripts"):
        assert gone not in page.html
    for kept in ('{"name": "linked"}', 'src="/nothing.js"', 'rel="canonical"'):
        assert kept in page.html


async def test_shadow_trees_and_frames_of_the_page_are_part_of_it(reading: Reading) -> None:
    shadow = (await reading.render("shadow")).html
    assert '<h2><b slot="name">Slotted words</b></h2>' in shadow
    assert "Fallback words" in shadow
    assert shadow.count("Slotted words") == 1
    frame = (await reading.render("frame")).html
    assert frame.index("<h1>Around") < frame.index("<section><p>") < frame.index(LAST)
    assert "hidden frame" not in frame


async def test_the_address_is_that_of_the_document_and_links_are_where_they_lead(
    reading: Reading,
) -> None:
    page = await reading.render("moved")
    assert page.final_url == f"{reading.server.origin}/moved"
    assert f'<base href="{reading.server.origin}/by/route">' in page.html
    page = await reading.render("interstitial")
    assert page.url == f"{reading.server.origin}/interstitial"
    assert page.final_url == f"{reading.server.origin}/slow-article"


async def test_a_fragment_that_names_a_page_leads_to_it(reading: Reading) -> None:
    assert LAST in (await reading.render("route#/chapter/2")).html
    assert "another chapter" in (await reading.render("route#/chapter/1")).html
    page = await reading.render("route#below")
    assert page.final_url == f"{reading.server.origin}/route"


@pytest.mark.parametrize(
    ("path", "status", "has"), [("login", 401, "Log in"), ("missing", 404, "Not found")]
)
async def test_a_page_with_an_error_is_handed_over_with_its_status(
    reading: Reading, path: str, status: int, has: str
) -> None:
    page = await reading.render(path)
    assert (page.status, page.content_type) == (status, "text/html")
    assert has in page.html


async def test_what_has_no_text_is_not_loaded(reading: Reading) -> None:
    await reading.render("weights")
    log = reading.server.log
    for path in ("/film.mp4", "/a.mp3", "/picture.png", "/f.woff2"):
        assert log.count(path) == 0
    assert reading.guard.refusal_of("http://www.google-analytics.com/") is None


async def test_sites_have_nothing_in_common_and_pages_of_one_little(reading: Reading) -> None:
    await reading.settled()
    before = await reading.contexts()
    await reading.render("app")
    await reading.render("app")
    await reading.tidy()
    assert await reading.contexts() == before


# --- when there is none --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("paper.pdf", "download"),
        ("file.bin", "download"),
        ("trap/download-page", "download"),
        ("trap/download-refresh", "download"),
        ("script-to?url=/paper.pdf", "download"),
        ("nothing", "no_content"),
        ("round", "too_many_redirects"),
        ("trap/reloads", "redirect_loop"),
        ("trap/script-redirects", "redirect_loop"),
        ("reset", "unreachable"),
        ("trap/leaves", "unreachable"),
        ("to?url=http://10.0.0.1/", "blocked_ssrf"),
        ("to?url=https://10.0.0.1/", "blocked_ssrf"),
        ("script-to?url=http://10.0.0.1/", "blocked_ssrf"),
        ("script-to?url=https://169.254.169.254/", "blocked_ssrf"),
        ("to?url=http://nobody.example/", "dns"),
    ],
)
async def test_what_is_no_page_has_its_own_code(reading: Reading, path: str, code: str) -> None:
    with pytest.raises(BrokerError) as caught:
        await reading.render(path)
    assert caught.value.code == code


async def test_a_file_is_told_where_it_is(reading: Reading) -> None:
    with pytest.raises(RenderFailed) as caught:
        await reading.render("trap/download-page")
    assert caught.value.location == f"{reading.server.origin}/file.bin?token=1"
    assert "token=1" not in caught.value.message


async def test_what_breaks_off_is_handed_over_as_far_as_it_came(reading: Reading) -> None:
    page = await reading.render("cut")
    assert LAST in page.html
    assert not page.settled
    assert page.notes == ("the page broke off before it was complete",)


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://localhost:1/", "file:///etc/passwd"])
async def test_a_forbidden_address_needs_no_browser(reading: Reading, url: str) -> None:
    uses = reading.pool.status().uses
    with pytest.raises(EgressRefused):
        await reading.render(url)
    assert reading.pool.status().uses == uses


async def test_what_is_no_address_is_told_so(reading: Reading) -> None:
    with pytest.raises(AddressInvalid):
        await reading.render("http://[/")


async def test_a_page_that_is_not_answered_is_given_up_at_the_deadline(reading: Reading) -> None:
    with pytest.raises(RenderFailed) as caught:
        await reading.render("hang", budget_s=1.5)
    assert caught.value.code == "render_timeout"
    assert caught.value.retryable
    await until(lambda: reading.server.log.in_flight("/hang") == 0)
