"""The trace: names, offsets, sinks, and what must never be in it."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import orjson
import pytest

from broker.errors import LaneFailed, SettingsInvalid
from broker.redact import MASK, hashed, redact, safe_url
from broker.settings import TraceMode, TraceSettings
from broker.trace import OFF, Event, Trace, open_trace

ROOT = Path(__file__).resolve().parents[2]


class Clock:
    """Stands still unless told."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def human(stream: io.StringIO, clock: Clock) -> Trace:
    return open_trace(TraceSettings(mode=TraceMode.HUMAN), stream=stream, clock=clock)


def ndjson(stream: io.StringIO, clock: Clock) -> Trace:
    return open_trace(TraceSettings(mode=TraceMode.JSON), stream=stream, clock=clock)


def chrome(path: Path, clock: Clock) -> Trace:
    return open_trace(TraceSettings(mode=TraceMode.CHROME, path=path), clock=clock)


def rows(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_event_names_are_module_and_verb() -> None:
    for event in Event:
        assert re.fullmatch(r"[a-z]+\.[a-z]+", event.value), event
        assert event.name == event.value.replace(".", "_").upper()


def test_off_is_a_null_object_that_loads_no_sink() -> None:
    assert open_trace(TraceSettings()) is OFF
    assert not OFF.enabled
    assert OFF.for_request("1a2b") is OFF
    with OFF.span(Event.PAGE_NAVIGATE, bytes=1) as span:
        span.set(hits=2)
        OFF.event(Event.PAGE_STATE)
    OFF.close()


def test_off_lets_exceptions_through() -> None:
    with pytest.raises(KeyError), OFF.span(Event.PAGE_NAVIGATE):
        raise KeyError


def test_a_human_line_counts_from_the_request(stream: io.StringIO, clock: Clock) -> None:
    trace = human(stream, clock)
    assert trace.enabled
    clock.now_s += 5
    request = trace.for_request("1a2b")
    clock.now_s += 0.1234
    request.event(Event.PAGE_STATE, state="results", hits=10, share=0.5, last=True, next=None)
    trace.event(Event.BROWSER_LOST)
    assert stream.getvalue() == (
        "+0.123 s  [req 1a2b] page.state  state=results hits=10 share=0.500 last=true next=none\n"
        "+5.123 s  [-] browser.lost\n"
    )


def test_a_span_is_one_line_at_its_end(stream: io.StringIO, clock: Clock) -> None:
    request = human(stream, clock).for_request("1a2b")
    with request.span(Event.PAGE_NAVIGATE, page=2) as span:
        clock.now_s += 0.25
        span.set(status=200)
    assert stream.getvalue() == (
        "+0.250 s  [req 1a2b] page.navigate  page=2 status=200 took=0.250s\n"
    )


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (LaneFailed("captcha", "the query was: my secret"), "captcha"),
        (ValueError("my secret"), "ValueError"),
        (ExceptionGroup("my secret", [ExceptionGroup("x", [LaneFailed("blank", "")])]), "blank"),
    ],
    ids=["broker", "foreign", "group"],
)
def test_a_failed_span_names_the_cause_and_not_the_message(
    stream: io.StringIO, clock: Clock, error: Exception, cause: str
) -> None:
    trace = human(stream, clock)
    with pytest.raises(type(error)), trace.span(Event.LANE_END):
        raise error
    assert f"failed={cause} " in stream.getvalue()
    assert "secret" not in stream.getvalue()


async def test_a_cancelled_span_is_noted(stream: io.StringIO, clock: Clock) -> None:
    with anyio.CancelScope() as scope, human(stream, clock).span(Event.PAGE_NAVIGATE):
        scope.cancel()
        await anyio.lowlevel.checkpoint()
    assert "failed=CancelledError" in stream.getvalue()


def test_json_lines_say_the_same(stream: io.StringIO, clock: Clock) -> None:
    trace = ndjson(stream, clock)
    clock.now_s += 5
    request = trace.for_request("1a2b")
    with request.span(Event.PAGE_NAVIGATE, bytes=300_000):
        clock.now_s += 0.0625
    trace.event(Event.BROWSER_LOST, event="overruled")
    assert rows(stream) == [
        {
            "at_s": 0.0625,
            "request": "1a2b",
            "event": "page.navigate",
            "duration_s": 0.0625,
            "bytes": 300_000,
        },
        {"at_s": 5.0625, "request": None, "event": "browser.lost"},
    ]


