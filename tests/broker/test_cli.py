"""The command line from outside: what it prints where, and its exit codes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import anyio
import pytest

from broker import cli
from broker.cli_args import fetch_params, parse, read_params, recall_params, search_params
from broker.wire.schema import SEARCH_PARAMS, parse_search
from broker.wire.schema_reading import (
    FETCH_PARAMS,
    READ_PARAMS,
    RECALL_PARAMS,
    parse_fetch,
    parse_read,
    parse_recall,
)

if TYPE_CHECKING:
    from pathlib import Path

WEBAIO = [sys.executable, "-m", "broker"]
WAIT_S = 10.0

PAGE = "<html><body></body></html>"


@pytest.fixture(autouse=True)
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment with a home of its own and without a browser, here and for processes."""
    for name in list(os.environ):
        if name.startswith("PI_WEBAIO_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PI_WEBAIO_HOME", str(tmp_path / "webaio"))
    monkeypatch.setenv("PI_WEBAIO_CDP_BROKER", "0")
    return dict(os.environ)


def usage_error(argv: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """What stderr says of a command line that cannot be parsed."""
    with pytest.raises(SystemExit) as caught:
        cli.main(argv)

    assert caught.value.code == 2
    out, err = capfd.readouterr()
    assert out == ""
    return err


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["search", ""], "the query is empty"),
        (["search", "x" * 10_000], "the query has 10000 characters; the limit is 2048"),
        (["search", "a\x07"], "control character, U+0007, at character 2"),
        (["search", *"abcdefg"], "queries must be 1 to 6, not 7"),
        (["search", "a", ""], "query 2 is empty"),
        (["search", "a", "--max", "0"], "max must be 1 to 100, not 0"),
        (["search", "a", "--max", "1000"], "max must be 1 to 100, not 1000"),
        (["search", "a", "--provider", "gogle"], "unknown provider 'gogle'"),
        (["search", "a", "--site", "https://a.example"], "has a scheme"),
        (["search", "a", "--since", "soon"], "since must be day, week, month, year"),
        (["search", "a", "--lang", "jp"], "lang must be a two-letter ISO 639-1 code"),
        (["recall", " "], "the query is empty"),
        (["recall", "a", "--max", "51"], "max must be 1 to 50, not 51"),
        (["fetch", "a", "--query", ""], "the query is empty"),
        (["fetch", "a", "--query", "b", "--find", "c"], "leave find out"),
        (["fetch", "a", "--query", "b", "--format", "html"], "leave format out, it is html"),
        (["serp", "gogle", "file"], "'gogle'"),
        (["judge"], "neither a file nor a manifest is given"),
        (["extract"], "neither a file nor a manifest is given"),
        (["judge", "--manifest", "gone.jsonl"], "gone.jsonl: No such file or directory"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_a_wrong_request_is_one_complaint_and_exit_code_2(
    argv: list[str], complaint: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(argv) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("webaio: ")
    assert complaint in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "argv",
    [
        ["fly"],
        ["search"],
        ["search", "a", "--maximum", "3"],
        ["search", "a", "--max", "x"],
        ["serp"],
        ["judge", "page.html", "--status", "ok"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_shows_the_usage(
    argv: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert usage_error(argv, capfd).startswith("usage: webaio")


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["fetch", "--fromat", "text", "notes.md"], "unknown: --fromat (do you mean --format?)"),
        (["pull", "docs.example", "--ot", "d"], "unknown: --ot (do you mean --out?)"),
        (["search", "a", "--provder=ddg"], "unknown: --provder=ddg (do you mean --provider?)"),
        (["read", "x", "--zzzzzz", "-q"], "unknown: --zzzzzz"),
        (["status", "-q", "more"], "unknown: -q, more"),
        (["search", "a", "--deadline", "0.05"], "argument --deadline: must be 0.1 to 60 seconds"),
        (["search", "a", "--deadline", "nan"], "must be 0.1 to 60 seconds, not 'nan'"),
        (["fetch", "a", "--deadline", "100"], "must be 0.1 to 60 seconds, not '100'"),
        (["pull", "a", "--out", "d", "--deadline", "soon"], "must be 1 to 86400 seconds"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_a_wrong_flag_shows_its_own_commands_usage(
    argv: list[str], complaint: str, capfd: pytest.CaptureFixture[str]
) -> None:
    err = usage_error(argv, capfd)
    assert err.startswith(f"usage: webaio {argv[0]} ")
    assert complaint in err.splitlines()[-1]


def test_what_is_behind_two_dashes_is_no_flag() -> None:
    assert parse(["search", "--max", "3", "--", "--fromat"]).query == ["--fromat"]
    assert parse(["search", "--is this a flag"]).query == ["--is this a flag"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("search", ["1 to 6 queries", "0.1 to 60 (7)", "3 every lane failed"]),
        ("fetch", ["1 to 20 addresses", "0.1 to 60 (20)", "4 all were refused"]),
        ("pull", ["1 to 5000", "1 to 86400", "3 none could be had"]),
        ("recall", ["1 to 50", "1 nothing found"]),
        *((name, ["exit codes: 0 "]) for name in ("read", "serp", "judge", "extract", "status")),
        ("serve", ["exit codes: 0 "]),
    ],
)
def test_each_commands_help_tells_its_limits_and_exit_codes(
    command: str, told: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main([command, "--help"])

    assert caught.value.code == 0
    text = " ".join(capfd.readouterr().out.split())
    assert [words for words in (*told, "exit codes:") if words not in text] == []


def test_no_command_shows_the_help_as_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "COMMAND" in err


def test_the_version_can_be_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capfd.readouterr().out.startswith("webaio 0.")


def test_every_param_of_a_search_has_its_flag() -> None:
    flags = parse(
        [
            *("search", "cats", "dogs", "--max", "30", "--provider", "google"),
            *("--site", "a.example", "--site", "b.example", "--not-site", "c.example"),
            *("--since", "2024", "--until", "2024-06", "--lang", "de", "--region", "AT"),
            *("--content", "--chars", "9000", "--allow-secrets"),
            *("--deadline", "2.5", "--json"),
        ]
    )

    params = search_params(flags)

    assert params == {
        "queries": ["cats", "dogs"],
        "max": 30,
        "providers": "google",
        "sites": ["a.example", "b.example"],
        "not_sites": ["c.example"],
        "since": "2024",
        "until": "2024-06",
        "lang": "de",
        "region": "AT",
        "content": True,
        "chars": 9000,
        "allow_secrets": True,
        "deadline_ms": 2500.0,
    }
    assert set(params) == set(SEARCH_PARAMS) - {"query", "progress"}
    assert parse_search(params).queries[1].text == "dogs"


def test_every_param_of_a_fetch_has_its_flag() -> None:
    part = ["--format", "text", "--find", "heron", "--offset", "0", "--limit", "900"]
    flags = parse(
        [
            *("fetch", "https://a.example/", "b.md", "--render", "never", *part),
            *("--fresh", "--deadline", "2.5", "--json"),
        ]
    )
    params = fetch_params(flags)
    assert params == {
        "sources": ["https://a.example/", "b.md"],
        "query": None,
        "render": "never",
        "format": "text",
        "find": "heron",
        "offset": 0,
        "limit": 900,
        "fresh": True,
        "deadline_ms": 2500.0,
    }
    assert set(params) == set(FETCH_PARAMS) - {"source", "progress"}
    assert parse_fetch(params).sources == ("https://a.example/", "b.md")
    params = read_params(parse(["read", "abc", *part]))
    assert set(params) == set(READ_PARAMS)
    assert parse_read(params).part.limit == 900
    assert parse_fetch(fetch_params(parse(["fetch", "b.md", "--query", "a b"]))).query == "a b"


def test_every_param_of_a_recall_has_its_flag() -> None:
    params = recall_params(parse(["recall", "the", "heron", "--max", "3", "--json"]))
    assert set(params) == set(RECALL_PARAMS)
    assert parse_recall(params) == parse_recall({"query": "the heron", "max": 3})


def test_a_file_is_fetched_and_read_on(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\n" + "On the river. " * 50)
    assert cli.main(["fetch", str(tmp_path / "notes.md"), "--json"]) == 0
    (document,) = json.loads(capfd.readouterr().out)["documents"]
    assert (document["via"], document["title"]) == ("local", "Notes")
    assert cli.main(["read", document["id"], "--find", "RIVER", "--json"]) == 0
    (found,) = json.loads(capfd.readouterr().out)["documents"]
    assert found["finds"][0]["match"] == "folded"
    assert cli.main(["read", document["id"], "--find", "zzzz"]) == 1
    assert cli.main(["read", "nobody"]) == 1
    assert cli.main(["fetch", str(tmp_path / "none.md")]) == 3
    assert cli.main(["fetch", "http://169.254.169.254/"]) == 4
    assert cli.main(["fetch", str(tmp_path), "--render", "perhaps"]) == 2


def test_what_was_fetched_is_recalled(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\n## River\n\nThe heron stood at the weir.\n")
    (tmp_path / "other.md").write_text("# Other\n\nNothing of the kind.\n")
    files = [str(tmp_path / "notes.md"), str(tmp_path / "other.md")]
    assert cli.main(["recall", "heron"]) == 1
    assert "documents in the store: 0" in capfd.readouterr().out
    assert cli.main(["fetch", *files, "--query", "where is the heron", "--json"]) == 0
    pooled = json.loads(capfd.readouterr().out)
    assert [document["passages"] for document in pooled["documents"]] == [1, 0]
    assert pooled["passages"][0]["source"] == files[0]
    assert cli.main(["fetch", *files, "--query", "zebra"]) == 1
    assert cli.main(["fetch", str(tmp_path / "none.md"), "--query", "zebra"]) == 3
    assert cli.main(["fetch", "http://169.254.169.254/", "--query", "zebra"]) == 4
    capfd.readouterr()
    assert cli.main(["recall", "the", "heron", "--json"]) == 0
    (passage,) = json.loads(capfd.readouterr().out)["passages"]
    assert (passage["title"], passage["section"]) == ("Notes", "Notes / River")
    assert cli.main(["recall", "heron"]) == 0
    assert f"id {passage['id']} · offset {passage['offset']} · " in capfd.readouterr().out
    assert cli.main(["read", passage["id"], "--offset", str(passage["offset"])]) == 0
    assert "The heron stood at the weir." in capfd.readouterr().out
    assert cli.main(["recall", "zebra"]) == 1


def test_flags_that_are_not_given_leave_the_defaults() -> None:
    params = search_params(parse(["search", "cats"]))

    assert parse_search(params) == parse_search({"query": "cats"})


def test_a_search_that_no_lane_answers_ends_with_3(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["search", "cats", "dogs", "--json"]) == 3
    out, err = capfd.readouterr()
    first, second = json.loads(out)["answers"]
    assert (first["query"], second["query"]) == ("cats", "dogs")
    assert first["lanes"][0]["status"] == "skipped"
    assert out.count("\n") == 1
    assert err == ""


def test_status_tells_how_it_stands(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status"]) == 0
    assert "browser   off\n" in capfd.readouterr().out
    assert cli.main(["status", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["browser"]["state"] == "off"


def test_a_wrong_setting_is_named(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_WEBAIO_CDP_BROKER", "maybe")

    assert cli.main(["status"]) == 2
    assert capfd.readouterr().err.startswith("webaio: PI_WEBAIO_CDP_BROKER: ")


def test_saved_pages_are_parsed_and_a_missing_one_is_named(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page, gone = tmp_path / "page.html", tmp_path / "gone.html"
    page.write_text(PAGE, encoding="utf-8")

    assert cli.main(["serp", "google", "--json", str(page), str(gone), str(page)]) == 2
    out, err = capfd.readouterr()
    assert [json.loads(line)["file"] for line in out.splitlines()] == [str(page)] * 2
    assert err == f"webaio: {gone}: No such file or directory\n"


def test_saved_pages_are_judged_by_how_they_were_served(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page, manifest = tmp_path / "page.html", tmp_path / "pages.jsonl"
    page.write_text("<p>Nothing much</p>", encoding="utf-8")
    entry = {"file": str(page), "url": "https://a.example/", "status": None}
    manifest.write_text(f"{json.dumps(entry)}\n\n", encoding="utf-8")

    assert (
        cli.main(["judge", str(page), "--status", "404", "--json", "--manifest", str(manifest)])
        == 0
    )
    first, second = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert (first["verdict"], second["verdict"]) == ("error_page", "content")
    assert set(first) == {"file", "verdict", "confidence", "reasons"}

    assert cli.main(["judge", str(page), "--status", "404"]) == 0
    out = capfd.readouterr().out
    assert out.startswith(f"{page}: error_page (0.")
    assert "\n  status 404\n" in out


def test_saved_pages_are_extracted_as_served_from_their_address(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page, manifest = tmp_path / "page.html", tmp_path / "pages.jsonl"
    page.write_text("<h1>Walls</h1><p>A <a href=w>wall</a> stands here.", encoding="utf-8")
    manifest.write_text(json.dumps({"file": str(page), "url": "https://b.example/"}), "utf-8")

    argv = ["extract", str(page), "--url", "https://a.example/d/", "--manifest", str(manifest)]
    assert cli.main([*argv, "--json"]) == 0
    first, second = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert first["links"] == [{"text": "wall", "url": "https://a.example/d/w"}]
    assert second["links"] == [{"text": "wall", "url": "https://b.example/w"}]

    assert cli.main(["extract", str(page)]) == 0
    assert capfd.readouterr().out == "# Walls\n\nA [wall](w) stands here.\n"


def test_a_wall_is_not_extracted_without_a_word(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wall = tmp_path / "wall.html"
    wall.write_text(
        "<title>Just a moment...</title><h1>Checking your browser</h1><form id=challenge-form "
        "action='/cdn-cgi/challenge-platform/x'><p>Please wait while we verify that you are human, "
        "before you go on to meadow.example.</p></form>"
        "<script src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'></script>"
    )
    assert cli.main(["extract", str(wall), "--status", "403"]) == 0
    out, err = capfd.readouterr()
    assert "Please wait" in out
    assert err.startswith(f"webaio: {wall}: judged to be no content: bot_challenge (")

    assert cli.main(["extract", str(wall), "--status", "403", "--json"]) == 0
    out, err = capfd.readouterr()
    assert "judged to be no content: bot_challenge" in json.loads(out)["warnings"][-1]
    assert err == ""


# As a process


def webaio(*argv: str | bytes, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return]  # noqa: S603 - our own
        [*WEBAIO, *argv], capture_output=True, timeout=WAIT_S, check=False, **options
    )


def test_a_saved_page_can_come_from_standard_input() -> None:
    done = webaio("serp", "google", "-", "--json", input=PAGE.encode())

    assert done.returncode == 0
    assert json.loads(done.stdout)["file"] == "-"


def test_a_page_to_extract_can_come_from_standard_input() -> None:
    done = webaio("extract", "-", input="<p>caf\u00e9".encode("utf-16"))

    assert (done.returncode, done.stdout, done.stderr) == (0, "caf\u00e9\n".encode(), b"")


def test_a_manifest_can_come_from_standard_input(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(b"")

    done = webaio(
        "judge", "--json", "--manifest", "-", input=json.dumps({"file": str(page)}).encode()
    )

    assert done.returncode == 0
    assert json.loads(done.stdout)["verdict"] == "empty"


def test_a_query_that_is_not_text_is_refused() -> None:
    done = webaio("search", b"caf\xe9")

    assert done.returncode == 2
    assert done.stderr == b"webaio: the query has a lone surrogate, U+DCE9, at character 4\n"


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(  # noqa: S603 - our own
        [*WEBAIO, "serp", "google", "--json", *[str(page)] * 3],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=WAIT_S,
        check=False,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_a_closed_stream_is_no_crash(closed: str) -> None:
    command = f'exec "{sys.executable}" -m broker status {closed}'
    done = subprocess.run(  # noqa: S603 - our own
        ["/bin/sh", "-c", command], capture_output=True, timeout=WAIT_S, check=False
    )

    assert (done.returncode, done.stderr) == (0, b"")


async def test_an_interrupted_search_ends_with_130_and_without_a_traceback(
    environ: dict[str, str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, anyio.fail_after(WAIT_S):
        port = silent.getsockname()[1]
        environ |= {"PI_WEBAIO_DDG_URL": f"http://127.0.0.1:{port}"}
        argv = [*WEBAIO, "search", "cats", "--provider", "ddg", "--deadline", "60"]
        async with await anyio.open_process(argv, env=environ) as process:
            await anyio.wait_readable(silent)  # the provider is being asked: the search has begun
            process.send_signal(signal.SIGINT)
            assert await process.wait() == 130
            assert process.stderr is not None
            assert b"".join([chunk async for chunk in process.stderr]) == b""
