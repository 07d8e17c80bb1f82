"""How much of the main content is found on real saved pages; floors, not aims.

Every few pages of each set, scored by the corpus's own functions. `extract/content.json` was
learned from these pages: the floors notice what breaks, not how other pages fare.
"""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from extract.page import extract

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType


# The corpus's scorer leaves it to the interpreter to close its files.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")


class Floor(NamedTuple):
    """What a set must at least have on average."""

    step: int
    """Of how many pages one is read."""
    text: float
    """Shingle F1 of a page; word F1 in the wcxb sets."""
    structure: float | None = None
    """S: code, tables, headings, links and items."""


FLOORS = {
    "aeb": Floor(4, 0.92, 0.92),
    "docs": Floor(8, 0.935, 0.885),
    "gne": Floor(4, 0.97),
    "h2t": Floor(2, 0.89),
    "postlight": Floor(4, 0.93),
    "wcxb-dev": Floor(16, 0.92, 0.94),
    "wcxb-test": Floor(8, 0.895, 0.91),
}


@pytest.fixture(scope="module")
def scorer(corpus: Path) -> Iterator[ModuleType]:
    """The corpus's `score.py`."""
    folder = str(corpus / "extract")
    sys.path.insert(0, folder)
    try:
        yield importlib.import_module("score")
    finally:
        sys.path.remove(folder)


def scored(folder: Path, scorer: ModuleType, step: int) -> Iterator[dict[str, Any]]:
    lines = (folder / "meta.jsonl").read_text(encoding="utf-8").splitlines()
    metas = [json.loads(line) for line in lines]
    present = [meta for meta in metas if (folder / "pages" / f"{meta['id']}.html.gz").is_file()]
    for meta in present[::step]:
        page = gzip.decompress((folder / "pages" / f"{meta['id']}.html.gz").read_bytes())
        said = {"markdown": extract(page, meta["url"]).markdown, "ms": 0.0}
        yield scorer.score_page(folder.name, meta, said)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", FLOORS)
def test_main_content_is_found_and_keeps_its_structure(
    name: str, corpus: Path, scorer: ModuleType
) -> None:
    floor = FLOORS[name]

    pages = list(scored(corpus / "extract" / "data" / name, scorer, floor.step))

    text = fmean(page["wf" if name.startswith("wcxb") else "sf"] for page in pages)
    assert text >= floor.text
    if floor.structure is not None:
        structure = fmean(page["st"]["S"] for page in pages if "S" in page.get("st", ()))
        assert structure >= floor.structure
