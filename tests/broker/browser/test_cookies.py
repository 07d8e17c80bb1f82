"""What is kept of a browser's cookies, and what a damaged file does: nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from broker.browser import cookies

if TYPE_CHECKING:
    from pathlib import Path

SOCS: dict[str, Any] = {
    "name": "SOCS",
    "value": "CAI",
    "domain": ".google.com",
    "path": "/",
    "expires": 1_900_000_000.5,
    "httpOnly": False,
    "secure": True,
    "sameSite": "Lax",
}
AS_FOUND = SOCS | {"size": 7, "session": False, "priority": "Medium", "sourceScheme": "Secure"}


def test_a_cookie_comes_back_as_it_can_be_given_to_a_browser(tmp_path: Path) -> None:
    file = tmp_path / "home" / "cookies.json"
    cookies.save(file, [AS_FOUND])
    assert cookies.load(file) == [SOCS]


def test_cookies_that_end_with_the_session_are_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "cookies.json"
    cookies.save(file, [AS_FOUND | {"session": True}, AS_FOUND])
    assert cookies.load(file) == [SOCS]


def test_saving_replaces_what_was_there_and_leaves_no_draft(tmp_path: Path) -> None:
    file = tmp_path / "cookies.json"
    cookies.save(file, [AS_FOUND, AS_FOUND | {"name": "OLD"}])
    cookies.save(file, [AS_FOUND])
    assert cookies.load(file) == [SOCS]
    assert list(tmp_path.iterdir()) == [file]


def test_the_file_and_its_folder_are_private(tmp_path: Path) -> None:
    file = tmp_path / "home" / "cookies.json"
    cookies.save(file, [AS_FOUND])
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"{}", b"null", b'["x", 1, {}]', b"\xff\xfe"],
    ids=["empty", "torn", "object", "null", "strangers", "bytes"],
)
def test_a_damaged_file_holds_no_cookies(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "cookies.json"
    file.write_bytes(content)
    assert cookies.load(file) == []


def test_an_absent_file_holds_none(tmp_path: Path) -> None:
    assert cookies.load(tmp_path / "absent") == []
    assert cookies.load(tmp_path) == []


def test_the_sound_cookies_of_a_mixed_file_are_used(tmp_path: Path) -> None:
    file = tmp_path / "cookies.json"
    file.write_bytes(orjson.dumps([7, SOCS, {"value": "nameless"}]))
    assert cookies.load(file) == [SOCS]
