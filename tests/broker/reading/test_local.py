"""Files of this machine: which are read, and how often."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.reading import reader
from broker.reading.files import LocalFile, read_file
from broker.reading.way import Way
from tests.broker.reading.doubles import bench

if TYPE_CHECKING:
    from pathlib import Path

    from broker.reading.drafts import Draft

pytestmark = pytest.mark.virtual_clock

TEXT = "# Herons\n\nThey stand in shallow water."


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="there is no /proc")  # noqa: PTH110
async def test_what_the_kernel_tells_of_this_process_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to("/proc/self/environ")
    async with bench(tmp_path / "home") as made:
        for source in ("/proc/self/environ", str(tmp_path / "link.txt"), "/proc/self/cmdline"):
            page = await made.one(source)
            assert page.error is not None
            assert page.error.code == "not_a_file"
            assert "kernel" in page.error.message
            assert page.text == ""


async def test_a_file_that_is_asked_for_several_times_at_once_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "herons.md"
    path.write_text(TEXT)
    read: list[Path] = []

    def counted(asked: Path) -> LocalFile:
        read.append(asked)
        return read_file(asked)

    monkeypatch.setattr(reader, "read_file", counted)
    async with bench(tmp_path / "home") as made:
        pages = []

        async def ask() -> None:
            pages.append(await made.one(str(path)))

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(ask)
        assert [page.text for page in pages] == [TEXT] * 3
        assert read == [path]


async def test_a_file_that_is_not_made_a_document_in_time_is_named(tmp_path: Path) -> None:
    path = tmp_path / "slow.pdf"
    path.write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")

    async def never(*_: object) -> Draft:
        await anyio.sleep_forever()
        raise AssertionError

    async with bench(tmp_path / "home") as made:
        way = made.reader._way._way
        assert isinstance(way, Way)
        way._convert = never
        page = await made.one(str(path), deadline_s=2.0)
        assert page.error is not None
        told = (page.error.code, page.error.layer, page.error.category)
        assert told == ("timeout", "broker", "processing")
        assert str(path) in page.error.message
