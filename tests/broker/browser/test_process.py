"""The browser's process: how it is called, what it inherits, and that it never outlives us.

The browser is a shell script here that notes how it was called; the real one is in tests/browser.
"""

from __future__ import annotations

import os
import signal
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import psutil
import pytest

from broker.browser.find import Executable
from broker.browser.process import LaunchPlan, first_answer, resident_mb, spawn
from broker.errors import BrowserUnavailable, TabLost
from tests.broker.browser.fake_browser import WAIT_S
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from broker.browser.process import ChromiumProcess

NOTES_AND_WAITS = """#!/bin/sh
for word; do echo "$word"; done >"$0.args"
echo "$TMPDIR" >"$0.tmpdir"
ls -l "/proc/$$/fd" >"$0.fds"
mkdir -p "$TMPDIR/profile" && echo x >"$TMPDIR/profile/file"
printf '{"id":1,"result":{"product":"Fake/1"}}\\0' >&4
cat <&3 >/dev/null
"""

STAYS = """#!/bin/sh
trap '' TERM HUP INT
sleep 600 & sleep 600
"""


@dataclass(frozen=True)
class FakeProgram:
    path: Path

    def noted(self, what: str) -> list[str]:
        return self.path.with_name(f"{self.path.name}.{what}").read_text().splitlines()


@pytest.fixture
def program(tmp_path: Path) -> FakeProgram:
    return write_program(tmp_path, NOTES_AND_WAITS)


def write_program(tmp_path: Path, text: str) -> FakeProgram:
    path = tmp_path / "a browser"
    path.write_text(text)
    path.chmod(0o755)
    return FakeProgram(path)


def plan_of(
    program: FakeProgram, run_parent: Path, *, shell: bool = True, sandbox: bool = True
) -> LaunchPlan:
    executable = Executable(path=program.path, headless_shell=shell)
    return LaunchPlan(executable=executable, run_parent=run_parent, sandbox=sandbox)


@asynccontextmanager
async def running(plan: LaunchPlan) -> AsyncIterator[ChromiumProcess]:
    with anyio.fail_after(WAIT_S):
        process = await anyio.to_thread.run_sync(spawn, plan)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(process.connection.run)
            try:
                yield process
            finally:
                with anyio.CancelScope(shield=True):
                    await process.kill()


def alive(group: int) -> list[psutil.Process]:
    """The processes of a group that still run."""
    return [
        process
        for process in psutil.process_iter(["pid", "status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE and _group(process) == group
    ]


def _group(process: psutil.Process) -> int:
    try:
        return os.getpgid(process.pid)
    except ProcessLookupError:
        return -1


async def test_it_is_reached_over_the_pipe_and_nothing_else(
    program: FakeProgram, tmp_path: Path
) -> None:
    async with running(plan_of(program, tmp_path / "run")) as process:
        assert await first_answer(process) == {"product": "Fake/1"}
        assert "--remote-debugging-pipe" in program.noted("args")
        assert not any("debugging-port" in word for word in program.noted("args"))
        # Nothing of ours but the two ends; the shell that is the browser here opens more files.
        opened = [line.split()[-3::2] for line in program.noted("fds") if "->" in line]
        assert {fd for fd, what in opened if what.startswith(("pipe:", "socket:"))} == {"3", "4"}
        assert [what for fd, what in opened if fd in {"0", "2"}] == ["/dev/null"] * 2


@pytest.mark.parametrize("shell", [True, False], ids=["shell", "full"])
@pytest.mark.parametrize("sandbox", [True, False], ids=["sandbox", "no-sandbox"])
async def test_the_flags_follow_the_kind_of_browser_and_the_sandbox(
    shell: bool, sandbox: bool, program: FakeProgram, tmp_path: Path
) -> None:
    plan = plan_of(program, tmp_path / "run", shell=shell, sandbox=sandbox)
    async with running(plan) as process:
        await first_answer(process)
        words = program.noted("args")
        assert ("--headless=new" in words) == (not shell)
        assert ("--no-sandbox" in words) == (not sandbox)


async def test_everything_it_writes_is_in_its_own_folder(
    program: FakeProgram, tmp_path: Path
) -> None:
    async with running(plan_of(program, tmp_path / "run")) as process:
        await first_answer(process)
        (folder,) = (tmp_path / "run").iterdir()
        assert program.noted("tmpdir") == [str(folder)]
        assert f"--user-data-dir={folder}/profile" in program.noted("args")
    assert list((tmp_path / "run").iterdir()) == []


async def test_a_kill_ends_the_whole_group_whatever_it_ignores(tmp_path: Path) -> None:
    async with running(plan_of(write_program(tmp_path, STAYS), tmp_path / "run")) as process:
        group = process.pid
        await until(lambda: len(alive(group)) == 4)  # the guardian, the script and its two sleeps
        await process.kill()
        await process.kill()
        assert alive(group) == []
        assert list((tmp_path / "run").iterdir()) == []
        assert process.connection.closed.is_set()


async def test_when_only_the_pipe_closes_the_guardian_tidies_up(
    program: FakeProgram, tmp_path: Path
) -> None:
    async with running(plan_of(program, tmp_path / "run")) as process:
        await first_answer(process)
        process.connection.close()  # all that the kernel does when we are killed
        await until(lambda: not alive(process.pid))
        assert list((tmp_path / "run").iterdir()) == []


async def test_a_browser_that_dies_is_noticed_and_leaves_no_folder(
    program: FakeProgram, tmp_path: Path
) -> None:
    async with running(plan_of(program, tmp_path / "run")) as process:
        await first_answer(process)
        os.killpg(process.pid, signal.SIGKILL)
        await process.connection.closed.wait()
        with pytest.raises(TabLost):
            await process.connection.send("Browser.getVersion")
    assert list((tmp_path / "run").iterdir()) == []


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 1\n", "no program"], ids=["ends", "broken"])
async def test_what_ends_at_once_did_not_start(text: str, tmp_path: Path) -> None:
    async with running(plan_of(write_program(tmp_path, text), tmp_path / "run")) as process:
        with pytest.raises(BrowserUnavailable, match="ended before it answered"):
            await first_answer(process)


async def test_what_babbles_did_not_start(tmp_path: Path) -> None:
    babbler = write_program(tmp_path, "#!/bin/sh\nwhile printf 'no\\0' >&4; do :; done\n")
    async with running(plan_of(babbler, tmp_path / "run")) as process:
        with pytest.raises(BrowserUnavailable):
            await first_answer(process)


def test_a_folder_that_cannot_be_made_is_told(program: FakeProgram, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        spawn(plan_of(program, tmp_path / "file" / "run"))


async def test_resident_memory_is_that_of_the_whole_tree_and_what_it_shares_counts_once(
    tmp_path: Path,
) -> None:
    async with running(plan_of(write_program(tmp_path, STAYS), tmp_path / "run")) as process:
        await until(lambda: len(alive(process.pid)) == 4)
        sizes = [p.memory_info() for p in alive(process.pid)]
        shared = [getattr(size, "shared", 0) for size in sizes]
        whole = (sum(size.rss for size in sizes) - sum(shared) + max(shared)) >> 20
        measured = await anyio.to_thread.run_sync(resident_mb, process.pid)
        assert measured == pytest.approx(whole, abs=1)
        await process.kill()
        assert await anyio.to_thread.run_sync(resident_mb, process.pid) == 0
