"""Rules about the repository's files that no other tool watches."""

from __future__ import annotations

import ast
import os
import subprocess
from pathlib import Path

import pytest

from broker.providers import REGISTRY
from broker.sites import REGISTRY as SITES
from tests.emulators import saved_sites, site_doors

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((*ROOT.glob("broker/**/*.py"), *ROOT.glob("extract/**/*.py")))
DATA = ROOT / "tests" / "data"

NOT_PROVIDERS = {"__init__", "base", "answers", "filters", "mcp", "trimming"}

# In two halves, so that this file passes its own test.
MACHINE_PATHS = ("/wo" + "rk/", "/tmp/" + "venv")  # noqa: S108
REGISTRY_HOSTS = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "deb." + "debian.org")
READ_AS_SITES = ("broker/settings.py", "broker/sites/", "tests/broker/sites/", "tests/data/sites/")
"""Where package pages are read as any site is, and have to be named by their hosts."""


def of_module(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def files() -> list[Path]:
    """What is, or would be, committed."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)  # noqa: S603
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = (ROOT / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name)
    return [path for path in paths if path.is_file()]


@pytest.mark.parametrize("path", MODULES, ids=of_module)
def test_a_module_says_what_it_is_for_and_fits_a_walk_through(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert text.count("\n") <= 400


@pytest.mark.parametrize(("name", "limit"), [("README.md", 150), ("ARCHITECTURE.md", 120)])
def test_a_page_for_people_stays_short(name: str, limit: int) -> None:
    page = ROOT / name
    if page.exists():
        assert page.read_text(encoding="utf-8").count("\n") <= limit


def test_every_provider_module_is_registered_or_helps_one_that_is() -> None:
    registered = {provider.name for provider in REGISTRY}
    assert len(registered) == len(REGISTRY)
    for path in (ROOT / "broker" / "providers").glob("*.py"):
        if path.stem not in NOT_PROVIDERS:
            owner = path.stem if path.stem in registered else path.stem.partition("_")[0]
            assert owner in registered, f"{path.name} is not in broker/providers/__init__.py"


@pytest.mark.parametrize("provider", [provider.name for provider in REGISTRY])
def test_every_provider_has_saved_pages(provider: str) -> None:
    pages = [
        path
        for path in DATA.rglob("*")
        if path.is_file()
        and any(part.startswith(provider) for part in path.relative_to(DATA).parts)
    ]
    assert pages, f"no page below tests/data has a name that starts with {provider}"


def test_every_site_has_a_module_and_a_name_of_its_own() -> None:
    registered = {site.name for site in SITES}
    assert len(registered) == len(SITES)
    for site in SITES:
        assert (ROOT / "broker" / "sites" / f"{site.name}.py").is_file()


@pytest.mark.parametrize("site", [site.name for site in SITES])
def test_every_site_has_an_emulator_and_saved_answers(site: str) -> None:
    answered = (*saved_sites.SITES, *site_doors.SITES)
    assert site in answered, f"no emulator answers for {site}"
    saved = [path for path in (DATA / "sites" / site).iterdir() if path.stat().st_size]
    assert saved, f"no answer is saved below tests/data/sites/{site}"


def test_scripts_can_be_run() -> None:
    for path in (*ROOT.glob("scripts/*"), ROOT / ".ci" / "run"):
        if path.is_file() and path.read_bytes().startswith(b"#!"):
            assert os.access(path, os.X_OK), f"{path.name} is not executable"


@pytest.mark.parametrize("needle", [*MACHINE_PATHS, *REGISTRY_HOSTS])
def test_no_file_names_a_machine_or_a_package_registry(files: list[Path], needle: str) -> None:
    found = [of_module(path) for path in files if needle.encode() in path.read_bytes()]
    if needle in REGISTRY_HOSTS:
        found = [name for name in found if not name.startswith(READ_AS_SITES)]
    assert found == []


def test_no_page_of_the_shared_corpus_was_copied(files: list[Path], corpus: Path) -> None:
    ours = {path.stat().st_size: path for path in files if path.stat().st_size}
    candidates = (path for path in corpus.rglob("*") if path.is_file())
    same_size = [path for path in candidates if path.stat().st_size in ours]
    theirs = {path.read_bytes() for path in same_size}
    assert [of_module(path) for path in ours.values() if path.read_bytes() in theirs] == []
