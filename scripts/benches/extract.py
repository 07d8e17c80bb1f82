"""How much of the main content `extract` finds, how true its structure is, and what that costs.

The pages, their truths and the score functions are those of the shared corpus; other libraries run
on the same pages in the same run (`peers.py`). `extract/content.json` was learned from these pages:
what it is worth on sites it has not seen, `scripts/learn --check` says.
"""

from __future__ import annotations

import gc
import gzip
import hashlib
import importlib
import json
import logging
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lxml import html as lxml_html

from extract import extract
from scripts.benches.peers import OURS, TOOLS, identity, installed, say
from scripts.benches.table import Row, median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType, ModuleType

    from scripts.benches.peers import Extractor, Tool

ROOT = Path(__file__).parents[2]
WORKERS = 2
ROUNDS = 3
TIMED = "aeb"
PAGE_LIMIT_S = 60


class Figure(NamedTuple):
    """One score of one set of pages."""

    what: str
    dataset: str
    key: str
    target: str


FIGURES = (
    Figure("aeb F1", "aeb", "F1", "≥ 0.965, aim 0.975"),
    Figure("wcxb-test word F1", "wcxb-test", "wF1", "≥ 0.875, aim 0.905"),
    Figure("wcxb-dev word F1", "wcxb-dev", "wF1", "> peers, aim +0.03"),
    Figure("docs F1", "docs", "F1", "≥ 0.945, aim 0.965"),
    Figure("docs S", "docs", "S", "≥ 0.90, aim 0.94"),
    Figure("postlight F1", "postlight", "F1", "≥ 0.935, aim 0.945"),
    Figure("gne F1", "gne", "F1", "≥ 0.962, aim 0.975"),
    Figure("h2t F1", "h2t", "F1", "≥ 0.906, aim 0.92"),
    Figure("trafeval F1", "trafeval", "F1", "≥ trafilatura, aim +0.01"),
    Figure("wcxb-test S", "wcxb-test", "S", "≥ 0.90, aim 0.95"),
)
MEDIAN_TARGET = "≤ 8, aim 4; of trafilatura ≤ 0.66, aim 0.33"
P95_TARGET = "≤ 20, aim 12; of trafilatura ≤ 0.54, aim 0.32"
"""In ms on the machine where trafilatura takes 12.2 and 37; elsewhere the ratios tell."""
STRUCTURED = {figure.dataset for figure in FIGURES if figure.key == "S"}


class Page(NamedTuple):
    """A saved page of one set."""

    meta: Mapping[str, object]
    raw: bytes

    @property
    def url(self) -> str:
        """Where it was found."""
        return str(self.meta["url"])


def bench() -> list[Row]:
    """All rows of this bench."""
    folder = corpus("extract")
    if folder is None:
        return []
    try:
        scorer(folder)
    except ImportError as error:
        say(f"extract: the corpus's score.py cannot be loaded: {error}")
        return []
    names = installed()
    costs = _costs(folder, names)  # before the others run beside it
    summaries = _summaries(folder, names)
    rows = [
        figure_row(figure, {name: summaries[name, figure.dataset] for name in names})
        for figure in FIGURES
        if (OURS, figure.dataset) in summaries
    ]
    if costs:
        rows.append(cost_row(f"CPU a page on {TIMED}, median", MEDIAN_TARGET, costs, median))
        rows.append(cost_row(f"CPU a page on {TIMED}, p95", P95_TARGET, costs, p95))
    if rows:
        say("extract: ours was learned from these pages; of unseen sites: scripts/learn --check")
    return rows


def corpus(part: str) -> Path | None:
    """The folder of one part of the shared corpus; None, which is said, where it is not at hand."""
    root = Path(os.environ.get("WEBAIO_CORPUS") or ROOT.parent / "shared" / "data")
    folder = root / part
    if (folder / "score.py").is_file():
        return folder.resolve()
    say(f"{part}: no corpus at {folder}; WEBAIO_CORPUS names the folder that holds it")
    return None


