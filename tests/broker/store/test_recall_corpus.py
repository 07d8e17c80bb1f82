"""The page that a distinctive sentence came from is found first, over hundreds of real pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.store.documents import Documents
from broker.store.split import split_markdown
from scripts.benches import recall

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_sentence_leads_to_its_page(corpus: Path, home: Path) -> None:
    pages = recall.read_pages(corpus, 300)
    questions = recall.distinctive_sentences(pages)
    documents = Documents(home, recall.ROOMY)
    for name, text in pages.items():
        await documents.put(recall.document(name, text), split_markdown(text))
    first = 0
    for name, sentence in questions.items():
        found = await documents.search(sentence, max_passages=1)
        first += bool(found) and found[0].url == name
    await documents.close()
    assert len(questions) > 250
    assert first / len(questions) >= 0.98
