"""What documents cost, how much of one comes back, and what others notice of it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from broker.deadline import Deadline
from broker.documents.converter import Converter
from scripts.benches.table import Row, median
from scripts.typesetting.texts import paper
from tests.broker.documents.reading import all_words, headings, rows, words

if TYPE_CHECKING:
    from broker.documents.records import Converted

DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "documents"
TIMES = 5
LONG_S = 60.0
_PEERS = {
    "pypdfium2": "import sys, pypdfium2 as p\n"
    "for page in p.PdfDocument(sys.argv[1]): page.get_textpage().get_text_range()",
    "kreuzberg": "import sys, kreuzberg\n"
    "print(kreuzberg.extract_file_sync(sys.argv[1], config=kreuzberg.ExtractionConfig("
    "output_format='markdown')).content)",
}
"""Programs that read one file, as others would write them."""


async def bench(home: Path) -> list[Row]:
    """All rows of this bench."""
    converter = Converter(home / "run")
    latex, docx = DATA / "paper-latex.pdf", DATA / "report-libreoffice.docx"
    found, paper_s, late_s = await _converted(converter, latex)
    _, docx_s, _ = await _converted(converter, docx)
    floor_s, _ = await _peer("pypdfium2", latex)
    office_s, _ = await _peer("kreuzberg", docx)
    _, theirs = await _peer("kreuzberg", latex)
    return [
        Row(
            what="two-column paper of 17 pages, in a process of its own",
            measured=paper_s,
            unit="s",
            target="-",
            floor=floor_s,
            floor_name="pypdfium2's plain text, a process",
        ),
        *_quality(found.markdown, theirs),
        Row(
            what="report as DOCX, in a process of its own",
            measured=docx_s,
            unit="s",
            target="-",
            floor=office_s,
            floor_name="kreuzberg, a process",
        ),
        Row(
            what="others wait for the event loop meanwhile, at worst",
            measured=late_s * 1000,
            unit="ms",
            target="100",
        ),
    ]


def _quality(ours: str, theirs: str) -> list[Row]:
    """What of the paper came back; its words are known."""
    truth = paper()
    known = all_words(truth)

    def row(what: str, of: int, mine: int, peer: int) -> Row:
        return Row(
            what=f"the paper's {what}, of {of}",
            measured=mine,
            unit="",
            target=str(of),
            floor=peer,
            floor_name="kreuzberg",
            digits=0,
        )

    def found(markdown: str) -> tuple[int, int, int]:
        titles, cells = headings(markdown), rows(markdown)
        return (
            sum(title in titles for title in truth.headings),
            sum(line in cells for line in truth.rows),
            len(known & words(markdown)),
        )

    mine, peer = found(ours), found(theirs)
    sizes = (len(truth.headings), len(truth.rows), len(known))
    names = ("headings", "table rows", "different words")
    return [row(*each) for each in zip(names, sizes, mine, peer, strict=True)]


async def _converted(converter: Converter, path: Path) -> tuple[Converted, float, float]:
    """The document, how long it takes, and how late the event loop was at worst."""
    body = await anyio.Path(path).read_bytes()
    times, late = [], 0.0
    found: Converted | None = None
    for _ in range(TIMES):
        async with anyio.create_task_group() as tasks:
            lateness: list[float] = [0.0]
            tasks.start_soon(_watch, lateness)
            begun_s = time.perf_counter()
            found = await converter.convert(body, Deadline.after(LONG_S))
            times.append(time.perf_counter() - begun_s)
            tasks.cancel_scope.cancel()
        late = max(late, *lateness)
    assert found is not None  # noqa: S101 - TIMES is not 0
    return found, median(times), late


async def _watch(lateness: list[float], every_s: float = 0.005) -> None:
    while True:
        begun_s = time.perf_counter()
        await anyio.sleep(every_s)
        lateness.append(time.perf_counter() - begun_s - every_s)


async def _peer(name: str, path: Path) -> tuple[float, str]:
    """How long a peer takes from the start of its process, and what it says."""
    command = [sys.executable, "-c", _PEERS[name], str(path)]
    times, said = [], ""
    for _ in range(TIMES):
        begun_s = time.perf_counter()
        done = await anyio.run_process(command)
        times.append(time.perf_counter() - begun_s)
        said = done.stdout.decode("utf-8", "replace")
    return median(times), said
