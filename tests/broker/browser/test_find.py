"""Which browser is run where there are several, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from broker.browser.find import INSTALL_HINT, Executable, find_browser, of_windows, product
from broker.errors import BrowserMissing

if TYPE_CHECKING:
    from collections.abc import Callable

    Install = Callable[[str], Path]

NOWHERE = ""


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Put an executable file at a place below the test's folder."""

    def make(place: str) -> Path:
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path

    return make


def found(tmp_path: Path, search_path: str | None = None) -> Path:
    """What is found with the folders `bin` on the path and `pw` of Playwright."""
    search_path = str(tmp_path / "bin") if search_path is None else search_path
    return find_browser(None, search_path, (tmp_path / "pw",)).path


PLACES = (
    "bin/chromium-headless-shell",
    "bin/chrome-headless-shell",
    "bin/headless_shell",
    "pw/chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell",
    "pw/chromium_headless_shell-999/chrome-linux/headless_shell",
    "pw/chromium-1200/chrome-linux64/chrome",
    "pw/chromium-999/chrome-linux/chrome",
    "bin/chromium",
    "bin/chromium-browser",
    "bin/google-chrome",
    "bin/google-chrome-stable",
    "bin/chrome",
)
"""From the first choice to the last; of Playwright's builds the newest revision as a number."""


def test_the_fastest_browser_that_is_there_is_taken(tmp_path: Path, install: Install) -> None:
    installed = [install(place) for place in PLACES]
    for path in installed:
        assert found(tmp_path) == path
        path.unlink()


@pytest.mark.parametrize("place", PLACES)
def test_a_headless_shell_is_known_as_one(place: str, install: Install) -> None:
    path = install(place)
    expected = Executable(path=path, headless_shell="headless" in place)
    assert find_browser(path) == expected


def test_what_cannot_be_run_is_passed_over(tmp_path: Path, install: Install) -> None:
    install("bin/chromium-headless-shell").chmod(0o644)
    (tmp_path / "pw/chromium_headless_shell-7/x/headless_shell").mkdir(parents=True)
    chromium = install("bin/chromium")
    assert found(tmp_path) == chromium


@pytest.mark.parametrize(
    "path",
    [
        "/mnt/c/Program Files/Google/Chrome/Application/chrome",
        "/mnt/d/chromium/chrome",
        "/opt/tools/chrome.exe",
    ],
)
def test_a_windows_program_is_known_by_its_place_or_name(path: str) -> None:
    assert of_windows(Path(path))


@pytest.mark.parametrize(
    "path", ["/mnt/data/chrome", "/mnt/chrome", "/usr/bin/chromium", "mnt/c/x"]
)
def test_a_mounted_disk_is_not_windows(path: str) -> None:
    assert not of_windows(Path(path))


def test_the_setting_is_taken_whatever_else_is_there(tmp_path: Path, install: Install) -> None:
    install("bin/chromium-headless-shell")
    mine = install("mine/my browser")
    search_path = str(tmp_path / "bin")
    assert find_browser(mine, search_path) == Executable(path=mine, headless_shell=False)


@pytest.mark.parametrize("place", ["absent", "folder", "text", "chrome.exe"])
def test_a_setting_that_is_no_browser_is_refused_and_never_replaced(
    place: str, tmp_path: Path, install: Install
) -> None:
    install("bin/chromium-headless-shell")
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("not a program")
    install("chrome.exe")
    with pytest.raises(BrowserMissing) as caught:
        find_browser(tmp_path / place, str(tmp_path / "bin"))
    assert str(tmp_path / place) in caught.value.message
    assert "PI_WEBAIO_CHROME" in caught.value.message
    assert ("Windows" in caught.value.message) == (place == "chrome.exe")


def test_the_setting_may_begin_with_the_home_folder(
    tmp_path: Path, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = install("chromium")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_browser(Path("~/chromium")).path == mine


def test_where_there_is_none_the_message_names_the_one_command(tmp_path: Path) -> None:
    with pytest.raises(BrowserMissing, match=INSTALL_HINT):
        found(tmp_path, NOWHERE)


def test_a_browser_says_what_it_is(install: Install) -> None:
    path = install("bin/chromium")
    path.write_text("#!/bin/sh\necho ' Chromium 156.0 '\n")
    assert product(Executable(path=path, headless_shell=False)) == "Chromium 156.0"


@pytest.mark.parametrize("text", ["#!/bin/sh\n", "no program"], ids=["silent", "broken"])
def test_one_that_says_nothing_has_no_name(text: str, install: Install) -> None:
    path = install("bin/chromium")
    path.write_text(text)
    assert product(Executable(path=path, headless_shell=False)) is None
