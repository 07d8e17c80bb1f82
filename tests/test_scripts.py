"""The scripts, run in a checkout of their own with a Python and an apt-get that only take notes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

STUB_PYTHON = r"""#!/bin/sh
echo "python $*" >>"$NOTES"
for last; do :; done
case "$*" in
-c*) [ -z "$OLD" ] ;;
"-m venv --without-pip"*) mkdir -p "$last/bin" && cp "$0" "$last/bin/python" ;;
"-m venv"*) mkdir -p "$last/bin"; [ -z "$NO_ENSUREPIP" ] && cp "$0" "$last/bin/python" ;;
"-m pip install"*)
    [ -z "$OFFLINE" ] || { echo "pip: no network"; exit 1; }
    sleep "${SLOW:-0}"
    printf '#!/bin/sh\nfor word; do echo "<$word>"; done\n' >"${0%/*}/webaio"
    chmod +x "${0%/*}/webaio" ;;
"-m broker.browser.find") [ -z "$NO_BROWSER" ] && echo /bin/sh ;;
"-m playwright"*) echo "playwright: no network"; exit 1 ;;
esac
"""

STUB_APT_GET = """#!/bin/sh
echo "apt-get $*" >>"$NOTES"
exit 1
"""


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """A folder with the scripts, and stand-ins for what they call."""

    root: Path
    bin: Path
    notes: Path

    def start(self, script: str, *words: str, **variables: str) -> subprocess.Popen[str]:
        path = f"{self.bin}:/usr/bin:/bin"
        return subprocess.Popen(  # noqa: S603 - the scripts under test
            [self.root / "scripts" / script, *words],
            env={"PATH": path, "NOTES": str(self.notes), **variables},
            cwd=self.bin,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, script: str, *words: str, **variables: str) -> tuple[int, str, str]:
        """Exit code, output, and what was said on stderr."""
        process = self.start(script, *words, **variables)
        output, said = process.communicate()
        return process.returncode, output, said

    def calls(self, prefix: str) -> list[str]:
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        return [line for line in lines if line.startswith(prefix)]

    def forget(self) -> None:
        self.notes.write_text("")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout at a path with a space and an apostrophe."""
    checkout = Checkout(
        root=tmp_path / "it's a checkout", bin=tmp_path / "bin", notes=tmp_path / "notes"
    )
    shutil.copytree(ROOT / "scripts", checkout.root / "scripts")
    (checkout.root / "pyproject.toml").write_text("[project]\n")
    checkout.bin.mkdir()
    for name, text in {"python3": STUB_PYTHON, "apt-get": STUB_APT_GET}.items():
        (checkout.bin / name).write_text(text)
        (checkout.bin / name).chmod(0o755)
    return checkout


def test_the_first_run_makes_the_environment_and_the_second_does_nothing(
    checkout: Checkout,
) -> None:
    code, output, said = checkout.run("run", "search", "two words", "")
    assert (code, output) == (0, "<search>\n<two words>\n<>\n")
    assert said == "webaio: making the environment (first run only)…\n"
    assert checkout.calls("python -m pip") == [
        f"python -m pip install --disable-pip-version-check --no-input -e {checkout.root}"
    ]
    checkout.forget()
    assert checkout.run("run", "status") == (0, "<status>\n", "")
    assert checkout.run("run") == (0, "<--help>\n", "")
    assert checkout.calls("") == []


def test_developing_adds_the_dev_group_once(checkout: Checkout) -> None:
    checkout.run("setup")
    checkout.forget()
    code, _, said = checkout.run("setup", "dev")
    assert (code, said) == (0, "webaio: bringing the environment up to date…\n")
    assert checkout.calls("python -m venv") == []
    assert any("--group" in call for call in checkout.calls("python -m pip install"))
    checkout.forget()
    for mode in "dev", "runtime", "browser":
        assert checkout.run("setup", mode) == (0, "", "")
    assert checkout.calls("") == []


def test_changed_dependencies_are_installed(checkout: Checkout) -> None:
    checkout.run("setup")
    checkout.forget()
    (checkout.root / "pyproject.toml").write_text("[project]\ndependencies = ['x']\n")
    checkout.run("setup")
    assert checkout.calls("python -m venv") == []
    assert len(checkout.calls("python -m pip install")) == 1


@pytest.mark.parametrize("mishap", ["interrupted", "moved", "half-made", "foreign"])
def test_an_environment_that_cannot_be_trusted_is_made_anew(
    checkout: Checkout, mishap: str
) -> None:
    venv = checkout.root / ".venv"
    if mishap in {"interrupted", "moved"}:
        checkout.run("setup")
        checkout.forget()
    if mishap == "interrupted":
        assert checkout.run("setup", "dev", OFFLINE="1")[0] == 1
    elif mishap == "moved":
        moved = checkout.root.with_name("elsewhere")
        checkout = Checkout(
            root=checkout.root.rename(moved), bin=checkout.bin, notes=checkout.notes
        )
    else:
        venv.mkdir()
        (venv / "pyvenv.cfg" if mishap == "foreign" else venv / "bin").touch()
    code, output, said = checkout.run("run", "x")
    assert (code, output) == (0, "<x>\n")
    assert "replacing .venv" in said
    assert len(checkout.calls("python -m venv")) == 1


