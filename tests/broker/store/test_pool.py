"""Documents at hand are searched as stored ones are, and questions by what they ask about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from broker.store.pool import search_in
from broker.store.records import Excerpt
from broker.store.split import split_markdown
from broker.store.words import understood
from tests.broker.store.shelves import NOW_S, page
from tests.broker.store.test_search import QUERIES, TEXTS

if TYPE_CHECKING:
    from broker.store.records import StoredDocument


def searched(query: str, **texts: str) -> list[str]:
    """The names of the pages whose passages are found, the best first."""
    pages = [(replaced(name, text), split_markdown(text)) for name, text in texts.items()]
    return [passage.document_id for passage in search_in(pages, query, max_passages=10)]


def replaced(name: str, text: str) -> StoredDocument:
    return replace(page(name, text), id=name)


@pytest.mark.parametrize(("query", "name"), QUERIES, ids=[query for query, _ in QUERIES])
def test_words_of_any_script_find_their_page_first(query: str, name: str) -> None:
    assert searched(query, **TEXTS)[0] == name


def test_nothing_is_found_in_nothing() -> None:
    assert search_in([], "needle", max_passages=10) == []
    assert searched("needle", empty=" ") == []
    assert searched("zebra", **TEXTS) == []
    assert searched("\ue000", **TEXTS) == [], "what fills the index is never found"


def test_a_word_that_is_everywhere_still_counts() -> None:
    texts = {f"p{n}": f"The scope of page {n}: " + "scope " * n for n in range(6)}
    pages = [(replaced(name, text), split_markdown(text)) for name, text in texts.items()]
    found = search_in(pages, "scope", max_passages=10)
    assert found[0].document_id == "p5"
    assert min(passage.score for passage in found) > 0.1


def test_the_younger_of_two_documents_with_one_id_is_searched() -> None:
    old, young = (
        replace(page("a", text, fetched_at_s=NOW_S + at_s), id="a")
        for text, at_s in (("an old needle", 0.0), ("a young needle", 60.0))
    )
    for order in ((old, young), (young, old)):
        pages = [(document, split_markdown(document.markdown)) for document in order]
        assert [each.text for each in search_in(pages, "needle", max_passages=10)] == [
            "a young needle"
        ]


def test_only_the_excerpts_that_are_handed_in_are_searched() -> None:
    document = replaced("a", "one needle and another needle")
    excerpt = Excerpt(text="another needle", offset=15)
    (passage,) = search_in([(document, [excerpt])], "needle", max_passages=10)
    assert (passage.offset, passage.text) == (15, "another needle")


QUESTIONS = [
    ("how do I cancel a task?", ["cancel", "task"]),
    ("What is the difference between threads and tasks", ["difference", "between", "threads",
                                                        "tasks"]),
    ("Wie kann ich eine Aufgabe abbrechen", ["aufgabe", "abbrechen"]),
    ("Pourquoi est-ce que la tâche est annulée", ["tâche", "annulée"]),
    ("¿Cómo se puede cancelar una tarea?", ["cancelar", "tarea"]),
    ("Как отменить задачу", ["отменить", "задачу"]),
    ("如何取消任务", ["取消", "消任", "任务"]),
    ("タスクとは何ですか", ["タス", "スク"]),
    ("작업을 어떻게 취소하나요", ["작업", "업을", "취소"]),
    ("จะยกเลิกงานได้อย่างไร", None),
    ("what is it", ["what", "is", "it"]),
    ("C", ["c"]),
    ("MIT licence", ["mit", "licence"]),
    ("怎么", ["怎么"]),
]  # fmt: skip


@pytest.mark.parametrize(("query", "words"), QUESTIONS, ids=[query for query, _ in QUESTIONS])
def test_what_only_asks_is_left_out_unless_it_is_all(query: str, words: list[str] | None) -> None:
    found = [word.strip('"') for word in understood(query).words]
    if words is None:
        assert "อย" not in found
        assert len(found) > 3
    else:
        assert found == words


def test_words_that_ask_do_not_lead_to_a_passage() -> None:
    texts = {
        "ferry": "How do I know, said the ferryman, and how do you? How does anybody?",
        "scope": "A task is cancelled by the scope that it is in, and by nobody else at all.",
        "else": "Tasks are done at dawn.",
    }
    assert searched("how do I cancel a task", **texts)[0] == "scope"
    assert "ferry" not in searched("how do I cancel a task", **texts)


def test_a_quotation_is_taken_with_every_word() -> None:
    assert understood('"how do I" cancel').required == ('"how do i"',)
