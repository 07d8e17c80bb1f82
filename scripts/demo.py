"""Searching, a captcha and the fallback, reading, recalling and pulling, without the internet.

Starts the loopback web of the tests, which answers like Google does, and a documentation site
beside it; runs the real `webaio` in its real Chromium against them, with a folder for its state
that is thrown away afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from broker.settings_checks import VARIABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
WEBAIO = Path(sys.executable).with_name("webaio")

KEPT_VARIABLES = {"PI_WEBAIO_CHROME", "PI_WEBAIO_DEBUG"}
"""What the user may choose for the demo too; everything else of theirs would get in its way."""

SHOWN_HITS = 3
SHOWN_LINES = 12
WORDS = "warm headless browsers"
ASKED = "what is closed by the brisk anvil"
"""Answered by one sentence of one guide of the documentation site."""
FOUND = "brisk anvil"
PULLED = 8


@dataclass(frozen=True)
class Run:
    """One command that was run and shown."""

    exit_code: int
    output: str


class Show:
    """Runs commands as a person would, prints what they answer, and keeps the score."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.failures: list[str] = []

    def title(self, text: str) -> None:
        """Say what comes next."""
        print(f"\n── {text}\n")

    def run(self, *words: str, shown: Callable[[str], str]) -> Run:
        """Run `webaio` and print what it says, as `shown`; its stderr is this process's."""
        print("$ webaio", *(f'"{word}"' if " " in word else word for word in words), flush=True)
        start_s = time.perf_counter()
        done = subprocess.run(  # noqa: S603 - our own program
            [WEBAIO, *words],
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        elapsed_s = time.perf_counter() - start_s
        print(shown(done.stdout), end="")
        print(f"({elapsed_s:.2f} s from process start to exit, exit code {done.returncode})")
        return Run(done.returncode, done.stdout)

    def expect(self, wish: str, *, fulfilled: bool) -> None:
        """Count a failure unless the wish is fulfilled."""
        if not fulfilled:
            print(f"demo: FAILED: {wish}")
            self.failures.append(wish)


def main() -> int:
    argparse.ArgumentParser(prog="demo", description=__doc__).parse_args()
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # typed as any TextIO
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    print("This is a demo on a loopback web: every page below is made up on this machine, no")
    print("internet is used. Chromium, the search lane and the command are the real ones.")
    with (
        loopback_web("web") as origin,
        loopback_web("docsite") as docs,
        tempfile.TemporaryDirectory(prefix="webaio-demo-") as home,
    ):
        show = Show(environment(origin, Path(home)))
        show_paging(show)
        control(origin, {"rules": [{"mode": "captcha"}]})
        show_captcha(show)
        show_reading(show, f"{docs}/docs/part-a")
        show_pulling(show, f"{docs}/docs/part-a/", str(Path(home, "docs")))
    print(f"\ndemo: {'failed' if show.failures else 'done'}")
    return 1 if show.failures else 0


def show_paging(show: Show) -> None:
    show.title("Thirty hits from three pages, each 0.3 s away; the second and third load together")
    words = ("search", "--provider", "google", "--max", "30", f"{WORDS} mode:slow=0.3")
    search = show.run(*words, shown=fewer_hits)
    show.expect("the search is answered", fulfilled=search.exit_code == 0)
    show.expect("three pages are read", fulfilled="3 pages" in search.output)


def show_captcha(show: Show) -> None:
    show.title("Google asks for a captcha: reported, not solved; the next provider takes over")
    walled = show.run("search", "--max", "5", WORDS, shown=fewer_hits)
    show.expect("the captcha is named", fulfilled="captcha" in walled.output)
    show.expect("another provider answers", fulfilled=walled.exit_code == 0)

    show.title("Google is now left alone, by every process, and the status says for how long")
    status = show.run("status", shown=str)
    show.expect("the cooldown is shown", fulfilled="left alone for" in status.output)

    show.title("The next search does not ask Google at all, and says so")
    cooling = show.run("search", "--max", "5", WORDS, shown=fewer_hits)
    show.expect("the lane is cooling", fulfilled="google: cooling" in cooling.output)


def show_reading(show: Show, folder: str) -> None:
    guides = [f"{folder}/guide-{number}.html" for number in (1, 2, 3)]
    show.title("A page: its main text as Markdown, with an id; it is kept from here on")
    page = show.run("fetch", guides[0], shown=fewer_lines)
    found = re.search(r"^id (\S+) ", page.output, re.MULTILINE)
    show.expect("the page is read and has an id", fulfilled=found is not None)
    if found is None:
        return

    show.title("A place in it, by its id: nothing is asked of the site")
    place = show.run("read", found[1], "--find", FOUND, shown=fewer_lines)
    show.expect("the place is found", fulfilled=FOUND in place.output)

    show.title("A question to three pages: the passages that answer it, the best first")
    passages = show.run("fetch", *guides, "--query", ASKED, shown=fewer_lines)
    show.expect("a passage answers", fulfilled=FOUND in passages.output)

    show.title("The same question to everything that was read")
    recalled = show.run("recall", ASKED, shown=fewer_lines)
    show.expect("it is recalled", fulfilled=FOUND in recalled.output)


def show_pulling(show: Show, url: str, out: str) -> None:
    show.title(f"A part of a documentation site as Markdown files, {PULLED} pages for now")
    pulled = show.run("pull", url, "--out", out, "--max", str(PULLED), shown=fewer_lines)
    show.expect("the pages are pulled", fulfilled=f"{PULLED} pages in" in pulled.output)

    show.title("The same question to these files")
    recalled = show.run("recall", ASKED, "--in", out, shown=fewer_lines)
    show.expect("a file answers", fulfilled=FOUND in recalled.output)


def fewer_lines(output: str) -> str:
    """The answer's beginning."""
    lines = output.splitlines()
    hidden = len(lines) - SHOWN_LINES
    if hidden > 1:
        lines[SHOWN_LINES:] = [f"    … {hidden} more lines, left out here …"]
    return "\n".join([*lines, ""])


def fewer_hits(output: str) -> str:
    """The answer without the hits in its middle; the last blocks are lanes and addresses."""
    blocks = output.split("\n\n")
    hidden = len(blocks) - 2 - SHOWN_HITS
    if hidden > 1:
        blocks[SHOWN_HITS:-2] = [f"    … {hidden} more hits, left out here …"]
        blocks[-1] = "\n".join([*blocks[-1].splitlines()[: SHOWN_HITS + 1], "…", ""])
    return "\n\n".join(blocks)


def control(origin: str, settings: dict[str, object]) -> None:
    """Tell the loopback Google how to answer from here on."""
    body = json.dumps(settings).encode()
    request = urllib.request.Request(f"{origin}/__control", data=body, method="POST")  # noqa: S310
    urllib.request.urlopen(request).close()  # noqa: S310 - our own server


def environment(origin: str, home: Path) -> dict[str, str]:
    """The user's environment, with every provider on the loopback web and a home of its own."""
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PI_WEBAIO_") or name in KEPT_VARIABLES
    }
    bases = (name for name in VARIABLES if name.endswith("_URL") and name != "PI_WEBAIO_CDP_URL")
    config = home / "config.toml"
    config.write_text("[reading]\nhost_gap_s = 0\n")  # the loopback web needs no rest
    return {
        **environ,
        **dict.fromkeys(bases, origin),
        "PI_WEBAIO_HOME": str(home / "state"),
        "PI_WEBAIO_CONFIG": str(config),
        "PI_WEBAIO_ALLOW_RANGES": "127.0.0.0/8",
    }


@contextmanager
def loopback_web(app: str) -> Iterator[str]:
    """A web server of the tests as a process that ends with this one; yields its origin."""
    command = [sys.executable, "-m", "tests.emulators", "--app", app, "--json", "--stdin"]
    with subprocess.Popen(  # noqa: S603 - our own program
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        if server.stdin is None or server.stdout is None:
            raise TypeError("both are pipes")
        try:
            line = server.stdout.readline()
            if not line:
                raise SystemExit("demo: the loopback web did not start; its words stand above")
            yield json.loads(line)["origin"]
        finally:
            server.stdin.close()


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:  # its reader has seen enough; what is buffered still goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(128 + signal.SIGPIPE) from None
