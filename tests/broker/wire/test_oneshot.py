"""The one-shot commands: what they print where, and how they end."""

from __future__ import annotations

import json
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.errors import BrowserMissing, Refused, RequestInvalid, SettingsInvalid
from broker.models import LaneReport, LaneStatus, Serp, SerpState
from broker.wire import oneshot, saved
from broker.wire.schema import parse_search
from broker.wire.screen import ExitCode, Screen
from extract.page import extract
from extract.verdict import Verdict, VerdictKind
from tests.broker.wire.doubles import FakeService, make_answer, make_hit

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.models import Answer, Progress, SearchRequest


HIDING_PAGE = (
    b"<html lang=en><h1>Walls</h1><p>A <a href=w>wall</a> stands here."
    b"<span hidden>Hidden words</span></html>"
)


class Paper:
    """A screen that keeps what it is shown."""

    def __init__(
        self, *, as_json: bool = False, live: bool = False, encoding: str = "utf-8"
    ) -> None:
        self._out = BytesIO()
        self._err = StringIO()
        self.screen = Screen(
            out=self._out, err=self._err, as_json=as_json, live=live, encoding=encoding
        )

    @property
    def out(self) -> str:
        return self._out.getvalue().decode()

    @property
    def err(self) -> str:
        return self._err.getvalue()


