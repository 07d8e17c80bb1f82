"""`pull` and `recall --in` on the command line: params, progress, summaries, exit codes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from broker import cli
from broker.cli_args import parse, pull_params
from broker.errors import RequestInvalid
from broker.pull.records import PullReport, PullRequest, PullStep, Trouble
from broker.wire import oneshot_pull
from broker.wire.schema_pull import PULL_PARAMS, parse_pull
from broker.wire.screen import ExitCode, Screen
from broker.wire.text_pull import bar_text, report_text

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://docs.example/"
STEP = PullStep(pulled=30, fresh=20, known=120, failed=2, url=f"{URL}a\x1b[2J")
GONE = Trouble(url=f"{URL}gone", code="not_found", reason="docs.example has no such page")
REPORT = PullReport(
    url=URL,
    out="/tmp/out",  # noqa: S108 - only shown
    pulled=30,
    added=20,
    aliases=3,
    failed=tuple([GONE] * 12),
    left=5,
    trapped=7,
    stopped="the time was up",
    notes=("only the first 50 sitemaps were read",),
    ms=1234,
)


class FakeBroker:
    """Tells of steps, then answers, or hangs until it is cancelled."""

    def __init__(self, report: PullReport | None, steps: int = 1) -> None:
        self.report = report
        self.steps = steps

    async def pull(
        self, request: PullRequest, *, progress: Callable[[PullStep], None] = lambda _: None
    ) -> PullReport:
        assert request.url == URL
        for number in range(self.steps):
            progress(PullStep(pulled=number, fresh=number, known=99, failed=0, url=URL))
        if self.report is None:
            await anyio.sleep_forever()
        assert self.report is not None
        return self.report


def screen(*, as_json: bool = False, live: bool = False) -> tuple[Screen, io.BytesIO, io.StringIO]:
    out, err = io.BytesIO(), io.StringIO()
    return Screen(out=out, err=err, as_json=as_json, live=live), out, err


REQUEST = PullRequest(url=URL, out=Path("/tmp/out"))  # noqa: S108 - nothing is written


def test_every_param_of_a_pull_has_its_flag() -> None:
    flags = parse(["pull", URL, "--out", "docs", "--max", "30", "--deadline", "2.5", "--json"])
    params = pull_params(flags)
    assert set(params) == set(PULL_PARAMS)
    assert parse_pull(params) == PullRequest(
        url=URL, out=Path("docs").absolute(), max_pages=30, deadline_s=2.5
    )
    assert parse_pull({"url": "docs.example", "out": "~/docs"}) == PullRequest(
        url="https://docs.example", out=Path.home() / "docs"
    )
    assert parse_pull({"url": "127.0.0.1:8000/docs/", "out": "a"}).url == (
        "http://127.0.0.1:8000/docs/"
    )


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"out": "a"}, "url"),
        ({"url": URL}, "out"),
        ({"url": " ", "out": "a"}, "url"),
        ({"url": "a\x07", "out": "a"}, "url"),
        ({"url": "a" * 3000, "out": "a"}, "url"),
        ({"url": URL, "out": ""}, "out"),
        ({"url": URL, "out": "a\0b"}, "out"),
        ({"url": URL, "out": "~nobody-of-that-name/a"}, "out"),
        ({"url": URL, "out": "a", "max": 0}, "max"),
        ({"url": URL, "out": "a", "max": 5001}, "max"),
        ({"url": URL, "out": "a", "deadline_ms": 10}, "deadline_ms"),
        ({"url": URL, "out": "a", "fresh": True}, "fresh"),
    ],
)
def test_wrong_params_name_their_field(params: dict[str, object], field: str) -> None:
    with pytest.raises(RequestInvalid) as caught:
        parse_pull(params)
    assert caught.value.field == field


def test_the_bar_fits_its_line_and_hides_what_a_terminal_would_obey() -> None:
    line = bar_text(STEP, 10.0, 80)
    assert line.startswith("██████" + "░" * 18 + " 30/120 pages, 2 failed, 2.0/s https://")
    assert "\x1b" not in line
    assert len(bar_text(STEP, 0.0, 60)) <= 59


async def test_a_terminal_shows_a_bar_that_is_gone_in_the_end() -> None:
    shown, _, err = screen(live=True)
    code = await oneshot_pull.pull(FakeBroker(REPORT, 3), REQUEST, shown)
    assert code is ExitCode.ANSWERED
    assert err.getvalue().count("░") == 3 * 24
    assert err.getvalue().endswith("\r\x1b[K")


async def test_a_log_has_a_line_now_and_then() -> None:
    shown, _, err = screen()
    await oneshot_pull.pull(FakeBroker(REPORT, 60), REQUEST, shown)
    lines = err.getvalue().splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["25/99", "50/99"]


async def test_the_summary_is_text_or_one_object() -> None:
    shown, out, _ = screen(as_json=True)
    await oneshot_pull.pull(FakeBroker(REPORT), REQUEST, shown)
    said: dict[str, Any] = json.loads(out.getvalue())
    assert (said["pulled"], said["dir"], said["stopped"]) == (30, "/tmp/out", "the time was up")  # noqa: S108
    assert said["failed"][0] == {"url": GONE.url, "code": GONE.code, "reason": GONE.reason}
    text = report_text(REPORT)
    assert text.startswith("30 pages in /tmp/out (20 of them new)\n")
    assert text.count(GONE.url) == 10
    assert "- and 2 more\n" in text
    assert text.endswith("stopped: the time was up; the same command goes on\n")


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (PullReport(url=URL, out="o", pulled=1, failed=(GONE,)), ExitCode.ANSWERED),
        (PullReport(url=URL, out="o"), ExitCode.NOTHING_FOUND),
        (PullReport(url=URL, out="o", failed=(GONE,)), ExitCode.FAILED),
        (PullReport(url=URL, out="o", stopped="the time was up"), ExitCode.FAILED),
        (PullReport(url=URL, out="o", refused=(GONE,)), ExitCode.REFUSED),
        (PullReport(url=URL, out="o", refused=(GONE,), failed=(GONE,)), ExitCode.FAILED),
    ],
)
async def test_exit_codes(report: PullReport, code: ExitCode) -> None:
    assert await oneshot_pull.pull(FakeBroker(report), REQUEST, screen()[0]) is code


async def test_a_pull_that_is_stopped_says_how_to_go_on() -> None:
    shown, out, err = screen()
    with anyio.move_on_after(0) as scope:
        await oneshot_pull.pull(FakeBroker(None, 2), REQUEST, shown)
    assert scope.cancelled_caught
    assert "the same command goes on from there" in err.getvalue()
    assert out.getvalue() == b""


async def test_a_pull_that_is_stopped_before_its_first_page_says_so() -> None:
    shown, _, err = screen()
    with anyio.move_on_after(0) as scope:
        await oneshot_pull.pull(FakeBroker(None), REQUEST, shown)
    assert scope.cancelled_caught
    assert err.getvalue() == "webaio: stopped: no page was pulled yet\n"


def test_one_of_a_kind_is_told_in_the_singular() -> None:
    report = PullReport(url=URL, out="o", pulled=1, added=1, aliases=1, left=1, trapped=1)
    assert report_text(report).splitlines() == [
        "1 page in o (1 of them new)",
        "1 further address leads to the same pages",
        "1 known page was not read: a larger --max goes on with them",
    ]


@pytest.mark.parametrize(
    "given", ["/some/local/path", "./docs", "notes", "file:///docs", "~/docs", "myhost:8080/docs"]
)
def test_a_path_is_no_address_and_nothing_is_made(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], given: str
) -> None:
    assert cli.main(["pull", given, "--out", str(tmp_path / "out")]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("webaio: url")
    assert not (tmp_path / "out").exists()


def test_recall_in_a_folder(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.md").write_text("# Locks\n\n## The seventh\n\nA heron waits here.\x1b[2J\n")
    assert cli.main(["recall", "heron", "--in", str(tmp_path)]) == 0
    shown = capfd.readouterr().out
    assert shown.startswith("[1] Locks\nLocks / The seventh\nfile://")
    assert "file a.md · offset 0 · " in shown
    assert "<<<WEB-TEXT" in shown
    assert "\x1b" not in shown
    assert cli.main(["recall", "heron", "--in", str(tmp_path), "--json"]) == 0
    answer = json.loads(capfd.readouterr().out)
    (found,) = answer["passages"]
    assert (answer["query"], answer["folder"]) == ("heron", str(tmp_path))
    assert (found["id"], found["section"], found["offset"]) == ("a.md", "Locks / The seventh", 0)
    assert cli.main(["recall", "unheard", "--in", str(tmp_path)]) == 1
    assert cli.main(["recall", "heron", "--in", str(tmp_path / "none")]) == 2