@pytest.mark.parametrize("mode", [TraceMode.HUMAN, TraceMode.JSON])
def test_hostile_text_stays_on_one_short_line(clock: Clock, mode: TraceMode) -> None:
    stream = io.StringIO()
    trace = open_trace(TraceSettings(mode=mode), stream=stream, clock=clock)
    hostile = 'a\nb\r\x1b[31m\u2028\u202e\udcff"' + "x" * 100_000
    trace.for_request("re\nq").event(Event.PAGE_STATE, detail=hostile)
    line = stream.getvalue()
    assert line.count("\n") == 1
    assert line.rstrip("\n").isprintable()
    assert len(line) < 500
    line.encode("utf-8")


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnop1234",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "github_pat_11ABCDEFG0abcdefghijkl",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "xoxb-123456789012-abcdefghij",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA and no end",
    ],
)
def test_credentials_are_masked_wherever_they_stand(secret: str) -> None:
    assert redact(f"before {secret}") == f"before {MASK}"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("Authorization: Bearer abc.def-123456", f"Authorization: Bearer {MASK}"),
        ("https://me:pa55@host/x", f"https://{MASK}@host/x"),
        ("?api_key=abcdef123&x=1", f"?api_key={MASK}&x=1"),
        ('{"EXA_API_KEY": "0123456789"}', f'{{"EXA_API_KEY": "{MASK}"}}'),
        ("password=correct-horse;", f"password={MASK};"),
        ("a bearer of good news", "a bearer of good news"),
        ("two tokens: three", "two tokens: three"),
        ("/usr/bin/chromium", "/usr/bin/chromium"),
    ],
)
def test_named_credentials_are_masked_and_plain_words_are_not(text: str, safe: str) -> None:
    assert redact(text) == safe


def test_every_sink_masks(stream: io.StringIO, clock: Clock, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    traces = [human(stream, clock), ndjson(stream, clock), chrome(path, clock)]
    for trace in traces:
        trace.event(Event.BROWSER_ATTACH, url="wss://me:pa55word@host")
        trace.close()
    written = stream.getvalue() + path.read_text()
    assert written.count(MASK) == 3
    assert "pa55word" not in written


def test_a_secret_across_the_cut_is_masked(stream: io.StringIO, clock: Clock) -> None:
    human(stream, clock).event(Event.PAGE_STATE, detail="x" * 190 + " sk-" + "abcd" * 100)
    assert "sk-" not in stream.getvalue()


def test_a_query_is_shown_by_hash_and_length() -> None:
    assert hashed("hello") == "sha:2cf24dba/5"
    assert hashed("\udcff").endswith("/1")


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        (
            "https://www.google.com/search?q=my+secret&start=10&hl=en&udm=14#frag",
            "https://www.google.com/search?q&start=10&hl=en&udm=14",
        ),
        ("https://www.google.com/goto?url=CAESxyz", "https://www.google.com/goto?url"),
        ("https://me:pw@Host:8443/p", "https://host:8443/p"),
        ("http://[::1]:80/", "http://[::1]:80/"),
        ("https://h/?hl=my%20secret", "https://h/?hl"),
        ("https://h/?my+secret", "https://h/?…"),
        ("https://h/?my+secret=1", "https://h/?…"),
        ("https://h/?tbs=cdr:1,cd_min:1/2/2026", "https://h/?tbs=cdr:1,cd_min:1/2/2026"),
        ("data:text/html,my secret", "data:…"),
        ("about:blank", "about:…"),
        ("http://[::1", "(unreadable address)"),
        ("http://h:99999/", "(unreadable address)"),
        ("", "(no address)"),
    ],
)
def test_an_address_is_shown_without_values(url: str, safe: str) -> None:
    assert safe_url(url) == safe


def test_a_long_path_is_cut() -> None:
    assert len(safe_url("https://h/" + "x" * 10_000)) < 200


