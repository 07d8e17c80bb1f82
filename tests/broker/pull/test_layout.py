"""Names of files: the address is recognised, and nothing of it can do harm."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.pull.layout import MAX_PATH_BYTES, Layout
from broker.pull.scope import Place, Scope

SITE = "https://docs.example"
DOCS = Scope.of(f"{SITE}/docs/")


def file_of(path: str, scope: Scope = DOCS) -> str:
    place = scope.place(SITE + path)
    assert place is not None
    return Layout(scope).file(place)


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("/docs/", "index.md"),
        ("/docs", "index.md"),
        ("/docs/index.html", "index.md"),
        ("/docs/install", "install.md"),
        ("/docs/install/", "install/index.md"),
        ("/docs/install.html", "install.md"),
        ("/docs/install.html.md", "install.md"),
        ("/docs/install.md", "install.md"),
        ("/docs/v1.2/a.b", "v1.2/a.b.md"),
        ("/docs/list.php?page=2&sort=a", "list-page=2-sort=a.md"),
        ("/docs/app#/route/one", "app-route-one.md"),
        ("/docs/caf%C3%A9", "café.md"),
        ("/docs/cafe%CC%81", "café.md"),
        ("/docs/%E6%96%87%E6%9B%B8", "文書.md"),
        ("/docs/%E0%B8%97%E0%B8%B5%E0%B9%88", "ที่.md"),
        ("/docs/a%20b/c%2Fd", "a-b/c-d.md"),
        ("/docs/guide.md/more", "guide.md_/more.md"),
        ("/docs/.webaio/x", "webaio/x.md"),
        ("/docs/-rf", "rf.md"),
        ("/docs/trailing.", "trailing.md"),
        ("/docs/con", "_con.md"),
        ("/docs/NUL.txt/aux.h", "_NUL.txt/_aux.h.md"),
        ("/docs/com1", "_com1.md"),
        ("/docs/console", "console.md"),
        ("/docs/a%00b%0Ac", "a-b-c.md"),
        ("/docs/%5C%5Cserver%5Cc$", "server-c.md"),
        ("/docs/c:%5Cwindows", "c-windows.md"),
    ],
)
def test_a_file_is_named_by_its_address(path: str, file: str) -> None:
    assert file_of(path) == file


@pytest.mark.parametrize("path", ["/docs/%ff%fe", "/docs/...", "/docs/%2E%2E%2E/...", "/docs/$()"])
def test_an_address_without_a_name_has_one_all_the_same(path: str) -> None:
    assert all(part.strip("._") for part in file_of(path).removesuffix(".md").split("/"))


def test_names_that_a_careless_disk_takes_for_one_are_different() -> None:
    layout = Layout(DOCS)
    paths = ["/docs/Guide", "/docs/guide", "/docs/GUIDE/", "/docs/guide.html", "/docs/g%75ide?"]
    paths += ["/docs/stra%C3%9Fe", "/docs/strasse", "/docs/%EF%AC%81le", "/docs/file"]
    places = [place for path in paths if (place := DOCS.place(SITE + path)) is not None]
    files = {place.key: layout.file(place) for place in places}
    folded = {unicodedata.normalize("NFKC", file).casefold() for file in files.values()}
    assert len(folded) == len(files) == 8
    assert files == {place.key: layout.file(place) for place in places}


def test_names_of_an_earlier_run_are_kept() -> None:
    layout = Layout(DOCS)
    layout.keep("guide.md", "/docs/Guide")
    assert layout.file(Place("/docs/guide", f"{SITE}/docs/guide")).startswith("guide-")
    assert layout.file(Place("/docs/Guide", f"{SITE}/docs/Guide")) == "Guide.md"


def test_long_names_are_cut_and_stay_different() -> None:
    layout = Layout(DOCS)
    files = {
        layout.file(Place(key, SITE + key))
        for tail in ("one", "two")
        for key in (f"/docs/{'long' * 60}{tail}", "/docs/" + f"{'文書' * 30}/" * 5 + tail)
    }
    assert len(files) == 4
    assert all(len(file.encode()) <= MAX_PATH_BYTES for file in files)


@given(st.text(max_size=100))
def test_no_address_makes_a_name_that_leads_out(path: str) -> None:
    place = Scope(SITE, "").place(f"{SITE}/{path}")
    if place is None:
        return
    file = Layout(Scope(SITE, "")).file(place)
    parts = PurePosixPath(file).parts
    assert file == "/".join(parts)
    assert not {"", ".", "..", "/"} & set(parts)
    assert not any(part.startswith((".", "-", " ")) for part in parts)
    assert not set(file) & set('\\:*?"<>|\0\n\r')
    assert len(file.encode()) <= MAX_PATH_BYTES
