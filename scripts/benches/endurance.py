"""What remains when things go wrong, or go on for long: faults, kills, idleness, two thousand."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import anyio
import psutil

from broker.settings import LaneSettings
from scripts.benches.table import Row
from scripts.benches.worlds import ask, chromiums, warm_broker, webaio
from tests.emulators.google.rules import Mode

if TYPE_CHECKING:
    from scripts.benches.worlds import World

FAULT_SEARCHES = 200
SOAK_SEARCHES = 2000
KILLS = 20
IDLE_S = 60.0
LANE_LIMIT_MS = 3000
# A captcha must not silence the searches after it, which are to meet other faults.
_NO_COOLDOWN = LaneSettings(cooldown_first_s=0.001, cooldown_max_s=0.001)


async def faults(world: World) -> list[Row]:
    """Two hundred searches, four at a time, over every fault mode on page 1 and on page 2."""
    modes = [mode for mode in Mode if mode is not Mode.OK]
    late: list[str] = []
    lost: list[str] = []
    slowest = 0

    async def one(number: int) -> None:
        nonlocal slowest
        mode = modes[number // 2 % len(modes)]
        page = 1 + number % 2
        answer = await ask(broker, f"mode:{mode}@{page} cats {number}", max_hits=30)
        lane = answer.lanes[0]
        slowest = max(slowest, lane.ms)
        if lane.ms > LANE_LIMIT_MS:
            late.append(f"{mode}@{page} {lane.ms}")
        if (page > 1 and len(answer.hits) < 9) or lane.code == "internal":  # noqa: PLR2004
            lost.append(f"{mode}@{page} {len(answer.hits)} {lane.code}")

    async with warm_broker(world.settings(lanes=_NO_COOLDOWN)) as broker:
        before = _renderers()
        for first in range(0, FAULT_SEARCHES, 4):
            async with anyio.create_task_group() as tasks:
                for number in range(first, first + 4):
                    tasks.start_soon(one, number)
        await anyio.sleep(2.0)
        renderers, tabs = _renderers(), (await broker.status()).browser.tabs
    left = list((world.home / "run").iterdir())
    return [
        Row(
            what="200 searches over all faults: slowest lane",
            measured=slowest,
            unit="ms",
            target="≤ 3000",
            note=f"late {late or 0}; page 1 lost {lost or 0}",
        ),
        Row(
            what="… renderers afterwards",
            measured=renderers,
            unit="",
            target="as before",
            floor=before,
            floor_name="before",
            note=f"{tabs} tabs, {len(left)} folders after closing",
        ),
    ]


def kills(world: World) -> list[Row]:
    """`kill -9` of the sidecar in mid-search, twenty times."""
    survivors = 0
    for number in range(KILLS):
        process = subprocess.Popen(  # noqa: S603 - our own program
            webaio("serve"),
            env=world.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        request = {"jsonrpc": "2.0", "id": 1, "method": "search"}
        warm = {**request, "params": {"query": "warm up", "providers": "google"}}
        hung = {**request, "params": {"query": f"mode:hang cats {number}", "providers": "google"}}
        process.stdin.write(json.dumps(warm).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdin.write(json.dumps(hung).encode() + b"\n")
        process.stdin.flush()
        time.sleep(0.1 + 0.02 * number)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdin.close()
        process.stdout.close()
        time.sleep(2.0)
        survivors += len(chromiums(str(world.home)))
    folders = [folder for folder in (world.home / "run").iterdir() if folder.is_dir()]
    return [
        Row(
            what="kill -9 in mid-search, 20 times: processes after 2 s",
            measured=survivors,
            unit="",
            target="0",
            note=f"{len(folders)} folders left",
        )
    ]


async def soak(world: World) -> list[Row]:
    """A minute of idleness, then two thousand searches in one broker."""
    async with warm_broker(world.settings()) as broker:
        await anyio.sleep(2.0)
        before_s = _tree_cpu_s()
        await anyio.sleep(IDLE_S)
        idle_s = _tree_cpu_s() - before_s
        sizes: list[int] = []
        failed = 0
        for number in range(SOAK_SEARCHES):
            answer = await ask(broker, f"cats {number % 50}", max_hits=10)
            failed += not answer.hits
            if number % 100 == 99:  # noqa: PLR2004
                sizes.append(_tree_rss_mb())
    early, late = sizes[2:8], sizes[-6:]
    return [
        Row(
            what="idle for a minute: CPU of the whole tree",
            measured=idle_s,
            unit="s",
            target="≈ 0",
        ),
        Row(
            what="2,000 searches: RSS of the tree at the end",
            measured=sum(late) / len(late),
            unit="MiB",
            target="flat",
            floor=sum(early) / len(early),
            floor_name="after 300 to 800",
            note=f"{failed} searches failed; browser replaced on the way",
        ),
    ]


def _tree() -> list[psutil.Process]:
    me = psutil.Process()
    return [me, *(p for p in me.children(recursive=True) if "tests.emulators" not in _line(p))]


def _line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _renderers() -> int:
    return sum("--type=renderer" in _line(process) for process in _tree())


def _tree_rss_mb() -> int:
    total = 0
    for process in _tree():
        with contextlib.suppress(psutil.Error):
            total += process.memory_info().rss
    return total >> 20


def _tree_cpu_s() -> float:
    total = 0.0
    for process in _tree():
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
    return total
