"""Real saved pages, where they are at hand: how much of them is read rightly.

The floors are what other pages of the same kinds are judged by; here everything was right.
"""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from broker.providers import by_name

if TYPE_CHECKING:
    from pathlib import Path

    from broker.models import Serp

FLOOR = 0.985

STATES = {
    "google-noresults": "no_results",
    "google-sorry": "captcha",
    "google-enablejs": "js_required",
    "google-consent": "consent_wall",
    "google-unsupported": "unsupported",
    "google-403": "blocked",
    "ddg-challenge": "challenge",
}


def share(tally: Counter[str], part: str, whole: str) -> float:
    return tally[part] / tally[whole] if tally[whole] else 1.0


def same_url(url: str) -> str:
    return re.sub(r"^https?://(www\.)?", "", unquote(url).split("#:~:text=")[0].rstrip("/"))


def same_text(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).replace("\u200b", "").split()).strip(" .…")


def alike(one: str, other: str) -> bool:
    ours, theirs = same_text(one).lower().split(), same_text(other).lower().split()
    common = (Counter(ours) & Counter(theirs)).total()
    return bool(ours) and 2 * common / (len(ours) + len(theirs)) >= 0.8


def compare(serp: Serp, truth: list[dict[str, Any]], tally: Counter[str]) -> None:
    found = {same_url(hit.url): hit for hit in reversed(serp.hits)}
    wanted = Counter(same_url(entry["url"]) for entry in truth)
    given = Counter(same_url(hit.url) for hit in serp.hits)
    tally.update(wanted=wanted.total(), given=given.total(), common=(wanted & given).total())
    for entry in truth:
        if (hit := found.get(same_url(entry["url"]))) is None:
            continue
        tally["titles"] += same_text(entry["title"]) == same_text(hit.title)
        tally["featured"] += bool(entry.get("featured")) == hit.featured
        if entry["snippet"]:
            tally["described"] += 1
            tally["snippets"] += alike(entry["snippet"], hit.snippet)


def measure(serps: Path, provider: str) -> Counter[str]:
    tally: Counter[str] = Counter()
    for line in (serps / "index.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        kind, path = entry["kind"], serps / entry["file"]
        if not kind.startswith(provider):
            continue
        serp = by_name(provider).parse(gzip.decompress(path.read_bytes()), "")
        truth = path.with_name(path.name.removesuffix(".html.gz") + ".truth.json")
        if "gotobare" in path.name:
            tally["states"] += 1
            tally["right"] += bool(serp.hits) and not any(hit.resolved for hit in serp.hits)
        elif truth.exists():
            compare(serp, json.loads(truth.read_text(encoding="utf-8")), tally)
        elif kind in STATES:
            tally["states"] += 1
            tally["right"] += serp.state == STATES[kind]
    return tally


@pytest.mark.parametrize(("provider", "floor"), [("google", FLOOR), ("ddg", 1.0)])
def test_real_pages_are_read_rightly(corpus: Path, provider: str, floor: float) -> None:
    tally = measure(corpus / "serps", provider)
    assert share(tally, "common", "wanted") >= floor, "recall"
    assert share(tally, "common", "given") >= floor, "precision"
    assert share(tally, "titles", "common") >= floor, "titles"
    assert share(tally, "featured", "common") >= floor, "featured"
    assert share(tally, "snippets", "described") >= floor, "snippets"
    assert share(tally, "right", "states") >= floor, "states"
