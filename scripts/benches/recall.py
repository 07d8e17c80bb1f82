"""What it costs to keep what was read and to find it again, over the shared corpus' own texts."""

from __future__ import annotations

import os
import random
import re
import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from broker.reading.recalling import pooled
from broker.reading.records import RecallRequest
from broker.service import open_broker
from broker.settings import BrowserSettings, Settings, StoreSettings
from broker.store.documents import Documents
from broker.store.file import FILE_NAME
from broker.store.records import StoredDocument
from broker.store.split import split_markdown
from broker.store.words import understood
from scripts.benches.table import Row, median

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES = 1000
PUT_CHARS = 100_000
POOLS = 200
ROOMY = StoreSettings(max_documents=10 * PAGES, max_mb=1000)
_SHORTEST_PAGE_CHARS = 200
_WORDS_OF_SENTENCE = 5
_SENTENCE = re.compile(r"(?<=[.!?。\uff01\uff1f])\s*|\n")
_LETTERS_OF_CJK = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


def corpus() -> Path | None:
    """The folder of the shared corpus, where it is at hand."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("WEBAIO_CORPUS") or beside)
    return folder if (folder / "extract" / "data").is_dir() else None


def read_pages(folder: Path, most: int = PAGES) -> dict[str, str]:
    """The texts of so many of the corpus' pages, picked at random but always alike, by name."""
    files = sorted(folder.glob("extract/data/*/truth/*.txt"))
    random.Random(1).shuffle(files)  # noqa: S311 - a sample
    pages: dict[str, str] = {}
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        if len(text) >= _SHORTEST_PAGE_CHARS and len(pages) < most:
            pages[str(file.relative_to(folder))] = text
    return pages


def distinctive_sentences(pages: dict[str, str]) -> dict[str, str]:
    """For each page that has one, a sentence that stands in no other."""
    pick = random.Random(7)  # noqa: S311 - a sample
    found = {}
    for name, text in pages.items():
        sentences = [part.strip() for part in _SENTENCE.split(text) if _is_sentence(part.strip())]
        pick.shuffle(sentences)
        for sentence in sentences:
            if sum(sentence in other for other in pages.values()) == 1:
                found[name] = sentence
                break
    return found


def document(name: str, text: str) -> StoredDocument:
    """A page of the corpus as it would be stored."""
    return StoredDocument(
        key=name,
        source=name,
        final_url=name,
        title=Path(name).stem,
        verdict="content",
        via="local",
        markdown=text,
        fetched_at_s=time.time(),
    )


async def bench(home: Path) -> list[Row]:
    """All rows of this bench; none where the corpus is not at hand."""
    folder = corpus()
    if folder is None:
        return []
    pages = read_pages(folder)
    documents = Documents(home, ROOMY)
    try:
        for name, text in pages.items():
            await documents.put(document(name, text), split_markdown(text))
        questions = distinctive_sentences(pages)
        rows = [*await _recall(home, questions), *_pool(pages, questions)]
        return [*rows, *await _again(documents, list(pages)), *await _put(documents, pages)]
    finally:
        await documents.close()


def _is_sentence(text: str) -> bool:
    shortest = 12 if _LETTERS_OF_CJK.search(text) else 40
    return shortest <= len(text) <= 240  # noqa: PLR2004


async def _recall(home: Path, questions: dict[str, str]) -> list[Row]:
    """By the door that Python programs use, a whole answer each."""
    times, first = [], 0
    settings = Settings(home=home, browser=BrowserSettings(enabled=False), store=ROOMY)
    async with open_broker(settings) as broker:
        await broker.recall(RecallRequest(query="what opens the store"))
        for name, sentence in questions.items():
            begun_s = time.perf_counter()
            found = (await broker.recall(RecallRequest(query=sentence))).passages
            times.append(time.perf_counter() - begun_s)
            first += bool(found) and found[0].url == name
    return [
        Row(
            what=f"recall over {PAGES:,} pages, a sentence",
            measured=median(times) * 1000,
            unit="ms",
            target="≤ 20",
            floor=_every_word_ms(home, list(questions.values())),
            floor_name="every word, by FTS5 alone",
            note=f"{len(times)} sentences, slowest {max(times) * 1000:.0f} ms",
        ),
        Row(
            what="… the page it came from is first",
            measured=100 * first / len(times),
            unit="%",
            target="≥ 98",
        ),
    ]


