"""Several processes on one file, and processes that die while they write."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import anyio.to_thread

from broker.settings import StoreSettings
from broker.store import Store
from broker.store.documents import Documents
from tests.broker.store.shelves import faults, files, titles

if TYPE_CHECKING:
    from pathlib import Path

COMMON = """
import sys, time
from pathlib import Path
import anyio
from broker.settings import StoreSettings
from broker.store.documents import Documents
from broker.store.records import StoredDocument
from broker.store.split import split_markdown

home, name = Path(sys.argv[1]), sys.argv[2]

def page(key, markdown):
    return StoredDocument(
        key=key, source=key, final_url=key, title=key, verdict="content", via="http",
        markdown=markdown, fetched_at_s=time.time(),
    )

async def put(documents, key, markdown):
    return await documents.put(page(key, markdown), split_markdown(markdown))
"""

BUSY = f"""{COMMON}
async def main():
    documents = Documents(home, StoreSettings(max_documents=1000, hot_documents=0))
    for number in range(100):
        word = f"{{name}}w{{number}}"
        stored = await put(documents, word, f"{{word}} and the text of a page. " * 20)
        assert await documents.get(stored.id) == stored, word
        assert await put(documents, "shared", f"shared by all, now {{word}}. " * 20)
        if number % 10 == 0:
            found = await documents.search(word)
            assert stored.id in [passage.document_id for passage in found], word
    await documents.close()
    assert documents.warning is None, documents.warning

anyio.run(main)
"""

DYING = f"""{COMMON}
async def main():
    documents = Documents(home, StoreSettings(max_documents=3))
    for number in range(1000):
        if number == 3:
            print("full", flush=True)
        await put(documents, f"{{name}} {{number % 5}}", f"{{number}} words of a page. " * 20_000)

anyio.run(main)
"""


def start(script: str, *words: str | Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", script, *words], stdout=subprocess.PIPE)  # noqa: S603


def test_eight_processes_write_and_read_at_once_and_lose_nothing(home: Path) -> None:
    processes = [start(BUSY, home, f"p{number}") for number in range(8)]
    for process in processes:
        process.communicate(timeout=50)
    assert [process.returncode for process in processes] == [0] * 8
    expected = {f"p{process}w{number}" for process in range(8) for number in range(100)}
    assert set(titles(home)) == expected | {"shared"}
    assert faults(home) == []


async def test_a_process_killed_while_it_writes_leaves_a_good_file(home: Path) -> None:
    for round_ in range(4):
        process = start(DYING, home, f"r{round_}")
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
        process.communicate(timeout=20)
        assert faults(home) == []
        assert len(titles(home)) == 3
    documents = Documents(home, StoreSettings(max_documents=3))
    assert await documents.search("words") != []
    assert documents.warning is None
    await documents.close()


VISIT = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("SELECT count(*) FROM documents").fetchall()
db.close()
"""


async def test_a_process_opens_the_file_again_without_losing_its_locks(home: Path) -> None:
    documents = Documents(home, StoreSettings())
    await documents.id_of("opens it to read")
    await documents.touch("0000000000", confirmed=True)  # opens it to write
    store = Store(home)
    await anyio.to_thread.run_sync(store.cooldowns)
    visitor = start(VISIT, home / "store.sqlite3")
    visitor.communicate(timeout=20)
    assert visitor.returncode == 0
    assert "store.sqlite3-wal" in files(home), "the visitor took itself for the last one"
    store.close()
    await documents.close()
