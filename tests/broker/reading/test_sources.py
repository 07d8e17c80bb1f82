"""What a source means: an arXiv paper by its id, unless a file is called so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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
