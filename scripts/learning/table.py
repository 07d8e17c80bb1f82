"""scripts/learn: make `extract/content.json` from the marked pages, and say what it is worth.

    scripts/learn            learn from all pages and write the table
    scripts/learn --check    learn without a third of the sites, score that third, three times

Needs LightGBM and NumPy, which nothing else here needs: `pip install lightgbm`.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import sys
import time
import zlib
from collections import defaultdict
from importlib import import_module
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from extract import content, features
from extract.clues import Reader, names, other_names, targets, words
from extract.forest import LEAVES
from extract.tree import parse
from extract.walk import walk
from scripts.learning import labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from extract.passages import Box, Walk

ROOT = Path(__file__).parents[2]
SETS = ("aeb", "docs", "wcxb-test", "wcxb-dev", "trafeval", "h2t", "gne", "postlight", "defuddle")
SET_WEIGHT = {"aeb": 4.0, "trafeval": 5.0, "gne": 2.0, "h2t": 2.0, "postlight": 1.5}
"""Sets are of very different sizes; each kind of page should count."""
FOLDS = 3
LEAST_SITES = 6
"""A word that fewer sites use in a name is one site's own."""
ROUNDS = 150
SETTINGS = {
    "objective": "binary", "learning_rate": 0.08, "num_leaves": LEAVES, "min_data_in_leaf": 150,
    "feature_fraction": 0.5, "bagging_fraction": 0.7, "bagging_freq": 1, "lambda_l2": 5,
    "num_threads": 2, "verbose": -1, "seed": 7, "deterministic": True, "force_row_wise": True,
}  # fmt: skip


class Page(NamedTuple):
    """A marked page, walked and seen."""

    meta: dict[str, Any]
    site: str
    walk: Walk
    labels: list[labels.Label]
    words: int
    """Of the truth."""
    tokens: list[list[str]]
    """For each passage all tokens that name it, its words and its links."""


class Odds(dict[str, float]):
    """Weights of tokens without what one site says of itself."""

    def __init__(
        self,
        counts: Mapping[str, dict[str, float]],
        sums: dict[str, float],
        without: str | None = None,
    ) -> None:
        super().__init__()
        self._counts = counts
        self._sums = sums  # shared by the odds of all sites
        self._without = without

    def get(self, token: str, default: float = 0.0) -> float:  # type: ignore[override]
        """The weight of `token`; 0 where too few sites use it or where it says little."""
        if token not in self:
            self[token] = self._weight(token) or default
        return self[token]

    def _weight(self, token: str) -> float:
        shares = self._counts.get(token)
        if shares is None:
            return 0.0
        own = shares.get(self._without or "")
        sites = len(shares) - (own is not None)
        content_sites = self._sum(token, shares) - (own or 0.0)
        weight = log((content_sites + 1.5) / (sites - content_sites + 1.5))
        return round(weight, 2) if abs(weight) >= 0.3 else 0.0

    def _sum(self, token: str, shares: Mapping[str, float]) -> float:
        if token not in self._sums:
            self._sums[token] = sum(shares.values())
        return self._sums[token]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true")
    options.add_argument("--corpus", type=Path, default=ROOT.parent / "shared/data/extract")
    options.add_argument("--out", type=Path, default=ROOT / "extract/content.json")
    chosen = options.parse_args()
    started = time.monotonic()
    gc.disable()
    pages = list(read(chosen.corpus / "data"))
    gc.enable()
    print(f"{len(pages)} pages read in {time.monotonic() - started:.0f} s", file=sys.stderr)
    if chosen.check:
        check(pages, chosen.corpus)
    else:
        write(pages, chosen.out)


def read(folder: Path) -> Iterable[Page]:
    """All marked pages below `folder`."""
    for name in SETS:
        for line in (folder / name / "meta.jsonl").read_text("utf-8").splitlines():
            meta = {**json.loads(line), "set": name}
            stem = folder / name
            html = gzip.decompress((stem / "pages" / f"{meta['id']}.html.gz").read_bytes())
            page = walk(parse(html), Reader({}))
            content.see(page)
            yield _marked(meta, page, stem / "truth")


