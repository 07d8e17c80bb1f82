"""Searching a folder of Markdown files: its own index, kept up to date, or one in memory."""

from __future__ import annotations

import errno
import os
import sqlite3
from typing import TYPE_CHECKING

import pytest

from broker.errors import RequestInvalid
from broker.pull import folder
from broker.pull.page import Sheet, split, written
from broker.pull.state import open_manifest
from broker.reading.records import RecallRequest
from broker.store.file import FILE_NAME
from broker.store.split import split_markdown

if TYPE_CHECKING:
    from pathlib import Path

    from broker.reading.records import Recalled
    from broker.store.records import Passage

INDEX = f".webaio/{FILE_NAME}"
HERON = "The heron waits at the seventh lock."
OTTER = "The otter sleeps under the second bridge."


def page(title: str, body: str) -> bytes:
    sheet = Sheet(
        title=title,
        body=body,
        digest="",
        hrefs=(),
        unfollowed=0,
        words="",
        slugs=(),
        anchors={},
        warnings=("odd",),
    )
    return written(sheet, url=f"https://docs.example/{title}", etag='"e"', now_s=0.0)


@pytest.fixture
def pulled(tmp_path: Path) -> Path:
    """A pull's folder with two pages."""
    out = tmp_path / "out"
    manifest = open_manifest(out, "https://docs.example/")
    manifest.folder.write("a/heron.md", page("Heron", f"# Heron\n\n## Habits\n\n{HERON}\n"))
    manifest.folder.write("otter.md", page("Otter", f"# Otter\n\n{OTTER}\n"))
    manifest.close()
    return out


def best(out: Path, query: str) -> Passage:
    return folder.search(out, query)[0]


def test_a_passage_is_cited_by_file_page_section_and_offset(pulled: Path) -> None:
    found = best(pulled, "where does a heron wait")
    assert (found.document_id, found.title) == ("a/heron.md", "Heron")
    assert (found.url, found.section) == ("https://docs.example/Heron", "Heron / Habits")
    text = (pulled / "a" / "heron.md").read_text()
    assert text[found.offset :].startswith(found.text)
    assert HERON in found.text
    assert "fetched" not in "".join(each.text for each in folder.search(pulled, "heron fetched"))


def test_files_that_change_come_and_go_are_found_as_they_are(pulled: Path) -> None:
    assert best(pulled, "heron").document_id == "a/heron.md"
    (pulled / "a" / "heron.md").unlink()
    (pulled / "otter.md").write_bytes(page("Otter", "# Otter\n\nIt has moved to the weir.\n"))
    (pulled / "new.md").write_text("# Kingfisher\n\nIt dives from the crane.\n")
    assert folder.search(pulled, "heron") == []
    assert folder.search(pulled, "bridge") == []
    assert best(pulled, "weir").document_id == "otter.md"
    found = best(pulled, "kingfisher crane")
    assert (found.document_id, found.title) == ("new.md", "Kingfisher")
    assert found.url == (pulled / "new.md").as_uri()


def test_a_file_that_has_not_changed_is_not_read_again(pulled: Path) -> None:
    assert best(pulled, "heron").document_id == "a/heron.md"
    with sqlite3.connect(pulled / INDEX) as db:
        db.execute("UPDATE documents SET title = 'From the index' WHERE id = 'a/heron.md'")
    db.close()
    assert best(pulled, "heron").title == "From the index"


def test_a_folder_that_no_pull_has_made_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(f"# Notes\n\n{HERON}\n")
    assert best(tmp_path, "seventh lock").document_id == "notes.md"
    assert [file.name for file in tmp_path.iterdir()] == ["notes.md"]


def test_an_index_that_cannot_be_used_is_done_without(pulled: Path) -> None:
    (pulled / INDEX).write_bytes(b"this is no database" * 100)
    assert best(pulled, "heron").document_id == "a/heron.md"
    (pulled / INDEX).unlink()
    (pulled / INDEX).mkdir()
    assert best(pulled, "heron").document_id == "a/heron.md"


