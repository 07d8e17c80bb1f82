"""Answers made of passages: of everything that was read, or of the sources of one fetch.

The sources of a fetch are searched by themselves (`store.pool`), not as a part of the store: so it
makes no difference what else was read, that a text is longer than the store's index takes, or that
another process holds the file.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.ranking import share_chars
from broker.reading import quoting
from broker.reading.answers import head_of
from broker.reading.records import Page, Pooled, Recalled
from broker.reading.windows import weight
from broker.store.pool import search_in
from broker.store.split import split_markdown

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from broker.reading.records import RecallRequest
    from broker.store.documents import Documents
    from broker.store.records import StoredDocument

_RESERVE_S = 0.3
_RESERVED_SHARE = 0.2
"""Kept at the end of a fetch with a query, to search what was read: this share, 0.3 s at most."""
_CHARS_PER_S = 2_500_000
"""What is split, indexed and searched; measured: 3 million."""
_LEAST_CHARS = 400_000
_MOST_CHARS = 8_000_000
"""Of all documents together."""
_MOST_POOLED = 24
"""Passages of a pool; the answer's size mostly ends it sooner."""
_OUTLINES_SHARE = 0.1
_PAGE = 470
"""Bytes of a page's JSON without its contents."""
_FAILURE = 220
"""The same of its error."""
_ENTRY = 36
"""The same of a heading."""
_LEAST_SHARE = 0.4
"""Of the room that passages have, however much there is to tell of the sources."""


async def recall(documents: Documents, request: RecallRequest, room: int) -> Recalled:
    """The passages of the store that answer a query, in about `room` bytes."""
    started_s = anyio.current_time()
    wanted = quoting.wanted(request.max_passages)
    found = await documents.search(request.query, max_passages=wanted)
    chosen = await anyio.to_thread.run_sync(
        quoting.quoted, found, request.max_passages, room - _PAGE - weight(request.query)
    )
    for document_id in {passage.id for passage in chosen.passages}:
        await documents.touch(document_id)
    note = chosen.note
    if not found:
        kept = (await documents.statistics()).documents
        note = f"nothing that is kept answers this; documents in the store: {kept}"
    return Recalled(
        query=request.query,
        passages=chosen.passages,
        note=note,
        warnings=() if documents.warning is None else (documents.warning,),
        ms=round((anyio.current_time() - started_s) * 1000),
    )


def reserve_s(budget_s: float) -> float:
    """How much of the time for a fetch with a query is kept to search what was read."""
    return min(_RESERVE_S, budget_s * _RESERVED_SHARE)


def pooled(
    read: Sequence[StoredDocument | Page], query: str, *, room: int, left_s: float
) -> Pooled:
    """The passages of a fetch's sources that answer its query. It blocks.

    Args:
        read: for each source its document, or the page that says why there is none.
        query: a person's words.
        room: bytes of JSON for the whole answer.
        left_s: so much time is left; where that is short for much text, the beginnings are
            searched, and the pages say so.
    """
    documents = [each for each in read if not isinstance(each, Page)]
    parts = _beginnings(documents, left_s)
    searched = [
        (document, split_markdown(document.markdown[:part]))
        for document, part in zip(documents, parts, strict=True)
    ]
    found = search_in(searched, query, max_passages=quoting.wanted(_MOST_POOLED))
    heads = iter(_heads(documents, parts, round(room * _OUTLINES_SHARE)))
    pages = [
        # What a wall shows is no answer, and twenty of them would leave no room for one.
        replace(each, text="", chars=0) if isinstance(each, Page) else next(heads)
        for each in read
    ]
    left = room - weight(query) - sum(map(_told, pages))
    chosen = quoting.quoted(found, _MOST_POOLED, max(left, round(room * _LEAST_SHARE)))
    cited = Counter(passage.id for passage in chosen.passages)
    known = {passage.document_id for passage in found}
    return Pooled(
        query=query,
        pages=tuple(_counted(page, cited[page.id], known) for page in pages),
        passages=chosen.passages,
        note=chosen.note,
    )


def _beginnings(documents: Sequence[StoredDocument], left_s: float) -> list[int]:
    """How many characters of each document can be searched in that time."""
    chars = min(max(_LEAST_CHARS, round(left_s * _CHARS_PER_S)), _MOST_CHARS)
    return share_chars([len(document.markdown) for document in documents], chars)


def _heads(
    documents: Sequence[StoredDocument], parts: Sequence[int], outlines_room: int
) -> Iterator[Page]:
    """The documents' pages without their text; what outlines leave of their room goes to others."""
    wanted = [
        sum(weight(heading.text) + _ENTRY for heading in document.outline) for document in documents
    ]
    rooms = share_chars(wanted, outlines_room)
    for document, part, share in zip(documents, parts, rooms, strict=True):
        page = replace(head_of(document, share), chars=len(document.markdown))
        if part < page.chars:
            warning = (
                f"only its first {part:,} characters were searched: the sources are too long for "
                "the time"
            )
            page = replace(page, warnings=(*page.warnings, warning))
        yield page


def _told(page: Page) -> int:
    """Bytes of a page's JSON."""
    told = [page.source, page.final_url, page.title, page.text, *page.warnings]
    told += [heading.text for heading in page.outline]
    size = _PAGE + _ENTRY * len(page.outline)
    if page.error is not None:
        told += [page.error.message, page.error.url]
        size += _FAILURE
    return size + sum(map(weight, told))


def _counted(page: Page, cited: int, found: Container[str]) -> Page:
    """The page with what the query came to in it."""
    if page.error is not None:
        return page
    note = ""
    if not cited:
        note = "no passage of it answers the query"
        if page.id in found:
            note = "what answers the query in it is left out, since others answer better"
    return replace(page, passages=cited, note=note)