def _marked(meta: dict[str, Any], page: Walk, truths: Path) -> Page:
    texts = [passage.text for passage in page.passages]
    truth = truths / f"{meta['id']}.txt"
    if truth.exists():
        optional = truths / f"{meta['id']}.opt.txt"
        text = truth.read_text("utf-8")
        spare = optional.read_text("utf-8") if optional.exists() else ""
        marks = labels.against_text(texts, text, spare)
        size = len(labels.tokens(text))
    else:
        checks = json.loads((truths / f"{meta['id']}.checks.json").read_text("utf-8"))
        marks = labels.against_snippets(texts, checks["with"], checks["without"])
        size = 300
    host = urlsplit(meta["url"]).netloc
    known: dict[int, set[str]] = {}
    tokens = []
    for passage in page.passages:
        links = [link.get("href") or "" for link in passage.links]
        tokens.append([*_named(passage.box, known), *words(passage.text), *targets(links, host)])
    return Page(meta, _site(meta), page, marks, size, tokens)


def _named(box: Box, known: dict[int, set[str]]) -> set[str]:
    chain = []
    at: Box | None = box
    while at is not None and id(at) not in known:
        chain.append(at)
        at = at.parent
    so_far = known[id(at)] if at is not None else set()
    for one in reversed(chain):
        attributes = dict(one.node.items())
        own = {*names(attributes.get("class", "")), *names(attributes.get("id", ""))}
        so_far = known[id(one)] = so_far | own | other_names(attributes)
    return so_far


def _site(meta: dict[str, Any]) -> str:
    if meta["set"] in {"docs", "defuddle", "gne", "h2t"}:
        return f"{meta['set']}:{meta['source'] if meta['set'] == 'docs' else meta['id'][:14]}"
    return ".".join(urlsplit(meta["url"]).netloc.lower().removeprefix("www.").split(".")[-2:])


def count(pages: Sequence[Page]) -> dict[str, dict[str, float]]:
    """For each token, by site, the share of the words below it that are content."""
    sums: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for page in pages:
        for label, tokens in zip(page.labels, page.tokens, strict=True):
            if not label.known or not label.tokens:
                continue
            weight = label.tokens**0.5
            for token in set(tokens):
                pair = sums[token][page.site]
                pair[0] += weight * label.content
                pair[1] += weight
    return {
        token: {site: good / whole for site, (good, whole) in sites.items()}
        for token, sites in sums.items()
        if len(sites) >= LEAST_SITES and len(token) > 1
    }


def numbers(page: Page, odds: Mapping[str, float]) -> list[tuple[float, ...]]:
    """The features of a page's passages under given weights."""
    reader = Reader(odds)
    for box in page.walk.boxes:
        box.low, box.high = reader.of_names(dict(box.node.items()))
        box.passages = box.chars = box.link_chars = 0
        box.prose = 0.0
    features.measure(page.walk)
    host = urlsplit(page.meta["url"]).netloc
    places = features.Places(page.walk)
    about = features.page_numbers(page.walk)
    own = features.own_numbers(page.walk, reader, host, every=True)
    return [
        numbers + places.of(passage.box) + about
        for numbers, passage in zip(own, page.walk.passages, strict=True)
        if numbers is not None
    ]


def importance(page: Page) -> list[float]:
    """How much each passage counts in learning: by its share of the page's text."""
    snippets = page.meta["set"] == "trafeval"
    weights = []
    for label in page.labels:
        if not label.known:
            weight = 0.0
        elif snippets:
            weight = 6.0
        elif not page.words:
            weight = 0.2
        else:
            weight = min(label.tokens, 400) / max(page.words, 60) * 100 + 0.3
        weights.append(weight * SET_WEIGHT.get(page.meta["set"], 1.0))
    return weights


def learn(pages: Sequence[Page], counts: Mapping[str, dict[str, float]]) -> Any:
    """Trees learned from `pages`; no page profits from its own site's words."""
    # By name: the checks of types run where they are not installed.
    lightgbm, numpy = (import_module(name) for name in ("lightgbm", "numpy"))
    sums: dict[str, float] = {}
    rows: list[tuple[float, ...]] = []
    wanted: list[bool] = []
    weights: list[float] = []
    for page in pages:
        rows += numbers(page, Odds(counts, sums, page.site))
        wanted += [label.content for label in page.labels]
        weights += importance(page)
    used = numpy.array(weights) > 0
    data = lightgbm.Dataset(
        numpy.array(rows, dtype=numpy.float64)[used],
        numpy.array(wanted)[used],
        weight=numpy.array(weights)[used],
    )
    return lightgbm.train(SETTINGS, data, ROUNDS)