def scorer(folder: Path) -> ModuleType:
    """The corpus's own score functions.

    Raises:
        ImportError: Something that they need is not installed.
    """
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return importlib.import_module("score")


def pages(folder: Path, dataset: str) -> Iterator[Page]:
    """The pages of the dev side of `dataset`; none where the set is absent."""
    ids = json.loads((folder / "split.json").read_bytes())["dev"].get(dataset, ())
    place = folder / "data" / dataset
    if not (place / "meta.jsonl").is_file():
        return
    keep = set(ids)
    for line in (place / "meta.jsonl").read_text("utf-8").splitlines():
        meta = json.loads(line)
        if meta["id"] in keep:
            path = place / "pages" / f"{meta['id']}.html.gz"
            yield Page(meta, gzip.decompress(path.read_bytes()))


def figure_row(figure: Figure, summaries: Mapping[str, Mapping[str, float]]) -> Row:
    """Our score, the best peer's beside it, all others behind."""
    scores = {
        name: summary[figure.key] for name, summary in summaries.items() if figure.key in summary
    }
    ours = scores.pop(OURS)
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    own = summaries[OURS]
    notes = [f"{name} {score:.3f}" for name, score in ranked[1:]]
    notes.append(f"{own['n']} pages")
    notes += [f"{own['err']} exceptions of ours"] if own["err"] else []
    return Row(
        what=figure.what,
        measured=ours,
        unit="",
        digits=3,
        target=figure.target,
        floor=ranked[0][1] if ranked else None,
        floor_name=ranked[0][0] if ranked else "",
        note=" · ".join(notes),
    )


def cost_row(
    what: str,
    target: str,
    costs: Mapping[str, Sequence[float]],
    middle: Callable[[Sequence[float]], float],
) -> Row:
    """What a page costs us; beside it the fastest peer that chooses content, all others behind."""
    times = {name: middle(values) for name, values in costs.items()}
    ours = times.pop(OURS)
    rivals = [name for name in times if name in TOOLS and TOOLS[name].chooses]
    best = min(rivals, key=times.__getitem__, default=None)
    others = [f"{name} {ms:.1f}" for name, ms in times.items() if name != best]
    return Row(
        what=what,
        measured=ours,
        unit="ms",
        target=target,
        floor=times[best] if best else None,
        floor_name=best or "",
        note=" · ".join(others),
    )


