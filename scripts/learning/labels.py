"""Which passages of a page stand in the text that a person marked as its content."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")


class Label(NamedTuple):
    """What is known of one passage."""

    content: bool
    tokens: int
    known: bool
    """False where the truth says nothing about the passage, or does not mind."""


def tokens(text: str) -> list[str]:
    """Words in lower case; CJK and Thai by the character."""
    return _TOKEN.findall(text.lower())


def against_text(texts: Sequence[str], truth: str, optional: str = "") -> list[Label]:
    """Labels from a full text: passages are aligned with it in order, as `diff` does.

    What stands only in `optional` is not known: the truth does not mind it.
    """
    wanted = tokens(truth)
    grams = {tuple(wanted[i : i + 4]) for i in range(len(wanted) - 3)}
    spare = tokens(optional)
    spare_grams = {tuple(spare[i : i + 3]) for i in range(max(1, len(spare) - 2))}
    words = [tokens(text) for text in texts]
    matched = _matched([token for each in words for token in each], wanted)
    labels = []
    at = 0
    for own in words:
        size = len(own)
        share = sum(index in matched for index in range(at, at + size)) / (size or 1)
        at += size
        if size >= 8 and share < 0.6:  # it may stand elsewhere in the truth
            own_grams = [tuple(own[i : i + 4]) for i in range(size - 3)]
            elsewhere = sum(gram in grams for gram in own_grams) / len(own_grams)
            share = elsewhere if elsewhere > 0.85 else share
        free = False
        if optional and share < 0.5:
            own_grams = [tuple(own[i : i + 3]) for i in range(max(1, size - 2))]
            free = sum(gram in spare_grams for gram in own_grams) > 0.8 * len(own_grams)
        labels.append(Label(share >= 0.5, size, bool(size) and not free))
    return labels


def against_snippets(texts: Sequence[str], wanted: list[str], unwanted: list[str]) -> list[Label]:
    """Labels from a few sentences that belong to the content and a few that do not."""
    labels = []
    for text in texts:
        good = any(snippet in text for snippet in wanted)
        bad = any(snippet in text for snippet in unwanted)
        labels.append(Label(good, len(tokens(text)), good != bad))
    return labels


def _matched(ours: list[str], theirs: list[str]) -> set[int]:
    """Indices of `ours` that are also in `theirs`, in order."""
    if not ours or not theirs:
        return set()
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("ours", "theirs")]
        for file, lines in zip(files, (ours, theirs), strict=True):
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        ran = subprocess.run(  # noqa: S603  (our own arguments)
            ["diff", "--unchanged-line-format=%dn\n", "--old-line-format=",  # noqa: S607
             "--new-line-format=", *map(str, files)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    return {int(line) - 1 for line in ran.stdout.split()}