def test_two_at_once_do_the_work_once(checkout: Checkout) -> None:
    processes = [checkout.start("setup", SLOW="0.3") for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    said = [process.communicate()[1] for process in processes]
    assert sorted(said) == ["", "webaio: making the environment (first run only)…\n"]
    assert len(checkout.calls("python -m venv")) == 1


def test_what_pip_said_is_shown_when_it_failed(checkout: Checkout) -> None:
    code, output, said = checkout.run("run", "x", OFFLINE="1")
    assert (code, output) == (1, "")
    assert "pip: no network\nwebaio: the packages cannot be installed" in said


def test_an_old_python_is_refused_with_the_version_that_is_needed(checkout: Checkout) -> None:
    for minor in 11, 12, 13, 14:
        (checkout.bin / f"python3.{minor}").symlink_to("python3")
    code, _, said = checkout.run("run", "x", OLD="1")
    assert code == 1
    assert "Python 3.11 or newer is needed" in said


def test_without_ensurepip_the_pip_outside_stands_in(checkout: Checkout) -> None:
    code, output, _ = checkout.run("run", "x", NO_ENSUREPIP="1")
    assert (code, output) == (0, "<x>\n")
    assert len(checkout.calls("python -m pip --python")) == 1
    assert checkout.calls("apt-get") == []


def test_a_missing_browser_is_said_and_not_fatal(checkout: Checkout) -> None:
    code, output, said = checkout.run("run", "x", NO_BROWSER="1")
    assert (code, output) == (0, "<x>\n")
    assert "playwright: no network" in said
    assert "to try again: scripts/setup browser" in said
    assert checkout.run("run", "x", NO_BROWSER="1") == (0, "<x>\n", "")
    assert checkout.run("setup", "browser", NO_BROWSER="1")[0] == 1
    assert checkout.run("setup", "browser")[0] == 0


def test_root_installs_debians_browser(checkout: Checkout) -> None:
    (checkout.bin / "id").write_text("#!/bin/sh\necho 0\n")
    (checkout.bin / "id").chmod(0o755)
    checkout.run("setup", NO_BROWSER="1")
    install = "apt-get install -y -qq --no-install-recommends chromium-headless-shell"
    assert checkout.calls("apt-get") == [install, "apt-get update -qq"]


@pytest.mark.parametrize(
    "chosen",
    [
        {"PI_WEBAIO_CHROME": "/x"},
        {"PI_WEBAIO_CDP_URL": "http://127.0.0.1:1"},
        {"PI_WEBAIO_CDP_BROKER": "0"},
    ],
    ids=lambda chosen: next(iter(chosen)),
)
def test_no_browser_is_looked_for_when_one_is_chosen(
    checkout: Checkout, chosen: dict[str, str]
) -> None:
    checkout.run("setup", **chosen)
    assert checkout.calls("python -m broker.browser.find") == []


def test_an_unknown_mode_is_refused(checkout: Checkout) -> None:
    code, _, said = checkout.run("setup", "everything")
    assert (code, said) == (
        1,
        "webaio: unknown mode everything; there are: runtime, dev, browser\n",
    )


def test_a_link_to_the_script_works_from_anywhere(checkout: Checkout) -> None:
    (checkout.bin / "webaio").symlink_to(checkout.root / "scripts" / "run")
    done = subprocess.run(  # noqa: S603 - the script under test
        [checkout.bin / "webaio", "x"],
        env={"PATH": f"{checkout.bin}:/usr/bin:/bin", "NOTES": str(checkout.notes)},
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "<x>\n"


@pytest.mark.browser
@pytest.mark.skipif(
    not Path(sys.executable).with_name("webaio").exists(), reason="webaio is not installed"
)
def test_the_demo_shows_what_it_promises() -> None:
    demo: list[str | Path] = [sys.executable, ROOT / "scripts" / "demo.py"]
    done = subprocess.run(demo, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr
    assert "demo on a loopback web" in done.stdout
    assert "3 pages" in done.stdout
    for command in ("fetch", "read", "recall", "pull"):
        assert f"$ webaio {command} " in done.stdout


@pytest.mark.parametrize(("word", "code"), [("--help", 0), ("nonsense", 2)])
def test_the_demo_is_not_run_by_accident(word: str, code: int) -> None:
    demo: list[str | Path] = [sys.executable, ROOT / "scripts" / "demo.py", word]
    done = subprocess.run(demo, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == code
    assert "usage: demo" in done.stdout + done.stderr
    assert "$ webaio" not in done.stdout


def test_a_reader_that_leaves_the_demo_early_sees_no_traceback() -> None:
    demo: list[str | Path] = [sys.executable, ROOT / "scripts" / "demo.py"]
    unread, written = os.pipe()
    os.close(unread)
    try:
        done = subprocess.run(demo, stdout=written, stderr=subprocess.PIPE, check=False)  # noqa: S603
    finally:
        os.close(written)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_the_scripts_pass_shellcheck() -> None:
    scripts = [path for path in (ROOT / "scripts").iterdir() if not path.suffix]
    subprocess.run(  # noqa: S603
        ["shellcheck", "-x", *scripts, ROOT / ".ci" / "run"],  # noqa: S607
        cwd=ROOT,
        check=True,
    )
