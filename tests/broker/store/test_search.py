"""Searching what was read: a person's words, in any script and with any sign, find passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.store.records import Excerpt
from tests.broker.store.shelves import page, put

if TYPE_CHECKING:
    from broker.store.documents import Documents

TEXTS = {
    "python": "Tasks are cancelled by calling cancel() on the scope.\n\nThreads cannot be.",
    "rust": "The borrow checker of C++ does not exist, and a task is a future.",
    "naive": "A naïve café in Zürich serves crêpes, officially.",
    "tokyo": "東京大学は日本の国立大学です。研究所もあります。",
    "beijing": "北京的天气今天很好\uff0c适合去公园散步。",
    "thai": "ประเทศไทยมีอากาศร้อนตลอดทั้งปี",
    "korean": "학교에서 공부하는 학생들이 많습니다.",
    "hindi": "मौसम आज बहुत अच्छा है",
    "mixed": "Python教程\uff1a如何取消协程 asyncio.TaskGroup",
    "arabic": "الطقس جميل اليوم في القاهرة",
    "c": "C has macros, and a pointer of C leads to other C.",
    "csharp": "In C#, a property has a getter.",
    "polish": "Łódź leży w Polsce; die Straße dorthin ist lang.",
    "hebrew": "שָׁלוֹם עולם",
    "vocal": "مُحَمَّد كتب الرسالة",
    "russian": "Ёлка стоит в комнате.",
    "width": "\uff26\uff35\uff2c\uff2c width and ﾊﾝｶｸ, the ﬁnal oﬃce",
}

QUERIES = [
    ("cancelling a task", "python"),
    ("CANCEL scope", "python"),
    ("c++ borrow", "rust"),
    ("naive cafe zurich", "naive"),
    ("crepes", "naive"),
    ("東京大学", "tokyo"),
    ("大学", "tokyo"),
    ("研", "tokyo"),
    ("天气", "beijing"),
    ("今天天气怎么样", "beijing"),
    ("อากาศร้อน", "thai"),
    ("학교", "korean"),
    ("मौसम", "hindi"),
    ("python 协程", "mixed"),
    ("TaskGroup", "mixed"),
    ("الطقس", "arabic"),
    ("C#", "csharp"),
    ("C++", "rust"),
    ("lodz", "polish"),
    ("strasse", "polish"),
    ("שלום", "hebrew"),
    ("محمد", "vocal"),
    ("елка", "russian"),
    ("full", "width"),
    ("ハンカク", "width"),
    ("final office", "width"),
    ("\uff42\uff4f\uff52\uff52\uff4f\uff57", "rust"),
]


async def fill(documents: Documents) -> dict[str, str]:
    """Put all texts; returns their names by id."""
    stored = [await put(documents, page(name, text)) for name, text in TEXTS.items()]
    return {document.id: document.source for document in stored}


@pytest.mark.parametrize(("query", "name"), QUERIES, ids=[query for query, _ in QUERIES])
async def test_words_of_any_script_find_their_page_first(
    documents: Documents, query: str, name: str
) -> None:
    names = await fill(documents)
    found = await documents.search(query)
    assert found
    assert names[found[0].document_id] == name


NOTHING = ["", "   ", "*", '"', '""', "()", "-", "…!?", "\x00", "😀", "^", "zzzqqq", "\ud83d"]


@pytest.mark.parametrize("query", NOTHING, ids=ascii)
async def test_a_query_that_says_nothing_finds_nothing(documents: Documents, query: str) -> None:
    await fill(documents)
    assert await documents.search(query) == []


SIGNS = [
    'scope" OR "x',
    "scope AND",
    "OR scope",
    "NOT scope",
    "NEAR(scope, 2",
    "scope NEAR/3",
    "text:scope",
    "heading : scope",
    "{text heading}:scope",
    "-scope",
    "scope*",
    "^scope",
    "scope + +",
    '"scope',
    "'scope'; DROP TABLE documents; --",
    "(scope",
    "scope)",
    "scope\x00",
    "«scope»",
    "scope " * 1000,
    " ".join(f"w{number}" for number in range(400)) + " scope",
]


@pytest.mark.parametrize("query", SIGNS[:-1], ids=lambda query: query[:20].strip())
async def test_nothing_in_a_query_is_an_operator(documents: Documents, query: str) -> None:
    names = await fill(documents)
    found = await documents.search(query)
    assert "python" in {names[passage.document_id] for passage in found}


async def test_an_endless_query_is_cut(documents: Documents) -> None:
    await fill(documents)
    assert await documents.search(SIGNS[-1]) == []
    assert await documents.search("scope " + "x" * 1_000_000) != []


async def test_a_quotation_must_be_there_word_for_word(documents: Documents) -> None:
    await put(documents, page("apart", "The cat is black and the dog is white."))
    close = await put(documents, page("close", "A black dog."))
    assert {p.document_id for p in await documents.search('"black dog"')} == {close.id}
    assert {p.document_id for p in await documents.search("“black dog” white")} == {close.id}
    assert len(await documents.search("black dog")) == 2


async def test_a_quotation_that_is_nowhere_is_taken_for_words(documents: Documents) -> None:
    await put(documents, page("a", "The cat is black and the dog is white."))
    assert len(await documents.search('"black dog"')) == 1


async def test_a_passage_says_where_it_stands(documents: Documents) -> None:
    text = "# Guide\n\nIntroduction.\n\n## Install\n\nRun the installer.\n"
    stored = await put(documents, page("guide", text))
    (passage,) = await documents.search("installer")
    assert passage.document_id == stored.id
    assert passage.title == "Title of guide"
    assert passage.url == "https://site.example/guide"
    assert passage.section == "Guide / Install"
    assert text[passage.offset :] == passage.text == "## Install\n\nRun the installer.\n"
    assert passage.score > 0


async def test_the_best_passage_is_first_and_scores_fall(documents: Documents) -> None:
    for number in range(30):
        await put(documents, page(f"p{number}", f"filler text {'needle ' * (number % 3)}"))
    found = await documents.search("needle", max_passages=7)
    scores = [passage.score for passage in found]
    assert len(found) == 7
    assert scores == sorted(scores, reverse=True)
    assert found[0].text.count("needle") == 2


async def test_the_title_and_the_headings_are_searched_as_well(documents: Documents) -> None:
    excerpt = Excerpt(text="Run it.", offset=0, section="Troubleshooting")
    stored = await documents.put(page("manual", "Run it."), [excerpt])
    for query in ("troubleshooting", "title of manual"):
        assert [p.document_id for p in await documents.search(query)] == [stored.id]


async def test_a_search_can_be_kept_to_some_documents(documents: Documents) -> None:
    stored = [await put(documents, page(f"p{n}", f"needle {'x ' * n}")) for n in range(5)]
    some = [stored[1].id.upper(), stored[3].id]
    found = await documents.search("needle", in_ids=some)
    assert {passage.document_id for passage in found} == {stored[1].id, stored[3].id}
    assert await documents.search("needle", in_ids=[]) == []
    assert await documents.search("needle", in_ids=["none"]) == []


async def test_common_words_alone_find_as_well(documents: Documents) -> None:
    excerpts = [Excerpt(text="the way it is", offset=0) for _ in range(1600)]
    await documents.put(page("common"), excerpts)
    rare = await documents.put(page("rare"), [Excerpt(text="the way to a needle", offset=0)])
    assert len(await documents.search("the way it is")) == 10
    assert (await documents.search("the way to the needle"))[0].document_id == rare.id