def write(pages: Sequence[Page], out: Path) -> None:
    """Learn from all pages and write the table."""
    counts = count(pages)
    odds = Odds(counts, {})
    model = learn(pages, counts)
    trees = [_tree(tree["tree_structure"]) for tree in model.dump_model()["tree_info"]]
    weights = {token: odds.get(token) for token in sorted(counts) if odds.get(token)}
    table = {"features": list(features.FEATURES), "weights": weights, "trees": trees}
    lines = [f'"{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in table.items()]
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    print(f"{len(weights)} words, {len(trees)} trees, {out.stat().st_size} bytes", file=sys.stderr)


def _tree(node: dict[str, Any]) -> Any:
    if "leaf_value" in node:
        return round(node["leaf_value"], 4)
    return [
        node["split_feature"], _short(node["threshold"]),
        _tree(node["left_child"]), _tree(node["right_child"]),
    ]  # fmt: skip


def _short(threshold: float) -> float:
    return float(f"{threshold:.5g}")


def check(pages: Sequence[Page], corpus: Path) -> None:
    """Score each third of the sites with a table learned from the others."""
    sys.path.insert(0, str(corpus))
    rows: list[tuple[str, Any]] = []
    for fold in range(FOLDS):
        rest = [page for page in pages if zlib.crc32(page.site.encode()) % FOLDS != fold]
        counts = count(rest)
        model = learn(rest, counts)
        odds = Odds(counts, {})
        for page in pages:
            if zlib.crc32(page.site.encode()) % FOLDS == fold:
                chosen = _chosen(page, odds, model.predict)
                rows.append((page.meta["set"], _score(page, chosen, corpus / "data")))
    for name in SETS:
        print(f"{name:10} {_summary([row for of, row in rows if of == name]):.4f}")


def _chosen(page: Page, odds: Odds, predict: Callable[..., Any]) -> str:
    rows = numbers(page, odds)
    passages = page.walk.passages
    if rows:
        for passage, score in zip(passages, predict(rows), strict=True):
            passage.score = float(score)
    line = content.threshold(passages)
    return "\n".join(passage.text for passage in passages if passage.score >= line)


def _score(page: Page, text: str, data: Path) -> Any:
    import xlib  # type: ignore[import-not-found]  # the corpus's own scorer

    truths = data / page.meta["set"] / "truth"
    if page.meta["set"] == "trafeval":
        checks = json.loads((truths / f"{page.meta['id']}.checks.json").read_text("utf-8"))
        have = xlib.ws(text)
        found = [
            [xlib.ws(snippet) in have for snippet in checks[key]] for key in ("with", "without")
        ]
        return sum(found[0]), sum(found[1]), len(found[0])
    truth = (truths / f"{page.meta['id']}.txt").read_text("utf-8")
    if page.meta["set"].startswith("wcxb"):
        return xlib.word_prf(text, truth)[2]
    optional = truths / f"{page.meta['id']}.opt.txt"
    cjk = page.meta.get("lang", "")[:2] in {"zh", "ja", "ko", "th"} and page.meta["set"] != "aeb"
    spare = optional.read_text("utf-8") if optional.exists() else ""
    neutral = set(page.meta.get("neutral", ()))
    return xlib.aeb_ps(*xlib.shingle_prf(truth, text, spare, cjk, neutral))


def _summary(rows: Sequence[Any]) -> float:
    if isinstance(rows[0], float):
        return float(sum(rows) / len(rows))
    if len(rows[0]) == 3:
        good, bad, wanted = (sum(row[i] for row in rows) for i in range(3))
        return float(2 * good / (2 * good + bad + wanted - good))
    sides = [[row[i] for row in rows if row[i] is not None] for i in range(2)]
    precision, recall = (sum(side) / len(side) for side in sides)
    return float(2 * precision * recall / (precision + recall))


if __name__ == "__main__":
    main()
