"""What the benches of the pure parts reckon with, without the corpus."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from scripts.benches import extract, judge
from scripts.benches.peers import OURS, TOOLS, identity, installed
from scripts.benches.table import Row, median

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FIGURE = extract.Figure("docs S", "docs", "S", "≥ 0.90")


def test_a_score_stands_beside_the_best_peer_and_before_the_others() -> None:
    summaries = {
        OURS: {"S": 0.9012, "n": 7, "err": 0},
        "worse": {"S": 0.4, "n": 7, "err": 0},
        "better": {"S": 0.8, "n": 7, "err": 0},
    }
    what, measured, target, peer, ratio, note = extract.figure_row(FIGURE, summaries).cells()
    assert (what, measured, target) == ("docs S", "0.901", "≥ 0.90")
    assert (peer, ratio, note) == ("better: 0.800", "1.13", "worse 0.400 · 7 pages")


def test_a_score_without_peers_is_a_row_and_exceptions_are_counted() -> None:
    row = extract.figure_row(FIGURE, {OURS: {"S": 0.5, "n": 7, "err": 2}})
    assert row.cells()[3:] == ("-", "-", "7 pages · 2 exceptions of ours")


def test_the_cost_is_compared_with_the_fastest_that_chooses_content() -> None:
    costs = {
        OURS: [1.0, 4.0, 9.0],
        "trafilatura": [8.0, 8.0, 8.0],
        "html-to-markdown, whole page": [1.0, 1.0, 1.0],
    }
    row = extract.cost_row("CPU", "≤ 8", costs, median)
    assert (row.measured, row.floor, row.floor_name) == (4.0, 8.0, "trafilatura")
    assert row.note == "html-to-markdown, whole page 1.0"


def test_a_cost_without_peers_is_a_row() -> None:
    assert extract.cost_row("CPU", "≤ 8", {OURS: [1.0]}, median).cells()[3] == "-"


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (20, 19), (21, 20), (100, 95)])
def test_p95_is_the_nearest_rank(count: int, expected: int) -> None:
    assert extract.p95([float(value) for value in range(count, 0, -1)]) == expected


@pytest.mark.parametrize("bench", [extract.bench, judge.bench], ids=["extract", "judge"])
def test_an_absent_corpus_is_said(
    bench: Callable[[], list[Row]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("WEBAIO_CORPUS", str(tmp_path))
    assert bench() == []
    assert f"extract: no corpus at {tmp_path / 'extract'}" in capsys.readouterr().err


def test_ours_runs_and_another_call_is_another_tool() -> None:
    ours = TOOLS[OURS]
    assert "two words" in ours.load()("<p>two words", "https://a.example/")
    assert identity(ours) != identity(ours._replace(load=TOOLS["trafilatura"].load))


def test_peers_that_are_not_installed_are_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("trafilatura", "readability", "rs_trafilatura", "html_to_markdown"):
        monkeypatch.setitem(sys.modules, module, None)
    assert installed() == [OURS]
    assert capsys.readouterr().err.count("extract: left out: ") == len(TOOLS) - 1


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<h1>Just a moment...</h1>", "bot_challenge"),
        ("<p>How a captcha works, in ten chapters", "bot_challenge"),  # naive, as it should be
        ("<p>Cats sleep.", "content"),
        ("<script>let cats</script><p> ", "empty"),
    ],
)
def test_the_keyword_list_is_naive(html: str, kind: str) -> None:
    assert judge.by_keywords(html) == kind


def test_the_scores_are_read_from_what_score_py_prints() -> None:
    line = (
        "pages 287: accuracy 0.9756, macro F1 0.9721, "
        "false walls 2/110 = 0.0182, walls passed 4/152 = 0.0263\n"
    )
    assert judge.scores(line) == {
        "accuracy": 0.9756, "macro F1": 0.9721, "false walls": 0.0182, "walls passed": 0.0263,
    }  # fmt: skip
    with pytest.raises(ValueError, match="no accuracy: 0 verdicts"):
        judge.scores("0 verdicts for 287 pages; exit 1")
