"""The Chromium process we own: launched over a pipe, dead when we are.

The browser's parent is a five-word shell that waits for it and deletes its folder. When the broker
dies, even by SIGKILL, the kernel closes the pipe, Chromium exits, and the shell tidies up: no
handler of ours has to run. In the ordinary case we kill the process group and delete the folder
ourselves, which takes milliseconds; cookies worth keeping are not in the profile.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from broker.browser.cdp import PipeConnection
from broker.errors import BrowserUnavailable, TabLost
from broker.rundir import RunDir

if TYPE_CHECKING:
    from pathlib import Path

    from broker.browser.find import Executable

_GUARDIAN = 'exec 3<&0 4>&1 </dev/null >/dev/null; "$@" & exec 3<&- 4>&-; wait; rm -rf -- "$0"'
"""`sh -c` script: the pipe moves to the descriptors Chromium reads, and the shell lets go of it."""

_PIPE_BYTES = 1 << 20
"""Linux lets an unprivileged pipe grow to this; a snapshot then needs one wake-up, not five."""

_FEATURES_OFF = (
    "AcceptCHFrame",
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "InterestFeedContentSuggestions",
    "MediaRouter",
    "OptimizationHints",
    "PaintHolding",
    "Translate",
)

_FLAGS = (
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    # Nothing is sent or fetched that a request did not ask for.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-pings",
    # Tabs nobody looks at must run at full speed.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    # The DOM of one page must never come back as another's.
    "--disable-back-forward-cache",
    # We read text: pictures, fonts and sound are not loaded, without a round trip to ask.
    "--blink-settings=imagesEnabled=false",
    "--disable-remote-fonts",
    "--mute-audio",
    # No dialogs, helpers or shared memory that a small container lacks.
    "--deny-permission-prompts",
    "--disable-breakpad",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-prompt-on-repost",
    "--hide-scrollbars",
    "--password-store=basic",
    "--use-mock-keychain",
    # One set of features, so that a page behaves the same on every start.
    "--disable-field-trial-config",
    "--disable-features=" + ",".join(_FEATURES_OFF),
    # Speculative connections would bypass what a tab is allowed to reach.
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--lang=en-US",
    "--log-level=3",
)

_ORPHAN_LOOKS = 50
_ORPHAN_LOOK_S = 0.02

_SECRET = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")

_START_GRACE_S = 10.0
"""A start that takes longer than this has failed, even when the caller could wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchPlan:
    """How to start a browser."""

    executable: Executable
    run_parent: Path
    """Folder that holds the browsers' folders."""
    sandbox: bool
    extra_flags: tuple[str, ...] = ()


class ChromiumProcess:
    """A running browser. `connection.run` must be running for anything to be answered."""

    def __init__(
        self, popen: subprocess.Popen[bytes], run_dir: RunDir, connection: PipeConnection
    ) -> None:
        self._popen = popen
        self._run_dir = run_dir
        self.connection = connection
        self._ending = anyio.Lock()
        self._ended = False

    @property
    def pid(self) -> int:
        """The process group; the browser is the leader's child."""
        return self._popen.pid

    async def kill(self) -> None:
        """End the whole group, reap it and delete its folder; takes some 20 ms.

        May be called several times, also at once; all return when it has ended.
        """
        async with self._ending:
            if not self._ended:
                self.connection.close()
                await anyio.to_thread.run_sync(self._kill)
                self._ended = True

    def _kill(self) -> None:
        with suppress(ProcessLookupError):  # it may have ended, and the shell tidied up
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.wait()
        if os.getpid() == 1:
            _reap_orphans()
        self._run_dir.remove()


def _reap_orphans() -> None:
    # As the first process of a container we inherit the browser's children, and nobody else
    # would collect them.
    # They die a moment after their group was killed.
    with suppress(ChildProcessError):
        for _ in range(_ORPHAN_LOOKS):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
            time.sleep(_ORPHAN_LOOK_S)


def spawn(plan: LaunchPlan) -> ChromiumProcess:
    """Start the browser; returns before it can answer. Blocks for some milliseconds.

    Raises:
        BrowserUnavailable: the operating system refused to start it.
    """
    run_dir = RunDir.create(plan.run_parent)
    from_us, to_browser = os.pipe()
    from_browser, to_us = os.pipe()
    command = ("/bin/sh", "-c", _GUARDIAN, str(run_dir.path), *_command(plan, run_dir.path))
    try:
        popen = subprocess.Popen(  # noqa: S603 - our own argument list, no shell parsing of it
            command,
            stdin=from_us,
            stdout=to_us,
            stderr=subprocess.DEVNULL,
            # Whatever Chromium puts into "the temp folder" goes with its own folder.
            env={**_inherited_environment(), "TMPDIR": str(run_dir.path)},
            start_new_session=True,
        )
    except OSError as error:
        for fd in (to_browser, from_browser):
            os.close(fd)
        run_dir.remove()
        raise BrowserUnavailable(f"cannot start {plan.executable.path}: {error}") from error
    finally:
        os.close(from_us)
        os.close(to_us)
    for fd in (to_browser, from_browser):
        os.set_blocking(fd, False)
    _grow_pipe(from_browser)
    return ChromiumProcess(popen, run_dir, PipeConnection(from_browser, to_browser))


def _inherited_environment() -> dict[str, str]:
    """What the browser is told of our environment: no secrets, of which it has no need."""
    environment = os.environ.items()  # noqa: TID251 - handed on to the child, not read
    return {name: value for name, value in environment if not name.upper().endswith(_SECRET)}


def has_system_proxy() -> bool:
    """Whether the browser would find a proxy in the environment, and everything goes through it."""
    names = ("http_proxy", "https_proxy", "all_proxy")
    environment = _inherited_environment()
    return any(environment.get(name) or environment.get(name.upper()) for name in names)


def _grow_pipe(fd: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):  # a smaller pipe is only a little slower
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _command(plan: LaunchPlan, folder: Path) -> list[str]:
    command = [str(plan.executable.path), *_FLAGS, *plan.extra_flags]
    command.append(f"--user-data-dir={folder / 'profile'}")
    if not plan.executable.headless_shell:
        command.append("--headless=new")
    if not plan.sandbox:
        command.append("--no-sandbox")
    return command


async def first_answer(process: ChromiumProcess) -> dict[str, Any]:
    """Wait until the browser answers; return what `Browser.getVersion` says.

    Raises:
        BrowserUnavailable: it ended, or said nothing for ten seconds.
    """
    with anyio.move_on_after(_START_GRACE_S):
        try:
            return await process.connection.send("Browser.getVersion")
        except TabLost:
            raise BrowserUnavailable("the browser ended before it answered") from None
    raise BrowserUnavailable(f"the browser did not answer within {_START_GRACE_S:.0f} s")


def resident_mb(group: int) -> int:
    """Resident memory of a process and its descendants in MiB.

    What they share, the program itself above all, counts once where the system tells it apart, and
    each time elsewhere: ten renderers share half a gigabyte.
    """
    import psutil  # noqa: PLC0415 - thirty milliseconds that no first answer should wait for

    try:
        leader = psutil.Process(group)
        tree = [leader, *leader.children(recursive=True)]
    except psutil.Error:
        return 0
    own = most_shared = 0
    for process in tree:
        try:
            memory = process.memory_info()
        except psutil.Error:
            continue  # it ended meanwhile
        shared = getattr(memory, "shared", 0)
        own += memory.rss - shared
        most_shared = max(most_shared, shared)
    return (own + most_shared) >> 20
