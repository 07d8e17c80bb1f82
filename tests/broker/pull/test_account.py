"""What a pull says of itself: every known page is counted once, and nothing is left of nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from broker.errors import BrokerError, RequestInvalid
from broker.pull.scope import Scope
from broker.wire.text_pull import report_text
from tests.broker.pull.worlds import World, manifest, world
from tests.emulators.messages import html, redirect
from tests.emulators.web_reading import article, prose

if TYPE_CHECKING:
    from pathlib import Path

    from broker.pull.records import PullReport
    from tests.emulators.messages import Request, Response


def known(w: World) -> set[str]:
    """The keys of every page that the record tells of."""
    scope = Scope.of(f"{w.server.origin}/docs/")
    urls: list[str] = []
    for line in manifest(w.out):
        urls += [line[name] for name in ("url", "begin") if name in line]
        urls += [*line.get("found", ()), *line.get("listed", ())]
    return {place.key for url in urls if (place := scope.place(url)) is not None}


def counted(report: PullReport) -> int:
    told = len(report.skipped) + len(report.refused) + len(report.failed)
    return report.pulled + report.aliases + told + report.left


async def test_a_pull_to_its_end_has_nothing_left(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        report = await w.pull()
        assert (report.left, report.stopped) == (0, "")
        assert counted(report) == len(known(w))


async def test_the_same_most_again_adds_nothing_and_says_what_would(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        first = await w.pull(max_pages=5)
        report = await w.pull(max_pages=5)
        assert (first.added, report.added, report.pulled) == (5, 0, 5)
        assert report.left == first.left > 10
        assert counted(first) == counted(report) == len(known(w))
        line = f"{report.left} known pages were not read: a larger --max goes on with them\n"
        assert line in report_text(report)


async def test_pages_under_way_when_the_time_is_up_are_left(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        inner = [path for path in w.site.guides() if path != "/docs/part-a/"]
        w.site.gated = {path: anyio.Event() for path in inner}
        report = await w.pull(deadline_s=2.0)
        assert report.stopped == "the time was up"
        assert report.left >= len(inner)
        assert counted(report) == len(known(w))
        assert f"{report.left} known pages were not read\n" in report_text(report)
        assert "the same command goes on" in report_text(report)


async def test_what_is_known_is_left_where_the_rules_cannot_be_had(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        before = await w.pull(max_pages=5)
        w.site.robots_status = 503
        report = await w.pull()
        assert (report.left, report.refused) == (before.left, before.refused)
        assert counted(report) == len(known(w))


def only_a_redirect(request: Request) -> Response:
    """A front page that leads to one address, which leads to another, which is no page."""
    if request.path == "/docs/":
        return html(article("The handbook", f"{prose(4)}<a href='/docs/moved'>More</a>"))
    if request.path == "/docs/moved":
        return redirect("/docs/gone")
    return html(article("Not found", "<p>There is no such page.</p>"), 404)


async def test_all_addresses_of_a_way_that_led_nowhere_are_told(tmp_path: Path) -> None:
    async with world(tmp_path, only_a_redirect) as w:
        report = await w.pull()
        failed = {trouble.url.removeprefix(w.server.origin) for trouble in report.failed}
        assert failed == {"/docs/moved", "/docs/gone"}
        assert (report.pulled, report.aliases, report.left) == (1, 0, 0)


# --- nothing at all ------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [500, 404])
async def test_a_pull_without_a_page_leaves_no_folder(tmp_path: Path, status: int) -> None:
    async with world(tmp_path) as w:
        w.site.robots_status = status
        w.out = tmp_path / "new" / "folders" / "out"
        report = await w.pull("/gone")
        assert report.pulled == 0
        assert not (tmp_path / "new").exists()
        assert f"no page was pulled, and there is none in {w.out}" in report_text(report)


async def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.out.mkdir()
        await w.pull("/gone")
        assert list(w.out.iterdir()) == []


async def test_a_pull_that_is_refused_or_wrong_leaves_no_folder(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        with pytest.raises(RequestInvalid, match="is a file and no page"):
            await w.pull("/docs/manual.pdf")
        with pytest.raises(BrokerError):
            await w.pull(url="http://169.254.169.254/latest/")
        assert not w.out.exists()


async def test_a_folder_with_pages_is_kept_whatever_comes_of_a_later_run(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.pull(max_pages=2)
        for file in w.out.rglob("*.md"):
            file.unlink()
        w.site.robots_status = 500
        report = await w.pull()
        assert (report.pulled, (w.out / ".webaio" / "manifest.ndjson").exists()) == (0, True)