def test_a_chrome_file_has_slices_instants_and_named_rows(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "trace.json"
    trace = chrome(path, clock)
    clock.now_s += 1
    request = trace.for_request("1a2b")
    with request.span(Event.LANE_END, lane="google") as lane:
        clock.now_s += 0.5
        request.event(Event.PAGE_STATE, state="results")
        lane.set(hits=10)
    trace.close()
    events = json.loads(path.read_text())
    process, row, instant, renamed_row, lane_slice = events
    assert process["name"] == "process_name"
    assert (row["name"], row["args"]) == ("thread_name", {"name": "1a2b page.state"})
    assert renamed_row == row | {"args": {"name": "1a2b google"}}
    assert instant | {"pid": 0} == {
        "name": "page.state",
        "cat": "page",
        "ph": "i",
        "s": "t",
        "ts": 1_500_000,
        "pid": 0,
        "tid": row["tid"],
        "args": {"request": "1a2b", "state": "results"},
    }
    assert (lane_slice["ph"], lane_slice["ts"], lane_slice["dur"]) == ("X", 1_000_000, 500_000)
    assert lane_slice["args"] == {"request": "1a2b", "lane": "google", "hits": 10}
    assert lane_slice["tid"] == instant["tid"]


async def test_tasks_that_overlap_get_rows_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    trace = open_trace(TraceSettings(mode=TraceMode.CHROME, path=path))
    request = trace.for_request("1a2b")

    async def page(number: int) -> None:
        with request.span(Event.PAGE_NAVIGATE, page=number):
            await anyio.sleep(0.01)

    with request.span(Event.REQUEST_END):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(page, 2)
            tasks.start_soon(page, 3)
    trace.close()
    slices = [event for event in json.loads(path.read_text()) if event["ph"] == "X"]
    assert len(slices) == 3
    assert len({event["tid"] for event in slices}) == 3


def test_a_killed_process_leaves_a_file_that_lacks_only_the_bracket(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    program = f"""
import os, signal
from pathlib import Path
from broker.settings import TraceMode, TraceSettings
from broker.trace import Event, open_trace
trace = open_trace(TraceSettings(mode=TraceMode.CHROME, path=Path({str(path)!r})))
for page in range(3):
    trace.event(Event.PAGE_STATE, page=page)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False)  # noqa: S603 - the lines above
    assert done.returncode == -signal.SIGKILL
    events = json.loads(path.read_text() + "]")
    assert [event["args"].get("page") for event in events if event["ph"] == "i"] == [0, 1, 2]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_second_process_does_not_spoil_the_first_ones_file(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "trace.json"
    first, second = chrome(path, clock), chrome(path, clock)
    second.event(Event.BROWSER_LOST)
    first.event(Event.BROWSER_READY)
    first.close()
    second.close()
    sibling = tmp_path / f"trace.{os.getpid()}.json"
    assert "browser.ready" in {event["name"] for event in json.loads(path.read_text())}
    assert "browser.lost" in {event["name"] for event in json.loads(sibling.read_text())}


def test_an_older_trace_is_replaced_whole(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "trace.json"
    path.write_text("x" * 10_000)
    chrome(path, clock).close()
    assert len(json.loads(path.read_text())) == 1


@pytest.mark.parametrize("name", ["missing/t.json", "."])
def test_a_trace_file_that_cannot_be_written_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"trace file .* cannot be written: (No|Is)"):
        open_trace(TraceSettings(mode=TraceMode.CHROME, path=tmp_path / name))


def test_a_sink_that_is_gone_does_not_fail_the_caller(tmp_path: Path, clock: Clock) -> None:
    stream = io.StringIO()
    traces = [human(stream, clock), chrome(tmp_path / "t.json", clock)]
    stream.close()
    for trace in traces:
        trace.close()
        trace.event(Event.BROWSER_LOST)
        trace.close()


def test_a_reader_that_is_gone_does_not_fail_the_caller(clock: Clock) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    stream = os.fdopen(writer, "w")
    trace = open_trace(TraceSettings(mode=TraceMode.HUMAN), stream=stream, clock=clock)
    trace.event(Event.BROWSER_LOST)
    with pytest.raises(BrokenPipeError):
        stream.close()


def test_a_reader_that_does_not_read_costs_lines_and_no_time(clock: Clock) -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream, os.fdopen(reader, "rb", buffering=0) as source:
        trace = open_trace(TraceSettings(mode=TraceMode.JSON), stream=stream, clock=clock)
        for _ in range(5000):  # far more than a pipe holds; a blocking write would hang here
            trace.event(Event.PAGE_STATE, detail="x" * 100)
        lines = source.read(1 << 20).splitlines()
        trace.event(Event.PAGE_STATE)
        last = orjson.loads(source.read(1 << 20))
    assert last["dropped_before"] == 5000 - len(lines)
    assert all(orjson.loads(line)["event"] == "page.state" for line in lines)
