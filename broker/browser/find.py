"""Find a browser to run: the fastest that is there.

Order: the setting, chromium-headless-shell (starts several times faster and is lighter than full
Chromium), Playwright's own builds, Chrome or Chromium. `python -m broker.browser.find` prints the
one that would be taken.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from broker.errors import BrowserMissing

if TYPE_CHECKING:
    from collections.abc import Iterator

INSTALL_HINT = "scripts/setup browser"
"""The one command that installs a browser."""

_PRODUCT_S = 2.0
_NO_PROGRAM = "not an executable file"

_SHELL_NAMES = ("chromium-headless-shell", "chrome-headless-shell", "headless_shell")
_FULL_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PLAYWRIGHT_FOLDERS = (Path("~/.cache/ms-playwright"), Path("~/Library/Caches/ms-playwright"))
_PLAYWRIGHT_SHELL = "chromium_headless_shell-*/*/*headless*shell*"
_PLAYWRIGHT_FULL = ("chromium-*/*/chrome", "chromium-*/*/*.app/Contents/MacOS/*")
_WINDOWS_DRIVE = re.compile(r"/mnt/[a-z]/")
_MAC_APPS = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Executable:
    """A browser that can be run."""

    path: Path
    headless_shell: bool
    """True for the stripped build that knows no window and needs no `--headless`."""


def find_browser(
    configured: Path | None,
    search_path: str | None = None,
    playwright_folders: tuple[Path, ...] = _PLAYWRIGHT_FOLDERS,
) -> Executable:
    """The browser to run.

    Args:
        configured: the setting, which is taken or refused, never replaced.
        search_path: folders to look in, separated as in PATH; None means the process's PATH.
        playwright_folders: where Playwright keeps its builds.

    Raises:
        BrowserMissing: none is there, or the configured one cannot be run.
    """
    if configured is not None:
        path = configured.expanduser()
        if len(path.parts) == 1:
            path = Path(shutil.which(path.name, path=search_path) or path)
        if not _runnable(path):
            windows = "a Windows program, which cannot be driven from here"
            raise BrowserMissing(
                f"the configured browser {path} is {windows if of_windows(path) else _NO_PROGRAM}; "
                f"correct browser.executable (PI_WEBAIO_CHROME) or remove it to search for one"
            )
        return Executable(path=path, headless_shell=_is_shell(path))
    for path in _candidates(search_path, playwright_folders):
        if _runnable(path):
            return Executable(path=path, headless_shell=_is_shell(path))
    raise BrowserMissing(f"no Chromium was found; install one with: {INSTALL_HINT}")


def product(executable: Executable) -> str | None:
    """What the browser calls itself, such as `Chromium 156.0.8078.114`; None when it cannot say."""
    command = [str(executable.path), "--version"]
    try:
        said = subprocess.run(  # noqa: S603 - the browser that would be started anyway
            command, capture_output=True, check=False, timeout=_PRODUCT_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return said.stdout.decode("utf-8", "replace").strip() or None


def _candidates(search_path: str | None, playwright_folders: tuple[Path, ...]) -> Iterator[Path]:
    folders = [folder.expanduser() for folder in playwright_folders]
    yield from _on_path(_SHELL_NAMES, search_path)
    for folder in folders:
        yield from _newest_first(folder, _PLAYWRIGHT_SHELL)
    for folder in folders:
        for pattern in _PLAYWRIGHT_FULL:
            yield from _newest_first(folder, pattern)
    yield from _on_path(_FULL_NAMES, search_path)
    yield from _MAC_APPS


def _on_path(names: tuple[str, ...], search_path: str | None) -> Iterator[Path]:
    for name in names:
        if (found := shutil.which(name, path=search_path)) is not None:
            yield Path(found)


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    def revision(path: Path) -> tuple[int, str]:
        digits = path.relative_to(folder).parts[0].rpartition("-")[2]
        return (int(digits) if digits.isdecimal() else 0, str(path))

    return sorted(folder.glob(pattern), key=revision, reverse=True)


def _runnable(path: Path) -> bool:
    return not of_windows(path) and path.is_file() and os.access(path, os.X_OK)


def of_windows(path: Path) -> bool:
    """Whether `path` is a Windows program seen from WSL: it starts, but its pipes do not work."""
    return path.suffix == ".exe" or _WINDOWS_DRIVE.match(str(path)) is not None


def _is_shell(path: Path) -> bool:
    return "headless" in path.name and "shell" in path.name


def main() -> int:
    """Print the browser that would be run, or say which command installs one."""
    try:
        found = find_browser(None)
    except BrowserMissing as error:
        sys.stderr.write(f"{error}\n")
        return 1
    print(found.path)  # noqa: T201 - a command of its own, not the wire
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