class Scripted(FakeService):
    """Answers every search with the same answers."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__()
        self._answers = answers

    async def search(
        self,
        request: SearchRequest,  # noqa: ARG002 - the protocol's
        *,
        progress: Callable[[Progress], None] = lambda _: None,  # noqa: ARG002 - the protocol's
    ) -> tuple[Answer, ...]:
        return self._answers


def lane(status: LaneStatus) -> LaneReport:
    return LaneReport(provider="google", status=status, ms=1)


async def test_a_search_prints_readable_text() -> None:
    paper = Paper()

    code = await oneshot.search(FakeService(), parse_search({"query": "cats"}), paper.screen)

    assert code is ExitCode.ANSWERED
    assert paper.out.startswith(" 1. A title\n    https://example.com/\n")
    assert paper.err == ""


async def test_json_is_the_same_object_as_on_the_wire_on_one_line() -> None:
    paper = Paper(as_json=True)

    await oneshot.search(FakeService(), parse_search({"query": "cats"}), paper.screen)

    assert paper.out.count("\n") == 1
    assert json.loads(paper.out)["answers"][0]["query"] == "cats"


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([make_answer("a", make_hit())], ExitCode.ANSWERED),
        (
            [make_answer("a", lanes=(lane(LaneStatus.FAILED),)), make_answer("b", make_hit())],
            ExitCode.ANSWERED,
        ),
        ([make_answer("a", lanes=(lane(LaneStatus.EMPTY),))], ExitCode.NOTHING_FOUND),
        (
            [make_answer("a", lanes=(lane(LaneStatus.FAILED), lane(LaneStatus.EMPTY)))],
            ExitCode.NOTHING_FOUND,
        ),
        ([make_answer("a", lanes=(lane(LaneStatus.FAILED),))], ExitCode.FAILED),
        ([make_answer("a", lanes=(lane(LaneStatus.COOLING),))], ExitCode.FAILED),
        ([make_answer("a", lanes=(lane(LaneStatus.SKIPPED),))], ExitCode.FAILED),
    ],
    ids=["hits", "hits in one", "empty", "failed and empty", "failed", "cooling", "skipped"],
)
async def test_the_exit_code_tells_how_a_search_went(answers: list[Answer], code: ExitCode) -> None:
    request = parse_search({"query": "cats"})

    assert await oneshot.search(Scripted(*answers), request, Paper().screen) is code


async def test_a_refused_search_prints_nothing() -> None:
    paper = Paper(live=True)

    with pytest.raises(Refused):
        await oneshot.search(FakeService(), parse_search({"query": "refuse"}), paper.screen)

    assert paper.out == ""
    assert paper.err.endswith("hits\r\x1b[K")


async def test_progress_is_shown_on_a_terminal_and_erased() -> None:
    paper = Paper(live=True)

    await oneshot.search(FakeService(), parse_search({"query": "cats"}), paper.screen)

    assert paper.err == "\r\x1b[Kgoogle: page 1: 10 hits\r\x1b[K"


async def test_progress_is_erased_when_a_search_is_interrupted() -> None:
    paper = Paper(live=True)
    service = FakeService()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            request = parse_search({"query": "hang"})
            tasks.start_soon(oneshot.search, service, request, paper.screen)
            await service.until_started("hang")
            tasks.cancel_scope.cancel()

    assert paper.err.endswith("hits\r\x1b[K")
    assert paper.out == ""


async def test_status_prints_text_or_json() -> None:
    readable, machine = Paper(), Paper(as_json=True)

    assert await oneshot.status(FakeService(), readable.screen) is ExitCode.ANSWERED
    await oneshot.status(FakeService(), machine.screen)

    assert readable.out.startswith("webaio    0.1.0\n")
    assert json.loads(machine.out)["version"] == "0.1.0"


def test_saved_pages_are_one_json_object_a_line() -> None:
    paper = Paper(as_json=True)
    pages = {"a.html": b"results", "b.html": b"\xff"}
    seen: list[bytes] = []

    def parse(page: bytes) -> Serp:
        seen.append(page)
        return Serp(state=SerpState.RESULTS, hits=(make_hit(),), next_url="https://next.example/")

    code = saved.serp(parse, pages, paper.screen, read=pages.__getitem__)

    assert code is ExitCode.ANSWERED
    assert seen == [b"results", b"\xff"]
    lines = [json.loads(line) for line in paper.out.splitlines()]
    assert [line["file"] for line in lines] == ["a.html", "b.html"]
    assert lines[0]["hits"][0]["rank"] == 1
    assert lines[0]["next"] == "https://next.example/"


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_done() -> None:
    paper = Paper()

    def read(file: str) -> bytes:
        if file == "gone":
            raise FileNotFoundError(2, "No such file or directory", file)
        return b""

    code = saved.serp(
        lambda _: Serp(state=SerpState.BLANK), ["gone", "blank"], paper.screen, read=read
    )

    assert code is ExitCode.USAGE
    assert paper.err == "webaio: gone: No such file or directory\n"
    assert paper.out == "blank: blank\n"


def test_the_pages_of_the_command_line_come_before_those_of_the_manifest() -> None:
    manifest = b'{"file": "c", "url": "https://c.example/", "status": 404}\n\n{"file": "d"}\n'

    pages = saved.listed(["a", "b"], url="https://a.example/", status=200, manifest=manifest)

    assert [(page.file, page.url, page.status) for page in pages] == [
        ("a", "https://a.example/", 200),
        ("b", "https://a.example/", 200),
        ("c", "https://c.example/", 404),
        ("d", None, None),
    ]


@pytest.mark.parametrize(
    ("manifest", "complaint"),
    [
        (b'{"file": "a"}\n[]', "line 2 of the manifest is no JSON object"),
        (b"{file}", "line 1 of the manifest is no JSON object"),
        (b'{"url": null}', "line 1 of the manifest has no file"),
        (b'{"file": "a", "url": 1}', "url is no text"),
        (b'{"file": "a", "status": "200"}', "status is no whole number"),
        (b'{"file": "a", "status": true}', "status is no whole number"),
    ],
    ids=["array", "no-json", "no-file", "url", "status", "bool"],
)
def test_a_manifest_that_says_something_else_is_refused(manifest: bytes, complaint: str) -> None:
    with pytest.raises(RequestInvalid, match=complaint):
        saved.listed([], manifest=manifest)


def test_no_page_at_all_is_refused_and_an_empty_manifest_is_not() -> None:
    assert saved.listed([], manifest=b"\n") == []
    with pytest.raises(RequestInvalid, match="neither"):
        saved.listed([])


def test_judged_pages_show_their_verdict_and_the_next_one_follows_a_missing_one() -> None:
    paper = Paper(as_json=True)
    verdict = Verdict(kind=VerdictKind.PAYWALL, confidence=0.8, reasons=("status 402",))

    def read(file: str) -> bytes:
        if file == "gone":
            raise FileNotFoundError(2, "No such file or directory", file)
        return b""

    pages = saved.listed(["gone", "page"])
    code = saved.judge(lambda _body, _page: verdict, pages, paper.screen, read=read)

    assert code is ExitCode.USAGE
    assert paper.err == "webaio: gone: No such file or directory\n"
    assert json.loads(paper.out) == {
        "file": "page",
        "verdict": "paywall",
        "confidence": 0.8,
        "reasons": ["status 402"],
    }


def test_extracted_pages_are_markdown_and_what_is_odd_about_them_goes_to_stderr() -> None:
    paper = Paper()

    code = saved.extract(
        lambda body, page: extract(body, page.url or ""),
        saved.listed(["a.html"], url="https://a.example/"),
        paper.screen,
        read=lambda _: HIDING_PAGE,
    )

    assert code is ExitCode.ANSWERED
    assert paper.out == "# Walls\n\nA [wall](https://a.example/w) stands here.\n"
    assert paper.err == "webaio: a.html: 12 characters of hidden text were dropped\n"


def test_extracted_pages_are_one_json_object_a_line_and_silent() -> None:
    paper = Paper(as_json=True)
    pages = saved.listed(["gone", "a.html"], url="https://a.example/")

    def read(file: str) -> bytes:
        if file == "gone":
            raise FileNotFoundError(2, "No such file or directory", file)
        return HIDING_PAGE

    code = saved.extract(
        lambda body, page: extract(body, page.url or ""), pages, paper.screen, read=read
    )

    assert code is ExitCode.USAGE
    assert paper.err == "webaio: gone: No such file or directory\n"
    markdown = "# Walls\n\nA [wall](https://a.example/w) stands here."
    assert json.loads(paper.out) == {
        "file": "a.html",
        "title": "Walls",
        "byline": None,
        "published": None,
        "lang": "en",
        "canonical": None,
        "markdown": markdown,
        "chars": len(markdown),
        "outline": [{"level": 1, "text": "Walls", "words": 4}],
        "links": [{"text": "wall", "url": "https://a.example/w"}],
        "warnings": ["12 characters of hidden text were dropped"],
    }


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (RequestInvalid("max is odd", field="max"), ExitCode.USAGE, "max is odd"),
        (SettingsInvalid("is odd", where="HOME"), ExitCode.USAGE, "HOME: is odd"),
        (Refused("secret", "no"), ExitCode.REFUSED, "no"),
        (BrowserMissing("install\x1bone"), ExitCode.FAILED, "install\ufffdone"),
        (
            ExceptionGroup("tasks", [RequestInvalid("inner", field="")]),
            ExitCode.USAGE,
            "inner",
        ),
        (KeyError("query text"), ExitCode.FAILED, "internal error: KeyError"),
    ],
    ids=["request", "settings", "refused", "browser", "group", "unexpected"],
)
def test_a_failure_is_one_sentence_and_an_exit_code(
    error: Exception, code: ExitCode, message: str
) -> None:
    paper = Paper()

    assert paper.screen.fail(error) is code
    assert paper.err == f"webaio: {message}\n"


def test_an_interruption_is_silent() -> None:
    paper = Paper()

    assert paper.screen.fail(KeyboardInterrupt()) is ExitCode.INTERRUPTED
    assert paper.err == ""


def test_text_follows_the_terminals_encoding_and_json_does_not() -> None:
    latin = Paper(encoding="ascii")
    latin.screen.show("猫\n", None)
    machine = Paper(encoding="ascii", as_json=True)
    machine.screen.show("", {"a": "猫"})

    assert latin.out == "?\n"
    assert machine.out == '{"a":"猫"}\n'
