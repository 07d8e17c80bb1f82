"""What was read is found again, by this process and others, until it must make room."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.settings import StoreSettings
from broker.store.documents import MAX_INDEXED_CHARS, Documents
from broker.store.records import Excerpt, Link, OutlineEntry, StoredDocument
from tests.broker.store.shelves import DAY_S, NOW_S, cold, faults, files, page, put, titles

if TYPE_CHECKING:
    from pathlib import Path

    from tests.broker.store.shelves import Clock

FULL = StoredDocument(
    key="https://site.example/full rendered",
    source="site.example/full",
    final_url="https://site.example/full?a=1",
    title="Füll",
    verdict="content",
    via="browser",
    markdown="# Füll\n\nText with 東京 and \U0001f600.\n",
    outline=(OutlineEntry(level=1, text="Füll", words=4, offset=0),),
    links=(Link(text="Tōkyō", url="https://site.example/tokyo"),),
    blocks='[{"kind": "p"}]',
    published="2026-11-30",
    byline="A. Author",
    lang="de",
    warnings=("one", "two"),
    etag='W/"1"',
    last_modified="Mon, 30 Nov 2026 12:00:00 GMT",
    fetched_at_s=NOW_S,
)


# --- found again -------------------------------------------------------------------------------


async def test_a_document_comes_back_whole_by_id_and_by_key(
    documents: Documents, home: Path, clock: Clock
) -> None:
    stored = await put(documents, FULL)
    assert stored == replace(FULL, id=stored.id)
    other = cold(home, clock)
    for one in (documents, other):
        assert await one.get(stored.id) == stored
        assert await one.by_key(FULL.key) == stored
    await other.close()


async def test_what_was_never_read_is_not_there(documents: Documents) -> None:
    assert await documents.get("0000000000") is None
    assert await documents.by_key("https://site.example/none") is None
    await documents.touch("0000000000", confirmed=True)


async def test_nothing_on_disk_is_touched_before_the_first_use(home: Path, clock: Clock) -> None:
    documents = Documents(home, StoreSettings(), clock)
    await documents.close()
    assert files(home) == []


async def test_an_id_is_short_typable_and_the_same_in_every_process(
    documents: Documents, home: Path, clock: Clock
) -> None:
    stored = await put(documents, page("a"))
    assert re.fullmatch("[0-9a-hjkmnp-tv-z]{10}", stored.id)
    other = cold(home, clock)
    assert await other.id_of(stored.key) == stored.id
    assert await other.id_of(stored.key + "b") != stored.id
    await other.close()


async def test_another_home_makes_other_ids(
    documents: Documents, tmp_path: Path, clock: Clock
) -> None:
    elsewhere = cold(tmp_path / "elsewhere", clock)
    assert await elsewhere.id_of("key") != await documents.id_of("key")
    await elsewhere.close()


async def test_an_id_may_be_typed_as_it_was_heard(documents: Documents) -> None:
    stored = await put(documents, page("a"))
    heard = stored.id.upper().replace("0", "O").replace("1", "l")
    assert await documents.get(f" {heard}\n") == stored


async def test_reading_a_page_anew_replaces_it_under_the_same_id(
    documents: Documents, home: Path, clock: Clock
) -> None:
    first = await put(documents, page("a", "an old sentence"))
    second = await put(documents, page("a", "a new sentence", fetched_at_s=NOW_S + 1))
    assert second.id == first.id
    other = cold(home, clock)
    assert await other.get(first.id) == second
    assert await other.search("old") == []
    assert [passage.text for passage in await other.search("new")] == ["a new sentence"]
    assert (await other.statistics()).documents == 1
    await other.close()
    assert faults(home) == []


async def test_what_was_fetched_earlier_does_not_replace_what_is_younger(
    documents: Documents, home: Path, clock: Clock
) -> None:
    clock.now_s = NOW_S + 10
    young = await put(documents, page("a", "young", fetched_at_s=NOW_S + 5))
    await put(documents, page("a", "old", fetched_at_s=NOW_S))
    other = cold(home, clock)
    assert await documents.get(young.id) == await other.get(young.id) == young
    await other.close()


async def test_a_document_from_before_the_clock_was_set_back_is_replaced(
    documents: Documents, home: Path, clock: Clock
) -> None:
    await put(documents, page("a", "of the future", fetched_at_s=NOW_S + 10 * DAY_S))
    now = await put(documents, page("a", "of today", fetched_at_s=NOW_S))
    other = cold(home, clock)
    assert await documents.get(now.id) == await other.get(now.id) == now
    await other.close()


async def test_a_page_that_its_origin_confirmed_is_fresh_again(
    documents: Documents, home: Path, clock: Clock
) -> None:
    stored = await put(documents, page("a"))
    clock.now_s += 100
    await documents.touch(stored.id, confirmed=True)
    other = cold(home, clock)
    for one in (documents, other):
        found = await one.get(stored.id)
        assert found is not None
        assert found.fetched_at_s == NOW_S + 100
        assert found.markdown == stored.markdown
    await other.close()


async def test_texts_that_no_file_can_hold_are_mended_and_keep_their_length(
    documents: Documents, home: Path, clock: Clock
) -> None:
    broken = replace(
        page("a", "half \ud83d and \x00 nothing, needle"),
        title="\udc00",
        links=(Link(text="\ud83d", url="\x00"),),
        outline=(OutlineEntry(level=1, text="\ud83d", words=1),),
        warnings=("\ud83d",),
    )
    stored = await put(documents, broken)
    assert len(stored.markdown) == len(broken.markdown)
    other = cold(home, clock)
    assert await other.get(stored.id) == stored
    (passage,) = await other.search("needle")
    assert passage.text == stored.markdown
    await other.close()


async def test_a_row_that_somebody_else_wrote_into_is_not_there(
    documents: Documents, home: Path, clock: Clock
) -> None:
    stored = await put(documents, page("a"))
    with closing(sqlite3.connect(home / "store.sqlite3")) as db, db:
        db.execute("UPDATE documents SET links = '[1'")
    other = cold(home, clock)
    assert await other.get(stored.id) is None
    await other.close()


# --- memory ------------------------------------------------------------------------------------


async def test_the_same_page_again_needs_no_file(documents: Documents, home: Path) -> None:
    stored = await put(documents, page("a"))
    with closing(sqlite3.connect(home / "store.sqlite3")) as db, db:
        db.execute("DELETE FROM documents")
    assert await documents.by_key(stored.key) == stored
    assert await documents.get(stored.id) == stored


async def test_memory_forgets_what_a_search_finds_younger_in_the_file(
    documents: Documents, home: Path, clock: Clock
) -> None:
    stored = await put(documents, page("a", "one version"))
    other = cold(home, clock)
    young = await put(other, page("a", "another version", fetched_at_s=NOW_S + 1))
    assert await documents.get(stored.id) == stored
    await documents.search("version")
    assert await documents.get(stored.id) == young
    await other.close()


async def test_memory_holds_the_documents_used_last(home: Path, clock: Clock) -> None:
    documents = Documents(home, StoreSettings(hot_documents=2), clock)
    for name in "abc":
        await put(documents, page(name))
    assert (await documents.statistics()).hot_documents == 2
    await documents.close()


# --- making room -------------------------------------------------------------------------------


async def test_the_least_recently_used_document_gives_way(home: Path, clock: Clock) -> None:
    documents = cold(home, clock, max_documents=3)
    stored = [await put(documents, page(name)) for name in "abc"]
    clock.now_s += 1
    await documents.by_key(page("a").key)
    clock.now_s += 1
    await put(documents, page("d"))
    assert titles(home) == ["d", "a", "c"]
    assert await documents.search("called b") != []
    assert all("called b" not in found.text for found in await documents.search("called b"))
    assert await documents.get(stored[2].id) == stored[2]
    await documents.close()
    assert faults(home) == []


async def test_no_more_documents_are_kept_than_allowed(home: Path, clock: Clock) -> None:
    documents = cold(home, clock, max_documents=5)
    for number in range(20):
        await put(documents, page(f"p{number}"))
        assert len(titles(home)) == min(number + 1, 5)
    assert titles(home) == ["p19", "p18", "p17", "p16", "p15"]
    await documents.close()
    assert faults(home) == []


async def test_no_more_text_is_kept_than_allowed(home: Path, clock: Clock) -> None:
    documents = cold(home, clock, max_mb=1)
    for number in range(5):
        clock.now_s += 1
        await put(documents, page(f"p{number}", f"{number} " * 150_000))
        assert (await documents.statistics()).bytes <= 1 << 20
    assert titles(home) == ["p4", "p3", "p2"]
    await documents.close()


async def test_the_limit_on_text_is_exact(home: Path, clock: Clock) -> None:
    documents = cold(home, clock, max_mb=1)
    await put(documents, page("a", "x"))
    rest = (1 << 20) - 2 * ((await documents.statistics()).bytes - 1) - 1
    await documents.put(page("b", "y" * rest))
    assert (await documents.statistics()).bytes == 1 << 20
    assert titles(home) == ["b", "a"]
    await documents.put(page("b", "y" * (rest + 1)))
    assert titles(home) == ["b"]
    await documents.close()


async def test_a_document_too_large_for_the_store_pushes_nobody_out(
    home: Path, clock: Clock
) -> None:
    documents = Documents(home, StoreSettings(max_mb=1), clock)
    await put(documents, page("a"))
    large = await documents.put(page("large", "z" * (1 << 20)))
    assert titles(home) == ["a"]
    assert await documents.get(large.id) == large, "from memory"
    await documents.close()


async def test_what_nobody_used_for_a_week_is_gone(home: Path, clock: Clock) -> None:
    documents = Documents(home, StoreSettings(), clock)
    old = await put(documents, page("old"))
    used = await put(documents, page("used"))
    clock.now_s += 6 * DAY_S
    await documents.get(used.id)
    clock.now_s += 1.5 * DAY_S
    assert await documents.get(old.id) is None
    assert await documents.get(used.id) == used
    assert [found.document_id for found in await documents.search("page called")] == [used.id]
    await put(documents, page("new"))
    assert sorted(titles(home)) == ["new", "used"]
    await documents.close()
    assert faults(home) == []


async def test_documents_used_in_the_future_do_not_outlive_those_of_today(
    home: Path, clock: Clock
) -> None:
    documents = cold(home, clock, max_documents=2)
    clock.now_s += 100 * DAY_S
    for name in "ab":
        await put(documents, page(name))
    clock.now_s = NOW_S
    for name in "cd":
        clock.now_s += 1
        await put(documents, page(name))
    assert titles(home) == ["d", "c"]
    await documents.close()


async def test_nothing_is_kept_on_disk_where_that_is_set(home: Path, clock: Clock) -> None:
    documents = Documents(home, StoreSettings(max_documents=0), clock)
    stored = await put(documents, page("a", "the secret text"))
    assert await documents.get(stored.id) == stored
    await documents.close()
    assert b"the secret text" not in (home / "store.sqlite3").read_bytes()


async def test_an_emptied_store_has_no_words_left(home: Path, clock: Clock) -> None:
    documents = cold(home, clock)
    for name in ("a", "b"):
        await put(documents, page(name, "Füße, 東京大学 und ﬁn \U0001f600 ไทยภาษา\n" * 50))
    await put(documents, page("a", "etwas anderes"))
    await documents.close()
    strict = cold(home, clock, max_documents=0)
    await strict.touch("any", confirmed=True)
    await strict.close()
    assert titles(home) == []
    assert faults(home) == []


# --- figures and callers -----------------------------------------------------------------------


async def test_statistics_tell_how_full_it_is(documents: Documents, clock: Clock) -> None:
    empty = await documents.statistics()
    assert (empty.documents, empty.bytes, empty.oldest_age_s) == (0, 0, None)
    await put(documents, page("a", "x" * 1000))
    clock.now_s += 60
    await put(documents, page("b", "y" * 1000, fetched_at_s=clock.now_s))
    full = await documents.statistics()
    assert (full.documents, full.oldest_age_s, full.hot_documents) == (2, 60, 2)
    assert 2000 < full.bytes < 3000
    assert full.hot_chars == 2000
    assert full.waiting == 0


async def test_a_text_is_stored_once(documents: Documents) -> None:
    await put(documents, page("a", "A sentence like any other. " * 4000))
    assert (await documents.statistics()).bytes < 110_000


async def test_an_excerpt_that_is_no_slice_of_its_document_is_kept_as_it_is(
    documents: Documents,
) -> None:
    excerpt = Excerpt(text="said in other words", offset=3, section="Part")
    await documents.put(page("a", "The **words** of the page."), [excerpt])
    (passage,) = await documents.search("other words")
    assert (passage.text, passage.offset, passage.section) == ("said in other words", 3, "Part")


async def test_the_end_of_an_endless_document_is_not_searched_and_that_is_told(
    documents: Documents,
) -> None:
    half = "x" * (MAX_INDEXED_CHARS // 2)
    excerpts = [Excerpt(text=half, offset=0), Excerpt(text=f"{half}needle", offset=len(half))]
    stored = await documents.put(page("a", f"{half}{half}needle"), excerpts)
    assert "2,000,000" in stored.warnings[0]
    assert await documents.search("needle") == []
    again = await documents.put(stored, excerpts)
    assert len(again.warnings) == 1


async def test_a_cancelled_caller_has_put_its_document_all_the_same(
    documents: Documents, home: Path, clock: Clock
) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        await put(documents, page("a"))
        await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert titles(home) == ["a"]
    other = cold(home, clock)
    assert await other.by_key(page("a").key) is not None
    await other.close()


async def test_a_cancelled_close_closes(home: Path, clock: Clock) -> None:
    documents = Documents(home, StoreSettings(), clock)
    stored = await put(documents, page("a"))
    clock.now_s += 5
    await documents.get(stored.id)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await documents.close()
    assert files(home) == ["store.sqlite3"]
    with closing(sqlite3.connect(home / "store.sqlite3")) as db:
        assert db.execute("SELECT used_at_s FROM documents").fetchall() == [(NOW_S + 5,)]


async def test_many_at_once_lose_nothing(documents: Documents, home: Path) -> None:
    async def one(number: int) -> None:
        stored = await put(documents, page(f"p{number}", f"the word w{number}"))
        assert await documents.get(stored.id) == stored
        (passage,) = await documents.search(f"w{number}")
        assert passage.document_id == stored.id

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for number in range(60):
                tasks.start_soon(one, number)
    assert len(titles(home)) == 60
    assert faults(home) == []


@pytest.mark.virtual_clock
async def test_documents_live_on_any_event_loop(tmp_path: Path, clock: Clock) -> None:
    documents = cold(tmp_path, clock)
    stored = await put(documents, page("a"))
    assert await documents.get(stored.id) == stored
    await documents.close()
