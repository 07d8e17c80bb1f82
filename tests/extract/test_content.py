"""Which passages are taken: what is hidden, what is likely, and from which odds on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract import content, features
from extract.clues import Reader
from extract.passages import Box, Passage, Walk
from extract.tree import parse
from extract.walk import walk

TEXT = "The harbour was built in three stages, and each of them left a wall that still stands. "


def seen(html: str) -> tuple[list[str], int]:
    page = walk(parse(html), Reader({}))
    hidden = content.see(page)
    return [passage.text for passage in page.passages], hidden


def test_the_shipped_table_is_for_these_features() -> None:
    table = content.table()

    assert table.weights
    assert content.table() is table


@pytest.mark.parametrize(
    ("html", "texts", "hidden"),
    [
        (f"<p>a<div hidden>{TEXT}</div>", ["a"], len(TEXT.strip())),
        ("<p>a<noscript>b</noscript>", ["a"], 0),
        (f"<p>Loading<noscript><p>{TEXT * 3}</noscript>", ["Loading", (TEXT * 3).strip()], 0),
        (f"<p>Wait<div hidden><p>{TEXT * 5}</div>", ["Wait", (TEXT * 5).strip()], 0),
        (f"<p>{TEXT * 5}<noscript><p>{TEXT * 3}</noscript>", [(TEXT * 5).strip()], 0),
    ],
    ids=["hidden", "noscript", "only-noscript", "only-hidden", "both"],
)
def test_what_is_not_shown_is_dropped_unless_it_is_the_page(
    html: str, texts: list[str], hidden: int
) -> None:
    assert seen(html) == (texts, hidden)


def rated(*scores: float) -> list[Passage]:
    node = parse("<p>")
    box = Box(node, None, "body", 0, 0, 0.0, 0.0)
    return [Passage("p", node, "word " * 10, box, 0, score=score) for score in scores]


@pytest.mark.parametrize(
    ("scores", "taken"),
    [((0.99, 0.99, 0.3, 0.01), 2), ((0.4, 0.3, 0.02), 2), ((0.1, 0.05), 1), ((), 0)],
    ids=["clear", "unclear", "hardly-any", "empty"],
)
def test_how_sure_is_sure_enough_depends_on_the_page(scores: tuple[float, ...], taken: int) -> None:
    passages = rated(*scores)
    line = content.threshold(passages)

    assert sum(passage.score >= line for passage in passages) == taken


@given(st.lists(st.floats(0, 1).map(lambda score: round(score, 6)), max_size=30))
def test_the_threshold_is_a_probability_that_somebody_reaches(scores: list[float]) -> None:
    passages = rated(*scores)

    line = content.threshold(passages)

    assert 0 <= line <= 1
    assert not any(scores) or max(scores) >= line - 1e-9
    assert 0 <= content.expected_f1(passages) <= 1 + 1e-9


def test_an_article_is_told_from_what_stands_around_it() -> None:
    menu = "".join(f"<li><a href=/{name}>{name}</a>" for name in ("Home", "News", "Sport"))
    page = walk(
        parse(
            f"<div class=menu><ul>{menu}</ul></div><article class=post><h1>Walls</h1><p>{TEXT * 2}"
            f"<p>{TEXT * 3}<p>{TEXT}</article><div class=footer-links>© 2025 <a href=/p>Privacy</a>"
        ),
        Reader(content.table().weights),
    )

    chosen = content.choose(page, Reader(content.table().weights), "a.example")

    assert [passage.text for passage in chosen if passage.kind == "p"] == [
        (TEXT * times).strip() for times in (2, 3, 1)
    ]
    assert not any("Privacy" in passage.text or passage.text == "Sport" for passage in chosen)
    assert all(0 <= passage.score <= 1 for passage in page.passages)


def test_entries_that_are_alike_share_a_score() -> None:
    page = walk(parse("<ul>" + "<li><a href=/x>An entry</a>" * 4), Reader({}))
    features.measure(page)

    content.rate(page, Reader({}), "")

    assert len({passage.score for passage in page.passages}) == 1


def test_nothing_is_chosen_of_nothing() -> None:
    page = Walk([], [Box(parse(""), None, "body", 0, 0, 0.0, 0.0)])

    assert content.choose(page, Reader({}), "") == []
