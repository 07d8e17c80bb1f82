"""The folder and the record: nothing half, nothing outside, nothing forgotten."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from broker.errors import RequestInvalid
from broker.pull.disk import Folder, Unwritable
from broker.pull.records import Status
from broker.pull.scope import Scope
from broker.pull.state import FILE, Entry, open_manifest

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://docs.example/guide/"
ENTRY = Entry(
    key="/guide/a",
    url=f"{URL}a",
    status=Status.PULLED,
    file="a.md",
    title="A, é 文",
    etag='"1"',
    digest="d",
    words="w",
    slugs=("a", "b"),
    anchors={"x": 1},
    depth=2,
    steps=1,
    found=(f"{URL}b",),
)


def test_everything_is_known_again(tmp_path: Path) -> None:
    manifest = open_manifest(tmp_path / "new" / "out", URL)
    manifest.folder.write("a.md", b"text")
    manifest.put(ENTRY, Entry(key="/old", url="u", status=Status.ALIAS, same_as="/guide/a"))
    manifest.put_scope(Scope.of(URL), "https://new.example/")
    manifest.put_listed([f"{URL}c"])
    manifest.close()
    again = open_manifest(tmp_path / "new" / "out", f"{URL}#top")
    assert again.entries == manifest.entries
    assert (again.scope, again.begin) == (Scope.of(URL), "https://new.example/")
    assert again.listed == (f"{URL}c",)
    assert again.pulled() == [ENTRY]
    assert again.notes == []
    again.close()


def test_half_a_line_and_half_a_file_are_cleared_away(tmp_path: Path) -> None:
    manifest = open_manifest(tmp_path, URL)
    manifest.folder.write("a.md", b"text")
    manifest.put(ENTRY)
    manifest.close()
    before = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(before + b'{"key": "/guide/b", "url": "ht')
    (tmp_path / ".webaio" / "77-1.part").write_bytes(b"hal")
    again = open_manifest(tmp_path, URL)
    again.put(Entry(key="/guide/c", url="c", status=Status.FAILED))
    again.close()
    assert (tmp_path / FILE).read_bytes().startswith(before + b'{"key":"/guide/c"')
    assert [file.name for file in (tmp_path / ".webaio").iterdir()] == ["manifest.ndjson"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b'{"key": 1}',
        b'{"key": "k", "status": "odd"}',
        b'{"key": "k", "url": "u", "status": []}',
        b'{"key": "k", "url": 6, "status": "failed"}',
        b'{"key": 5, "url": "u", "status": "failed"}',
        b'{"key": "k", "status": "failed"}',
        b'{"key": "k", "url": "u", "status": "failed", "file": 7}',
        b'{"key": "k", "url": "u", "status": "failed", "depth": "1"}',
        b'{"key": "k", "url": "u", "status": "failed", "found": "abc"}',
        b'{"key": "k", "url": "u", "status": "failed", "found": [1]}',
        b'{"key": "k", "url": "u", "status": "failed", "anchors": [1]}',
        b'{"key": "k", "url": "u", "status": "failed", "anchors": {"a": "b"}}',
        b'{"key": "k", "url": "u", "status": "failed", "etag": 1}',
        b'{"key": "k", "url": "u", "status": "failed", "other": "x"}',
        b'{"scope": {"x": 1}}',
        b'{"scope": "x", "begin": "y"}',
        b'{"scope": {"origin": 1, "prefix": ""}, "begin": "y"}',
        b'{"scope": {"origin": "http://[", "prefix": ""}, "begin": "y"}',
        b'{"scope": {"origin": "https://docs.example", "prefix": ""}, "begin": 1}',
        b'{"listed": [1, null]}',
        b'{"listed": "abc"}',
    ],
)
def test_a_line_that_somebody_else_wrote_is_passed_over(tmp_path: Path, line: bytes) -> None:
    manifest = open_manifest(tmp_path, URL)
    manifest.folder.write("a.md", b"text")
    manifest.put(ENTRY)
    manifest.close()
    with (tmp_path / FILE).open("ab") as file:
        file.write(line + b"\n")
    manifest = open_manifest(tmp_path, URL)
    assert manifest.entries == {ENTRY.key: ENTRY}
    assert (manifest.scope, manifest.listed) == (None, None)
    assert "that no pull writes were left out (1)" in manifest.notes[0]
    manifest.close()


def test_a_page_whose_file_is_gone_is_not_done(tmp_path: Path) -> None:
    manifest = open_manifest(tmp_path, URL)
    manifest.put(ENTRY)
    manifest.close()
    again = open_manifest(tmp_path, URL)
    assert (again.pulled(), again.entries["/guide/a"].again) == ([], True)
    assert again.entries["/guide/a"].reason == "its file a.md is gone"
    again.close()


def test_no_two_pulls_have_one_folder(tmp_path: Path) -> None:
    manifest = open_manifest(tmp_path, URL)
    with pytest.raises(RequestInvalid, match="another pull is at work"):
        open_manifest(tmp_path, URL)
    manifest.close()
    open_manifest(tmp_path, URL).close()


def test_a_record_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".webaio").mkdir()
    (tmp_path / FILE).write_text('{"webaio": "pull", "version": 99}\n')
    with pytest.raises(RequestInvalid, match="no record that this version can go on with"):
        open_manifest(tmp_path, URL)


def test_what_is_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(Unwritable, match="cannot be used"):
        open_manifest(tmp_path / "file", URL)
    with pytest.raises(Unwritable, match="cannot be used"):
        open_manifest(tmp_path / "file" / "below", URL)


def test_our_part_of_the_folder_may_not_lead_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".webaio").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unwritable, match=r"manifest\.ndjson cannot be written"):
        open_manifest(tmp_path / "out", URL)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../x.md", "a/../../x.md", "/etc/x.md", "a//x.md", "./x.md", "", "a/\0.md"]
)
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = Folder(tmp_path / "out")
    with pytest.raises(OSError, match=r".*"):
        folder.write(name, b"x")
    with pytest.raises(OSError, match=r".*"):
        folder.read(name)
    assert not folder.has(name)
    folder.close()


def test_links_in_the_folder_are_not_followed(tmp_path: Path) -> None:
    folder, outside = Folder(tmp_path / "out"), tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("theirs")
    (tmp_path / "out" / "a").symlink_to(outside)
    (tmp_path / "out" / "x.md").symlink_to(outside / "x.md")
    for name in ("a/x.md", "a/b/x.md"):
        with pytest.raises(OSError, match=r".*"):
            folder.write(name, b"ours")
    with pytest.raises(OSError, match=r".*"):
        folder.read("x.md")
    folder.write("x.md", b"ours")  # in place of the link
    assert (outside / "x.md").read_text() == "theirs"
    assert folder.read("x.md") == b"ours"
    folder.close()


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    os.mkfifo(tmp_path / "a.md")
    assert not folder.has("a.md")
    with pytest.raises(OSError, match=r".*"):
        folder.read("a.md")
    folder.close()