def test_an_index_that_another_process_writes_is_done_without(pulled: Path) -> None:
    folder.search(pulled, "heron")
    (pulled / "new.md").write_text("# Kingfisher\n\nIt dives.\n")
    other = sqlite3.connect(pulled / INDEX, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert best(pulled, "kingfisher").document_id == "new.md"
    other.execute("ROLLBACK")
    other.close()


def test_an_index_that_leads_elsewhere_is_not_written(pulled: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"")
    (pulled / INDEX).symlink_to(tmp_path / "theirs")
    assert best(pulled, "heron").document_id == "a/heron.md"
    assert (tmp_path / "theirs").read_bytes() == b""


def test_hidden_files_links_and_what_is_no_file_are_passed_over(pulled: Path) -> None:
    outside = pulled.parent / "outside.md"
    outside.write_text("The secret is under the mat.")
    (pulled / "link.md").symlink_to(outside)
    (pulled / "folder").symlink_to(pulled.parent)
    (pulled / ".hidden.md").write_text("The secret is here.")
    os.mkfifo(pulled / "fifo.md")
    (pulled / "bytes.md").write_bytes(b"\xff\xfe\x00 the badger digs")
    assert folder.search(pulled, "secret") == []
    assert best(pulled, "badger").document_id == "bytes.md"


def answer(out: Path, query: str) -> Recalled:
    return folder.recalled(out, RecallRequest(query=query), 10_000)


def test_an_odd_file_costs_itself_and_is_named(
    pulled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (pulled / "yaml.md").write_text('---\ntitle: "C:\\\\path \\x41"\n---\n\nThe badger digs.\n')
    (pulled / "nul.md").write_bytes(b"# The \0stoat\n\nIt runs along the \0 wall.\n")
    (pulled / "folder.md").mkdir()
    (pulled / "folder.md" / "vole.md").write_text("The vole swims.")
    with (pulled / "large.md").open("wb") as file:
        file.truncate(50_000_000)
    (pulled / "gone.md").write_text("The marten climbs.")
    (pulled / "breaks.md").write_text("The polecat hides.")
    whole = split_markdown

    def odd(text: str) -> object:
        (pulled / "gone.md").unlink(missing_ok=True)
        if "polecat" in text:
            raise RecursionError
        return whole(text)

    monkeypatch.setattr(folder, "split_markdown", odd)
    found = answer(pulled, "heron")
    assert found.passages[0].id == "a/heron.md"
    named = "large.md (larger than 10 MB), breaks.md (RecursionError), gone.md (No such file"
    assert f"3 of the files in {pulled} could not be searched: {named}" in found.warnings[0]
    ids = {"badger": "yaml.md", "stoat": "nul.md", "vole": "folder.md/vole.md"}
    assert {word: best(pulled, word).document_id for word in ids} == ids


def test_a_file_that_cannot_be_read_any_more_is_not_quoted(
    pulled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer(pulled, "heron").warnings == ()
    (pulled / "a" / "heron.md").write_text(HERON * 2)

    def broken(_text: str) -> object:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(folder, "split_markdown", broken)
    found = answer(pulled, "heron")
    assert found.passages == ()
    assert "a/heron.md (Input/output error)" in found.warnings[0]


def test_many_odd_files_are_counted(pulled: Path) -> None:
    for number in range(folder._NAMED + 2):
        with (pulled / f"{number}.md").open("wb") as file:
            file.truncate(20_000_000)
    assert answer(pulled, "heron").warnings[0].endswith("and 2 more")


def test_names_that_are_no_text_are_found_apart(pulled: Path) -> None:
    for byte in (b"\xe8", b"\xe9"):
        name = os.fsencode(pulled) + b"/caf" + byte + b".md"
        with open(name, "w") as file:  # noqa: PTH123 - a name of bytes
            file.write(f"The pine number {byte.hex()} stands.")
    assert best(pulled, "pine e8").document_id == r"caf\xe8.md"
    assert best(pulled, "pine e9").document_id == r"caf\xe9.md"
    assert best(pulled, "pine e9").url.endswith("/caf%E9.md")


def test_offsets_count_the_ends_of_lines_that_a_file_has(pulled: Path) -> None:
    text = f'---\ntitle: "Crane"\n---\n\n# One\n\ntext\n\n# Two\n\n{OTTER} Again.\n'
    (pulled / "crlf.md").write_bytes(text.replace("\n", "\r\n").encode())
    (pulled / "otter.md").unlink()
    found = best(pulled, "otter again")
    assert (found.document_id, found.title, found.section) == ("crlf.md", "Crane", "Two")
    whole = (pulled / "crlf.md").read_bytes().decode()
    assert whole[found.offset :].startswith(found.text)


def test_words_of_scripts_without_spaces_are_found(pulled: Path) -> None:
    (pulled / "図書.md").write_text("# 東京大学\n\n図書館は九時に開く。\n")
    assert best(pulled, "図書館").document_id == "図書.md"


@pytest.mark.parametrize("name", ["none", "file.md"])
def test_what_is_no_folder_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.md").write_text("x")
    with pytest.raises(RequestInvalid, match=f"{name} is no folder that can be read"):
        folder.search(tmp_path / name, "x")


def test_too_many_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "MAX_FILES", 2)
    for name in "abc":
        (tmp_path / f"{name}.md").write_text("x")
    with pytest.raises(RequestInvalid, match="holds more than 2 Markdown files"):
        folder.search(tmp_path, "x")


@pytest.mark.parametrize(
    "title", ['a "quoted" one', "back\\slash", "two\nlines", "--- ", "é 文 \u2028 \x85", "a: b #c"]
)
def test_facts_in_front_come_back_as_they_went_in(title: str) -> None:
    text = page(title, "# Body\n\n---\n\ntext").decode()
    facts, start = split(text)
    assert (facts["title"], facts["etag"]) == (title, '"e"')
    assert text[start:] == "# Body\n\n---\n\ntext\n"
    assert text.count("\n---\n") == 2


@pytest.mark.parametrize("text", ["", "# A\n", "---\n", "---\ntitle: x\n", "--- a\n---\n"])
def test_a_text_without_facts_begins_at_once(text: str) -> None:
    assert split(text) == ({}, 0)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("A line.\n\n# Beaver notes\n\nThe heron waits.\n", "Beaver notes"),
        ("The heron waits.\n", "notes"),
        ('---\ntitle: "Named"\n---\n\n# Beaver notes\n\nThe heron waits.\n', "Named"),
        ("```\n# no heading\n```\n\nThe heron waits.\n", "notes"),
    ],
)
def test_a_file_is_called_by_its_facts_its_heading_or_its_name(
    tmp_path: Path, text: str, title: str
) -> None:
    (tmp_path / "notes.md").write_text(text)
    assert folder.search(tmp_path, "heron")[0].title == title
