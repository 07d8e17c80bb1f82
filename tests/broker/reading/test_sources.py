"""What a source means: an arXiv paper by its id, unless a file is called so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.reading.failures import FileUnread
from broker.reading.sources import understood

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("given", "paper"),
    [
        ("1706.03762", "1706.03762"),
        ("2403.01234v2", "2403.01234v2"),
        (" arXiv:2403.01234v2 ", "2403.01234v2"),
        ("arxiv: 2403.01234", "2403.01234"),
        ("hep-th/9901001", "hep-th/9901001"),
        ("arXiv:hep-th/9901001v1", "hep-th/9901001v1"),
        ("math.GT/0309136", "math.GT/0309136"),
    ],
)
def test_an_id_means_its_paper(given: str, paper: str) -> None:
    source = understood(given)
    assert source.url == f"https://arxiv.org/abs/{paper}"
    assert source.path is None
    assert source.given == given


@pytest.mark.parametrize("given", ["1706.03762", "hep-th/9901001", "arXiv:1706.03762"])
def test_a_file_that_is_called_so_wins(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / given
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    source = understood(given)
    assert source.path == file
    assert source.url == ""


@pytest.mark.parametrize("given", ["./1706.03762", "3.11", "1706.037", "2403.01234.pdf", "a/b"])
def test_other_names_are_files(given: str) -> None:
    assert understood(given).path is not None


def test_an_address_stays_as_it_is() -> None:
    assert understood("https://arxiv.org/pdf/1706.03762").url == "https://arxiv.org/pdf/1706.03762"
    assert understood("arxiv.org/abs/1706.03762").url == "https://arxiv.org/abs/1706.03762"


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("127.0.0.1:8765/docs/p3.html", "http://127.0.0.1:8765/docs/p3.html"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("[::1]:8080/x", "http://[::1]:8080/x"),
        ("[2001:DB8::1]", "http://[2001:DB8::1]"),
        ("localhost:8080", "http://localhost:8080"),
        ("localhost/x?y", "http://localhost/x?y"),
        ("docs.LOCALHOST:80", "http://docs.LOCALHOST:80"),
        ("localhost:443/x", "https://localhost:443/x"),
        ("docs.example", "https://docs.example"),
        ("docs.example:8443/x", "https://docs.example:8443/x"),
        ("//docs.example/x", "https://docs.example/x"),
        ("mailto:a@docs.example", "mailto:a@docs.example"),
    ],
)
def test_an_address_needs_no_scheme(given: str, url: str) -> None:
    assert understood(given).url == url


@pytest.mark.parametrize(
    "given", ["a:b.md", "127.0.0.1:8765", "localhost", "docs.example", "mailto:me", "www.notes.md"]
)
def test_a_file_that_is_called_like_an_address_wins(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / given).write_text("mine")
    assert understood(given).path == tmp_path / given


@pytest.mark.parametrize("given", ["myhost:8080/x", "127.0.1:80", "www.notes.md"])
def test_what_might_be_an_address_says_how_to_write_one(given: str) -> None:
    with pytest.raises(FileUnread, match="there is no such file; if it is a page, write") as caught:
        understood(given)
    assert caught.value.code == "not_found"
    assert caught.value.message.endswith(f"http://{given}")
