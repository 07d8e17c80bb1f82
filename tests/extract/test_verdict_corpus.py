"""How often the verdict is right on real saved pages; the floor, not the aim."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from extract.verdict import VerdictKind, judge

if TYPE_CHECKING:
    from pathlib import Path

LEAST_ACCURACY = 0.965
MOST_FALSE_WALLS = 0.02
MOST_WALLS_PASSED = 0.03
MOST_WALLS_AMONG_ARTICLES = 0.03
"""Some of the extraction sets' pages are walls, and some have no text in their markup."""


def page_of(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


def test_walls_are_told_from_content(corpus: Path) -> None:
    folder = corpus / "walls"
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    right = content = false_walls = walls = passed = 0
    for label in labels:
        verdict = judge(
            page_of(folder / label["file"]), label["url_if_known"], label["status_if_known"]
        )
        wanted = {label["label"], *(label["alt_labels"] if label["ambiguous"] else ())}
        right += verdict.kind in wanted
        is_content = verdict.kind is VerdictKind.CONTENT
        if label["label"] == "content" and not label["ambiguous"]:
            content += 1
            false_walls += not is_content
        if label["label"] not in {"content", "empty"} and "content" not in wanted:
            walls += 1
            passed += is_content

    assert right / len(labels) >= LEAST_ACCURACY
    assert false_walls / content <= MOST_FALSE_WALLS
    assert passed / walls <= MOST_WALLS_PASSED


@pytest.mark.timeout(180)
def test_articles_are_content(corpus: Path) -> None:
    pages = sorted((corpus / "extract" / "data").glob("*/pages/*.html.gz"))[::4]
    kinds = [judge(page_of(path)).kind for path in pages]

    walls = [kind for kind in kinds if kind is not VerdictKind.CONTENT]
    assert len(walls) <= MOST_WALLS_AMONG_ARTICLES * len(pages)
