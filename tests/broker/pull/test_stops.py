"""A pull as a process: killed, interrupted and gone on with."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.pull.page import split
from tests.broker.pull.worlds import World, manifest, texts, world
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from anyio.abc import Process

SLOTS = 3
"""Pages that a host gives at the same time."""


def command(w: World, *more: str) -> list[str]:
    url = f"{w.server.origin}/docs/"
    return [sys.executable, "-m", "broker", "pull", url, "--out", str(w.out), *more]


def environ(home: Path) -> dict[str, str]:
    config = home / "config.toml"
    config.write_text("[reading]\nhost_gap_s = 0\n")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PI_WEBAIO_HOME": str(home / "home"),
        "PI_WEBAIO_CONFIG": str(config),
        "PI_WEBAIO_CDP_BROKER": "0",
        "PI_WEBAIO_ALLOW_RANGES": "127.0.0.0/8",
    }


@asynccontextmanager
async def half_way(w: World, home: Path) -> AsyncIterator[Process]:
    """A pull that has done what it can while the second section of the site hangs."""
    hanging = [path for path in w.site.guides() if path.startswith("/docs/part-b/")]
    w.site.gated = {path: anyio.Event() for path in hanging}
    async with await anyio.open_process(command(w), env=environ(home)) as process:
        log = w.server.log
        await log.until(lambda log: sum(map(log.in_flight, hanging)) == SLOTS)
        done = {path for path in w.site.guides() if w.sent(path)}
        # What was answered is on disk, so that only what hangs is lost.
        await until(lambda: done <= _done(w.out))
        assert done
        yield process
        w.site.gated = {}


def _done(out: Path) -> set[str]:
    return {
        "/docs/" + line["url"].partition("/docs/")[2]
        for line in manifest(out)
        if line.get("status") in {"pulled", "alias"}
    }


async def _goes_on(w: World, home: Path) -> dict[str, object]:
    """The same command again, to its end."""
    done = await anyio.run_process(command(w, "--json"), env=environ(home))
    report: dict[str, object] = json.loads(done.stdout)
    return report


def _is_whole(w: World, report: dict[str, object]) -> None:
    """Every page is in the folder once, none is half, and none was answered twice."""
    guides = [path for path in w.site.guides() if path != "/docs/part-a/"]
    assert {path: w.sent(path) for path in guides} == dict.fromkeys(guides, 1)
    files = texts(w.out)
    assert report["pulled"] == len(files)
    urls = [split(text)[0]["url"] for text in files.values()]
    assert len(urls) == len(set(urls))
    assert all(text.startswith("---\n") and text.endswith("\n") for text in files.values())
    leftovers = {file.name for file in (w.out / ".webaio").iterdir()}
    assert leftovers == {"manifest.ndjson"}
    inside = "](part-b/guide-1.md"
    assert any(inside in text or "](guide-1.md" in text for text in files.values())


async def test_a_killed_pull_goes_on_and_asks_for_nothing_again(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        async with half_way(w, tmp_path) as process:
            process.kill()
            assert await process.wait() == -signal.SIGKILL
        before = texts(w.out)
        report = await _goes_on(w, tmp_path)
        _is_whole(w, report)
        assert report["added"] == len(texts(w.out)) - len(before)


async def test_an_interrupted_pull_says_how_to_go_on(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        async with half_way(w, tmp_path) as process:
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            said = b"".join([chunk async for chunk in process.stderr]).decode()
            assert await process.wait() == 130
            assert f"what was read is in {w.out}" in said
            assert "the same command goes on" in said
            assert "Traceback" not in said
        _is_whole(w, await _goes_on(w, tmp_path))


async def test_two_pulls_do_not_share_a_folder(tmp_path: Path) -> None:
    async with world(tmp_path) as w, half_way(w, tmp_path) as process:
        second = await anyio.run_process(command(w), env=environ(tmp_path), check=False)
        assert (second.returncode, second.stdout) == (2, b"")
        assert f"another pull is at work in {w.out}".encode() in second.stderr
        process.kill()
        await process.wait()


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [("/gone", 3, "has no such page"), ("/docs/private/x", 4, "robots.txt forbids it")],
)
async def test_a_pull_of_nothing_has_its_exit_code(
    tmp_path: Path, path: str, code: int, said: str
) -> None:
    async with world(tmp_path) as w:
        url = f"{w.server.origin}{path}"
        argv = [sys.executable, "-m", "broker", "pull", url, "--out", str(w.out)]
        done = await anyio.run_process(argv, env=environ(tmp_path), check=False)
        assert done.returncode == code
        assert said in done.stdout.decode()