def p95(values: Sequence[float]) -> float:
    """The value that 95 of 100 do not exceed, by nearest rank."""
    return sorted(values)[-(-len(values) * 95 // 100) - 1]


@contextmanager
def calm() -> Iterator[None]:
    """While it lasts, peers do not talk about pages and `cpu_ms` collects only what it made."""
    gc.collect()
    gc.freeze()
    logging.disable()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    logging.disable(logging.NOTSET)
    gc.unfreeze()


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of one call; what the calls before left to collect is not charged to it."""
    gc.collect()
    begun_ns = time.process_time_ns()
    work()
    return (time.process_time_ns() - begun_ns) / 1e6


def _costs(folder: Path, names: Sequence[str]) -> dict[str, list[float]]:
    """For each page the CPU milliseconds of every tool: taken in turn, in one process."""
    decode = scorer(folder).decode
    tools: dict[str, Callable[[str, Page], object]] = {
        name: _timed(TOOLS[name].load()) for name in names
    }
    tools["ours from bytes"] = lambda _html, page: extract(page.raw, page.url)
    tools["floor: lxml's parse alone"] = lambda html, _page: lxml_html.document_fromstring(
        html.encode(), parser=lxml_html.HTMLParser(encoding="utf-8", huge_tree=True)
    )
    saved = [(decode(page.raw), page) for page in pages(folder, TIMED)]
    costs: dict[str, list[float]] = defaultdict(list)
    with calm():
        for html, page in saved[:2]:  # what is loaded and compiled once
            for run in tools.values():
                run(html, page)
    with calm():
        for html, page in saved:
            taken: dict[str, list[float]] = defaultdict(list)
            for turn in range(ROUNDS):
                for name in _rotated(list(tools), turn):
                    taken[name].append(cpu_ms(partial(tools[name], html, page)))
            for name, times in taken.items():
                costs[name].append(median(times))
    return costs


def _timed(convert: Extractor) -> Callable[[str, Page], object]:
    def run(html: str, page: Page) -> None:
        _attempt(convert, html, page.url)

    return run


def _rotated(names: list[str], turn: int) -> list[str]:
    """Somebody else begins each round: the first to read a page reads it from cold memory."""
    return names[turn:] + names[:turn]


def _summaries(folder: Path, names: Sequence[str]) -> dict[tuple[str, str], Mapping[str, float]]:
    datasets = []
    for dataset in dict.fromkeys(figure.dataset for figure in FIGURES):
        if next(pages(folder, dataset), None) is None:
            say(f"extract: no pages of {dataset}")
        else:
            datasets.append(dataset)
    work = [(name, dataset) for dataset in datasets for name in names]
    sizes = {name: (folder / "data" / name / "meta.jsonl").stat().st_size for name in datasets}
    work.sort(key=lambda item: -sizes[item[1]])  # large ones first, so that both cores end together
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WORKERS, fresh, initializer=_settle) as pool:
        results = pool.map(_summary, [str(folder)] * len(work), *zip(*work, strict=True))
        return dict(zip(work, results, strict=True))


def _settle() -> None:
    """Make a worker ready: peers complain about pages, and may never end with one."""
    logging.disable()
    warnings.simplefilter("ignore")

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, end)


def _summary(corpus_folder: str, name: str, dataset: str) -> Mapping[str, float]:
    """The scores of one tool on one set, in a worker."""
    folder = Path(corpus_folder)
    score = scorer(folder)
    predicted = _predictions(folder, TOOLS[name], dataset)
    structured = dataset in STRUCTURED
    rows = [
        score.score_page(
            dataset, page.meta, predicted[str(page.meta["id"])], "markdown", struct=structured
        )
        for page in pages(folder, dataset)
    ]
    found = score.summarise(dataset, rows)
    kept = {key: found[key] for key in ("n", "err", "F1", "wF1") if key in found}
    if structured and "struct" in found:
        kept["S"] = found["struct"]["S"]
    return kept


def _predictions(folder: Path, tool: Tool, dataset: str) -> dict[str, dict[str, object]]:
    """Markdown by page; that of peers is kept in the temporary folder."""
    kept = None if tool.name == OURS else _kept_at(folder, tool, dataset)
    if kept is not None and kept.is_file():
        found = json.loads(kept.read_bytes())
        return dict(found)
    decode = scorer(folder).decode
    convert = tool.load()
    found = {}
    for page in pages(folder, dataset):
        signal.alarm(PAGE_LIMIT_S)
        markdown = _attempt(convert, decode(page.raw), page.url)
        signal.alarm(0)
        text = (markdown or "").encode("utf-8", "replace").decode()
        found[str(page.meta["id"])] = {"markdown": text, "ms": 0.0, "err": markdown is None}
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(found), encoding="utf-8")
        draft.replace(kept)
    return found


def _attempt(convert: Extractor, html: str, url: str) -> str | None:
    try:
        return convert(html, url)
    except Exception:  # noqa: BLE001 - whatever a peer, or a draft of ours, raises is its result
        return None


def _kept_at(folder: Path, tool: Tool, dataset: str) -> Path:
    """Where predictions are kept: another version, call or set of pages is another place."""
    known = hashlib.sha256(identity(tool).encode())
    known.update((folder / "split.json").read_bytes())
    known.update((folder / "data" / dataset / "meta.jsonl").read_bytes())
    return Path(tempfile.gettempdir(), "webaio-bench", f"{dataset}-{known.hexdigest()[:16]}.json")
