"""A whole site into a folder: every page once, no forbidden request, links that lead somewhere."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING
from urllib.parse import unquote

import anyio
import anyio.to_thread
import pytest
from markdown_it import MarkdownIt

from broker.errors import Refused, RequestInvalid
from broker.pull import folder
from broker.pull.frontier import MAX_STEPS
from broker.pull.links import slugs
from broker.pull.page import MAX_LINKS, split
from broker.reading.way import Way
from tests.broker.pull.worlds import manifest, texts, world
from tests.emulators.docsite import DocSite, sentence
from tests.emulators.messages import Request, Response, html, redirect, truncate
from tests.emulators.web_reading import prose

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from broker.context import RequestContext
    from broker.pull.records import PullReport, PullStep
    from broker.reading.judging import Judged, Material

PAGES = 200


@dataclass(frozen=True, slots=True)
class Pulled:
    """A site of 200 guides that was pulled once."""

    out: Path
    origin: str
    report: PullReport
    steps: list[PullStep]
    asked: list[str]
    """Every target that was asked for."""

    def files(self) -> dict[str, str]:
        return texts(self.out)


@pytest.fixture(scope="module")
def pulled(tmp_path_factory: pytest.TempPathFactory) -> Pulled:
    home = tmp_path_factory.mktemp("pulled")

    async def run() -> Pulled:
        async with world(home, DocSite(pages=PAGES)) as w:
            report = await w.pull()
            return Pulled(w.out, w.server.origin, report, w.steps, w.asked())

    return anyio.run(run)


def test_every_page_is_asked_for_once_and_becomes_a_file(pulled: Pulled) -> None:
    counts = Counter(target.partition("?")[0] for target in pulled.asked)
    guides = DocSite(pages=PAGES).guides()
    forms = ("/docs/part-a/", "/docs/part-a/index.html", "/docs/part-a")
    assert sum(counts[form] for form in forms) == 1  # one page, whichever form was met first
    assert {path: counts[path] for path in guides if path not in forms} == {
        path: 1 for path in guides if path not in forms
    }
    assert max(Counter(pulled.asked).values()) == 1
    bodies = "".join(pulled.files().values())
    assert all(bodies.count(sentence(number)) == 1 for number in range(PAGES))


def test_nothing_that_robots_txt_forbids_is_asked_for(pulled: Pulled) -> None:
    forbidden = [t for t in pulled.asked if t.startswith("/docs/private/") or "secret" in t]
    assert forbidden == ["/docs/private/open"]
    refused = {trouble.url.removeprefix(pulled.origin) for trouble in pulled.report.refused}
    paths = ("/docs/private/plans", "/docs/private/listed", "/docs/notes.secret")
    assert refused == {*paths, "/docs/to-private"}
    assert {trouble.code for trouble in pulled.report.refused} == {"robots"}


def test_what_is_no_page_of_the_site_is_told_and_left(pulled: Pulled) -> None:
    told = pulled.report.skipped + pulled.report.failed
    assert {trouble.url.removeprefix(pulled.origin): trouble.code for trouble in told} == {
        "/docs/away": "elsewhere",
        "/docs/data": "unsupported",
        "/docs/gone": "not_found",
        "/docs/shell": "js_shell",
    }
    assert not [t for t in pulled.asked if t.startswith("/elsewhere") or t.endswith((".pdf", "g"))]


def test_pages_that_say_the_same_are_one_file(pulled: Pulled) -> None:
    files = pulled.files()
    assert sum("The open plans" in text for text in files.values()) == 1
    assert sum(text.count("# The printed plans") for text in files.values()) == 1
    assert pulled.report.pulled == len(files)
    assert pulled.report.aliases >= 2


def test_a_calendar_without_end_ends(pulled: Pulled) -> None:
    months = [target for target in pulled.asked if target.startswith("/docs/calendar/")]
    assert 1 < len(months) <= MAX_STEPS + 2
    assert pulled.report.trapped > 0


def test_links_between_pulled_pages_lead_from_file_to_file(pulled: Pulled) -> None:
    files = pulled.files()
    local = 0
    for name, text in files.items():
        for target in _targets(text):
            path, _, fragment = unquote(target).partition("#")
            if target.startswith(("http:", "https:")):
                assert not _is_pulled(pulled, target), (name, target)
                continue
            to_file = normpath(join(dirname(name), path)) if path else name
            assert to_file in files, (name, target)
            assert not fragment or fragment in _anchors(files[to_file]), (name, target)
            local += bool(fragment)
    assert local > PAGES


def test_code_is_left_as_it_was(pulled: Pulled) -> None:
    text = pulled.files()["part-b/guide-2.md"]
    code = f"open('{pulled.origin}/docs/part-b/guide-3.html')  # [a](guide-1.html)"
    assert code in text


def test_a_file_begins_with_what_is_known_of_its_page(pulled: Pulled) -> None:
    facts, start = split((pulled.out / "part-c/guide-4.md").read_text())
    assert facts["title"] == "Guide 24"
    assert facts["url"] == f"{pulled.origin}/docs/part-c/guide-4.html"
    assert facts["fetched"].endswith("Z")
    assert (pulled.out / "part-c/guide-4.md").read_text()[start:].startswith("# Guide 24\n")


def test_progress_counts_up_to_what_is_known(pulled: Pulled) -> None:
    assert pulled.steps[-1].pulled == pulled.steps[-1].known == pulled.report.pulled
    assert pulled.steps[-1].failed == 2
    assert all(step.fresh <= step.pulled <= step.known for step in pulled.steps)


def test_a_sentence_is_found_in_its_file_with_section_and_offset(pulled: Pulled) -> None:
    site = DocSite(pages=PAGES)
    first = 0
    for number in range(0, PAGES, 7):
        found = folder.search(pulled.out, sentence(number), 3)[0]
        text = (pulled.out / found.document_id).read_text()
        assert text[found.offset :].startswith(found.text)
        first += (
            sentence(number) in found.text
            and found.url.removesuffix("index.html") == pulled.origin + site.path(number)
            and found.section == f"Guide {number} / Usage"
        )
    assert first == len(range(0, PAGES, 7))


# --- smaller sites -------------------------------------------------------------------------------


async def test_a_pull_goes_no_further_than_its_most_and_on_from_there(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        first = await w.pull(max_pages=4)
        assert (first.pulled, first.added, len(w.files())) == (4, 4, 4)
        assert first.left > 0
        then = await w.pull(max_pages=9)
        assert (then.pulled, then.added, len(w.files())) == (9, 5, 9)
        counts = Counter(target for target in w.asked() if target != "/robots.txt")
        assert max(counts.values()) == 1


async def test_a_pull_that_is_done_asks_for_the_rules_alone(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.pull()
        before = w.files()
        w.server.log.clear()
        report = await w.pull()
        # A page that scripts fill may be had the next time, when there is a browser.
        assert w.asked() == ["/robots.txt", "/docs/shell"]
        assert (report.added, w.files()) == (0, before)
        assert {trouble.code for trouble in report.refused} == {"robots"}


async def test_links_to_pages_of_a_later_run_are_mended(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.pull(max_pages=2)
        assert f"]({w.server.origin}/docs/part-a/guide-1.html" in w.files()["index.md"]
        await w.pull()
        assert "](part-a/guide-1.md" in w.files()["index.md"]


async def test_a_page_whose_file_was_lost_is_read_again(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.pull()
        (w.out / "part-a" / "guide-3.md").unlink()
        report = await w.pull()
        assert (report.added, w.sent("/docs/part-a/guide-3.html")) == (1, 2)


@pytest.mark.parametrize(("status", "rules"), [(404, ""), (200, ""), (403, "Disallow: /")])
async def test_a_site_without_rules_is_read(tmp_path: Path, status: int, rules: str) -> None:
    async with world(tmp_path) as w:
        w.site.robots_status, w.site.robots = status, rules
        report = await w.pull(max_pages=3)
        assert (report.pulled, report.refused) == (3, ())


@pytest.mark.parametrize("status", [500, 429])
async def test_a_site_that_cannot_say_its_rules_is_left_alone(tmp_path: Path, status: int) -> None:
    async with world(tmp_path) as w:
        w.site.robots_status = status
        report = await w.pull()
        assert set(w.asked()) == {"/robots.txt"}
        assert f"robots.txt answers with the status {status}" in report.stopped
        w.site.robots_status = 200
        assert (await w.pull(max_pages=3)).pulled == 3


async def test_a_site_that_cannot_say_its_rules_any_more_loses_nothing(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.pull(max_pages=3)
        w.site.robots_status = 503
        report = await w.pull()
        assert (report.pulled, report.failed) == (3, ())
        w.site.robots_status = 200
        assert (await w.pull()).pulled > 15


async def test_pages_below_a_beginning_that_is_forbidden_are_read(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.site.robots = "User-agent: *\nDisallow: /docs/$\nSitemap: {origin}/sitemaps/index.xml\n"
        report = await w.pull()
        assert (report.pulled > 10, w.server.log.count("/docs/")) == (True, 0)
        w.server.log.clear()
        assert (await w.pull()).added == 0
        assert w.asked() == ["/robots.txt"]


async def test_pages_are_as_far_apart_as_the_site_asks(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.site.robots = "User-agent: *\nCrawl-delay: 0.2\nDisallow: /nothing\n"
        await w.pull(max_pages=4)
        pages = [visit for visit in w.server.log.visits if visit.path in w.site.guides()]
        gaps = [after.arrived_s - before.arrived_s for before, after in pairwise(pages)]
        assert min(gaps) > 0.15


async def test_lists_that_could_not_be_had_are_asked_for_again(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.site.broken.add("/sitemaps/index.xml")
        report = await w.pull(max_pages=2)
        assert "/sitemaps/index.xml was not read" in report.notes[0]
        w.site.broken.clear()
        await w.pull(max_pages=2)
        assert w.server.log.count("/sitemaps/two.xml.gz") == 1


async def test_the_beginning_may_be_at_another_host(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        report = await w.pull("/handbook", max_pages=5)
        assert report.pulled == 5
        facts, _ = split(w.files()["index.md"])
        assert facts["url"] == f"http://localhost:{w.server.port}/docs/"
        assert w.server.log.count("/robots.txt") == 2
        w.server.log.clear()
        again = await w.pull("/handbook", max_pages=6)
        assert (again.added, w.server.log.count("/handbook"), len(w.asked())) == (1, 0, 2)


async def test_rules_are_asked_for_before_a_page_of_another_host(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.site.robots = "User-agent: webaio\nDisallow: /docs\n"
        report = await w.pull("/handbook")
        assert w.asked()[:3] == ["/robots.txt", "/handbook", "/robots.txt"]
        assert (report.pulled, w.server.log.count("/docs/")) == (0, 0)


HALF = "/docs/part-a/guide-3.html"


async def test_half_a_page_is_asked_for_again_at_the_end_and_by_the_next_run(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as w:
        w.site.halved.add(HALF)
        report = await w.pull()
        failed = [each.url for each in report.failed if each.code == "cut_off"]
        assert failed == [w.server.origin + HALF]
        assert "part-a/guide-3.md" not in w.files()
        assert w.server.log.count(HALF) == 4  # each time the client tries again at once
        w.site.halved.clear()
        again = await w.pull()
        assert (again.added, len(again.failed)) == (1, len(report.failed) - 1)
        assert sentence(3) in w.files()["part-a/guide-3.md"]


async def test_half_a_page_that_is_whole_at_the_end_of_the_run_is_pulled(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.site.halved = {"/docs/"}

        def heal(step: PullStep) -> None:
            if step.failed:
                w.site.halved.clear()

        report = await w.pull(heard=heal)
        assert (w.server.log.count("/docs/"), "index.md" in w.files()) == (3, True)
        assert not [each for each in report.failed if each.code == "cut_off"]
        assert report.pulled == len(w.files()) > 15  # what only this page leads to as well
        assert w.steps[-1].failed == len(report.failed)


async def test_half_a_page_behind_a_redirect_is_not_lost(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.site.halved = {"/docs/part-a/"}
        await w.pull()
        w.site.halved.clear()
        again = await w.pull()
        assert (again.added, [each for each in again.failed if each.code == "cut_off"]) == (1, [])
        assert sentence(0) in w.files()["part-a/index.md"]


async def test_half_a_page_behind_a_redirect_is_whole_at_the_end_of_the_run(
    tmp_path: Path,
) -> None:
    asked: Counter[str] = Counter()

    def app(request: Request) -> Response:
        asked[request.path] += 1
        page = html(f"<title>One</title><h1>One</h1>{prose(4, len(request.path))}")
        match request.path:
            case "/docs/":
                return html(f"<h1>All</h1>{prose(4, 1)}<a href='/docs/old'>One</a>")
            case "/docs/old":
                return redirect("/docs/one")
            case "/docs/one":
                return replace(page, fault=truncate(300)) if asked["/docs/one"] < 3 else page
        return html("", 404)

    async with world(tmp_path, app) as w:
        report = await w.pull()
        assert (report.pulled, report.aliases, report.failed) == (2, 1, ())
        assert (asked["/docs/old"], asked["/docs/one"]) == (1, 3)


async def test_half_of_what_a_site_says_of_itself_is_not_taken_for_all(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.site.halved = {"/sitemaps/one.xml"}
        await w.pull(max_pages=2)
        w.site.halved = {"/robots.txt"}
        w.server.log.clear()
        report = await w.pull()
        assert "robots.txt cannot be had (it ends early), so nothing is read" in report.stopped
        assert set(w.asked()) == {"/robots.txt"}
        w.site.halved.clear()
        await w.pull(max_pages=2)
        assert w.sent("/sitemaps/one.xml") == 1


async def test_robots_txt_that_leads_where_nobody_may_go_is_told(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.site.astray["/robots.txt"] = "http://10.0.0.1/robots.txt"
        report = await w.pull()
        assert "robots.txt cannot be had (it leads to http://10.0.0.1/robots.txt" in report.stopped
        assert set(w.asked()) == {"/robots.txt"}


async def test_a_list_that_leads_where_nobody_may_go_costs_itself(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.site.astray["/docs/llms.txt"] = "http://10.0.0.1/llms.txt"
        report = await w.pull(max_pages=3)
        assert (report.pulled, len(report.notes)) == (3, 1)
        assert "/docs/llms.txt was not read: 10.0.0.1 is not read from" in report.notes[0]


async def test_lines_of_the_record_that_are_damaged_cost_their_pages_another_look(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as w:
        await w.pull()
        before, record = w.files(), w.out / ".webaio" / "manifest.ndjson"
        url = f'"url":"{w.server.origin}{HALF}"'
        assert record.read_text().count(url) == 1
        record.write_text(record.read_text().replace(url, '"url":6'))
        report = await w.pull()
        assert "that no pull writes were left out (1)" in report.notes[0]
        assert (w.sent(HALF), w.files().keys()) == (2, before.keys())


async def test_a_page_of_very_many_links_is_pulled_and_some_are_followed(tmp_path: Path) -> None:
    links = "".join(f"<a href='/docs/x{number}y'>{number}</a> " for number in range(MAX_LINKS + 9))
    first = html(f"<title>All</title><h1>All</h1><p>{prose(4, 1)}</p><p>{links}</p>")

    def app(request: Request) -> Response:
        return first if request.path == "/docs/" else html("", 404)

    async with world(tmp_path, app) as w:
        report = await w.pull(max_pages=1)
        assert (report.pulled, report.left) == (1, MAX_LINKS)
        assert f"9 links of {w.server.origin}/docs/ were not followed" in report.notes[0]


async def test_a_page_that_came_in_time_may_take_longer_to_be_taken_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_s: list[float] = []
    whole = Way.judged

    async def judged(way: Way, ctx: RequestContext, material: Material) -> Judged:
        left_s.append(ctx.deadline.remaining_s())
        return await whole(way, ctx, material)

    monkeypatch.setattr(Way, "judged", judged)
    async with world(tmp_path) as w:
        await w.pull(max_pages=1)
    assert min(left_s) > 60  # where the page itself has five


async def test_chapters_that_lead_to_one_another_are_no_trap(tmp_path: Path) -> None:
    def app(request: Request) -> Response:
        name = request.path.removeprefix("/docs/")
        number = int(name[1:] or -1) if name[:1] in {"", "p"} else 150
        if number >= 150:
            return html("", 404)
        # Seventy-five as a tree, the others one behind the other.
        following = (2 * number + 1, 2 * number + 2) if 0 <= number < 37 else (number + 1,)
        links = [f"/docs/p{n}" for n in following if 0 < n < 150]
        items = "".join(f"<a href='{link}'>{link}</a>" for link in links or ["/docs/p0"])
        return html(f"<title>{number}</title><h1>{number}</h1><p>{sentence(number)}</p>{items}")

    async with world(tmp_path, app) as w:
        report = await w.pull()
        assert (report.pulled, report.trapped) == (151, 0)


async def test_what_was_left_out_is_named_with_the_reason(tmp_path: Path) -> None:
    async with world(tmp_path, DocSite(pages=15)) as w:
        notes = (await w.pull()).notes
        last = f"{w.server.origin}/docs/calendar/{MAX_STEPS + 3}"
        why = "since what leads there only counts on and says nothing new"
        assert f"{last} was left out, {why}" in notes


async def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.out.mkdir()
        (w.out / "mine.txt").write_text("mine")
        with pytest.raises(RequestInvalid, match="holds files that no pull has written"):
            await w.pull()
        assert [file.name for file in w.out.iterdir()] == ["mine.txt"]


async def test_a_folder_belongs_to_one_address(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.pull(max_pages=1)
        with pytest.raises(RequestInvalid, match=r"holds a pull of .*/docs/, not of .*/elsewhere/"):
            await w.pull("/elsewhere/")


async def test_a_link_in_the_folder_leads_nothing_out_of_it(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.pull(max_pages=1)
        outside = tmp_path / "outside"
        outside.mkdir()
        (w.out / "part-a").symlink_to(outside)
        report = await w.pull()
        assert list(outside.iterdir()) == []
        codes = {t.url.removeprefix(w.server.origin): t.code for t in report.failed}
        assert codes["/docs/part-a/guide-1.html"] == "unwritable"
        assert report.pulled > 3


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://10.0.0.1/docs/", Refused),
        ("ftp://docs.example/", Refused),
        ("docs.example", RequestInvalid),
        ("http://user:secret@127.0.0.1/docs/", RequestInvalid),
    ],
)
async def test_an_address_that_may_not_be_pulled_makes_no_folder(
    tmp_path: Path, url: str, error: type[Exception]
) -> None:
    async with world(tmp_path) as w:
        with pytest.raises(error) as caught:
            await w.pull(url=url)
        assert not w.out.exists()
        assert "secret" not in str(caught.value)


async def test_the_time_of_a_pull_ends_it_and_no_page(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.site.gated = {path: anyio.Event() for path in w.site.guides()}
        report = await w.pull(deadline_s=1.0)
        assert (report.stopped, report.pulled > 0, report.failed) == ("the time was up", True, ())
        w.site.gated = {}
        assert (await w.pull()).failed[0].code in {"not_found", "js_shell"}
        assert all(w.sent(path) == 1 for path in w.site.guides() if path != "/docs/part-a/")


async def test_a_site_that_breaks_down_is_asked_no_more(tmp_path: Path) -> None:
    links = "".join(f"<a href='/page-{'x' * n}'>Page</a>" for n in range(1, 60))

    def app(request: Request) -> Response:
        if request.path == "/":
            return html(f"<h1>Start</h1>{prose(5, 3)}<p>{links}</p>")
        if not request.path.startswith("/page"):
            return html("no", 404)
        return html("<h1>Not now</h1>", 503, ("Retry-After", "3600"))

    async with world(tmp_path, app) as w:
        report = await w.pull("/")
        assert "20 times in a row" in report.stopped
        assert report.pulled == 1
        assert len({t for t in w.asked() if t.startswith("/page")}) < 30


async def test_names_from_hostile_addresses_stay_in_the_folder(tmp_path: Path) -> None:
    paths = [
        "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fescape", "/CON", "/con.html", "/a/NUL/b",
        "/Guide", "/guide", "/GUIDE", "/" + "long" * 100, "/deep/" + "/".join("abcdefghijklmno"),
        "/%E6%96%87%E6%9B%B8/%E7%AC%AC%E4%B8%80", "/caf%C3%A9", "/cafe%CC%81", "/a%00b", "/a%0Ab",
        "/.webaio/manifest.ndjson.html", "/x.md/y", "/x", "/trailing.", "/-rf",
        "/q?a=../../b&c=d/e", "/%5C%5Cserver%5Cshare", "/c:%5Cwindows", "/~root", "/$(reboot)",
    ]  # fmt: skip
    links = "".join(f"<li><a href='{path}'>one of many</a></li>" for path in paths)

    def app(request: Request) -> Response:
        if request.path in {"/robots.txt", "/llms.txt", "/sitemap.xml"}:
            return html("no", 404)
        number = sum(map(ord, request.target)) * 7 + len(request.target)
        body = f"<ul>{links}</ul>" if request.path == "/" else ""
        return html(f"<h1>Page {number}</h1>{prose(5, number)}{body}")

    async with world(tmp_path, app) as w:
        report = await w.pull("/")
        files = w.files()
        assert report.failed == ()
        assert report.pulled + report.aliases == len(manifest(w.out)) - 3
        assert report.pulled == len(files) == len({name.casefold() for name in files})
        assert await anyio.to_thread.run_sync(os.listdir, tmp_path) == ["out"]
        assert max(len(name.encode()) for name in files) <= 200
        for name in files:
            assert all(part.isprintable() and part[0] not in ".-~" for part in name.split("/"))


async def test_redirects_in_a_circle_and_out_of_it_cost_one_page(tmp_path: Path) -> None:
    def app(request: Request) -> Response:
        match request.path:
            case "/":
                return html(f"<h1>Start</h1>{prose(5, 3)}<a href='/a'>A</a><a href='/b'>B</a>")
            case "/a":
                return redirect("/b")
            case "/b":
                return redirect("/c")
            case "/c":
                return html(f"<h1>The end</h1>{prose(5, 4)}")
        return html("no", 404)

    async with world(tmp_path, app) as w:
        report = await w.pull("/")
        assert (report.pulled, report.failed) == (2, ())
        assert w.server.log.count("/c") == 1
        assert w.files()["index.md"].count("](c.md)") == 2


def _targets(text: str) -> Iterator[str]:
    _, start = split(text)
    for token in MarkdownIt().parse(text[start:]):
        for inline in token.children or ():
            if inline.type == "link_open":
                yield str(inline.attrs["href"])


def _anchors(text: str) -> tuple[str, ...]:
    _, start = split(text)
    tokens = MarkdownIt().parse(text[start:])
    headings = [after for token, after in pairwise(tokens) if token.type == "heading_open"]
    return slugs("".join(c.content for c in heading.children or ()) for heading in headings)


def _is_pulled(pulled: Pulled, target: str) -> bool:
    """Whether an address that stands in a file is one of the guides."""
    path = target.removeprefix(pulled.origin).partition("#")[0].partition("?")[0]
    return path in DocSite(pages=PAGES).guides()
