"""The process around a conversion: what it costs when it crashes, hangs, grows or is left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
import pytest

from broker.deadline import Deadline
from broker.documents import converter, records
from broker.documents.converter import Converter
from broker.documents.failures import Unconverted
from tests.waiting import until

LONG_S = 30.0
MAIL = (
    b"From: ada@ferry.example\r\nTo: otto@ferry.example\r\nSubject: Tin\r\n\r\nThe tin is wet.\r\n"
)
HELPER = [sys.executable, "-c"]

HANGS = """
import os, pathlib, subprocess, sys, time
helper = subprocess.Popen(["sleep", "1000"])
pathlib.Path(sys.argv[1], "pids").write_text(f"{os.getpid()} {helper.pid}")
time.sleep(1000)
"""
GROWS = """
from broker.documents import worker
def grow(body):
    return bytearray(worker.MEMORY_BYTES)
worker._converter = lambda *_: grow
import sys
sys.exit(worker.main(sys.argv[1:]))
"""
SPINS = """
import signal, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
while True: pass
"""
CRASHES = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
FLOODS = "import sys\nwhile True: sys.stdout.buffer.write(b'x' * 1_000_000)"
ENDS_QUIETLY = "print('not what was agreed')"
TELLS_ITS_ENVIRONMENT = """
import json, os, sys
print(json.dumps({"markdown": json.dumps([sorted(os.environ), sys.stdin.read(), os.getsid(0)])}))
"""


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except FileNotFoundError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def told_by(folder: Path) -> list[int]:
    """The processes of the conversions that hang, two for each."""
    told = [file.read_text(encoding="ascii") for file in folder.glob("webaio-*/pids")]
    return [int(pid) for pids in told for pid in pids.split()]


async def failing(program: str, folder: Path, *, budget_s: float = LONG_S) -> Unconverted:
    """What is told of a conversion that does what `program` does."""
    with pytest.raises(Unconverted) as caught:
        await Converter(folder, [*HELPER, program]).convert(MAIL, Deadline.after(budget_s))
    assert left_in(folder) == []
    return caught.value


async def test_a_message_is_read_and_nothing_is_left(tmp_path: Path) -> None:
    document = await Converter(tmp_path).convert(MAIL, Deadline.after(LONG_S))
    assert (document.title, document.byline) == ("Tin", "ada@ferry.example")
    assert "The tin is wet." in document.markdown
    assert left_in(tmp_path) == []


async def test_a_crash_costs_only_its_document(tmp_path: Path) -> None:
    error = await failing(CRASHES, tmp_path)
    assert (error.code, "signal 11" in str(error)) == ("conversion_failed", True)


async def test_memory_is_bounded(tmp_path: Path) -> None:
    error = await failing(GROWS, tmp_path)
    assert (error.code, "memory" in str(error)) == ("conversion_failed", True)


async def test_processor_time_is_bounded(tmp_path: Path) -> None:
    error = await failing(SPINS, tmp_path)
    assert (error.code, "time" in str(error)) == ("conversion_failed", True)


async def test_an_answer_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(converter, "MAX_ANSWER_BYTES", 5_000_000)
    assert (await failing(FLOODS, tmp_path)).code == "too_large"


async def test_an_answer_that_is_none_is_a_failure(tmp_path: Path) -> None:
    assert (await failing(ENDS_QUIETLY, tmp_path)).code == "conversion_failed"


async def test_a_program_that_cannot_be_started_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(Unconverted, match="no process can be started"):
        await Converter(tmp_path, ["/nowhere/at/all"]).convert(MAIL, Deadline.after(LONG_S))
    assert left_in(tmp_path) == []


async def test_whoever_gives_up_ends_it_with_all_that_it_started(tmp_path: Path) -> None:
    async with anyio.create_task_group() as tasks:
        hanging = Converter(tmp_path, [*HELPER, HANGS])
        tasks.start_soon(hanging.convert, MAIL, Deadline.after(LONG_S))
        await until(lambda: len(told_by(tmp_path)) == 2)
        pids = told_by(tmp_path)
        assert all(map(is_running, pids))
        tasks.cancel_scope.cancel()
    await until(lambda: not any(map(is_running, pids)))
    assert left_in(tmp_path) == []


async def test_a_home_that_takes_nothing_costs_no_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").write_text("a file where a folder should be")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spare"))
    (tmp_path / "spare").mkdir()
    found = await Converter(tmp_path / "home").convert(MAIL, Deadline.after(LONG_S))
    assert "The tin is wet." in found.markdown
    (spare,) = (tmp_path / "spare").iterdir()
    assert (spare.stat().st_mode & 0o777, list(spare.iterdir())) == (0o700, [])

    spare.chmod(0o777)
    with pytest.raises(Unconverted, match="no process can be started"):
        await Converter(tmp_path / "home").convert(MAIL, Deadline.after(LONG_S))


async def test_two_are_under_way_at_a_time(tmp_path: Path) -> None:
    async with anyio.create_task_group() as tasks:
        hanging = Converter(tmp_path, [*HELPER, HANGS])
        for _ in range(3):
            tasks.start_soon(hanging.convert, MAIL, Deadline.after(LONG_S))
        await until(lambda: len(told_by(tmp_path)) == 4)
        assert hanging._slots.statistics().tasks_waiting == 1
        tasks.cancel_scope.cancel()


async def test_it_is_told_no_secret_and_has_nothing_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXA_API_KEY", "secret")
    telling = Converter(tmp_path, [*HELPER, TELLS_ITS_ENVIRONMENT])
    document = await telling.convert(MAIL, Deadline.after(LONG_S))
    assert "EXA_API_KEY" not in document.markdown
    assert '"TMPDIR"' in document.markdown
    assert f", {os.getsid(0)}]" not in document.markdown


async def test_what_a_dead_broker_left_is_swept_at_the_next_conversion(tmp_path: Path) -> None:
    left = tmp_path / "webaio-0123456789ab"
    left.mkdir()
    (left / "lock").touch()
    (left / "input").write_bytes(MAIL)
    await Converter(tmp_path).convert(MAIL, Deadline.after(LONG_S))
    assert left_in(tmp_path) == []


BROKER = f"""
import sys, anyio
from pathlib import Path
from broker.deadline import Deadline
from broker.documents.converter import Converter
PROGRAM = '''
import os, pathlib, sys, threading, time
from broker.documents.worker import _watch
folder = pathlib.Path(sys.argv[1])
threading.Thread(target=_watch, args=(int(sys.argv[3]), folder), daemon=True).start()
(folder.parent / "pid").write_text(str(os.getpid()))
time.sleep(1000)
'''
converter = Converter(Path(sys.argv[1]), [sys.executable, "-c", PROGRAM])
async def main():
    await converter.convert({MAIL!r}, Deadline.after(100))
anyio.run(main)
"""


async def test_when_the_broker_is_killed_it_ends_and_tidies_up(tmp_path: Path) -> None:
    broker = subprocess.Popen([*HELPER, BROKER, str(tmp_path)])  # noqa: ASYNC220, S603
    pid = tmp_path / "pid"
    await until(lambda: pid.exists() and pid.read_text(encoding="ascii"))
    broker.send_signal(signal.SIGKILL)
    broker.wait()
    child = int(pid.read_text(encoding="ascii"))
    await until(lambda: not is_running(child))
    assert left_in(tmp_path) == ["pid"]


def test_a_text_too_long_for_an_answer_is_cut_between_paragraphs_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(records, "MAX_ANSWER_BYTES", 5000)
    text = "\n\n".join(f"Paragraph {n} about the ferry." for n in range(1000))
    answer = records.packed(records.Converted(markdown=text, notes=["kept"]))
    cut = records.unpacked(answer)
    assert len(answer) <= 5000
    assert len(cut.markdown) > 3000
    assert text.startswith(cut.markdown + "\n\n")
    assert cut.notes == [
        "kept",
        f"only the first {len(cut.markdown):,} of {len(text):,} characters are shown",
    ]
