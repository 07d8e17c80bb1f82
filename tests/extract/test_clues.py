"""The words of names, texts and addresses, and what they weigh."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.clues import Reader, names, other_names, targets, words
from extract.tree import parse


@pytest.mark.parametrize(
    ("value", "tokens"),
    [
        ("entry-content mainCol", {"entry", "content", "main", "col", "entry-content"}),
        ("postBody", {"post", "body"}),
        ("HTMLText", {"html", "text"}),
        ("a_b", {"a", "b", "a_b"}),
        ("x-" + "y" * 40, {"x", "y" * 40}),
        ("", set()),
        ("123 _", {"_"}),
    ],
    ids=["kebab-and-camel", "camel", "capitals", "snake", "long", "empty", "no-words"],
)
def test_a_name_is_its_words_and_the_whole_of_it(value: str, tokens: set[str]) -> None:
    assert set(names(value)) == tokens


def test_other_attributes_are_marked_by_their_name() -> None:
    attributes = {"role": "main", "itemprop": "articleBody", "data-x": "no", "name": "n" * 70}

    assert other_names(attributes) == {"role:main", "item:article", "item:body"}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Read more!", ["w:read", "w:more"]),
        ("a " * 13, []),
        ("x" * 90, []),
        ("1 2", []),
        ("相关文章", ["w:相关文章"]),
    ],
    ids=["label", "many-words", "long", "digits", "chinese"],
)
def test_only_short_texts_have_words_that_tell(text: str, tokens: list[str]) -> None:
    assert words(text) == tokens


@pytest.mark.parametrize(
    ("address", "tokens"),
    [
        ("#top", {"h:frag"}),
        ("mailto:a@b.example", {"h:mailto"}),
        ("/tag/news?page=2", {"h:int", "h:tag", "h:news", "q:page"}),
        ("https://home.example/about", {"h:int", "h:about"}),
        ("https://www.facebook.com/sharer", {"h:ext", "h:facebook", "h:sharer"}),
    ],
)
def test_an_address_tells_where_it_leads(address: str, tokens: set[str]) -> None:
    assert targets([address], "home.example") == tokens


@given(st.lists(st.text()), st.text())
def test_no_address_raises(addresses: list[str], host: str) -> None:
    targets(addresses, host)


def test_a_reader_gives_the_extremes_of_what_it_knows() -> None:
    reader = Reader(
        {"content": 2.0, "sidebar": -1.5, "role:main": 3.0, "w:share": -2.0, "h:tag": -1}
    )

    assert reader.of_names({"class": "content sidebar"}) == (-1.5, 2.0)
    assert reader.of_names({"class": "content sidebar", "role": "main"}) == (-1.5, 3.0)
    assert reader.of_names({"class": "content sidebar"}) == (-1.5, 2.0)
    assert reader.of_names({"id": "other"}) == (0.0, 0.0)
    assert reader.of_words("Share this") == (-2.0, -2.0, -2.0)
    assert reader.of_words("nothing known") == (0.0, 0.0, 0.0)
    links = list(parse("<a href=/tag/x>a</a><a>b</a>").iter("a"))
    assert reader.of_links(links, "") == (-1, -1, -1)
