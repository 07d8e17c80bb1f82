"""How often `judge` is right about a page, and what it costs beside the parse.

The corpus's own score.py runs both our command and, as the peer that most tools are, a list of
keywords: `python -m scripts.benches.judge --json --manifest FILE`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from functools import partial
from gzip import decompress
from pathlib import Path
from typing import TYPE_CHECKING

from extract import judge
from extract.decode import decode
from extract.tree import parse
from extract.verdict import judge_tree
from scripts.benches.extract import ROOT, calm, corpus, cpu_ms, p95, pages
from scripts.benches.peers import say
from scripts.benches.table import Row, median

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROUNDS = 3
NAIVE = "keyword list"
KEYWORDS = {
    "bot_challenge": ("captcha", "are you a robot", "verify you are human", "just a moment",
                      "unusual traffic", "access denied", "ddos protection"),
    "consent_wall": ("before you continue", "accept all cookies", "we value your privacy"),
    "paywall": ("subscribe to continue", "subscribe to read", "subscribers only", "paywall"),
    "login_wall": ("log in to continue", "sign in to continue", "please log in", "password"),
    "js_shell": ("enable javascript", "requires javascript", 'id="root"', 'id="app"'),
    "error_page": ("not found", "404", "forbidden", "went wrong", "service unavailable"),
}  # fmt: skip
"""What a page may hold, and what it then is; the first that is found decides."""

SCORES = {
    "accuracy": r"accuracy ([\d.]+)",
    "macro F1": r"macro F1 ([\d.]+)",
    "false walls": r"false walls \d+/\d+ = ([\d.]+)",
    "walls passed": r"walls passed \d+/\d+ = ([\d.]+)",
}
TARGETS = {
    "accuracy": "≥ 0.95, aim 0.98",
    "macro F1": "≥ 0.94, aim 0.97",
    "false walls": "≤ 0.02, aim 0.005",
    "walls passed": "≤ 0.03, aim 0.01",
}
_TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)


def bench() -> list[Row]:
    """All rows of this bench."""
    rows = []
    walls = corpus("walls")
    if walls is not None:
        rows += _score_rows(walls)
        rows.append(_time_row(walls))
    articles = corpus("extract")
    if articles is not None:
        rows += _article_rows(articles)
    return rows


def by_keywords(html: str) -> str:
    """What a page is, by the list."""
    lower = html.lower()
    for kind, words in KEYWORDS.items():
        if any(word in lower for word in words):
            return kind
    return "content" if _TAGS.sub("", html).strip() else "empty"


def scores(printed: str) -> dict[str, float]:
    """The figures in the last line that the corpus's score.py prints.

    Raises:
        ValueError: One is not there.
    """
    found = {}
    for name, pattern in SCORES.items():
        match = re.search(pattern, printed)
        if match is None:
            raise ValueError(f"score.py printed no {name}: {printed.strip()[-500:]}")
        found[name] = float(match[1])
    return found


def main() -> None:
    """Judge the pages of a manifest by keywords, as score.py wants it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", required=True)
    parser.add_argument("--manifest", type=Path, required=True)
    for line in parser.parse_args().manifest.read_text("utf-8").splitlines():
        file = json.loads(line)["file"]
        verdict = by_keywords(Path(file).read_bytes().decode("utf-8", "replace"))
        print(json.dumps({"file": file, "verdict": verdict}))


def _score_rows(folder: Path) -> list[Row]:
    ours = _scored(folder, "broker", "judge")
    naive = _scored(folder, "scripts.benches.judge")
    return [
        Row(
            what=f"walls: {name}",
            measured=ours[name],
            unit="",
            digits=3,
            target=TARGETS[name],
            floor=naive[name],
            floor_name=NAIVE,
            note="score.py",
        )
        for name in SCORES
    ]


def _scored(folder: Path, *module: str) -> dict[str, float]:
    judging = shlex.join([sys.executable, "-m", *module])
    with tempfile.TemporaryDirectory() as scratch:  # score.py leaves its copies of the pages behind
        ran = subprocess.run(  # noqa: S603 - the corpus's own scorer
            [sys.executable, folder / "score.py", folder, "--cmd", judging],
            env={**os.environ, "TMPDIR": scratch, "PI_WEBAIO_CONFIG": os.devnull},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    return scores(ran.stdout + ran.stderr)


def _time_row(folder: Path) -> Row:
    own, parses = [], []
    with calm():
        for label in _labels(folder):
            html = decode(decompress((folder / str(label["file"])).read_bytes())).text
            url, status = label["url_if_known"], label["status_if_known"]
            known = (str(url) if url else None, status if isinstance(status, int) else None)
            judging, parsing = [], []
            for _ in range(ROUNDS):
                parsing.append(cpu_ms(partial(parse, html)))
                judging.append(cpu_ms(partial(judge_tree, parse(html), *known)))
            own.append(median(judging))
            parses.append(median(parsing))
    return Row(
        what="walls: judge_tree, CPU a page, median",
        measured=median(own),
        unit="ms",
        target="≤ 3, aim 1",
        floor=median(parses),
        floor_name="parse alone",
        note=f"p95 {p95(own):.1f} ms, of the parse {p95(parses):.1f} ms",
    )


def _labels(folder: Path) -> Iterator[Mapping[str, object]]:
    for line in (folder / "labels.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


def _article_rows(folder: Path) -> list[Row]:
    called: dict[str, str] = {}
    naive = total = 0
    for place in sorted((folder / "data").iterdir()):
        for page in pages(folder, place.name):
            total += 1
            kind = judge(page.raw, page.url).kind
            if kind != "content":
                called[f"{place.name}/{page.meta['id']}"] = kind
            naive += by_keywords(decode(page.raw).text) != "content"
    if not total:
        return []
    for name, verdict in called.items():
        say(f"judge: {name}: {verdict}")
    return [
        Row(
            what="extract's pages: called a wall",
            measured=len(called) / total,
            unit="",
            digits=3,
            target="≤ 0.02, aim 0.005",
            floor=naive / total,
            floor_name=NAIVE,
            note=f"{len(called)} of {total}, each named on stderr",
        )
    ]


if __name__ == "__main__":
    main()