def _pool(pages: dict[str, str], questions: dict[str, str]) -> list[Row]:
    """What a query adds to a fetch of five pages: some words of a sentence of the first of them."""
    pick = random.Random(3)  # noqa: S311 - a sample
    times, first, chars = [], 0, 0
    for name, sentence in list(questions.items())[:POOLS]:
        names = [name, *pick.sample(sorted(pages), 4)]
        documents = [replace(document(each, pages[each]), id=each) for each in names]
        words = sentence.split()
        some = " ".join(pick.sample(words, min(len(words), _WORDS_OF_SENTENCE)))
        begun_s = time.perf_counter()
        answer = pooled(documents, some, room=20_000, left_s=10.0)
        times.append(time.perf_counter() - begun_s)
        chars += sum(len(pages[each]) for each in names)
        first += bool(answer.passages) and sentence in answer.passages[0].text
    return [
        Row(
            what="fetch of five pages with a query, beside the fetch",
            measured=median(times) * 1000,
            unit="ms",
            target="≤ 200",
            note=f"{POOLS} pools of {chars // POOLS:,} characters, slowest {max(times):.2f} s",
        ),
        Row(
            what=f"… {_WORDS_OF_SENTENCE} words lead to the passage with their sentence",
            measured=100 * first / len(times),
            unit="%",
            target="≥ 80",
        ),
    ]


def _every_word_ms(home: Path, sentences: Sequence[str]) -> float:
    """The plain way: all words of the sentence, ranked by FTS5."""
    db = sqlite3.connect(home / FILE_NAME)
    times = []
    for sentence in sentences[:100]:
        expression = " OR ".join(understood(sentence).words)
        begun_s = time.perf_counter()
        db.execute(
            "SELECT rowid FROM passage_words WHERE passage_words MATCH ? ORDER BY rank LIMIT 10",
            (expression,),
        ).fetchall()
        times.append(time.perf_counter() - begun_s)
    db.close()
    return median(times) * 1000


async def _again(documents: Documents, names: Sequence[str]) -> list[Row]:
    cold: list[float] = []
    hot: list[float] = []
    for name in names[: PAGES // 2]:
        for times in (cold, hot):
            begun_s = time.perf_counter()
            await documents.by_key(name)
            times.append(time.perf_counter() - begun_s)
    return [
        Row(
            what="the same page again, from memory",
            measured=max(hot) * 1000,
            unit="ms",
            target="≤ 1",
            floor=median(cold) * 1000,
            floor_name="from the file",
            note="slowest of 500",
        )
    ]


async def _put(documents: Documents, pages: dict[str, str]) -> list[Row]:
    everything = "".join(pages.values())
    bare, indexed, cpu = [], [], []
    for part in range(min(60, len(everything) // PUT_CHARS)):
        text = everything[part * PUT_CHARS : (part + 1) * PUT_CHARS]
        excerpts = split_markdown(text)
        begun_s = time.perf_counter()
        await documents.put(document(f"bare {part}", text))
        bare.append(time.perf_counter() - begun_s)
        begun_s, used_s = time.perf_counter(), time.process_time()
        await documents.put(document(f"part {part}", text), excerpts)
        indexed.append(time.perf_counter() - begun_s)
        cpu.append(time.process_time() - used_s)
    return [
        Row(
            what="put of a 100 KB document",
            measured=median(indexed) * 1000,
            unit="ms",
            target="≤ 10",
            floor=median(bare) * 1000,
            floor_name="without its words",
            note=f"{median(cpu) * 1000:.1f} ms of CPU",
        )
    ]
